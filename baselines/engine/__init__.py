"""Parallel work behind one interface: in this process, in processes of this machine, or on a Ray cluster.

`cardenvs.baselines.engine.work.work` hands out tasks and yields their results. A task is a run of numbered pieces (deals of
a pairing, games of an experiment). A piece's result does not depend on the engine, the workers or the other pieces.
"""

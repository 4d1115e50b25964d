"""Parallel work behind one interface: in this process, in processes of this machine, or on a Ray cluster.

`cardenvs.baselines.engine.work.work` hands out tasks and yields what is finished, whatever does the work. Tasks are runs of
numbered pieces (deals of a pairing, games of an experiment) that come out the same wherever and with whatever others they
are worked on, so that results do not depend on the engine, on the number of workers or on their order.
"""

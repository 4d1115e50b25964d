"""The one way to run a study: a plan, a store of what is finished, workers, progress at a terminal.

A plan (`plan.py`) is all that a study's results depend on. Workers play runs of numbered pieces, deals of a pairing or
games of an experiment, which a store (`store.py`) keeps in chunks; the same plan goes on in the same folder. `pairings.py`
is for sides that play each other over the same deals, `series.py` for matches one after the other without a folder.
"""

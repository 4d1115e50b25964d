"""The one way to run a study: a plan, a store of what is finished, workers, progress at a terminal.

A plan (`plan.py`) is all that a study's results depend on. Workers (`workers.py`) play runs of numbered pieces, deals of a
pairing or games of an experiment, which a store (`store.py`) keeps in chunks, each whole or not at all; the same plan goes
on in the same folder. `pairings.py` has what all studies share that play sides against each other over the same deals,
`series.py` plays matches one after the other without a folder, and `terminal.py` runs a study for a command.
"""

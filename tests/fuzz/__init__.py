"""Fuzzing of all that is called from Python, and of all that is read from text and files.

Anybody can do it for as long as wanted: ``python -m tests.fuzz records --tries 100000 --seed 1`` mutates records and reads
them; a failure names the seed and the number of the try, which ``--only`` makes again. The slow tests run each for a short
while.
"""

"""Killing what runs long, at random moments, by SIGKILL: nothing that was kept is lost, and the results are the same.

Each module is a script that anybody can run for as long as wanted: ``python -m tests.kill.tournament --kills 20``. The slow
tests run each for a few kills. They need a system with process groups (not Windows).
"""

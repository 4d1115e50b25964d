"""Killing what runs long, at random moments, by SIGKILL: nothing that was kept is lost, and the results are the same.

Anybody can do it for as long as wanted: ``python -m tests.kill tournament --kills 20``. The slow tests do each for a few
kills. It needs a system with process groups (not Windows).
"""

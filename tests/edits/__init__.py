"""Random edits of product code, and which of them the tests notice.

A map says which tests execute which lines. Each edit is tried, in a copy of the repository, with the tests that execute its
line: ``python -m tests.edits --help``. It needs a POSIX system.
"""

"""Tests that would take minutes to compile and take seconds to run: daily they run as plain Python."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PLAIN = [pytest.mark.slow, pytest.mark.nojit]
"""Marks of tests that run daily in `tests.test_as_plain_python`, and compiled with the slow ones."""


def run_as_plain_python(*files: Path) -> None:
    """Runs the tests of some files that are marked ``nojit``, in a process that compiles nothing."""
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "-m", "nojit", *map(str, files)]
    run = subprocess.run(command, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout[-4000:]
    assert " passed" in run.stdout

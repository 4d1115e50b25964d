"""The tests of the language once more, with a compiled game beside every one of the interpreter's."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FILES = ("test_values.py", "test_acts.py", "test_play.py")


@pytest.mark.slow
def test_the_tests_of_the_language_with_compiled_twins() -> None:
    here = Path(__file__).parent
    files = [str(here / name) for name in FILES]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *files],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "CARDENVS_TEST_TWINS": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout[-4000:]
    assert " passed" in run.stdout

"""The command ``cardenvs`` run within a test, and programs run in a process of their own."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cardenvs.cli import main
from tests.helpers.reports import strict_json


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Runs the command with some arguments; returns its exit status and what it wrote to standard output and error."""
    status = main(list(arguments))
    out, err = capsys.readouterr()
    return status, out, err


def figures_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """What a command that ends well prints as JSON."""
    status, out, _ = run(capsys, *arguments, "--json")
    assert status == 0
    return strict_json(out)


def run_python(code: str, *arguments: str, **settings: Any) -> subprocess.CompletedProcess[str]:
    """Runs a program in a fresh interpreter; its output is text, and without ``env`` nothing is said of compiling."""
    settings.setdefault("env", {**os.environ, "CARDENVS_QUIET": "1"})
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, **settings)


def keeping_kernels(folder: Path, **more: str) -> dict[str, str]:
    """An environment in which kernels are compiled and kept in a folder, and what is compiled is said."""
    return {**os.environ, "NUMBA_DISABLE_JIT": "0", "NUMBA_CACHE_DIR": str(folder), "CARDENVS_QUIET": "", **more}


def check_refused(capsys: pytest.CaptureFixture[str], words: str, *arguments: str) -> None:
    """Checks that a command refuses its arguments in one line that has some words, with status 2 and no output."""
    status, out, err = run(capsys, *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert words in err

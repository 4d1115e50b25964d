"""The command ``cardenvs`` run within a test."""

from __future__ import annotations

import pytest

from cardenvs.cli import main


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Runs the command with some arguments; returns its exit status and what it wrote to standard output and error."""
    status = main(list(arguments))
    out, err = capsys.readouterr()
    return status, out, err

"""What would take minutes to compile and seconds to run, without compiling."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.paths import ROOT
from tests.helpers.plain import run_as_plain_python

TOLD = [
    ROOT / "tests" / "recycle" / f"test_{name}.py"
    for name in ("deals", "knowledge", "numbered", "origins", "past", "scores", "tells")
]
"""What described games tell."""
SHOWN = [ROOT / "tests" / "play" / f"test_{name}.py" for name in ("board_tricks", "described_table")]
"""Tables of described games."""
DECLARED = [ROOT / "tests" / "contract" / "test_definition.py"]
"""Games with declared layouts."""

HANABI = [
    ROOT / "tests" / "games" / "test_hanabi.py",
    ROOT / "tests" / "openspiel" / "test_hanabi.py",
    *(ROOT / "tests" / "baselines" / "heuristics").glob("test_hanabi_*.py"),
]
"""A game of many forms."""
TEAMS = [ROOT / "tests" / "baselines" / "match" / "test_teams.py"]
"""Described games of one side."""


@pytest.mark.parametrize(
    "files", [TOLD, SHOWN, DECLARED, HANABI, TEAMS], ids=["told", "shown", "declared", "hanabi", "teams"]
)
def test_as_plain_python(files: list[Path]) -> None:
    run_as_plain_python(*files)

"""What would take minutes to compile and seconds to run, without compiling."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.paths import ROOT
from tests.helpers.plain import run_as_plain_python

TOLD = [
    ROOT / "tests" / "recycle" / f"test_{name}.py"
    for name in ("claims", "deals", "knowledge", "numbered", "options", "origins", "past", "scores", "tells", "told_events")
]
"""What described games tell."""
TEAMS_DESCRIBED = [ROOT / "tests" / "recycle" / f"test_{name}.py" for name in ("beacon_relay", "hanabi", "said")]
"""Described games of one side."""
SHOWN = [
    ROOT / "tests" / "contract" / "test_prompts.py",
    *(ROOT / "tests" / "play" / f"test_{name}.py" for name in ("board_tricks", "described_table", "web_decks")),
]
"""Prompts and tables of described games."""
TRACES = [ROOT / "tests" / "recycle" / "test_traces.py"]
"""Cards that seats have lost sight of."""
DECLARED = [ROOT / "tests" / "contract" / "test_definition.py"]
"""Games with declared layouts."""

HANABI = [
    ROOT / "tests" / "games" / "test_hanabi.py",
    ROOT / "tests" / "openspiel" / "test_hanabi.py",
    *(ROOT / "tests" / "baselines" / "heuristics").glob("test_hanabi_*.py"),
]
"""A game of many forms."""
ALIKE = [
    ROOT / "tests" / "contract" / "test_symmetry.py",
    ROOT / "tests" / "recycle" / "test_alike.py",
    ROOT / "tests" / "train" / "inference" / "test_described_games.py",
    ROOT / "tests" / "train" / "inference" / "test_ordered_names.py",
    ROOT / "tests" / "train" / "learning" / "test_other_play.py",
]
"""What rules treat alike."""
TEAMS = [
    ROOT / "tests" / "baselines" / "match" / "test_teams.py",
    ROOT / "tests" / "baselines" / "test_suites.py",
    ROOT / "tests" / "train" / "learning" / "test_off_belief.py",
    *(ROOT / "tests").rglob("test_*one_side.py"),
]
"""Games of one side."""
_SEARCH = ROOT / "tests" / "baselines" / "search"
SEARCH = [_SEARCH / "blueprint" / "test_blueprint.py", _SEARCH / "test_team_pimc.py"]
"""Searches in games of one side."""
FORMS = [ROOT / "tests" / room / "test_forms.py" for room in ("envs", "frameworks", "play")]
"""Forms of a game."""
POLICIES = [ROOT / "tests" / "test_policy.py", ROOT / "tests" / "test_policy_memory.py"]
"""Searches and what else is long compiled."""
GAINS = list((ROOT / "tests").rglob("test_gains.py"))
"""Rewards that are paid step by step."""

GROUPS = {
    "told": TOLD,
    "teams-described": TEAMS_DESCRIBED,
    "shown": SHOWN,
    "declared": DECLARED,
    "traces": TRACES,
    "hanabi": HANABI,
    "alike": ALIKE,
    "teams": TEAMS,
    "search": SEARCH,
    "forms": FORMS,
    "policies": POLICIES,
    "gains": GAINS,
}


@pytest.mark.parametrize("files", GROUPS.values(), ids=GROUPS)
def test_as_plain_python(files: list[Path]) -> None:
    run_as_plain_python(*files)


def test_all_that_is_marked_so_is_run() -> None:
    files = (ROOT / "tests").rglob("test_*.py")
    marked = {path for path in files if "\npytestmark = PLAIN\n" in path.read_text("utf-8")}
    assert marked <= {path for group in GROUPS.values() for path in group}

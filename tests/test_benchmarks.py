"""What the benchmarks share, and that each of them still starts."""

import json
import subprocess
import sys

import pytest

from cardenvs.baselines.match import play_match
from cardenvs.baselines.reports.document import Document, Table
from tests.helpers.paths import ROOT, load_script

pytestmark = pytest.mark.compiled

FOLDER = ROOT / "benchmarks"
SCRIPTS = sorted(path.name for path in FOLDER.glob("*.py") if path.name != "measuring.py")


@pytest.fixture(scope="module")
def measuring():
    """The module ``benchmarks/measuring.py``, which is in no package."""
    return load_script("benchmarks/measuring.py")


@pytest.mark.parametrize(("warm", "calls"), [(False, "ababab"), (True, "abab")])
def test_rounds_are_taken_in_turn_and_the_first_may_not_count(measuring, warm, calls):
    called = []

    def measure(name):
        called.append(name)
        return len(called)

    figures = measuring.in_turn(2, {"a": lambda: measure("a"), "b": lambda: measure("b")}, warm=warm)
    assert "".join(called) == calls
    first = len(calls) - 3
    assert figures == {"a": [first, first + 2], "b": [first + 1, first + 3]}


def test_a_report_says_how_to_write_it_again(measuring):
    words = measuring.written_by("/some/where/rows.py", policy="learned", dealer_value=3)
    assert words == "Written by `python benchmarks/rows.py --policy learned --dealer-value 3 --report FILE`"


def test_figures_are_handed_over_with_their_report(measuring, capsys, tmp_path):
    report, told = tmp_path / "report.md", Document("Speed", [Table(["", "a"], [["rate", "1"]])])
    measuring.hand_over({"a": float("inf")}, told, report, as_json=True)
    assert json.loads(capsys.readouterr().out) == json.loads(report.with_suffix(".json").read_text()) == {"a": None}
    assert report.read_text() == "# Speed\n\n|  | a |\n| --- | ---: |\n| rate | 1 |\n"
    measuring.hand_over({"a": 1}, told, None, as_json=False)
    shown = capsys.readouterr().out
    assert shown.startswith("Speed\n") and "│ rate │ 1 │" in shown
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["report.json", "report.md"]


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS)
def test_every_benchmark_starts(script):
    done = subprocess.run([sys.executable, FOLDER / script, "--help"], capture_output=True, text=True, check=True)
    assert "--help" in done.stdout
    assert "--markdown" not in done.stdout


def test_variants_meet_the_same_deals(measuring):
    """One chunk and a part of another: each variant's match, and its difference to the first, deal by deal."""
    variants = {"twin": "high-low", "other": "low", "same": "high-low"}
    told = measuring.in_same_deals("euchre", variants, "random", 27, 5)
    for name, player in variants.items():
        assert told[name][0] == play_match("euchre", player, "random", deals=27, seed=5).points_margin
    assert told["twin"][1] == told["same"][1] and told["same"][1].mean == 0
    assert told["other"][1].mean == pytest.approx(told["other"][0].mean - told["twin"][0].mean)

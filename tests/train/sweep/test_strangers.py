"""The report of a sweep on trained teams as strangers: what it is of, its figures, and a whole one."""

import math
from pathlib import Path

import pytest

from cardenvs.baselines.crossplay import CrossplayResult, Gap
from cardenvs.baselines.reports.statistics import Interval
from cardenvs.train.sweep import parse_sweep
from cardenvs.train.sweep.strangers import check_strangers, strangers_result
from tests.helpers.command_line import figures_of

pytestmark = pytest.mark.compiled

TINY = """
game = "hanabi:colours=1,ranks=2,hand_size=2,information=1,lives=1"
report = "strangers"
seeds = [0, 1, 2]
steps = 128
games = 4
rollout = 32
batch_size = 64
eval_deals = 4
eval_every = 0
net = [4]
[measure]
deals = 6
[[variant]]
name = "plain"
recipe = "hanabi/self-play"
[[variant]]
name = "other"
recipe = "hanabi/high-entropy"
"""

OTHERWISE = "\n".join(line for line in TINY.splitlines() if "game =" not in line and "recipe" not in line)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TINY.replace("seeds = [0, 1, 2]", "seeds = [0, 1]"), "the report strangers needs 3 seeds or more, not 2"),
        (
            TINY.replace("deals = 6", 'deals = 6\nreference = "plain"'),
            "has no reference: gaps are compared with the first variant's",
        ),
        (TINY.replace('"plain"', '"plain"\noptions.score = "built"'), "is for variants with the same rule options"),
        (f'game = "whist"\n{OTHERWISE}', "is for games that several play as one side, not for whist"),
    ],
)
def test_what_it_is_not_for_is_named(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"x.toml: the report strangers .*{message.removeprefix('the report strangers ')}"):
        check_strangers(parse_sweep(text, "x").sweep, "x.toml")


def gap(name: str, mean: float, half: float) -> Gap:
    """A group's gap, with an interval over three trainings."""
    points = Interval(1.0, 0.9, 1.1)
    return Gap(name, [f"{name}-{k}" for k in range(3)], points, points, points, Interval(mean, mean - half, mean + half))


def test_a_gap_that_is_closed() -> None:
    """Half widths of trainings that have nothing to do with each other add up in squares."""
    sweep = parse_sweep(TINY, "x").sweep
    spec, gaps = sweep.variants[0].config.spec, [gap("plain", 0.8, 0.3), gap("other", 0.2, 0.4)]
    played = CrossplayResult(spec, [], [], 6, {}, 0, [], [], gap("all", 0, 1), gaps, [], [])
    (closed,) = strangers_result(sweep, {"plain": [], "other": []}, played).closed
    assert closed.name == "other"
    assert closed.closed.ci95 == pytest.approx([0.6 - 0.5, 0.6 + 0.5])
    assert closed.share == pytest.approx(0.75)
    assert math.isclose(closed.figures()["closed"], 0.6)


@pytest.mark.parametrize(("mean", "half"), [(0.0, math.inf), (0.3, 0.3), (-0.2, 0.1)])
def test_a_gap_that_is_not_there_has_no_share(mean: float, half: float) -> None:
    """Where all seeds score alike, or where the interval of the first variant's gap does not lie above 0."""
    sweep, gaps = parse_sweep(TINY, "x").sweep, [gap("plain", mean, half), gap("other", 0.1, 0.1)]
    played = CrossplayResult(sweep.variants[0].config.spec, [], [], 6, {}, 0, [], [], gap("all", 0, 1), gaps, [], [])
    (closed,) = strangers_result(sweep, {"plain": [], "other": []}, played).closed
    assert closed.share is None and closed.closed.half_width > 0


@pytest.mark.slow
def test_a_whole_one_and_the_same_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "tiny.toml").write_text(TINY)
    words = ["sweep", str(tmp_path / "tiny.toml"), "--out", str(tmp_path / "out"), "--workers", "1"]
    figures = figures_of(capsys, *words)
    assert [group["name"] for group in figures["crossplay"]["groups"]] == ["plain", "other"]
    assert len(figures["crossplay"]["policies"]) == 6
    assert [each["name"] for each in figures["closed"]] == ["other"]
    report = (tmp_path / "out" / "report.md").read_text()
    assert "| variant | self-play | cross-play | gap | closed | share |" in report
    assert figures_of(capsys, *words) == figures

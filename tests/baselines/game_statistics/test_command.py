"""``cardenvs recycle stats``: its JSON, tables, reports, plots and errors."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from cardenvs.baselines.game_statistics import experiments
from cardenvs.contract.registry import register_game
from tests.helpers.command_line import run
from tests.helpers.reports import PNG, strict_json
from tests.helpers.toys import toy

pytestmark = pytest.mark.usefixtures("toys")

EXPERIMENT_KEYS = ["games", "decisions", "decisions_se", "options", "forced", "wins", "truncated"]
STATISTICS = ["order", "fairness", "convergence", "spread", "drama", "security"]
STATS = ("recycle", "stats")
QUICK = ("--games", "5", "--ai", "pipmc:worlds=2", "--workers", "1")


def test_random_only_json(capsys):
    status, out, _ = run(capsys, *STATS, "whist", "--random-only", "--games", "40", "--seed", "3", "--json")
    figures = strict_json(out)
    assert status == 0
    assert list(figures) == ["game", "seats", "random"]
    assert (figures["game"], figures["seats"]) == ("whist", 4)
    random = figures["random"]
    assert list(random) == EXPERIMENT_KEYS
    assert (random["games"], random["decisions"], random["decisions_se"], random["truncated"]) == (40, 52.0, 0.0, 0)
    assert len(random["wins"]) == 4
    assert sum(random["wins"]) == pytest.approx(1)
    again = run(capsys, *STATS, "whist", "--random-only", "--games", "40", "--seed", "3", "--json")[1]
    other = run(capsys, *STATS, "whist", "--random-only", "--games", "40", "--seed", "4", "--json")[1]
    assert again == out != other


def test_all_json(capsys):
    status, out, _ = run(capsys, *STATS, "kuhn", *QUICK, "--json")
    figures = strict_json(out)
    assert status == 0
    assert list(figures) == ["game", "seats", "random", "one_ai", "all_ai", *STATISTICS]
    for experiment in ("random", "one_ai", "all_ai"):
        assert list(figures[experiment]) == EXPERIMENT_KEYS
        assert figures[experiment]["games"] == 5
    for name in STATISTICS:
        assert list(figures[name]) == ["value", "ci95"]
        low, high = figures[name]["ci95"]
        assert (low is high is None) or (low <= figures[name]["value"] <= high and low < high)
    # The random games are those of --random-only.
    alone = strict_json(run(capsys, *STATS, "kuhn", *QUICK, "--random-only", "--json")[1])
    assert alone["random"] == figures["random"]


def test_rule_options_count(capsys):
    words = [*STATS, "euchre", "--random-only", "--games", "30", "--json"]
    assert strict_json(run(capsys, *words, "-o", "bidding=forced-spades")[1])["random"]["decisions"] == 20
    assert strict_json(run(capsys, *words)[1])["random"]["decisions"] != 20


def test_tables(capsys):
    status, out, _ = run(capsys, *STATS, "kuhn", *QUICK)
    assert status == 0
    for word in ("all random", "all AI", "decisions a game", "first places by seat", *STATISTICS, "pipmc:worlds=2"):
        assert word in out
    assert "Partners" not in out
    out = run(capsys, *STATS, "kuhn", "--random-only")[1]
    assert "convergence" in out
    assert "drama" not in out


def test_reports_and_plots(capsys, tmp_path):
    written = tmp_path / "reports" / "kuhn.md"
    plot = tmp_path / "radar.png"
    words = [
        *STATS,
        "kuhn",
        *QUICK,
        "--out",
        str(tmp_path / "out"),
        "--report",
        str(written),
        "--plot",
        str(plot),
        "--json",
    ]
    status, out, err = run(capsys, *words)
    assert status == 0
    assert "report: " in err
    assert plot.read_bytes()[:8] == PNG
    assert (tmp_path / "reports" / "kuhn_radar.png").read_bytes()[:8] == PNG
    assert json.loads((tmp_path / "out" / "results.json").read_text()) == strict_json(out)
    assert json.loads(written.with_suffix(".json").read_text()) == strict_json(out)
    text = written.read_text()
    assert "cardenvs recycle stats kuhn --games 5 --ai pipmc:worlds=2 --seed 0" in text
    assert "![the six statistics](kuhn_radar.png)" in text
    for name in STATISTICS:
        assert f"| {name} |" in text
    assert run(capsys, *STATS, "kuhn", *QUICK, "--report", str(tmp_path / "alone.md"))[0] == 0
    assert (tmp_path / "alone.json").is_file()
    status, _, _ = run(capsys, *STATS, "whist", "--random-only", "--report", str(tmp_path / "random.md"))
    assert status == 0
    assert "radar" not in (tmp_path / "random.md").read_text()


@pytest.mark.slow
def test_partners_are_told_of(capsys, tmp_path):
    run(capsys, *STATS, "wolves", "--games", "2", "--ai", "random", "--workers", "1", "--report", str(tmp_path / "w.md"))
    assert "Partners share their rank, but order is taken as if" in (tmp_path / "w.md").read_text()


@pytest.mark.slow
def test_games_that_are_cut_off_are_told_of(capsys):
    words = [*STATS, "ladder", "--random-only", "--games", "50"]
    assert "cut off" not in run(capsys, *words)[1]
    register_game(replace(toy("ladder"), max_decisions=9))
    assert "cut off" in run(capsys, *words)[1]
    figures = strict_json(run(capsys, *words, "--json")[1])["random"]
    assert (figures["truncated"], figures["decisions"], figures["wins"]) == (50, 9, [None, None, None])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["bridge"], "unknown game 'bridge': the games are"),
        (["kuhn", "--ai", "nobody"], "unknown policy 'nobody' for kuhn"),
        (["kuhn", "--games", "0"], "--games"),
        (["kuhn", "--workers", "0"], "--workers"),
        (["kuhn", "--seed", "-1"], "--seed"),
        (["kuhn", "--random-only", "--plot", "x.png"], "--plot draws all six statistics, which --random-only does not"),
        (["whist", "-o", "colour=red"], "colour"),
        (["kuhn", "--out", __file__], "is not a folder"),
        ([], "Missing argument 'GAME'"),
    ],
)
def test_errors_take_one_line(capsys, words, message):
    status, out, err = run(capsys, *STATS, *words)
    assert status == 2
    assert out == ""
    assert message in err
    assert len(err.splitlines()) == 1


def test_an_interrupted_run_says_how_to_go_on(capsys, monkeypatch, tmp_path):
    out = tmp_path / "out"

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(experiments.AiPlayer, "play_task", interrupted)
        status, printed, err = run(capsys, *STATS, "kuhn", *QUICK, "--out", str(out))
        assert status == 130
        assert printed == ""
        assert f"interrupted after 5 of 15 games, kept in '{out}'; to go on: cardenvs recycle stats kuhn --games 5" in err
        status, _, err = run(capsys, *STATS, "kuhn", *QUICK)
        assert status == 130
        assert "which nothing keeps without --out" in err
    assert run(capsys, *STATS, "kuhn", *QUICK, "--out", str(out))[0] == 0


def test_without_matplotlib_the_picture_alone_is_missing(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("cardenvs.plugins.installed", lambda module: module != "matplotlib")
    status, _, err = run(capsys, *STATS, "kuhn", *QUICK, "--plot", str(tmp_path / "x.png"))
    assert status == 2
    assert 'in a checkout: pip install ".[plots]"' in err
    status, _, err = run(capsys, *STATS, "kuhn", *QUICK, "--report", str(tmp_path / "x.md"))
    assert status == 0
    assert "the report's picture is left out" in err
    assert "radar" not in (tmp_path / "x.md").read_text()


def test_the_group_lists_its_commands(capsys):
    status, out, _ = run(capsys, "recycle", "--help")
    assert status == 0
    assert "stats" in out
    assert run(capsys, "recycle", "stat")[0] == 2

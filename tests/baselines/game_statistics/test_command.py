"""``cardenvs recycle stats``: its JSON, tables, reports, plots and errors."""

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
QUICK = ("--games", "5", "--ai", "pipmc:worlds=2", "--workers", "1")


def stats(capsys, *words, status=0):
    """What the command writes to standard output and to standard error, with an exit status that it must have."""
    found, out, err = run(capsys, "recycle", "stats", *map(str, words))
    assert found == status
    return out, err


def figures_of(capsys, *words):
    return strict_json(stats(capsys, *words, "--json")[0])


def test_random_only_json(capsys):
    words = "whist", "--random-only", "--games", "40", "--seed"
    figures = figures_of(capsys, *words, "3")
    assert list(figures) == ["game", "seats", "random"]
    assert (figures["game"], figures["seats"]) == ("whist", 4)
    random = figures["random"]
    assert list(random) == EXPERIMENT_KEYS
    assert (random["games"], random["decisions"], random["decisions_se"], random["truncated"]) == (40, 52.0, 0.0, 0)
    assert len(random["wins"]) == 4
    assert sum(random["wins"]) == pytest.approx(1)
    assert figures_of(capsys, *words, "3") == figures != figures_of(capsys, *words, "4")


def test_all_json(capsys):
    figures = figures_of(capsys, "kuhn", *QUICK)
    assert list(figures) == ["game", "seats", "random", "one_ai", "all_ai", *STATISTICS]
    for experiment in ("random", "one_ai", "all_ai"):
        assert list(figures[experiment]) == EXPERIMENT_KEYS
        assert figures[experiment]["games"] == 5
    for name in STATISTICS:
        assert list(figures[name]) == ["value", "ci95"]
        low, high = figures[name]["ci95"]
        assert (low is high is None) or (low <= figures[name]["value"] <= high and low < high)
    # The random games are those of --random-only.
    assert figures_of(capsys, "kuhn", *QUICK, "--random-only")["random"] == figures["random"]


def test_rule_options_count(capsys):
    words = "euchre", "--random-only", "--games", "30"
    assert figures_of(capsys, *words, "-o", "bidding=forced-spades")["random"]["decisions"] == 20
    assert figures_of(capsys, *words)["random"]["decisions"] != 20


def test_tables(capsys):
    out, _ = stats(capsys, "kuhn", *QUICK)
    for word in ("all random", "all AI", "decisions a game", "first places by seat", *STATISTICS, "pipmc:worlds=2"):
        assert word in out
    assert "Partners" not in out
    out, _ = stats(capsys, "kuhn", "--random-only")
    assert "convergence" in out
    assert "drama" not in out


def test_reports_and_plots(capsys, tmp_path):
    written, plot = tmp_path / "reports" / "kuhn.md", tmp_path / "radar.png"
    own = "--out", tmp_path / "out", "--report", written, "--plot", plot
    out, err = stats(capsys, "kuhn", *QUICK, *own, "--json")
    assert "report: " in err
    assert plot.read_bytes()[:8] == (tmp_path / "reports" / "kuhn_radar.png").read_bytes()[:8] == PNG
    for path in (tmp_path / "out" / "results.json", written.with_suffix(".json")):
        assert json.loads(path.read_text()) == strict_json(out)
    text = written.read_text()
    assert "cardenvs recycle stats kuhn --games 5 --ai pipmc:worlds=2 --seed 0" in text
    assert "![the six statistics](kuhn_radar.png)" in text
    assert all(f"| {name} |" in text for name in STATISTICS)
    stats(capsys, "kuhn", *QUICK, "--report", tmp_path / "alone.md")
    assert (tmp_path / "alone.json").is_file()
    stats(capsys, "whist", "--random-only", "--report", tmp_path / "random.md")
    assert "radar" not in (tmp_path / "random.md").read_text()


@pytest.mark.slow
def test_the_report_has_a_note_on_partners(capsys, tmp_path):
    stats(capsys, "wolves", "--games", "2", "--ai", "random", "--workers", "1", "--report", tmp_path / "w.md")
    assert "Partners share their rank, but order is taken as if each seat were alone" in (tmp_path / "w.md").read_text()


@pytest.mark.slow
def test_games_that_are_cut_off_are_counted(capsys):
    words = "ladder", "--random-only", "--games", "50"
    assert "cut off" not in stats(capsys, *words)[0]
    register_game(replace(toy("ladder"), max_decisions=9))
    assert "cut off" in stats(capsys, *words)[0]
    figures = figures_of(capsys, *words)["random"]
    assert (figures["truncated"], figures["decisions"], figures["wins"]) == (50, 9, [None, None, None])


def test_an_interrupted_run_says_how_to_go_on(capsys, monkeypatch, tmp_path):
    out = tmp_path / "out"

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(experiments.AiPlayer, "play_task", interrupted)
        printed, err = stats(capsys, "kuhn", *QUICK, "--out", out, status=130)
        assert printed == ""
        assert f"interrupted after 5 of 15 games, kept in '{out}'; to go on: cardenvs recycle stats kuhn --games 5" in err
        assert "which nothing keeps without --out" in stats(capsys, "kuhn", *QUICK, status=130)[1]
    stats(capsys, "kuhn", *QUICK, "--out", out)


def test_without_matplotlib_the_picture_alone_is_missing(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("cardenvs.plugins.installed", lambda module: module != "matplotlib")
    path = tmp_path / "x.md"
    assert 'in a checkout: pip install ".[plots]"' in stats(capsys, "kuhn", *QUICK, "--plot", "x.png", status=2)[1]
    assert "the report's picture is left out" in stats(capsys, "kuhn", *QUICK, "--report", path)[1]
    assert "radar" not in path.read_text()

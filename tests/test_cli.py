"""The command line: JSON on standard output, errors in one line and status 2."""

import json
import os
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from cardenvs import described_names, game_names, get_game, policy
from cardenvs.cli import SECTIONS, PageGroup, RenamedOption, app
from tests.helpers.command_line import figures_of, run, run_python


def test_list_names_games_options_and_policies(capsys):
    status, out, err = run(capsys, "list", "--json")
    assert (status, err) == (0, "")
    games = json.loads(out)["games"]
    assert set(games) == {"euchre", "whist", "five-o", "hanabi"}
    assert "coop-high-low" in games["euchre"]["policies"]
    assert games["euchre"]["options"]["bidding"] == ["full", "forced-spades"]
    status, out, _ = run(capsys, "list")
    assert status == 0
    assert "euchre_v0" in out
    described = figures_of(capsys, "list")["described"]
    assert described["hearts"] == "Hearts for four: one deal, nothing passed"
    assert list(described) == described_names()
    assert all(f"\n  {name} " in out for name in described)


def test_what_starts_at_once_loads_nothing_that_takes_long():
    commands = [["--help"], ["list"], ["match", "kuhn-poker", "random", "random", "--deals", "2"]]
    slow = ("torch", "stable_baselines3", "scipy.stats", "matplotlib", "pygame", "aiohttp", "ray", "pettingzoo.classic")
    program = f"import sys; from cardenvs.cli import main; [main(words) for words in {commands}]; "
    program += f"print('loaded:', *set(sys.modules) & set({slow}))"
    done = run_python(program)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "loaded:"


def test_list_of_a_described_game(capsys):
    status, out, _ = run(capsys, "list", "kuhn-poker")
    assert status == 0
    assert out.startswith(
        "kuhn-poker: Kuhn poker, 2 seats\n  PettingZoo from cardenvs import recycle: recycle.env('kuhn-poker')"
    )
    figures = figures_of(capsys, "list", "kuhn_poker")
    assert list(figures) == ["games"]
    assert figures["games"]["kuhn-poker"]["file"].endswith("kuhn-poker.rcy")
    assert figures["games"]["kuhn-poker"]["module"] == "cardenvs.recycle"


@pytest.mark.parametrize("columns", ["80", "60", "200"])
def test_list_fits_its_width_and_cuts_nothing(capsys, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    figures = figures_of(capsys, "list")["games"]
    whole = run(capsys, "list")[1]
    for game, listed in figures.items():
        out = run(capsys, "list", game)[1]
        assert max(map(len, [*out.splitlines(), *whole.splitlines()])) <= int(columns)
        assert "…" not in out + whole
        words = " ".join(out.split())
        assert f"from cardenvs import {listed['module'].removeprefix('cardenvs.')}" in words
        assert f'gymnasium.make("{listed["gymnasium"]}")' in words
        for name, values in listed["options"].items():
            assert f"{name} = {' | '.join(values)}" in words
        assert list(listed["policy_lines"]) == listed["policies"]
        for name, line in listed["policy_lines"].items():
            told = name in policy.listed_names(game)
            assert len(line) > 20, (game, name)
            assert (f"{name} {line}" in words) == told
            assert (f"{name} {line}" in " ".join(whole.split())) == told


def test_list_has_a_line_a_game_and_every_policy_once(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    figures = figures_of(capsys, "list")
    lines = run(capsys, "list")[1].splitlines()
    assert len(lines) < 90
    for game in (*figures["games"], *figures["described"]):
        assert sum(line.startswith(f"  {game} ") for line in lines) == 1
    for game, listed in figures["games"].items():
        for name in policy.listed_names(game):
            about = listed["policy_lines"][name]
            assert sum(line.split() == [name, *about.split()] for line in lines) == 1


def test_list_names_what_libraries_know(capsys):
    import gymnasium
    import pettingzoo

    for listed in figures_of(capsys, "list")["games"].values():
        assert listed["gymnasium"] in gymnasium.registry
        assert pettingzoo.make("aec", listed["pettingzoo"]).possible_agents


KEYS = {
    "game", "sides", "deals", "games", "win_rate", "ci95", "games_won", "tricks_won", "points", "mean_points",
    "mean_points_ci95", "decisions_per_s",
}  # fmt: skip


def test_match_prints_one_json_object(capsys):
    words = ["match", "euchre", "coop-high-low", "random", "--deals", "20", "--seed", "3", "-o", "bidding=forced-spades"]
    figures = figures_of(capsys, *words)
    assert set(figures) >= KEYS
    assert (figures["deals"], figures["games"], figures["seed"]) == (20, 40, 3)
    assert figures["options"]["bidding"] == "forced-spades"
    for key in ("sides", "win_rate", "games_won", "tricks_won", "points", "decisions_per_s"):
        assert len(figures[key]) == 2
    assert figures_of(capsys, *words)["points"] == figures["points"]


def test_one_deal_has_no_interval(capsys):
    assert figures_of(capsys, "match", "whist", "low", "random", "--deals", "1")["mean_points_ci95"] == [None, None]


def test_match_prints_a_table(capsys):
    status, out, _ = run(capsys, "match", "five-o", "reflex2", "random", "--deals", "10")
    assert status == 0
    assert "win rate" in out and "columns won" in out


def test_observation_lists_the_parts(capsys):
    parts = figures_of(capsys, "observation", "euchre")["euchre"]["parts"]
    assert (parts[0]["name"], parts[0]["stop"]) == ("hand", 24)
    assert run(capsys, "observation", "whist")[0] == 0


def test_the_installed_command_exits_with_the_status():
    command = [sys.executable, "-m", "cardenvs.cli", "match", "bridge", "a", "b"]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONWARNINGS": "ignore"})
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_bench_measures_every_figure(capsys):
    figures = figures_of(capsys, "bench", "--rounds", "1", "--seconds", "0.01")
    assert figures["warm_start_s"] > 0 and figures["cold_start_s"] > 0
    for game in ("euchre", "whist", "five-o"):
        for key in (
            "batch_steps_per_s", "batch_bytes_per_s", "aec_raw_steps_per_s", "aec_steps_per_s", "playouts_per_s",
            "batch_recall_steps_per_s", "recall_share", "aec_raw_clone_us", "aec_raw_get_state_us", "aec_raw_set_state_us",
        ):  # fmt: skip
            assert figures["games"][game][key] > 0


# --- help ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [[], ["recycle"], ["reproduce"], ["experiment"]], ids=" ".join)
def test_a_group_alone_shows_its_help_as_a_page(capsys, words):
    status, out, err = run(capsys, *words)
    assert (status, err) == (0, "")
    assert out.startswith("Usage: ") and out.count("\n") > 8
    assert out == run(capsys, *words, "--help")[1]


@pytest.mark.parametrize("columns", [60, 80])
def test_help_lists_every_command_under_a_heading_and_cuts_nothing(capsys, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    out = run(capsys, "--help")[1]
    context = click.Context(app, info_name="cardenvs")
    names = app.list_commands(context)
    assert sorted(name for section in SECTIONS.values() for name in section) == names
    assert "..." not in out.partition("\n")[2] and "More:" not in out
    words = " ".join(out.split())
    assert all(get_game(game).title.split()[0] in words for game in game_names())
    for name in names:
        sentence = " ".join(app.get_command(context, name).help.split()).partition(". ")[0]
        assert f" {name} {sentence}" in words
    assert [line[:-1] for line in out.splitlines() if line.endswith(":") and line[0] != " "] == ["Options", *SECTIONS]


def test_commands_of_others_are_listed_behind(capsys):
    group = PageGroup("tool", commands=[click.Command("one"), click.Command("other")], sections={"First": ["one", "gone"]})
    out = CliRunner().invoke(group, []).output
    assert out.index("First:") < out.index("one") < out.index("More:") < out.index("other")
    assert "gone" not in out


def test_without_compiling_a_description_is_played_at_once_by_the_same_rules(tmp_path):
    words = ["match", "kuhn-poker", "random", "random", "--deals", "3", "--json"]
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "CARDENVS_QUIET": ""}
    command = [sys.executable, "-m", "cardenvs.cli", "--no-compile", *words]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert done.stderr == ""  # nothing is said of compiling
    assert not list(tmp_path.rglob("*.nbc"))
    assert json.loads(done.stdout)["deals"] == 3


# --- options with old names ----------------------------------------------------------------------------------------


@click.command()
@click.option("--report", cls=RenamedOption, was=("--markdown", "--md"))
@click.option("--against", cls=RenamedOption, was=("--opponents",), multiple=True)
def renamed(report, against):
    """A command with options that had other names once."""
    click.echo(f"{report} {','.join(against)}")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--report", "new"], "new "),
        (["--markdown", "old"], "old "),
        (["--md=older"], "older "),
        (["--report", "new", "--markdown", "old"], "old "),
        (["--markdown", "old", "--report", "new"], "new "),
        (["--against", "a", "--opponents", "b", "--against", "c"], "None a,b,c"),
        ([], "None "),
    ],
)
def test_old_names_of_options_work_and_the_last_one_counts(arguments, told):
    done = CliRunner().invoke(renamed, arguments)
    assert (done.exit_code, done.output.removesuffix("\n")) == (0, told)


def test_old_names_of_options_are_not_listed():
    shown = CliRunner().invoke(renamed, ["--help"]).output
    assert "--report" in shown and "--against" in shown
    assert not {"--markdown", "--md", "--opponents"} & set(shown.split())
    missing = CliRunner().invoke(renamed, ["--markdown"])
    assert missing.exit_code == 2 and "requires an argument" in missing.output

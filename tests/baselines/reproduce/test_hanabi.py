"""Hanabi's agents beside known figures: what is known, how it is compared, teams in turns, the command resumed."""

import json
import math

import numpy as np
import pytest

from cardenvs.baselines.heuristics.hanabi_rules import AGENTS
from cardenvs.baselines.reproduce.hanabi import measure
from cardenvs.baselines.reproduce.hanabi.measure import (
    FIGURES,
    PAIRS,
    REMEMBERING,
    SELF_PLAY,
    TEAMS,
    Figure,
    Known,
    PlayedGames,
    compare,
    play_alone,
    play_team,
)
from cardenvs.games.hanabi import hanabi
from tests.helpers.command_line import figures_of, run

pytestmark = pytest.mark.compiled


def test_what_is_known():
    by_table = {table: [figure for figure in FIGURES if figure.table == table] for table in (SELF_PLAY, PAIRS)}
    assert {name: len(rows) for name, rows in by_table.items()} == {SELF_PLAY: 32 + 8 + 4 + 2, PAIRS: 36 + 8}
    assert len({(figure.team, figure.players, figure.of, figure.table) for figure in FIGURES}) == len(FIGURES)
    assert {name for figure in FIGURES for name in figure.team} == {*AGENTS, *REMEMBERING}
    assert len(TEAMS) == 32 + 4 + 4 + 1 + 28
    known_scores = {(figure.team, figure.players, figure.of, figure.table): figure.known.value for figure in FIGURES}
    assert known_scores[("internal", "flawed"), 2, "built", PAIRS] == 3.28
    assert known_scores[("flawed",), 2, "built", PAIRS] == 1.45
    assert known_scores[("smartbot",), 3, "built", SELF_PLAY] == 23.309


def compared(values, value=10.0, error=None, games=400, lives=1, of="score"):
    built = np.array(values)
    figure = Figure(SELF_PLAY, ("piers",), 2, of, Known(value, games, error=error))
    return compare(figure, PlayedGames(built, np.full_like(built, lives)))


def test_differences_are_in_joint_standard_errors_beyond_the_rounding():
    # A hundred games with a deviation of 1 have .1; the known 400 .05 if nothing else is told.
    values = [9, 11] * 50
    deviation = np.std(values, ddof=1)
    assert compared(values, 9.9).z == pytest.approx((0.1 - 0.005) / (deviation * math.hypot(0.1, 0.05)))
    assert compared(values, 10.1, error=0.2).z == pytest.approx(-(0.1 - 0.005) / math.hypot(deviation / 10, 0.2))
    assert compared(values, 10.004).z == 0
    assert compared(values, 9.7).agrees and not compared(values, 9.6).agrees
    assert compared(values, 9.6).error == pytest.approx(deviation / 10)


def test_a_lost_game_scores_nothing():
    assert compared([9, 11], lives=0).ours == 0
    assert compared([9, 11], lives=0, of="built").ours == 10


def test_where_hardly_a_game_scores():
    """Zeros beside 0.17 of 5,000 games: within the error of a game of ten points in a thousand."""
    assert compared([0] * 5000, 0.01, games=5000).z == pytest.approx(-0.005 / math.sqrt(2 * 0.1 / 5000))


@pytest.mark.slow
def test_games_do_not_depend_on_how_they_are_batched():
    for of, agents in ((play_team, ["piers", "outer", "iggi"]), (play_alone, "smartbot")):
        whole = of(hanabi(players=3), agents, range(20), 4)
        parts = [of(hanabi(players=3), agents, numbers, 4) for numbers in (range(7), range(7, 20))]
        assert (np.concatenate(parts) == whole).all()


@pytest.mark.slow
def test_pairs_take_the_seats_in_turns():
    """With one life a game of one move was begun by the player at random: every other game."""
    at_once = play_team(hanabi(lives=1), ["outer", "legal-random"], range(200), 1)[:, 2] == 1
    assert not at_once[::2].any() and at_once[1::2].any()


@pytest.mark.slow
def test_the_command(capsys, tmp_path, monkeypatch):
    few = (("internal",), 2), (("internal", "piers"), 2), (("hat-recommendation",), 5)
    some = tuple(figure for figure in FIGURES if (figure.team, figure.players) in few)
    monkeypatch.setattr(measure, "FIGURES", some)
    monkeypatch.setattr(measure, "TEAMS", list(few))
    words = ("reproduce", "hanabi", "--games", "30", "--workers", "1", "--out", str(tmp_path / "run"))
    report = tmp_path / "hanabi.md"
    told = figures_of(capsys, *words, "--report", str(report))
    assert told == json.loads((tmp_path / "hanabi.json").read_text())
    assert (told["games"], told["compared"], told["agree"]) == (30, 5, 5)
    last = told["comparisons"][-1]
    assert (last["team"], last["known"]["value"], last["known"]["se"]) == (["internal", "piers"], 14.4, None)
    assert last["difference"] == pytest.approx(last["mean"] - 14.4)
    assert "`cardenvs reproduce hanabi --games 30 --seed 0 --report FILE`" in report.read_text()

    def never(*_):
        raise AssertionError("played again")

    monkeypatch.setattr(measure, "play", never)
    assert figures_of(capsys, *words) == told
    status, out, _ = run(capsys, *words)
    assert status == 0 and "5 of 5 known figures agree" in " ".join(out.split())
    status, _, err = run(capsys, *words, "--seed", "1")
    assert status == 2 and "seed 0, not 1" in err


def test_what_differs_is_named():
    text = str(measure.Reproduction(100, 0, [compared([9, 11] * 50, 9.6)]))
    assert "0 of 1 known figures agree; piers x 2, score: 10.000, not 9.6." in " ".join(text.split())

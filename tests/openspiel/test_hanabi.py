"""Hanabi beside OpenSpiel's, move by move: legal actions, points, ends, and the canonical vectors of every seat."""

import json
from pathlib import Path
from typing import Any

import pytest

from cardenvs.baselines.reports.columns import Row
from cardenvs.baselines.reproduce.openspiel import measure
from cardenvs.baselines.reproduce.openspiel.measure import (
    DRIVERS,
    FORMS,
    Beside,
    at_length,
    at_random,
    beside_plan,
    can_drive,
    pairings,
    results_of,
)
from cardenvs.baselines.runs.store import work_through
from cardenvs.compiled.jit import DISABLED
from cardenvs.games.hanabi import hanabi
from tests.helpers.command_line import run
from tests.refusals import check_refused

pytest.importorskip("pyspiel")


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_the_same_games(form: dict[str, int]) -> None:
    for name, make in DRIVERS.items():
        if can_drive(name, hanabi(**form)):
            both = Beside(form, make())
            for number in range(1 if DISABLED else 60):
                moves, difference = both.play(0, number)
                assert moves > 0 and not difference, (name, difference)


def test_vectors_are_the_observation_tensors() -> None:
    both = Beside({"players": 3}, at_random)
    state = both.theirs.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    for seat in range(3):
        both.observation.set_from(state, seat)
        assert both.observation.tensor.tolist() == state.observation_tensor(seat)


def test_the_longest_game() -> None:
    assert Beside({}, at_length).play(0, 0)[0] == hanabi().max_steps == 89


def test_smart_bot_drives_where_it_can() -> None:
    left_out = {(form, name) for form in range(len(FORMS)) for name in DRIVERS} - set(pairings())
    assert {name for _, name in left_out} == {"smartbot"}
    assert {form for form, _ in left_out} == {k for k, form in enumerate(FORMS) if form.get("hand_size") == 1}


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the first two drivers play the smallest form alone."""
    small = FORMS.index(min(FORMS, key=lambda form: hanabi(**form).max_steps))
    monkeypatch.setattr(measure, "pairings", lambda: [(small, "random"), (small, "well")])


def reproduce(games: int, seed: int, folder: Path, told: list[int]) -> Row:
    plan = beside_plan(games, seed)
    return results_of(work_through(plan, folder, workers=1, progress=lambda count, what: told.append(count)))


@pytest.mark.usefixtures("few")
def test_a_run_goes_on(tmp_path: Path) -> None:
    told: list[int] = []
    result = reproduce(9, 3, tmp_path, told)
    assert (result.games, result.different, sum(told)) == (10, 0, 10)
    assert all(row.longest >= 1 and row.moves >= row.games for row in result.comparisons)
    told.clear()
    assert reproduce(9, 3, tmp_path, told).as_dict() == result.as_dict()
    assert told == [10]
    check_refused("games 5, not 6", reproduce, 12, 3, tmp_path, told)


@pytest.mark.usefixtures("few")
def test_a_difference_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    given = measure.both

    def other(form: dict[str, int]) -> tuple[Any, Any]:
        return given(form)[0], given(form | {"lives": form["lives"] + 1})[1]

    monkeypatch.setattr(measure, "both", other)
    result = reproduce(4, 0, tmp_path, [])
    assert result.different == 4 and result.comparisons[0].different == [0, 1]
    assert result.comparisons[0].first.startswith("the vector of seat 0: ")
    assert "4 differ" in str(result) and f"Game 0 of {result.comparisons[0].form}, random: the vector" in str(result)
    status, out, _ = run(
        capsys, "reproduce", "openspiel", "hanabi", "--games", "4", "--workers", "1", "--out", str(tmp_path), "--json"
    )
    assert (status, json.loads(out)) == (1, result.as_dict())


def test_another_size_is_no_such_game(monkeypatch: pytest.MonkeyPatch) -> None:
    given = measure.both
    monkeypatch.setattr(measure, "both", lambda form: (given(form)[0], given({"players": 3})[1]))
    check_refused("hanabi has 20 actions of 2 players, unlike OpenSpiel's", Beside, {"players": 2}, at_random)


@pytest.mark.usefixtures("few")
def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("reproduce", "openspiel", "hanabi", "--games", "4", "--workers", "1", "--out", str(tmp_path / "run"))
    status, out, _ = run(capsys, *words, "--json")
    figures = json.loads(out)
    assert status == 0
    assert (figures["game"], figures["games"], figures["different"], figures["seed"]) == ("hanabi", 4, 0, 0)
    status, out, _ = run(capsys, *words, "--report", str(tmp_path / "report.md"))
    assert status == 0 and "none differ" in out
    text = (tmp_path / "report.md").read_text()
    assert "`cardenvs reproduce openspiel hanabi --games 4 --seed 0 --report FILE`" in text


def test_without_openspiel_the_command_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("cardenvs.plugins.installed", lambda module: module != "pyspiel")
    status, _, err = run(capsys, "reproduce", "openspiel", "hanabi")
    assert status == 2
    assert "games beside OpenSpiel's: the package open_spiel is missing" in err and "Traceback" not in err

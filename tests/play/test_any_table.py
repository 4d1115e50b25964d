"""Tables in text for games that have no picture of their own, and for forms of games."""

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cardenvs import get_game
from cardenvs.contract.loops import RUNNING, TRUNCATED
from cardenvs.contract.spec import GameSpec
from cardenvs.play import HUMAN, Table
from cardenvs.play.command import resume_rooms
from cardenvs.play.hints import default_adviser
from cardenvs.play.seatview import replay_views, seat_view
from cardenvs.play.table_setup import default_seats
from cardenvs.play.web.room import Room
from tests.helpers.boards import many, typed
from tests.helpers.toys import TOYS, toy

pytestmark = pytest.mark.usefixtures("toys")
NAMES = [pytest.param(spec.name, marks=pytest.mark.slow if spec.name == "ladder" else ()) for spec in TOYS]


def at_terminal(table: Table, folder: Path, deals: int, by_number: bool) -> tuple[str, list[str]]:
    """Plays a person's first legal actions to the end of some deals: what was printed, and what was typed."""
    words: list[str] = []

    def read() -> str | None:
        if table.to_act is None:
            return "" if len(table.earlier) + 1 < deals else None
        word = seat_view(table, table.to_act)["legal"][0]["action"]
        words.append("1" if by_number and not word.isdecimal() else word)
        return words[-1]

    return typed(table, folder, read, width=200), words


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("by_number", [True, False])
def test_a_deal_by_typing(name: str, by_number: bool, tmp_path: Path) -> None:
    spec = toy(name)
    table = Table(spec, [HUMAN] + ["random"] * (spec.seats - 1), seed=3, repeatable=True)
    text, words = at_terminal(table, tmp_path, deals=2, by_number=by_number)
    assert "No: " not in text and "Traceback" not in text
    assert words and text.count("which action?") == len(words)
    assert table.over != RUNNING and len(table.earlier) == 1
    for line in spec.drawing(table.state[0], None).splitlines():
        assert line.strip() in text
    loaded = Table.from_text((tmp_path / "kept.txt").read_text(), source="kept")
    assert loaded.line == table.line


@pytest.mark.parametrize("name", NAMES)
def test_a_seat_is_shown_what_it_may_see(name: str) -> None:
    spec = toy(name)
    table = Table(spec, [HUMAN] * spec.seats, seed=5, repeatable=True)
    while table.to_act is not None:
        for seat in range(spec.seats):
            view = json.loads(json.dumps(seat_view(table, seat)))
            assert view["drawing"] == spec.drawing(table.state[0], seat)
            assert len(view["log"]) == len(table.events)
            if spec.kernels.side is not None:
                assert {one["side"] for one in view["seats"]} == {None}, "roles are secret"
        assert "while people play" in seat_view(table, None)["drawing"]
        table.act(table.to_act, table.legal()[-1])
    view = seat_view(table, 0)
    assert view["drawing"] == spec.drawing(table.state[0], None)
    assert view["log"][-1] == view["result"]["text"]
    assert len(replay_views(table, 0)) == len(table.events) + 1


@pytest.mark.parametrize("make", [lambda: dataclasses.replace(toy("ladder"), max_decisions=7), lambda: many(2, limit=7)])
def test_a_deal_without_an_end_is_cut_off(make: Callable[[], GameSpec]) -> None:
    spec = make()
    table = Table(spec, ["random"] * spec.seats, seed=1, repeatable=True)
    while table.to_act is not None:
        table.act(table.to_act, table.legal()[-1])
    assert table.over == TRUNCATED and table.decisions == 7
    result = seat_view(table, None)["result"]
    assert "cut off after 7" in result["text"] and result["winner"] is None
    assert not table.legal()
    table.next_deal()
    assert table.over == RUNNING


@pytest.mark.parametrize("name", NAMES)
def test_hints_and_default_players(name: str, tmp_path: Path) -> None:
    spec = toy(name)
    assert default_seats(spec) == [HUMAN] + ["pipmc"] * (spec.seats - 1) and default_adviser(spec) == "pipmc"
    table = Table(spec, [HUMAN] * spec.seats, seed=3, repeatable=True)
    text = typed(table, tmp_path, iter([" ", "hint random", "nonsense", "help"]), width=200)
    assert "No: 'nonsense' is no call now" in text and "Traceback" not in text


def test_tables_are_resume_rooms_as_the_form_that_was_played(tmp_path: Path) -> None:
    names = ("hanabi", "hanabi:players=3")
    for name in names:
        game = get_game(name)
        room = Room(Table(game, ["human", *["random"] * (game.seats - 1)], seed=1), tmp_path)
        assert room.file is not None
        room.file.write_text(room.file_text())
    assert sorted(path.name.rpartition("-")[0] for path in tmp_path.iterdir()) == ["hanabi", "hanabi-players-3"]
    for name in names:
        assert [room.table.game.name for room in resume_rooms(get_game(name), tmp_path, None)] == [name]


def test_partners_play_every_form() -> None:
    for name in ("hanabi", "hanabi:players=5", "hanabi:hand_size=1,information=0"):
        table = Table(get_game(name), ["piers", *default_seats(get_game(name))[1:]], seed=1)
        for _ in range(5):
            table.act(*table.policy_move())

"""Tables in text for games that have no picture of their own."""

from __future__ import annotations

import dataclasses
import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from cardenvs.contract.loops import RUNNING, TRUNCATED
from cardenvs.play import HUMAN, Table, run_terminal
from cardenvs.play.hints import default_adviser
from cardenvs.play.seatview import replay_views, seat_view
from cardenvs.play.table_setup import default_seats
from tests.helpers.toys import TOYS, toy

pytestmark = pytest.mark.usefixtures("toys")
NAMES = [pytest.param(spec.name, marks=pytest.mark.slow if spec.name == "ladder" else ()) for spec in TOYS]


def at_terminal(table: Table, folder: Path, deals: int = 1, by_number: bool = True) -> tuple[int, str, list[str]]:
    """Plays a person's first legal actions to the end of some deals: the status, what was printed, what was typed."""
    out, typed = io.StringIO(), []

    def read() -> str:
        if table.to_act is None:
            if len(table.earlier) + 1 >= deals:
                raise EOFError
            return ""
        word = seat_view(table, table.to_act)["legal"][0]["action"]
        typed.append("1" if by_number and not word.isdecimal() else word)
        return typed[-1]

    console = Console(file=out, width=200)
    status = run_terminal(table, pause=0, path=folder / "kept.txt", console=console, read=read)
    return status, out.getvalue(), typed


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("by_number", [True, False])
def test_a_deal_by_typing(name: str, by_number: bool, tmp_path: Path) -> None:
    spec = toy(name)
    table = Table(spec, [HUMAN] + ["random"] * (spec.seats - 1), seed=3, repeatable=True)
    status, text, typed = at_terminal(table, tmp_path, deals=2, by_number=by_number)
    assert status == 0 and "No: " not in text and "Traceback" not in text
    assert typed and text.count("which action?") == len(typed)
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


def test_a_deal_without_an_end_is_cut_off() -> None:
    spec = dataclasses.replace(toy("ladder"), max_decisions=7)
    table = Table(spec, ["random"] * spec.seats, seed=1, repeatable=True)
    while table.to_act is not None:
        table.act(table.to_act, table.legal()[-1])
    assert table.over == TRUNCATED and len(table.events) == 7
    result = seat_view(table, None)["result"]
    assert "cut off" in result["text"] and result["winner"] is None
    assert not table.legal()
    table.new_deal()
    assert table.over == RUNNING


@pytest.mark.parametrize("name", NAMES)
def test_hints_and_default_players(name: str, tmp_path: Path) -> None:
    spec = toy(name)
    assert default_seats(spec) == [HUMAN] + ["pipmc"] * (spec.seats - 1) and default_adviser(spec) == "pipmc"
    table = Table(spec, [HUMAN] * spec.seats, seed=3, repeatable=True)
    lines = iter([" ", "hint random", "nonsense", "help"])
    out = io.StringIO()
    run_terminal(
        table,
        pause=0,
        path=tmp_path / "kept.txt",
        console=Console(file=out, width=200),
        read=lambda: next(lines, None) or _end(),
    )
    text = out.getvalue()
    assert "No: 'nonsense' is no call now" in text and "Traceback" not in text


def _end() -> str:
    raise EOFError

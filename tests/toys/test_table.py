"""The toy games at the table in text: whole deals by typing, and only what the seat may see on the screen."""

import io
import random
from pathlib import Path

import pytest
from rich.console import Console

from cardenvs.contract.loops import DEAL_OVER
from cardenvs.contract.registry import register_game
from cardenvs.contract.spec import GameSpec
from cardenvs.play import HUMAN, Table, run_terminal
from tests.helpers.toys import MARKED_TOYS
from tests.toys import climb


@pytest.mark.parametrize("people", [1, 2])
@pytest.mark.parametrize("toy", [*MARKED_TOYS, climb.SPEC], ids=lambda spec: spec.name)
def test_a_deal_is_played_by_typing(toy: GameSpec, people: int, tmp_path: Path) -> None:
    register_game(toy)
    seats = [HUMAN if seat < people else "random" for seat in range(toy.seats)]
    table = Table(toy, seats, seed=5, repeatable=True)
    out, choose = io.StringIO(), random.Random(3)
    looked = drawn = 0

    def read() -> str:
        nonlocal looked, drawn
        chunk = out.getvalue()[looked:]
        looked = len(out.getvalue())
        if "press Enter when only you" in chunk:
            return ""
        if table.to_act is None:
            raise EOFError
        drawing = toy.drawing(table.state[0], table.to_act)
        lines = {line.strip() for line in chunk.splitlines()}
        drawn += {line.strip() for line in drawing.splitlines()} <= lines
        for line in toy.drawing(table.state[0], None).splitlines():
            assert line in drawing.splitlines() or line.strip() not in lines, "a seat is shown what it may not see"
        action = choose.choice(table.legal())
        return choose.choice([toy.actions[action], toy.actions[action].upper()])

    console = Console(file=out, width=200)
    path = tmp_path / "kept.txt"
    assert run_terminal(table, pause=0, path=path, console=console, read=read) == 0
    assert table.to_act is None
    assert drawn > 0
    assert table.over == DEAL_OVER or toy.is_over(table.state[0])
    again = Table.from_text(path.read_text())
    assert again.game.name == toy.name and again.state[0] == table.state[0]

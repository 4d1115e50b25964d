"""Descriptions that nobody would write: each is a game, or an error with its place and a number, at once."""

from __future__ import annotations

import pytest

from cardenvs.recycle import RecycleError, parse
from cardenvs.recycle.layout import Layout
from cardenvs.recycle.module import Module
from tests.helpers.descriptions import framed

PASS = "(choice ((turn pass)))"
NAMES = [chr(65 + k // 26) + chr(65 + k % 26) for k in range(100)]


def written(script: str) -> None:
    """Writes the module of a game, and has Python compile it."""
    compile(Module(Layout(parse(framed(script)))).text(), "module", "exec")


def nested(count: int, around: str, inner: str) -> str:
    """A text put so many times into another one, with a variable of its own each time."""
    for name in NAMES[:count]:
        inner = around.replace("NAME", name).replace("INNER", inner)
    return inner


def test_filters_within_filters() -> None:
    cards = nested(40, "(filter INNER 'NAME (== (cardatt RANK 'NAME) ONE))", "((current player) iloc HAND)")
    written(f"(choice ((any {cards} 'C (move 'C (top (game vloc SHOWN))))))")


def test_variables_made_of_variables() -> None:
    inner = f"(any '{NAMES[29]} 'C (move 'C (top (game vloc SHOWN))))"
    for k in reversed(range(30)):
        value = f"(union '{NAMES[k - 1]} '{NAMES[k - 1]})" if k else "((current player) iloc HAND)"
        inner = f"(let {value} '{NAMES[k]} {inner})"
    written(f"(choice ({inner}))")


def test_long_conditions() -> None:
    tests = " ".join(f"(!= (game sto N) {k})" for k in range(1, 500))
    written(f"((and {tests}) (inc (game sto N) 1)) {PASS}")


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (nested(20, "(all (range 1 .. 1) 'NAME INNER)", "(turn pass)") + PASS, "at most 18 loops"),
        (PASS * 101, "101 choices in a game: at most 100"),
        (f"(choice ({'(turn pass) ' * 101}))", "101 alternatives in a choice: at most 100"),
        (f"(stage player (end (== 1 1)) {PASS})" * 101, "101 stages in a game: at most 100"),
        (f"(inc (game sto (game str T)) 1) {PASS}", "can be no name"),
    ],
)
def test_limits(script: str, message: str) -> None:
    with pytest.raises(RecycleError, match=message) as error:
        written(script)
    assert error.value.at != (1, 1)

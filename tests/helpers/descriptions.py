"""Small descriptions for tests: a frame around what a test is about, and texts in which a position is marked."""

from typing import Any

import pytest

from cardenvs.recycle import Description, RecycleError, parse, walk
from cardenvs.recycle.language import syntax
from tests.naive.recycle import Card, Game

SETUP = """(setup (create players 3)
  (create deck (game iloc STOCK) (deck (RANK (ACE, TWO, THREE)) (SUIT (CLUBS, HEARTS)))))"""
"""Three players and six cards: ACE CLUBS, ACE HEARTS, TWO CLUBS .., the last on top."""

SCORING = "(scoring max ((current player) sto SCORE))"

MAP = "(set (game points VALUE) (((RANK : ACE) 1) ((RANK : TWO) 2) ((RANK : THREE) 3)))"
"""An act that sets a map."""


def framed(script: str, setup: str = SETUP, scoring: str = SCORING, declared: str = "") -> str:
    """A description with a script of its own."""
    return f"(game\n {declared}\n {setup}\n {script}\n {scoring})"


def marked(text: str) -> tuple[str, int, int]:
    """A text without the ``@`` in it, with the line and column where it was."""
    before, mark, after = text.partition("@")
    assert mark and "@" not in after
    return before + after, before.count("\n") + 1, len(before) - before.rfind("\n")


def refused(text: str) -> RecycleError:
    """The error of a text in which ``@`` marks where it must be found."""
    plain, line, column = marked(text)
    with pytest.raises(RecycleError) as caught:
        parse(plain)
    error = caught.value
    assert (error.line, error.column) == (line, column), f"{line}:{column} is marked, but: {error}"
    return error


def described_by(script: str, **frame: str) -> Description:
    """A description with a script of its own."""
    return parse(framed(script, **frame))


def game_of(script: str, seed: int = 0, **frame: str) -> Game:
    """A game of a script of its own, at its first choice or over."""
    return Game(described_by(script, **frame), seed)


def done(*acts: str, **frame: str) -> Game:
    """A game that does some acts and is over."""
    game = Game(described_by(f"(do ({' '.join(acts)}))", **frame), 0)
    assert game.over
    return game


def value_of(expression: str, *acts: str, **frame: str) -> Any:
    """What an expression is worth after some acts; cards are texts, their values in the order of their attributes."""
    game = done(*acts, f"(let {expression} 'IT (turn pass))", **frame)
    *_, let = (node for node in walk(game.description) if isinstance(node, syntax.Let))
    return shown(game.value(let.value, game.constants))


def shown(value: Any) -> Any:
    """A value with cards as texts."""
    if isinstance(value, list):
        return [shown(item) for item in value]
    return repr(value) if isinstance(value, Card) else value


def play(game: Game, *path: int) -> Game:
    """The same game, after options were taken by their numbers."""
    for index in path:
        game.play(index)
    return game

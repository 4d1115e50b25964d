"""One function for all games of tricks in place of one for each: it is compiled with a game's own rules."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TypeVar

from cardenvs.contract.kernels import Kernels
from cardenvs.contract.kinds import TrickGame
from cardenvs.contract.spec import GameSpec

T = TypeVar("T")


def for_trick_games(make: Callable[[GameSpec, TrickGame], T]) -> Callable[[GameSpec], T]:
    """A decorator for a function that makes something of a game of tricks and its kind: it is made once for each game.

    The game is given without recall: agents and searches decide by views that have no order of play.

    Returns:
        A function of a game of tricks.
    """
    made: dict[Kernels, T] = {}

    @functools.wraps(make)
    def of(game: GameSpec) -> T:
        """The thing that was made for a game."""
        kernels = game.plain.kernels
        if kernels not in made:
            assert game.trick_game is not None
            made[kernels] = make(game.plain, game.trick_game)
        return made[kernels]

    return of

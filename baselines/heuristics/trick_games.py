"""One function for all games of tricks: it is compiled once for each game's own rules."""

import functools
from collections.abc import Callable
from typing import TypeVar

from cardenvs.contract.kernels import Kernels
from cardenvs.contract.kinds import TrickGame
from cardenvs.contract.spec import GameSpec

T = TypeVar("T")


def for_trick_games(make: Callable[[GameSpec, TrickGame], T]) -> Callable[[GameSpec], T]:
    """A decorator for a function of a game of tricks, without recall, and its kind; results are made once for each game."""
    made: dict[Kernels, T] = {}

    @functools.wraps(make)
    def made_for(game: GameSpec) -> T:
        kernels = game.plain.kernels
        if kernels not in made:
            assert game.trick_game is not None
            made[kernels] = make(game.plain, game.trick_game)
        return made[kernels]

    return made_for

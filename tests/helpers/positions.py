"""Positions as a seat sees them: observations, action masks, views."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from cardenvs import GameSpec, get_game
from cardenvs.contract.fields import Games


def rows_of(game: str | GameSpec, games: Games) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    """The observation and the action mask of the seat to act in the first of some games, as batches of one."""
    spec = get_game(game)
    mask = spec.mask(spec.legal(games))
    return spec.observation(games, int(games[0]["to_act"]))[None], mask[None]


def observation_of(game: str | GameSpec, games: Games) -> dict[str, npt.NDArray[np.int8]]:
    """What the seat to act in the first of some games observes, as a PettingZoo environment gives it."""
    rows, masks = rows_of(game, games)
    return {"observation": rows[0], "action_mask": masks[0]}


def observation_in(line: str) -> dict[str, npt.NDArray[np.int8]]:
    """What the seat to act observes in the position that a line of `GameSpec.text` describes."""
    spec = get_game(line.partition(" ")[0])
    return observation_of(spec, spec.parse(line))


def view_of(game: str | GameSpec, games: Games, seat: int) -> Games:
    """The view of a seat in the first of some games: a structured array (1,)."""
    spec = get_game(game)
    views = spec.new_games(1)
    spec.kernels.view(games, 0, seat, views, 0)
    return views


def redealt(spec: GameSpec, views: Games, streams: npt.NDArray[np.uint64], count: int = 1) -> Iterator[Games]:
    """Worlds that are drawn for a view, one after the other in the same record; each must be found."""
    dealt = spec.new_games(1)
    for _ in range(count):
        spec.kernels.redeal(views, 0, streams, 0, dealt, 0)
        assert spec.kernels.fits is None or spec.kernels.fits(dealt, 0)
        yield dealt

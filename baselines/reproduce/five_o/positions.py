"""Positions of Five-O in which chances are compared: from games of greedy2 against itself."""

from __future__ import annotations

import numpy as np

from cardenvs import policy
from cardenvs.baselines.reproduce.five_o.settings import ROWS
from cardenvs.compiled.bits import Bytes
from cardenvs.compiled.streams import seed_streams
from cardenvs.envs.batch import Batch
from cardenvs.games import five_o

_TURNS = 10
"""Turns in which a row is filled, five of each player."""
_FREE_TURNS = 8
"""Turns of a row that leave a choice: all but the last two."""


def positions(row: int, count: int, seed: int, every_turn: bool = False) -> tuple[Bytes, Bytes]:
    """Positions of one row, each from another game.

    Args:
        row: the row that is being filled, 2 to 5.
        count: number of positions.
        seed: seed of the games, int >= 0.
        every_turn: False takes the first turn of the row, when all five columns are open; True takes the row's turns that
            leave a choice, one after the other.

    Returns:
        Observations, int8 (count, observation_size), and action masks, int8 (count, 5).
    """
    batch = Batch(five_o.SPEC, count, seed=seed, restart=False)
    player, streams = policy.make(five_o.SPEC, "greedy2"), seed_streams((seed + 1) % 2**64, count)
    observations, masks = np.empty_like(batch.observations), np.empty_like(batch.action_masks)
    first = _TURNS * (row - ROWS[0])
    wanted = first + (np.arange(count) % _FREE_TURNS if every_turn else np.zeros(count, np.int64))
    for turn in range(first + _FREE_TURNS):
        here = wanted == turn
        observations[here], masks[here] = batch.observations[here], batch.action_masks[here]
        batch.step(player.choose(batch.observations, batch.action_masks, streams))
    return observations, masks

"""A policy that plays at random."""

from typing import Any

import numpy as np

from cardenvs.checks import check_bool
from cardenvs.compiled.bits import Bytes, Ints, Streams
from cardenvs.compiled.jit import kernel
from cardenvs.compiled.streams import below
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.contract import Policy


@kernel
def _random_actions(weights: Any, streams: Streams, out: Ints) -> None:
    """Writes a random action of each row to ``out``, by the actions' weights, ints of shape (n, num_actions)."""
    for row in range(len(out)):
        count = 0
        for action in range(weights.shape[1]):
            count += weights[row, action]
        pick = below(streams, row, count)
        for action in range(weights.shape[1]):
            pick -= weights[row, action]
            if pick < 0:
                out[row] = action
                break


class RandomPolicy(Policy):
    """``random``: a legal action at random, every one equally likely.

    Args:
        choices: whether an action is as likely as the number of a player's choices that it stands for
            (`cardenvs.contract.kernels.Kernels.multiplicity`). In most games each action is one choice.

    Raises:
        ValueError: a wrong parameter.
    """

    def __init__(self, game: str | GameSpec, choices: bool = False) -> None:
        super().__init__(game)
        self.choices = check_bool("choices", choices)

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        """Returns a random legal action for each row, int64 (n,)."""
        weights: Any = action_masks
        if self.choices and self.game.kernels.multiplicity is not None:
            weights = np.zeros(action_masks.shape, np.int64)
            self.game.kernels.batch_multiplicities(self.game.decode(observations), action_masks, weights)
        out = np.empty(len(action_masks), np.int64)
        _random_actions(weights, streams, out)
        return out

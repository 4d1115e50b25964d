"""Actors: the networks of trained policies as they play, compiled, from observations to actions, without torch.

`cardenvs.train.inference.plain_actor` and `cardenvs.train.inference.column_actor` are the two kinds; here is what they have
in common. `cardenvs.train.learning.network` has the same networks as they learn; tests hold the two together.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np
import numpy.typing as npt

from cardenvs.compiled.bits import Bytes, Floats, Ints, Streams, lowest, nonzero
from cardenvs.compiled.jit import helper
from cardenvs.compiled.streams import below
from cardenvs.policy.contract import mask_bits

Weights = Mapping[str, npt.NDArray[np.float32]]
"""A network's weights and biases, float32, by the names that torch gives them."""

HIDDEN, OUTPUT = "mlp_extractor.policy_net", "action_net"
"""The beginnings of the names of the actor's weights: in its hidden layers, and in its last layer."""
ACTOR_PARTS = (HIDDEN, OUTPUT)
"""The beginnings of the names of all the actor's weights."""
_UNIT = 1 << 30  # a number below it is drawn for a number between 0 and 1


class Actor(Protocol):
    """A network that plays."""

    def named_weights(self) -> dict[str, Floats]:
        """The network's weights and biases, float32, by the names that the network was made with."""

    def logits(self, observations: Bytes) -> Floats:
        """The network's logit for each action, float32 (n, num_actions), before the softmax.

        Args:
            observations: int8 (n, observation_size), as the network knows them: with canonical suits if it was trained so.
        """

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams, sample: bool) -> Ints:
        """A legal action in each position, int64 (n,): the likeliest, or one drawn; 0 where there is none.

        Args:
            observations: int8 (n, observation_size), as the game shows them.
            action_masks: int8 (n, num_actions).
            streams: uint64 (n,), random streams, which are drawn from only to ``sample`` among several actions.
            sample: draw by the network's probabilities (SB3's ``deterministic=False``).
        """


@helper
def list_legal(masks: Bytes, row: int, legal: Ints) -> int:
    """Lists the legal actions of one position, ascending; returns how many there are.

    Args:
        masks: int8 (n, num_actions).
        row: the position.
        legal: int64 (num_actions,), written to.
    """
    if masks.shape[1] > 63:
        return nonzero(masks, row, 0, masks.shape[1], legal, 0)
    count = 0
    bits = mask_bits(masks, row)
    while bits != 0:
        legal[count] = lowest(bits)
        count += 1
        bits &= bits - 1
    return count


@helper
def pick_action(logits: Floats, legal: Ints, count: int, sample: bool, streams: Streams, row: int) -> int:
    """Chooses among legal actions by their logits: the highest one's action, or one drawn by the softmax.

    Args:
        logits: float32, of each of the ``legal`` actions in their order; overwritten when drawing.
        legal: int64, the actions.
        count: how many entries of both arrays are in use, at least 1.
        sample: draw an action instead of taking the first of those with the highest logit.
        streams: uint64 (n,), random streams, advanced only when drawing.
        row: the position, whose stream is drawn from.
    """
    best = 0
    for k in range(1, count):
        if logits[k] > logits[best]:
            best = k
    if not sample:
        return int(legal[best])
    highest, total = logits[best], 0.0
    for k in range(count):
        logits[k] = np.exp(logits[k] - highest)
        total += logits[k]
    left = (below(streams, row, _UNIT) + 0.5) / _UNIT * total
    for k in range(count):
        left -= logits[k]
        if left <= 0.0:
            return int(legal[k])
    return int(legal[best])

"""Actors: compiled networks of trained policies, from observations to actions; tests hold them to those that learn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np
import numpy.typing as npt

from cardenvs.compiled.bits import Bytes, Floats, Ints, Streams, lowest, nonzero
from cardenvs.compiled.jit import helper
from cardenvs.compiled.streams import below
from cardenvs.policy.contract import mask_bits

Weights = Mapping[str, npt.NDArray[np.float32]]  # weights and biases by torch's names

HIDDEN, OUTPUT = "mlp_extractor.policy_net", "action_net"  # prefixes of the names of the actor's weights
ACTOR_PARTS = (HIDDEN, OUTPUT)  # the beginnings of the names of all the actor's weights
_UNIT = 1 << 30  # a number below it is drawn for a number between 0 and 1


class Actor(Protocol):
    """A network that plays."""

    def named_weights(self) -> dict[str, Floats]:
        """The network's weights and biases, float32, by the names that the network was made with."""

    def logits(self, observations: Bytes) -> Floats:
        """Returns the logit of each action, float32 (n, num_actions); observations have canonical suits if training had."""

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams, sample: bool) -> Ints:
        """Chooses a legal action in each row, int64 (n,): the likeliest, or with ``sample`` one drawn; 0 if none.
        Observations are as the game shows them; streams are drawn from only to sample among several actions."""


@helper
def list_legal(masks: Bytes, row: int, legal: Ints) -> int:
    """Lists the legal actions of a row in ``legal``, int64 (num_actions,), ascending; returns their number."""
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
    """Returns one of ``count`` legal actions: the first of the highest logit, or with ``sample`` one drawn by the softmax.
    ``logits`` are those of the ``legal`` actions, in their order; overwritten when drawing from the stream of ``row``."""
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

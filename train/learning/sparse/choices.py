"""Choices of a network while it plays to learn: legal actions drawn by its logits, in compiled code."""

from __future__ import annotations

import math

import numpy as np

from cardenvs.compiled.bits import Bytes, Floats, Ints
from cardenvs.compiled.jit import kernel


@kernel
def _draw(logits: Floats, masks: Bytes, draws: Floats, actions: Ints, log_probs: Floats) -> None:
    """Writes an action of every row to ``actions``, and its log-probability; the arguments are those of `draw_actions`."""
    for row in range(len(logits)):
        highest = -np.inf
        for action in range(masks.shape[1]):
            if masks[row, action] != 0 and logits[row, action] > highest:
                highest = logits[row, action]
        total = 0.0
        for action in range(masks.shape[1]):
            if masks[row, action] != 0:
                total += math.exp(logits[row, action] - highest)
        left, chosen = draws[row] * total, -1
        for action in range(masks.shape[1]):
            if masks[row, action] != 0:
                share = math.exp(logits[row, action] - highest)
                # What rounding leaves over at the end goes to the last action that has a chance.
                if share > 0.0:
                    chosen = action
                left -= share
                if left < 0.0:
                    break
        actions[row] = chosen
        log_probs[row] = logits[row, chosen] - highest - math.log(total)


def draw_actions(logits: Floats, masks: Bytes, draws: Floats) -> tuple[Ints, Floats]:
    """Draws a legal action of every row by the softmax over the legal ones.

    Args:
        logits: float32 (n, num_actions), finite.
        masks: int8 (n, num_actions), the legal actions, at least one in each row.
        draws: float64 (n,), numbers from 0 to below 1, drawn at random.

    Returns:
        The actions, int64 (n,), and their log-probabilities, float32 (n,).
    """
    actions, log_probs = np.empty(len(logits), np.int64), np.empty(len(logits), np.float32)
    _draw(logits, masks, draws, actions, log_probs)
    return actions, log_probs

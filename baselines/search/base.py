"""Base class of all searching policies, and functions for their parameters and masks."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from cardenvs.checks import check_number
from cardenvs.compiled.bits import Bytes, Ints
from cardenvs.policy.contract import ScoredPolicy


def check_seconds(seconds: Any) -> float | None:
    """The parameter ``seconds`` of a search: a float above 0, or None for no budget of time; else raises ValueError."""
    return None if seconds is None else check_number("seconds", seconds, above=True)


def action_set(action_mask: Bytes, words: int) -> Ints:
    """The legal actions of a row's mask, int8 (num_actions,), as kernels have them, int64 (words,), a bit each."""
    bits = np.zeros(64 * words, np.uint8)
    bits[: len(action_mask)] = action_mask
    return np.packbits(bits, bitorder="little").view("<i8").astype(np.int64)


class SearchPolicy(ScoredPolicy):
    """A policy that searches: it re-deals the hidden cards, or counts their possible places, and looks ahead."""

    games: ClassVar[tuple[str, ...] | None] = ("euchre", "whist")
    slow = True

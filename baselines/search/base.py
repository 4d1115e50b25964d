"""Base class of all searching policies, and functions for their parameters and masks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from cardenvs.checks import check_number
from cardenvs.compiled.bits import Bytes, Ints
from cardenvs.compiled.waiting import clock
from cardenvs.policy.contract import ScoredPolicy
from cardenvs.policy.explanation import Scores

ROWS = 64  # rows searched in one call of a kernel; between calls Python may be interrupted


def check_seconds(seconds: Any) -> float | None:
    """The parameter ``seconds`` of a search: a float above 0, or None for no budget of time; else raises ValueError."""
    return None if seconds is None else check_number("seconds", seconds, above=True)


def action_set(action_mask: Bytes, words: int) -> Ints:
    """The legal actions of a row's mask, int8 (num_actions,), as kernels have them, int64 (words,), a bit each."""
    bits = np.zeros(64 * words, np.uint8)
    bits[: len(action_mask)] = action_mask
    return np.packbits(bits, bitorder="little").view("<i8").astype(np.int64)


def spend_budget(
    search: Callable[[Ints, int], None], rows: Ints, count: int, seconds: float | None, chunk: int, drawn: Scores
) -> None:
    """Calls ``search(rows, worlds)`` for ``count`` worlds, or in chunks for ``seconds`` a row; counts in ``drawn``."""
    if seconds is None:
        for start in range(0, len(rows), ROWS):
            search(rows[start : start + ROWS], count)
        drawn[rows] = count
        return
    for k in range(len(rows)):
        end = clock() + seconds
        while drawn[rows[k]] == 0 or clock() < end:
            search(rows[k : k + 1], chunk)
            drawn[rows[k]] += chunk


class SearchPolicy(ScoredPolicy):
    """A policy that searches: it re-deals the hidden cards, or counts their possible places, and looks ahead."""

    games: ClassVar[tuple[str, ...] | None] = ("euchre", "whist")
    slow = True

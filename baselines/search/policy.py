"""What all searching policies have in common."""

from __future__ import annotations

from typing import Any, ClassVar

from cardenvs.checks import check_number
from cardenvs.policy import ScoredPolicy


def check_seconds(seconds: Any) -> float | None:
    """The parameter ``seconds`` of a search: a number above 0, as a float, or None for no budget of time.

    Raises:
        ValueError: another value.
    """
    return None if seconds is None else check_number("seconds", seconds, above=True)


class SearchPolicy(ScoredPolicy):
    """A policy that searches: it re-deals the hidden cards, or counts their possible places, and looks ahead."""

    games: ClassVar[tuple[str, ...] | None] = ("euchre", "whist")
    slow = True

"""What the searching agents share: parameters and their checks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from cardenvs.policy import ScoredPolicy


def check_count(name: str, value: Any) -> int:
    """``value`` if it is an int of at least 1.

    Raises:
        ValueError: it is not; names the parameter.
    """
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise ValueError(f"{name} must be an int of at least 1, not {value!r}")
    return int(value)


def check_worlds(worlds: Any) -> int:
    """`check_count` of the parameter ``worlds``."""
    return check_count("worlds", worlds)


def check_seconds(seconds: Any) -> float:
    """``seconds`` as a float if it is a number above 0.

    Raises:
        ValueError: it is not.
    """
    number = isinstance(seconds, (int, float, np.integer, np.floating)) and not isinstance(seconds, bool)
    if not number or not 0 < seconds < math.inf:
        raise ValueError(f"seconds must be a number above 0, not {seconds!r}")
    return float(seconds)


def check_choice(name: str, value: Any, allowed: Mapping[str, int]) -> int:
    """The number that ``allowed`` gives to ``value``.

    Raises:
        ValueError: not one of them; names the parameter and what is allowed.
    """
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, not {value!r}")
    return allowed[value]


class SearchPolicy(ScoredPolicy):
    """A policy that deals the hidden cards out again, or counts them, and looks ahead."""

    games: ClassVar[tuple[str, ...] | None] = ("euchre", "whist")
    slow = True

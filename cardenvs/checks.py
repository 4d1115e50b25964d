"""Checks of arguments: numbers, choices, batches of observations.

Each check raises a ValueError that names the argument, what is allowed and the value.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
import numpy.typing as npt

from cardenvs.suggestions import did_you_mean

if TYPE_CHECKING:
    from cardenvs.spec import GameSpec


def is_int(value: Any) -> TypeGuard[int]:
    """Whether a value is an int, Python's or NumPy's; a bool does not count as an int."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def is_number(value: Any) -> TypeGuard[float]:
    """Whether a value is an int or a float, Python's or NumPy's, infinity and nan included; a bool does not count."""
    return is_int(value) or isinstance(value, (float, np.floating))


def check_int(name: str, value: Any, least: int, most: int | None = None) -> int:
    """Checks that an argument is an int within bounds; returns a Python int.

    Args:
        name: the argument's name, for the message.
        value: the argument.
        least: the smallest int that is allowed.
        most: the greatest int that is allowed; None for no bound.

    Raises:
        ValueError: the argument is no int, or out of bounds.
    """
    if not is_int(value) or value < least or (most is not None and value > most):
        allowed = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise ValueError(f"{name} must be an int {allowed}, not {value!r}")
    return int(value)


def check_number(name: str, value: Any, low: float = 0, high: float = math.inf, above: bool = False) -> float:
    """Checks that an argument is a finite number within bounds; returns a Python float.

    Args:
        name: the argument's name, for the message.
        value: the argument.
        low: the smallest number that is allowed.
        high: the greatest number that is allowed; infinity for no bound.
        above: whether ``low`` itself is not allowed.

    Raises:
        ValueError: the argument is no number, not finite, or out of bounds.
    """
    if not is_number(value) or not math.isfinite(value) or not low <= value <= high or (above and value == low):
        allowed = f"above {low}" if above else f"of at least {low}"
        allowed += "" if high == math.inf else f" and at most {high}"
        raise ValueError(f"{name} must be a number {allowed}, not {value!r}")
    return float(value)


def check_choice(name: str, value: Any, allowed: Iterable[Any]) -> None:
    """Checks that an argument is one of the allowed values.

    Args:
        name: the argument's name, for the message.
        value: the argument.
        allowed: the values that are allowed.

    Raises:
        ValueError: the argument is none of them.
    """
    choices = list(allowed)
    if value not in choices:
        meant = did_you_mean(value, [choice for choice in choices if isinstance(choice, str)])
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, not {value!r}{meant}")


def check_rows(game: GameSpec, observations: Any, action_masks: Any) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    """Checks a batch of observations with their action masks.

    Args:
        game: the game's spec.
        observations: numbers of shape (n, observation_size).
        action_masks: numbers of shape (n, num_actions).

    Returns:
        The observations and the action masks as contiguous int8 arrays, as kernels take them.

    Raises:
        ValueError: a shape is not the game's, or a mask has no legal action.
    """
    rows, masks = np.ascontiguousarray(observations, np.int8), np.ascontiguousarray(action_masks, np.int8)
    n = len(rows)
    for what, array, width in (
        ("observations", rows, game.observation_size),
        ("action_masks", masks, game.num_actions),
    ):
        if array.shape != (n, width):
            raise ValueError(f"{what} of {game.name} have the shape (n, {width}), not {array.shape}")
    if not masks.any(axis=1).all():
        raise ValueError("action_masks has a row without a legal action: that seat is not to act")
    return rows, masks

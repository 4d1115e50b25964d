"""Checks of what Python passes in: numbers, choices, batches of observations. Each raises a ValueError that names the
argument, what is allowed and the value.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from cardenvs.spec import GameSpec


def is_int(value: Any) -> TypeGuard[int]:
    """Whether a value is an int, Python's or NumPy's. A bool is none."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def is_number(value: Any) -> TypeGuard[float]:
    """Whether a value is an int or a float, Python's or NumPy's, infinity and nan included. A bool is none."""
    return is_int(value) or isinstance(value, (float, np.floating))


def check_int(name: str, value: Any, least: int, most: int | None = None) -> int:
    """An argument that must be an int within bounds, as a Python int.

    Args:
        name: of the argument, for the message.
        value: the argument.
        least: the smallest that is allowed.
        most: the greatest that is allowed; None for no bound.

    Raises:
        ValueError: no int, or out of bounds.
    """
    if not is_int(value) or value < least or (most is not None and value > most):
        allowed = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise ValueError(f"{name} must be an int {allowed}, not {value!r}")
    return int(value)


def check_number(name: str, value: Any, low: float = 0, high: float = math.inf, above: bool = False) -> float:
    """An argument that must be a finite number within bounds, as a Python float.

    Args:
        name: of the argument, for the message.
        value: the argument.
        low: the smallest that is allowed.
        high: the greatest that is allowed; infinity for no bound.
        above: ``low`` itself is not allowed.

    Raises:
        ValueError: no number, not finite, or out of bounds.
    """
    if not is_number(value) or not math.isfinite(value) or not low <= value <= high or (above and value == low):
        allowed = f"above {low}" if above else f"of at least {low}"
        allowed += "" if high == math.inf else f" and at most {high}"
        raise ValueError(f"{name} must be a number {allowed}, not {value!r}")
    return float(value)


def check_choice(name: str, value: Any, allowed: Iterable[Any]) -> None:
    """Checks that an argument is one of some values.

    Raises:
        ValueError: another value.
    """
    choices = list(allowed)
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, not {value!r}")


def check_rows(game: GameSpec, observations: Any, action_masks: Any) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    """A batch of observations with their action masks, as kernels take it.

    Args:
        game: what is played.
        observations: numbers of shape (n, observation_size).
        action_masks: numbers of shape (n, num_actions).

    Returns:
        Both as contiguous int8 arrays.

    Raises:
        ValueError: shapes that are not the game's; a mask without a legal action.
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

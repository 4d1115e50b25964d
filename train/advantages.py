"""Generalised advantage estimates where several seats take turns: for each seat along its own decisions."""

from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.checks import as_array, check_ints, check_number
from cardenvs.envs.batch import Ended

Floats = npt.NDArray[np.float32]


def per_seat_gae(
    rewards: npt.ArrayLike,
    values: npt.ArrayLike,
    ended: npt.ArrayLike,
    to_act: npt.ArrayLike,
    *,
    gamma: float = 1.0,
    gae_lambda: float = 0.95,
    decided: npt.ArrayLike | None = None,
) -> tuple[Floats, Floats]:
    """Computes generalised advantage estimates and returns of a rollout of `cardenvs.Batch`, for each seat separately.

    A seat's stream consists of its own decisions. The reward of a decision is all that the seat is paid until its next
    decision, whoever acts when it is paid. Its next value is that of the seat's own next decision. The end of an episode
    closes the streams of all seats, also where the episode was cut off; the end of a deal whose game goes on closes none.

    At the end of the rollout the seat to act is closed with the value of what it sees. The last decisions of the other
    seats have neither a next decision nor an end: they are taken at their own value, with advantage 0.

    Args:
        rewards: numbers of shape (steps, n, seats): `cardenvs.Batch.rewards` after each step.
        values: numbers of shape (steps + 1, n): the critic's values of the observations before each step and, in the last
            row, after the rollout, for the seats to act. Rows without a decision do not count.
        ended: ints of shape (steps, n): `cardenvs.Batch.ended` after each step, see `cardenvs.Ended`; or bools, True where
            an episode ended.
        to_act: ints of shape (steps + 1, n): `cardenvs.Batch.to_act` before each step, and after the last; nothing is
            decided where it is -1, as after the end of an episode without ``restart``.
        gamma: discount from one decision of a seat to its next, 0 to 1.
        gae_lambda: lambda of the estimates, 0 to 1; 1 takes the rewards up to the end of the episode.
        decided: bool (steps + 1, n), False for moves to leave out of the streams, such as moves without a choice or of
            seats that another policy holds. None: all moves of a seat are decisions.

    Returns:
        Advantages and returns (advantages plus values, which the critic is to learn), each float32 (steps, n), 0 where
        nothing is decided.

    Raises:
        ValueError: other shapes, or numbers that are not allowed.

    Source: Schulman et al., High-Dimensional Continuous Control Using Generalized Advantage Estimation (2016).
    """
    paid = _typed_array("rewards", rewards)
    if paid.ndim != 3 or not paid.size:
        raise ValueError(f"rewards must have the shape (steps, n, seats), none of them 0, not {paid.shape}")
    steps, n, seats = paid.shape
    after = (steps + 1, n)
    valued = _typed_array("values", values, after)
    acting = check_ints("to_act", to_act, after)
    if not -1 <= acting.min() <= acting.max() < seats:
        wrong = acting.max() if acting.max() >= seats else acting.min()
        raise ValueError(f"to_act must be seats, 0 to {seats - 1}, or -1 for none, not {wrong}")
    over = as_array("ended", ended)
    if over.dtype == np.bool_:
        closes = _typed_array("ended", over, (steps, n), "b")
    else:
        numbers = check_ints("ended", over, (steps, n))
        if not np.isin(numbers, list(Ended)).all():
            raise ValueError(f"ended must be bools or numbers of Ended, {min(Ended)} to {max(Ended)}, not {numbers.max()}")
        closes = numbers >= Ended.EPISODE_OVER
    chosen = acting >= 0
    if decided is not None:
        chosen &= _typed_array("decided", decided, after, "b", "True or False")
    gamma, gae_lambda = check_number("gamma", gamma, 0, 1), check_number("gae_lambda", gae_lambda, 0, 1)
    return _estimate(paid, valued, closes, acting, chosen, gamma, gae_lambda)


def _estimate(
    paid: Floats, valued: Floats, closes: Any, acting: Any, chosen: Any, gamma: float, gae_lambda: float
) -> tuple[Floats, Floats]:
    """Computes advantages and returns from the last step to the first."""
    steps, n, seats = paid.shape
    advantages, returns = np.zeros((steps, n), np.float32), np.zeros((steps, n), np.float32)
    # For every seat: value and advantage of its next decision, what it was paid since, and whether that is known.
    next_values = np.zeros((n, seats), np.float32)
    next_advantages = np.zeros_like(next_values)
    owed = np.zeros_like(next_values)
    closed = np.zeros(next_values.shape, np.bool_)
    who = np.flatnonzero(chosen[steps])
    next_values[who, acting[steps, who]] = valued[steps, who]
    closed[who, acting[steps, who]] = True
    for t in reversed(range(steps)):
        ends = closes[t]
        next_values[ends] = 0
        next_advantages[ends] = 0
        owed[ends] = 0
        closed[ends] = True
        owed += paid[t]
        who = np.flatnonzero(chosen[t])
        seat, value = acting[t, who], valued[t, who]
        errors = owed[who, seat] + gamma * next_values[who, seat] - value
        estimates = errors + gamma * gae_lambda * next_advantages[who, seat]
        estimates *= closed[who, seat]
        advantages[t, who] = estimates
        returns[t, who] = estimates + value
        next_values[who, seat] = value
        next_advantages[who, seat] = estimates
        owed[who, seat] = 0
        closed[who, seat] = True
    return advantages, returns


def _typed_array(
    name: str, value: Any, shape: tuple[int, ...] | None = None, kinds: str = "iuf", allowed: str = "numbers"
) -> npt.NDArray[Any]:
    """Checks an argument's shape (None: any) and kind, and returns it as an array, numbers as float32."""
    array = as_array(name, value)
    if shape is not None and array.shape != shape:
        raise ValueError(f"{name} must have the shape {shape}, not {array.shape}")
    if array.dtype.kind not in kinds:
        raise ValueError(f"{name} must be {allowed}, not {array.dtype}")
    return array if kinds == "b" else array.astype(np.float32, copy=False)

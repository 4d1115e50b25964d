"""Checks of observations with their action masks, against a game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from cardenvs.checks import as_array, check_bits, short

if TYPE_CHECKING:
    from cardenvs.contract.observed import ObservedGame


def _check_recall(name: str, game: ObservedGame, observations: Any) -> None:
    """Raises a ValueError if observations lack the order of play where the game's spec is one with recall."""
    if game.recall and getattr(observations, "shape", ())[-1:] == (game.plain.observation_size,):
        raise ValueError(f"{name} of {game.name} must have the order of play, which environments show with recall=True")


def check_rows(
    game: ObservedGame, observations: Any, action_masks: Any
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    """Checks a batch of observations with their action masks: whether a seat to act can see them in some position.

    Policies look for hidden cards, and for actions, that fit the rows; where nothing does, there is nothing that they
    could do, and kernels rely on it.

    Args:
        game: the game's spec.
        observations: zeros and ones of shape (n, observation_size).
        action_masks: zeros and ones of shape (n, num_actions); legal actions may be left out, but not all of them.

    Returns:
        The observations and the action masks as contiguous int8 arrays, as kernels take them.

    Raises:
        ValueError: a shape is not the game's; other numbers than 0 and 1; a row that no position of the game can show,
            with the part that cannot be; a mask without an action, or with an illegal one.
    """
    _check_recall("observations", game, observations)
    rows = check_bits("observations", game.name, observations, game.observation_size)
    masks = check_bits("action_masks", game.name, action_masks, game.num_actions, len(rows))
    if not masks.any(axis=1).all():
        raise ValueError("action_masks has a row without a legal action: that seat is not to act")
    fault = game.flawed_row(rows, masks)
    if fault is not None:
        raise ValueError(fault)
    return rows, masks


def check_observation(game: ObservedGame, observation: Any) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    """Checks one observation with its action mask, as PettingZoo environments return them; see `check_rows`.

    Args:
        game: the game's spec.
        observation: a mapping with ``"observation"`` and ``"action_mask"``.

    Returns:
        The observation and the action mask as a batch of one row each, contiguous int8 arrays.

    Raises:
        ValueError: something else; what `check_rows` refuses.
    """
    if not isinstance(observation, Mapping) or not {"observation", "action_mask"} <= set(observation):
        raise ValueError(f'observation must be a dict with "observation" and "action_mask", not {short(observation)}')
    row, mask = (as_array(name, observation[name]) for name in ("observation", "action_mask"))
    _check_recall("observation", game, row)
    for name, array, size in (("observation", row, game.observation_size), ("action_mask", mask, game.num_actions)):
        if array.shape != (size,):
            raise ValueError(f"{name} of {game.name} has the shape ({size},), not {array.shape}")
    return check_rows(game, row[None], mask[None])

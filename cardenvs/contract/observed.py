"""Observations of a game: written, decoded, checked and described in text.

The functions before the checks of rows are methods of `cardenvs.contract.spec.GameSpec`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from cardenvs.checks import as_array, check_bits, check_bool, short
from cardenvs.compiled.bits import Bytes
from cardenvs.contract.checked import check_address
from cardenvs.contract.fields import Games
from cardenvs.contract.options import show

if TYPE_CHECKING:
    from cardenvs.contract.spec import GameSpec


def observation(game: GameSpec, state: Games, seat: int, i: int = 0) -> npt.NDArray[np.int8]:
    """Returns the observation of ``seat`` in game ``i``: int8 of shape (observation_size,)."""
    state, seat = check_address(game, state, seat, i)
    out = np.zeros((1, game.observation_size), np.int8)
    views = game.new_games(1)
    game.kernels.view(state, 0, seat, views, 0)
    game.kernels.observe(views, 0, out, 0)
    return out[0]


def full_state(game: GameSpec, state: Games, seat: int = 0, i: int = 0) -> npt.NDArray[np.int8]:
    """Returns the observation of ``seat``, then all that it cannot see: int8 of shape (state_size,), for critics."""
    state, seat = check_address(game, state, seat, i)
    out = np.zeros((1, game.state_size), np.int8)
    out[0, : game.observation_size] = game.observation(state, seat)
    game.kernels.reveal(state, 0, seat, out, 0, game.observation_size)
    return out[0]


def decode(game: GameSpec, observations: npt.NDArray[np.int8]) -> Games:
    """Returns the views behind observations, int8 (n, observation_size), as a structured array of `dtype`, shape (n,).

    An impossible row is decoded to a record that is no view, which `check_state` finds.

    Raises:
        ValueError: another shape, or other numbers than 0 and 1.
    """
    rows = check_bits("observations", game.name, observations, game.observation_size)
    views = game.new_games(len(rows))
    for row in range(len(rows)):
        game.kernels.decode(rows, row, views, row)
    return views


def labels(game: GameSpec, observation: npt.NDArray[np.int8]) -> dict[str, list[str]]:
    """Returns the labels of the entries of an observation or a ``state()`` that are 1, in order, by part.

    ``{"hand": ["9c", "Qc"], "trump": [], ...}`` has every part. Of a number with an entry for each number up to it, the
    last label is the number.

    Raises:
        ValueError: another shape than (observation_size,) or (state_size,).
    """
    row = as_array("observation", observation)
    if row.shape not in ((game.observation_size,), (game.state_size,)):
        raise ValueError(
            f"an observation of {game.name} has the shape ({game.observation_size},) and a state "
            f"({game.state_size},), not {row.shape}"
        )
    shown = [(part, game.slices[part.name]) for part in game.parts]
    if len(row) == game.state_size:
        shown += [(part, game.hidden_slices[part.name]) for part in game.hidden]
    return {part.name: [part.labels[k] for k in np.flatnonzero(row[where]).tolist()] for part, where in shown}


def describe(game: GameSpec, observation: npt.NDArray[np.int8]) -> str:
    """Returns an observation or a ``state()`` in text for people: a line for each part that is not all zeros."""
    told = game.labels(observation)
    width = max(map(len, told))
    return "\n".join(f"{name:<{width}}  {' '.join(lit)}" for name, lit in told.items() if lit)


def prompt(game: GameSpec, observation: Mapping[str, Any], legal: bool = True) -> str:
    """Returns a text for a language model: the rules in brief, what the seat knows, and the legal actions by name.

    Args:
        observation: an observation dict of the seat to act, as a PettingZoo environment returns it.
        legal: whether the legal actions are listed.

    Raises:
        ValueError: an observation that `cardenvs.policy.Policy.act` refuses.
    """
    rows, masks = check_observation(game, observation)
    return prompt_of_row(game, rows[0], masks[0], check_bool("legal", legal))


# --- checks of rows --------------------------------------------------------------------------------------------------


def _check_recall(name: str, game: GameSpec, observations: Any) -> None:
    """Raises a ValueError if observations of a game with recall lack the order of play."""
    if game.recall and getattr(observations, "shape", ())[-1:] == (game.plain.observation_size,):
        raise ValueError(f"{name} of {game.name} must have the order of play, which environments show with recall=True")


def check_rows(game: GameSpec, observations: Any, action_masks: Any) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    """Checks that a seat to act can see each observation, with its action mask, in some position.

    Kernels and searches for consistent worlds rely on it.

    Args:
        observations: zeros and ones of shape (n, observation_size).
        action_masks: zeros and ones of shape (n, num_actions); legal actions may be left out, but not all of them.

    Returns:
        The observations and the action masks as contiguous int8 arrays.

    Raises:
        ValueError: a wrong shape; other numbers than 0 and 1; an impossible row, with the part that is impossible; a mask
            without an action, or with an illegal one.
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


def check_observation(game: GameSpec, observation: Any) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    """Checks one observation with its action mask, as PettingZoo environments return them; see `check_rows`.

    Returns:
        The observation and the action mask as a batch of one row each, contiguous int8 arrays.

    Raises:
        ValueError: no mapping with ``"observation"`` and ``"action_mask"``, or what `check_rows` refuses.
    """
    if not isinstance(observation, Mapping) or not {"observation", "action_mask"} <= set(observation):
        raise ValueError(f'observation must be a dict with "observation" and "action_mask", not {short(observation)}')
    row, mask = (as_array(name, observation[name]) for name in ("observation", "action_mask"))
    _check_recall("observation", game, row)
    for name, array, size in (("observation", row, game.observation_size), ("action_mask", mask, game.num_actions)):
        if array.shape != (size,):
            raise ValueError(f"{name} of {game.name} has the shape ({size},), not {array.shape}")
    return check_rows(game, row[None], mask[None])


# --- prompts ---------------------------------------------------------------------------------------------------------


def prompt_of_row(game: GameSpec, row: Bytes, mask: Bytes, legal: bool = True) -> str:
    """Returns the prompt for a checked observation and mask of a game, with the order of play if it has recall."""
    view = game.decode(row[None])[0]
    options = ", ".join(f"{name} = {show(value)}" for name, value in game.options_of(view).items())
    others = ", ".join(f"player_{seat}" for seat in range(1, game.seats))
    parts = [
        f"You play {game.title}. You are player_0; to your left, in turn, are {others}. Rules may number seats otherwise.",
        f"Rules:\n{game.rules}" if game.rules else "",
        f"Options: {options}." if options else "",
        f"What you see:\n{game.drawing(view, 0).rstrip()}",
        f"All that you know, part by part:\n{game.describe(row)}" if game.board is None else _further_knowledge(game, row),
        "Your legal actions, of which you choose one by its name:\n" + "\n".join(_legal_action_lines(game, view, mask))
        if legal
        else "",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _further_knowledge(game: GameSpec, row: Bytes) -> str:
    """Returns the knowledge of a seat that the board does not show, in words; empty if there is none."""
    seats = {"self": "you"} | {f"seat+{k}": f"player_{k}" for k in range(1, game.seats)}
    lines = []
    shown = game.labels(row)
    for part in game.parts:
        lit = shown[part.name]
        if part.told and lit:
            lines.append(f"- {part.told}: {', '.join(seats.get(label, label) for label in lit)}")
    return "\n".join(["What else you know:", *lines]) if lines else ""


def _legal_action_lines(game: GameSpec, view: Any, mask: Bytes) -> list[str]:
    lines = []
    for action in np.flatnonzero(mask).tolist():
        name, label = game.actions[action], game.action_words(view, action).label
        lines.append(f"- {name}" if label == name else f"- {name}: {label}")
    return lines

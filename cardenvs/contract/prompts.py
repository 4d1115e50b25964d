"""What a language model is told before a decision: one text with the rules, what the seat knows, and the legal actions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from cardenvs.compiled.bits import Bytes
from cardenvs.contract.options import show
from cardenvs.contract.rows import check_observation

if TYPE_CHECKING:
    from cardenvs.contract.observed import ObservedGame


def prompt(game: ObservedGame, observation: Mapping[str, Any]) -> str:
    """The text for an observation dict of the seat to act.

    Args:
        game: the game; with recall the text has the order of play, too.
        observation: as a PettingZoo environment returns it.

    Raises:
        ValueError: an observation that `cardenvs.policy.Policy.act` refuses.
    """
    rows, masks = check_observation(game, observation)
    return prompt_of_row(game, rows[0], masks[0])


def prompt_of_row(game: ObservedGame, row: Bytes, mask: Bytes) -> str:
    """The text for an observation that is known to be right.

    Args:
        game: the game.
        row: int8 (observation_size,).
        mask: int8 (num_actions,), the legal actions.
    """
    view = game.decode(row[None])[0]
    options = ", ".join(f"{name} = {show(value)}" for name, value in game.options_of(view).items())
    others = ", ".join(f"player_{seat}" for seat in range(1, game.seats))
    parts = [
        f"You play {game.title}. You are player_0; to your left, in turn, are {others}. Rules may number seats otherwise.",
        f"Rules:\n{game.rules}" if game.rules else "",
        f"Options: {options}." if options else "",
        f"What you see:\n{game.drawing(view, 0).rstrip()}",
        f"All that you know, part by part:\n{game.describe(row)}" if game.board is None else _known(game, row),
        "Your legal actions, of which you choose one by its name:\n" + "\n".join(_offered(game, view, mask)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _known(game: ObservedGame, row: Bytes) -> str:
    """What a seat knows beside what the plain table of a game shows, in words; empty if there is nothing."""
    seats = {"self": "you"} | {f"seat+{k}": f"player_{k}" for k in range(1, game.seats)}
    lines = []
    shown = game.labels(row)
    for part in game.parts:
        lit = shown[part.name]
        if part.told and lit:
            lines.append(f"- {part.told}: {', '.join(seats.get(label, label) for label in lit)}")
    return "\n".join(["What else you know:", *lines]) if lines else ""


def _offered(game: ObservedGame, view: Any, mask: Bytes) -> list[str]:
    """A line for each legal action: its name, and what it is in words where these are others."""
    lines = []
    for action in np.flatnonzero(mask).tolist():
        name, label = game.actions[action], game.action_words(view, action).label
        lines.append(f"- {name}" if label == name else f"- {name}: {label}")
    return lines

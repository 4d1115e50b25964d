"""Hints: a policy's explanation of the moves open to a person, and its printed figures, for tables and the adviser."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cardenvs import policy
from cardenvs.compiled.streams import RandomSource
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.contract import Policy, explained
from cardenvs.policy.explanation import Explanation

DEFAULT_POLICIES = {"euchre": "pimc", "five-o": "rollout", "whist": "poe"}
"""By game, the policy that gives hints and advice if no other is named; `default_adviser` knows one for every game."""


def default_adviser(game: GameSpec) -> str:
    """The policy that gives hints in a game if no other is named."""
    return DEFAULT_POLICIES.get(game.name) or next(name for name in ("pipmc", "random") if policy.has(game, name))


def hint(player: Policy, observation: Mapping[str, Any], rng: RandomSource | None = None) -> Explanation:
    """A policy's explanation of the legal actions of a seat, from that seat's observation alone.

    Where only one action is legal, that action is the hint, of kind ``"choice"``, and the policy is not asked.

    Args:
        player: any policy of the game.
        observation: the seat's observation dict, with ``"observation"`` and ``"action_mask"``.
        rng: where the policy's random choices come from; the same random numbers give the same hint. None is unseeded.

    Returns:
        The actions with their numbers, best first, and what the policy knows to stand behind them.

    Raises:
        ValueError: shapes that are not the game's, or a mask without a legal action.
    """
    legal = np.flatnonzero(observation["action_mask"])
    if len(legal) == 1:
        return Explanation("choice", ((player.game.actions[int(legal[0])], 1.0),))
    return explained(player, observation, rng)


def figures(kind: str, percent: float, number: float, tried: str = "") -> str:
    """An action's numbers in a hint as printed: its percent, for kind ``"value"`` also the value, a bar, ``tried``.

    Args:
        kind: a key of `cardenvs.policy.KINDS`.
        percent: the action's percent, 0 to 100.
        number: the number that the policy gave the action.
        tried: what stands behind the number, in words (`cardenvs.policy.Explanation.tried`); the bar is shorter then, so
            that a line has room in a terminal.
    """
    value = f"  {number:+z8.3f}" if kind == "value" else ""
    bar = f"{_bar(percent, 10):<10}  {tried}" if tried else _bar(percent, 20)
    return f"{percent:5.1f} %{value}  {bar}".rstrip()


def _bar(percent: float, signs: int) -> str:
    """A percent, 0 to 100, as a bar of at most so many signs."""
    return "█" * round(max(0.0, min(percent, 100.0)) * signs / 100)

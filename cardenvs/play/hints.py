"""Hints: a policy's explanation of the moves open to a person, and its printed figures, for tables and the adviser."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from cardenvs import policy
from cardenvs.compiled.streams import RandomSource
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.contract import Policy, explained
from cardenvs.policy.explanation import Explanation

DEFAULT_POLICIES = {"euchre": "pimc", "five-o": "rollout", "whist": "poe"}
"""By game, the policy that gives hints and advice by default; `default_adviser` has one for every game."""


def default_adviser(game: GameSpec) -> str:
    """Returns the name of the policy that gives hints in a game by default."""
    return DEFAULT_POLICIES.get(game.name) or next(name for name in ("pipmc", "random") if policy.has(game, name))


def hint(player: Policy, observation: Mapping[str, Any], rng: RandomSource | None = None) -> Explanation:
    """Returns a policy's explanation of a seat's legal actions, from that seat's observation alone.

    A single legal action is returned as an explanation of kind ``"choice"``; the policy is not asked then.

    Args:
        player: any policy of the game.
        observation: the seat's observation dict, with ``"observation"`` and ``"action_mask"``.
        rng: source of the policy's random choices; None is unseeded.

    Returns:
        The actions with their numbers, best first.

    Raises:
        ValueError: shapes that are not the game's, or a mask without a legal action.
    """
    legal = np.flatnonzero(observation["action_mask"])
    if len(legal) == 1:
        return Explanation("choice", ((player.game.actions[int(legal[0])], 1.0),))
    return explained(player, observation, rng)


def hint_figures(kind: str, percent: float, number: float, tried: str = "") -> str:
    """Formats an action's numbers in a hint: its percent (0 to 100), for kind ``"value"`` also the value, a bar, ``tried``.

    ``tried`` is the size of the search in words; the bar is shorter then, so that the line fits a terminal.
    """
    value = f"  {number:+z8.3f}" if kind == "value" else ""
    bar = f"{_percent_bar(percent, 10):<10}  {tried}" if tried else _percent_bar(percent, 20)
    return f"{percent:5.1f} %{value}  {bar}".rstrip()


def _percent_bar(percent: float, signs: int) -> str:
    return "█" * round(max(0.0, min(percent, 100.0)) * signs / 100)

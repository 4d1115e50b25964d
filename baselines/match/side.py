"""The policies on one side of a match, one for each of its seats."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from cardenvs import policy
from cardenvs.cards import seed_streams
from cardenvs.checks import check_list
from cardenvs.envs.batch import Batch
from cardenvs.policy import Policy
from cardenvs.spec import GameSpec


class Side:
    """The policies of one side, one for each of its seats, in seating order.

    Args:
        game: the game.
        who: a policy's name or path, several of these joined by ``+`` (one for each seat), or Policy objects.

    Attributes:
        policies: the policies, one for each seat of the side.
        name: how the side was asked for: the policies' names with ``+`` between them.

    Raises:
        ValueError: unknown policy, or more policies than seats on a side.
    """

    def __init__(self, game: GameSpec, who: str | Policy | Sequence[str | Policy]) -> None:
        if isinstance(who, Policy):
            who = [who]
        parts = split_names(who) if isinstance(who, str) else check_list("a side", who, "policies or names of policies")
        size = game.seats // 2
        if len(parts) not in (1, size):
            raise ValueError(f"a side of {game.name} is one policy or {size} joined by +, not {len(parts)}: {who!r}")
        made = [policy.make(game, part) for part in parts]
        self.policies = [made[k % len(made)] for k in range(size)]
        self.name = "+".join(p.name for p in made)

    @property
    def slow(self) -> bool:
        """Whether one of the policies takes long over a decision, as searches do (`cardenvs.policy.Policy.slow`)."""
        return any(player.slow for player in self.policies)

    def warm_up(self, game: GameSpec, **options: Any) -> None:
        """Lets every policy decide once, so that the time to compile or load a policy is not measured."""
        batch = Batch(game, 1, seed=0, **options)
        for player in self.policies:
            player.choose(batch.observations, batch.action_masks, seed_streams(0, 1))


Player = str | Policy | Sequence[str | Policy] | Side
"""What a side of a match can be given as: a policy's name or path, a policy, one of these for each seat, or a `Side`."""


def as_side(game: GameSpec, who: Player) -> Side:
    """The `Side` for what was given as one: a name, policies, or a `Side`, which is returned as it is.

    Raises:
        ValueError: unknown policy, or more policies than seats on a side.
    """
    return who if isinstance(who, Side) else Side(game, who)


def split_names(text: str) -> list[str]:
    """The names in a text that are joined by ``+``; the path of an existing file stays whole even with ``+`` in it."""
    path = policy.path_of(text) or ""
    return [text] if "+" in path and os.path.exists(path) else text.split("+")

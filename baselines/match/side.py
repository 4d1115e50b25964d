"""Who sits on one side of a match: a policy for every seat of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from cardenvs import policy
from cardenvs.cards import seed_streams
from cardenvs.envs.batch import Batch
from cardenvs.policy import Policy
from cardenvs.spec import GameSpec


class Side:
    """The policies of one side: one for every seat of it, in seating order.

    Args:
        game: the game.
        who: a policy's name or path, several with ``+`` between them (one a seat), or Policy objects.

    Attributes:
        policies: the policies, one for each seat of the side.
        name: how the side was asked for: the policies' names with ``+`` between them.

    Raises:
        ValueError: unknown policy, or more policies than seats on a side.
    """

    def __init__(self, game: GameSpec, who: str | Policy | Sequence[str | Policy]) -> None:
        if isinstance(who, Policy):
            who = [who]
        parts = split_names(who) if isinstance(who, str) else who
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
        """Lets every policy decide once, so that compiling or loading it is not timed."""
        batch = Batch(game, 1, seed=0, **options)
        for player in self.policies:
            player.choose(batch.observations, batch.action_masks, seed_streams(0, 1))


Player = str | Policy | Sequence[str | Policy] | Side
"""What can sit on one side of a match."""


def as_side(game: GameSpec, who: Player) -> Side:
    """The side that somebody asked for, by name, by policies or made before.

    Raises:
        ValueError: unknown policy, or more policies than seats on a side.
    """
    return who if isinstance(who, Side) else Side(game, who)


def split_names(text: str) -> list[str]:
    """The names that ``+`` joins; a path that has one in it stays whole if there is such a file."""
    path = policy.path_of(text) or ""
    return [text] if "+" in path and os.path.exists(path) else text.split("+")

"""The policies on one side of a match, one for each of its seats, and which of them sits where."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from cardenvs import policy
from cardenvs.checks import check_list
from cardenvs.compiled.bits import Ints
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.batch import Batch
from cardenvs.policy.contract import Forfeit, Policy, SeatMemory, wanted_columns
from cardenvs.policy.registry import split_names
from cardenvs.randomness import hashed_streams


class Side:
    """The policies of one side, one for each of its seats, in seating order.

    Where sides are of different sizes, a side has as many policies as the largest has seats, and on a smaller one the last
    policies have no seat.

    Args:
        who: a policy's name or path, several of these joined by ``+`` (one for each seat), or Policy objects.

    Raises:
        ValueError: unknown policy, or another number of policies than one or as many as the side has seats.
    """

    def __init__(self, game: GameSpec, who: str | Policy | Sequence[str | Policy]) -> None:
        if isinstance(who, Policy):
            who = [who]
        parts = split_names(who) if isinstance(who, str) else check_list("a side", who, "policies or names of policies")
        most = largest_side(game)
        if len(parts) not in (1, most):
            allowed = f"{most} joined by +"
            if least := min(map(len, game.sides)) - most:
                allowed += f" (where it has {most + least} seats, the first {most + least} play)"
            raise ValueError(f"a side of {game.name} is one policy or {allowed}, not {len(parts)}: {who!r}")
        made = [policy.make(game.plain, part) for part in parts]
        self.policies = [made[k % len(made)] for k in range(most)]  # one for each seat of the side
        self.name = "+".join(p.name for p in made)
        self.memory = SeatMemory(0)  # the copies of policies that remember
        self._match, self._next_deal = "", 0
        self._warm: set[tuple[tuple[str, Any], ...]] = set()

    def begin(self, match: str, deals: range, tables: Ints) -> None:
        """Readies the memory for deals, by their numbers, and drops it unless they go on with a match, known by a text.

        ``tables``, int64 (copies * deals,), is the copy of the deal that each game is.
        """
        if match != self._match or deals.start < self._next_deal:
            self.memory.forget()
        self._match, self._next_deal = match, deals.stop
        self.memory.tables = tables
        self.memory.games = np.resize(np.array(deals), len(tables))

    @property
    def slow(self) -> bool:
        """Whether one of the policies takes long over a decision, as searches do (`cardenvs.policy.Policy.slow`)."""
        return any(player.slow for player in self.policies)

    @property
    def can_forfeit(self) -> bool:
        """Whether one of the policies may be unable to go on, as a program (`cardenvs.policy.Policy.can_forfeit`)."""
        return any(player.can_forfeit for player in self.policies)

    def warm_up(self, game: GameSpec, **options: Any) -> None:
        """Lets every policy that does not remember decide once, the first time that the side plays by these options.

        That compiles or loads it. Raises Forfeit if one cannot even begin.
        """
        if (rules := tuple(sorted(options.items()))) in self._warm:
            return
        batch = Batch(game_for(game, self.policies), 1, seed=0, **options)
        for player in self.policies:
            if player.remembers:
                continue
            shown, masks = wanted_columns(player, batch.observations.copy()), batch.action_masks.copy()
            try:
                player.choose(shown, masks, hashed_streams(0, "warm-up", 1))
            except Forfeit as error:
                error.policy = player.name
                raise
        self._warm.add(rules)


Player = str | Policy | Sequence[str | Policy] | Side
"""Accepted forms of a match's side: a policy's name or path, a policy, one of these for each seat, or a `Side`."""


def as_side(game: GameSpec, who: Player) -> Side:
    """The `Side` made of a name or policies; a `Side` is returned as it is. Raises ValueError as `Side` does."""
    return who if isinstance(who, Side) else Side(game, who)


def game_for(game: GameSpec, players: Iterable[Policy]) -> GameSpec:
    """The game whose observations serve all players: with recall, if one of them recalls the order of play."""
    return game.plain.with_recall(any(player.game.recall for player in players))


def largest_side(game: GameSpec) -> int:
    """Number of seats of the largest side of a game."""
    return max(map(len, game.sides))


def has_like_sides(game: GameSpec) -> bool:
    """Whether a game has two sides of as many seats that are known to all from the start, as in Whist and Five-O."""
    return game.num_sides == 2 and len(set(map(len, game.sides))) == 1 and game.kernels.side is None


def indices_in_side(sides: Ints) -> Ints:
    """The index of each seat in its side, by seating order, from the side of each seat; both int64 (k, seats)."""
    before = np.tri(sides.shape[1], k=-1, dtype=np.bool_)
    return np.asarray(((sides[:, :, None] == sides[:, None, :]) & before).sum(2), np.int64)

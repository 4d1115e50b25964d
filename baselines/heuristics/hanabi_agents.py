"""Decisions from observations by agents for Hanabi that keep a memory of the deal."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from cardenvs.compiled.bits import Bytes, Ints, Streams, lowest
from cardenvs.compiled.jit import as_records, driver, kernel
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.games import hanabi
from cardenvs.policy.contract import Policy, mask_bits

ALL = -1
"""In place of a seat, for a memory that all seats share: it goes by what any of them sees."""


@kernel
def reopen(views: Any, v: int, games: Any, j: int) -> None:
    """Sets ``games[j]`` to the start of the deal behind the view ``views[v]``, which recalls the order of play.

    Seat 0 has in place of a card that it still holds any that the same hints touch.
    """
    games[j] = views[v]
    g = games[j]
    for slot in range(g.sizes[0]):
        colour, rank = lowest(np.int64(g.may_colours[0, slot])), lowest(np.int64(g.may_ranks[0, slot]))
        g.deck[g.places[0, slot] - 1] = colour * g.ranks + rank + 1
    hanabi.open_deal(games, j)


@driver
def decide_rows(
    replay: Any, choose: Any, observations: Any, masks: Any, column: Any, views: Any, memories: Any, games: Any, out: Any
) -> None:
    """Writes an agent's moves in the rows of a batch to ``out``, int64 (n,).

    Args:
        replay: a kernel that makes the memory for a view, ``(views, v, memories, i, games, j)``.
        choose: a kernel that chooses by memory and view, ``(memories, i, views, v)``.
        observations: int8 (n, observation_size), in which the order of play begins at ``column``.
        masks: int8 (n, num_actions); where it lacks the agent's move, that is the first action that it has.
        column: the number of the first column of the order of play.
        views: array of `hanabi.STATE`, of which number 0 has the game's parameters and is overwritten.
        memories: array of the agent's memories, of which number 0 is overwritten.
        games: array of `hanabi.STATE`, of which number 0 is overwritten.
        out: the moves.
    """
    for row in range(len(out)):
        hanabi.read(observations, row, views, 0)
        hanabi.recollect(observations, row, column, views, 0)
        replay(views, 0, memories, 0, games, 0)
        action = choose(memories, 0, views, 0)
        out[row] = action if masks[row, action] != 0 else lowest(mask_bits(masks, row))


class HanabiAgent(Policy):
    """An agent that decides by what it remembers of the deal, and replays the deal for that.

    Attributes:
        memory: the dtype of its memory.
        decide: its kernel over the rows of a batch: `decide_rows` with the agent's own kernels.
    """

    memory: ClassVar[np.dtype[Any]]
    decide: ClassVar[Any]

    def __init__(self, game: str | GameSpec) -> None:
        super().__init__(get_game(game).recalling)
        if self.game.dtype != hanabi.STATE:
            raise ValueError(f"{self.name} plays hanabi, not {self.game.name}")
        self.start = self.game.deal(0)
        """A deal, whose parameters are those of the game."""
        if self.start[0]["most_information"] < 1 or self.start[0]["hand_size"] < 2:
            raise ValueError(f"{self.name} needs an information token and hands of two cards, unlike {self.game.name}")

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        """The agent's moves, as `Policy.choose` returns them."""
        del streams
        out = np.empty(len(observations), np.int64)
        views, games, memories = self.start.copy(), self.start.copy(), as_records(np.zeros(1, self.memory))
        type(self).decide(observations, action_masks, self.game.plain.observation_size, views, memories, games, out)
        return out

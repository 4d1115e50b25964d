"""Agents for Hanabi that keep a memory of the deal: what their memories share, and decisions from observations.

A memory is a record with the faces that each card may be (``may_be``, a set for each seat and slot) and how many copies of
each face are neither discarded nor played (``odd`` and ``several``, counted as in `hanabi_faces`), and with what else its
agent keeps.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np

from cardenvs.baselines.heuristics.hanabi_faces import all_copies, all_faces, face_of, less_one
from cardenvs.baselines.heuristics.hanabi_rows import (
    Columns,
    began,
    columns_of,
    could_be,
    hide,
    lay_out,
    next_act,
    same_hints,
    same_past,
)
from cardenvs.compiled.bits import Bytes, Ints, Streams, borrowed, lowest
from cardenvs.compiled.jit import as_records, closure, kernel
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.games import hanabi
from cardenvs.policy.contract import mask_bits
from cardenvs.policy.replay import Foretold

ALL = -1
"""In place of a seat, for a memory that all seats share: it goes by what any of them sees."""

_MOST_KEPT = 4096
"""Rows of a batch of which the memories are kept."""


MEMORY = [
    ("may_be", np.int64, (hanabi.MOST_SEATS, hanabi.MOST_HELD)),  # faces that each card may be, a bit each
    ("odd", np.int64),  # faces of which one or three copies are neither discarded nor played
    ("several", np.int64),  # faces of which two or three are
]
"""The fields that all memories have."""


@kernel
def begin(memories: Any, i: int, games: Any, j: int) -> None:
    """Sets ``memories[i]`` for the start of the deal ``games[j]``."""
    m, g = memories[i], games[j]
    odd, several = all_copies(games, j)
    m.odd = odd
    m.several = several
    for seat in range(g.players):
        for slot in range(g.sizes[seat]):
            m.may_be[seat, slot] = all_faces(games, j)


@kernel
def lay_down(memories: Any, i: int, games: Any, j: int, slot: int) -> None:
    """Takes a card of the seat to act out of a memory, for which that seat may draw a new one."""
    m, g = memories[i], games[j]
    seat, last = g.to_act, g.sizes[g.to_act] - 1
    odd, several = less_one(m.odd, m.several, face_of(games, j, seat, slot))
    m.odd = odd
    m.several = several
    for k in range(slot, last):
        m.may_be[seat, k] = m.may_be[seat, k + 1]
    m.may_be[seat, last] = all_faces(games, j)


class Blueprint(NamedTuple):
    """An agent as searches play it in imagined deals: it has no choice at random, and goes by a memory of each seat.

    A policy's class that has such an agent announces it as its attribute ``blueprint``.

    Attributes:
        name: the agent's name, which no other has; kernels are kept by it.
        memory: the dtype of a memory, MEMORY and other fields, all of them int64.
        before_move: the kernel that prepares a memory for a move, ``(memories, i, games, j)``, by what all seats see.
        choose: the kernel that chooses the move of the seat to act by its memory, ``(memories, i, games, j)``; it does not
            look at that seat's hand.
        learn: the kernel that adds to the memory of the seat ``me`` what follows from a move, ``(memories, i, games, j, me,
            action)``; with `ALL` for ``me`` to a memory that all seats share, as long as they all move by it.
    """

    name: str
    memory: np.dtype[Any]
    before_move: Callable[..., Any]
    choose: Callable[..., Any]
    learn: Callable[..., Any]


class Playing(NamedTuple):
    """The kernels that play a blueprint.

    Attributes:
        replay: ``(views, v, memories, i, games, j)``: makes the memory ``memories[i]`` of seat 0 of the view ``views[v]``,
            which recalls the order of play, anew, prepared for its move; ``games[j]`` is overwritten.
        play_out: ``(memories, i, games, j)``: plays the deal ``games[j]`` to its end, the agent in all seats, which share
            the memory ``memories[i]``.
        decide: ``(observations, masks, columns, views, memories, games, out)``: writes its moves in the rows of a batch to
            ``out``, int64 (n,); where a mask, int8 (n, num_actions), lacks its move, the first one that it has. The parts
            of observations, int8 (n, size), begin at ``columns``. Each row's memory and deal are kept in ``memories`` and
            ``games`` (`kept_deals`) for the row that follows; number 0 of ``views``, which has the game's parameters, is
            overwritten.
    """

    replay: Callable[..., None]
    play_out: Callable[..., None]
    decide: Callable[..., None]


def kept_deals(memory: np.dtype[Any], count: int) -> tuple[Any, Any]:
    """Room for memories and their deals, none of which has begun: structured arrays of shape (count,).

    Args:
        memory: the dtype of a memory.
        count: how many.
    """
    return as_records(np.zeros(count, memory)), as_records(np.zeros(count, hanabi.STATE))


@functools.cache
def playing(blueprint: Blueprint) -> Playing:
    """The kernels that play a blueprint."""
    before_move, choose, learn = blueprint.before_move, blueprint.choose, blueprint.learn
    named = f"{__name__}:{blueprint.name}"

    @closure(f"{named}.replay")
    def replay(views: Any, v: int, memories: Any, i: int, games: Any, j: int) -> None:
        """Makes a memory anew from the order of play."""
        hanabi.reopen(views, v, games, j)
        begin(memories, i, games, j)
        before_move(memories, i, games, j)
        for k in range(views[v].moves):
            action = np.int64(views[v].history[k])
            learn(memories, i, games, j, 0, action)
            hanabi.step(games, j, action)
            before_move(memories, i, games, j)

    @closure(f"{named}.play_out")
    def play_out(memories: Any, i: int, games: Any, j: int) -> None:
        """Plays a deal to its end."""
        g = games[j]
        while g.over == RUNNING:
            before_move(memories, i, games, j)
            action = choose(memories, i, games, j)
            learn(memories, i, games, j, ALL, action)
            hanabi.step(games, j, action)

    @closure(f"{named}.carry_on")
    def carry_on(observations: Bytes, row: int, columns: Columns, memories: Any, games: Any, j: int) -> bool:
        """Carries a memory and its deal on to an observation; False, and both are spoilt, where it is not of that deal."""
        if not same_past(observations, row, columns, games, j):
            return False
        lay_out(observations, row, columns, games, j)
        g = games[j]
        for k in range(g.moves, hanabi.longest(games, j)):
            action = next_act(observations, row, columns, games, j, k)
            if action < 0:
                break
            if not could_be(games, j, action):
                return False
            learn(memories, j, games, j, 0, action)
            hanabi.step(games, j, action)
            before_move(memories, j, games, j)
        return same_hints(observations, row, columns, games, j)

    @closure(f"{named}.decide")
    def decide(
        observations: Bytes, masks: Bytes, columns: Columns, views: Any, memories: Any, games: Any, out: Ints
    ) -> None:
        """Moves in the rows of a batch."""
        observations, masks, memories, games = borrowed(observations), borrowed(masks), borrowed(memories), borrowed(games)
        players = views[0].players
        for row in range(len(out)):
            j = min(row * players + began(observations, row, columns, players), len(games) - 1)
            if not carry_on(observations, row, columns, memories, games, j):
                hanabi.read_view(observations, row, views, 0)
                hanabi.recollect(observations, row, columns.drawn, views, 0)
                replay(views, 0, memories, j, games, j)
            hide(games, j)
            action = choose(memories, j, games, j)
            out[row] = action if masks[row, action] != 0 else lowest(mask_bits(masks, row))

    return Playing(replay, play_out, decide)


class HanabiAgent(Foretold):
    """An agent that decides by what it remembers of the deal, and replays the deal for that.

    Attributes:
        blueprint: its memory and kernels.
    """

    games = ("hanabi",)
    blueprint: ClassVar[Blueprint]

    def __init__(self, game: str | GameSpec) -> None:
        super().__init__(get_game(game).recalling)
        self.start = self.game.deal(0)
        """A deal, whose parameters are those of the game."""
        self.columns = columns_of(self.game)
        """The columns at which the parts of its observations begin."""
        self._kept: list[tuple[Any, Any]] = []  # what `kept_deals` made; taken out in use, as threads may share an agent

    @classmethod
    def unfit(cls, game: GameSpec) -> str:
        """Why the agent cannot play a game, as `Policy.unfit` says it."""
        if why := super().unfit(game):
            return why
        if game.parameters["information"] < 1 or game.parameters["hand_size"] < 2:
            return f"needs an information token and hands of two cards, unlike {game.name}"
        return ""

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        """The agent's moves, as `Policy.choose` returns them."""
        del streams
        out = np.empty(len(observations), np.int64)
        try:
            kept = self._kept.pop()
        except IndexError:
            kept = kept_deals(self.blueprint.memory, 0)
        needed = min(len(out), _MOST_KEPT) * self.game.seats + 1
        if len(kept[0]) < needed:
            kept = kept_deals(self.blueprint.memory, needed)
        playing(self.blueprint).decide(observations, action_masks, self.columns, self.start.copy(), *kept, out)
        self._kept[:] = [kept]
        return out

"""Agents for Hanabi that remember the deal: the fields that their memories share, and decisions from observations."""

import functools
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np

from cardenvs.baselines.heuristics.hanabi_faces import (
    all_copies,
    all_faces,
    face_of,
    less_one,
    playable_faces,
    worthless_faces,
)
from cardenvs.baselines.heuristics.hanabi_rows import (
    Columns,
    columns_of,
    could_be,
    first_seat,
    hide_own_cards,
    lay_out,
    next_act,
    same_hints,
    same_past,
)
from cardenvs.compiled.bits import Bytes, Ints, Streams, borrowed, lowest
from cardenvs.compiled.jit import as_records, closure, helper, kernel
from cardenvs.contract.kernels import Kernels
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.games import hanabi
from cardenvs.policy.contract import mask_bits
from cardenvs.policy.replay import Foretold

ALL = -1  # in place of a seat, for a memory that all seats share: it goes by what any of them sees

_MOST_KEPT = 4096  # rows of a batch of which the memories are kept


MEMORY = [
    ("may_be", np.int64, (hanabi.MOST_SEATS, hanabi.MOST_HELD)),  # faces that each card may be, a bit each
    ("odd", np.int64),  # faces of which one or three copies are neither discarded nor played
    ("several", np.int64),  # faces of which two or three are
    # what follows from these and the table, as `mark_faces` finds it
    ("playable", np.int64),  # faces that can be played now
    ("worthless", np.int64),  # faces that can never be played
]
"""The fields that all memories of a deal have; seats are numbered as in the states or views that a memory goes with."""


@kernel
def start_memory(memories: Any, i: int, games: Any, j: int) -> None:
    """Sets ``memories[i]`` for the start of the deal ``games[j]``."""
    m, g = memories[i], games[j]
    odd, several = all_copies(games, j)
    m.odd = odd
    m.several = several
    for seat in range(g.players):
        for slot in range(g.sizes[seat]):
            m.may_be[seat, slot] = all_faces(games, j)


@helper
def mark_faces(m: Any, games: Any, j: int) -> None:
    """Sets in the memory ``m``, a record, which faces are playable and which are worthless, once a move."""
    m.playable = playable_faces(games, j)
    m.worthless = worthless_faces(games, j, m.odd | m.several)


@kernel
def lay_down(memories: Any, i: int, games: Any, j: int, slot: int) -> None:
    """Takes a card of the seat to act out of a memory; the seat may draw a new one."""
    m, g = memories[i], games[j]
    seat, last = g.to_act, g.sizes[g.to_act] - 1
    odd, several = less_one(m.odd, m.several, face_of(games, j, seat, slot))
    m.odd = odd
    m.several = several
    for k in range(slot, last):
        m.may_be[seat, k] = m.may_be[seat, k + 1]
    m.may_be[seat, last] = all_faces(games, j)


class Blueprint(NamedTuple):
    """An agent as searches play it in imagined deals: it makes no random choice, and has a memory for each seat.

    A policy's class that has such an agent announces it as its attribute ``blueprint``.
    ``before_move(memories, i, games, j)`` prepares a memory for a move by what all seats see.
    ``choose(memories, i, games, j)`` returns the move of the seat to act by its memory, without a look at that seat's hand.
    ``learn(memories, i, games, j, me, action)`` adds what follows from a move to the memory of the seat ``me``; with `ALL`
    to a memory that all seats share, as long as all move by it.
    """

    name: str  # unique; kernels are kept by it
    memory: np.dtype[Any]  # of a memory: MEMORY and other int64 fields
    before_move: Callable[..., Any]
    choose: Callable[..., Any]
    learn: Callable[..., Any]


class Playing(NamedTuple):
    """The kernels that play a blueprint.

    ``replay(views, v, memories, i, games, j)`` rebuilds the memory of seat 0 of a view that recalls the order of play,
    prepared for its move; ``games[j]`` is overwritten. ``play_out(memories, i, games, j)`` plays a deal to its end, the
    agent in all seats, which share a memory. ``carry_on(observations, row, columns, memories, games, j)`` carries a memory
    and its deal on to an observation; False, and both are spoilt, where it is not of that deal.
    """

    replay: Callable[..., None]
    play_out: Callable[..., None]
    carry_on: Callable[..., bool]


def kept_deals(memory: np.dtype[Any], count: int) -> tuple[Any, Any]:
    """Room for ``count`` memories and their deals, none of which has begun."""
    return as_records(np.zeros(count, memory)), as_records(np.zeros(count, hanabi.STATE))


@functools.cache
def playing_kernels(blueprint: Blueprint) -> Playing:
    before_move, choose, learn = blueprint.before_move, blueprint.choose, blueprint.learn
    named = f"{__name__}:{blueprint.name}"

    @closure(f"{named}.replay")
    def replay_deal(views: Any, v: int, memories: Any, i: int, games: Any, j: int) -> None:
        hanabi.reopen(views, v, games, j)
        start_memory(memories, i, games, j)
        before_move(memories, i, games, j)
        for k in range(views[v].moves):
            action = np.int64(views[v].history[k])
            learn(memories, i, games, j, 0, action)
            hanabi.step(games, j, action)
            before_move(memories, i, games, j)

    @closure(f"{named}.play_out")
    def play_out(memories: Any, i: int, games: Any, j: int) -> None:
        g = games[j]
        while g.over == RUNNING:
            before_move(memories, i, games, j)
            action = choose(memories, i, games, j)
            learn(memories, i, games, j, ALL, action)
            hanabi.step(games, j, action)

    @closure(f"{named}.carry_on")
    def carry_on(observations: Bytes, row: int, columns: Columns, memories: Any, games: Any, j: int) -> bool:
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

    return Playing(replay_deal, play_out, carry_on)


@functools.cache
def _deciding_loop(blueprint: Blueprint, kernels: Kernels) -> Callable[..., None]:
    """Makes the loop that decides in the rows of a game's batches, of observations that recall the order of play."""
    choose, (replay_deal, _, carry_on), decode = blueprint.choose, playing_kernels(blueprint), kernels.decode

    @kernels.loop(f"{blueprint.name}.decide_rows")
    def decide_rows(
        observations: Bytes, masks: Bytes, columns: Columns, views: Any, memories: Any, games: Any, out: Ints
    ) -> None:
        """Writes the moves in the rows of a batch to ``out``, int64 (n,); where a mask lacks the move, the mask's first
        action. Each row's memory and deal stay in ``memories`` and ``games`` (`kept_deals`) for the row that follows."""
        observations, masks, memories, games = borrowed(observations), borrowed(masks), borrowed(memories), borrowed(games)
        players = views[0].players
        for row in range(len(out)):
            j = min(row * players + first_seat(observations, row, columns, players), len(games) - 1)
            if not carry_on(observations, row, columns, memories, games, j):
                decode(observations, row, views, 0)
                replay_deal(views, 0, memories, j, games, j)
            hide_own_cards(games, j)
            action = choose(memories, j, games, j)
            out[row] = action if masks[row, action] != 0 else lowest(mask_bits(masks, row))

    return decide_rows


class HanabiAgent(Foretold):
    """An agent that decides by its memory of the deal, which it rebuilds from observations."""

    games = ("hanabi",)
    blueprint: ClassVar[Blueprint]  # its memory and kernels

    def __init__(self, game: str | GameSpec) -> None:
        super().__init__(get_game(game).recalling)
        self.start = self.game.deal(0)  # a deal, whose parameters are those of the game
        self.columns = columns_of(self.game)  # the columns at which the parts of its observations begin
        self._kept: list[tuple[Any, Any]] = []  # what `kept_deals` made; taken out in use, as threads may share an agent

    @classmethod
    def unfit(cls, game: GameSpec) -> str:
        if why := super().unfit(game):
            return why
        if game.parameters["information"] < 1 or game.parameters["hand_size"] < 2:
            return f"needs an information token and hands of two cards, unlike {game.name}"
        return ""

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        del streams
        out = np.empty(len(observations), np.int64)
        try:
            kept = self._kept.pop()
        except IndexError:
            kept = kept_deals(self.blueprint.memory, 0)
        needed = min(len(out), _MOST_KEPT) * self.game.seats + 1
        if len(kept[0]) < needed:
            kept = kept_deals(self.blueprint.memory, needed)
        decide_rows = _deciding_loop(self.blueprint, self.game.kernels)
        decide_rows(observations, action_masks, self.columns, self.start.copy(), *kept, out)
        self._kept[:] = [kept]
        return out

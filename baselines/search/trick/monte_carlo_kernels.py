"""The kernels of ``monte-carlo``: worlds are dealt, every legal action is tried in them, the deals are played out.

Two ways to the same scores, as in `cardenvs.baselines.search.trick.playout`: *by slots* a card is played in a position of
`cardenvs.baselines.search.trick.slots`, with the simplest agents, fast; *by states* any action is taken in a game's own
state, with any agent. ``sums`` is float64 (n, num_actions): of each row and action the sum over the worlds of what the side
of the seat to act gains less what the other side gains.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardenvs.baselines.heuristics.calling import call_kernel
from cardenvs.baselines.heuristics.trick_games import for_trick_games
from cardenvs.baselines.search.trick.playout import play_out, playouts_in
from cardenvs.baselines.search.trick.slots import best_slot, deal_hidden, opening_in, slots_of, suit_of, to_slots
from cardenvs.compiled.bits import Bytes, Floats, Ints, Streams, lowest
from cardenvs.compiled.jit import helper, kernel
from cardenvs.contract import loops
from cardenvs.contract.kernels import Kernel
from cardenvs.contract.kinds import TrickGame
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.contract import mask_bits
from cardenvs.policy.explanation import Scores

_TIE = 2.0**-30  # weight of the tie-break, too small to outweigh one point or trick in any number of worlds


@helper
def _margin_value(goal: int, points: int, tricks: int) -> float:
    """Value of a margin of points and one of tricks, by the goal, `loops.POINTS` or `loops.TRICKS`."""
    return points + _TIE * tricks if goal == loops.POINTS else tricks + _TIE * points


@kernel
def _search_slots(
    own: int,
    trump: int,
    worlds: int,
    agent: int,
    card: Ints,
    same_suit: Ints,
    same_rank: Ints,
    values: Floats,
    ways: Ints,
    ways_discarded: Ints,
    positions: Any,
    streams: Streams,
    row: int,
    sums: Scores,
) -> None:
    """Adds to ``sums[row]`` the value of each of seat 0's legal cards in ``worlds`` deals, by fast play-outs."""
    p = positions[0]
    hands = np.empty(4, np.int64)
    before = np.empty(4, np.int64)
    won = np.empty(4, np.int64)
    for _ in range(worlds):
        deal_hidden(positions, 0, ways, ways_discarded, streams, row)
        others = p.best
        for seat in range(1, 4):
            if seat != p.absent:
                others |= p.hands[seat]
        for suit in range(4):
            before[suit] = 0
        rest = own
        while rest != 0:
            slot = lowest(rest)
            rest &= rest - 1
            # Two cards are equivalent if no card that can still meet them lies between. Random play-outs cannot tell such
            # cards apart; play-outs that compare numbers across suits almost never do.
            suit = suit_of(slot, same_suit)
            bit = np.int64(1) << slot
            if before[suit] == 0 or (bit - before[suit]) & same_suit[slot] & others != 0:
                won[suit] = play_out(agent, positions, 0, slot, same_suit, same_rank, hands, streams, row)
            before[suit] = bit
            sums[row, card[trump, slot]] += values[won[suit]]


class Searches(NamedTuple):
    """The kernels of the search for a game; `by_slots` is for `FAST_AGENTS` where a card is to be played.

    ``rows``, int64, are the numbers of the rows to search; ``worlds`` how many more deals to draw for each row; ``agent``
    who plays the cards of all seats, a number from `playout.PLAYOUTS`; ``calling`` who bids and discards for all seats, a
    number from `calling.CALLERS`; ``goal`` `loops.POINTS` or `loops.TRICKS`. ``views`` (1,), ``games`` (2,) and
    ``positions`` (1,) are overwritten. ``sums``, float64 (n, num_actions), is added to (1 for the choice of a caller in
    ``calls``), and ``chosen``, int64 (n,), gets the action with the best sum: among equals the card in the lowest slot, or
    the first bid.
    """

    by_slots: Kernel  # (rows, worlds, agent, goal, observations, masks, streams, views, positions, sums, chosen)
    by_states: Kernel  # (rows, worlds, agent, calling, goal, observations, masks, streams, views, games, sums, chosen)
    calls: Kernel  # (rows, calling, observations, masks, streams, views, sums, chosen)


@for_trick_games
def searches_in(game: GameSpec, kind: TrickGame) -> Searches:
    decode, redeal, step, outcome = game.kernels.decode, game.kernels.redealing, game.kernels.step, game.kernels.outcome
    slot, card, same_suit, same_rank = slots_of(kind)
    open_position, finish, call, margin = opening_in(game), playouts_in(game).finish, call_kernel(kind), kind.margin
    dealt, cards = kind.dealt, np.int64(kind.deck.all)

    @game.kernels.loop("monte-carlo.slots")
    def by_slots(
        rows: Ints, worlds: int, agent: int, goal: int, observations: Bytes, masks: Bytes, streams: Streams, views: Any,
        positions: Any, sums: Scores, chosen: Ints,
    ) -> None:  # fmt: skip
        values = np.empty(dealt + 1)
        for row in rows:
            decode(observations, row, views, 0)
            p, trump = positions[0], views[0].trump
            own = to_slots(mask_bits(masks, row), trump, slot)
            ways, ways_discarded = open_position(views, 0, positions, 0)
            for k in range(p.tricks + 1):
                taken = p.taken + k
                values[k] = _margin_value(goal, margin(views, 0, taken), 2 * taken - dealt)
            _search_slots(
                own, trump, worlds, agent, card, same_suit, same_rank, values, ways, ways_discarded, positions, streams,
                row, sums,
            )  # fmt: skip
            chosen[row] = card[trump, best_slot(own, trump, card, sums, row)]

    @game.kernels.loop("monte-carlo.states")
    def by_states(
        rows: Ints, worlds: int, agent: int, calling: int, goal: int, observations: Bytes, masks: Bytes,
        streams: Streams, views: Any, games: Any, sums: Scores, chosen: Ints,
    ) -> None:  # fmt: skip
        points = np.empty((2, 2), np.int64)
        tricks = np.empty((2, 4), np.int64)
        for row in rows:
            decode(observations, row, views, 0)
            actions = mask_bits(masks, row)
            for _ in range(worlds):
                redeal(views, 0, streams, row, games, 0)
                rest = actions
                while rest != 0:
                    action = lowest(rest)
                    rest &= rest - 1
                    games[1] = games[0]
                    step(games, 1, action)
                    finish(games, 1, agent, calling, streams, row)
                    outcome(games, 1, points, tricks)
                    lead = tricks[1, 0] + tricks[1, 2] - tricks[1, 1] - tricks[1, 3]
                    sums[row, action] += _margin_value(goal, points[1, 0] - points[1, 1], lead)
            if actions & ~cards == 0:
                trump = views[0].trump
                chosen[row] = card[trump, best_slot(to_slots(actions, trump, slot), trump, card, sums, row)]
                continue
            best = lowest(actions)
            while actions != 0:
                action = lowest(actions)
                actions &= actions - 1
                if sums[row, action] > sums[row, best]:
                    best = action
            chosen[row] = best

    @game.kernels.loop("monte-carlo.calls")
    def calls(
        rows: Ints,
        calling: int,
        observations: Bytes,
        masks: Bytes,
        streams: Streams,
        views: Any,
        sums: Scores,
        chosen: Ints,
    ) -> None:
        for row in rows:
            decode(observations, row, views, 0)
            chosen[row] = call(calling, views, 0, mask_bits(masks, row), streams, row)
            sums[row, chosen[row]] = 1

    return Searches(by_slots, by_states, calls)

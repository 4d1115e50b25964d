"""The kernels of ``monte-carlo``: worlds are dealt, every legal action is tried in them, the deals are played out.

Two ways to the same scores, as in `cardenvs.baselines.search.trick.playout`: *by slots* a card is played in a position of
`cardenvs.baselines.search.trick.slots`, with the simplest agents, fast; *by states* any action is taken in a game's own
state, with any agent.

``sums`` is float64 (n, num_actions): of each row and action the sum over the worlds of what the side of the seat to act
gains less what the other side gains.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardenvs.baselines.heuristics.calling import call
from cardenvs.baselines.search.trick.playout import finish_euchre, finish_whist, play_out
from cardenvs.baselines.search.trick.slots import EUCHRE, WHIST, best_slot, draw, open_euchre, open_whist, suit_of, to_slots
from cardenvs.compiled.bits import Bytes, Floats, Ints, Streams, lowest
from cardenvs.compiled.jit import driver, helper, kernel
from cardenvs.contract import loops as drivers
from cardenvs.games import euchre, whist
from cardenvs.policy.contract import mask_bits
from cardenvs.policy.explanation import Scores

_MOST_TRICKS = 13
_TIE = 2.0**-30
"""Weight of the margin beside the goal, a tie-break too small to outweigh one point or trick in any number of worlds."""

_EUCHRE_SLOT, _EUCHRE_CARD, _EUCHRE_SAME_SUIT, _EUCHRE_SAME_RANK = EUCHRE
_WHIST_SLOT, _WHIST_CARD, _WHIST_SAME_SUIT, _WHIST_SAME_RANK = WHIST


@helper
def _worth(goal: int, points: int, tricks: int) -> float:
    """Value of a margin of points and one of tricks, by the goal, `drivers.POINTS` or `drivers.TRICKS`."""
    return points + _TIE * tricks if goal == drivers.POINTS else tricks + _TIE * points


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
    """Adds to ``sums[row]`` the value of each of seat 0's legal cards in ``worlds`` deals, by fast play-outs.

    Args:
        own: the slots of the legal cards.
        trump: 0 to 3.
        worlds: how many deals to draw.
        agent: who plays all seats, one of `playout.FAST_AGENTS`.
        card: `worlds.Slots.card` of the game.
        same_suit: `worlds.Slots.same_suit` of the game.
        same_rank: `worlds.Slots.same_rank` of the game.
        values: float64, the worth of a deal by the number of tricks that side 0 takes of those that are not complete.
        ways: the first array that `open_euchre` or `open_whist` returned for the position.
        ways_discarded: the second array that `open_euchre` or `open_whist` returned for the position.
        positions: array of `worlds.POSITION`, of which number 0 is the position.
        streams: uint64 random streams, of which number ``row`` is drawn from.
        sums: float64 (n, num_actions), of which ``row`` is added to.
    """
    p = positions[0]
    hands = np.empty(4, np.int64)
    before = np.empty(4, np.int64)
    won = np.empty(4, np.int64)
    for _ in range(worlds):
        draw(positions, 0, ways, ways_discarded, streams, row)
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


@kernel
def euchre_by_slots(
    rows: Ints,
    worlds: int,
    agent: int,
    goal: int,
    observations: Bytes,
    masks: Bytes,
    streams: Streams,
    views: Any,
    positions: Any,
    sums: Scores,
    chosen: Ints,
) -> None:
    """Searches Euchre rows in which a card is to be played, by fast play-outs.

    Args:
        rows: int64, the numbers of the rows.
        worlds: how many more deals to draw for each row.
        agent: who plays all seats, one of `playout.FAST_AGENTS`.
        goal: `drivers.POINTS` or `drivers.TRICKS`.
        observations: int8 (n, observation_size).
        masks: int8 (n, num_actions).
        streams: uint64 (n,), a random stream for each row.
        views: array of STATE, shape (1,), overwritten.
        positions: array of `worlds.POSITION`, shape (1,), overwritten.
        sums: float64 (n, num_actions), added to.
        chosen: int64 (n,), gets the card with the best sum, among equals the card in the lowest slot.
    """
    values = np.empty(_MOST_TRICKS + 1)
    for row in rows:
        euchre.decode(observations, row, views, 0)
        v, p = views[0], positions[0]
        own = to_slots(mask_bits(masks, row), v.trump, _EUCHRE_SLOT)
        ways, ways_discarded = open_euchre(views, 0, positions, 0)
        for k in range(p.tricks + 1):
            taken = p.taken + k
            values[k] = _worth(goal, euchre.margin(taken, v.maker, v.alone), 2 * taken - 5)
        _search_slots(
            own, v.trump, worlds, agent, _EUCHRE_CARD, _EUCHRE_SAME_SUIT, _EUCHRE_SAME_RANK, values, ways, ways_discarded,
            positions, streams, row, sums,
        )  # fmt: skip
        chosen[row] = _EUCHRE_CARD[v.trump, best_slot(own, v.trump, _EUCHRE_CARD, sums, row)]


@kernel
def whist_by_slots(
    rows: Ints,
    worlds: int,
    agent: int,
    goal: int,
    observations: Bytes,
    masks: Bytes,
    streams: Streams,
    views: Any,
    positions: Any,
    sums: Scores,
    chosen: Ints,
) -> None:
    """Searches Whist rows by fast play-outs; the arguments are those of `euchre_by_slots`."""
    values = np.empty(_MOST_TRICKS + 1)
    for row in rows:
        whist.decode(observations, row, views, 0)
        v, p = views[0], positions[0]
        own = to_slots(mask_bits(masks, row), v.trump, _WHIST_SLOT)
        ways, ways_discarded = open_whist(views, 0, positions, 0)
        for k in range(p.tricks + 1):
            taken = p.taken + k
            values[k] = _worth(goal, whist.margin(taken), 2 * taken - 13)
        _search_slots(
            own, v.trump, worlds, agent, _WHIST_CARD, _WHIST_SAME_SUIT, _WHIST_SAME_RANK, values, ways, ways_discarded,
            positions, streams, row, sums,
        )  # fmt: skip
        chosen[row] = _WHIST_CARD[v.trump, best_slot(own, v.trump, _WHIST_CARD, sums, row)]


@driver
def _search_states(
    redeal: Any,
    step: Any,
    finish: Any,
    outcome: Any,
    actions: Any,
    worlds: Any,
    agent: Any,
    calling: Any,
    goal: Any,
    views: Any,
    games: Any,
    points: Any,
    tricks: Any,
    streams: Any,
    row: Any,
    sums: Any,
) -> None:
    """Adds to ``sums[row]`` the value of each of ``actions`` in ``worlds`` deals, by play-outs of the game's states.

    ``redeal``, ``step`` and ``outcome`` are the game's kernels, ``finish`` is `playout.finish_euchre` or
    `playout.finish_whist`; ``views[0]`` is the view, ``games`` (2,), ``points`` (2, 2) and ``tricks`` (2, 4) are
    overwritten.
    """
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
            margin = tricks[1, 0] + tricks[1, 2] - tricks[1, 1] - tricks[1, 3]
            sums[row, action] += _worth(goal, points[1, 0] - points[1, 1], margin)


@kernel
def euchre_by_states(
    rows: Ints,
    worlds: int,
    agent: int,
    calling: int,
    goal: int,
    observations: Bytes,
    masks: Bytes,
    streams: Streams,
    views: Any,
    games: Any,
    sums: Scores,
    chosen: Ints,
) -> None:
    """Searches Euchre rows in any phase of the game by play-outs of any agent.

    Args:
        rows: int64, the numbers of the rows.
        worlds: how many more deals to draw for each row.
        agent: who plays the cards of all seats, a number from `playout.PLAYOUTS`.
        calling: who bids and discards for all seats, a number from `calling.CALLERS`.
        goal: `drivers.POINTS` or `drivers.TRICKS`.
        observations: int8 (n, observation_size).
        masks: int8 (n, num_actions).
        streams: uint64 (n,), a random stream for each row.
        views: array of STATE, shape (1,), overwritten.
        games: array of STATE, shape (2,), overwritten.
        sums: float64 (n, num_actions), added to.
        chosen: int64 (n,), gets the action with the best sum; among equals the card in the lowest slot, or the first bid.
    """
    points = np.empty((2, 2), np.int64)
    tricks = np.empty((2, 4), np.int64)
    for row in rows:
        euchre.decode(observations, row, views, 0)
        v = views[0]
        actions = mask_bits(masks, row)
        _search_states(
            euchre.redeal, euchre.step, finish_euchre, euchre.outcome, actions, worlds, agent, calling, goal, views, games,
            points, tricks, streams, row, sums,
        )  # fmt: skip
        if v.phase == euchre.PLAYING or v.phase == euchre.DISCARDING:
            slot = best_slot(to_slots(actions, v.trump, _EUCHRE_SLOT), v.trump, _EUCHRE_CARD, sums, row)
            chosen[row] = _EUCHRE_CARD[v.trump, slot]
        else:
            best = lowest(actions)
            while actions != 0:
                action = lowest(actions)
                actions &= actions - 1
                if sums[row, action] > sums[row, best]:
                    best = action
            chosen[row] = best


@kernel
def whist_by_states(
    rows: Ints,
    worlds: int,
    agent: int,
    calling: int,
    goal: int,
    observations: Bytes,
    masks: Bytes,
    streams: Streams,
    views: Any,
    games: Any,
    sums: Scores,
    chosen: Ints,
) -> None:
    """Searches Whist rows by play-outs of any agent; the arguments are those of `euchre_by_states`."""
    points = np.empty((2, 2), np.int64)
    tricks = np.empty((2, 4), np.int64)
    for row in rows:
        whist.decode(observations, row, views, 0)
        v = views[0]
        cards = mask_bits(masks, row)
        _search_states(
            whist.redeal, whist.step, finish_whist, whist.outcome, cards, worlds, agent, calling, goal, views, games,
            points, tricks, streams, row, sums,
        )  # fmt: skip
        slot = best_slot(to_slots(cards, v.trump, _WHIST_SLOT), v.trump, _WHIST_CARD, sums, row)
        chosen[row] = _WHIST_CARD[v.trump, slot]


@kernel
def call_rows(
    rows: Ints, calling: int, observations: Bytes, masks: Bytes, streams: Streams, views: Any, sums: Scores, chosen: Ints
) -> None:
    """Lets a caller bid and discard in some rows of Euchre.

    Args:
        rows: int64, the numbers of the rows.
        calling: the caller, a number from `calling.CALLERS`.
        observations: int8 (n, observation_size).
        masks: int8 (n, num_actions).
        streams: uint64 (n,), a random stream for each row.
        views: array of STATE, shape (1,), overwritten.
        sums: float64 (n, num_actions), gets 1 for the caller's choice.
        chosen: int64 (n,), gets the caller's choice.
    """
    for row in rows:
        euchre.decode(observations, row, views, 0)
        chosen[row] = call(calling, views, 0, mask_bits(masks, row), streams, row)
        sums[row, chosen[row]] = 1

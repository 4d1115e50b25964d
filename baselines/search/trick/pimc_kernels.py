"""The kernels of ``pimc``: worlds are dealt, every legal action is solved in them with all cards open, the best is chosen.

In Euchre bids and discards are searched, too, and all worlds are solved; in Whist worlds may be played out or left to DDS.
``sums`` is int64 (n, num_actions, 2): of each row and action, at POINTS the sum over the worlds of the points that the side
of the seat to act gains less those of the other side, at TRICKS the sum of the tricks that it takes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardenvs.baselines.heuristics.calling import choose_call
from cardenvs.baselines.heuristics.cardplay import COOP_HIGH_LOW, rule_card
from cardenvs.baselines.search.trick.double_dummy import solver_of
from cardenvs.compiled.bits import Bytes, Ints, Streams, lowest, popcount
from cardenvs.compiled.jit import helper, kernel
from cardenvs.compiled.streams import below
from cardenvs.contract.loops import RUNNING
from cardenvs.games import euchre, whist
from cardenvs.games.euchre import view as euchre_view
from cardenvs.games.tricks import playable_cards
from cardenvs.policy.contract import mask_bits

_euchre_value, _euchre_cards = solver_of(euchre.SPEC)[:2]
_whist_cards = solver_of(whist.SPEC).cards

POINTS, TRICKS = 0, 1  # kinds of sums: the last index of ``sums``


@helper
def _add_world(sums: Any, row: int, action: int, points: int, tricks: int) -> None:
    sums[row, action, POINTS] += points
    sums[row, action, TRICKS] += tricks


@kernel
def _compare_sums(sums: Any, row: int, action: int, other: int, first: int) -> int:
    """1, 0 or -1: whether ``action`` has greater, equal or smaller sums than ``other``, the kind ``first`` first."""
    for kind in (first, 1 - first):
        if sums[row, action, kind] != sums[row, other, kind]:
            return 1 if sums[row, action, kind] > sums[row, other, kind] else -1
    return 0


@kernel
def best_card(cards: int, sums: Any, row: int, first: int, trump: int, strength: Ints, streams: Streams, s: int) -> int:
    """The card with the best sums, of ``first`` first; of equal sums the weakest, a random one of equally weak cards."""
    chosen = lowest(cards)
    cards &= cards - 1
    ties = 1
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        order = _compare_sums(sums, row, card, chosen, first)
        if order == 0:
            order = strength[trump, chosen] - strength[trump, card]
        if order > 0:
            chosen, ties = card, 1
        elif order == 0:
            ties += 1
            if below(streams, s, ties) == 0:
                chosen = card
    return chosen


# --- Euchre --------------------------------------------------------------------------------------------------------


@kernel
def _settle_bidding(calling: int, views: Any, deals: Any, j: int, streams: Streams, s: int) -> None:
    """Bids and discards for all seats of ``deals[j]`` by a caller, each from its view, until play begins or all passed."""
    while deals[j].over == RUNNING and deals[j].phase != euchre.PLAYING:
        euchre_view(deals, j, deals[j].to_act, views, 1)
        euchre.step(deals, j, choose_call(calling, views, 1, euchre.legal(deals, j), streams, s))


@kernel
def _add_contract(deals: Any, j: int, transpositions: Ints, stack: Ints, sums: Any, row: int, action: int) -> None:
    """Adds what side 0 gains in the play of ``deals[j]`` to ``sums[row, action]``; nothing if all passed.

    Bids are compared by points first, so the kind TRICKS holds by how many tricks side 0 leads.
    """
    if deals[j].over == RUNNING:
        tricks = _euchre_value(deals, j, transpositions, stack)
        _add_world(sums, row, action, euchre.margin(tricks, deals[j].maker, deals[j].alone), 2 * tricks - 5)


@kernel
def _euchre_world(
    views: Any,
    deals: Any,
    actions: int,
    calling: int,
    streams: Streams,
    s: int,
    transpositions: Ints,
    stack: Ints,
    tricks: Ints,
    sums: Any,
    discards: Any,
    row: int,
) -> None:
    """Deals one world for the view ``views[0]`` and adds each legal action's points and tricks in it to ``sums[row]``.

    The discards of a dealer that orders up itself are kept apart, in ``discards[2 * row + alone]``.
    """
    v = views[0]
    euchre.redeal(views, 0, streams, s, deals, 0)
    if v.phase == euchre.PLAYING:
        _euchre_cards(deals, 0, transpositions, stack, tricks)
        won = v.tricks[0] + v.tricks[2]
        for card in range(24):
            if tricks[card] >= 0:
                _add_world(sums, row, card, euchre.margin(won + tricks[card], v.maker, v.alone), tricks[card])
        return
    while actions != 0:
        action = lowest(actions)
        actions &= actions - 1
        deals[1] = deals[0]
        euchre.step(deals, 1, action)
        if deals[1].phase == euchre.DISCARDING and deals[1].to_act == 0:
            cards = deals[1].hands[0]
            while cards != 0:
                card = lowest(cards)
                cards &= cards - 1
                deals[2] = deals[1]
                euchre.step(deals, 2, card)
                _add_contract(deals, 2, transpositions, stack, discards, 2 * row + action - euchre.ORDER_UP, card)
        else:
            _settle_bidding(calling, views, deals, 1, streams, s)
            _add_contract(deals, 1, transpositions, stack, sums, row, action)


@kernel
def search_euchre(
    observations: Bytes,
    masks: Bytes,
    streams: Streams,
    start: int,
    stop: int,
    worlds: int,
    forced: bool,
    calling: int,
    views: Any,
    deals: Any,
    transpositions: Ints,
    stack: Ints,
    sums: Any,
    discards: Any,
) -> None:
    """Adds each legal action's points and tricks in ``worlds`` more worlds to the sums of some rows of Euchre.

    With ``forced``, rows with one legal action are searched, too. ``calling`` is the number of the caller of the other
    seats. ``views`` (2,) and ``deals`` (3,) are overwritten; ``discards``, int64 (2 n, 24, 2), is added to: the sums of the
    discards after ordering up, at row ``2 * row + alone``.
    """
    tricks = np.empty(24, np.int64)
    for row in range(start, stop):
        actions = mask_bits(masks, row)
        if forced or popcount(actions) > 1:
            euchre.decode(observations, row, views, 0)
            for _ in range(worlds):
                _euchre_world(
                    views, deals, actions, calling, streams, row, transpositions, stack, tricks, sums, discards, row
                )  # fmt: skip


@kernel
def choose_euchre(
    observations: Bytes, masks: Bytes, streams: Streams, goal: int, views: Any, sums: Any, discards: Any, out: Ints
) -> None:
    """Writes the best action of each row of Euchre to ``out``, int64 (n,).

    Ordering up as the dealer counts with the one discard that is best over all worlds; its sums are written to ``sums``.
    ``goal`` is the kind of sums by which cards are chosen; bids and discards are chosen by POINTS.
    """
    for row in range(len(out)):
        euchre.decode(observations, row, views, 0)
        v = views[0]
        actions = mask_bits(masks, row)
        if v.phase == euchre.PLAYING:
            out[row] = best_card(actions, sums, row, goal, v.trump, euchre.STRENGTH, streams, row)
            continue
        if v.phase == euchre.DISCARDING:
            out[row] = best_card(actions, sums, row, POINTS, v.trump, euchre.STRENGTH, streams, row)
            continue
        if v.phase == euchre.ORDERING and v.dealer == 0:
            for alone in range(2):
                kept = 2 * row + alone
                best = lowest(v.turned)
                for card in range(24):
                    if v.hands[0] >> card & 1 and _compare_sums(discards, kept, card, best, POINTS) > 0:
                        best = card
                for kind in range(2):
                    sums[row, euchre.ORDER_UP + alone, kind] = discards[kept, best, kind]
        best = lowest(actions)
        for action in range(best + 1, masks.shape[1]):
            if actions >> action & 1 and _compare_sums(sums, row, action, best, POINTS) > 0:
                best = action
        out[row] = best


# --- Whist ---------------------------------------------------------------------------------------------------------


@kernel
def _same_card(deals: Any, j: int, card: int, lower: int) -> bool:
    """Whether two cards of the seat to act are equivalent: no card in play lies between. ``lower`` is -1 for no card."""
    g = deals[j]
    if lower < 0 or card // 13 != lower // 13:
        return False
    in_play = g.hands[0] | g.hands[1] | g.hands[2] | g.hands[3]
    if g.winner >= 0:
        in_play |= g.trick[g.winner]
    between = ((np.int64(1) << card) - 1) & -(np.int64(2) << lower)
    return in_play & between == 0


@kernel
def _play_out(deals: Any, j: int, streams: Streams, s: int) -> int:
    while deals[j].over == RUNNING:
        cards = playable_cards(deals[j], whist.SUIT_SETS, whist.SUIT_OF)
        whist.step(deals, j, rule_card(COOP_HIGH_LOW, deals[j], cards, whist.STRENGTH, streams, s))
    return deals[j].tricks[0] + deals[j].tricks[2]


@kernel
def _add_whist(won: int, tricks: Ints, sums: Any, row: int) -> None:
    """Adds a world of Whist to ``sums[row]``, from the tricks that side 0 has won and those to come by card (-1: none)."""
    for card in range(52):
        if tricks[card] >= 0:
            _add_world(sums, row, card, whist.margin(won + tricks[card]), tricks[card])


@kernel
def search_whist(
    observations: Bytes,
    masks: Bytes,
    streams: Streams,
    start: int,
    stop: int,
    worlds: int,
    forced: bool,
    exact: int,
    dds_from: int,
    views: Any,
    deals: Any,
    transpositions: Ints,
    stack: Ints,
    sums: Any,
) -> None:
    """Adds each legal card's points and tricks in ``worlds`` more worlds to the sums of some rows of Whist.

    Arguments as for `search_euchre`, and ``exact``: the most cards in hand with which worlds are solved; with more cards
    worlds are played out. Rows with ``dds_from`` to ``exact`` cards in hand are left to DDS.
    """
    tricks = np.empty(52, np.int64)
    v = views[0]
    for row in range(start, stop):
        actions = mask_bits(masks, row)
        if not forced and popcount(actions) == 1:
            continue
        whist.decode(observations, row, views, 0)
        won = v.tricks[0] + v.tricks[2]
        cards = popcount(v.hands[0])
        if dds_from <= cards <= exact:
            continue
        for _ in range(worlds):
            whist.redeal(views, 0, streams, row, deals, 0)
            if cards <= exact:
                _whist_cards(deals, 0, transpositions, stack, tricks)
            else:
                last = -1
                for card in range(52):
                    tricks[card] = -1
                    if actions >> card & 1:
                        if _same_card(deals, 0, card, last):
                            tricks[card] = tricks[last]
                        else:
                            deals[1] = deals[0]
                            whist.step(deals, 1, card)
                            tricks[card] = _play_out(deals, 1, streams, row) - won
                        last = card
            _add_whist(won, tricks, sums, row)


@kernel
def deal_worlds(observations: Bytes, row: int, streams: Streams, views: Any, deals: Any) -> None:
    """Fills ``deals`` with worlds for the view behind one row of Whist; ``views`` is overwritten."""
    whist.decode(observations, row, views, 0)
    for j in range(len(deals)):
        whist.redeal(views, 0, streams, row, deals, j)


@kernel
def add_solved(deals: Any, tricks: Ints, sums: Any, row: int) -> None:
    """Adds solved worlds of Whist to ``sums[row]``; ``tricks``, int64 (deals, 52), is -1 for illegal cards."""
    for j in range(len(deals)):
        _add_whist(deals[j].tricks[0] + deals[j].tricks[2], tricks[j], sums, row)


@kernel
def choose_whist(observations: Bytes, masks: Bytes, streams: Streams, goal: int, views: Any, sums: Any, out: Ints) -> None:
    """Writes the best card of each row of Whist to ``out``, int64 (n,); sums of kind ``goal`` are compared first."""
    for row in range(len(out)):
        whist.decode(observations, row, views, 0)
        out[row] = best_card(mask_bits(masks, row), sums, row, goal, views[0].trump, whist.STRENGTH, streams, row)

"""Worlds that beliefs find likely, solved exactly: what each card gains in them.

Worlds are drawn uniformly from all that the rules allow; some of these, chosen by how much likelier a belief network makes
them (importance resampling, D. B. Rubin, "A noniterative sampling/importance resampling alternative", JASA 1987), are
solved with all cards open (`cardenvs.baselines.search.double_dummy`). One driver does this for both games; the parts in
which games differ, where hidden cards lie and what tricks are worth, are kernels that it takes as arguments. Kernels trust
their input.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cardenvs.baselines.search.double_dummy import euchre_cards, whist_cards
from cardenvs.cards import Bytes, Ints, Streams, below, lowest
from cardenvs.games import euchre, whist
from cardenvs.jit import driver, helper, kernel
from cardenvs.policy import Scores

_UNIT = 1 << 30  # a number below it is drawn for a number between 0 and 1


@helper
def _count(cards: int, holder: int, counts: Scores) -> None:
    """Counts that a holder has ``cards``, a set."""
    while cards != 0:
        counts[holder, lowest(cards)] += 1.0
        cards &= cards - 1


@kernel
def _odds(odds: Scores, worlds: int, log_chances: Scores, k: int) -> None:
    """Turns counts over uniform worlds into how much likelier than in these a card is believed to be with each holder.

    Args:
        odds: float64 (holders, cards); in: in how many worlds the holder has the card; out: the logarithm of its believed
            chance divided by its share of the worlds.
        worlds: how many worlds were counted.
        log_chances: float64 (n, holders, cards), the logarithms of the believed chances.
        k: the position, a row of ``log_chances``.
    """
    for holder in range(odds.shape[0]):
        for card in range(odds.shape[1]):
            odds[holder, card] = log_chances[k, holder, card] - math.log((odds[holder, card] + 0.5) / worlds)


@helper
def _believed(cards: int, holder: int, odds: Scores) -> float:
    """How much likelier than in uniform worlds a holder is believed to have ``cards``, a set, as a sum of logarithms."""
    total = 0.0
    while cards != 0:
        total += odds[holder, lowest(cards)]
        cards &= cards - 1
    return total


@kernel
def _resample(weights: Scores, wanted: int, streams: Streams, s: int, counts: Ints) -> None:
    """Draws worlds by their weights: systematic resampling, evenly spaced from a random start.

    Args:
        weights: float64 (worlds,), logarithms; overwritten.
        wanted: how many worlds to draw.
        streams: uint64 (n,), random streams.
        s: the stream to draw from.
        counts: int64 (worlds,), written to: how often each world was drawn.
    """
    highest = weights.max()
    total = 0.0
    for j in range(len(weights)):
        weights[j] = math.exp(weights[j] - highest)
        total += weights[j]
    counts[:] = 0
    mark = (below(streams, s, _UNIT) + 0.5) / _UNIT
    passed = 0.0
    for j in range(len(weights)):
        passed += weights[j] / total * wanted
        while mark < passed:
            counts[j] += 1
            mark += 1.0


@driver
def _add_gains(
    decode: Any, redeal: Any, count: Any, weight: Any, solve: Any, gain: Any, observations: Any, rows: Any,
    log_chances: Any, trust: Any, wanted: Any, streams: Any, views: Any, deals: Any, lookup: Any, stack: Any, sums: Any,
) -> None:  # fmt: skip
    """Adds to ``sums[row]`` each legal card's gain in ``wanted`` believable worlds, for each of the ``rows``.

    Args:
        decode: the game's kernel, from an observation to a view.
        redeal: the game's kernel, from a view to a world.
        count: kernel ``(deals, j, counts)`` that counts which holder has which cards in world ``j``.
        weight: kernel ``(views, deals, j, odds, trust) -> float``, world ``j``'s log-weight.
        solve: kernel ``(deals, j, lookup, stack, tricks)`` that writes the tricks still to come after each card, -1 for
            illegal ones.
        gain: kernel ``(views, taken) -> int``, the points that the side makes with ``taken`` tricks, less the other side's.
        observations: int8 (n, observation_size).
        rows: int64 (k,), the positions to search.
        log_chances: float64 (k, holders, cards), from `cardenvs.train.inference.belief.Belief.log_chances`.
        trust: weight of the beliefs: 1 takes them as they are, 0 leaves the worlds uniform.
        wanted: how many worlds of each position are solved, repetitions counted.
        streams: uint64 (n,), random streams, advanced in place.
        views: one view, work space.
        deals: as many games as uniform worlds are drawn, work space.
        lookup: the first array of `cardenvs.baselines.search.double_dummy.workspace`, the solver's transposition table.
        stack: the second array of `cardenvs.baselines.search.double_dummy.workspace`.
        sums: float64 (n, num_actions), added to.
    """
    tricks = np.empty(log_chances.shape[2], np.int64)
    weights, counts = np.empty(len(deals)), np.empty(len(deals), np.int64)
    odds = np.empty(log_chances.shape[1:])
    for k in range(len(rows)):
        row = rows[k]
        decode(observations, row, views, 0)
        odds[:] = 0.0
        for j in range(len(deals)):
            redeal(views, 0, streams, row, deals, j)
            count(deals, j, odds)
        _odds(odds, len(deals), log_chances, k)
        for j in range(len(deals)):
            weights[j] = weight(views, deals, j, odds, trust)
        _resample(weights, wanted, streams, row, counts)
        won = views[0].tricks[0] + views[0].tricks[2]
        for j in range(len(deals)):
            if counts[j] > 0:
                solve(deals, j, lookup, stack, tricks)
                for card in range(len(tricks)):
                    if tricks[card] >= 0:
                        sums[row, card] += counts[j] * gain(views, won + tricks[card])


@helper
def _count_euchre(deals: Any, j: int, counts: Scores) -> None:
    """Counts the cards of each holder in a world of Euchre: the three other hands, the kitty, the dealer's discard."""
    g = deals[j]
    _count(g.kitty, 3, counts)
    _count(g.discard, 4, counts)
    for seat in range(1, 4):
        _count(g.hands[seat], seat - 1, counts)


@helper
def _weight_euchre(views: Any, deals: Any, j: int, odds: Scores, trust: float) -> float:
    """The log-weight of a world of Euchre."""
    g = deals[j]
    total = _believed(g.kitty, 3, odds)
    if views[0].dealer != 0:  # the dealer knows its own discard
        total += _believed(g.discard, 4, odds)
    for seat in range(1, 4):
        total += _believed(g.hands[seat], seat - 1, odds)
    return total * trust


@helper
def _gain_euchre(views: Any, taken: int) -> int:
    """The points that the side to act makes with ``taken`` of the five tricks, less the other side's."""
    return euchre.margin(taken, views[0].maker, views[0].alone)


@helper
def _count_whist(deals: Any, j: int, counts: Scores) -> None:
    """Counts the cards of each holder in a world of Whist: the three other hands."""
    for seat in range(1, 4):
        _count(deals[j].hands[seat], seat - 1, counts)


@helper
def _weight_whist(views: Any, deals: Any, j: int, odds: Scores, trust: float) -> float:
    """The log-weight of a world of Whist."""
    total = 0.0
    for seat in range(1, 4):
        total += trust * _believed(deals[j].hands[seat], seat - 1, odds)
    return total


@helper
def _gain_whist(views: Any, taken: int) -> int:
    """The points that the side to act makes with ``taken`` of the thirteen tricks, less the other side's."""
    return whist.margin(taken)


@kernel
def add_euchre_gains(
    observations: Bytes, rows: Ints, log_chances: Scores, trust: float, wanted: int, streams: Streams, views: Any,
    deals: Any, lookup: Ints, stack: Ints, sums: Scores,
) -> None:  # fmt: skip
    """Adds to ``sums`` each card's gain in believable worlds of Euchre; the arguments are those of `_add_gains`."""
    _add_gains(
        euchre.decode, euchre.redeal, _count_euchre, _weight_euchre, euchre_cards, _gain_euchre, observations, rows,
        log_chances, trust, wanted, streams, views, deals, lookup, stack, sums,
    )  # fmt: skip


@kernel
def add_whist_gains(
    observations: Bytes, rows: Ints, log_chances: Scores, trust: float, wanted: int, streams: Streams, views: Any,
    deals: Any, lookup: Ints, stack: Ints, sums: Scores,
) -> None:  # fmt: skip
    """Adds to ``sums`` each card's gain in believable worlds of Whist; the arguments are those of `_add_gains`."""
    _add_gains(
        whist.decode, whist.redeal, _count_whist, _weight_whist, whist_cards, _gain_whist, observations, rows,
        log_chances, trust, wanted, streams, views, deals, lookup, stack, sums,
    )  # fmt: skip

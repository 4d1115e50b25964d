"""Distributions of the final value of a Five-O column, if its owner chooses the cards that go into it.

Each row offers a column `OFFERS` random cards, of which it takes the best: about the choice that five columns leave each
other, where a random completion undervalues a column. The distribution of a column's final value then follows backwards
from the last row, for all columns that can follow from those of a position at once, and with it the chance of one column
to beat another. Columns are *states*: ranks, and the suit as long as there is only one.

The model is our own; the ``eval`` and ``fastEval`` of the Five-O paper (S. Aharon and M. Mandel, "Five-O Poker", II.A.1)
and its random completions (II.B.4) serve the same end.
"""

import functools
import itertools
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.compiled.bits import Ints, Streams, lowest, popcount
from cardenvs.compiled.jit import as_records, kernel
from cardenvs.compiled.streams import below, seed_streams
from cardenvs.games.poker import HIGHEST_VALUE, hand_value

OFFERS = 3  # number of random cards that a row offers a column
LEVELS = 64  # number of quantiles into which final values are sorted
ONE = 1 << 12  # a probability of 1 in `APPRAISALS`' ``ends`` and ``beaten``

_SUIT = (1 << 13) - 1
_COLUMNS = 20_000  # chains drawn to find the quantiles


# A number below `STATES` stands for a column of one to four cards: first those of mixed suits by their ranks, which may
# repeat, then those of one suit, suit by suit. `STATES` plus a value is a column of five.


def _state_sets() -> list[int]:
    sets = []
    for size in (2, 3, 4):
        for ranks in itertools.combinations_with_replacement(range(13), size):
            distinct = len(set(ranks)) == size
            suits = [int(k > 0) if distinct else ranks[:k].count(rank) for k, rank in enumerate(ranks)]
            sets.append(sum(1 << 13 * suit + rank for suit, rank in zip(suits, ranks, strict=True)))
    for suit in range(4):
        for size in (1, 2, 3, 4):
            sets += [sum(1 << 13 * suit + rank for rank in ranks) for ranks in itertools.combinations(range(13), size)]
    return sets


_SETS = np.array(_state_sets(), np.int64)
STATES = len(_SETS)  # the number of states of columns of one to four cards
SIZES = np.bitwise_count(_SETS).astype(np.int8)  # the number of cards in a column of each state: int8 (STATES,)


@kernel
def _state_key(cards: int) -> int:
    """The number common to all card sets of a state: the ranks' counts, three bits each, above the suit, 4 if mixed."""
    suit = lowest(cards) // 13
    key = np.int64(suit if cards >> (13 * suit) <= _SUIT else 4)
    while cards != 0:
        key += np.int64(8) << (3 * (lowest(cards) % 13))
        cards &= cards - 1
    return key


@kernel
def _fill_next(sets: Ints, sizes: Any, keys: Ints, order: Ints, following: Any) -> None:
    """Fills ``following`` with the lookup of `following_states`."""
    for state in range(len(sets)):
        cards = sets[state]
        one_suit = _state_key(cards) & 7 != 4
        for card in range(52):
            added = np.int64(1) << card
            if not one_suit:
                # Suits no longer count, so that any card of the rank will do which the representative lacks.
                for suit in range(4):
                    if cards & added != 0:
                        added = np.int64(1) << (card % 13 + 13 * suit)
            if cards & added != 0:
                following[state, card] = -1
            elif sizes[state] == 4:
                following[state, card] = len(sets) + hand_value(cards | added)
            else:
                following[state, card] = order[np.searchsorted(keys, _state_key(cards | added))]


@functools.cache
def following_states() -> npt.NDArray[np.int16]:
    """The state of a column with one more card: int16 (STATES, 52), -1 where the state has that card."""
    keys = np.array([_state_key(cards) for cards in _SETS.tolist()], np.int64)
    order = np.argsort(keys)
    following = np.empty((STATES, 52), np.int16)
    _fill_next(_SETS, SIZES, keys[order], order, following)
    return following


@functools.cache
def single_states() -> npt.NDArray[np.int64]:
    """The state of a column of each card alone: int64 (52,)."""
    state = {int(cards): k for k, cards in enumerate(_SETS)}
    return np.array([state[1 << card] for card in range(52)])


@kernel
def state_of(cards: int, singles: Ints, following: Any) -> int:
    """The state of a set of one to five cards: a number below STATES, or STATES plus the hand's value for five."""
    state = singles[lowest(cards)]
    cards &= cards - 1
    while cards != 0:
        state = np.int64(following[state, lowest(cards)])
        cards &= cards - 1
    return state


APPRAISALS = np.dtype(
    [
        ("worth", np.float64, (STATES + HIGHEST_VALUE + 1,)),  # the mean quantile of a column's final value, 0 to 1
        ("share", np.float32, (STATES, LEVELS)),  # the distribution of the quantile of a column's final value
        ("ends", np.int32, (STATES, LEVELS)),  # that distribution in units of 1 / ONE
        ("beaten", np.int32, (STATES, LEVELS)),  # in units of 1 / ONE, the chance that each quantile beats it, ties half
        ("levels", np.int32, (HIGHEST_VALUE + 1,)),  # the quantile of each value, 0 to LEVELS - 1
        ("queue", np.int64, (STATES,)),  # work space
        ("queued", np.int8, (STATES,)),
    ],
    align=True,
)
"""Results of `appraise_states`, by state; rows of states that cannot be reached have no meaning."""

_MIXED = 91 + 455 + 1820  # states of mixed suits
_SUITED = (STATES - _MIXED) // 4
_SAME_RANK = 1 | 1 << 13 | 1 << 26 | 1 << 39


@kernel
def _list_outcomes(state: int, unseen: int, following: Any, nexts: Ints, weights: Any) -> int:
    """Lists the states that can follow in ``nexts``, the numbers of their cards in ``weights``; returns how many."""
    n = 0
    suit_cards = np.int64(0)
    if state >= _MIXED:
        suit_cards = unseen & np.int64(_SUIT) << 13 * ((state - _MIXED) // _SUITED)
        rest = suit_cards
        while rest != 0:
            after = np.int64(following[state, lowest(rest)])
            rest &= rest - 1
            if after >= 0:
                nexts[n], weights[n] = after, 1.0
                n += 1
    for rank in range(13):
        fitting = unseen & ~suit_cards & np.int64(_SAME_RANK) << rank
        if fitting != 0:
            after = np.int64(following[state, lowest(fitting)])
            if after >= 0:
                nexts[n], weights[n] = after, popcount(fitting)
                n += 1
    return n


@kernel
def appraise_states(unseen: int, roots: Ints, count: int, following: Any, appraisals: Any) -> None:
    """Appraises every state that can follow from the first ``count`` of ``roots``, states; overwrites ``appraisals``.

    ``unseen`` are the cards that may come; a card that a column takes later is not removed from it.
    """
    a = appraisals[0]
    nexts, weights, mass = np.empty(26, np.int64), np.empty(26), np.empty(LEVELS)
    a.queued[:] = 0
    end = 0
    for k in range(count):
        if roots[k] < STATES and a.queued[roots[k]] == 0:
            a.queued[roots[k]] = 1
            a.queue[end] = roots[k]
            end += 1
    start = 0
    while start < end:
        state = a.queue[start]
        start += 1
        if SIZES[state] < 4:
            for k in range(_list_outcomes(state, unseen, following, nexts, weights)):
                after = nexts[k]
                if a.queued[after] == 0:
                    a.queued[after] = 1
                    a.queue[end] = after
                    end += 1
    for size in range(4, 0, -1):
        for queued in range(end):
            state = a.queue[queued]
            if SIZES[state] != size:
                continue
            n = _list_outcomes(state, unseen, following, nexts, weights)
            # Of equal quantiles any may be the best offer: they share its chance by their weights.
            total = 0.0
            mass[:] = 0.0
            for k in range(n):
                total += weights[k]
                mass[min(LEVELS - 1, int(a.worth[nexts[k]] * LEVELS))] += weights[k]
            under, chance = 0.0, 0.0
            for level in range(LEVELS):
                if mass[level] > 0.0:
                    under += mass[level] / total
                    reached = 1.0
                    for _ in range(OFFERS):
                        reached *= under
                    mass[level] = (reached - chance) / mass[level]
                    chance = reached
            share = a.share[state]
            share[:] = np.float32(0.0)
            worth = 0.0
            for k in range(n):
                after = nexts[k]
                p = weights[k] * mass[min(LEVELS - 1, int(a.worth[after] * LEVELS))]
                worth += p * a.worth[after]
                part = np.float32(p)
                if after >= STATES:
                    share[a.levels[after - STATES]] += part
                else:
                    source = a.share[after]
                    for level in range(LEVELS):
                        share[level] += part * source[level]
            a.worth[state] = worth
            below_it = 0.0
            for level in range(LEVELS):
                a.ends[state, level] = int(share[level] * ONE + 0.5)
                a.beaten[state, level] = int((below_it + 0.5 * share[level]) * ONE + 0.5)
                below_it += share[level]


@kernel
def chance_to_beat(own: int, other: int, appraisals: Any) -> float:
    """The chance that a column in one state beats one in another, both appraised or of five cards; a tie counts half."""
    a = appraisals[0]
    if own >= STATES:
        if other >= STATES:
            return 1.0 if own > other else 0.5 if own == other else 0.0
        return a.beaten[other, a.levels[own - STATES]] / ONE
    if other >= STATES:
        return 1.0 - a.beaten[own, a.levels[other - STATES]] / ONE
    ends, beaten = a.ends[own], a.beaten[other]
    total = np.int32(0)
    for level in range(LEVELS):
        total += ends[level] * beaten[level]
    return total / (ONE * ONE)


@kernel
def _draw_ends(columns: int, singles: Ints, following: Any, appraisals: Any, streams: Streams, counts: Ints) -> None:
    """Draws columns that take the best offer of each row; counts their final values in ``counts``, int64 by value."""
    a = appraisals[0]
    for _ in range(columns):
        state = singles[below(streams, 0, 52)]
        for _ in range(4):
            best = np.int64(-1)
            taken = 0
            while taken < OFFERS:
                after = np.int64(following[state, below(streams, 0, 52)])
                if after >= 0:
                    taken += 1
                    if best < 0 or a.worth[after] > a.worth[best]:
                        best = after
            state = best
        counts[state - STATES] += 1


@functools.cache
def _value_quantiles() -> npt.NDArray[np.float64]:
    """The share of columns, grown from a full deck, that a final value beats, ties half: float64 (HIGHEST_VALUE + 1,)."""
    appraisals = as_records(np.zeros(1, APPRAISALS))
    singles, following = single_states(), following_states()
    quantiles = np.arange(HIGHEST_VALUE + 1) / (HIGHEST_VALUE + 1)
    for trial in range(4):  # the best offer depends on the values that other columns end with
        _set_levels(appraisals, quantiles)
        appraise_states((1 << 52) - 1, singles, 52, following, appraisals)
        counts = np.ones(HIGHEST_VALUE + 1, np.int64)
        counts[0] = 0
        _draw_ends(_COLUMNS, singles, following, appraisals, seed_streams(trial, 1), counts)
        quantiles = (np.cumsum(counts) - counts / 2) / counts.sum()
    return quantiles


def _set_levels(appraisals: Any, quantiles: npt.NDArray[np.float64]) -> None:
    """Sets the quantiles of the final values, which are the same in all positions."""
    appraisals["worth"][0, STATES:] = quantiles
    appraisals["levels"][0] = np.minimum((quantiles * LEVELS).astype(np.int64), LEVELS - 1)


def new_appraisals() -> Any:
    """An array for `appraise_states` to write to, its quantiles set: structured (1,), dtype `APPRAISALS`."""
    appraisals = np.zeros(1, APPRAISALS)
    _set_levels(appraisals, _value_quantiles())
    return as_records(appraisals)

"""Chances of Five-O's columns, counted over all random completions (S. Aharon and M. Mandel, "Five-O Poker", II.B.5).

Both columns draw from the same cards, so the pairs to count are those of disjoint draws A and B with the better hand in
A. Pairs are too many to list; but the number of draws B that are disjoint from a given A is, by inclusion and exclusion, a
sum over the subsets S of A of (-1)**|S| times the number of draws B that contain S. So the draws of both sides are
enumerated in the order of their hands' values. B adds 1 to the counter of each of its subsets, A reads its own.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.search.five_o.chances import MOST_UNSEEN, PUT, WAIT, Chances, mask_illegal
from cardenvs.compiled.bits import Bytes, Ints, popcount
from cardenvs.compiled.jit import helper, kernel
from cardenvs.contract.observed import check_rows
from cardenvs.games import five_o
from cardenvs.games.poker import HIGHEST_VALUE, hand_value
from cardenvs.policy.contract import mask_bits

_MOST_DRAWN = 4  # most cards missing in a column


def _build_choose() -> Ints:
    """Binomial coefficients ``[n, k]`` for n from 0 to MOST_UNSEEN and k from 0 to 4: int64."""
    choose = np.zeros((MOST_UNSEEN + 1, _MOST_DRAWN + 1), np.int64)
    choose[:, 0] = 1
    for n in range(1, len(choose)):
        choose[n, 1:] = choose[n - 1, 1:] + choose[n - 1, :-1]
    return choose


_SETS = _build_choose()
_SIZES = np.bitwise_count(np.arange(1 << _MOST_DRAWN)).astype(np.int64)


@kernel
def _list_draws(cards: Ints, total: int, count: int, column: int, draws: Ints, values: Ints, starts: Ints) -> int:
    """Lists all draws of ``count`` cards by the value of the hand that they make of ``column``; returns their number."""
    n = _SETS[total, count]
    unordered = np.empty(n, np.int64)
    starts[:] = 0
    at = np.empty(_MOST_DRAWN + 1, np.int64)
    for k in range(count):
        at[k] = k
    at[count] = total
    for k in range(n):
        hand, packed = column, np.int64(0)
        for j in range(count):
            hand |= cards[at[j]]
            packed |= at[j] << (8 * j)
        unordered[k] = packed
        value = hand_value(hand)
        values[k] = value
        starts[value + 1] += 1
        # The next draw in colexicographic order.
        j = 0
        while j < count - 1 and at[j] + 1 == at[j + 1]:
            at[j] = j
            j += 1
        at[j] += 1
    for value in range(1, HIGHEST_VALUE + 2):
        starts[value] += starts[value - 1]
    for k in range(n):
        value = values[k]
        draws[starts[value]] = unordered[k]
        starts[value] += 1
    for value in range(HIGHEST_VALUE + 1, 0, -1):
        starts[value] = starts[value - 1]
    starts[0] = 0
    return n


@helper
def _number_subsets(packed: int, count: int, offsets: Ints, numbers: Ints) -> None:
    numbers[0] = 0
    for k in range(count):
        card = packed >> (8 * k) & 0xFF
        for part in range(1 << k):
            numbers[1 << k | part] = numbers[part] + _SETS[card, _SIZES[part] + 1]
    for part in range(1 << count):
        numbers[part] += offsets[_SIZES[part]]


@helper
def _count_disjoint(
    draws: Ints, start: int, stop: int, count: int, most: int, offsets: Ints, numbers: Ints, holding: Any
) -> int:
    """Number of pairs of a draw among ``draws[start:stop]`` and a counted draw that have no card in common."""
    pairs = np.int64(0)
    for k in range(start, stop):
        _number_subsets(draws[k], count, offsets, numbers)
        for part in range(1 << count):
            size = _SIZES[part]
            if size <= most:
                holders = np.int64(holding[numbers[part]])
                pairs += -holders if size & 1 else holders
    return pairs


@kernel
def exact_row(views: Any, i: int, actions: int, chances: Chances, row: int) -> None:
    """Writes the columns' exact chances to beat the opposing ones to ``chances[row]``; ``PUT`` of legal ones only."""
    v = views[i]
    unseen = five_o.unseen_cards(views, i)
    total = popcount(unseen)
    cards = np.empty(MOST_UNSEEN, np.int64)
    for k in range(total):
        cards[k] = unseen & -unseen
        unseen &= unseen - 1
    most = 1
    for column in range(5):
        most = max(most, 5 - popcount(v.columns[0, column]), 5 - popcount(v.columns[1, column]))
    draws = np.empty((3, _SETS[total, most]), np.int64)
    values = np.empty(_SETS[total, most], np.int64)
    starts = np.empty((3, HIGHEST_VALUE + 3), np.int64)
    offsets = np.zeros(_MOST_DRAWN + 1, np.int64)
    for k in range(_MOST_DRAWN):
        offsets[k + 1] = offsets[k] + _SETS[total, k]
    holding = np.empty(offsets[most] + _SETS[total, most], np.int32)
    numbers = np.empty(1 << _MOST_DRAWN, np.int64)
    for column in range(5):
        own, other = v.columns[0, column], v.columns[1, column]
        waiting, against = 5 - popcount(own), 5 - popcount(other)
        putting = waiting - 1 if actions >> column & 1 else np.int64(-1)
        _list_draws(cards, total, against, other, draws[2], values, starts[2])
        _list_draws(cards, total, waiting, own, draws[WAIT], values, starts[WAIT])
        if putting >= 0:
            _list_draws(cards, total, putting, own | v.card, draws[PUT], values, starts[PUT])
        holding[:] = 0
        put_pairs, wait_pairs = np.int64(0), np.int64(0)
        for value in range(1, HIGHEST_VALUE + 1):
            # Before the draws of the same value are counted: those are ties.
            start, stop = starts[WAIT, value], starts[WAIT, value + 1]
            if start < stop:
                wait_pairs += _count_disjoint(draws[WAIT], start, stop, waiting, against, offsets, numbers, holding)
            if putting >= 0:
                start, stop = starts[PUT, value], starts[PUT, value + 1]
                if start < stop:
                    put_pairs += _count_disjoint(draws[PUT], start, stop, putting, against, offsets, numbers, holding)
            for k in range(starts[2, value], starts[2, value + 1]):
                _number_subsets(draws[2, k], against, offsets, numbers)
                for part in range(1 << against):
                    if _SIZES[part] <= waiting:
                        holding[numbers[part]] += 1
        chances[row, column, WAIT] = wait_pairs / (_SETS[total, waiting] * _SETS[total - waiting, against])
        if putting >= 0:
            chances[row, column, PUT] = put_pairs / (_SETS[total, putting] * _SETS[total - putting, against])


@kernel
def _exact_rows(observations: Bytes, masks: Bytes, views: Any, chances: Chances) -> None:
    for row in range(len(observations)):
        five_o.decode(observations, row, views, 0)
        exact_row(views, 0, mask_bits(masks, row), chances, row)


def exact_chances(observations: npt.ArrayLike, action_masks: npt.ArrayLike) -> Chances:
    """Each column's chance to beat the opposing one over all random completions, exactly (II.B.5).

    Returns float64 (n, 5, 2): by column with the card in hand (``PUT``, nan where illegal) and without it (``WAIT``).

    Raises:
        ValueError: wrong shapes, a mask without a legal action.
    """
    rows, masks = check_rows(five_o.SPEC, observations, action_masks)
    chances = np.zeros((len(rows), 5, 2))
    _exact_rows(rows, masks, five_o.SPEC.new_games(1), chances)
    return mask_illegal(chances, masks)

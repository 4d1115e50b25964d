"""Chances of Five-O's columns: to win with and without the card in hand, to decide the game, and to gain by the card.

Chances come from appraisals: of the full deck in the first two rows, of the cards left in the third; in the last row, where
a column lacks one card, all unseen cards are tried. Sets of columns are bits of an int. Kernels trust their input.
"""

from __future__ import annotations

import functools
import threading
from typing import Any

import numpy as np

from cardenvs.baselines.search.five_o.appraisal import (
    OFFERS,
    appraise_states,
    chance_to_beat,
    following_states,
    new_appraisals,
    single_states,
    state_of,
)
from cardenvs.compiled.bits import Ints, popcount
from cardenvs.compiled.jit import helper, kernel
from cardenvs.games.poker import hand_value

COLUMNS = 5  # the number of columns of a player


@functools.cache
def full_deck_chances() -> Any:
    """Returns the read-only appraisal of all columns if every card may still come: structured (1,), dtype `APPRAISALS`."""
    appraisals = new_appraisals()
    singles = single_states()
    appraise_states((1 << 52) - 1, singles, len(singles), following_states(), appraisals)
    return appraisals


_local = threading.local()


def work_space() -> Any:
    """Returns this thread's array for `appraise_left`: structured (1,), dtype `APPRAISALS`."""
    if not hasattr(_local, "appraisals"):
        _local.appraisals = new_appraisals()
    return _local.appraisals


@helper
def _list_final_values(cards: int, unseen: int, values: Ints) -> int:
    """Lists the values that a column can end with, ascending; returns their number."""
    if popcount(cards) == 5:
        values[0] = hand_value(cards)
        return 1
    n = 0
    while unseen != 0:
        values[n] = hand_value(cards | unseen & -unseen)
        unseen &= unseen - 1
        n += 1
    values[:n].sort()
    return n


@helper
def _best_offer(k: int, n: int) -> float:
    """Returns the chance that number ``k`` (from 0) of ``n`` ascending values is the best of `OFFERS` random ones."""
    upper, lower = (k + 1) / n, k / n
    return upper**OFFERS - lower**OFFERS


@helper
def _win_chance(value: int, m: int, theirs: Ints) -> float:
    """Returns the chance that a value beats a column that will end with one of ``m`` ascending values; ties count half."""
    total = 0.0
    for j in range(m):
        total += _best_offer(j, m) * (int(value > theirs[j]) + int(value >= theirs[j]))
    return total / 2


@kernel
def order_cards(chances: Any, n: int, columns: int, cards: Ints, keys: Any) -> None:
    """Orders all ``n`` cards but the first by summed chances in the open columns, lowest first, then by rank, in place.
    ``chances`` are float64 (53, 5), each column's chance to win with each of ``cards``, int64 (53,), the card in hand
    first. ``keys``, float64 (53,), is work space."""
    for i in range(1, n):
        total = 0.0
        for k in range(COLUMNS):
            if columns >> k & 1:
                total += chances[i, k]
        keys[i] = np.rint(total * 1e6) * 13 + cards[i] % 13
    for i in range(2, n):
        j = i
        while j > 1 and keys[j] < keys[j - 1]:
            keys[j], keys[j - 1] = keys[j - 1], keys[j]
            cards[j], cards[j - 1] = cards[j - 1], cards[j]
            for k in range(COLUMNS):
                chances[j, k], chances[j - 1, k] = chances[j - 1, k], chances[j, k]
            j -= 1


@kernel
def fill_row(chances: Any, n: int, weights: Any, columns: int, worth: Any, gains: Any) -> None:
    """Writes the value of each open column for the card in hand, if the row is then filled optimally, to ``gains``. A
    column is worth its chance to win, ``chances`` float64 (53, 5), times its chance to decide, ``weights`` float64 (5,).
    The other ``n - 1`` cards come one by one, equally likely, and each goes where it does best. ``worth``, float64 (32,),
    is work space for the worth of each set of open columns."""
    worth[0] = 0.0
    for left in range(1, 32):
        if left & ~columns != 0:
            continue
        total = 0.0
        for i in range(1, n):
            best = -1.0
            for k in range(COLUMNS):
                if left >> k & 1:
                    best = max(best, weights[k] * chances[i, k] + worth[left ^ 1 << k])
            total += best
        worth[left] = total / (n - 1)
    for k in range(COLUMNS):
        if columns >> k & 1:
            gains[k] = weights[k] * chances[0, k] + worth[columns ^ 1 << k]


@kernel
def appraise_left(views: Any, unseen: int, card: int, columns: int, singles: Ints, following: Any, appraisals: Any) -> None:
    """Appraises both sides' columns in ``views[0]``, open ones also with the card in hand, by the unseen cards. Writes to
    ``appraisals``, from `work_space`; ``singles`` and ``following`` are those of the module of appraisals."""
    v = views[0]
    roots = np.empty(3 * COLUMNS, np.int64)
    n = 0
    for k in range(COLUMNS):
        roots[n] = state_of(v.columns[1, k], singles, following)
        roots[n + 1] = state_of(v.columns[0, k], singles, following)
        n += 2
        if columns >> k & 1:
            roots[n] = following[roots[n - 1], card]
            n += 1
    appraise_states(unseen, roots, n, following, appraisals)


@kernel
def column_chances(
    views: Any, unseen: int, last: bool, columns: int, cards: Ints, n: int, singles: Ints, following: Any, appraisals: Any,
    before: Any, chances: Any, mine: Ints, theirs: Ints,
) -> None:  # fmt: skip
    """Writes each column's chance to win as it is in ``views[0]`` and, for open columns, with each of ``n`` cards. ``last``
    is whether the last row is being filled; ``cards``, int64 (53,), are the card in hand and the unseen ones. Written are
    ``before``, float64 (5,), and ``chances``, float64 (53, 5); ``mine`` and ``theirs``, int64 (52,), are work space."""
    v = views[0]
    for k in range(COLUMNS):
        own, other = v.columns[0, k], v.columns[1, k]
        tried = n if columns >> k & 1 else 0
        if last and popcount(other) >= 4:
            m = _list_final_values(other, unseen, theirs)
            o = _list_final_values(own, unseen, mine)
            before[k] = 0.0
            for i in range(o):
                before[k] += _best_offer(i, o) * _win_chance(mine[i], m, theirs)
            for i in range(tried):
                chances[i, k] = _win_chance(hand_value(own | 1 << cards[i]), m, theirs)
        else:
            state, shown = state_of(own, singles, following), state_of(other, singles, following)
            before[k] = chance_to_beat(state, shown, appraisals)
            for i in range(tried):
                chances[i, k] = chance_to_beat(int(following[state, cards[i]]), shown, appraisals)


@kernel
def fill_decisive_chances(chances: Any, weights: Any) -> None:
    """Writes to ``weights`` each column's chance to decide the game: that exactly two of the other four are won."""
    for k in range(COLUMNS):
        none, one, two = 1.0, 0.0, 0.0
        for j in range(COLUMNS):
            if j != k:
                two = two * (1.0 - chances[j]) + one * chances[j]
                one = one * (1.0 - chances[j]) + none * chances[j]
                none *= 1.0 - chances[j]
        weights[k] = two

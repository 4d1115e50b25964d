"""A network for Five-O: what it makes of a column is the same for all five, whatever their order and the names of suits.

Each column, with the card in hand and the one it competes with, becomes a row of `FEATURES`; one small network turns every
row into numbers, a second one each column's numbers with the mean over all five, and a last layer says how good the column
is for the card. To exchange columns, or suits, then changes nothing but the places, and what is learned of one column is
learned of all.

Among the features is the chance of the column to win, with and without the card. In the first two rows it is looked up in
the tables of `cardenvs.baselines.search.five_o.appraisal`, made once from the full deck; in the next such tables are made
from the cards left; in the last row, where a column lacks but a card, all unseen cards are tried. Another feature is how
good the column is for the card if the rest of the row is filled as well as can be, for whatever cards may come: in the last
row the chance to win the game by `cardenvs.baselines.search.five_o.last_row`, before it the columns' chances, each by how
often it decides.
"""

from __future__ import annotations

import functools
import hashlib
import threading
from typing import Any

import numpy as np

from cardenvs.baselines.search.five_o.appraisal import (
    OFFERS,
    appraise,
    chance_to_beat,
    following_states,
    new_appraisals,
    single_states,
    state_of,
)
from cardenvs.baselines.search.five_o.chances import three_of_five
from cardenvs.baselines.search.five_o.last_row import fill_last_row
from cardenvs.cards import Bytes, Floats, Ints, lowest, popcount
from cardenvs.envs.batch import Batch
from cardenvs.games import five_o
from cardenvs.jit import helper, kernel
from cardenvs.poker import hand_value

COLUMNS = 5
ALONE, BESIDE = "alone", "beside"
"""The layers of `cardenvs.train.learning.network.ColumnTrunk`: a column alone, and beside the mean of all."""
_SUIT = (1 << 13) - 1
_RANK = 1 | 1 << 13 | 1 << 26 | 1 << 39

# Where the features of a column begin.
_OWN, _OTHER = 0, 39  # ranks that are there at least once, twice, three times
_OWN_OUTS, _OTHER_OUTS = 78, 91  # unseen cards of the ranks that are there, in fours
_OWN_SUIT, _OTHER_SUIT = 104, 107  # of one suit; the card in hand has it; unseen cards of it
_OWN_LIKE, _OTHER_LIKE = 110, 113  # cards of the rank in hand: at least one, two, three
_COVERED, _OPEN, _CHANCE = 116, 120, 122
_TABLE = 128  # the same for all columns
_CARD, _UNSEEN, _ROW, _MORE = _TABLE, _TABLE + 13, _TABLE + 26, _TABLE + 30
FEATURES = _TABLE + 39
"""Features of a column."""


@functools.cache
def _full_deck_tables() -> Any:
    """The chances of all columns if every card may still come; read only."""
    tables = new_appraisals()
    singles = single_states()
    appraise((1 << 52) - 1, singles, len(singles), following_states(), tables)
    return tables


_local = threading.local()


def _work_space() -> Any:
    """Tables of this thread for the cards that are left."""
    if not hasattr(_local, "tables"):
        _local.tables = new_appraisals()
    return _local.tables


@kernel
def _cards(cards: int, unseen: int, card: int, ranks: int, outs: int, suit: int, like: int, f: Floats) -> None:
    """Writes what there is to say of one side's cards in a column to the row ``f``."""
    for rank in range(13):
        held = popcount(cards & (_RANK << rank))
        if held > 0:
            f[ranks + rank] = 1.0
            f[outs + rank] = popcount(unseen & (_RANK << rank)) / 4
            f[ranks + 13 + rank] = held > 1
            f[ranks + 26 + rank] = held > 2
    flush = lowest(cards) // 13
    if cards & ~(_SUIT << 13 * flush) == 0:
        f[suit] = 1.0
        f[suit + 1] = card // 13 == flush
        f[suit + 2] = popcount(unseen & (_SUIT << 13 * flush)) / 13
    held = popcount(cards & (_RANK << card % 13))
    for k in range(min(3, held)):
        f[like + k] = 1.0


@helper
def _completions(cards: int, unseen: int, values: Ints) -> int:
    """Writes the values of a column of four with each unseen card, or that of one of five, ascending; returns how many."""
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
    """How likely number ``k`` of ``n`` ascending values is the best of `OFFERS` offers."""
    upper, lower = (k + 1) / n, k / n
    return upper**OFFERS - lower**OFFERS


@helper
def _chance(value: int, m: int, theirs: Ints) -> float:
    """The chance that a value beats a column with one of ``m`` ascending values to come; ties half."""
    total = 0.0
    for j in range(m):
        total += _best_offer(j, m) * (int(value > theirs[j]) + int(value >= theirs[j]))
    return total / 2


@kernel
def _order_cards(chances: Any, n: int, columns: int, cards: Ints, keys: Any) -> None:
    """Orders all but the card in hand by what they do for the open columns, the least first; then by rank."""
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
def _fill_row(chances: Any, n: int, weights: Any, columns: int, worth: Any, gains: Any) -> None:
    """How good each column is for the card in hand if the rest of the row is filled as well as can be.

    What a column is worth is how often it decides the game times its chance to win. Cards come one by one, each of the
    others equally likely, and each goes where it does best, given what the columns left open may still expect.

    Args:
        chances: float64 (53, 5), of each column to win with each card: first the one in hand, then ``n - 1`` others.
        n: cards.
        weights: float64 (5,), how often each column decides.
        columns: the open ones, a bit each.
        worth: float64 (32,), work space: of each set of open columns.
        gains: float64 (5,), written to; those of closed columns are not.
    """
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
def _appraise_left(views: Any, unseen: int, card: int, columns: int, singles: Ints, following: Any, tables: Any) -> None:
    """Appraises the columns of view 0, those open also with the card in hand, by the cards left."""
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
    appraise(unseen, roots, n, following, tables)


@kernel
def _column_chances(
    views: Any, unseen: int, last: bool, columns: int, cards: Ints, n: int, singles: Ints, following: Any, tables: Any,
    before: Any, chances: Any, mine: Ints, theirs: Ints,
) -> None:  # fmt: skip
    """Writes the chance of each column of view 0 to win as it is, and of each open one with each of ``n`` cards.

    Args:
        views: of which number 0 counts.
        unseen: the cards that may come.
        last: whether the last row is being filled.
        columns: the open ones, a bit each.
        cards: int64 (53,), the card in hand and the unseen ones.
        n: how many they are.
        singles, following, tables: of `cardenvs.baselines.search.five_o.appraisal`.
        before: float64 (5,), written to.
        chances: float64 (53, 5), written to.
        mine: int64 (52,), work space, as is ``theirs``.
        theirs: see there.
    """
    v = views[0]
    for k in range(COLUMNS):
        own, other = v.columns[0, k], v.columns[1, k]
        tried = n if columns >> k & 1 else 0
        if last and popcount(other) >= 4:
            m = _completions(other, unseen, theirs)
            o = _completions(own, unseen, mine)
            before[k] = 0.0
            for i in range(o):
                before[k] += _best_offer(i, o) * _chance(mine[i], m, theirs)
            for i in range(tried):
                chances[i, k] = _chance(hand_value(own | 1 << cards[i]), m, theirs)
        else:
            state, shown = state_of(own, singles, following), state_of(other, singles, following)
            before[k] = chance_to_beat(state, shown, tables)
            for i in range(tried):
                chances[i, k] = chance_to_beat(int(following[state, cards[i]]), shown, tables)


@kernel
def _decisive(chances: Any, weights: Any) -> None:
    """Writes how often each column decides: as likely as exactly two of the other four are won."""
    for k in range(COLUMNS):
        none, one, two = 1.0, 0.0, 0.0
        for j in range(COLUMNS):
            if j != k:
                two = two * (1.0 - chances[j]) + one * chances[j]
                one = one * (1.0 - chances[j]) + none * chances[j]
                none *= 1.0 - chances[j]
        weights[k] = two


@kernel
def _write_features(
    observations: Bytes, views: Any, singles: Ints, following: Any, full: Any, left: Any, out: Floats
) -> None:
    before, weights, gains, worth = np.empty(COLUMNS), np.empty(COLUMNS), np.empty(COLUMNS), np.empty(32)
    cards, chances, keys = np.empty(53, np.int64), np.empty((53, COLUMNS)), np.empty(53)
    mine, theirs, p = np.empty(52, np.int64), np.empty(52, np.int64), np.empty(COLUMNS)
    for row in range(len(observations)):
        five_o.decode(observations, row, views, 0)
        v = views[0]
        unseen = five_o.unseen_cards(views, 0)
        filling = min((v.drawn - 11) // 10, 3)
        card = lowest(v.card) if v.card != 0 else 0
        columns = v.open[0] if v.card != 0 else 0
        cards[0] = card
        n, rest = 1, unseen
        while rest != 0:
            cards[n] = lowest(rest)
            rest &= rest - 1
            n += 1
        # In the last row tables are needed only where the other has more than a card face down in a column.
        short = False
        for k in range(COLUMNS):
            short |= popcount(v.columns[1, k]) < 4
        if filling == 2 or (filling == 3 and short):
            _appraise_left(views, unseen, card, columns, singles, following, left)
        tables = left if filling >= 2 else full
        _column_chances(
            views, unseen, filling == 3, columns, cards, n, singles, following, tables, before, chances, mine, theirs
        )
        _decisive(before, weights)
        win = three_of_five(before[0], before[1], before[2], before[3], before[4])
        if filling == 3:
            _order_cards(chances, n, columns, cards, keys)
            p[:] = before
            fill_last_row(chances, n, columns, p, gains)
            if columns != 0:
                win = gains.max()
        else:
            _fill_row(chances, n, weights, columns, worth, gains)
        best = -1.0
        for k in range(COLUMNS):
            if columns >> k & 1:
                best = max(best, gains[k])
        out[row] = 0.0
        for k in range(COLUMNS):
            f = out[row, k]
            _cards(v.columns[0, k], unseen, card, _OWN, _OWN_OUTS, _OWN_SUIT, _OWN_LIKE, f)
            _cards(v.columns[1, k], unseen, card, _OTHER, _OTHER_OUTS, _OTHER_SUIT, _OTHER_LIKE, f)
            for j in range(v.covered[1, k]):
                f[_COVERED + j] = 1.0
            f[_OPEN] = v.open[0] >> k & 1
            f[_OPEN + 1] = v.open[1] >> k & 1
            f[_CHANCE] = before[k]
            f[_CHANCE + 1] = before[k]
            f[_CHANCE + 2] = weights[k]
            if columns >> k & 1:
                f[_CHANCE + 1] = chances[0, k]
                f[_CHANCE + 3] = 4.0 * weights[k] * (chances[0, k] - before[k])
                f[_CHANCE + 4] = max(-2.0, 10.0 * (gains[k] - best))
                f[_CHANCE + 5] = gains[k] == best
            f[_CARD + card % 13] = v.card != 0
            for rank in range(13):
                f[_UNSEEN + rank] = popcount(unseen & (_RANK << rank)) / 4
            f[_ROW + filling] = 1.0
            f[_MORE] = v.first
            f[_MORE + 1] = popcount(v.open[0]) / 5
            f[_MORE + 2] = popcount(v.open[1]) / 5
            f[_MORE + 3 + v.hidden_rows] = 1.0
            f[_MORE + 8] = win


def column_features(observations: Bytes) -> Floats:
    """What a network is to know of each column: float32 (n, 5, FEATURES).

    Args:
        observations: int8 (n, observation_size), Five-O's.
    """
    out = np.empty((len(observations), COLUMNS, FEATURES), np.float32)
    _write_features(
        np.ascontiguousarray(observations), five_o.SPEC.new_games(1), single_states(), following_states(),
        _full_deck_tables(), _work_space(), out,
    )  # fmt: skip
    return out


@functools.cache
def features_hash() -> str:
    """16 hex digits that change when `column_features` does: what it makes of some random positions, to hundredths."""
    digest = hashlib.sha256(f"{FEATURES}".encode())
    for hidden_rows in (1, 0):
        batch = Batch("five-o", 8, seed=20_150_002, hidden_rows=hidden_rows)
        for step in range(five_o.MAX_STEPS):
            if step % 3 == 0:
                digest.update(np.rint(100 * column_features(batch.observations)).astype(np.int16).tobytes())
            batch.step((batch.action_masks * ((np.arange(COLUMNS) + step) % COLUMNS + 1)).argmax(1))
    return digest.hexdigest()[:16]

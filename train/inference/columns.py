"""Features of Five-O's columns, the same kind for all five and invariant to the names of suits.

Each column, with the card in hand and the opposite column, becomes a row of `FEATURES` for a network whose weights the
columns share. Among them are its chance to win with and without the card, and its value for the card if the row is then
filled optimally: in the last row the chance to win the game, before it chances weighted by how often columns decide.

Chances come from appraisals: of the full deck in the first two rows, of the cards left in the third; in the last row, where
a column lacks one card, all unseen cards are tried. Sets of columns are bits of an int. Kernels trust their input.
"""

import functools
import hashlib
import threading
from collections.abc import Mapping
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
from cardenvs.baselines.search.five_o.chances import three_of_five
from cardenvs.baselines.search.five_o.last_row import fill_last_row
from cardenvs.compiled.bits import Bytes, Floats, Ints, lowest, overwrite, popcount
from cardenvs.compiled.jit import helper, kernel
from cardenvs.envs.batch import Batch
from cardenvs.games import five_o
from cardenvs.games.poker import hand_value
from cardenvs.train.models.weights import Layer

__all__ = ["ALONE", "BESIDE", "COLUMNS", "FEATURES", "column_features", "column_layers", "features_hash"]

COLUMNS = 5  # the number of columns of a player
ALONE, BESIDE = "alone", "beside"  # layers of `ColumnTrunk`: of a column alone, and beside the mean of all five
_SUIT = (1 << 13) - 1
_RANK = 1 | 1 << 13 | 1 << 26 | 1 << 39

# Where the features of a column begin.
_OWN, _OTHER = 0, 39  # ranks that are there at least once, twice, three times
_OWN_OUTS, _OTHER_OUTS = 78, 91  # unseen cards of the ranks that are there, in fours
_OWN_SUIT, _OTHER_SUIT = 104, 107  # of one suit; the card in hand has it; unseen cards of it
_OWN_LIKE, _OTHER_LIKE = 110, 113  # cards of the rank in hand: at least one, two, three
_COVERED, _OPEN, _CHANCE = 116, 120, 122
_COMMON = 128  # the same for all columns
_CARD, _UNSEEN, _ROW, _MORE = _COMMON, _COMMON + 13, _COMMON + 26, _COMMON + 30
FEATURES = _COMMON + 39  # the number of features of a column


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


@kernel
def _write_card_features(
    cards: int, unseen: int, card: int, ranks: int, outs: int, suit: int, like: int, f: Floats
) -> None:
    """Writes the features of one side's cards in a column."""
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


@kernel
def _write_features(
    observations: Bytes, views: Any, singles: Ints, following: Any, full: Any, left: Any, out: Floats
) -> None:
    """Writes the features of every observation's columns."""
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
        # In the last row an appraisal is needed only where the opponent has more than one card face down in a column.
        short = False
        for k in range(COLUMNS):
            short |= popcount(v.columns[1, k]) < 4
        if filling == 2 or (filling == 3 and short):
            appraise_left(views, unseen, card, columns, singles, following, left)
        appraisals = left if filling >= 2 else full
        column_chances(
            views, unseen, filling == 3, columns, cards, n, singles, following, appraisals, before, chances, mine, theirs
        )
        fill_decisive_chances(before, weights)
        win = three_of_five(before[0], before[1], before[2], before[3], before[4])
        if filling == 3:
            order_cards(chances, n, columns, cards, keys)
            overwrite(p, before)
            fill_last_row(chances, n, columns, p, gains)
            if columns != 0:
                win = gains.max()
        else:
            fill_row(chances, n, weights, columns, worth, gains)
        best = -1.0
        for k in range(COLUMNS):
            if columns >> k & 1:
                best = max(best, gains[k])
        out[row] = 0.0
        for k in range(COLUMNS):
            f = out[row, k]
            _write_card_features(v.columns[0, k], unseen, card, _OWN, _OWN_OUTS, _OWN_SUIT, _OWN_LIKE, f)
            _write_card_features(v.columns[1, k], unseen, card, _OTHER, _OTHER_OUTS, _OTHER_SUIT, _OTHER_LIKE, f)
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
    """Returns the features of each column, float32 (n, 5, FEATURES), from observations of Five-O."""
    out = np.empty((len(observations), COLUMNS, FEATURES), np.float32)
    _write_features(
        np.ascontiguousarray(observations), five_o.SPEC.new_games(1), single_states(), following_states(),
        full_deck_chances(), work_space(), out,
    )  # fmt: skip
    return out


def column_layers(weights: Mapping[str, Floats], hidden: str, output: str) -> dict[str, Layer]:
    """Returns the layers of a column network by name; ``hidden`` begins the names of all but the last, ``output``."""
    parts = (f"{hidden}.{ALONE}", f"{hidden}.{BESIDE}", output)
    try:
        return {part: (weights[f"{part}.weight"], weights[f"{part}.bias"]) for part in parts}
    except KeyError as error:
        raise ValueError(f"the weights are those of no column network: {error} is missing") from None


@functools.cache
def features_hash() -> str:
    """Returns 16 hex digits that change when `column_features` does, by some positions of 16 games in hundredths."""
    digest = hashlib.sha256(f"{FEATURES}".encode())
    for hidden_rows in (1, 0):
        batch = Batch("five-o", 8, seed=20_150_002, hidden_rows=hidden_rows)
        for step in range(five_o.MAX_STEPS):
            if step % 3 == 0:
                digest.update(np.rint(100 * column_features(batch.observations)).astype(np.int16).tobytes())
            batch.step((batch.action_masks * ((np.arange(COLUMNS) + step) % COLUMNS + 1)).argmax(1))
    return digest.hexdigest()[:16]

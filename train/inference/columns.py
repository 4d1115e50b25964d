"""Features of Five-O's columns, the same kind for all five and invariant to the names of suits.

Each column, with the card in hand and the opposite column, becomes a row of `FEATURES` for a network whose weights the
columns share. Among them are its chance to win with and without the card, and its value for the card if the row is then
filled optimally: in the last row the chance to win the game, before it chances weighted by how often columns decide.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from cardenvs.baselines.search.five_o.appraisal import following_states, single_states
from cardenvs.baselines.search.five_o.chances import three_of_five
from cardenvs.baselines.search.five_o.last_row import fill_last_row
from cardenvs.compiled.bits import Bytes, Floats, Ints, lowest, overwrite, popcount
from cardenvs.compiled.jit import kernel
from cardenvs.envs.batch import Batch
from cardenvs.games import five_o
from cardenvs.train.inference.column_chances import (
    COLUMNS,
    appraise_left,
    column_chances,
    fill_decisive_chances,
    fill_row,
    full_deck_chances,
    order_cards,
    work_space,
)
from cardenvs.train.inference.weights import Layer

__all__ = ["ALONE", "BESIDE", "COLUMNS", "FEATURES", "column_features", "column_layers", "features_hash"]

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

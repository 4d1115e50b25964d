"""Values of columns and positions of Five-O by the paper's evaluation functions.

Source: S. Aharon and M. Mandel, "Five-O Poker" (the paper), section II.A. Its ``eval`` is `cardenvs.games.poker.evaluate`;
here are ``fastEval`` and ``getPackExpect`` (II.A.1b) and the terms of columns that state values add up (II.A.2). A card
that the other player has placed face down counts as unseen, and its column as one card shorter. Columns are sets of one to
five cards, ``unseen`` is a set of other cards.
"""

import math
from typing import Any

import numpy as np

from cardenvs.compiled.bits import highest, lowest, popcount
from cardenvs.compiled.jit import helper, kernel
from cardenvs.games import five_o
from cardenvs.games.poker import (
    HIGHEST_VALUE,
    evaluate,
    flush_value,
    hand_value,
    lowest_completion,
    rank_set,
    straight_value,
)

EVALUATIONS = {"greedy1": 0, "greedy2": 1, "fast-greedy2": 2, "greedy1-published": 3}
"""The paper's state values, numbers by name; ``greedy1-published`` is ``greedy1`` as the authors' program computes it."""
TERMINAL = len(EVALUATIONS)  # the number of the evaluation of finished games, beside those of `EVALUATIONS`

_GREEDY1, _GREEDY2, _FAST_GREEDY2, _GREEDY1_PUBLISHED = EVALUATIONS.values()
_PLACEMENTS = five_o.MAX_STEPS
_SUIT = (1 << 13) - 1
_SAME_RANK = 1 | 1 << 13 | 1 << 26 | 1 << 39
_STRAIGHTS = np.array([1 << 12 | 0b1111] + [0b11111 << k for k in range(9)])  # sets of ranks, the lowest straight first
_BEST_PACK = 17  # by the paper


def _build_reachable() -> Any:
    """By set of ranks, the straights that contain it as a set of their numbers; int16 of shape (8192,)."""
    sets = np.arange(1 << 13)
    contained = sets[:, None] & ~_STRAIGHTS == 0
    return (contained * (1 << np.arange(len(_STRAIGHTS)))).sum(axis=1).astype(np.int16)


_REACHABLE = _build_reachable()


@kernel
def fast_evaluate(cards: int, unseen: int) -> float:
    """Value of a column with rough chances, at least 1: the paper's ``fastEval`` (II.A.1b).

    As `cardenvs.games.poker.evaluate`, but the chance of a flush is the share of the suit among the unseen cards, and the
    chance of a straight the product of the shares of its missing ranks, summed over the straights still possible.
    """
    size = popcount(cards)
    if size == 5:
        return float(hand_value(cards))
    current = float(lowest_completion(cards))
    ranks = rank_set(cards)
    if popcount(ranks) != size:
        return current
    total = float(max(popcount(unseen), 1))
    result = current
    start = lowest(cards) // 13 * 13
    if cards >> start <= _SUIT:
        p = popcount(unseen >> start & _SUIT) / total
        result += p * (flush_value(cards) * size / 5.0 - current)
    straights = np.int64(_REACHABLE[ranks])
    if straights != 0:
        q = 0.0
        while straights != 0:
            missing = _STRAIGHTS[lowest(straights)] & ~ranks
            straights &= straights - 1
            share = 1.0
            while missing != 0:
                share *= popcount(unseen >> lowest(missing) & _SAME_RANK) / total
                missing &= missing - 1
            q += share
        result += q * (straight_value(cards) * size / 5.0 - current)
    return result


@kernel
def pack_expect(cards: int) -> float:
    """A rough score of the combinations in a column: the paper's ``getPackExpect`` (II.A.1b).

    The sum of: 8 times 0.5 for a pair, 0.75 for three of a rank, 1 for four, 2 for two pair, 3 for a full house; 2/5 a card
    if all are of one suit; 2/5 a card if no ranks are equal and all lie within five (the ace high); the highest rank, from
    0 for a two to 1 for an ace; 4 for a royal flush. The paper gives the range 1 to 17. By its own weights a lone two makes
    0.8 and a full house with aces 25.
    """
    size = popcount(cards)
    clubs = cards & _SUIT
    diamonds = cards >> 13 & _SUIT
    hearts = cards >> 26 & _SUIT
    spades = cards >> 39
    ranks = clubs | diamonds | hearts | spades
    twice = clubs & diamonds | (clubs | diamonds) & hearts | (clubs | diamonds | hearts) & spades
    thrice = clubs & diamonds & (hearts | spades) | hearts & spades & (clubs | diamonds)
    suited = max(max(clubs, diamonds), max(hearts, spades)) == clubs + diamonds + hearts + spades
    high = highest(ranks)
    low = lowest(ranks)
    result = high / 12.0
    if suited:
        result += 2.0 * size / 5.0
        if size == 5 and low == 8:
            result += 4.0
    if twice == 0:
        if high - low < 5:
            result += 2.0 * size / 5.0
    elif clubs & diamonds & hearts & spades != 0:
        result += 8.0
    elif thrice != 0:
        result += 24.0 if twice != thrice else 6.0
    else:
        result += 16.0 if twice & (twice - 1) != 0 else 4.0
    return result


@kernel
def published_pack_expect(cards: int) -> float:
    """`pack_expect` as the authors' program has it: a pair counts nothing for its ranks, and as cards within five ranks."""
    ranks = rank_set(cards)
    size = popcount(cards)
    result = highest(ranks) / 12.0
    if highest(ranks) - lowest(ranks) < 5:
        result += 2.0 * size / 5.0
    if cards >> lowest(cards) // 13 * 13 <= _SUIT:
        result += 2.0 * size / 5.0
        if size == 5 and lowest(ranks) == 8:
            result += 4.0
    return result


@helper
def draws_left(placed: int) -> int:
    """The draws open to each column after the row of the last card, of ``placed`` cards of both players."""
    return 5 * ((_PLACEMENTS - placed) // 10)


def _build_terminal() -> Any:
    """exp(tanh(9 d / 7463)) for every difference d of two hand values: float64, at index ``d + HIGHEST_VALUE``."""
    return np.exp(np.tanh(9 * np.arange(-HIGHEST_VALUE, HIGHEST_VALUE + 1) / (HIGHEST_VALUE + 1)))


_TERMINAL_TERMS = _build_terminal()


@kernel
def column_worth(evaluation: int, cards: int, unseen: int, draws: int) -> float:
    """The worth of a column in an evaluation, a number of `EVALUATIONS` or `TERMINAL`, with ``draws`` still open to it."""
    if evaluation == _GREEDY1:
        return pack_expect(cards)
    if evaluation == _GREEDY1_PUBLISHED:
        return published_pack_expect(cards)
    if evaluation == _GREEDY2:
        return math.log(evaluate(cards, unseen, draws))
    if evaluation == _FAST_GREEDY2:
        return math.log(fast_evaluate(cards, unseen))
    return float(lowest_completion(cards)) if popcount(cards) < 5 else float(hand_value(cards))


@kernel
def column_term(evaluation: int, own: float, other: float) -> float:
    """A column's term in the value of a position, from the `column_worth` of either player's column (II.A.2).

    It is ``exp(tanh(9 (own - other) / 17))`` in ``greedy1``, as worded and as published, and ``own - other`` in ``greedy2``
    and ``fast-greedy2``, whose worths are logarithms; in a finished game (`TERMINAL`) it is
    ``exp(tanh(9 (own - other) / 7463))``.
    """
    if evaluation == _GREEDY1 or evaluation == _GREEDY1_PUBLISHED:
        return math.exp(math.tanh(9.0 * (own - other) / _BEST_PACK))
    if evaluation == TERMINAL:
        return _TERMINAL_TERMS[int(own - other) + HIGHEST_VALUE]
    return own - other

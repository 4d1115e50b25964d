"""Values of columns and positions of Five-O by the paper's evaluation functions.

Source: S. Aharon and M. Mandel, "Five-O Poker" (the paper), section II.A. Its ``eval`` is `cardenvs.games.poker.evaluate`;
here are ``fastEval`` and ``getPackExpect`` (II.A.1b) and the state values on top of the three (II.A.2). Kernels trust their
input; the Python functions check it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, cast

import numpy as np

from cardenvs.checks import check_choice, is_int
from cardenvs.compiled.bits import highest, lowest, popcount
from cardenvs.compiled.jit import helper, kernel
from cardenvs.contract.cards import FULL_DECK
from cardenvs.games import five_o
from cardenvs.games.poker import (
    HIGHEST_VALUE,
    evaluate,
    flush_chance,
    flush_value,
    hand_value,
    lowest_completion,
    rank_set,
    straight_chance,
    straight_value,
)

EVALUATIONS = {"greedy1": 0, "greedy2": 1, "fast-greedy2": 2, "greedy1-published": 3}
"""The paper's state values, numbers by name; ``greedy1-published`` is ``greedy1`` as the authors' program computes it."""
TERMINAL = len(EVALUATIONS)
"""The number of the evaluation of finished games, beside those of `EVALUATIONS`."""

_GREEDY1, _GREEDY2, _FAST_GREEDY2, _GREEDY1_PUBLISHED = EVALUATIONS.values()
_PLACEMENTS = five_o.MAX_STEPS
_SUIT = (1 << 13) - 1
_SAME_RANK = 1 | 1 << 13 | 1 << 26 | 1 << 39
_STRAIGHTS = np.array([1 << 12 | 0b1111] + [0b11111 << k for k in range(9)])  # sets of ranks, the lowest straight first
_BEST_PACK = 17  # by the paper


# --- a column ------------------------------------------------------------------------------------------------------


def _build_reachable() -> Any:
    """By set of ranks, the straights that contain it as a set of their numbers; int16 of shape (8192,)."""
    sets = np.arange(1 << 13)
    contained = sets[:, None] & ~_STRAIGHTS == 0
    return (contained * (1 << np.arange(len(_STRAIGHTS)))).sum(axis=1).astype(np.int16)


_REACHABLE = _build_reachable()


@kernel
def fast_evaluate(cards: int, unseen: int) -> float:
    """Value of one to five cards, with rough chances: the paper's ``fastEval`` (II.A.1b).

    As `cardenvs.games.poker.evaluate`, but the chance of a flush is the share of the suit among the unseen cards, and the
    chance of a straight the product of the shares of its missing ranks, summed over the straights still possible.

    Args:
        cards: set of one to five cards.
        unseen: set of the cards that have not been seen, none of them in ``cards``.

    Returns:
        The value itself for five cards, else a number on the same scale, at least 1.
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
    """A rough score of the combinations in one to five cards: the paper's ``getPackExpect`` (II.A.1b).

    The sum of: 8 times 0.5 for a pair, 0.75 for three of a rank, 1 for four, 2 for two pair, 3 for a full house; 2/5 a card
    if all are of one suit; 2/5 a card if no ranks are equal and all lie within five (the ace high); the highest rank, from
    0 for a two to 1 for an ace; 4 for a royal flush.

    The paper gives the range 1 to 17. By its own weights a lone two makes 0.8 and a full house with aces 25.

    Args:
        cards: set of one to five cards.
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
    """`pack_expect` as the authors' program has it, which looks for equal cards instead of equal ranks and finds none.

    So a pair counts nothing for its equal ranks, and counts as cards within five ranks.

    Args:
        cards: set of one to five cards.
    """
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


# --- a position ----------------------------------------------------------------------------------------------------


@helper
def draws_left(placed: int) -> int:
    """The draws open to each column after the row of the last card, ``placed`` cards having been placed by both players."""
    return 5 * ((_PLACEMENTS - placed) // 10)


def _build_terminal() -> Any:
    """exp(tanh(9 d / 7463)) for every difference d of two hand values: float64, at index ``d + HIGHEST_VALUE``."""
    return np.exp(np.tanh(9 * np.arange(-HIGHEST_VALUE, HIGHEST_VALUE + 1) / (HIGHEST_VALUE + 1)))


_TERMINAL_TERMS = _build_terminal()


@kernel
def column_worth(evaluation: int, cards: int, unseen: int, draws: int) -> float:
    """The worth of a single column in an evaluation.

    Args:
        evaluation: a number of `EVALUATIONS`, or `TERMINAL`.
        cards: set of one to five cards.
        unseen: set of the cards that have not been seen, none of them in ``cards``.
        draws: how many draws will be open to the column.
    """
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
    """A column's term in the value of a position, from the `column_worth` of either player's column (II.A.2)."""
    if evaluation == _GREEDY1 or evaluation == _GREEDY1_PUBLISHED:
        return math.exp(math.tanh(9.0 * (own - other) / _BEST_PACK))
    if evaluation == TERMINAL:
        return _TERMINAL_TERMS[int(own - other) + HIGHEST_VALUE]
    return own - other


@kernel
def position_value(evaluation: int, views: Any, i: int) -> float:
    """The value of the position that ``views[i]`` shows, for its seat 0.

    Args:
        evaluation: a number of `EVALUATIONS`, or `TERMINAL`.
        views: array of `five_o.STATE`, of which number ``i`` is the view.
    """
    v = views[i]
    unseen = five_o.unseen_cards(views, i)
    in_hand = 1 if v.to_act >= 0 else 0
    draws = draws_left(v.drawn - 10 - in_hand)
    value = 0.0
    for k in range(5):
        own = column_worth(evaluation, v.columns[0, k], unseen, draws)
        other = column_worth(evaluation, v.columns[1, k], unseen, draws)
        value += column_term(evaluation, own, other)
    return value


# --- for Python ----------------------------------------------------------------------------------------------------

_HOW = ("eval", "fast-eval", "pack-expect", "published-pack-expect", "current")


def _card_set(cards: int | Iterable[int], name: str) -> int:
    """Cards as a set.

    Args:
        cards: a card set, or card numbers from 0 to 51.
        name: the argument's name, for error messages.

    Raises:
        ValueError: no cards of the deck, or a card twice.
    """
    if is_int(cards):
        if not 0 <= cards <= FULL_DECK.all:
            raise ValueError(f"{name} is {cards}, which is no set of the cards 0 to 51")
        return int(cards)
    result = 0
    for card in cast(Iterable[int], cards):
        if not is_int(card) or not 0 <= card < 52:
            raise ValueError(f"{name} has {card!r}, which is no card: cards are the ints 0 to 51")
        if result >> int(card) & 1:
            raise ValueError(f"{name} has the card {FULL_DECK.text(int(card))} twice")
        result |= 1 << int(card)
    return result


def _checked(cards: int | Iterable[int], unseen: int | Iterable[int], draws: int, most: int) -> tuple[int, int, int]:
    """The arguments of `column_value` as kernels take them; ``cards`` may have 1 to ``most`` members.

    Raises:
        ValueError: as for `column_value`.
    """
    held, left = _card_set(cards, "cards"), _card_set(unseen, "unseen")
    if not 1 <= held.bit_count() <= most:
        count = f"{held.bit_count()} cards" + (f" ({FULL_DECK.format(held, ' ')})" if held else "")
        raise ValueError(f"cards has {count}; it must have 1 to {most}")
    if held & left:
        raise ValueError(f"unseen has cards that are in cards: {FULL_DECK.format(held & left, ' ')}")
    size = left.bit_count()
    if not is_int(draws) or not 0 <= draws <= size:
        raise ValueError(f"draws must be an int from 0 to the number of unseen cards, {size}, not {draws!r}")
    return held, left, int(draws)


def column_value(cards: int | Iterable[int], unseen: int | Iterable[int], draws: int, how: str = "eval") -> float:
    """Value of a column of one to five cards.

    Args:
        cards: the column's cards, as a card set or card numbers from 0 to 51.
        unseen: the cards that may still be drawn, none of them in ``cards``, as a card set or card numbers.
        draws: how many draws will be open to the column, 0 to the number of unseen cards: in Five-O five for every row
            after the one that is being filled.
        how: ``"eval"`` (`cardenvs.games.poker.evaluate`), ``"fast-eval"`` (`fast_evaluate`), ``"pack-expect"``
            (`pack_expect`), ``"published-pack-expect"`` (`published_pack_expect`) or ``"current"``
            (`cardenvs.games.poker.lowest_completion`). Only ``"eval"`` looks at ``draws``, only ``"eval"`` and
            ``"fast-eval"`` at ``unseen``.

    Raises:
        ValueError: no card or more than five, a card twice or unseen as well, draws out of range, another ``how``.
    """
    check_choice("how", how, _HOW)
    held, left, n = _checked(cards, unseen, draws, 5)
    if how == "eval":
        return float(evaluate(held, left, n))
    if how == "fast-eval":
        return float(fast_evaluate(held, left))
    if how == "current":
        return float(lowest_completion(held))
    return float(pack_expect(held) if how == "pack-expect" else published_pack_expect(held))


def completion_chances(cards: int | Iterable[int], unseen: int | Iterable[int], draws: int) -> tuple[float, float]:
    """The chances that a column of one to four cards becomes a flush and a straight: equations 1 and 2 of the paper.

    Args:
        cards: the column's cards, one to four, as a card set or card numbers from 0 to 51.
        unseen: the cards that may still be drawn, none of them in ``cards``, as a card set or card numbers.
        draws: how many draws will be open to the column, 0 to the number of unseen cards.

    Returns:
        What `cardenvs.games.poker.flush_chance` and `cardenvs.games.poker.straight_chance` return, each 0 or more.

    Raises:
        ValueError: as for `column_value`, and for five cards.
    """
    held, left, n = _checked(cards, unseen, draws, 4)
    return float(flush_chance(held, left, n)), float(straight_chance(held, left, n))


def state_value(state: Any, evaluation: str = "fast-greedy2", seat: int = 0) -> float:
    """The value of a position for a seat, from what that seat may see (paper, II.A.2).

    ``"greedy1"`` is the sum over the columns of ``exp(tanh(9 d))`` with d the difference of the two sides' `pack_expect`,
    divided by 17; ``"greedy1-published"`` is the same with `published_pack_expect`. ``"greedy2"`` is the sum over the
    columns of ``ln(own / other)`` of both sides' ``eval``; ``"fast-greedy2"`` is the same with `fast_evaluate`. A card that
    the other seat has placed face down counts as unseen, and its column as one card shorter.

    Args:
        state: games of Five-O, of which the first counts: an array of shape (1,) or more with the game's dtype.
        evaluation: a name from `EVALUATIONS`.
        seat: 0 or 1.

    Raises:
        ValueError: no state of Five-O, another evaluation or another seat.
    """
    check_choice("evaluation", evaluation, EVALUATIONS)
    if not is_int(seat) or not 0 <= seat < 2:
        raise ValueError(f"seat must be 0 or 1, not {seat!r}")
    _check_state(state)
    views = five_o.SPEC.new_games(1)
    five_o.view(state, 0, int(seat), views, 0)
    return float(position_value(EVALUATIONS[evaluation], views, 0))


def terminal_value(state: Any, seat: int = 0) -> float:
    """The value that a search gives to a finished game: the columns' sum of ``exp(tanh(9 (own - other) / 7463))``.

    Args:
        state: games of Five-O, of which the first counts and is over: an array of shape (1,) or more with the game's dtype.
        seat: 0 or 1.

    Raises:
        ValueError: no state of Five-O, one that is not over, another seat.
    """
    _check_state(state)
    if not is_int(seat) or not 0 <= seat < 2:
        raise ValueError(f"seat must be 0 or 1, not {seat!r}")
    if state[0]["to_act"] >= 0:
        raise ValueError("state must be a finished game; state_value is for those in play")
    views = five_o.SPEC.new_games(1)
    five_o.view(state, 0, int(seat), views, 0)
    return float(position_value(TERMINAL, views, 0))


def _check_state(state: Any) -> None:
    """Checks that a value is an array of games of Five-O, at least one.

    Raises:
        ValueError: the value is another object, or an empty array.
    """
    if not isinstance(state, np.ndarray) or state.dtype != five_o.STATE or state.ndim != 1 or not len(state):
        raise ValueError("state must be an array of games of five-o, shape (n,) with n at least 1")

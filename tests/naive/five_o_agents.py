"""The Five-O paper's evaluations and agents in plain Python.

A card is a number ``suit * 13 + rank``, a column a collection of cards. Positions are `tests.naive.five_o.Deal`; a column's
number is 0 to 4 here, 1 to 5 there.
"""

import copy
import math
from collections import Counter
from collections.abc import Collection, Sequence
from functools import cache
from typing import Any

from tests.naive import poker
from tests.naive.five_o import CARDS, Deal

ROYAL = {8, 9, 10, 11, 12}


def numbers(cards: Collection[str]) -> list[int]:
    return [CARDS.index(card) for card in cards]


def deal_of(state: Any) -> Deal:
    """The naive version of a state of the game that has its whole history."""
    deal = Deal([CARDS[code - 1] for code in state["deck"]], int(state["hidden_rows"]))
    for action in state["history"][: state["moves"]]:
        deal.put(int(action) + 1)
    return deal


# --- columns -------------------------------------------------------------------------------------------------------


@cache
def _current(ranks: tuple[int, ...]) -> int:
    return poker.lowest_completion(ranks)


@cache
def _flush_value(highest: int) -> int:
    return poker.flush_value([highest])


def _mixed(cards: Collection[int], p: float, q: float) -> float:
    """(1 - p - q) * curr + (p * flush + q * straight) * size / 5."""
    flush = _flush_value(max(card % 13 for card in cards)) if p else 0
    straight = poker.straight_value(cards) if q else 0
    current = _current(tuple(sorted(card % 13 for card in cards)))
    return (1 - p - q) * current + (p * flush + q * straight) * len(cards) / 5


def _one_suit(cards: Collection[int]) -> bool:
    return len({card // 13 for card in cards}) == 1


def missing_ranks(cards: Collection[int]) -> list[set[int]]:
    """For each straight still possible, the ranks it needs."""
    return [poker.STRAIGHTS[k] - {card % 13 for card in cards} for k in poker.straights_with(cards)]


def flush_chance(cards: Collection[int], unseen: Collection[int], draws: int) -> float:
    """Equation 1."""
    needed = 5 - len(cards)
    if not _one_suit(cards) or draws < needed:
        return 0.0
    fitting = sum(_one_suit([*cards, card]) for card in unseen)
    others = len(unseen) - fitting
    return math.comb(fitting, needed) * math.comb(others, draws - needed) / math.comb(len(unseen), draws)


def straight_chance(cards: Collection[int], unseen: Collection[int], draws: int) -> float:
    """Equation 2."""
    ways = 0
    for ranks in missing_ranks(cards):
        counts = [sum(card % 13 == rank for card in unseen) for rank in ranks]
        if draws >= len(ranks):
            ways += math.prod(counts) * math.comb(len(unseen) - sum(counts), draws - len(ranks))
    return ways / math.comb(len(unseen), draws)


def evaluate(cards: Collection[int], unseen: Collection[int], draws: int) -> float:
    """The paper's ``eval``."""
    if len(cards) == 5:
        return poker.hand_value(cards)
    return _mixed(cards, flush_chance(cards, unseen, draws), straight_chance(cards, unseen, draws))


def fast_evaluate(cards: Collection[int], unseen: Collection[int]) -> float:
    """The paper's ``fastEval``."""
    if len(cards) == 5:
        return poker.hand_value(cards)
    p = sum(_one_suit([*cards, card]) for card in unseen) / len(unseen) if _one_suit(cards) else 0.0
    q = sum(
        math.prod(sum(card % 13 == rank for card in unseen) / len(unseen) for rank in ranks)
        for ranks in missing_ranks(cards)
    )
    return _mixed(cards, p, q)


EQUAL_RANKS = {(2,): 0.5, (3,): 0.75, (2, 2): 2, (4,): 1, (2, 3): 3}


def pack_expect(cards: Collection[int], equal_ranks: bool = True) -> float:
    """The paper's ``getPackExpect``; without ``equal_ranks`` as its authors' program computes it."""
    ranks = [card % 13 for card in cards]
    repeats = tuple(sorted(count for count in Counter(ranks).values() if count > 1)) if equal_ranks else ()
    result = 8 * EQUAL_RANKS[repeats] if repeats else 0.0
    if _one_suit(cards):
        result += 2 * len(cards) / 5
    if not repeats and max(ranks) - min(ranks) < 5:
        result += 2 * len(cards) / 5
    if _one_suit(cards) and set(ranks) == ROYAL:
        result += 4
    return result + max(ranks) / 12


# --- positions -----------------------------------------------------------------------------------------------------

Columns = Sequence[Collection[int]]


def state_value(name: str, own: Columns, other: Columns, unseen: Collection[int], draws: int) -> float:
    """The state value of that name."""
    total = 0.0
    for mine, theirs in zip(own, other, strict=True):
        if name in ("greedy1", "greedy1-published"):
            equal = name == "greedy1"
            total += math.exp(math.tanh(9 * (pack_expect(mine, equal) - pack_expect(theirs, equal)) / 17))
        elif name == "greedy2":
            total += math.log(evaluate(mine, unseen, draws) / evaluate(theirs, unseen, draws))
        elif name == "fast-greedy2":
            total += math.log(fast_evaluate(mine, unseen) / fast_evaluate(theirs, unseen))
        else:
            raise ValueError(name)
    return total


def terminal_value(own: Columns, other: Columns) -> float:
    """The value of a finished game in the search."""
    differences = [poker.hand_value(a) - poker.hand_value(b) for a, b in zip(own, other, strict=True)]
    return sum(math.exp(math.tanh(9 * d / 7463)) for d in differences)


def seen_by(deal: Deal, seat: int) -> tuple[list[list[int]], list[list[int]], list[int]]:
    """Own columns, what is seen of the other's, and the unseen cards."""
    own = [numbers(deal.columns[seat][k]) for k in range(1, 6)]
    other = [numbers(deal.face_up(1 - seat, k)) for k in range(1, 6)]
    return own, other, numbers(deal.unseen(seat))


def scores(agent: str, deal: Deal) -> dict[int, float]:
    """What a reflex or greedy agent to move makes of each placement."""
    own, other, unseen = seen_by(deal, deal.seat)
    draws = 5 * (5 - deal.row)
    card = CARDS.index(deal.card)
    result = {}
    for column in deal.legal:
        k = column - 1
        after = [*own[k], card]
        if agent == "reflex1":
            result[k] = evaluate(after, unseen, draws) - evaluate(other[k], unseen, draws)
        elif agent == "reflex2":
            result[k] = evaluate(after, unseen, draws)
        elif agent == "reflex3":
            result[k] = evaluate(after, unseen, draws) - evaluate(own[k], unseen, draws)
        else:
            result[k] = state_value(agent, [*own[:k], after, *own[k + 1 :]], other, unseen, draws)
    return result


def minimax(deal: Deal, depth: int, evaluation: str, seat: int) -> float:
    """The value for ``seat`` of searching ``depth`` placements on, all cards known."""
    if deal.over or depth == 0:
        own, other = ([numbers(deal.columns[s][k]) for k in range(1, 6)] for s in (seat, 1 - seat))
        if deal.over:
            return terminal_value(own, other)
        placed = len(deal.placed)
        rows_begun = -(-placed // 10)
        return state_value(evaluation, own, other, numbers(deal.deck[10 + placed :]), 5 * (4 - rows_begun))
    values = placement_values(deal, depth, evaluation, seat).values()
    return max(values) if deal.seat == seat else min(values)


def placement_values(deal: Deal, depth: int, evaluation: str, seat: int) -> dict[int, float]:
    """The minimax value of each placement."""
    values = {}
    for column in deal.legal:
        child = copy.deepcopy(deal)
        child.put(column)
        values[column - 1] = minimax(child, depth - 1, evaluation, seat)
    return values

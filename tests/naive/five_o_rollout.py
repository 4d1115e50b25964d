"""Slow, obvious appraisal of a Five-O column: every way to be offered cards, one by one."""

import itertools
from collections import Counter
from collections.abc import Callable, Sequence

from tests.naive import poker

Column = tuple[tuple[int, ...], int | None]
"""The ranks in a column, ascending, and its suit if it has but one."""


def column(cards: Sequence[int]) -> Column:
    suits = {card // 13 for card in cards}
    return tuple(sorted(card % 13 for card in cards)), suits.pop() if len(suits) == 1 else None


def with_card(before: Column, card: int) -> Column | None:
    """The column with one more card; None where it can hold no more of these."""
    ranks, suit = before
    if ranks.count(card % 13) == 4 or (suit == card // 13 and card % 13 in ranks):
        return None
    return tuple(sorted((*ranks, card % 13))), suit if suit == card // 13 else None


def value(ended: Column) -> int:
    ranks, suit = ended
    if suit is not None:
        return poker.hand_value([13 * suit + rank for rank in ranks])
    # Any suits will do that make no flush.
    distinct = len(set(ranks)) == 5
    suits = [int(k > 0) if distinct else ranks[:k].count(rank) for k, rank in enumerate(ranks)]
    return poker.hand_value([13 * suit + rank for rank, suit in zip(ranks, suits, strict=True)])


def appraise(
    start: Column,
    unseen: Sequence[int],
    offers: int,
    levels: int,
    quantile: Callable[[int], float],
    level: Callable[[int], int],
) -> tuple[float, list[float]]:
    """The mean quantile of a column's final value and the distribution of its level; the best card of each row is taken."""
    if len(start[0]) == 5:
        share = [0.0] * levels
        share[level(value(start))] = 1.0
        return quantile(value(start)), share
    after = [column for column in (with_card(start, card) for card in unseen) if column is not None]
    ends = {column: appraise(column, unseen, offers, levels, quantile, level) for column in set(after)}
    ranked = [(min(levels - 1, int(ends[column][0] * levels)), column) for column in after]
    taken: Counter[Column] = Counter()
    for offered in itertools.product(ranked, repeat=offers):
        most = max(worth for worth, _ in offered)
        best = [column for worth, column in offered if worth == most]
        for column in best:
            taken[column] += 1 / len(best)
    total = len(after) ** offers
    worth, share = 0.0, [0.0] * levels
    for column, count in taken.items():
        worth += count / total * ends[column][0]
        for k, part in enumerate(ends[column][1]):
            share[k] += count / total * part
    return worth, share

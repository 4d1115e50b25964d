"""Slow, obvious versions of what `cardenvs.games.poker` computes; cards are numbers ``suit * 13 + rank``."""

import itertools
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from functools import cache

STRAIGHTS = [{12, 0, 1, 2, 3}, *({low, low + 1, low + 2, low + 3, low + 4} for low in range(9))]
"""The ranks of each straight, the lowest straight first."""

SHAPES = {
    (1, 1, 1, 1, 1): "high card", (2, 1, 1, 1): "pair", (2, 2, 1): "two pair", (3, 1, 1): "three of a kind",
    (3, 2): "full house", (4, 1): "four of a kind",
}  # fmt: skip

CLASSES = [
    "high card", "pair", "two pair", "three of a kind", "straight", "flush", "full house", "four of a kind",
    "straight flush",
]  # fmt: skip


def class_of(ranks: Sequence[int], suited: bool) -> str:
    """The class of five cards."""
    straight = set(ranks) in STRAIGHTS
    if suited:
        return "straight flush" if straight else "flush"
    return "straight" if straight else SHAPES[tuple(sorted(Counter(ranks).values(), reverse=True))]


def sort_key(ranks: Sequence[int], suited: bool) -> tuple[int, ...]:
    """Five cards compare as these tuples do: by class, then by the ranks that occur most often, then by the highest."""
    name = class_of(ranks, suited)
    if "straight" in name:
        return CLASSES.index(name), STRAIGHTS.index(set(ranks))
    counts = Counter(ranks)
    return CLASSES.index(name), *sorted(ranks, key=lambda rank: (counts[rank], rank), reverse=True)


def multisets(size: int) -> Iterator[tuple[int, ...]]:
    """All ascending tuples of ``size`` ranks that a deck of four suits has."""
    for ranks in itertools.combinations_with_replacement(range(13), size):
        if max(Counter(ranks).values()) <= 4:
            yield ranks


@cache
def all_values() -> dict[tuple[tuple[int, ...], bool], int]:
    """The value of every kind of hand, by its ascending ranks and whether it is of one suit."""
    kinds = [(ranks, False) for ranks in multisets(5)]
    kinds += [(ranks, True) for ranks in itertools.combinations(range(13), 5)]
    kinds.sort(key=lambda kind: sort_key(*kind))
    return {kind: value for value, kind in enumerate(kinds, 1)}


def hand_value(cards: Collection[int]) -> int:
    """The value of five cards."""
    suits = {card // 13 for card in cards}
    return all_values()[tuple(sorted(card % 13 for card in cards)), len(suits) == 1]


def lowest_completion(ranks: Sequence[int]) -> int:
    """The lowest value of five cards of mixed suits whose ranks include ``ranks``."""
    values = []
    for added in itertools.combinations_with_replacement(range(13), 5 - len(ranks)):
        value = all_values().get((tuple(sorted([*ranks, *added])), False))
        if value is not None:  # else five of a rank
            values.append(value)
    return min(values)


def flush_chance(cards: Collection[int], unseen: Collection[int], draws: int) -> Fraction:
    """How often a draw brings exactly the cards of the suit that are needed."""
    suits = {card // 13 for card in cards}
    if len(suits) != 1:
        return Fraction(0)
    outcomes = [
        sum(card // 13 in suits for card in drawn) == 5 - len(cards) for drawn in itertools.combinations(unseen, draws)
    ]
    return Fraction(sum(outcomes), len(outcomes))


def straights_with(cards: Collection[int]) -> list[int]:
    """The straights, as indices, that contain all ranks of ``cards``; none if two ranks are equal."""
    ranks = {card % 13 for card in cards}
    return [k for k, straight in enumerate(STRAIGHTS) if len(ranks) == len(cards) and ranks <= straight]


def straight_chance(cards: Collection[int], unseen: Collection[int], draws: int) -> Fraction:
    """For each straight, how often a draw brings exactly one card of each missing rank; the sum."""
    held = {card % 13 for card in cards}
    chance = Fraction(0)
    for k in straights_with(cards):
        outcomes = []
        for drawn in itertools.combinations(unseen, draws):
            counts = Counter(card % 13 for card in drawn)
            outcomes.append(all(counts[rank] == 1 for rank in STRAIGHTS[k] - held))
        chance += Fraction(sum(outcomes), len(outcomes))
    return chance


def flush_value(cards: Collection[int]) -> int:
    """The lowest flush whose highest card is at least the highest of ``cards``; 0 for different suits."""
    if len({card // 13 for card in cards}) != 1:
        return 0
    top = max(card % 13 for card in cards)
    flushes = [ranks for ranks, suited in all_values() if suited and set(ranks) not in STRAIGHTS]
    return min(all_values()[ranks, True] for ranks in flushes if max(ranks) >= top)


def straight_value(cards: Collection[int]) -> int:
    """The lowest straight with all ranks of ``cards``, or 0."""
    return min((all_values()[tuple(sorted(STRAIGHTS[k])), False] for k in straights_with(cards)), default=0)


def evaluate(cards: Collection[int], unseen: Collection[int], draws: int) -> float:
    """The paper's ``eval``."""
    if len(cards) == 5:
        return hand_value(cards)
    p, q = flush_chance(cards, unseen, draws), straight_chance(cards, unseen, draws)
    current = lowest_completion([card % 13 for card in cards])
    return float((1 - p - q) * current + (p * flush_value(cards) + q * straight_value(cards)) * len(cards) / 5)

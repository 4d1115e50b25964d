"""Hand values, partial hands and their names, against the slow versions in `naive.poker`."""

import itertools
import math
import random

import numpy as np
import numpy.typing as npt
import pytest

from cardenvs.compiled.jit import kernel
from cardenvs.contract.cards import FULL_DECK, members_of
from cardenvs.games import poker
from tests.naive import poker as naive

pytestmark = pytest.mark.compiled

TABLE_1 = {
    "straight flush": (40, 10),
    "four of a kind": (624, 156),
    "full house": (3_744, 156),
    "flush": (5_108, 1_277),
    "straight": (10_200, 10),
    "three of a kind": (54_912, 858),
    "two pair": (123_552, 858),
    "pair": (1_098_240, 2_860),  # the paper prints 10,982,240, a slip: the total below would not come out
    "high card": (1_302_540, 1_277),
}
"""Hands and distinct values of each class (paper, Table I)."""


def set_of(cards: list[int]) -> int:
    return sum(1 << card for card in cards)


def dress(ranks: tuple[int, ...], rng: random.Random) -> list[int]:
    """Different cards with the given ascending ranks, in random suits."""
    cards: list[int] = []
    for _, equal in itertools.groupby(ranks):
        same = list(equal)
        cards += [suit * 13 + same[0] for suit in rng.sample(range(4), len(same))]
    return cards


@kernel
def count_all(counts: npt.NDArray[np.int64]) -> None:
    for a in range(52):
        for b in range(a):
            for c in range(b):
                for d in range(c):
                    for e in range(d):
                        counts[poker.hand_value(1 << a | 1 << b | 1 << c | 1 << d | 1 << e)] += 1


def test_all_hands() -> None:
    counts = np.zeros(poker.HIGHEST_VALUE + 2, np.int64)
    count_all(counts)
    assert counts.sum() == math.comb(52, 5)
    assert counts[0] == counts[-1] == 0
    assert (counts[1:-1] > 0).all()
    classes = {name: (counts[first : last + 1].sum(), last + 1 - first) for name, first, last in poker.HAND_CLASSES}
    assert classes == TABLE_1
    # Every value belongs to one kind of hand and comes up as often as that kind has choices of suits.
    for (ranks, suited), value in naive.all_values().items():
        ways = math.prod(math.comb(4, ranks.count(rank)) for rank in set(ranks))
        assert counts[value] == (4 if suited else ways - 4 * (len(set(ranks)) == 5))


def test_every_kind_of_hand() -> None:
    rng = random.Random(1)
    kinds = naive.all_values()
    assert len(kinds) == poker.HIGHEST_VALUE
    for (ranks, suited), value in kinds.items():
        suit = rng.randrange(4)
        cards = [suit * 13 + rank for rank in ranks] if suited else dress(ranks, rng)
        if not suited and len({card // 13 for card in cards}) == 1:
            cards[0] = (cards[0] + 13) % 52
        assert poker.hand_value(set_of(cards)) == value


def test_random_hands() -> None:
    rng = random.Random(2)
    hands = [rng.sample(range(52), 5) for _ in range(5_000)]
    expected = [naive.hand_value(cards) for cards in hands]
    sets = [set_of(cards) for cards in hands]
    values = poker.hand_values(sets)
    assert values.dtype == np.int64
    assert values.tolist() == expected
    assert [poker.hand_value(cards) for cards in sets] == expected


def check_against_phevaluator(hands: npt.NDArray[np.int64]) -> None:
    """Hands as its card numbers, rank * 4 + suit, shape (n, 5); its ranks run from 1, the best, to 7462."""
    phevaluator = pytest.importorskip(
        "phevaluator", reason="phevaluator is not installed: in a checkout: pip install '.[test]'"
    )
    ranks = np.fromiter((phevaluator.evaluate_cards(*hand) for hand in hands.tolist()), np.int64, len(hands))
    values = poker.hand_values((1 << hands % 4 * 13 + hands // 4).sum(1))
    wrong = np.flatnonzero(values != poker.HIGHEST_VALUE + 1 - ranks)
    assert not len(wrong), f"{hands[wrong[0]]}: {values[wrong[0]]} here, {ranks[wrong[0]]} there"


def test_random_hands_are_ranked_as_by_phevaluator() -> None:
    keys = np.random.default_rng(3).random((200_000, 52))
    check_against_phevaluator(np.argpartition(keys, 5, axis=1)[:, :5])


@pytest.mark.slow
def test_all_hands_are_ranked_as_by_phevaluator() -> None:
    every = itertools.chain.from_iterable(itertools.combinations(range(52), 5))
    hands = np.fromiter(every, np.int64, 5 * math.comb(52, 5)).reshape(-1, 5)
    check_against_phevaluator(hands)


def test_hand_values_accepts_integers_of_any_kind() -> None:
    royal = FULL_DECK.parse_set("AsKsQsJsTs")
    assert poker.hand_values([]).shape == (0,)
    assert poker.hand_values(np.array([royal], np.uint64)).tolist() == [7462]
    assert poker.hand_values(np.array([0, royal, 0, royal])[1::2]).tolist() == [7462, 7462]


def test_rank_set() -> None:
    rng = random.Random(3)
    for size in range(8):
        cards = rng.sample(range(52), size)
        assert members_of(poker.rank_set(set_of(cards))) == sorted({card % 13 for card in cards})


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_lowest_completion(size: int) -> None:
    rng = random.Random(4)
    for ranks in naive.multisets(size):
        assert poker.lowest_completion(set_of(dress(ranks, rng))) == naive.lowest_completion(ranks)


def test_lowest_completion_ignores_suits() -> None:
    flush = FULL_DECK.parse_set("2c4c5c9cJc")
    assert poker.lowest_completion(flush) == poker.hand_value(FULL_DECK.parse_set("2c4c5c9cJd"))


def spread(rng: random.Random) -> tuple[list[int], list[int], int]:
    """One to four cards that often share a suit or lie close together, a few unseen ones and a number of draws."""
    size = rng.randint(1, 4)
    kind = rng.randrange(3)
    if kind == 0:
        pool = [rng.randrange(4) * 13 + rank for rank in range(13)]
    elif kind == 1:
        pool = [suit * 13 + rank for rank in rng.choice(naive.STRAIGHTS) for suit in range(4)]
    else:
        suit = rng.randrange(4)
        pool = [suit * 13 + rank for rank in range(13)]
    cards = rng.sample(pool, size)
    near = [card for card in range(52) if card not in cards and (card in pool or rng.random() < 0.3)]
    unseen = rng.sample(near, min(len(near), rng.randint(5, 12)))
    return cards, unseen, rng.randint(0, 5)


def test_partial_hands_against_enumeration() -> None:
    rng = random.Random(5)
    flushes = straights = 0
    for _ in range(400):
        cards, unseen, draws = spread(rng)
        p, q = naive.flush_chance(cards, unseen, draws), naive.straight_chance(cards, unseen, draws)
        held, left = set_of(cards), set_of(unseen)
        assert poker.flush_chance(held, left, draws) == pytest.approx(float(p), rel=1e-12)
        assert poker.straight_chance(held, left, draws) == pytest.approx(float(q), rel=1e-12)
        assert poker.flush_value(held) == naive.flush_value(cards)
        assert poker.straight_value(held) == naive.straight_value(cards)
        assert poker.evaluate(held, left, draws) == pytest.approx(naive.evaluate(cards, unseen, draws), rel=1e-12)
        flushes += p > 0
        straights += q > 0
    assert min(flushes, straights) > 20


def test_chances_by_hand() -> None:
    spades = FULL_DECK.parse_set("2s7s9s")
    unseen = FULL_DECK.all & ~spades
    ways = math.comb(10, 2) * math.comb(39, 8)
    assert poker.flush_chance(spades, unseen, 10) == pytest.approx(ways / math.comb(49, 10), rel=1e-12)
    assert poker.flush_chance(FULL_DECK.parse_set("2s7s9h"), unseen, 10) == 0.0
    # 6-7-8 of the paper's example: 4-5, 5-9 and 9-T are the missing ranks.
    middle = FULL_DECK.parse_set("6c7d8h")
    ways = 3 * 4 * 4 * math.comb(41, 8)
    unseen = FULL_DECK.all & ~middle
    assert poker.straight_chance(middle, unseen, 10) == pytest.approx(ways / math.comb(49, 10), rel=1e-12)
    # Without the nines, only 4-5 is left.
    no_nines = unseen & ~FULL_DECK.parse_set("9c9d9h9s")
    ways = 4 * 4 * math.comb(37, 8)
    assert poker.straight_chance(middle, no_nines, 10) == pytest.approx(ways / math.comb(45, 10), rel=1e-12)


def test_evaluate_five_cards() -> None:
    rng = random.Random(6)
    for _ in range(200):
        cards = set_of(rng.sample(range(52), 5))
        value = poker.evaluate(cards, FULL_DECK.all & ~cards, 0)
        assert isinstance(value, float)
        assert value == poker.hand_value(cards)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("AsKsQsJsTs", "royal flush"), ("9sKsQsJsTs", "straight flush, king high"),
        ("As2s3s4s5s", "straight flush, five high"), ("As2s3s4s5h", "straight, five high"),
        ("AcKsQsJsTs", "straight, ace high"), ("Ah2h3h4h9h", "flush, ace high"),
        ("KsKhKd3s3c", "full house, kings over threes"), ("3h3s3dKcKs", "full house, threes over kings"),
        ("6c6d6h6s2c", "four of a kind, sixes"), ("6c6d6h", "three of a kind, sixes"),
        ("TcTd2h2s", "two pair, tens and twos"), ("TcTd2h2sAc", "two pair, tens and twos"), ("TcTd2h", "pair of tens"),
        ("TcJc2h4c5c", "jack high"), ("TsJs", "jack high"), ("As", "ace high"),
    ],
)  # fmt: skip
def test_hand_name(text: str, name: str) -> None:
    assert poker.hand_name(FULL_DECK.parse_set(text)) == name


def test_hand_name_tells_the_class() -> None:
    rng = random.Random(7)
    for ranks, suited in rng.sample(list(naive.all_values()), 500):
        cards = [13 + rank for rank in ranks] if suited else dress(ranks, rng)
        expected = naive.class_of(ranks, len({card // 13 for card in cards}) == 1)
        name = poker.hand_name(set_of(cards))
        assert name.startswith(expected) or (expected, name[-4:]) == ("high card", "high") or name == "royal flush"

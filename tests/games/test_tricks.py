"""Suit lookups, and the counting and drawing of deals with known voids, against brute force."""

import itertools
import math
import random
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import chisquare

from cardenvs.compiled.jit import DISABLED
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.cards import EUCHRE_DECK, FULL_DECK, SUITS, members_of
from cardenvs.games.tricks import NO_TRUMP_YET, SuitLookups, count_deals, draw_deal, suit_lookups, void_sets

Ints = npt.NDArray[np.int64]

EUCHRE = suit_lookups(EUCHRE_DECK, bowers=True)
WHIST = suit_lookups(FULL_DECK, bowers=False)

TRUMPS = {
    "c": "9c Tc Qc Kc Ac Js Jc",
    "d": "9d Td Qd Kd Ad Jh Jd",
    "h": "9h Th Qh Kh Ah Jd Jh",
    "s": "9s Ts Qs Ks As Jc Js",
}
"""The trumps of Euchre, lowest first."""


@pytest.mark.parametrize("trump", "cdhs")
def test_euchre_trumps(trump: str) -> None:
    row = SUITS.index(trump)
    order = [EUCHRE_DECK.card(card) for card in TRUMPS[trump].split()]
    assert EUCHRE.strength[row, order].tolist() == [7, 8, 9, 10, 11, 12, 13]
    assert members_of(EUCHRE.suit_sets[row, row]) == sorted(order)
    assert {card for card in range(24) if EUCHRE.suit_of[row, card] == row} == set(order)


def test_euchre_plain_suits() -> None:
    """By hand for hearts: the jack of diamonds has left its suit, the two black suits are whole."""
    row = SUITS.index("h")
    sets = [set(EUCHRE_DECK.format(int(bits), " ").split()) for bits in EUCHRE.suit_sets[row]]
    assert sets[SUITS.index("d")] == {"9d", "Td", "Qd", "Kd", "Ad"}
    assert sets[SUITS.index("c")] == {"9c", "Tc", "Jc", "Qc", "Kc", "Ac"}
    assert sets[SUITS.index("s")] == {"9s", "Ts", "Js", "Qs", "Ks", "As"}
    strengths = [EUCHRE.strength[row, EUCHRE_DECK.card(card)] for card in ("9d", "Td", "Qd", "Kd", "Ad", "Jc", "As")]
    assert strengths == [1, 2, 4, 5, 6, 3, 6]


def test_no_trump_yet() -> None:
    """Before there is a trump, and in Whist always, a card belongs to the suit printed on it."""
    assert EUCHRE.suit_of[NO_TRUMP_YET, :24].tolist() == [card // 6 for card in range(24)]
    assert EUCHRE.strength[NO_TRUMP_YET, :24].tolist() == [1 + card % 6 for card in range(24)]
    assert (WHIST.suit_of[:, :52] == np.arange(52) // 13).all()
    assert WHIST.suit_sets.tolist() == [[*(FULL_DECK.suit_set(suit) for suit in range(4)), 0]] * 5


def test_the_card_behind_the_last_stands_for_no_card() -> None:
    for lookups in (EUCHRE, WHIST):
        assert (lookups.suit_of[:, -1] == 4).all()
        assert (lookups.suit_sets[:, 4] == 0).all()
        assert (lookups.strength[:, -1] == 0).all()
        assert (lookups.strength[:, :-1] > 0).all()


def test_whist_strengths() -> None:
    for trump, card in itertools.product(range(4), range(52)):
        suit, rank = divmod(card, 13)
        assert WHIST.strength[trump, card] == rank + (14 if suit == trump else 1)


@pytest.mark.parametrize("lookups", [EUCHRE, WHIST], ids=["euchre", "whist"])
def test_void_sets(lookups: SuitLookups) -> None:
    sets = void_sets(lookups)
    assert sets.shape == (5, 16) and not sets[:, 0].any()
    for trump, suits in itertools.product(range(5), range(16)):
        members = {card for card in range(52) if sets[trump, suits] >> card & 1}
        suit_of = lookups.suit_of[trump]
        assert members == {card for card in range(len(suit_of)) if suits >> int(suit_of[card]) & 1}


def all_deals(suit_of: dict[int, int], barred: list[int], sizes: list[int]) -> Iterator[tuple[int, int, int, int]]:
    """All deals of the cards (by their suits), as four card sets."""

    def deal(cards: list[int], hands: list[int], free: list[int]) -> Iterator[tuple[int, int, int, int]]:
        if not cards:
            a, b, c, d = hands
            yield a, b, c, d
            return
        card = cards[0]
        for holder in range(4):
            if free[holder] and not barred[holder] >> suit_of[card] & 1:
                hands[holder] += 1 << card
                free[holder] -= 1
                yield from deal(cards[1:], hands, free)
                hands[holder] -= 1 << card
                free[holder] += 1

    yield from deal(list(suit_of), [0, 0, 0, 0], list(sizes))


def problem(rng: random.Random, largest: int) -> tuple[dict[int, int], list[int], list[int]]:
    """Random cards of random suits, what each holder cannot hold, and how many cards each gets."""
    n = rng.randint(1, largest)
    suit_of = {card: rng.randrange(4) for card in sorted(rng.sample(range(52), n))}
    share = rng.choice((0.0, 0.2, 0.4))
    barred = [sum((rng.random() < share) << suit for suit in range(4)) for _ in range(4)]
    cuts = sorted(rng.randint(0, n) for _ in range(3))
    return suit_of, barred, [cuts[0], cuts[1] - cuts[0], cuts[2] - cuts[1], n - cuts[2]]


def arrays(suit_of: dict[int, int], barred: list[int], sizes: list[int]) -> tuple[Ints, Ints, Ints]:
    suits = np.zeros(4, np.int64)
    for card, suit in suit_of.items():
        suits[suit] |= np.int64(1) << card
    return suits, np.array(barred), np.array(sizes)


def number_of_deals(ways: Ints, sizes: Ints) -> int:
    return int(ways[0, sizes[0], sizes[1], sizes[2]])


def test_count_deals_is_what_brute_force_counts() -> None:
    rng = random.Random(1)
    none = several = 0
    for _ in range(30 if DISABLED else 400):
        suit_of, barred, sizes = problem(rng, 5 if DISABLED else 8)
        expected = sum(1 for _ in all_deals(suit_of, barred, sizes))
        a, b, c = arrays(suit_of, barred, sizes)
        assert number_of_deals(count_deals(a, b, c), c) == expected, (suit_of, barred, sizes)
        none += expected == 0
        several += expected > 1
    assert none and several


def test_count_deals_of_a_whole_deck() -> None:
    """The largest number that can come up fits: three hidden hands of thirteen at Whist."""
    suits = np.array([FULL_DECK.suit_set(suit) for suit in range(1, 4)] + [0])
    sizes = np.array([13, 13, 13, 0])
    ways = count_deals(suits, np.zeros(4, np.int64), sizes)
    assert number_of_deals(ways, sizes) == math.factorial(39) // math.factorial(13) ** 3


def test_count_deals_of_many_cards_with_voids() -> None:
    """Two holders share 13 of one suit, all three the rest: the number by hand."""
    suits = np.array([FULL_DECK.suit_set(suit) for suit in range(1, 4)] + [0])
    sizes = np.array([13, 13, 13, 0])
    barred = np.array([0b001, 0, 0, 0])
    expected = sum(
        math.comb(13, k) * math.comb(26, 13) * math.comb(13, 13 - k)  # k of the suit in hand 1, 13 - k in hand 2
        for k in range(14)
    )
    assert number_of_deals(count_deals(suits, barred, sizes), sizes) == expected


CASES = [
    # cards in each suit, barred (a bit a suit), sizes
    ((3, 2, 1, 1), (0b0001, 0b0100, 0, 0), (2, 2, 2, 1)),
    ((2, 2, 2, 0), (0b0010, 0b0001, 0b0100, 0), (2, 2, 2, 0)),
    ((3, 3, 0, 0), (0b0001, 0, 0, 0), (1, 1, 1, 3)),
    ((2, 1, 1, 2), (0, 0, 0, 0), (2, 1, 2, 1)),
    ((2, 2, 2, 1), (0b1100, 0b0011, 0, 0b1000), (1, 2, 3, 1)),
    ((4, 1, 1, 1), (0b0001, 0, 0b0010, 0b0001), (2, 2, 2, 1)),
]


@pytest.mark.compiled
@pytest.mark.parametrize(("per_suit", "barred", "sizes"), CASES)
def test_draw_deal_is_uniform(per_suit: tuple[int, ...], barred: tuple[int, ...], sizes: tuple[int, ...]) -> None:
    """Six tests at 1e-4: a correct sampler would fail one seed in 1,700."""
    suit_of = dict(enumerate(suit for suit, n in enumerate(per_suit) for _ in range(n)))
    known = list(all_deals(suit_of, list(barred), list(sizes)))
    assert len(known) >= 10
    a, b, c = arrays(suit_of, list(barred), list(sizes))
    ways = count_deals(a, b, c)
    n = 20_000
    hands = np.zeros((n, 4), np.int64)
    streams = seed_streams(4, 1)
    for k in range(n):
        draw_deal(a, b, c, ways, streams, 0, hands[k])
    drawn, counts = np.unique(hands, axis=0, return_counts=True)
    frequency = dict(zip(map(tuple, drawn.tolist()), counts.tolist(), strict=True))
    assert set(frequency) <= set(known)
    assert chisquare([frequency.get(deal, 0) for deal in known]).pvalue > 1e-4


def test_draw_deal_draws_what_was_counted() -> None:
    """Whole Whist deals with voids: sizes, voids and cards are right, and what is in ``hands`` already stays."""
    rng = random.Random(2)
    streams = seed_streams(5, 1)
    drawn = 0
    for _ in range(20 if DISABLED else 300):
        suit_of, barred, sizes = problem(rng, 12 if DISABLED else 39)
        a, b, c = arrays(suit_of, barred, sizes)
        ways = count_deals(a, b, c)
        if number_of_deals(ways, c) == 0:
            continue
        drawn += 1
        before = np.array([1, 2, 4, 8]) << 55
        hands = before.copy()
        draw_deal(a, b, c, ways, streams, 0, hands)
        assert (hands & before == before).all()
        hands ^= before
        assert [int(hand).bit_count() for hand in hands] == sizes
        assert int(np.bitwise_or.reduce(hands)) == int(np.bitwise_or.reduce(a))
        for holder, suit in itertools.product(range(4), range(4)):
            assert not (barred[holder] >> suit & 1 and hands[holder] & a[suit])
    assert drawn > 5

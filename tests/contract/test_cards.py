"""Decks and their text, bit operations inside kernels, random streams."""

import random
import re
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import chisquare

from cardenvs.baselines.review.texts import action_text, hand_text
from cardenvs.compiled.bits import highest, lowest, nonzero, nth, popcount, read_bits, write_bits
from cardenvs.compiled.jit import DISABLED, kernel
from cardenvs.compiled.streams import as_streams, below, random_member, seed_streams
from cardenvs.contract.cards import (
    EUCHRE_DECK,
    FULL_DECK,
    SUIT_SYMBOLS,
    SUITS,
    Deck,
    card_name,
    card_text,
    members_of,
    rank_text,
)
from tests.helpers.paths import ROOT

# --- decks and text ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("deck", "size"), [(EUCHRE_DECK, 24), (FULL_DECK, 52)])
def test_every_card_has_one_name(deck: Deck, size: int) -> None:
    assert deck.size == size
    names = [deck.text(card) for card in range(size)]
    assert len(set(names)) == size
    assert [deck.card(name) for name in names] == list(range(size))
    assert [deck.card(name) // len(deck.ranks) for name in names] == [SUITS.index(name[1]) for name in names]
    assert sum(deck.suit_set(suit) for suit in range(4)) == deck.all == (1 << size) - 1


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Th", "Th"), ("10h", "Th"), ("10H", "Th"), ("tH", "Th"), ("a d", "Ad"), (" 9 s ", "9s"), ("K♣", "Kc"),
        ("10♦", "Td"), ("q ♥", "Qh"), ("J♠", "Js"),
    ],
)  # fmt: skip
def test_spellings(text: str, name: str) -> None:
    for deck in (EUCHRE_DECK, FULL_DECK):
        assert deck.text(deck.card(text)) == name


def test_suits_of_one_colour_add_up_to_three() -> None:
    assert SUITS.index("c") + SUITS.index("s") == SUITS.index("d") + SUITS.index("h") == 3
    assert len(SUIT_SYMBOLS) == 4


def test_several_cards() -> None:
    assert FULL_DECK.parse("2c3c 10dAs") == [0, 1, 21, 51]
    assert FULL_DECK.parse("") == []
    assert FULL_DECK.parse_set("As2c") == 1 | 1 << 51
    assert FULL_DECK.format([51, 0]) == "As2c"
    assert FULL_DECK.format(1 | 1 << 51) == "2cAs"
    assert FULL_DECK.format(int(np.int64(3)), " ") == "2c 3c"
    assert FULL_DECK.format(0) == ""


def test_text_and_sets_are_inverse() -> None:
    rng = random.Random(0)
    for _ in range(200):
        cards = rng.getrandbits(52)
        assert FULL_DECK.parse_set(FULL_DECK.format(cards)) == cards
        assert FULL_DECK.format(members_of(cards)) == FULL_DECK.format(cards)


@kernel
def bit_facts(values: npt.NDArray[np.int64], out: npt.NDArray[np.int64]) -> None:
    for k in range(len(values)):
        out[k, 0] = popcount(values[k])
        out[k, 1] = lowest(values[k])
        out[k, 2] = highest(values[k])
        out[k, 3] = nth(values[k], popcount(values[k]) - 1)
        out[k, 4] = nth(values[k], popcount(values[k]) // 2)


def test_bit_operations() -> None:
    rng = random.Random(1)
    values = [1 << k for k in range(63)] + [(1 << k) - 1 for k in range(1, 64)]
    values += [rng.getrandbits(rng.randint(1, 63)) | 1 << rng.randrange(63) for _ in range(300)]
    out = np.zeros((len(values), 5), np.int64)
    bit_facts(np.array(values, np.int64), out)
    for value, row in zip(values, out.tolist(), strict=True):
        members = members_of(value)
        assert members == [k for k in range(63) if value >> k & 1]
        assert row == [len(members), members[0], members[-1], members[-1], members[len(members) // 2]]


@kernel
def write(out: npt.NDArray[np.int8], row: int, column: int, bits: int, width: int) -> int:
    return write_bits(out, row, column, bits, width)


@kernel
def read(rows: npt.NDArray[np.int8], row: int, column: int, width: int) -> int:
    return read_bits(rows, row, column, width)


def signed(bits: int) -> int:
    """64 bits as the int64 that has them."""
    return bits - (1 << 64) if bits >> 63 else bits


@pytest.mark.parametrize("width", range(1, 65))
def test_bits_to_bytes_and_back(width: int) -> None:
    """At every offset, with random, no and all bits set; bits above the width are left out, neighbours untouched."""
    rng = random.Random(width)
    for column in range(9 if DISABLED else 40):
        for bits in (0, (1 << width) - 1, rng.getrandbits(width), 1 << (width - 1)):
            above = rng.getrandbits(64 - width) << width if width < 64 else 0
            out = np.full((3, column + width + 9), 7, np.int8)
            assert write(out, 1, column, signed(bits | above), width) == column + width
            assert (out[0] == 7).all() and (out[2] == 7).all()
            assert (out[1, :column] == 7).all() and (out[1, column + width :] == 7).all()
            assert out[1, column : column + width].tolist() == [bits >> k & 1 for k in range(width)]
            assert int(read(out, 1, column, width)) == signed(bits)


def test_bits_in_a_slice_of_rows() -> None:
    """The rows need not lie next to each other."""
    wide = np.zeros((4, 100), np.int8)
    part = wide[::2, 10:90]
    assert write(part, 1, 3, 0b1011, 40) == 43
    assert wide.nonzero()[0].tolist() == [2, 2, 2] and wide.nonzero()[1].tolist() == [13, 14, 16]
    assert read(part, 1, 3, 40) == 0b1011


@kernel
def columns_that_are_not_zero(
    rows: npt.NDArray[Any], row: int, start: int, stop: int, columns: npt.NDArray[np.int64], count: int
) -> int:
    return nonzero(rows, row, start, stop, columns, count)


@pytest.mark.parametrize("kind", [np.int8, np.float32])
@pytest.mark.parametrize("share", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("width", [1, 63, 64, 65, 128, 200])
def test_columns_that_are_not_zero(kind: type, share: float, width: int) -> None:
    rng = np.random.default_rng(width)
    for rows in (np.zeros((3, width + 70), kind), np.zeros((6, width + 90), kind)[::2, 10:-10]):
        rows[:] = rng.choice([-1, 1, 3], rows.shape)  # what is behind the width does not count
        rows[1, :width] *= (rng.random(width) < share).astype(kind)
        for start in (0, np.int64(min(width, 5))):
            columns = np.full(width + 3, -7)
            count = columns_that_are_not_zero(rows, 1, start, width, columns, 2)
            assert columns[2:count].tolist() == (start + np.flatnonzero(rows[1, start:width])).tolist()
            assert (columns[:2] == -7).all() and (columns[count:] == -7).all()


@kernel
def draw(streams: npt.NDArray[np.uint64], s: int, n: int, out: npt.NDArray[np.int64]) -> None:
    for k in range(len(out)):
        out[k] = below(streams, s, n)


def test_streams_depend_on_seed_and_number_only() -> None:
    whole = seed_streams(7, 50)
    assert whole.dtype == np.uint64 and len(set(whole.tolist())) == 50
    assert (seed_streams(7, 3) == whole[:3]).all()
    assert (seed_streams(7, 20, first=30) == whole[30:]).all()
    assert (seed_streams(7, 1, first=49) == whole[49:]).all()
    assert not set(seed_streams(8, 50).tolist()) & set(whole.tolist())
    assert all((seed_streams(kind(7), 5) == whole[:5]).all() for kind in (np.int8, np.int64, np.uint64))
    assert len(seed_streams(2**64 - 1, 2)) == 2
    wide = seed_streams(2**127 + 7, 50)
    assert len(set(wide.tolist()) | set(whole.tolist())) == 100, "a wide seed is not cut off"
    assert (seed_streams(2**127 + 7, 20, first=13) == wide[13:33]).all()
    assert len(seed_streams(0, 0)) == 0


def test_streams_are_the_same_on_every_machine() -> None:
    """SplitMix64, written out in Python's whole numbers."""
    mask = 2**64 - 1

    def mix(z: int) -> int:
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
        return z ^ z >> 31

    golden = 0x9E3779B97F4A7C15
    for seed, number in ((0, 0), (1, 5), (12345, 999)):
        state = mix((mix(seed + golden & mask) + (number + 1) * golden) & mask)
        streams = seed_streams(seed, 1, number)
        assert int(streams[0]) == state
        out = np.zeros(20, np.int64)
        draw(streams, 0, 52, out)
        for value in out.tolist():
            state = state + golden & mask
            assert value == (mix(state) >> 32) * 52 >> 32
        assert int(streams[0]) == state


@pytest.mark.parametrize("n", [1, 2, 3, 24, 52, 1000, 2**31 - 1])
def test_below_is_in_range_and_uniform(n: int) -> None:
    """Seven tests at 1e-5: correct numbers would fail one seed in 14,000."""
    out = np.zeros(2_000 if DISABLED else 200_000, np.int64)
    draw(seed_streams(3, 1), 0, n, out)
    assert out.min() >= 0 and out.max() < n
    buckets = min(n, 100)
    if buckets > 1:
        edges = [-(-k * n // buckets) for k in range(buckets + 1)]
        counts, _ = np.histogram(out, edges)
        assert chisquare(counts, np.diff(edges) * (len(out) / n)).pvalue > 1e-5


def test_streams_do_not_follow_each_other() -> None:
    """Pairs of neighbouring streams' numbers, and of a stream's neighbouring numbers, at 1e-5 each."""
    n = 500 if DISABLED else 5_000
    streams = seed_streams(6, n)
    out = np.zeros((n, 2), np.int64)
    for s in range(n):
        draw(streams, s, 6, out[s])
    for first, second in ((out[:-1, 0], out[1:, 0]), (out[:, 0], out[:, 1])):
        assert chisquare(np.bincount(first * 6 + second, minlength=36)).pvalue > 1e-5


def test_random_member() -> None:
    streams = seed_streams(1, 1)
    n = 300 if DISABLED else 6_000
    drawn = np.array([random_member(streams, 0, 1 << 3 | 1 << 40 | 1 << 62) for _ in range(n)])
    members, counts = np.unique(drawn, return_counts=True)
    assert members.tolist() == [3, 40, 62]
    assert chisquare(counts).pvalue > 1e-5


def test_as_streams() -> None:
    streams = seed_streams(1, 3)
    assert as_streams(streams, 3) is streams
    drawn = as_streams(np.random.default_rng(5), 3)
    assert drawn.dtype == np.uint64 and drawn.shape == (3,)
    assert (drawn == as_streams(np.random.default_rng(5), 3)).all()
    assert as_streams(None, 2).shape == (2,)


def test_cards_in_words():
    assert [card_name(card) for card in ("9c", "Td", "Ah", "2s")] == [
        "nine of clubs", "ten of diamonds", "ace of hearts", "two of spades",
    ]  # fmt: skip


@pytest.mark.parametrize(("card", "text"), [("Th", "10♥"), ("As", "A♠"), ("2c", "2♣"), ("Jd", "J♦")])
def test_cards_for_people(card, text):
    assert card_text(card) == text
    assert rank_text(card) == text[:-1]
    assert action_text(card) == text
    assert hand_text(["9h", "Ts", "Ks"]) == "♠K10 ♥9"


def test_nobody_else_writes_tens():
    own = ROOT / "cardenvs" / "contract" / "cards.py"
    for folder in ("cardenvs", "baselines", "train"):
        for path in (ROOT / folder).rglob("*.py"):
            if path != own:
                assert not re.search(r"""replace\(["']T["'], ["']10["']\)""", path.read_text()), path

"""Decks, cards, card sets and seedable random numbers: the ground everything stands on.

A *card* is an ``int``: ``suit * ranks + rank`` with the suits in the order clubs, diamonds, hearts, spades and the ranks
upwards from the deck's lowest. A *card set* is an ``int64`` with bit ``card`` set for each member; the empty set is 0.
The suit of the same colour as ``suit`` is ``3 - suit``.

Random numbers come from *streams*: one ``uint64`` a stream, advanced in place (SplitMix64: Steele, Lea and Flood, "Fast
splittable pseudorandom number generators", OOPSLA 2014). One stream a game makes a game depend on its seed and number
only, not on how many games are played beside it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from cardenvs.checks import check_seed, short
from cardenvs.compiled.jit import DISABLED, helper, kernel, unrolled
from cardenvs.randomness import hashed_streams

# The types of the arrays that kernels take.
Bytes = npt.NDArray[np.int8]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]
Streams = npt.NDArray[np.uint64]

SUITS = "cdhs"
"""Suit letters in the order of their numbers: clubs 0, diamonds 1, hearts 2, spades 3."""

SUIT_SYMBOLS = "♣♦♥♠"
SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")
RANK_NAMES = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace")
"""The ranks in words, in the order of `FULL_DECK`'s ranks."""
CLUBS, DIAMONDS, HEARTS, SPADES = range(4)


@dataclass(frozen=True)
class Deck:
    """A deck of four suits with the same ranks.

    Attributes:
        ranks: one letter a rank, lowest first, for instance ``"9TJQKA"``.
    """

    ranks: str

    @property
    def size(self) -> int:
        """Number of cards."""
        return 4 * len(self.ranks)

    @property
    def all(self) -> int:
        """The set of all cards."""
        return (1 << self.size) - 1

    def suit_set(self, suit: int) -> int:
        """The set of the cards of ``suit`` (0 to 3) by their printed suit."""
        width = len(self.ranks)
        return ((1 << width) - 1) << (suit * width)

    def card(self, text: str) -> int:
        """The card that ``text`` names: rank then suit, as in ``"Th"``, ``"10h"`` or ``"a d"``; either case.

        Raises:
            ValueError: ``text`` is no card of this deck.
        """
        word = text.replace(" ", "").replace("10", "T")
        for symbol, letter in zip(SUIT_SYMBOLS, SUITS, strict=True):
            word = word.replace(symbol, letter)
        if len(word) == 2:
            rank, suit = self.ranks.find(word[0].upper()), SUITS.find(word[1].lower())
            if rank >= 0 and suit >= 0:
                return suit * len(self.ranks) + rank
        raise ValueError(
            f"unknown card {text!r}: a card is one of the ranks {' '.join(self.ranks)} "
            f"followed by one of the suits {' '.join(SUITS)}, as in {self.text(self.size - 1)!r}"
        )

    def text(self, card: int) -> str:
        """The two-letter name of ``card`` (0 to ``size - 1``), such as ``"Th"``.

        Raises:
            ValueError: ``card`` is no card of this deck.
        """
        if not 0 <= card < self.size:
            raise ValueError(f"unknown card number {card}: this deck has the cards 0 to {self.size - 1}")
        suit, rank = divmod(int(card), len(self.ranks))
        return self.ranks[rank] + SUITS[suit]

    def parse(self, text: str) -> list[int]:
        """The cards that ``text`` names in order, with or without spaces between them: ``"9sThJd"``.

        Raises:
            ValueError: something in ``text`` is no card of this deck.
        """
        word = text.replace(" ", "").replace("10", "T")
        return [self.card(word[k : k + 2]) for k in range(0, len(word), 2)]

    def parse_set(self, text: str) -> int:
        """The set of the cards named in ``text``.

        Raises:
            ValueError: something in ``text`` is no card of this deck, or a card is named twice.
        """
        result = 0
        for card in self.parse(text):
            if result >> card & 1:
                raise ValueError(f"the card {self.text(card)} is named twice in {text!r}")
            result |= 1 << card
        return result

    def format(self, cards: int | Iterable[int], separator: str = "") -> str:
        """The names of ``cards``, a card set (in the order of the card numbers) or an iterable (in its order)."""
        members = members_of(int(cards)) if isinstance(cards, (int, np.integer)) else cards
        return separator.join(self.text(card) for card in members)


EUCHRE_DECK = Deck("9TJQKA")
FULL_DECK = Deck("23456789TJQKA")


def card_name(card: str) -> str:
    """A card for a person to read or hear: ``"9c"`` is ``"nine of clubs"``."""
    return f"{RANK_NAMES[FULL_DECK.ranks.index(card[0])]} of {SUIT_NAMES[SUITS.index(card[1])]}"


def members_of(cards: int) -> list[int]:
    """The members of a card set, ascending."""
    return [k for k in range(int(cards).bit_length()) if int(cards) >> k & 1]


# --- bit operations ------------------------------------------------------------------------------------------------

if DISABLED:

    def popcount(bits: int) -> int:
        """Number of set bits of a non-negative int64."""
        return int(bits).bit_count()

    def lowest(bits: int) -> int:
        """Index of the lowest set bit of an int64 that is not 0."""
        return (int(bits) & -int(bits)).bit_length() - 1

    def highest(bits: int) -> int:
        """Index of the highest set bit of a positive int64."""
        return int(bits).bit_length() - 1

    def _storer(width: int) -> Any:
        def store(out: Any, row: int, column: int, bits: int) -> None:
            for k in range(width):
                out[row, column + k] = int(bits) >> k & 1

        return store

    def _loader(width: int) -> Any:
        def load(rows: Any, row: int, column: int) -> int:
            # An int64, so that shifting it up to the sign bit wraps around as in compiled code.
            return np.int64(sum(1 << k for k in range(width) if rows[row, column + k]))

        return load

    def write_octets(out: Any, row: int, column: int, octets: int) -> None:
        """Writes the eight bytes of an int64, the lowest first, to ``out[row, column:]``, see `octets_of`."""
        for k in range(8):
            out[row, column + k] = int(octets) >> 8 * k & 1

    def _nonzero64(rows: Any, row: int, column: int) -> int:
        return sum(1 << k for k in range(64) if rows[row, column + k])  # a Python int, which never overflows

else:

    def _bit_intrinsic(name: str) -> Any:
        """An intrinsic for one of LLVM's bit counts: ``ctpop``, ``cttz``, or the highest bit by ``ctlz``."""

        def typer(context: Any, bits: Any) -> Any:
            if not isinstance(bits, types.Integer):
                return None

            def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
                value = context.cast(builder, args[0], signature.args[0], types.int64)
                if name == "ctpop":
                    return builder.ctpop(value)
                if name == "cttz":
                    return builder.cttz(value, ir.Constant(ir.IntType(1), 1))
                leading = builder.ctlz(value, ir.Constant(ir.IntType(1), 1))
                return builder.sub(ir.Constant(ir.IntType(64), 63), leading)

            return types.int64(bits), generate

        return intrinsic(typer)

    popcount = _bit_intrinsic("ctpop")
    lowest = _bit_intrinsic("cttz")
    highest = _bit_intrinsic("ctlz")

    def _pointer(context: Any, builder: Any, signature: Any, args: Any, to: Any) -> Any:
        """The address of ``args[0][args[1], args[2]]``, contiguous rows taken for granted, as a pointer to ``to``."""
        view = context.make_array(signature.args[0])(context, builder, args[0])
        size = context.get_abi_sizeof(context.get_data_type(signature.args[0].dtype))
        column = builder.mul(args[2], ir.Constant(ir.IntType(64), size))
        offset = builder.add(builder.mul(args[1], builder.extract_value(view.strides, 0)), column)
        base = builder.ptrtoint(view.data, ir.IntType(64))
        return builder.inttoptr(builder.add(base, offset), to.as_pointer())

    def _storer(width: int) -> Any:
        """An intrinsic that stores ``width`` bits as int8 zeros and ones at once: a few vector instructions."""

        def typer(context: Any, out: Any, row: Any, column: Any, bits: Any) -> Any:
            def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
                mask = builder.bitcast(builder.trunc(args[3], ir.IntType(width)), ir.VectorType(ir.IntType(1), width))
                octets = ir.VectorType(ir.IntType(8), width)
                pointer = _pointer(context, builder, signature, args, octets)
                builder.store(builder.zext(mask, octets), pointer, align=1)
                return context.get_dummy_value()

            return types.void(out, types.int64, types.int64, types.int64), generate

        return intrinsic(typer)

    def _loader(width: int) -> Any:
        """An intrinsic that gathers ``width`` int8 zeros and ones into the bits of an int64."""

        def typer(context: Any, rows: Any, row: Any, column: Any) -> Any:
            def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
                octets = ir.VectorType(ir.IntType(8), width)
                loaded = builder.load(_pointer(context, builder, signature, args, octets), align=1)
                mask = builder.icmp_unsigned("!=", loaded, ir.Constant(octets, [0] * width))
                return builder.zext(builder.bitcast(mask, ir.IntType(width)), ir.IntType(64))

            return types.int64(rows, types.int64, types.int64), generate

        return intrinsic(typer)

    @intrinsic
    def write_octets(typing: Any, out: Any, row: Any, column: Any, octets: Any) -> Any:
        """Writes the eight bytes of an int64, the lowest first, to ``out[row, column:]``, see `octets_of`."""
        del typing

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            builder.store(args[3], _pointer(context, builder, signature, args, ir.IntType(64)), align=1)
            return context.get_dummy_value()

        return types.void(out, types.int64, types.int64, types.int64), generate

    @intrinsic
    def _nonzero64(typing: Any, rows: Any, row: Any, column: Any) -> Any:
        """An intrinsic that gathers which of 64 numbers are not 0 into the bits of an int64."""
        del typing
        is_real = isinstance(rows.dtype, types.Float)

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            vector = ir.VectorType(context.get_data_type(rows.dtype), 64)
            loaded = builder.load(_pointer(context, builder, signature, args, vector), align=1)
            zero = ir.Constant(vector, [0] * 64)
            mask = builder.fcmp_unordered("!=", loaded, zero) if is_real else builder.icmp_unsigned("!=", loaded, zero)
            return builder.bitcast(mask, ir.IntType(64))

        return types.int64(rows, types.int64, types.int64), generate


_store32, _store16, _store8 = _storer(32), _storer(16), _storer(8)
_load32, _load16, _load8 = _loader(32), _loader(16), _loader(8)


@kernel
def nth(bits: int, n: int) -> int:
    """Index of the ``n``-th set bit (from 0, lowest first) of an int64 with more than ``n`` set bits."""
    for _ in range(n):
        bits &= bits - 1
    return lowest(bits)


@unrolled
def write_bits(out: npt.NDArray[np.int8], row: int, column: int, bits: int, width: int) -> int:
    """Writes the ``width`` lowest bits as int8 zeros and ones to ``out[row, column:]``; returns the next column.

    ``out`` is int8 of shape (rows, columns) with contiguous rows.
    """
    while width >= 32:
        _store32(out, row, column, bits)
        bits >>= 32
        column += 32
        width -= 32
    if width >= 16:
        _store16(out, row, column, bits)
        bits >>= 16
        column += 16
        width -= 16
    if width >= 8:
        _store8(out, row, column, bits)
        bits >>= 8
        column += 8
        width -= 8
    for _ in range(width):
        out[row, column] = bits & 1
        bits >>= 1
        column += 1
    return column


def octets_of(bits: int) -> int:
    """The eight lowest bits as the bytes of an int64, for lookups of what `write_octets` writes: bit k is byte k."""
    return sum(1 << 8 * k for k in range(8) if bits >> k & 1)


@helper
def read_bits(rows: npt.NDArray[np.int8], row: int, column: int, width: int) -> int:
    """The int64 that `write_bits` wrote to ``rows[row, column:column + width]``."""
    bits = np.int64(0)
    done = 0
    while width - done >= 32:
        bits |= _load32(rows, row, column + done) << done
        done += 32
    if width - done >= 16:
        bits |= _load16(rows, row, column + done) << done
        done += 16
    if width - done >= 8:
        bits |= _load8(rows, row, column + done) << done
        done += 8
    while done < width:
        bits |= np.int64(rows[row, column + done]) << done
        done += 1
    return bits


@helper
def nonzero(rows: Any, row: int, start: int, stop: int, columns: npt.NDArray[np.int64], count: int) -> int:
    """Lists the columns in which a row is not 0, ascending.

    Args:
        rows: numbers of shape (rows, columns) with contiguous rows.
        row: the number of the row that is looked at.
        start: the first column to look at.
        stop: the column behind the last column to look at.
        columns: int64, the list, to whose end the columns are added.
        count: the number of entries in ``columns`` before the call.

    Returns:
        The number of entries in ``columns`` after the call.
    """
    column = start
    while column < stop and stop >= 64:
        # The last 64 columns may have been looked at in part.
        first = min(column, stop - 64)
        bits = _nonzero64(rows, row, first) >> (column - first) << (column - first)
        while bits != 0:
            columns[count] = first + lowest(bits)
            count += 1
            bits &= bits - 1
        column = first + 64
    while column < stop:
        if rows[row, column] != 0:
            columns[count] = column
            count += 1
        column += 1
    return count


# --- random numbers ------------------------------------------------------------------------------------------------

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_U27, _U30, _U31, _U32 = (np.uint64(k) for k in (27, 30, 31, 32))


@helper
def _mix(z: np.uint64) -> np.uint64:
    """SplitMix64's mixing of one word."""
    z = (z ^ (z >> _U30)) * _MIX1
    z = (z ^ (z >> _U27)) * _MIX2
    return z ^ (z >> _U31)


@helper
def below(streams: npt.NDArray[np.uint64], s: int, n: int) -> int:
    """A random int64 in ``0 .. n - 1`` from stream ``s``, for 1 <= n < 2**31.

    The highest 32 bits are scaled to the range, so each value's chance is off by less than ``n / 2**32`` of itself.
    """
    state = streams[s] + _GOLDEN
    streams[s] = state
    return np.int64(((_mix(state) >> _U32) * np.uint64(n)) >> _U32)


@helper
def drawn(games: Any, i: int, n: int) -> int:
    """A random int64 in ``0 .. n - 1`` from the stream of game ``i``'s own, its field ``stream``, for 1 <= n < 2**31."""
    g = games[i]
    state = g.stream + _GOLDEN
    g.stream = state
    return np.int64(((_mix(state) >> _U32) * np.uint64(n)) >> _U32)


@helper
def new_stream(streams: npt.NDArray[np.uint64], s: int) -> np.uint64:
    """A new random stream, drawn from stream ``s``."""
    state = streams[s] + _GOLDEN
    streams[s] = state
    return _mix(state ^ _MIX1)


@kernel
def fork(streams: npt.NDArray[np.uint64], s: int, out: npt.NDArray[np.uint64]) -> None:
    """Writes new random streams, drawn from stream ``s``, to ``out``."""
    for k in range(len(out)):
        out[k] = new_stream(streams, s)


@kernel
def random_member(streams: npt.NDArray[np.uint64], s: int, bits: int) -> int:
    """The index of a random set bit of ``bits``, which is not 0."""
    return nth(bits, below(streams, s, popcount(bits)))


@kernel
def _fill_streams(seed: np.uint64, first: int, out: npt.NDArray[np.uint64]) -> None:
    """Writes the streams of ``seed`` from number ``first`` on to ``out``."""
    base = _mix(seed + _GOLDEN)
    for k in range(len(out)):
        out[k] = _mix(base + np.uint64(first + k + 1) * _GOLDEN)


def seed_streams(seed: int, n: int, first: int = 0) -> npt.NDArray[np.uint64]:
    """The random streams number ``first .. first + n - 1`` of ``seed``, from which cards are dealt.

    They are for the game alone: of a seed below 2**64 all follow from any one of them. What players are given is derived
    by `cardenvs.randomness`.

    Args:
        seed: an int from 0 to 2**256 - 1.
        n: how many streams.
        first: the number of the first stream.

    Returns:
        uint64 of shape (n,). Stream ``k`` of a seed is the same whatever ``n`` and ``first``.

    Raises:
        ValueError: another seed.
    """
    if check_seed(seed) >= 1 << 64:
        return hashed_streams(seed, "deals", n, first)
    out = np.empty(n, np.uint64)
    _fill_streams(np.uint64(seed), first, out)
    return out


RandomSource = np.random.Generator | npt.NDArray[np.uint64]
"""Where policies draw from: a NumPy generator, or uint64 streams of shape (n,), one for each row, advanced in place."""


def as_streams(rng: RandomSource | None, n: int) -> npt.NDArray[np.uint64]:
    """``n`` random streams from a source of random numbers.

    Args:
        rng: uint64 streams of shape (n,), returned as they are; a NumPy generator, from which streams are drawn; or None
            for streams without a seed.
        n: how many streams.

    Returns:
        uint64 of shape (n,).

    Raises:
        ValueError: an array that is not uint64 of shape (n,), writable and contiguous; or something else.
    """
    if isinstance(rng, np.ndarray):
        if rng.dtype != np.uint64 or rng.shape != (n,):
            raise ValueError(f"rng must be uint64 streams of shape ({n},), not {rng.dtype} of shape {rng.shape}")
        if not rng.flags.writeable or not rng.flags.c_contiguous or not rng.flags.aligned:
            raise ValueError("rng must be an array that can be advanced in place: writable, contiguous and aligned")
        return rng
    if rng is not None and not isinstance(rng, np.random.Generator):
        raise ValueError(
            f"rng must be None, a NumPy generator such as numpy.random.default_rng(3), or uint64 streams, not {short(rng)}"
        )
    generator = np.random.default_rng() if rng is None else rng
    return generator.integers(0, 2**64, n, dtype=np.uint64)

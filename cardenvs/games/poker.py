"""Five-card poker hands, and the prospects of one to four cards.

Cards are those of `FULL_DECK`, hands are card sets (int64). A hand's value runs from 1 (7-5-4-3-2 of mixed suits) to
7462 (royal flush): higher beats lower, equal values tie. Partial hands are evaluated as in "the paper", on artificial
players for Five-O poker, whose sections are named below. Kernels trust their input; the Python functions check it.

In the kernels ``cards`` is a set of one to four cards, ``unseen`` the set of the cards that may be drawn, without
``cards``, and ``draws`` the number of cards that will be drawn, 0 to ``popcount(unseen)``.
"""

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from cardenvs.compiled.bits import highest, lowest, popcount
from cardenvs.compiled.jit import kernel
from cardenvs.contract.cards import FULL_DECK, RANK_NAMES, members_of

HAND_CLASSES: tuple[tuple[str, int, int], ...] = (
    ("high card", 1, 1277),
    ("pair", 1278, 4137),
    ("two pair", 4138, 4995),
    ("three of a kind", 4996, 5853),
    ("straight", 5854, 5863),
    ("flush", 5864, 7140),
    ("full house", 7141, 7296),
    ("four of a kind", 7297, 7452),
    ("straight flush", 7453, 7462),
)
"""Name, lowest and highest value of each class of hands, the lowest class first (paper, Table I)."""

HIGHEST_VALUE = HAND_CLASSES[-1][2]
"""Value of a royal flush."""

_HIGH_CARD, _PAIR, _TWO_PAIR, _THREE, _STRAIGHT, _FLUSH, _FULL_HOUSE, _FOUR, _STRAIGHT_FLUSH = (
    first for _, first, _ in HAND_CLASSES
)

_SUIT = (1 << 13) - 1
_SAME_RANK = 1 | 1 << 13 | 1 << 26 | 1 << 39  # the four deuces; shifted up by a rank, the four cards of that rank
_STRAIGHTS = np.array([1 << 12 | 0b1111] + [0b11111 << k for k in range(9)])  # sets of ranks, the lowest straight first
_DISTINCT = 1287  # ways to choose five distinct ranks


# --- lookups -------------------------------------------------------------------------------------------------------
#
# Seen as 13-bit sets of ranks, the four suits have a union, `ranks`, and a sum as integers, `total`. For five cards the
# two fix all ranks: the excess `total - ranks` is 0 without repeats, 2**r for a pair of rank r, 2**(r + 1) for three,
# 3 * 2**r for four, and these add up. A hand's value is therefore `_VALUES[_OFFSETS[ranks] + total]`, where `_OFFSETS` is
# chosen so that no two hands share an entry. Flushes follow `_DISTINCT` entries after the same ranks in mixed suits.


def _repeated_rank_hands(sets: npt.NDArray[np.int64], size: npt.NDArray[np.uint8]) -> tuple[npt.NDArray[np.int64], ...]:
    """Returns set of ranks, excess and value of every kind of hand with equal ranks: three int64 arrays of one length."""
    parts = []
    for first, repeated, others, weight, other_weight in (
        (_PAIR, 1, 3, 1, 0),
        (_TWO_PAIR, 2, 1, 1, 0),
        (_THREE, 1, 2, 2, 0),
        (_FULL_HOUSE, 1, 1, 2, 1),
        (_FOUR, 1, 1, 3, 0),
    ):
        # Sets of ranks of one size ascend as integers as they do in poker: by the highest rank in which they differ.
        high, low = sets[size == repeated], sets[size == others]
        i, j = np.nonzero((high[:, None] & low) == 0)
        excess = weight * high[i] + other_weight * low[j]
        parts.append((high[i] | low[j], excess, first + np.arange(len(i))))
    return tuple(np.concatenate(column) for column in zip(*parts, strict=True))


def _build_lookups() -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int16], npt.NDArray[np.int16]]:
    """Returns `_OFFSETS` and `_LOWEST`, int16 of shape (8192,) by set of ranks, and `_VALUES`, int16."""
    sets = np.arange(1 << 13)
    size = np.bitwise_count(sets)
    offsets = np.zeros(len(sets), np.int64)

    ranks, excess, value = _repeated_rank_hands(sets, size)
    order = np.argsort(ranks, kind="stable")
    ranks, excess, value = ranks[order], excess[order], value[order]
    bounds = [0, *(np.flatnonzero(np.diff(ranks)) + 1).tolist(), len(ranks)]
    taken = 0  # the entries in use, as the bits of one long integer
    for start, stop in pairwise(bounds):
        blocked = entries = 0
        for bit in excess[start:stop].tolist():
            blocked |= taken >> bit
            entries |= 1 << bit
        shift = (~blocked & (blocked + 1)).bit_length() - 1  # the first shift at which all entries are free
        taken |= entries << shift
        offsets[ranks[start]] = shift - ranks[start]

    five = sets[size == 5]
    straight = np.isin(five, _STRAIGHTS)
    offsets[five] = taken.bit_length() + np.arange(_DISTINCT) - five
    values = np.zeros(taken.bit_length() + 2 * _DISTINCT, np.int16)
    values[offsets[ranks] + ranks + excess] = value
    for masks, mixed, suited in (
        (five[~straight], _HIGH_CARD, _FLUSH),
        (_STRAIGHTS, _STRAIGHT, _STRAIGHT_FLUSH),
    ):
        at = offsets[masks] + masks
        values[at] = mixed + np.arange(len(masks))
        values[at + _DISTINCT] = suited + np.arange(len(masks))

    low = np.full(len(sets), HIGHEST_VALUE + 1, np.int16)
    low[five] = values[offsets[five] + five]
    for fewer in (4, 3, 2, 1):
        short = sets[size == fewer]
        low[short] = low[short[:, None] | 1 << np.arange(13)].min(axis=1)
    return offsets.astype(np.int16), low, values


def _build_choose() -> npt.NDArray[np.float64]:
    """Returns binomial coefficients ``[n, k]`` for n and k from 0 to 52; float64 holds them all exactly."""
    choose = np.zeros((53, 53))
    choose[:, 0] = 1
    for n in range(1, 53):
        choose[n, 1:] = choose[n - 1, 1:] + choose[n - 1, :-1]
    return choose


def _build_lowest_flushes() -> npt.NDArray[np.int16]:
    """Returns the lowest flush whose highest card is at least the highest rank of a set, by that rank: int16 (13,)."""
    sets = np.arange(1 << 13)
    five = sets[(np.bitwise_count(sets) == 5) & ~np.isin(sets, _STRAIGHTS)]
    return (_FLUSH + np.searchsorted(five, 1 << np.arange(13))).astype(np.int16)


_OFFSETS, _LOWEST, _VALUES = _build_lookups()
_CHOOSE = _build_choose()
_LOWEST_FLUSHES = _build_lowest_flushes()


# --- five cards ----------------------------------------------------------------------------------------------------


@kernel
def hand_value(cards: int) -> int:
    """Returns the value of a hand of exactly five cards, 1 to 7462."""
    clubs = cards & _SUIT
    diamonds = cards >> 13 & _SUIT
    hearts = cards >> 26 & _SUIT
    spades = cards >> 39
    total = clubs + diamonds + hearts + spades
    entry = int(_OFFSETS[clubs | diamonds | hearts | spades]) + total
    # All five cards are of one suit. A rare branch is cheaper here than arithmetic on every hand.
    if max(max(clubs, diamonds), max(hearts, spades)) == total:
        return int(np.int64(_VALUES[entry + _DISTINCT]))
    return int(np.int64(_VALUES[entry]))


@kernel
def _fill_values(sets: npt.NDArray[np.int64], out: npt.NDArray[np.int64]) -> int:
    """Writes the values of all ``sets`` to ``out``; returns the index of the first without five cards, or -1."""
    for k in range(len(sets)):
        cards = sets[k]
        if cards >> 52 != 0 or popcount(cards) != 5:
            return k
        out[k] = hand_value(cards)
    return -1


def hand_values(sets: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Returns the values, int64 (n,), of n hands of five cards; raises ValueError for other input."""
    given = np.asarray(sets)
    if given.ndim != 1 or (given.dtype.kind not in "iu" and given.size):
        raise ValueError(f"sets must be integers of shape (n,), not {given.dtype} of shape {given.shape}")
    hands = np.ascontiguousarray(given, dtype=np.int64)
    out = np.empty(len(hands), np.int64)
    wrong = _fill_values(hands, out)
    if wrong >= 0:
        _check_cards(int(given[wrong]), f"sets[{wrong}]", 5, 5)
    return out


def _check_cards(cards: int, name: str, least: int, most: int) -> None:
    """Raises ValueError unless ``cards`` is a set of ``least`` to ``most`` cards of the deck."""
    if not 0 <= cards <= FULL_DECK.all:
        raise ValueError(f"{name} is {cards}, which is no set of the cards 0 to {FULL_DECK.size - 1}")
    count = cards.bit_count()
    if not least <= count <= most:
        wanted = f"exactly {most}" if least == most else f"{least} to {most}"
        held = f"{count} cards" if count != 1 else "1 card"
        raise ValueError(f"{name} has {held} ({FULL_DECK.format(cards, ' ')}); it must have {wanted}")


# --- one to four cards ---------------------------------------------------------------------------------------------


@kernel
def rank_set(cards: int) -> int:
    """Returns the ranks that occur in a card set, as a 13-bit set: bit 0 the deuce, bit 12 the ace."""
    folded = cards | cards >> 26
    return (folded | folded >> 13) & _SUIT


@kernel
def lowest_completion(cards: int) -> int:
    """Returns the lowest value of any hand with the ranks of ``cards``, one to five: ``currVal`` of the paper (II.A.1a).
    Suits do not count: no completion is taken for a flush, not even five cards of one suit."""
    ranks = rank_set(cards)
    size = popcount(cards)
    if popcount(ranks) == size:
        return int(np.int64(_LOWEST[ranks]))
    total = (cards & _SUIT) + (cards >> 13 & _SUIT) + (cards >> 26 & _SUIT) + (cards >> 39)
    # With equal ranks a straight is out of reach, so the lowest ranks not yet held are the worst company.
    filled = ranks
    for _ in range(5 - size):
        filled |= filled + 1
    return int(np.int64(_VALUES[int(_OFFSETS[filled]) + filled + total - ranks]))


@kernel
def flush_chance(cards: int, unseen: int, draws: int) -> float:
    """Returns the chance to draw exactly the number of cards that a flush still needs: equation 1 of the paper. It is 0 if
    ``cards`` are of different suits. Drawing more of the suit than needed does not count."""
    start = lowest(cards) // 13 * 13
    needed = 5 - popcount(cards)
    if cards >> start > _SUIT or draws < needed:
        return 0.0
    total = popcount(unseen)
    fitting = popcount(unseen >> start & _SUIT)
    return _CHOOSE[fitting, needed] * _CHOOSE[total - fitting, draws - needed] / _CHOOSE[total, draws]


@kernel
def straight_chance(cards: int, unseen: int, draws: int) -> float:
    """Returns the chance to draw exactly one card of each rank that a straight still needs: equation 2 of the paper. It is
    the sum over all straights that contain the ranks of ``cards``, the ace low or high; 0 if there are none. The paper adds
    them up as if they excluded each other, so with many draws the sum is somewhat too high."""
    ranks = rank_set(cards)
    needed = 5 - popcount(cards)
    if popcount(ranks) + needed != 5 or draws < needed:
        return 0.0
    total = popcount(unseen)
    ways = 0.0
    for straight in _STRAIGHTS:
        if ranks & ~straight == 0:
            missing = straight & ~ranks
            product = 1
            fitting = 0
            while missing:
                count = popcount(unseen >> lowest(missing) & _SAME_RANK)
                product *= count
                fitting += count
                missing &= missing - 1
            ways += product * _CHOOSE[total - fitting, draws - needed]
    return ways / _CHOOSE[total, draws]


@kernel
def flush_value(cards: int) -> int:
    """Returns the lowest flush whose highest card is at least that of ``cards``, one to five: the paper's ``flushVal``. The
    paper goes by the highest card alone, so the lower cards held may make the real minimum higher. Returns 0 if ``cards``
    are of different suits."""
    start = lowest(cards) // 13 * 13
    if cards >> start > _SUIT:
        return 0
    return int(np.int64(_LOWEST_FLUSHES[highest(cards) - start]))


@kernel
def straight_value(cards: int) -> int:
    """Returns the value of the lowest straight with the ranks of ``cards``, one to five: the paper's ``straightVal``. The
    ace may be low or high, and missing cards need not be left. Returns 0 if two ranks are equal or too far apart."""
    ranks = rank_set(cards)
    if popcount(ranks) == popcount(cards):
        for k in range(10):
            if ranks & ~_STRAIGHTS[k] == 0:
                return _STRAIGHT + k
    return 0


@kernel
def evaluate(cards: int, unseen: int, draws: int) -> float:
    """Returns the value of one to five cards to their holder: the paper's ``eval`` (II.A.1a). Five cards have their
    `hand_value`, fewer ``(1 - p - q) * current + (p * flush + q * straight) * size / 5`` with the results of
    `flush_chance`, `straight_chance`, `lowest_completion`, `flush_value` and `straight_value` in that order. In Five-O,
    ``draws`` is five times the rows still to be filled after the current one."""
    size = popcount(cards)
    if size == 5:
        return float(hand_value(cards))
    p = flush_chance(cards, unseen, draws)
    q = straight_chance(cards, unseen, draws)
    result = (1.0 - p - q) * lowest_completion(cards)
    if p > 0.0:
        result += p * flush_value(cards) * size / 5.0
    if q > 0.0:
        result += q * straight_value(cards) * size / 5.0
    return result


# --- text ----------------------------------------------------------------------------------------------------------

_PLURALS = tuple(name + ("es" if name == "six" else "s") for name in RANK_NAMES)


def hand_name(cards: int) -> str:
    """Returns the name of a hand of one to five cards: ``"full house, kings over threes"``. Fewer than five cards are named
    by their equal ranks or their highest card; raises ValueError for other input."""
    _check_cards(int(cards), "cards", 1, 5)
    ranks = [card % 13 for card in members_of(cards)]
    # Equal ranks come first, then the higher ones.
    groups = sorted(((ranks.count(rank), rank) for rank in set(ranks)), reverse=True)
    counts = [count for count, _ in groups]
    rank = groups[0][1]
    if counts[0] == 4:
        return f"four of a kind, {_PLURALS[rank]}"
    if counts[:2] == [3, 2]:
        return f"full house, {_PLURALS[rank]} over {_PLURALS[groups[1][1]]}"
    if counts[0] == 3:
        return f"three of a kind, {_PLURALS[rank]}"
    if counts[:2] == [2, 2]:
        return f"two pair, {_PLURALS[rank]} and {_PLURALS[groups[1][1]]}"
    if counts[0] == 2:
        return f"pair of {_PLURALS[rank]}"
    if len(ranks) == 5:
        value = int(hand_value(int(cards)))
        if value == HIGHEST_VALUE:
            return "royal flush"
        name = next(name for name, first, last in HAND_CLASSES if first <= value <= last)
        if name != "high card":
            # In the lowest straight the ace stands below the deuce.
            return f"{name}, {'five' if value in (_STRAIGHT, _STRAIGHT_FLUSH) else RANK_NAMES[rank]} high"
    return f"{RANK_NAMES[rank]} high"

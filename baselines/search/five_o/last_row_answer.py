"""The last row of Five-O against ``exact``, solved: the best answer to it and its wins over all orders of the cards.

Twelve cards are unseen, of which ten will be drawn and placed face down. The play of `columns.Exact` there depends on its
own cards alone, as it sees no card of the row, so its opponent faces chance alone. The best answer follows backwards from
the ends: for all placements of the own five cards, all 2,520 ways to draw the other's five from the seven left are
compared, by the order in which the other has filled its columns, for that order is seen and depends on its cards.

The values of columns, ``own`` and ``other``, are int64 (5, 12), of `column_values`. ``ends``, int8 (792, 120, 5), has by
set of cards (in the order of `set_numbers`) and order the card in the last place of each column; ``orders``, int16 (792,
120), the first four columns in the order in which they were filled, as digits to base 6, one more than the column, the
first the lowest. Sums are int32 (13**5, orders), by the numbers of the cards in a row as digits to base 13, 12 for none.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.search.five_o.chances import three_of_five
from cardenvs.checks import check_int
from cardenvs.compiled.bits import Ints, overwrite, popcount
from cardenvs.compiled.jit import kernel
from cardenvs.contract.cards import members_of
from cardenvs.contract.fields import Games
from cardenvs.games import five_o
from cardenvs.games.poker import hand_value

CARDS = 12  # unseen cards before the last row
DEALS = 95_040  # number of ordered choices of five cards out of twelve
OTHERS = 2_520  # number of ordered choices of five cards out of the seven that are left

_NONE = CARDS  # the digit of an open column
_SIZE = (CARDS + 1) ** 5
_PLACE = np.array([(CARDS + 1) ** k for k in range(5)], np.int64)
_OPEN = _NONE * int(_PLACE.sum())


def _order_numbers() -> npt.NDArray[np.int64]:
    """The number of an order of columns among those of its length, by its digits to base 6 (0: none): int64 (6**5,)."""
    numbers = np.full(6**5, -1, np.int64)
    level: list[list[int]] = [[]]
    while len(level[0]) <= 5:
        for number, order in enumerate(level):
            numbers[sum((column + 1) * 6**k for k, column in enumerate(order))] = number
        if len(level[0]) == 5:
            break
        level = [[*order, column] for order in level for column in range(5) if column not in order]
    return numbers


ORDERS = _order_numbers()  # the number of each order of columns, int64 (6**5,), see `sum_results`
_COUNTS = np.array([1, 5, 20, 60, 120, 120], np.int64)


@kernel
def column_values(columns: Ints, cards: Ints) -> Ints:
    """The value of each column of four cards with each unseen card in its last place, int64 (5, 12)."""
    values = np.empty((5, CARDS), np.int64)
    for k in range(5):
        for c in range(CARDS):
            values[k, c] = hand_value(columns[k] | cards[c])
    return values


@kernel
def exact_column(own: Ints, other: Ints, placed: Ints, hand: int) -> int:
    """The column into which ``exact`` puts card ``hand``; ``placed`` has the last card of each column, -1 for none."""
    unseen = ((1 << CARDS) - 1) & ~(1 << hand)
    for k in range(5):
        if placed[k] >= 0:
            unseen &= ~(1 << placed[k])
    total = popcount(unseen)
    put, wait = np.zeros(5), np.zeros(5)
    for k in range(5):
        if placed[k] >= 0:
            won = 0
            for y in range(CARDS):
                if unseen >> y & 1 and own[k, placed[k]] > other[k, y]:
                    won += 1
            wait[k] = won / total
            continue
        won, pairs = 0, 0
        for y in range(CARDS):
            if unseen >> y & 1:
                if own[k, hand] > other[k, y]:
                    won += 1
                for x in range(CARDS):
                    if x != y and unseen >> x & 1 and own[k, x] > other[k, y]:
                        pairs += 1
        put[k] = won / total
        wait[k] = pairs / (total * (total - 1))
    best, most = -1, -1.0
    p = np.empty(5)
    for k in range(5):
        if placed[k] < 0:
            overwrite(p, wait)
            p[k] = put[k]
            score = min(max(three_of_five(p[0], p[1], p[2], p[3], p[4]), 0.0), 1.0)
            if score > most:
                best, most = k, score
    return best


@kernel
def exact_ends(own: Ints, other: Ints) -> tuple[Any, Any]:
    """Placements by ``exact`` in the last row for each order of its five cards: ``ends`` and ``orders``."""
    ends, orders = np.empty((792, 120, 5), np.int8), np.empty((792, 120), np.int16)
    filled = np.zeros(1 << CARDS, np.int64)
    numbers = set_numbers()
    drawn = np.full(5, -1, np.int64)
    column = np.full(5, -1, np.int64)
    placed = np.full(5, -1, np.int64)
    depth, used = 0, 0
    while True:
        # The next card at this depth.
        if drawn[depth] >= 0:
            used &= ~(1 << drawn[depth])
            if column[depth] >= 0:
                placed[column[depth]] = -1
                column[depth] = -1
        drawn[depth] += 1
        while drawn[depth] < CARDS and used >> drawn[depth] & 1:
            drawn[depth] += 1
        if drawn[depth] == CARDS:
            drawn[depth] = -1
            depth -= 1
            if depth < 0:
                return ends, orders
            continue
        used |= 1 << drawn[depth]
        if depth < 4:
            column[depth] = exact_column(own, other, placed, drawn[depth])
            placed[column[depth]] = drawn[depth]
            depth += 1
            continue
        for k in range(5):
            if placed[k] < 0:
                column[4] = k
        placed[column[4]] = drawn[4]
        number, at = numbers[used], filled[used]
        for k in range(5):
            ends[number, at, k] = placed[k]
        orders[number, at] = column[0] + 1 + 6 * (column[1] + 1) + 36 * (column[2] + 1) + 216 * (column[3] + 1)
        filled[used] += 1


@kernel
def set_numbers() -> Ints:
    """The number of each set of five of the twelve cards among those, int64 (4096,); -1 for other sets."""
    numbers = np.full(1 << CARDS, -1, np.int64)
    count = 0
    for cards in range(1 << CARDS):
        if popcount(cards) == 5:
            numbers[cards] = count
            count += 1
    return numbers


@kernel
def merge_ends(ends: Any, orders: Any, seen: int, counts: Ints, weights: Any) -> None:
    """Merges equal ends, by the order of the first ``seen`` columns; ``counts``, ``weights``: how many, how often."""
    shown = 6**seen
    for number in range(ends.shape[0]):
        count = 0
        for s in range(ends.shape[1]):
            order, found = orders[number, s] % shown, -1
            for other in range(count):
                if orders[number, other] == order:
                    same = True
                    for k in range(5):
                        same &= ends[number, other, k] == ends[number, s, k]
                    if same:
                        found = other
                        break
            if found < 0:
                found = count
                for k in range(5):
                    ends[number, found, k] = ends[number, s, k]
                orders[number, found] = order
                weights[number, found] = 0
                count += 1
            weights[number, found] += 1
        counts[number] = count


@kernel
def sum_results(
    own: Ints,
    other: Ints,
    ends: Any,
    orders: Any,
    counts: Ints,
    weights: Any,
    order_numbers: Ints,
    games: Any,
    columns: Any,
) -> None:
    """Sums the results of every way to fill the own last row over all cards and placements of ``exact``.

    ``ends``, ``orders``, ``counts`` and ``weights`` are of `merge_ends`, ``order_numbers`` is `ORDERS`. The entries of full
    rows are overwritten: in ``games`` twice the games won, draws once; in ``columns`` the columns won less those lost.
    """
    codes = np.empty((5, CARDS, CARDS), np.int64)  # of a column: 1 if it is won, 6 if it is lost
    for k in range(5):
        for x in range(CARDS):
            for y in range(CARDS):
                codes[k, x, y] = 1 if own[k, x] > other[k, y] else 6 if own[k, x] < other[k, y] else 0
    # Of each sum of codes twice the game, the columns plus five and a one, in fields of their own.
    worth = np.zeros(36, np.int64)
    for won in range(6):
        for lost in range(6 - won):
            game = 2 if won >= 3 else 0 if lost >= 3 else 1
            worth[won + 6 * lost] = game + ((won - lost + 5) << 20) + (1 << 40)
    field = (1 << 20) - 1
    numbers = set_numbers()
    mine = np.empty(5, np.int64)
    bucket = np.empty(games.shape[1], np.int64)
    for code in range(CARDS**5):
        rest, taken, at = code, 0, 0
        for k in range(5):
            mine[k] = rest % CARDS
            rest //= CARDS
            taken |= 1 << mine[k]
            at += mine[k] * (CARDS + 1) ** k
        if popcount(taken) != 5:
            continue
        bucket[:] = 0
        left = ((1 << CARDS) - 1) & ~taken
        row0, row1, row2 = codes[0, mine[0]], codes[1, mine[1]], codes[2, mine[2]]
        row3, row4 = codes[3, mine[3]], codes[4, mine[4]]
        # The other's five are the seven cards that are left without two of them.
        first = left
        while first != 0:
            one = first & -first
            first ^= one
            second = first
            while second != 0:
                two = second & -second
                second ^= two
                number = numbers[left ^ one ^ two]
                for s in range(counts[number]):
                    end = ends[number, s]
                    won = worth[row0[end[0]] + row1[end[1]] + row2[end[2]] + row3[end[3]] + row4[end[4]]]
                    bucket[order_numbers[orders[number, s]]] += won * weights[number, s]
        for kind in range(len(bucket)):
            games[at, kind] = bucket[kind] & field
            columns[at, kind] = (bucket[kind] >> 20 & field) - 5 * (bucket[kind] >> 40)


@kernel
def best_answer_sum(seen: Ints, sums: Any) -> int:
    """The sum of the best answer to ``exact`` over all orders of the cards, by backward induction from `sum_results`.

    ``seen``, int64 (5,), has the number of columns of ``exact`` that are seen as filled when own card number 0 to 4 is
    placed; the last is not used. Sums of rows with open columns are overwritten by their worth while no card is in hand.
    """
    places, counts = _PLACE, _COUNTS
    for filled in range(4, -1, -1):
        kinds = counts[seen[filled - 1]] if filled > 0 else np.int64(1)
        later = counts[seen[min(filled, 3)]]
        # Orders of one more column follow those that they go on from.
        per_kind = later // kinds
        for code in range(_SIZE):
            rest, size, taken = code, 0, 0
            for _ in range(5):
                if rest % (CARDS + 1) != _NONE:
                    size += 1
                    taken |= 1 << rest % (CARDS + 1)
                rest //= CARDS + 1
            if size != filled or popcount(taken) != filled:
                continue
            for kind in range(kinds):
                total = 0
                for c in range(CARDS):
                    if taken >> c & 1:
                        continue
                    for after in range(kind * per_kind, (kind + 1) * per_kind):
                        best, found = 0, False
                        rest = code
                        for k in range(5):
                            if rest % (CARDS + 1) == _NONE:
                                value = sums[code + (c - _NONE) * places[k], after]
                                if not found or value > best:
                                    best, found = value, True
                            rest //= CARDS + 1
                        total += best
                sums[code, kind] = total
    return sums[_OPEN, 0]


@kernel
def exact_sum(ends: Any, sums: Any) -> int:
    """The sum over all orders of the cards if ``exact`` places the own cards, too: ``ends``, ``sums`` of `sum_results`."""
    total = 0
    for number in range(ends.shape[0]):
        for s in range(120):
            at = 0
            for k in range(5):
                at += ends[number, s, k] * _PLACE[k]
            for kind in range(sums.shape[1]):
                total += sums[at, kind]
    return total


class LastRow(NamedTuple):
    """Results of a seat against ``exact`` in the last row, over all orders of the twelve cards.

    Attributes:
        exact: the share of the games that ``exact`` wins, a draw counting half.
        best: the share that the best answer wins.
        blind: the share that the best answer wins which ignores the columns that the other fills.
        exact_columns: columns won less those lost by ``exact``.
        best_columns: the most columns won less those lost by any answer.
    """

    exact: float
    best: float
    blind: float
    exact_columns: float
    best_columns: float


def solve_last_row(game: Games, seat: int, reads: bool = True) -> LastRow:
    """Solves the last row of a deal of Five-O against ``exact``; values are exact up to rounding.

    Args:
        game: a state before the last row with ``hidden_rows`` 1, a structured array of shape (1,).
        seat: the seat that answers, 0 or 1.
        reads: whether to solve for the answer that reacts to the columns that the other fills, which takes about
            four times as long; without it ``best`` and ``best_columns`` are those of the answer that does not.

    Raises:
        ValueError: another state, or another seat.
    """
    if game.dtype.names != five_o.STATE.names or game.shape != (1,):
        raise ValueError(f"game must be one state of five-o, not {game.dtype} of shape {game.shape}")
    state = game[0]
    if int(state["drawn"]) != 41 or int(state["hidden_rows"]) != 1:
        raise ValueError("game must have four full rows, no card in the last, and hidden_rows 1")
    check_int("seat", seat, 0, 1)
    columns = np.asarray(state["columns"], np.int64)
    unseen = int(five_o.DECK.all) & ~int(np.bitwise_or.reduce(columns, axis=None))
    cards = np.array([1 << card for card in members_of(unseen)], np.int64)
    own, other = column_values(columns[seat], cards), column_values(columns[1 - seat], cards)
    own_ends, _ = exact_ends(own, other)
    # The seat that comes second has seen one more column filled.
    seen = np.arange(5) + (int(state["to_act"]) != seat)
    every = DEALS * OTHERS
    figures = {}
    for reading in (False, True) if reads else (False,):
        ends, orders = exact_ends(other, own)
        looked = seen if reading else np.zeros(5, np.int64)
        games, margins = (np.empty((_SIZE, int(_COUNTS[looked[3]])), np.int32) for _ in range(2))
        counts, weights = np.empty(len(ends), np.int64), np.empty(orders.shape, np.int16)
        merge_ends(ends, orders, int(looked[3]), counts, weights)
        sum_results(own, other, ends, orders, counts, weights, ORDERS, games, margins)
        if not reading:
            figures["exact"] = exact_sum(own_ends, games) / every / 2
            figures["exact_columns"] = exact_sum(own_ends, margins) / every
            figures["blind"] = best_answer_sum(looked, games) / every / 2
        figures["best"] = figures["blind"] if not reading else best_answer_sum(looked, games) / every / 2
        figures["best_columns"] = best_answer_sum(looked, margins) / every
    return LastRow(**figures)

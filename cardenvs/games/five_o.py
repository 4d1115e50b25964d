"""Five-O poker: two players build five hands each, a card at a time, and the better of each pair of hands wins its column.

The rules are the numbered clauses of ``docs/rules/five-o.md``, cited here as [F..]. Source: S. Aharon and M. Mandel,
"Five-O Poker" (the paper).

Options: ``hidden_rows``, how many of the last rows lie face down until the end. An episode is one deal.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from cardenvs.compiled.bits import Bytes, Ints, Streams, lowest, octets_of, popcount, read_bits, write_bits, write_octets
from cardenvs.compiled.jit import helper, kernel
from cardenvs.compiled.streams import below
from cardenvs.contract import loops
from cardenvs.contract.cards import FULL_DECK, SUIT_NAMES, card_name, members_of
from cardenvs.contract.definition import define_game
from cardenvs.contract.fields import Games, Part
from cardenvs.contract.kinds import ColumnGame
from cardenvs.contract.lines import int_field
from cardenvs.contract.options import Option
from cardenvs.contract.outcome import ActionWords
from cardenvs.contract.sources import BitSet, Derived, OneHot, Source, UpTo
from cardenvs.games._view_audit import Pile, Sights, false_claim
from cardenvs.games.poker import hand_name, hand_value

# --- actions -------------------------------------------------------------------------------------------------------

DECK = FULL_DECK
ACTIONS = tuple(f"column-{k + 1}" for k in range(5))
"""Action k puts the card in hand into column k + 1."""

# --- the state -----------------------------------------------------------------------------------------------------

MAX_STEPS = 40
_DEALT = 10  # cards dealt before the first turn
_DRAWN = _DEALT + MAX_STEPS  # the last two cards of the deck are never drawn

OPTIONS = (Option("hidden_rows", (1, 0, 2, 3, 4), "how many of the five rows, from the last, lie face down until the end"),)

STATE = np.dtype(
    [
        # options
        ("hidden_rows", np.int64),  # 0 to 4
        # the deal
        ("deck", np.int8, (52,)),  # card + 1 in the order of drawing; in views 0, unless the seat recalls what it has seen
        ("drawn", np.int64),  # how many cards have left the deck, the card in hand included
        ("first", np.int64),  # seat that moved first: 0, or 1 in the other seat's view
        # play
        ("columns", np.int64, (2, 5)),  # card set of each seat's columns; in views without the other seat's face-down cards
        ("down", np.int64, (2,)),  # cards each seat has face down, as a set; in views 0 for the other seat
        ("covered", np.int64, (2, 5)),  # how many cards of each column lie face down
        ("open", np.int64, (2,)),  # a bit for each column of a seat that is not longer than its shortest; 0 at the end
        ("card", np.int64),  # the card in hand of the seat to act, as a set; 0 in the other seat's view and at the end
        ("to_act", np.int64),  # seat, -1 when the deal is over
        ("over", np.int64),  # loops.RUNNING or EPISODE_OVER
        # history
        ("moves", np.int64),  # actions so far; fewer where the first are not known
        ("history", np.int8, (40,)),  # these actions, in order
    ],
    align=True,
)

_ALL_CARDS = np.int64(DECK.all)
_ALL_COLUMNS = np.int64(0b11111)

# --- rules ---------------------------------------------------------------------------------------------------------


@helper
def _card_at(games: Any, i: int, index: int) -> int:
    """Returns the card with number ``index`` (0 to 51) in the order of drawing, as a set."""
    return np.int64(1) << (games[i].deck[index] - 1)


@kernel
def _open_deal(games: Any, i: int) -> None:
    """Sets all fields except the deck, the first seat and the options for the start of a deal [F2]."""
    g = games[i]
    for seat in range(2):
        for k in range(5):
            g.columns[seat, k] = _card_at(games, i, 5 * seat + k)
            g.covered[seat, k] = 0
        g.down[seat] = 0
        g.open[seat] = _ALL_COLUMNS
    g.card = _card_at(games, i, _DEALT)
    g.drawn = _DEALT + 1
    g.to_act = g.first
    g.over = loops.RUNNING
    g.moves = 0
    for k in range(MAX_STEPS):
        g.history[k] = 0


@kernel
def deal(games: Any, i: int, streams: Streams, s: int) -> None:
    """Deals from a newly shuffled deck [F1 F2]; seat 0 moves first [F3]."""
    g = games[i]
    for k in range(52):
        g.deck[k] = k + 1
    for k in range(51):
        other = k + below(streams, s, 52 - k)
        g.deck[k], g.deck[other] = g.deck[other], g.deck[k]
    g.first = 0
    _open_deal(games, i)


@kernel
def legal(games: Any, i: int, word: int = 0) -> int:
    """Returns the columns that the seat to act may put its card into, a bit each [F4]; 0 when the deal is over."""
    g = games[i]
    return g.open[g.to_act] if g.to_act >= 0 else np.int64(0)


@kernel
def step(games: Any, i: int, action: int) -> None:
    """Puts the card in hand into a column and hands the other seat the next card."""
    g = games[i]
    seat = g.to_act
    g.history[g.moves] = action
    g.moves += 1
    g.columns[seat, action] |= g.card
    if g.drawn > _DRAWN - 10 * g.hidden_rows:  # [F7]
        g.down[seat] |= g.card
        g.covered[seat, action] += 1
    left = g.open[seat] & ~(np.int64(1) << action)
    g.open[seat] = left if left != 0 else _ALL_COLUMNS
    if g.drawn < _DRAWN:
        g.card = _card_at(games, i, g.drawn)
        g.drawn += 1
        g.to_act = 1 - seat
    else:  # [F5 F8]
        g.card = 0
        g.to_act = -1
        g.over = loops.EPISODE_OVER
        for k in range(2):
            g.down[k] = 0
            g.open[k] = 0
            for column in range(5):
                g.covered[k, column] = 0


@kernel
def outcome(games: Any, i: int, points: Ints, tricks: Ints) -> int:
    """Writes the outcome of a finished deal; returns the sides that have won, both in a draw [F9 to F12]. The winner gets 1
    point, the other side 0, both 0 in a draw; ``tricks`` are the columns that each seat has won."""
    g = games[i]
    won0 = 0
    won1 = 0
    for k in range(5):
        value0 = hand_value(g.columns[0, k])
        value1 = hand_value(g.columns[1, k])
        won0 += value0 > value1
        won1 += value1 > value0
    tricks[i, 0] = won0
    tricks[i, 1] = won1
    points[i, 0] = won0 >= 3
    points[i, 1] = won1 >= 3
    if won0 >= 3:
        return 1
    return 2 if won1 >= 3 else 3


# --- views and re-deals --------------------------------------------------------------------------------------------


@kernel
def view(games: Any, i: int, seat: int, views: Any, j: int) -> None:
    """Writes the view of ``seat`` to ``views[j]``, turned so that it is seat 0; unknown values are 0 [F6-F8, F16, F17]."""
    g = games[i]
    v = views[j]
    other = 1 - seat
    # Field by field: a copy of the whole record would wait for the stores of the step before.
    for k in range(5):
        v.columns[0, k] = g.columns[seat, k]
        v.columns[1, k] = g.columns[other, k] & ~g.down[other]
        v.covered[0, k] = g.covered[seat, k]
        v.covered[1, k] = g.covered[other, k]
    v.down[0] = g.down[seat]
    v.down[1] = 0
    v.open[0] = g.open[seat]
    v.open[1] = g.open[other]
    v.card = g.card if g.to_act == seat else 0
    v.hidden_rows = g.hidden_rows
    v.drawn = g.drawn
    v.first = g.first ^ seat
    v.to_act = g.to_act ^ seat if g.to_act >= 0 else -1
    v.over = g.over
    v.moves = g.moves
    for k in range(52):
        v.deck[k] = 0
    for k in range(MAX_STEPS):
        v.history[k] = g.history[k]


_PLACES = np.arange(52, dtype=np.int8)


@kernel
def remember(games: Any, i: int, seat: int, views: Any, j: int) -> None:
    """Adds the order of drawing of the cards that ``seat`` has seen to its view ``views[j]``."""
    g = games[i]
    v = views[j]
    # The cards of the last rows are seen by who drew them, each as soon as it is drawn [F6 F7]; at the end all are [F8].
    open_until = min(g.drawn - 1, _DRAWN - 10 * g.hidden_rows) if g.over == loops.RUNNING else np.int64(_DRAWN)
    # In bytes and without a branch, all places are done at once.
    seen, drawn, own = np.int8(open_until), np.int8(g.drawn), np.int8((g.first ^ seat) & 1)
    for k in range(52):
        place = _PLACES[k]
        known = (place < seen) | (((place ^ own) & 1 == 0) & (place < drawn))
        v.deck[k] = g.deck[k] & -np.int8(known)
    if seat == 1:  # whose columns come first in its view
        for k in range(5):
            v.deck[k], v.deck[5 + k] = v.deck[5 + k], v.deck[k]


@helper
def unseen_cards(views: Any, i: int) -> int:
    """Returns the cards that seat 0 of a view has not seen."""
    v = views[i]
    seen = v.card
    for k in range(5):
        seen |= v.columns[0, k] | v.columns[1, k]
    return _ALL_CARDS & ~seen


@kernel
def _recalled_order(views: Any, i: int, start: int, games: Any, j: int) -> None:
    """Ends the re-deal of a view that `remember` has added to: all seen cards stay in their places."""
    v = views[i]
    g = games[j]
    in_columns = g.drawn - (1 if g.over == loops.RUNNING else 0)
    order = np.empty(_DRAWN, np.int8)
    for k in range(in_columns):
        order[k] = v.deck[k]
        if order[k] == 0:
            card = _card_at(games, j, start)
            g.columns[1, g.history[k - _DEALT]] |= card
            g.down[1] |= card
            order[k] = g.deck[start]
            start += 1
    if g.to_act == 0:
        g.deck[in_columns] = lowest(g.card) + 1
    elif g.to_act == 1:
        g.card = _card_at(games, j, in_columns)
    for k in range(in_columns):
        g.deck[k] = order[k]


@kernel
def redeal(views: Any, i: int, streams: Streams, s: int, games: Any, j: int) -> None:
    """Writes to ``games[j]`` a full state drawn uniformly from all arrangements of the cards unseen in a view [F18]. The
    unseen cards lie face down in the other seat's columns, in that seat's hand while it is to act, and in the deck, in
    order. A view lacks the order of drawing of the cards in the columns: the state gets an order that fits the history, or
    a legal order without one. What `remember` has added stays."""
    games[j] = views[i]
    g = games[j]
    recalled = g.deck[0] != 0
    running = 1 if g.over == loops.RUNNING else 0
    in_columns = g.drawn - running
    unseen = unseen_cards(views, i)
    # The deck holds the unseen cards at its end while they are shuffled; the card in hand and the rest stay there.
    start = 52 - popcount(unseen)
    for k in range(start, 52):
        g.deck[k] = lowest(unseen) + 1
        unseen &= unseen - 1
    for k in range(start, 51):
        other = k + below(streams, s, 52 - k)
        g.deck[k], g.deck[other] = g.deck[other], g.deck[k]
    if recalled:
        _recalled_order(views, i, start, games, j)
        return
    for column in range(5):
        for _ in range(g.covered[1, column]):
            card = _card_at(games, j, start)
            g.columns[1, column] |= card
            g.down[1] |= card
            start += 1
    if g.to_act == 0:
        g.deck[in_columns] = lowest(g.card) + 1
    elif g.to_act == 1:
        g.card = _card_at(games, j, in_columns)

    left = np.empty((2, 5), np.int64)
    for seat in range(2):
        for column in range(5):
            left[seat, column] = g.columns[seat, column]
    remembered = g.moves == in_columns - _DEALT
    for k in range(in_columns):
        if k < _DEALT:
            seat, column = k // 5, k % 5
        else:
            ply = k - _DEALT
            seat = g.first ^ (ply & 1)
            column = g.history[ply] if remembered else (ply >> 1) % 5
            while left[seat, column] == 0:  # a history of any numbers can name a column that is used up
                column = (column + 1) % 5
        rest = left[seat, column]
        up = rest & ~g.down[seat]  # the last rows are the face-down ones
        card = lowest(up if up != 0 else rest)
        left[seat, column] = rest ^ (np.int64(1) << card)
        g.deck[k] = card + 1


# --- the observation -----------------------------------------------------------------------------------------------

_CARDS = tuple(DECK.text(card) for card in range(52))
_SEATS = ("self", "other")


@helper
def _row_filled(views: Any, i: int) -> int:
    """Returns the row that is being filled, as a set of one; empty at the end."""
    v = views[i]
    return np.int64(1) << (v.drawn - _DEALT - 1) // 10 if v.over == loops.RUNNING else np.int64(0)


@kernel
def complete(views: Any, j: int) -> None:
    """Sets the fields of a view that follow from the others: its own face-down cards by column, and the cards drawn."""
    v = views[j]
    seen = np.int64(0)
    v.drawn = 1 if v.over == loops.RUNNING else 0
    for k in range(5):
        v.covered[0, k] = popcount(v.columns[0, k] & v.down[0])
        v.drawn += v.covered[1, k]
        seen |= v.columns[0, k] | v.columns[1, k]
    v.drawn += popcount(seen)


def _card_part(name: str, meaning: str, source: Source | None = None) -> Part:
    return Part(name, _CARDS, meaning, source=source)


OBSERVATION = (
    *(
        _card_part(f"column_{k + 1}_self", f"the cards in the own column {k + 1}", BitSet("columns", (0, k)))
        for k in range(5)
    ),
    *(
        _card_part(
            f"column_{k + 1}_other", f"the cards to be seen in the other's column {k + 1}", BitSet("columns", (1, k))
        )
        for k in range(5)
    ),
    _card_part("down", "the cards in the own columns that lie face down", BitSet("down", 0)),
    _card_part("card", "the card in the own hand", BitSet("card")),
    _card_part("unseen", "all cards that have not been seen", Derived(unseen_cards)),
    *(
        Part(
            f"covered_{k + 1}",
            tuple("1234"),
            f"face-down cards in the other's column {k + 1}, up to it",
            source=UpTo("covered", (1, k)),
        )
        for k in range(5)
    ),
    *(
        Part(f"open_{seat}", ACTIONS, f"columns of {seat} that are not longer than its shortest", source=BitSet("open", k))
        for k, seat in enumerate(_SEATS)
    ),
    Part("row", tuple("2345"), "the row that is being filled", source=Derived(_row_filled)),
    Part("first", _SEATS, "who moved first", source=OneHot("first")),
    Part("to_act", _SEATS, "whose turn it is", source=OneHot("to_act", none=-1)),
    Part(
        "hidden_rows",
        tuple("01234"),
        "option: how many of the last rows lie face down until the end",
        source=OneHot("hidden_rows"),
    ),
    Part("episode_over", ("yes",), "the episode is over", source=OneHot("over", first=loops.EPISODE_OVER, none=0)),
)
HIDDEN = (
    *(_card_part(f"down_{k}_other", f"the face-down cards in the other's column {k}") for k in range(1, 6)),
    _card_part("card_other", "the card in the other's hand"),
    *(_card_part(f"next_{k}", f"the card that will be drawn {k} turns from now") for k in range(1, MAX_STEPS)),
    _card_part("undrawn", "the two cards that are never drawn"),
)
_NAMES = [part.name for part in OBSERVATION]
_HISTORY = len(_NAMES)
_COLUMN, _DOWN, _CARD, _COVERED, _OPEN, _ROW, _TO_ACT = (
    _NAMES.index(name) for name in ("column_1_self", "down", "card", "covered_1", "open_self", "row", "to_act")
)


@kernel
def _column_flaw(games: Any, i: int, whole: bool) -> int:
    """Returns an impossible part in turn and columns of a record whose numbers are in range, -1 if there is none."""
    g = games[i]
    running = g.over == loops.RUNNING
    if g.drawn <= _DEALT or g.drawn > _DRAWN or (not running and g.drawn != _DRAWN):
        return _ROW
    placed = g.drawn - _DEALT - (1 if running else 0)
    if g.to_act != (g.first ^ (placed & 1) if running else -1):
        return _TO_ACT
    if g.moves > placed:
        return _HISTORY
    seen = np.int64(0)
    for seat in range(2):
        known = whole or seat == 0
        shortest = np.int64(5)
        total = np.int64(0)
        all_down = np.int64(0)
        open_columns = np.int64(0)
        for k in range(5):
            cards = g.columns[seat, k]
            covered = g.covered[seat, k]
            if cards & seen:
                return _COLUMN + 5 * seat + k
            seen |= cards
            if covered < 0 or covered > 4:
                return _COVERED + k
            size = popcount(cards) + (0 if known else covered)
            if size < 1 or size > 5:
                return _COLUMN + 5 * seat + k
            # The last rows lie face down until the end [F7 F8].
            if covered != (max(size - (5 - g.hidden_rows), 0) if running else 0):
                return _COVERED + k
            if known and popcount(cards & g.down[seat]) != covered:
                return _DOWN
            if size < shortest:
                shortest, open_columns = np.int64(size), np.int64(0)
            if size == shortest:
                open_columns |= np.int64(1) << k
            elif size > shortest + 1:
                return _COLUMN + 5 * seat + k
            all_down |= cards
            total += size
        if g.down[seat] & ~all_down:
            return _DOWN
        if total != 5 + (placed + (1 if seat == g.first else 0)) // 2:
            return _COLUMN + 5 * seat
        if g.open[seat] != (open_columns if running else 0):
            return _OPEN + seat
    in_hand = running and (whole or g.to_act == 0)
    return _CARD if g.card & seen or popcount(g.card) != (1 if in_hand else 0) else -1


@kernel
def flaw(games: Any, i: int, whole: bool) -> int:
    """Returns an impossible part of a record whose numbers are in range, -1 if none (`Kernels.flaw`). The order of drawing
    has all cards of a state (``whole``), those that its seat has seen of a view that recalls it, or none."""
    bad = _column_flaw(games, i, whole)
    if bad >= 0:
        return bad
    g = games[i]
    running = g.over == loops.RUNNING
    drawn, in_deck, zeros = np.int64(0), np.int64(0), 0
    for k in range(52):
        code = g.deck[k]
        if code < 0 or code > 52 or (code > 0 and in_deck >> (code - 1) & 1):
            return _HISTORY
        if code > 0:
            in_deck |= np.int64(1) << (code - 1)
        if k < g.drawn:
            drawn, zeros = in_deck, zeros + (code == 0)
    if in_deck == 0 and not whole:
        return -1
    shown, hidden = g.card, np.int64(running and not whole and g.to_act == 1)
    for seat in range(2):
        for k in range(5):
            shown |= g.columns[seat, k]
            hidden += 0 if whole or seat == 0 else g.covered[seat, k]
    if drawn != shown or zeros != hidden:
        return _HISTORY
    if whole:
        in_hand = running and g.deck[g.drawn - 1] != lowest(g.card) + 1
        return _HISTORY if in_deck != _ALL_CARDS or in_hand else -1
    placed = g.drawn - _DEALT - (1 if running else 0)
    return _HISTORY if in_deck != drawn or g.moves != placed else -1


@kernel
def reveal(games: Any, i: int, seat: int, out: Bytes, row: int, column: int) -> None:
    """Writes what ``seat`` cannot see to ``out[row, column:]``, in the order of HIDDEN."""
    g = games[i]
    other = 1 - seat
    for k in range(5):
        column = write_bits(out, row, column, g.columns[other, k] & g.down[other], 52)
    column = write_bits(out, row, column, g.card if g.to_act == other else np.int64(0), 52)
    for k in range(g.drawn, g.drawn + MAX_STEPS - 1):
        card = _card_at(games, i, k) if k < _DRAWN else np.int64(0)
        column = write_bits(out, row, column, card, 52)
    write_bits(out, row, column, _card_at(games, i, 50) | _card_at(games, i, 51), 52)


_SUITS_AND_RANK = (*SUIT_NAMES, "rank+1", "rank+2", "rank+4", "rank+8")
_MOVE = (*_SEATS, "column+1", "column+2", "column+4", *_SUITS_AND_RANK)
RECALL = tuple(
    Part(
        f"move_{k}",
        _MOVE,
        "in the order of play: who placed a card, in which column, and where the card was seen its suit and its rank (1 "
        "for a two to 13 for an ace)",
    )
    for k in range(1, MAX_STEPS + 1)
)

# A move in a recalling observation is thirteen bytes: five for who places a card where, eight for the card. Both are looked
# up and written eight wide, the former first.
_MOVE_SIZE = len(_MOVE)
_PLACE_OCTETS = np.array([[octets_of(1 << seat | column << 2) for column in range(8)] for seat in range(2)], np.int64)
_CARD_OCTETS = np.zeros(64, np.int64)  # by what stands for the card in the deck
for _card in range(52):
    _CARD_OCTETS[1 + _card] = octets_of(1 << _card // 13 | (_card % 13 + 1) << 4)


@kernel
def recall(views: Any, i: int, out: Bytes, row: int, column: int) -> None:
    """Writes the order of the moves to ``out[row, column:]``, in the order of RECALL. Zeros are written where the first
    moves are unknown."""
    v = views[i]
    placed = v.drawn - _DEALT - (1 if v.over == loops.RUNNING else 0)
    moves = v.moves if v.moves == placed else np.int64(0)
    last = column + _MOVE_SIZE * MAX_STEPS - 64
    for at in range(column + _MOVE_SIZE * moves, last, 64):
        write_bits(out, row, at, 0, 64)
    write_bits(out, row, last, 0, 64)
    seat = v.first
    for k in range(moves):
        write_octets(out, row, column, _PLACE_OCTETS[seat, v.history[k] + 1 & 7])
        write_octets(out, row, column + 5, _CARD_OCTETS[v.deck[_DEALT + k] & 63])
        column += _MOVE_SIZE
        seat ^= 1


@kernel
def recollect(observations: Bytes, row: int, column: int, views: Any, j: int) -> None:
    """Sets the history and the known deck of ``views[j]``, which `decode` has written, from what `recall` wrote."""
    v = views[j]
    placed = v.drawn - _DEALT - (1 if v.over == loops.RUNNING else 0)
    v.moves = min(max(placed, 0), MAX_STEPS)
    seen = np.int64(0)
    for k in range(v.moves):
        word = read_bits(observations, row, column + _MOVE_SIZE * k, _MOVE_SIZE)
        v.history[k] = (word >> 2 & 7) - 1
        rank = word >> 9
        code = 13 * lowest(word >> 5 & 15 | 8) + rank if rank != 0 else np.int64(0)
        v.deck[_DEALT + k] = code
        seen |= np.int64(1) << code >> 1
    # The card dealt to a column is the one that no action has placed there.
    for seat in range(2):
        for k in range(5):
            left = v.columns[seat, k] & ~seen
            v.deck[5 * seat + k] = lowest(left) + 1 if left != 0 else 0
    if v.to_act == 0 and v.card != 0 and v.moves < MAX_STEPS:
        v.deck[_DEALT + v.moves] = lowest(v.card) + 1


@kernel
def rewind(games: Any, i: int, starts: Any, j: int, actions: Ints) -> int:
    """Writes a deal's start to ``starts[j]``, and the actions since to ``actions`` (`Kernels.rewind`)."""
    g = games[i]
    if g.moves != g.drawn - _DEALT - (1 if g.over == loops.RUNNING else 0):
        return -1
    starts[j] = games[i]
    for k in range(g.moves):
        actions[k] = g.history[k]
    _open_deal(starts, j)
    return g.moves


# --- text ----------------------------------------------------------------------------------------------------------


def deal_text(state: Any) -> dict[str, str]:
    """Returns a deal's start in text, by key; ``first`` only where seat 1 moves first, as in re-deals for it."""
    cards = [int(code) - 1 for code in state["deck"]]
    fields = {"first": "1"} if state["first"] else {}
    fields["columns"] = "/".join(DECK.format(cards[start : start + 5]) for start in (0, 5))
    fields["deck"] = DECK.format(cards[_DEALT:])
    return fields


def set_deal(games: Games, i: int, fields: Mapping[str, str]) -> None:
    """Sets game ``i`` to the start of a deal of `deal_text`; ``first`` may be left out."""
    if not {"columns", "deck"} <= set(fields) <= {"first", "columns", "deck"}:
        raise ValueError(
            "a deal of five-o has columns=, deck= and optionally first=, "
            f"not {', '.join(key + '=' for key in sorted(fields)) or 'nothing'}"
        )
    columns = [DECK.parse(text) for text in fields["columns"].split("/")]
    if len(columns) != 2:
        raise ValueError(
            f"columns= in a deal of five-o has the cards of two players with / between them, not {len(columns)}"
        )
    piles = [("columns= of player_0", columns[0], 5), ("columns= of player_1", columns[1], 5)]
    piles.append(("deck=", DECK.parse(fields["deck"]), 42))
    cards: list[int] = []
    for name, held, _ in piles:
        for card in held:
            if card in cards:
                raise ValueError(f"the card {DECK.text(card)} is twice in this deal of five-o (again in {name})")
            cards.append(card)
    missing = DECK.format([card for card in range(52) if card not in cards], " ")
    for name, held, size in piles:
        if len(held) != size:
            lack = f"; missing in this deal: {missing}" if missing else ""
            raise ValueError(f"{name} must have {size} cards in a deal of five-o, not {len(held)}{lack}")
    g = games[i]
    g["first"] = int_field(fields, "first", range(2))
    for k, card in enumerate(cards):
        g["deck"][k] = card + 1
    _open_deal(games, i)


def _columns_text(state: Any, owner: int, shown: bool) -> list[list[str]]:
    """Returns the cards in the columns of ``owner``; face-down ones as ``--``, unless ``shown`` and known."""
    # A view's deck is all zeros, so the cards of a view stay in the order of their numbers.
    order = {int(code): k for k, code in enumerate(state["deck"])}
    down = int(state["down"][owner])
    columns = []
    for cards, covered in zip(state["columns"][owner], state["covered"][owner], strict=True):
        held = sorted(members_of(int(cards)), key=lambda card: order.get(card + 1, 0))
        known = [DECK.text(card) for card in held if shown or not down >> card & 1]
        hidden = int(covered) if not shown or not down else 0
        columns.append(known + ["--"] * hidden)
    return columns


def in_words(action: int, card: int = 0) -> ActionWords:
    """Returns the play of ``card``, a set, 0 if unknown, into column ``action`` (0 to 4) in words."""
    what = f"the {card_name(DECK.format(card))}" if card else "a card face down"
    return ActionWords(f"column {action + 1}", f"puts {what} in column {action + 1}")


def drawing(state: Any, seat: int | None = None) -> str:
    """Returns the position in text for people; with ``seat``, only what that seat may see."""
    s = state
    turn = int(s["to_act"])
    row = 2 + (int(s["drawn"]) - _DEALT - 1) // 10
    lines = ["Five-O poker: " + (f"row {row}, player_{turn} to act" if turn >= 0 else "finished")]
    lines.append(" " * 13 + "   ".join("12345"))
    for k in range(2):
        columns = _columns_text(s, k, seat is None or seat == k)
        for at in range(max(map(len, columns))):
            name = f"{'>' if k == turn else ' '} player_{k}" if at == 0 else ""
            cells = [column[at] if at < len(column) else "  " for column in columns]
            lines.append(f"{name:<12} {'  '.join(cells)}".rstrip())
    if turn >= 0:
        shown = seat is None or seat == turn
        return "\n".join([*lines, f"card in hand {(shown and DECK.format(int(s['card']))) or '--'}"])
    won = [0, 0]
    for k in range(5):
        hands = [int(s["columns"][owner][k]) for owner in range(2)]
        values = [int(hand_value(hand)) for hand in hands]
        won[0] += values[0] > values[1]
        won[1] += values[1] > values[0]
        sign = ">" if values[0] > values[1] else "<" if values[1] > values[0] else "="
        lines.append(f"column {k + 1}  {hand_name(hands[0]):<34} {sign}  {hand_name(hands[1])}")
    winner = "player_0 wins" if won[0] >= 3 else "player_1 wins" if won[1] >= 3 else "a draw"
    return "\n".join([*lines, f"columns {won[0]} : {won[1]}, {winner}"])


def worst_loss(options: Mapping[str, Any], reward: str) -> float:
    """Returns the greatest loss of a side in an episode (`GameSpec.worst_loss`)."""
    return 5 if reward == "columns" else 1


RULES = """\
Two players, each with five columns of cards side by side, in each of which a first card lies face up. In turn each
draws a card and puts it into one of the own columns, none of which may get a card before the others have as many. The
fifth cards (with other options more of the last rows, or none) lie face down until the end. When all columns have
five cards, the higher poker hand wins each column, hands of equal value win nothing, and who has won three columns
wins the game; if nobody has, it is drawn."""
"""The rules in brief, for `GameSpec.prompt`."""

# --- for checks ----------------------------------------------------------------------------------------------------


def _new_sight(state: Any, seat: int) -> tuple[int, Any]:
    """Returns what a seat sees: all columns except the other's face-down cards, and its own card in hand [F6 F7 F8]."""
    hidden = int(state["down"][1 - seat])
    columns = [int(cards) & ~hidden for row in (seat, 1 - seat) for cards in state["columns"][row]]
    card = int(state["card"]) if state["to_act"] == seat else 0
    action = int(state["history"][state["moves"] - 1]) if state["moves"] else -1
    return sum(columns) | card, (*columns, card, action, int(state["first"]) ^ seat)


def _card_piles(state: Any, seat: int) -> list[Pile]:
    """Returns the piles: the columns, from a seat on, the card in hand, and the undrawn cards, in order."""
    columns = [int(cards) for row in (seat, 1 - seat) for cards in state["columns"][row]]
    rest = [int(card) - 1 for card in state["deck"][state["drawn"] :] if card]
    return [*columns, int(state["card"]), rest]


def _false_claim(state: Any, seat: int, view: Any) -> str:
    """Returns a false claim about cards in a view decoded from an observation of ``seat``; empty if there is none."""
    views = SPEC.new_games(1)
    views[0] = view
    unseen = int(unseen_cards(views, 0))
    could = [int(cards) | (unseen if row else 0) for row in (0, 1) for cards in view["columns"][row]]
    return false_claim(_card_piles(state, seat), _card_piles(view, 0), could)


def _make_sights() -> Sights:
    return Sights(SPEC, DECK, _new_sight, _card_piles)


SPEC = define_game(
    "five-o",
    title="Five-O poker",
    seats=2,
    actions=ACTIONS,
    state=STATE,
    observation=OBSERVATION,
    hidden=HIDDEN,
    ranges={"down": (0, DECK.all)},
    untold=("deck", "drawn", "covered"),
    complete=complete,
    options=OPTIONS,
    rewards=("win", "columns"),
    deal=deal,
    legal=legal,
    step=step,
    outcome=outcome,
    view=view,
    redeal=redeal,
    reveal=reveal,
    flaw=flaw,
    remember=remember,
    recall=recall,
    recollect=recollect,
    recall_parts=RECALL,
    rewind=rewind,
    worst_loss=worst_loss,
    deal_text=deal_text,
    set_deal=set_deal,
    drawing=drawing,
    sights=_make_sights,
    untrue=_false_claim,
    words=lambda state, action: in_words(action, int(state["card"])),
    rules=RULES,
    kind=ColumnGame(DECK, in_words),
)
decode = SPEC.kernels.decode

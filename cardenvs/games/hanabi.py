"""Hanabi: a team builds a firework of each colour; players see all cards except their own.

The rules are the numbered clauses of ``docs/rules/hanabi.md``, cited here as [H..]. Source: N. Bard et al., "The Hanabi
Challenge: A New Frontier for AI Research" (2020), and the games that OpenSpiel and the Hanabi Learning Environment play.

Parameters, of which each choice is a game of its own (`hanabi`): players, colours, ranks, cards in a hand, information
tokens and lives. They are fields of the STATE, so that all games share these kernels. Options: ``score``, the result of a
team that has lost its last life. An episode is one deal. A *face* is ``colour * ranks + rank``, a card a face plus 1.
"""

import functools
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from cardenvs.compiled.bits import Bytes, Ints, Streams, lowest, popcount, read_bits, read_octets, write_octets
from cardenvs.compiled.jit import closure, helper, kernel
from cardenvs.compiled.streams import below
from cardenvs.contract import loops
from cardenvs.contract.definition import define_game
from cardenvs.contract.fields import Encoding, Games, Part
from cardenvs.contract.forms import Family
from cardenvs.contract.layout import comparison_kernel
from cardenvs.contract.lines import int_field
from cardenvs.contract.options import Option
from cardenvs.contract.outcome import ActionWords, Endings
from cardenvs.contract.sources import Coded, Derived, FieldSource, OneHot, OneOf, SideBySide, Source, UpTo
from cardenvs.contract.spec import GameSpec
from cardenvs.contract.symmetry import Symmetry, all_permutations, exchanged_letters
from cardenvs.games._hanabi_table import Shown

# --- the state -----------------------------------------------------------------------------------------------------

MOST_SEATS, MOST_HELD, MOST_FACES, MOST_CARDS, MOST_STEPS = 5, 8, 25, 50, 128

OPTIONS = (
    Option("score", ("zero", "built"), "what a team gets that has lost its last life: nothing, or what it had built"),
)

STATE = np.dtype(
    [
        # parameters
        ("players", np.int64),
        ("colours", np.int64),
        ("ranks", np.int64),
        ("hand_size", np.int64),
        ("most_information", np.int64),
        ("most_lives", np.int64),
        # options
        ("score", np.int64),  # 0 for "zero", 1 for "built"
        # the deal; a card is colour * ranks + rank + 1, 0 for none or one that is not known
        ("first", np.int64),  # the seat that began and was dealt to first: 0 but in views of other seats
        ("deck", np.int8, (MOST_CARDS,)),  # cards in the order of drawing; in views 0, unless the seat recalls them
        ("drawn", np.int64),  # how many cards have left the deck
        # hands, oldest cards first
        ("sizes", np.int64, (MOST_SEATS,)),
        ("hands", np.int8, (MOST_SEATS, MOST_HELD)),  # in views 0 for seat 0
        ("places", np.int8, (MOST_SEATS, MOST_HELD)),  # where each lay in the deck, from 1 on; in views as ``deck``
        ("may_colours", np.int8, (MOST_SEATS, MOST_HELD)),  # colours that hints have left open, a bit each
        ("may_ranks", np.int8, (MOST_SEATS, MOST_HELD)),  # ranks likewise
        ("told_colour", np.int8, (MOST_SEATS, MOST_HELD)),  # the colour that a hint has named, from 1 on; 0 for none
        ("told_rank", np.int8, (MOST_SEATS, MOST_HELD)),  # the rank likewise
        # the table
        ("fireworks", np.int64, (5,)),  # height of each colour
        ("discards", np.int8, (MOST_FACES,)),  # copies of each face that lie in the discard pile
        ("information", np.int64),
        ("lives", np.int64),
        ("turns", np.int64),  # turns left once the deck is empty; until then the number of players
        # the last move
        ("last_action", np.int64),  # -1 before the first
        ("last_seat", np.int64),
        ("last_touched", np.int64),  # slots that a hint has touched, a bit each
        ("last_card", np.int64),  # what was played or discarded
        ("last_scored", np.int64),  # 1 for a card that was played well
        ("last_token", np.int64),  # 1 where a play has brought a token back
        # play
        ("to_act", np.int64),  # seat, -1 when the deal is over
        ("over", np.int64),  # loops.RUNNING or EPISODE_OVER
        ("moves", np.int64),  # actions so far; fewer where the first are not known
        ("history", np.int8, (MOST_STEPS,)),
    ],
    align=True,
)

# --- rules ---------------------------------------------------------------------------------------------------------


@kernel
def copies(rank: int, ranks: int) -> int:
    """Returns the number of cards of a face: three of the lowest rank, one of the highest, two of the others [H1]."""
    if rank == 0:
        return 3
    return 1 if rank == ranks - 1 else 2


@helper
def deck_share(ranks: int) -> int:
    """Returns the number of cards of a colour: the sum of `copies`."""
    return 2 * ranks if ranks > 1 else np.int64(3)


_COLOUR, _RANK = (
    np.array([[0, *(divmod(card, ranks)[k] for card in range(25))] for ranks in range(1, 6)], np.int64) for k in range(2)
)
"""Colour and rank by number of ranks, less one, and card: int64 (5, 26), faster than dividing."""


@helper
def seat_after(seat: int, offset: int, players: int) -> int:
    """Returns the seat ``offset`` seats behind another one, or before it; the offset is less than ``players``."""
    other = seat + offset
    if other >= players:
        return other - players
    return other + players if other < 0 else other


@kernel
def deck_size(games: Any, i: int) -> int:
    return games[i].colours * deck_share(games[i].ranks)


@kernel
def built(games: Any, i: int) -> int:
    """Returns the sum of the heights of all fireworks."""
    g = games[i]
    total = np.int64(0)
    for colour in range(g.colours):
        total += g.fireworks[colour]
    return total


@kernel
def points_of(games: Any, i: int) -> int:
    """Returns the team's points at present [H12]."""
    g = games[i]
    return np.int64(0) if g.lives < 1 and g.score == 0 else built(games, i)


@helper
def _no_card(g: Any, seat: int, slot: int) -> None:
    g.hands[seat, slot] = 0
    g.places[seat, slot] = 0
    g.may_colours[seat, slot] = 0
    g.may_ranks[seat, slot] = 0
    g.told_colour[seat, slot] = 0
    g.told_rank[seat, slot] = 0


@kernel
def _draw_card(games: Any, i: int, seat: int) -> None:
    """Puts the next card of the deck at the end of a hand [H3]."""
    g = games[i]
    slot = g.sizes[seat]
    g.hands[seat, slot] = g.deck[g.drawn]
    g.places[seat, slot] = g.drawn + 1
    g.may_colours[seat, slot] = (1 << g.colours) - 1
    g.may_ranks[seat, slot] = (1 << g.ranks) - 1
    g.told_colour[seat, slot] = 0
    g.told_rank[seat, slot] = 0
    g.sizes[seat] += 1
    g.drawn += 1


@kernel
def open_deal(games: Any, i: int) -> None:
    """Sets all fields except the deck, the first seat, parameters and options for the start of a deal [H2 H3]."""
    g = games[i]
    for seat in range(MOST_SEATS):
        g.sizes[seat] = 0
        for slot in range(MOST_HELD):
            _no_card(g, seat, slot)
    g.drawn = 0
    for k in range(g.players):
        seat = seat_after(g.first, k, g.players)
        for _ in range(g.hand_size):
            _draw_card(games, i, seat)
    for colour in range(5):
        g.fireworks[colour] = 0
    for face in range(MOST_FACES):
        g.discards[face] = 0
    g.information = g.most_information
    g.lives = g.most_lives
    g.turns = g.players
    g.last_action = -1
    g.last_seat = 0
    g.last_touched = 0
    g.last_card = 0
    g.last_scored = 0
    g.last_token = 0
    g.to_act = g.first
    g.over = loops.RUNNING
    g.moves = 0
    for k in range(MOST_STEPS):
        g.history[k] = 0


@kernel
def shuffled_deal(games: Any, i: int, streams: Streams, s: int) -> None:
    """Deals from a newly shuffled deck; seat 0 begins [H4]."""
    g = games[i]
    size = 0
    for colour in range(g.colours):
        for rank in range(g.ranks):
            for _ in range(copies(rank, g.ranks)):
                g.deck[size] = colour * g.ranks + rank + 1
                size += 1
    for k in range(size - 1):
        other = k + below(streams, s, size - k)
        g.deck[k], g.deck[other] = g.deck[other], g.deck[k]
    g.first = 0
    open_deal(games, i)


@kernel
def legal(games: Any, i: int, word: int = 0) -> int:
    """Returns discards, plays and hints of the seat to act, a bit each [H5 H6 H7]; 0 when the deal is over."""
    g = games[i]
    if g.over != loops.RUNNING:
        return np.int64(0)
    seat, held, one = g.to_act, g.hand_size, np.int64(1)
    slots = (one << g.sizes[seat]) - 1
    actions = slots << held
    if g.information < g.most_information:
        actions |= slots
    if g.information > 0:
        column = 2 * held
        ranks_column = column + (g.players - 1) * g.colours
        for k in range(1, g.players):
            other = seat_after(seat, k, g.players)
            for slot in range(g.sizes[other]):
                card = np.int64(g.hands[other, slot])
                if card > 0:
                    actions |= one << column + _COLOUR[g.ranks - 1, card] | one << ranks_column + _RANK[g.ranks - 1, card]
            column += g.colours
            ranks_column += g.ranks
    return actions


@kernel
def hint_of(games: Any, i: int, action: int) -> tuple[int, int, int]:
    """Returns a hint's receiver, as an offset, whether it names a rank (1) or a colour (0), and the number of that."""
    g = games[i]
    value = action - 2 * g.hand_size
    colours = (g.players - 1) * g.colours
    by_rank = np.int64(value >= colours)
    if by_rank:
        value -= colours
    offset, width = np.int64(1), g.ranks if by_rank else g.colours
    while value >= width:
        value -= width
        offset += 1
    return offset, by_rank, value


@kernel
def _give_hint(games: Any, i: int, action: int) -> None:
    """Gives a hint: marks the cards of a seat that are of a colour or a rank [H7 H8]."""
    g = games[i]
    offset, by_rank, value = hint_of(games, i, action)
    seat = seat_after(g.to_act, offset, g.players)
    bit = np.int64(1) << value
    touched = np.int64(0)
    for slot in range(g.sizes[seat]):
        card = np.int64(g.hands[seat, slot])
        if by_rank:
            hit = _RANK[g.ranks - 1, card] == value
            g.may_ranks[seat, slot] = bit if hit else g.may_ranks[seat, slot] & ~bit
            if hit:
                g.told_rank[seat, slot] = value + 1
        else:
            hit = _COLOUR[g.ranks - 1, card] == value
            g.may_colours[seat, slot] = bit if hit else g.may_colours[seat, slot] & ~bit
            if hit:
                g.told_colour[seat, slot] = value + 1
        if hit:
            touched |= np.int64(1) << slot
    g.information -= 1
    g.last_touched = touched


@kernel
def _take_out(games: Any, i: int, seat: int, slot: int) -> int:
    """Takes a card out of a hand, whose newer cards move down [H3]; returns it."""
    g = games[i]
    card = np.int64(g.hands[seat, slot])
    last = g.sizes[seat] - 1
    for k in range(slot, last):
        g.hands[seat, k] = g.hands[seat, k + 1]
        g.places[seat, k] = g.places[seat, k + 1]
        g.may_colours[seat, k] = g.may_colours[seat, k + 1]
        g.may_ranks[seat, k] = g.may_ranks[seat, k + 1]
        g.told_colour[seat, k] = g.told_colour[seat, k + 1]
        g.told_rank[seat, k] = g.told_rank[seat, k + 1]
    _no_card(g, seat, last)
    g.sizes[seat] = last
    return card


@kernel
def _put_down(games: Any, i: int, action: int) -> None:
    """Discards or plays a card [H5 H6]."""
    g = games[i]
    seat, held = g.to_act, g.hand_size
    card = _take_out(games, i, seat, action if action < held else action - held)
    colour, rank = _COLOUR[g.ranks - 1, card], _RANK[g.ranks - 1, card]
    g.last_card = card
    if action < held:
        g.discards[card - 1] += 1
        g.information += 1
    elif g.fireworks[colour] == rank:
        g.fireworks[colour] += 1
        g.last_scored = 1
        if rank + 1 == g.ranks and g.information < g.most_information:
            g.information += 1
            g.last_token = 1
    else:
        g.discards[card - 1] += 1
        g.lives -= 1


@kernel
def step(games: Any, i: int, action: int) -> None:
    """Discards, plays or hints, draws, and ends the game at the last life, the last card or the last turn [H9 H10 H11]."""
    g = games[i]
    seat = g.to_act
    whole = deck_size(games, i)
    if g.drawn == whole:
        g.turns -= 1
    if g.moves < MOST_STEPS:  # as in all deals, but a record of any content can say that more has been done
        g.history[g.moves] = action
        g.moves += 1
    g.last_action = action
    g.last_seat = seat
    g.last_touched = 0
    g.last_card = 0
    g.last_scored = 0
    g.last_token = 0
    if action >= 2 * g.hand_size:
        _give_hint(games, i, action)
    else:
        _put_down(games, i, action)
    if g.lives < 1 or g.turns <= 0 or built(games, i) == g.colours * g.ranks:
        g.over = loops.EPISODE_OVER
        g.to_act = -1
        return
    if action < 2 * g.hand_size and g.drawn < whole:
        _draw_card(games, i, seat)
    g.to_act = seat_after(seat, 1, g.players)


@kernel
def gained(games: Any, i: int, points: Ints, tricks: Ints) -> None:
    """Writes the team's points at present, and the fireworks built, as tricks of each seat [H12 H15]."""
    g = games[i]
    total = built(games, i)
    points[i, 0] = total if g.lives > 0 or g.score != 0 else np.int64(0)
    for seat in range(g.players):
        tricks[i, seat] = total


@kernel
def outcome(games: Any, i: int, points: Ints, tricks: Ints) -> int:
    """Writes what has been `gained`; the team wins a perfect game [H12]."""
    gained(games, i, points, tricks)
    return 1 if built(games, i) == games[i].colours * games[i].ranks else 0


# --- views and re-deals --------------------------------------------------------------------------------------------


@helper
def _copy_slots(hands: Any, seat: int, views: Any, k: int) -> None:
    """Copies all slots of a seat in a field of a state, a byte each, to those of seat ``k`` in a view."""
    write_octets(views, k, 0, read_octets(hands, seat, 0))


@kernel
def view(games: Any, i: int, seat: int, views: Any, j: int) -> None:
    """Writes the view of ``seat`` to ``views[j]``, turned so that it is seat 0; what it cannot know is 0 [H13]."""
    g = games[i]
    views[j] = g
    v = views[j]
    players = g.players
    v.first = seat_after(g.first, -seat, players)
    for k in range(MOST_CARDS):
        v.deck[k] = 0
    for k in range(players):
        other = seat_after(seat, k, players)
        v.sizes[k] = g.sizes[other]
        _copy_slots(g.hands, other, v.hands, k)
        _copy_slots(g.may_colours, other, v.may_colours, k)
        _copy_slots(g.may_ranks, other, v.may_ranks, k)
        _copy_slots(g.told_colour, other, v.told_colour, k)
        _copy_slots(g.told_rank, other, v.told_rank, k)
    for slot in range(MOST_HELD):
        v.hands[0, slot] = 0
    for k in range(MOST_SEATS):
        for slot in range(MOST_HELD):
            v.places[k, slot] = 0
    if g.last_action >= 0:
        v.last_seat = seat_after(g.last_seat, -seat, players)
    if g.to_act >= 0:
        v.to_act = seat_after(g.to_act, -seat, players)


@kernel
def remember(games: Any, i: int, seat: int, views: Any, j: int) -> None:
    """Adds the order of drawing, except of its own hand, to the view ``views[j]`` of ``seat``."""
    g = games[i]
    v = views[j]
    for k in range(g.drawn):
        v.deck[k] = g.deck[k]
    for k in range(g.players):
        other = seat_after(seat, k, g.players)
        for slot in range(MOST_HELD):
            v.places[k, slot] = g.places[other, slot]
    for slot in range(g.sizes[seat]):
        v.deck[g.places[seat, slot] - 1] = 0


@kernel
def unseen_copies(views: Any, i: int, out: Ints) -> int:
    """Writes the number of cards of each face unseen by seat 0 of a view to ``out``, int64 (25,); returns their sum. For a
    state these are the cards in the deck. Counts are negative where a record of any content has too many cards."""
    v = views[i]
    total = np.int64(0)
    for colour in range(v.colours):
        for rank in range(v.ranks):
            face = colour * v.ranks + rank
            out[face] = copies(rank, v.ranks) - v.discards[face] - (1 if v.fireworks[colour] > rank else 0)
            total += out[face]
    for seat in range(v.players):
        for slot in range(v.sizes[seat]):
            card = v.hands[seat, slot]
            if card > 0:
                out[card - 1] -= 1
                total -= 1
    return total


_SPREAD = np.array(
    [[sum(1 << ranks * k for k in range(5) if colours >> k & 1) for colours in range(32)] for ranks in range(6)], np.int64
)
"""By number of ranks and set of colours: the set with a one for the lowest rank of each colour."""


@kernel
def may_be(views: Any, i: int, seat: int, slot: int) -> int:
    """Returns the faces that hints have left open of a card, a bit each."""
    v = views[i]
    return _SPREAD[v.ranks, v.may_colours[seat, slot]] * v.may_ranks[seat, slot]


@kernel
def draw_hand(views: Any, i: int, streams: Streams, s: int, pool: Ints, size: int) -> None:
    """Shuffles the ``size`` unseen cards in ``pool`` so that the hand of seat 0 comes first and fits all hints [H14]. Each
    slot draws any card that fits it; if two slots draw the same card, all draw again. So all fitting orders are equally
    likely. With five cards at least one try in 120 succeeds."""
    v = views[i]
    held = v.sizes[0]
    fitting = np.empty((MOST_HELD, MOST_CARDS), np.int64)
    counts = np.zeros(MOST_HELD, np.int64)
    for slot in range(held):
        faces = may_be(views, i, 0, slot)
        for k in range(size):
            if faces >> (pool[k] - 1) & 1:
                fitting[slot, counts[slot]] = k
                counts[slot] += 1
    own = np.empty(MOST_HELD, np.int64)
    while True:
        taken = np.int64(0)
        for slot in range(held):
            own[slot] = fitting[slot, below(streams, s, counts[slot])]
            taken |= np.int64(1) << own[slot]
        if popcount(taken) == held:
            break
    cards = np.empty(MOST_CARDS, np.int64)
    at = held
    for k in range(size):
        if not taken >> k & 1:
            cards[at] = pool[k]
            at += 1
    for slot in range(held):
        cards[slot] = pool[own[slot]]
    for k in range(held, size - 1):
        other = k + below(streams, s, size - k)
        cards[k], cards[other] = cards[other], cards[k]
    for k in range(size):
        pool[k] = cards[k]


@kernel
def _has_order(views: Any, i: int) -> bool:
    """Returns whether a view has the order of drawing."""
    v = views[i]
    for k in range(v.drawn):
        if v.deck[k] != 0:
            return True
    places = np.int64(0)
    for seat in range(v.players):
        places |= v.places[seat, 0]
    return places != 0


@kernel
def _begin_deck(games: Any, j: int) -> None:
    """Puts the drawn cards at the start of the deck in any order, hands last, and sets their places."""
    g = games[j]
    at = 0
    for colour in range(g.colours):
        for rank in range(g.ranks):
            face = colour * g.ranks + rank
            for _ in range(g.discards[face] + (1 if g.fireworks[colour] > rank else 0)):
                g.deck[at] = face + 1
                at += 1
    for seat in range(g.players):
        for slot in range(g.sizes[seat]):
            g.deck[at] = g.hands[seat, slot]
            at += 1
            g.places[seat, slot] = at


@kernel
def redeal(views: Any, i: int, streams: Streams, s: int, games: Any, j: int) -> None:
    """Writes to ``games[j]`` a full state drawn uniformly from all orders of the unseen cards that fit a view [H14]. The
    order of the drawn cards is that of the view if it recalls it, else any order."""
    games[j] = views[i]
    g = games[j]
    left = np.empty(MOST_FACES, np.int64)
    size = unseen_copies(views, i, left)
    pool = np.empty(MOST_CARDS, np.int64)
    at = 0
    for face in range(g.colours * g.ranks):
        for _ in range(left[face]):
            pool[at] = face + 1
            at += 1
    draw_hand(views, i, streams, s, pool, size)
    held = g.sizes[0]
    for slot in range(held):
        g.hands[0, slot] = pool[slot]
    if _has_order(views, i):
        for slot in range(held):
            g.deck[g.places[0, slot] - 1] = pool[slot]
    else:
        _begin_deck(games, j)
    for k in range(held, size):
        g.deck[g.drawn + k - held] = pool[k]


# --- the observation -----------------------------------------------------------------------------------------------


@helper
def _bit_of(number: int) -> int:
    """Returns the set of the entry for a number from 1 on; empty for 0."""
    return np.int64(1) << number >> 1


def _of_a_colour(packed: int, ranks: int) -> tuple[int, int]:
    """Returns the entries of copies, and the set of ranks, of the numbers of cards of a colour's ranks, two bits each."""
    entries, some, at = 0, 0, 0
    for rank in range(ranks):
        count = packed >> 2 * rank & 3
        entries |= ((1 << count) - 1) << at
        some |= (count > 0) << rank
        at += 3 if rank == 0 else 2
    return entries, some


_ENTRIES, _SOME = np.moveaxis(
    np.array([[_of_a_colour(packed, ranks) for packed in range(1 << 10)] for ranks in range(6)], np.int16), 2, 0
).copy()
"""`_of_a_colour`, int16 (6, 1024), by number of ranks."""


@helper
def _left_in_deck(views: Any, i: int, cards: int) -> int:
    """Returns the set of the entries for the cards in the deck."""
    return (np.int64(1) << cards - views[i].drawn) - 1


@helper
def _drawn_cards(bits: int, cards: int) -> int:
    return cards - popcount(bits)


@helper
def _last_turns(views: Any, i: int) -> int:
    """Returns the set of the entry for the turns that are left; empty while the deck has cards."""
    v = views[i]
    return _bit_of(v.turns) if v.drawn == deck_size(views, i) else np.int64(0)


@helper
def _number_of(bits: int) -> int:
    """Returns the number behind `_bit_of`."""
    return lowest(bits) + 1 if bits != 0 else np.int64(0)


@helper
def _open_faces(views: Any, i: int, seat: int, slot: int, colours: int, ranks: int) -> int:
    return _SPREAD[ranks, views[i].may_colours[seat, slot]] * views[i].may_ranks[seat, slot]


@helper
def _open_colours(bits: int, seat: int, slot: int, colours: int, ranks: int) -> int:
    """Returns the colours of a set of faces."""
    found = np.int64(0)
    for colour in range(colours):
        found |= np.int64(bits >> ranks * colour & (1 << ranks) - 1 != 0) << colour
    return found


@helper
def _open_ranks(bits: int, seat: int, slot: int, colours: int, ranks: int) -> int:
    """Returns the ranks of a set of faces."""
    found = np.int64(0)
    for colour in range(colours):
        found |= bits >> ranks * colour & (1 << ranks) - 1
    return found


@helper
def _unseen(views: Any, i: int, seats: int, colours: int, ranks: int) -> int:
    """Returns the number of cards of each face unseen by seat 0, two bits a face."""
    v = views[i]
    of_colour = np.int64(0)
    for rank in range(ranks):
        of_colour |= np.int64(copies(rank, ranks)) << 2 * rank
    left: Any = np.int64(0)
    for face in range(colours * ranks):
        left -= np.int64(v.discards[face]) << 2 * face
    for colour in range(colours):
        played = (np.int64(1) << 2 * v.fireworks[colour]) // 3  # a one for each rank
        left += (of_colour - played) << 2 * ranks * colour
    for seat in range(seats):
        for slot in range(v.sizes[seat]):
            card = np.int64(v.hands[seat, slot])
            if card > 0:
                left -= np.int64(1) << 2 * (card - 1)
    return left


@helper
def _unseen_entries(views: Any, i: int, colours: int, ranks: int, unseen: int) -> int:
    """Returns the set of the entries for copies of faces that have not been seen."""
    bits = np.int64(0)
    width = deck_share(ranks)
    for colour in range(colours):
        bits |= np.int64(_ENTRIES[ranks, unseen >> 2 * ranks * colour & (1 << 2 * ranks) - 1]) << width * colour
    return bits


@helper
def _unseen_faces(views: Any, i: int, colours: int, ranks: int, unseen: int) -> int:
    """Returns the faces of which not all cards have been seen."""
    faces = np.int64(0)
    for colour in range(colours):
        faces |= np.int64(_SOME[ranks, unseen >> 2 * ranks * colour & (1 << 2 * ranks) - 1]) << ranks * colour
    return faces


@helper
def _own_faces(views: Any, i: int, slot: int, ranks: int, unseen_faces: int) -> int:
    """Returns what an own card can be."""
    return _open_faces(views, i, 0, slot, 0, ranks) & unseen_faces


@helper
def _last_entries(views: Any, i: int, seats: int, colours: int, ranks: int, held: int) -> int:
    """Returns the entries of the last move: whose it was, what, whom a hint was for, what it named and touched, where the
    card lay that was played or discarded."""
    v = views[i]
    action, what = v.last_action, np.int64(0)
    if action < 0:
        return what
    if action >= 2 * held:
        offset, by_rank, value = hint_of(views, i, action)
        target = np.int64(1) << seat_after(v.last_seat, offset, seats)
        named = np.int64(1) << by_rank * colours + value
        what = np.int64(4) << by_rank | (target | (named | v.last_touched << colours + ranks) << seats) << 4
    else:
        slot = np.int64(1) << (action if action < held else action - held)
        what = np.int64(1) << (action < held) | slot << 4 + seats + colours + ranks + held
    return np.int64(1) << v.last_seat | what << seats


@helper
def _first_of(bits: int, start: int, width: int) -> int:
    """Returns the number of the first of some bits that is set, 0 for none."""
    bits = bits >> start & (1 << width) - 1
    return lowest(bits) if bits != 0 else np.int64(0)


@helper
def _last_action(bits: int, seats: int, colours: int, ranks: int, held: int) -> int:
    kinds, target = bits >> seats & 15, seats + 4
    named, slot = target + seats, target + seats + colours + ranks + held
    if kinds == 0:
        return np.int64(-1)
    kind = lowest(kinds)
    if kind < 2:
        return _first_of(bits, slot, held) + (held if kind == 0 else 0)
    offset = _first_of(bits, target, seats) - _first_of(bits, 0, seats)
    offset = max(offset + seats if offset < 0 else offset, 1) - 1
    if kind == 2:
        return 2 * held + offset * colours + _first_of(bits, named, colours)
    return 2 * held + (seats - 1) * colours + offset * ranks + _first_of(bits, named + colours, ranks)


@helper
def _last_seat(bits: int, seats: int, colours: int, ranks: int, held: int) -> int:
    return _first_of(bits, 0, seats)


@helper
def _last_touched(bits: int, seats: int, colours: int, ranks: int, held: int) -> int:
    return bits >> 2 * seats + 4 + colours + ranks & (1 << held) - 1


@kernel
def reveal(games: Any, i: int, seat: int, out: Bytes, row: int, column: int) -> None:
    """Writes what ``seat`` cannot see, its own hand and the deck, to ``out[row, column:]``."""
    g = games[i]
    faces = g.colours * g.ranks
    cards = deck_size(games, i)
    slots = cards - (g.players - 1) * g.hand_size
    for k in range(slots * faces):
        out[row, column + k] = 0
    for slot in range(g.hand_size):
        if g.hands[seat, slot] > 0:
            out[row, column + np.int64(g.hands[seat, slot]) - 1] = 1
        column += faces
    for k in range(g.drawn, cards):
        out[row, column + np.int64(g.deck[k]) - 1] = 1
        column += faces


# --- the order of play ---------------------------------------------------------------------------------------------


@kernel
def recall(views: Any, i: int, out: Bytes, row: int, column: int) -> None:
    """Writes the known order of drawing and the actions to ``out[row, column:]``."""
    v = views[i]
    faces = v.colours * v.ranks
    cards = deck_size(views, i)
    actions = 2 * v.hand_size + (v.players - 1) * (v.colours + v.ranks)
    most = longest(views, i)
    for k in range(cards * faces + most * actions):
        out[row, column + k] = 0
    for k in range(cards):
        if v.deck[k] > 0:
            out[row, column + np.int64(v.deck[k]) - 1] = 1
        column += faces
    for k in range(v.moves):
        out[row, column + np.int64(v.history[k])] = 1
        column += actions


@kernel
def recollect(observations: Bytes, row: int, column: int, views: Any, j: int) -> None:
    """Sets the history, the known deck and the places of cards of ``views[j]``, which `decode` has written."""
    v = views[j]
    faces = v.colours * v.ranks
    cards = deck_size(views, j)
    actions = 2 * v.hand_size + (v.players - 1) * (v.colours + v.ranks)
    for k in range(cards):
        v.deck[k] = _number_of(read_bits(observations, row, column, faces))
        column += faces
    v.moves = 0
    for k in range(longest(views, j)):
        action = _number_of(read_bits(observations, row, column, actions)) - 1
        if action < 0:
            break
        v.history[k] = action
        v.moves = k + 1
        column += actions
    _find_places(views, j)


@kernel
def _find_places(views: Any, j: int) -> None:
    """Sets the places in the deck of the cards of all hands, from the history."""
    v = views[j]
    held, cards = v.hand_size, deck_size(views, j)
    sizes = np.zeros(MOST_SEATS, np.int64)
    drawn = 0
    for k in range(v.players):
        seat = (v.first + k) % v.players
        for slot in range(held):
            drawn += 1
            v.places[seat, slot] = drawn
        sizes[seat] = held
    for k in range(v.moves):
        action = np.int64(v.history[k])
        if action < 2 * held:
            seat = (v.first + k) % v.players
            for slot in range(action % held, sizes[seat] - 1):
                v.places[seat, slot] = v.places[seat, slot + 1]
            sizes[seat] = max(sizes[seat] - 1, 0)
            v.places[seat, sizes[seat]] = 0
            if drawn < cards and (k + 1 < v.moves or v.over == loops.RUNNING):
                drawn += 1
                v.places[seat, sizes[seat]] = drawn
                sizes[seat] += 1


@kernel
def longest(games: Any, i: int) -> int:
    """Returns the most actions of a deal [H11]."""
    g = games[i]
    undealt = deck_size(games, i) - g.players * g.hand_size
    return 2 * undealt + max(g.most_information - 1, 0) + g.players


# --- records of any content ----------------------------------------------------------------------------------------

_PARTS = (
    "hands", "short", "deck", "fireworks", "information", "lives", "discards", "last_seat", "last_kind", "last_target",
    "last_colour", "last_rank", "last_touched", "last_slot", "last_card", "last_scored", "last_token", "knowledge",
    "unseen", "may_be", "first", "to_act", "turns", "episode_over", "score",
)  # fmt: skip
"""Names of the parts of an observation, the canonical vector first."""
(
    _HANDS, _SHORT, _DECK, _FIREWORKS, _, _, _DISCARDS, _LAST_SEAT, _, _, _, _, _, _, _LAST_CARD, _, _, _KNOWLEDGE, _UNSEEN,
    _MAY_BE, _, _, _TURNS, _OVER, _, _HISTORY,
) = range(len(_PARTS) + 1)  # fmt: skip


@kernel
def _table_flaw(games: Any, i: int) -> int:
    """Returns an impossible part in the table and the last move of a record whose numbers are in range, -1 for none."""
    g = games[i]
    if g.drawn < deck_size(games, i) and g.turns != g.players:
        return _TURNS
    for colour in range(5):
        if g.fireworks[colour] < 0 or g.fireworks[colour] > (g.ranks if colour < g.colours else 0):
            return _FIREWORKS
    for k in range(g.moves, MOST_STEPS):
        if g.history[k] != 0:
            return _HISTORY
    ended = g.lives == 0 or g.turns == 0 or built(games, i) == g.colours * g.ranks
    if ended != (g.over != loops.RUNNING):
        return _OVER
    held, none = g.hand_size, g.last_action < 0
    hint, play = g.last_action >= 2 * held, held <= g.last_action < 2 * held
    if (none and g.last_seat != 0) or hint != (g.last_touched != 0):
        return _LAST_SEAT
    if (none or hint) != (g.last_card == 0) or g.last_scored > play or g.last_token > g.last_scored:
        return _LAST_CARD
    return -1


@kernel
def _hand_flaw(games: Any, i: int, whole: bool) -> int:
    """Returns an impossible part in the hands of a record that has passed `_table_flaw`, -1 if there is none."""
    g = games[i]
    faces, all_colours, all_ranks = g.colours * g.ranks, (1 << g.colours) - 1, (1 << g.ranks) - 1
    for seat in range(MOST_SEATS):
        most = g.hand_size if seat < g.players else np.int64(0)
        if g.sizes[seat] < max(most - 1, 0) or g.sizes[seat] > most:
            return _SHORT
        for slot in range(MOST_HELD):
            card, there = np.int64(g.hands[seat, slot]), slot < g.sizes[seat]
            colours, ranks = g.may_colours[seat, slot], g.may_ranks[seat, slot]
            known = there and (whole or seat > 0)
            if card < (1 if known else 0) or card > (faces if known else 0):
                return _HANDS
            if g.places[seat, slot] < 0 or g.places[seat, slot] > (g.drawn if there else 0):
                return _HISTORY
            if colours < (1 if there else 0) or colours > (all_colours if there else 0):
                return _KNOWLEDGE
            if ranks < (1 if there else 0) or ranks > (all_ranks if there else 0):
                return _KNOWLEDGE
            colour, rank = g.told_colour[seat, slot], g.told_rank[seat, slot]
            if colour < 0 or colour > g.colours or (colour > 0 and colours != 1 << (colour - 1)):
                return _KNOWLEDGE
            if rank < 0 or rank > g.ranks or (rank > 0 and ranks != 1 << (rank - 1)):
                return _KNOWLEDGE
            if known and not may_be(games, i, seat, slot) >> (card - 1) & 1:
                return _KNOWLEDGE
    return -1


@kernel
def _card_flaw(games: Any, i: int, whole: bool) -> int:
    """Returns an impossible part in the cards of a record whose hands are possible, -1 if there is none."""
    g = games[i]
    faces = g.colours * g.ranks
    gone, held = built(games, i), np.int64(0)
    for face in range(MOST_FACES):
        most = copies(face % g.ranks, g.ranks) if face < faces else np.int64(0)
        if g.discards[face] < 0 or g.discards[face] > most:
            return _DISCARDS
        gone += g.discards[face]
    for seat in range(g.players):
        held += g.sizes[seat]
    if gone + held != g.drawn:
        return _DECK
    left = np.empty(MOST_FACES, np.int64)
    unseen_copies(games, i, left)
    for face in range(faces):
        if left[face] < 0:
            return _UNSEEN
    if not whole:  # any slots must have as many cards that fit one of them
        for slots in range(1, 1 << g.sizes[0]):
            fitting, some = np.int64(0), np.int64(0)
            for slot in range(g.sizes[0]):
                if slots >> slot & 1:
                    some |= may_be(games, i, 0, slot)
            for face in range(faces):
                fitting += left[face] * (some >> face & 1)
            if fitting < popcount(slots):
                return _MAY_BE
    return _deck_flaw(games, i, whole, left)


@kernel
def _deck_flaw(games: Any, i: int, whole: bool, left: Ints) -> int:
    """Returns an impossible part in the order of drawing, -1 if there is none; ``left`` is of `unseen_copies`."""
    g = games[i]
    faces, cards = g.colours * g.ranks, deck_size(games, i)
    recalled = whole or _has_order(games, i)
    for k in range(MOST_CARDS):
        if g.deck[k] < 0 or g.deck[k] > (faces if k < cards else 0) or (g.deck[k] != 0 and not recalled):
            return _HISTORY
    taken = np.int64(0)
    for seat in range(g.players):
        for slot in range(g.sizes[seat]):
            place = np.int64(g.places[seat, slot])
            if (place > 0) != recalled:
                return _HISTORY
            if recalled:
                if taken >> place & 1 or g.deck[place - 1] != g.hands[seat, slot]:
                    return _HISTORY
                taken |= np.int64(1) << place
    if not recalled:
        return -1
    count = np.zeros(MOST_FACES + 1, np.int64)
    for k in range(cards):
        if k < g.drawn:
            count[g.deck[k]] += 1
        elif whole:
            left[max(g.deck[k] - 1, 0)] -= 1
        elif g.deck[k] != 0:
            return _HISTORY
    if count[0] != (0 if whole else g.sizes[0]):
        return _HISTORY
    for face in range(faces):
        seen = g.discards[face] + (1 if g.fireworks[face // g.ranks] > face % g.ranks else 0)
        for seat in range(g.players):
            for slot in range(g.sizes[seat]):
                seen += g.hands[seat, slot] == face + 1
        if count[face + 1] != seen or (whole and left[face] != 0):
            return _HISTORY
    return -1


@kernel
def reopen(views: Any, i: int, games: Any, j: int) -> None:
    """Sets ``games[j]`` to the start of the deal behind the view ``views[i]``, which recalls the order of play. A card that
    seat 0 still holds is replaced by any that the same hints touch."""
    games[j] = views[i]
    g = games[j]
    for slot in range(g.sizes[0]):
        g.deck[g.places[0, slot] - 1] = lowest(may_be(games, j, 0, slot)) + 1
    open_deal(games, j)


same_record = comparison_kernel(f"{__name__}:state", STATE)


@kernel
def _goes_on_to(games: Any, j: int, views: Any, i: int) -> bool:
    """Plays ``games[j]``, a deal's start, by the history of ``views[i]``; returns whether that leads to what the view
    shows. The cards that seat 0 holds, and the deck, are not compared."""
    g, v = games[j], views[i]
    for k in range(v.moves):
        if not legal(games, j) >> np.int64(v.history[k]) & 1:
            return False
        step(games, j, v.history[k])
    for slot in range(MOST_HELD):
        g.hands[0, slot] = v.hands[0, slot]
    for k in range(MOST_CARDS):
        g.deck[k] = v.deck[k]
    return same_record(games, j, views, i)


@kernel
def _past_flaw(views: Any, i: int) -> int:
    """Returns the history's number where its actions do not lead to what a view that recalls them shows, else -1."""
    games = np.empty_like(views[i : i + 1])
    reopen(views, i, games, 0)
    return -1 if _goes_on_to(games, 0, views, i) else _HISTORY


@kernel
def rewind(games: Any, i: int, starts: Any, j: int, actions: Ints) -> int:
    """Writes a deal's start to ``starts[j]``, and the actions since to ``actions`` (`Kernels.rewind`)."""
    g = games[i]
    starts[j] = games[i]
    open_deal(starts, j)
    played = np.empty_like(games[i : i + 1])
    played[0] = starts[j]
    if not _goes_on_to(played, 0, games, i):  # as where the order of drawing is made up
        return -1
    for k in range(g.moves):
        actions[k] = g.history[k]
    return g.moves


@kernel
def any_flaw(games: Any, i: int, whole: bool) -> int:
    """Returns an impossible part (`Kernels.flaw`) of a record that has its game's parameters, and numbers in range."""
    flaw = _table_flaw(games, i)
    if flaw < 0:
        flaw = _hand_flaw(games, i, whole)
    if flaw < 0:
        flaw = _card_flaw(games, i, whole)
    return _past_flaw(games, i) if flaw < 0 and not whole and _has_order(games, i) else flaw


# --- the games -----------------------------------------------------------------------------------------------------

LETTERS = "RYGWB"
_COLOUR_WORDS = ("red", "yellow", "green", "white", "blue")
_OFFSETS = ("next", "second", "third", "fourth")


@dataclass(frozen=True)
class Form:
    """Parameters of a game, in the ranges of `PARAMETERS`."""

    players: int
    colours: int
    ranks: int
    hand_size: int  # cards in a hand
    information: int  # information tokens
    lives: int

    @property
    def num_faces(self) -> int:
        return self.colours * self.ranks

    @property
    def copies(self) -> list[int]:
        """Number of cards of each face."""
        return [
            3 if rank == 0 else 1 if rank == self.ranks - 1 else 2
            for _ in range(self.colours)
            for rank in range(self.ranks)
        ]

    @property
    def num_cards(self) -> int:
        return sum(self.copies)

    @property
    def longest(self) -> int:
        """The most actions of a deal."""
        return 2 * (self.num_cards - self.players * self.hand_size) + max(self.information - 1, 0) + self.players

    @property
    def actions(self) -> tuple[str, ...]:
        """Names of the actions, numbered as in OpenSpiel."""
        slots, offsets = range(1, self.hand_size + 1), range(1, self.players)
        return (
            *(f"discard-{slot}" for slot in slots),
            *(f"play-{slot}" for slot in slots),
            *(f"tell-{k}-{letter}" for k in offsets for letter in LETTERS[: self.colours]),
            *(f"tell-{k}-{rank}" for k in offsets for rank in range(1, self.ranks + 1)),
        )

    def card_name(self, face: int) -> str:
        """Returns a card's name: colour and rank, as ``"R1"``."""
        return f"{LETTERS[face // self.ranks]}{face % self.ranks + 1}"

    def card_words(self, face: int) -> str:
        """Returns a card in words, as ``"red 1"``."""
        return f"{_COLOUR_WORDS[face // self.ranks]} {face % self.ranks + 1}"

    def parse_hint(self, action: int) -> tuple[int, bool, int]:
        """Returns the seats between giver and receiver of a hint, whether it names a rank, and the number of that."""
        number, colours = action - 2 * self.hand_size, (self.players - 1) * self.colours
        by_rank = number >= colours
        offset, value = divmod(number - by_rank * colours, self.ranks if by_rank else self.colours)
        return offset, by_rank, value


def _seat_labels(form: Form) -> tuple[str, ...]:
    """Returns labels for seats, from the own one on to the left."""
    return ("self", *(f"seat+{k}" for k in range(1, form.players)))


def _observation_parts(form: Form) -> tuple[Part, ...]:
    """Returns the parts of an observation, the canonical vector first."""
    seats, slots = _seat_labels(form), [str(k + 1) for k in range(form.hand_size)]
    cards = [form.card_name(face) for face in range(form.num_faces)]
    colours, ranks = LETTERS[: form.colours], [str(k + 1) for k in range(form.ranks)]
    deck = [f"{card}.{k + 1}" for card, many in zip(cards, form.copies, strict=True) for k in range(many)]
    known = (*cards, *(f"told-{one}" for one in (*colours, *ranks)))
    undealt = form.num_cards - form.players * form.hand_size
    sources = _make_sources(form)
    last = sources["last"]
    parts: tuple[tuple[Iterable[str], str, Source], ...] = (
        ((f"{s}:{k}:{card}" for s in seats[1:] for k in slots for card in cards), "the others' cards, oldest first",
         OneHot("hands", (range(1, form.players), range(form.hand_size)), first=1, none=0)),
        (seats, "hands that are a card short",
         OneHot("sizes", range(form.players), first=form.hand_size - 1, none=form.hand_size)),
        ((str(k + 1) for k in range(undealt)), "cards in the deck, up to it", sources["deck"]),
        (cards, "the top of each firework", OneHot("fireworks", range(form.colours), first=1, none=0)),
        ((str(k + 1) for k in range(form.information)), "information tokens, up to it", UpTo("information")),
        ((str(k + 1) for k in range(form.lives)), "lives, up to it", UpTo("lives")),
        (deck, "discarded cards, copy by copy", UpTo("discards", range(form.num_faces), counts=tuple(form.copies))),
        (seats, "the last move: whose it was", last),
        (("play", "discard", "tell-colour", "tell-rank"), "the last move: what it was", last),
        (seats, "the last move: whom a hint was for", last),
        (colours, "the last move: the colour that a hint named", last),
        (ranks, "the last move: the rank that a hint named", last),
        (slots, "the last move: cards that a hint touched", last),
        (slots, "the last move: where the card lay that was played or discarded", last),
        (cards, "the last move: the card that was played or discarded", OneHot("last_card", first=1, none=0)),
        (("yes",), "the last move: the card was played well", OneHot("last_scored", first=1, none=0)),
        (("yes",), "the last move: it completed a firework and brought a token back",
         OneHot("last_token", first=1, none=0)),
        ((f"{s}:{k}:{one}" for s in seats for k in slots for one in known), "what hints have left open, and named",
         sources["knowledge"]),
        (deck, "cards that have not been seen, copy by copy", sources["unseen"]),
        ((f"{k}:{card}" for k in slots for card in cards), "what each own card can be, by hints and by cards seen",
         sources["may_be"]),
        (seats, "who began", OneHot("first")),
        (seats, "whose turn it is", OneHot("to_act", none=-1)),
        ((str(k + 1) for k in range(form.players)), "turns left when the deck is empty", sources["turns"]),
        (("yes",), "the episode is over", OneHot("over", first=loops.EPISODE_OVER, none=loops.RUNNING)),
        (map(str, OPTIONS[0].choices), f"option: {OPTIONS[0].meaning}", OneOf("score", values=(0, 1))),
    )  # fmt: skip
    return tuple(
        Part(name, tuple(one), said, said, source) for name, (one, said, source) in zip(_PARTS, parts, strict=True)
    )


def _make_sources(form: Form) -> dict[str, Source]:
    """Returns those sources of parts of an observation that use functions."""
    players, colours, ranks, held, cards = form.players, form.colours, form.ranks, form.hand_size, form.num_cards
    further = ("last_seat", _last_seat, players - 1), ("last_touched", _last_touched, (1 << held) - 1)
    known: list[tuple[FieldSource, int]] = []
    for seat, slot in itertools.product(range(players), range(held)):
        of_colours = f"may_colours[{seat}, {slot}]", _open_colours, (1 << colours) - 1
        of_faces = Coded(
            "may_ranks", (seat, slot), write=_open_faces, read=_open_ranks, greatest=(1 << ranks) - 1,
            further=(of_colours,), arguments=(seat, slot, colours, ranks),
        )  # fmt: skip
        told = (OneHot(field, (seat, slot), first=1, none=0) for field in ("told_colour", "told_rank"))
        known += zip((of_faces, *told), (form.num_faces, colours, ranks), strict=True)
    unseen = Derived(_unseen, (players, colours, ranks))
    unseen_faces = Derived(_unseen_faces, (colours, ranks, unseen))
    return {
        "deck": Coded(
            "drawn", write=_left_in_deck, read=_drawn_cards, least=players * held, greatest=cards, arguments=(cards,)
        ),
        "last": Coded(
            "last_action", write=_last_entries, read=_last_action, least=-1, greatest=len(form.actions) - 1,
            further=further, arguments=(players, colours, ranks, held),
        ),
        "knowledge": SideBySide(tuple(known)),
        "unseen": Derived(_unseen_entries, (colours, ranks, unseen)),
        "may_be": SideBySide(
            tuple((Derived(_own_faces, (slot, ranks, unseen_faces)), form.num_faces) for slot in range(held))
        ),
        "turns": Coded("turns", write=_last_turns, read=_number_of, greatest=players),
    }  # fmt: skip


def _hidden_parts(form: Form) -> tuple[Part, ...]:
    cards = tuple(form.card_name(face) for face in range(form.num_faces))
    own = (Part(f"own_{k + 1}", cards, f"the own card {k + 1}") for k in range(form.hand_size))
    undealt = form.num_cards - form.players * form.hand_size
    return (*own, *(Part(f"next_{k + 1}", cards, f"the card that is drawn {k + 1} draws from now") for k in range(undealt)))


def _recall_parts(form: Form) -> tuple[Part, ...]:
    cards = tuple(form.card_name(face) for face in range(form.num_faces))
    drawn = [
        (f"drawn_{k + 1}", cards, f"the card drawn as number {k + 1}, if it has been seen") for k in range(form.num_cards)
    ]
    acts = [(f"act_{k + 1}", form.actions, f"action {k + 1} of the deal") for k in range(form.longest)]
    return tuple(Part(name, labels, meaning, told=meaning) for name, labels, meaning in drawn + acts)


def _form_kernels(name: str, form: Form) -> dict[str, Any]:
    """Returns the kernels of a game that have its parameters as constants."""
    players, colours, ranks, hand_size = form.players, form.colours, form.ranks, form.hand_size
    information, lives, cards, untold = form.information, form.lives, form.num_cards, _HISTORY + 1

    def made(what: str) -> Any:
        return closure(f"{__name__}:{name}.{what}")

    @made("set_form")
    def set_form(games: Any, i: int) -> None:
        g = games[i]
        g.players = players
        g.colours = colours
        g.ranks = ranks
        g.hand_size = hand_size
        g.most_information = information
        g.most_lives = lives

    @made("deal")
    def deal(games: Any, i: int, streams: Streams, s: int) -> None:
        set_form(games, i)
        shuffled_deal(games, i, streams, s)

    @made("complete")
    def complete(views: Any, j: int) -> None:
        set_form(views, j)
        if views[j].drawn < cards:
            views[j].turns = players

    @made("flaw")
    def flaw(games: Any, i: int, whole: bool) -> int:
        g = games[i]
        if g.players != players or g.colours != colours or g.ranks != ranks or g.hand_size != hand_size:
            return untold
        if g.most_information != information or g.most_lives != lives:
            return untold
        return any_flaw(games, i, whole)

    return {"deal": deal, "complete": complete, "flaw": flaw}


_NOT_ALL_SHOWN = (
    "players", "colours", "ranks", "hand_size", "most_information", "most_lives", "deck", "sizes", "hands", "places",
    "may_colours", "may_ranks", "told_colour", "told_rank", "fireworks", "discards",
)  # fmt: skip
"""Fields of the STATE of which an observation shows none or only some of the numbers."""


@dataclass(frozen=True)
class _Texts:
    """Deals and positions of a game in text."""

    name: str
    form: Form

    def deal_text(self, state: Any) -> dict[str, str]:
        """Returns a deal's start in text, by key; ``first`` only where another seat than 0 begins, as in re-deals."""
        fields = {"first": str(int(state["first"]))} if state["first"] else {}
        return fields | {
            "deck": "".join(self.form.card_name(int(card) - 1) for card in state["deck"][: self.form.num_cards])
        }

    def set_deal(self, games: Games, i: int, fields: Mapping[str, str]) -> None:
        """Sets game ``i`` to the start of a deal of `deal_text`; raises ValueError for an unknown key or a wrong deck."""
        form = self.form
        if not {"deck"} <= set(fields) <= {"first", "deck"}:
            told = ", ".join(key + "=" for key in sorted(fields)) or "nothing"
            raise ValueError(f"a deal of {self.name} has deck= and optionally first=, not {told}")
        names = {form.card_name(face): face for face in range(form.num_faces)}
        given = [fields["deck"][k : k + 2].upper() for k in range(0, len(fields["deck"]), 2)]
        unknown = next((card for card in given if card not in names), None)
        if unknown is not None:
            raise ValueError(f"deck= of {self.name} has no card {unknown!r}: the cards are {' '.join(names)}")
        for card, many in zip(names, form.copies, strict=True):
            if given.count(card) != many:
                raise ValueError(f"deck= of {self.name} must have {many} cards {card}, not {given.count(card)}")
        first = int_field(fields, "first", range(form.players))
        for name in ("players", "colours", "ranks", "hand_size"):
            games[i][name] = getattr(form, name)
        games[i]["most_information"], games[i]["most_lives"] = form.information, form.lives
        games[i]["first"] = first
        games[i]["deck"][:] = 0
        games[i]["deck"][: form.num_cards] = [names[card] + 1 for card in given]
        open_deal(games, i)

    def set_deck(self, games: Games, i: int, cards: Sequence[int] | Sequence[str]) -> None:
        """Sets game ``i`` to the start of the deal of a deck, in the order of drawing. ``cards`` are names, such as
        ``"R1"``, or faces, from 0 on. Raises ValueError for another deck than the game's."""
        form = self.form
        names = [form.card_name(face) for face in range(form.num_faces)]
        known: dict[int | str, str] = {**dict(enumerate(names)), **{name: name for name in names}}
        given = [card.upper() if isinstance(card, str) else card for card in cards]
        for card in given:
            if card not in known:
                allowed = f"faces from 0 to {form.num_faces - 1}, or their names {' '.join(names)}"
                raise ValueError(f"deck of {self.name} must have {allowed}, not {card!r}")
        self.set_deal(games, i, {"deck": "".join(known[card] for card in given)})

    def drawing(self, state: Any, seat: int | None = None) -> str:
        """Returns the position in text for people; with ``seat``, only what that seat may see."""
        form, turn = self.form, int(state["to_act"])
        over = "finished" if turn < 0 else f"player_{turn} to act"
        table = " ".join(f"{LETTERS[c]}{int(state['fireworks'][c])}" for c in range(form.colours))
        lines = [f"Hanabi: {over}", f"fireworks {table}"]
        left = form.num_cards - int(state["drawn"])
        lines.append(f"information {int(state['information'])}  lives {int(state['lives'])}  deck {left}")
        gone = [form.card_name(face) for face in range(form.num_faces) for _ in range(int(state["discards"][face]))]
        lines.append(f"discards {' '.join(gone) or 'none'}")
        for who in range(form.players):
            cards = [self._card_text(state, who, k, who != seat) for k in range(int(state["sizes"][who]))]
            lines.append(f"{'>' if who == turn else ' '} player_{who}  {'  '.join(cards)}")
        return "\n".join(lines)

    def _card_text(self, state: Any, who: int, slot: int, shown: bool) -> str:
        form, card = self.form, int(state["hands"][who][slot])
        face = form.card_name(card - 1) if shown and card else "--"
        return f"{face}({''.join(self._open_values(state, who, slot))})"

    def _open_values(self, state: Any, who: int, slot: int) -> Iterator[str]:
        """Yields the colours and the ranks that hints have left open of a card; nothing where all are."""
        for letters, most, field in ((LETTERS, self.form.colours, "may_colours"), ("12345", self.form.ranks, "may_ranks")):
            bits = int(state[field][who][slot])
            if bits != (1 << most) - 1:
                yield "".join(letters[k] for k in range(most) if bits >> k & 1)

    def action_words(self, state: Any, action: int) -> ActionWords:
        form = self.form
        seat = max(int(state["to_act"]), 0)
        if action < 2 * form.hand_size:
            slot = action % form.hand_size
            card = int(state["hands"][seat][slot])
            what = f"card {slot + 1}" + (f", the {form.card_words(card - 1)}" if card else "")
            verb = "discard" if action < form.hand_size else "play"
            return ActionWords(f"{verb} card {slot + 1}", f"{verb}s {what}")
        offset, by_rank, value = form.parse_hint(action)
        said = f"{value + 1}s" if by_rank else _COLOUR_WORDS[value]
        to = "" if form.players == 2 else f" to the {_OFFSETS[offset]} player"
        return ActionWords(f"tell {said}{to}", f"tells {said}{to}")


PARAMETERS = {
    "players": (2, 5),
    "colours": (1, 5),
    "ranks": (1, 5),
    "hand_size": (1, 8),
    "information": (0, 20),
    "lives": (1, 10),
}
"""The least and the greatest value of each parameter."""
STANDARD = {"players": 2, "colours": 5, "ranks": 5, "information": 8, "lives": 3}
"""Default parameters; the hand size is 5 for two and three players, else 4."""

PRESETS = {
    "mini": {"colours": 3, "ranks": 3, "hand_size": 3, "information": 5},
    "tiny": {"colours": 2, "ranks": 3, "hand_size": 2, "information": 3, "lives": 2},
}
"""Parameters of small forms by name: with 18 cards for at most 9 points, and with 12 cards for at most 6."""


def hanabi(**parameters: int) -> GameSpec:
    """Returns the game of some parameters, ints by the names in `PARAMETERS`; raises ValueError for impossible ones."""
    return FAMILY.form(**parameters)


def _make_form(**parameters: int) -> GameSpec:
    known = STANDARD | parameters
    known.setdefault("hand_size", 5 if known["players"] < 4 else 4)
    form = Form(**known)
    if form.players * form.hand_size > form.num_cards:
        raise ValueError(
            f"hanabi cannot deal {form.hand_size} cards to each of {form.players} players: the deck has {form.num_cards}"
        )
    return _make_spec(form)


def _count_endings(games: Games) -> tuple[Ints, Ints]:
    """Returns the ends of finished games (fireworks complete, last life lost, deck played out), and the lives lost."""
    perfect = games["fireworks"].sum(1) == games["colours"] * games["ranks"]
    ways = np.where(perfect, 0, np.where(games["lives"] == 0, 1, 2))
    return ways, np.asarray(games["most_lives"] - games["lives"])[:, None]


@functools.cache
def _make_spec(form: Form) -> GameSpec:
    usual = STANDARD | {"hand_size": 5 if form.players < 4 else 4}
    told = [f"{name}={getattr(form, name)}" for name in PARAMETERS if getattr(form, name) != usual[name]]
    name = f"hanabi:{','.join(told)}" if told else "hanabi"
    texts, parts, shown = _Texts(name, form), _observation_parts(form), Shown(form)
    canonical = sum(part.size for part in itertools.takewhile(lambda part: part.name != "unseen", parts))
    spec = define_game(
        name,
        title="Hanabi",
        module="hanabi_v0",
        seats=form.players,
        sides=(tuple(range(form.players)),),
        actions=form.actions,
        state=STATE,
        observation=parts,
        untold=_NOT_ALL_SHOWN,
        options=OPTIONS,
        rewards=("points", "win"),
        hidden=_hidden_parts(form),
        recall_parts=_recall_parts(form),
        **_form_kernels(name, form),
        legal=legal,
        step=step,
        outcome=outcome,
        view=view,
        redeal=redeal,
        reveal=reveal,
        gained=gained,
        remember=remember,
        recall=recall,
        recollect=recollect,
        max_steps=form.longest,
        worst_loss=lambda options, reward: 0.0,
        deal_text=texts.deal_text,
        set_deal=texts.set_deal,
        set_deck=texts.set_deck,
        drawing=texts.drawing,
        words=texts.action_words,
        board=shown.board,
        told=shown.told,
        rules=RULES,
        endings=Endings(form.colours * form.ranks, ("perfect", "lives", "deck"), ("lives lost",), _count_endings),
        family="hanabi",
        parameters=asdict(form),
        encodings=(Encoding("canonical", canonical, "the vector of the Hanabi Learning Environment and OpenSpiel"),),
        symmetries=_symmetries(form),
    )
    # Added last, as views that recall the order of play are replayed by the game's own `flaw`: a state cannot tell an order
    # of drawing that is made up, with which its history need not go, from one that has been seen.
    return replace(spec, kernels=replace(spec.kernels, rewind=rewind))


def _symmetries(form: Form) -> tuple[Symmetry, ...]:
    if form.colours < 2:
        return ()
    return (Symmetry("colours", all_permutations(form.colours), exchanged_letters(LETTERS[: form.colours])),)


RULES = """\
A team plays together. Each holds its cards so that only the others see them. In turn a player tells another all cards of
one colour or of one rank in that player's hand, which takes an information token; or discards a card, which brings one
back; or plays a card: it must be the next of its colour, from 1 upwards, or a life is lost. Who has discarded or played
draws a card. A firework that is complete brings a token back. The game ends with the last life, with all fireworks
complete, or when each player has had one more turn after the last card was drawn. The team scores the heights of its
fireworks, or nothing if the last life was lost."""
"""The rules in brief, for `GameSpec.prompt`."""

FAMILY = Family("hanabi", _make_form, PARAMETERS, PRESETS)
SPEC = FAMILY.form()

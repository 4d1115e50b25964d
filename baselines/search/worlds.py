"""Worlds: the hidden cards of a trick game dealt out for a view, many times over and fast.

A search draws hundreds of deals for one decision. So the ways to deal are counted once a decision instead of once a deal,
and the cards are renumbered once by how they rank, which makes the choices of simple agents and the winner of a trick a
matter of a few bit operations:

A card's *place* is ``3 * rank + k`` in the k-th plain suit (suits in their order, trump left out) and above all of those
in the trump suit, upwards from the lowest. Of two cards that can win a trick the one in the higher place does; "best" and
"worst" go by place but for cards of one rank in different plain suits, which are equal. A set of places is an int64.

What is drawn is what a game's own ``redeal`` draws: every deal consistent with the view equally likely. (A test compares
the two.)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cardenvs.cards import Deck, Ints, Streams, below, lowest, popcount
from cardenvs.games import euchre, whist
from cardenvs.jit import DISABLED, helper, kernel
from cardenvs.tricks import below_long, count_deals, restricted_suits, splits

Ways = npt.NDArray[np.int64]
"""What `cardenvs.tricks.count_deals` returns."""

TRUMPS = 3
"""The trump suit's number among suits of places; the plain suits are 0 to 2."""

TABLE = np.dtype(
    [
        # the position, seat 0 to act; card sets are sets of places
        ("hands", np.int64, (4,)),  # the own hand; the others' as `draw` last dealt them
        ("led", np.int64),  # all places of the suit led; -1 when leading
        ("best", np.int64),  # the card winning the trick; 0 when leading
        ("winner", np.int64),  # its seat; -1 when leading
        ("left", np.int64),  # cards that the trick still lacks
        ("absent", np.int64),  # the seat that sits out, or -1
        ("tricks", np.int64),  # tricks that are not complete yet
        ("taken", np.int64),  # tricks that side 0 has won
        # the hidden cards, which go to three hands and out of play
        ("barred", np.int64, (4,)),  # a bit for each suit that a holder cannot have
        # Euchre: the card that another seat picked up is in its hand (case 0) or its discard (case 1). Else case 0 is all.
        ("chance", np.int64),  # of case 1, in 2**30
        ("known", np.int64, (2, 4)),  # cards whose holder is known
        ("sizes", np.int64, (2, 4)),  # how many of the other cards each holder has
        ("suits", np.int64, (4,)),  # those other cards by suit
        ("levels", np.int64, (2,)),  # how many suits somebody is barred from
        ("order", np.int64, (2, 4)),  # which
        ("lengths", np.int64, (2, 5)),  # how many cards there are of each, and of the suits that are left
        ("deck", np.int64, (2, 52)),  # the cards one by one in that order
        # scratch of `draw`
        ("free", np.int64, (4,)),  # how many cards each holder still gets
        ("split", np.int64, (4,)),  # how many of one suit
    ],
    align=True,
)
"""A position as searches see it: one record for a view in which seat 0 is to play a card."""


def new_tables(n: int = 1) -> Any:
    """``n`` tables to be opened: a structured array of `TABLE`, shape (n,)."""
    tables = np.zeros(n, TABLE)
    return tables.view(np.recarray) if DISABLED else tables  # as `GameSpec.new_games` does


class Places(NamedTuple):
    """The places of a game's cards."""

    place: npt.NDArray[np.int64]
    """int64 (4, cards): each card's place under each trump."""
    card: npt.NDArray[np.int64]
    """int64 (4, places): the card in each place; -1 where there is none."""
    same_suit: npt.NDArray[np.int64]
    """int64 (places,): the set of all places of the suit of a place; the last one's are the trumps."""
    same_rank: npt.NDArray[np.int64]
    """int64 (places,): the set of the places that rank like a place, itself included."""


def _places(deck: Deck, suit_of: npt.NDArray[np.int64], strength: npt.NDArray[np.int64]) -> Places:
    plain = 3 * len(deck.ranks)
    trumps = int((suit_of[0] == 0).sum())
    place = np.zeros((4, deck.size), np.int64)
    card = np.full((4, plain + trumps), -1, np.int64)
    for trump in range(4):
        order = [suit for suit in range(4) if suit != trump]
        for c in range(deck.size):
            suit, number = suit_of[trump, c], strength[trump, c] - 1
            if suit == trump:
                place[trump, c] = plain + number - len(deck.ranks)
            else:
                place[trump, c] = 3 * number + order.index(suit)
            card[trump, place[trump, c]] = c
    of_suit = [sum(1 << p for p in range(k, plain, 3)) for k in range(3)] + [((1 << trumps) - 1) << plain]
    same_suit = [of_suit[p % 3 if p < plain else TRUMPS] for p in range(plain + trumps)]
    same_rank = [7 << (p - p % 3) if p < plain else 1 << p for p in range(plain + trumps)]
    return Places(place, card, np.array(same_suit, np.int64), np.array(same_rank, np.int64))


EUCHRE = _places(euchre.DECK, euchre.SUIT_OF, euchre.STRENGTH)
WHIST = _places(whist.DECK, whist.SUIT_OF, whist.STRENGTH)
_EUCHRE_PLACE, _EUCHRE_SAME_SUIT = EUCHRE.place, EUCHRE.same_suit
_WHIST_PLACE, _WHIST_SAME_SUIT = WHIST.place, WHIST.same_suit
_CERTAIN = np.int64(1) << np.int64(30)
_EUCHRE_CARDS, _WHIST_CARDS = np.int64(euchre.DECK.all), np.int64(whist.DECK.all)

# The suit of places of each suit of cards under each trump, and so for sets of suits.
_SUIT = np.array([[TRUMPS if s == t else s - (s > t) for s in range(4)] for t in range(4)], np.int64)
_SUIT_BITS = np.array(
    [[sum(1 << int(_SUIT[t, s]) for s in range(4) if suits >> s & 1) for suits in range(16)] for t in range(4)], np.int64
)


@helper
def suit_of(place: int, same_suit: Ints) -> int:
    """The suit of a place, 0 to 3; ``same_suit`` is `Places.same_suit`."""
    return TRUMPS if same_suit[place] == same_suit[len(same_suit) - 1] else place % 3


@kernel
def best_place(places: int, trump: int, card: Ints, scores: npt.NDArray[np.float64], row: int) -> int:
    """The place with the best score of its card in ``scores[row]``; of equals the lowest."""
    best = lowest(places)
    places &= places - 1
    while places != 0:
        place = lowest(places)
        places &= places - 1
        if scores[row, card[trump, place]] > scores[row, card[trump, best]]:
            best = place
    return best


@kernel
def to_places(cards: int, trump: int, place: Ints) -> int:
    """The set of places of a set of cards; ``place`` is `Places.place`."""
    places = np.int64(0)
    while cards != 0:
        places |= np.int64(1) << place[trump, lowest(cards)]
        cards &= cards - 1
    return places


@kernel
def to_cards(places: int, trump: int, card: Ints) -> int:
    """The set of cards in a set of places; ``card`` is `Places.card`."""
    cards = np.int64(0)
    while places != 0:
        cards |= np.int64(1) << card[trump, lowest(places)]
        places &= places - 1
    return cards


@helper
def _set_table(v: Any, t: Any, absent: int, place: Ints, same_suit: Ints) -> None:
    """Fills in what all trick games share."""
    t.hands[0] = to_places(v.hands[0], v.trump, place)
    t.absent = absent
    t.winner = v.winner
    t.best = 0
    t.led = -1
    t.left = 4 if absent < 0 else 3
    if v.winner >= 0:
        t.best = np.int64(1) << place[v.trump, lowest(v.trick[v.winner])]
        t.led = same_suit[place[v.trump, lowest(v.trick[v.leader])]]
        for seat in range(4):
            if v.trick[seat] != 0:
                t.left -= 1
    t.tricks = popcount(v.hands[0])
    t.taken = v.tricks[0] + v.tricks[2]
    t.chance = 0
    for holder in range(4):
        for case in range(2):
            t.known[case, holder] = 0
            t.sizes[case, holder] = 0
        t.barred[holder] = 0
    for seat in range(1, 4):
        t.barred[seat - 1] = _SUIT_BITS[v.trump, v.voids[seat]]


@helper
def _count(t: Any, case: int, places: int, same_suit: Ints) -> Ways:
    """Counts the deals of ``places``, the cards whose holder is not known, in a case; readies them for `draw`."""
    for suit in range(3):
        t.suits[suit] = places & same_suit[suit]
    t.suits[TRUMPS] = places & same_suit[len(same_suit) - 1]
    levels = restricted_suits(t.suits, t.barred, t.sizes[case], t.order[case])
    t.levels[case] = levels
    k = 0
    for level in range(levels + 1):
        cards = t.suits[t.order[case, level]] if level < levels else places
        places &= ~cards
        t.lengths[case, level] = popcount(cards)
        while cards != 0:
            t.deck[case, k] = cards & -cards
            cards &= cards - 1
            k += 1
    return count_deals(t.suits, t.barred, t.sizes[case])


@kernel
def open_whist(views: Any, i: int, tables: Any, w: int) -> tuple[Ways, Ways]:
    """Sets ``tables[w]`` to the position of a view of Whist; returns what `draw` needs."""
    v = views[i]
    t = tables[w]
    unseen = _WHIST_CARDS & ~(v.hands[0] | v.played[0] | v.played[1] | v.played[2] | v.played[3])
    _set_table(v, t, -1, _WHIST_PLACE, _WHIST_SAME_SUIT)
    for seat in range(1, 4):
        t.sizes[0, seat - 1] = 13 - popcount(v.played[seat])
    unknown = to_places(unseen, v.trump, _WHIST_PLACE)
    if unseen & v.shown != 0:  # another seat deals and has not played it
        shown = to_places(v.shown, v.trump, _WHIST_PLACE)
        t.known[0, v.dealer - 1] = shown
        t.sizes[0, v.dealer - 1] -= 1
        unknown ^= shown
    ways = _count(t, 0, unknown, _WHIST_SAME_SUIT)
    return ways, ways


@kernel
def open_euchre(views: Any, i: int, tables: Any, w: int) -> tuple[Ways, Ways]:
    """Sets ``tables[w]`` to the position of a view of Euchre in which a card is to be played; returns what `draw` needs."""
    v = views[i]
    t = tables[w]
    unseen = _EUCHRE_CARDS & ~(v.hands[0] | v.discard | v.played[0] | v.played[1] | v.played[2] | v.played[3])
    if not v.picked_up:
        unseen &= ~v.turned
    _set_table(v, t, (v.maker + 2) & 3 if v.alone else -1, _EUCHRE_PLACE, _EUCHRE_SAME_SUIT)
    for seat in range(1, 4):
        t.sizes[0, seat - 1] = 5 - popcount(v.played[seat])
    hidden_discard = v.picked_up == 1 and v.dealer != 0
    t.sizes[0, 3] = 4 if hidden_discard else 3
    unknown = to_places(unseen, v.trump, _EUCHRE_PLACE)
    if not hidden_discard or unseen & v.turned == 0:
        ways = _count(t, 0, unknown, _EUCHRE_SAME_SUIT)
        return ways, ways
    dealer = v.dealer - 1
    turned = to_places(v.turned, v.trump, _EUCHRE_PLACE)
    unknown ^= turned
    for holder in range(3):
        t.sizes[1, holder] = t.sizes[0, holder]
    t.sizes[1, 3] = 3
    discarded = _count(t, 1, unknown, _EUCHRE_SAME_SUIT)
    if t.sizes[0, dealer] == 0 or t.barred[dealer] >> TRUMPS & 1:
        t.chance = _CERTAIN
        return discarded, discarded
    t.known[0, dealer] = turned
    t.sizes[0, dealer] -= 1
    in_hand = _count(t, 0, unknown, _EUCHRE_SAME_SUIT)
    # Put away, the three others out of play are the kitty; in the hand, any of the four can be the discard.
    a = 1.0 * discarded[0, t.sizes[1, 0], t.sizes[1, 1], t.sizes[1, 2]]
    b = 4.0 * in_hand[0, t.sizes[0, 0], t.sizes[0, 1], t.sizes[0, 2]]
    t.chance = np.int64(a / (a + b) * _CERTAIN)
    return in_hand, discarded


@kernel
def draw(tables: Any, w: int, ways: Ways, ways_discarded: Ways, streams: Streams, s: int) -> None:
    """Deals the hidden cards to ``tables[w].hands[1:]``, every consistent deal equally likely.

    Args:
        tables: array of `TABLE`, of which number ``w`` is dealt.
        ways: and
        ways_discarded: what `open_whist` or `open_euchre` returned for it.
        streams: random streams, of which number ``s`` is used.
    """
    t = tables[w]
    case = 1 if t.chance > 0 and below(streams, s, _CERTAIN) < t.chance else 0
    free, split = t.free, t.split
    for holder in range(4):
        free[holder] = t.sizes[case, holder]
    for holder in range(3):
        t.hands[holder + 1] = t.known[case, holder]
    k = 0
    for level in range(t.levels[case]):
        n = t.lengths[case, level]
        suit = t.order[case, level]
        if case == 0:
            pick = below_long(streams, s, ways[level, free[0], free[1], free[2]])
            splits(level, n, suit, t.barred, free[0], free[1], free[2], free[3], ways, pick, split)
        else:
            pick = below_long(streams, s, ways_discarded[level, free[0], free[1], free[2]])
            splits(level, n, suit, t.barred, free[0], free[1], free[2], free[3], ways_discarded, pick, split)
        _hand_out(t, case, k, n, split, streams, s)
        k += n
        for holder in range(4):
            free[holder] -= split[holder]
    _hand_out(t, case, k, t.lengths[case, t.levels[case]], free, streams, s)


@helper
def _hand_out(t: Any, case: int, k: int, n: int, counts: Ints, streams: Streams, s: int) -> None:
    """Deals ``n`` cards of the deck from the k-th on at random, ``counts`` of them to each hand."""
    for holder in range(3):
        hand = t.hands[holder + 1]
        for _ in range(counts[holder]):
            other = k + below(streams, s, n)
            bit = t.deck[case, other]
            t.deck[case, other] = t.deck[case, k]
            t.deck[case, k] = bit
            hand |= bit
            k += 1
            n -= 1
        t.hands[holder + 1] = hand

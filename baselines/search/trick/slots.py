"""Worlds (determinizations): the hidden cards of a trick game re-dealt for a view, many times over and fast.

The ways to deal are counted once a decision instead of once a deal, and the cards are renumbered once by how they rank, so
that the choices of simple agents and the winner of a trick take a few bit operations.

A card's *slot* is its new number: ``3 * rank + k`` in the k-th plain suit (suits in their order, trump left out) and above
all of those in the trump suit, upwards from the lowest. Of two cards that can win a trick the one in the higher slot does;
"best" and "worst" go by slot, except that cards of one rank in different plain suits are equal. A set of slots is an int64.
(In the bits of `trick_minimax`, in contrast, the cards of a suit lie side by side, so that neighbours are found by a
shift.)

As with a game's own ``redeal``, every deal consistent with the view is equally likely. (A test compares the two.)
"""

import functools
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.heuristics.trick_games import for_trick_games
from cardenvs.compiled.bits import Ints, Streams, lowest, popcount
from cardenvs.compiled.jit import as_records, helper, kernel
from cardenvs.compiled.streams import below
from cardenvs.contract.kernels import Kernel
from cardenvs.contract.kinds import TrickGame
from cardenvs.contract.spec import GameSpec
from cardenvs.games.tricks import below_long, count_deals, restricted_suits, sum_splits

Ways = npt.NDArray[np.int64]
"""Numbers of ways to deal the hidden cards, as `cardenvs.games.tricks.count_deals` returns them."""

TRUMPS = 3  # the trump suit's number among suits of slots; the plain suits are 0 to 2

POSITION = np.dtype(
    [
        # the position, seat 0 to act; card sets are sets of slots
        ("hands", np.int64, (4,)),  # seat 0's hand; the other seats' as `deal_hidden` last dealt them
        ("led", np.int64),  # all slots of the suit led; -1 when seat 0 leads
        ("best", np.int64),  # the card winning the trick; 0 when seat 0 leads
        ("winner", np.int64),  # the seat whose card is winning the trick; -1 when seat 0 leads
        ("left", np.int64),  # cards that the trick still lacks
        ("absent", np.int64),  # the seat that sits out, or -1
        ("tricks", np.int64),  # tricks that are not complete yet
        ("taken", np.int64),  # tricks that side 0 has won
        # the hidden cards, which go to three hands and out of play
        ("barred", np.int64, (4,)),  # a bit for each suit that a hidden holder cannot have
        # Euchre: the card that another seat picked up is in its hand (case 0) or its discard (case 1). Else case 0 is all.
        ("chance", np.int64),  # of case 1, in 2**30
        ("known", np.int64, (2, 4)),  # cards whose holder is known
        ("sizes", np.int64, (2, 4)),  # how many of the other cards each holder has
        ("suits", np.int64, (4,)),  # those other cards by suit
        ("levels", np.int64, (2,)),  # number of suits that a holder is barred from
        ("order", np.int64, (2, 4)),  # these suits, in the order in which they are dealt
        ("lengths", np.int64, (2, 5)),  # how many cards there are of each of these suits, and of all other suits
        ("deck", np.int64, (2, 52)),  # the cards one by one in that order
        # scratch of `deal_hidden`
        ("free", np.int64, (4,)),  # how many cards each holder still gets
        ("split", np.int64, (4,)),  # how many of one suit
    ],
    align=True,
)
"""A position as searches see it: one record for a view in which seat 0 is to play a card. The hidden cards go to four
*holders*: the hands of seats 1 to 3 and the cards out of play, 0 to 3 in that order."""


def new_positions() -> Any:
    """A position for a kernel of `opening_in` to set: a structured array of `POSITION`, shape (1,)."""
    positions = np.zeros(1, POSITION)
    return as_records(positions)


class Slots(NamedTuple):
    """Lookups from the cards of a game to their slots and back."""

    slot: npt.NDArray[np.int64]  # int64 (4, cards): under each trump the slot of each card
    card: npt.NDArray[np.int64]  # int64 (4, slots): under each trump the card in each slot; -1 where there is none
    same_suit: npt.NDArray[np.int64]  # int64 (slots,): all slots of a slot's suit; of the last slot, the trumps
    same_rank: npt.NDArray[np.int64]  # int64 (slots,): the slots whose cards rank as the slot's own card, itself included


@functools.cache
def slots_of(kind: TrickGame) -> Slots:
    deck, suit_of, strength = kind.deck, kind.suit_of, kind.strength
    plain = 3 * len(deck.ranks)
    trumps = int((suit_of[0, : deck.size] == 0).sum())
    slot = np.zeros((4, deck.size), np.int64)
    card = np.full((4, plain + trumps), -1, np.int64)
    for trump in range(4):
        order = [suit for suit in range(4) if suit != trump]
        for c in range(deck.size):
            suit, number = suit_of[trump, c], strength[trump, c] - 1
            if suit == trump:
                slot[trump, c] = plain + number - len(deck.ranks)
            else:
                slot[trump, c] = 3 * number + order.index(suit)
            card[trump, slot[trump, c]] = c
    of_suit = [sum(1 << p for p in range(k, plain, 3)) for k in range(3)] + [((1 << trumps) - 1) << plain]
    same_suit = [of_suit[p % 3 if p < plain else TRUMPS] for p in range(plain + trumps)]
    same_rank = [7 << (p - p % 3) if p < plain else 1 << p for p in range(plain + trumps)]
    return Slots(slot, card, np.array(same_suit, np.int64), np.array(same_rank, np.int64))


_CERTAIN = np.int64(1) << np.int64(30)

# Under each trump, the suit of slots (0 to 3) of each suit of cards, and the set of suits of slots of each set of suits.
_SUIT = np.array([[TRUMPS if s == t else s - (s > t) for s in range(4)] for t in range(4)], np.int64)
_SUIT_BITS = np.array(
    [[sum(1 << int(_SUIT[t, s]) for s in range(4) if suits >> s & 1) for suits in range(16)] for t in range(4)], np.int64
)


@helper
def suit_of(slot: int, same_suit: Ints) -> int:
    """The suit of a slot, 0 to 2 for the plain suits and TRUMPS; ``same_suit`` is `Slots.same_suit`."""
    return TRUMPS if same_suit[slot] == same_suit[len(same_suit) - 1] else slot % 3


@kernel
def best_slot(slots: int, trump: int, card: Ints, scores: npt.NDArray[np.float64], row: int) -> int:
    """The slot of a set, not empty, whose card has the best score in ``scores[row]``; of equal scores the lowest slot."""
    best = lowest(slots)
    slots &= slots - 1
    while slots != 0:
        slot = lowest(slots)
        slots &= slots - 1
        if scores[row, card[trump, slot]] > scores[row, card[trump, best]]:
            best = slot
    return best


@kernel
def to_slots(cards: int, trump: int, slot: Ints) -> int:
    slots = np.int64(0)
    while cards != 0:
        slots |= np.int64(1) << slot[trump, lowest(cards)]
        cards &= cards - 1
    return slots


@helper
def _set_position(v: Any, p: Any, absent: int, slot: Ints, same_suit: Ints) -> None:
    """Sets the fields of position ``p`` that all trick games share from the view ``v``; hidden holders are yet empty."""
    p.hands[0] = to_slots(v.hands[0], v.trump, slot)
    p.absent = absent
    p.winner = v.winner
    p.best = 0
    p.led = -1
    p.left = 4 if absent < 0 else 3
    if v.winner >= 0:
        p.best = np.int64(1) << slot[v.trump, lowest(v.trick[v.winner])]
        p.led = same_suit[slot[v.trump, lowest(v.trick[v.leader])]]
        for seat in range(4):
            if v.trick[seat] != 0:
                p.left -= 1
    p.tricks = popcount(v.hands[0])
    p.taken = v.tricks[0] + v.tricks[2]
    p.chance = 0
    for holder in range(4):
        for case in range(2):
            p.known[case, holder] = 0
            p.sizes[case, holder] = 0
        p.barred[holder] = 0
    for seat in range(1, 4):
        p.barred[seat - 1] = _SUIT_BITS[v.trump, v.voids[seat]]


@helper
def _count_ways(p: Any, case: int, slots: int, same_suit: Ints) -> Ways:
    """Counts the deals, in one case of POSITION, of the unknown cards in ``slots``; readies `deal_hidden`."""
    for suit in range(3):
        p.suits[suit] = slots & same_suit[suit]
    p.suits[TRUMPS] = slots & same_suit[len(same_suit) - 1]
    levels = restricted_suits(p.suits, p.barred, p.sizes[case], p.order[case])
    p.levels[case] = levels
    k = 0
    for level in range(levels + 1):
        cards = p.suits[p.order[case, level]] if level < levels else slots
        slots &= ~cards
        p.lengths[case, level] = popcount(cards)
        while cards != 0:
            p.deck[case, k] = cards & -cards
            cards &= cards - 1
            k += 1
    return count_deals(p.suits, p.barred, p.sizes[case])


@for_trick_games
def opening_in(game: GameSpec, kind: TrickGame) -> Kernel:
    """The kernel ``open_position(views, i, positions, w)``: sets a position from a view in which seat 0 is to play a card.

    It returns the ways to deal the hidden cards, and those with the card that the dealer took out of play.
    """
    slot, _, same_suit, _ = slots_of(kind)
    unseen_cards, taken, sitting_out, dealt = kind.unseen, kind.taken, kind.sitting_out, kind.dealt

    @game.kernels.loop("slots.open")
    def open_position(views: Any, i: int, positions: Any, w: int) -> tuple[Ways, Ways]:
        v = views[i]
        p = positions[w]
        unseen = unseen_cards(views, i, 0)
        _set_position(v, p, sitting_out(views, i), slot, same_suit)
        out = popcount(unseen)  # the number of hidden cards that are out of play
        for holder in range(3):
            p.sizes[0, holder] = dealt - popcount(v.played[holder + 1])
            out -= p.sizes[0, holder]
        p.sizes[0, 3] = out
        unknown = to_slots(unseen, v.trump, slot)
        known = unseen & taken(views, i)
        if known == 0:
            ways = _count_ways(p, 0, unknown, same_suit)
            return ways, ways
        # Another seat deals and has not played the card: it holds it, or has put it out of play.
        dealer = v.dealer - 1
        card = to_slots(known, v.trump, slot)
        unknown ^= card
        if out > 0:
            for holder in range(3):
                p.sizes[1, holder] = p.sizes[0, holder]
            p.sizes[1, 3] = out - 1
            discarded = _count_ways(p, 1, unknown, same_suit)
            if p.sizes[0, dealer] == 0 or p.barred[dealer] >> TRUMPS & 1:
                p.chance = _CERTAIN
                return discarded, discarded
        p.known[0, dealer] = card
        p.sizes[0, dealer] -= 1
        in_hand = _count_ways(p, 0, unknown, same_suit)
        if out == 0:
            return in_hand, in_hand
        # Put away, the others out of play are the kitty; in the hand, any of those out of play can be the discard.
        a = 1.0 * discarded[0, p.sizes[1, 0], p.sizes[1, 1], p.sizes[1, 2]]
        b = 1.0 * out * in_hand[0, p.sizes[0, 0], p.sizes[0, 1], p.sizes[0, 2]]
        p.chance = np.int64(a / (a + b) * _CERTAIN)
        return in_hand, discarded

    return open_position


@kernel
def deal_hidden(positions: Any, w: int, ways: Ways, ways_discarded: Ways, streams: Streams, s: int) -> None:
    """Deals the hidden cards to ``positions[w].hands[1:]``, all deals equally likely, by the ways of `opening_in`."""
    p = positions[w]
    case = 1 if p.chance > 0 and below(streams, s, _CERTAIN) < p.chance else 0
    free, split = p.free, p.split
    for holder in range(4):
        free[holder] = p.sizes[case, holder]
    for holder in range(3):
        p.hands[holder + 1] = p.known[case, holder]
    k = 0
    for level in range(p.levels[case]):
        n = p.lengths[case, level]
        suit = p.order[case, level]
        if case == 0:
            pick = below_long(streams, s, ways[level, free[0], free[1], free[2]])
            sum_splits(level, n, suit, p.barred, free[0], free[1], free[2], free[3], ways, pick, split)
        else:
            pick = below_long(streams, s, ways_discarded[level, free[0], free[1], free[2]])
            sum_splits(level, n, suit, p.barred, free[0], free[1], free[2], free[3], ways_discarded, pick, split)
        _hand_out(p, case, k, n, split, streams, s)
        k += n
        for holder in range(4):
            free[holder] -= split[holder]
    _hand_out(p, case, k, p.lengths[case, p.levels[case]], free, streams, s)


@helper
def _hand_out(p: Any, case: int, k: int, n: int, counts: Ints, streams: Streams, s: int) -> None:
    """Deals the ``n`` cards of the deck from number ``k`` on at random, ``counts[h]`` of them to holder h (0 to 2)."""
    for holder in range(3):
        hand = p.hands[holder + 1]
        for _ in range(counts[holder]):
            other = k + below(streams, s, n)
            bit = p.deck[case, other]
            p.deck[case, other] = p.deck[case, k]
            p.deck[case, k] = bit
            hand |= bit
            k += 1
            n -= 1
        p.hands[holder + 1] = hand

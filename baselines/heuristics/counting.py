"""Knowledge of the counting agents for Whist and Euchre: card values, and the cards that each seat could still hold.

Source: the Markov and card-counting agents of the ten-agents Euchre paper (2015, sections 2.3 and 2.4), as made exact in
the project's reference figures. Whist has the same agents with lookups of its own.

A *seen* card is one that the seat to act knows no other seat can still play: a card dealt to it, a card played, the turned
card out of play. A turned (in Whist: shown) card that the dealer took is known to be the dealer's until it is played.
"""

import functools
from typing import Any, NamedTuple

import numpy as np

from cardenvs.baselines.heuristics.cardplay import COOP_HIGH_LOW, HIGH, HIGH_LOW, LOW
from cardenvs.compiled.bits import Ints, Streams, lowest, popcount
from cardenvs.compiled.jit import helper
from cardenvs.compiled.streams import random_member
from cardenvs.contract.cards import Deck, members_of
from cardenvs.contract.kernels import Kernel
from cardenvs.contract.kinds import TrickGame
from cardenvs.games.tricks import NO_TRUMP_YET, suit_lookups, void_sets


class CardLookups(NamedTuple):
    """The agents' lookups about a deck's cards, all int64; the first index is the trump unless stated otherwise.

    A number for each card is kept as *bit planes*: plane ``b`` is the set of the cards whose number has bit ``b``. The sum
    over a card set is then a few population counts (`sum_planes`), with no loop over the cards.
    """

    suit_sets: Ints  # (5, 5): the cards of each effective suit, as in `cardenvs.games.tricks.SuitLookups`
    suit_of: Ints  # (5, cards + 1): each card's effective suit, as in `cardenvs.games.tricks.SuitLookups`
    strength: Ints  # (5, cards + 1): each card's strength, as in `cardenvs.games.tricks.SuitLookups`
    void_sets: Ints  # (5, 16): the cards of a set of effective suits
    takers: Ints  # (5, cards + 1): the cards that take a trick from each winning card; last all cards, for an empty trick
    strengths: Ints  # (5, planes): bit planes of the cards' strengths
    tricks: Ints  # (5, planes): bit planes of `trick_counts`, the values of ``markov``
    completions: Ints  # (2, 4, 5, planes): `completion_counts`; by seats in the trick less 3, cards in it, trump
    lost_leads: Ints  # (1,): the set of the cards that, led, leave ``markov2-published`` without values for a fourth card


def falling_factorial(n: int, k: int) -> int:
    """Number of ordered choices of ``k`` among ``n``."""
    result = 1
    for factor in range(n, n - k, -1):
        result *= factor
    return result


def taking_sets(deck: Deck, bowers: bool) -> Ints:
    """int64 (5, cards): under each trump (4: none) the higher cards of a card's suit and, for a plain card, all trumps."""
    suit_sets, suit_of, strength = suit_lookups(deck, bowers)
    sets = np.zeros((5, deck.size), np.int64)
    for trump in range(5):
        for card in range(deck.size):
            rivals = int(suit_sets[trump, suit_of[trump, card]] | suit_sets[trump, trump])
            for rival in members_of(rivals):
                if strength[trump, rival] > strength[trump, card]:
                    sets[trump, card] |= 1 << rival
    return sets


def trick_counts(deck: Deck, bowers: bool) -> Ints:
    """int64 (5, cards): number of ordered four-card tricks from the whole deck that each card wins under each trump.

    Let ``n`` cards not take a trick from the card. Led, the card wins if the other three cards are among these n. Played as
    second, third or fourth card it wins if the lead is one of the ``m`` among these n that it takes a trick from (a trump:
    all n, a plain card: the lower ones of its suit) and the other two cards are among the rest of them.
    """
    suit_sets, suit_of, _ = suit_lookups(deck, bowers)
    takers = taking_sets(deck, bowers)
    counts = np.zeros((5, deck.size), np.int64)
    for trump in range(5):
        for card in range(deck.size):
            suit = suit_of[trump, card]
            n = deck.size - 1 - int(takers[trump, card]).bit_count()
            own = int(suit_sets[trump, suit])
            m = n if suit == trump else own.bit_count() - 1 - (own & int(takers[trump, card])).bit_count()
            counts[trump, card] = falling_factorial(n, 3) + 3 * m * falling_factorial(n - 1, 2)
    return counts


def completion_counts(deck: Deck, bowers: bool) -> Ints:
    """int64 (2, 4, 5, cards): number of ordered ways to complete a trick so that a card that now takes it wins.

    The first index is the number of seats in the trick less 3 (three when a seat goes alone), the second the number of
    cards already in it. Those cards cannot take the trick back; of the ``n`` cards in the deck that cannot, each later
    seat has one.
    """
    takers = taking_sets(deck, bowers)
    counts = np.zeros((2, 4, 5, deck.size), np.int64)
    for seats in (3, 4):
        for before in range(seats):
            for trump in range(5):
                for card in range(deck.size):
                    n = deck.size - 1 - int(takers[trump, card]).bit_count()
                    counts[seats - 3, before, trump, card] = falling_factorial(n - before, seats - 1 - before)
    return counts


def bit_planes(numbers: Ints) -> Ints:
    """The bit planes of ``numbers`` (..., cards): card sets of shape (..., planes)."""
    planes = int(numbers.max()).bit_length()
    bits = np.int64(1) << np.arange(numbers.shape[-1], dtype=np.int64)
    return np.stack([((numbers >> b & 1) * bits).sum(-1) for b in range(planes)], -1)


@functools.cache
def card_lookups(kind: TrickGame) -> CardLookups:
    deck, bowers = kind.deck, bool((kind.suit_of[:4] != kind.suit_of[NO_TRUMP_YET]).any())
    lookups = suit_lookups(deck, bowers)
    takers = np.pad(taking_sets(deck, bowers), ((0, 0), (0, 1)), constant_values=deck.all)
    lost = [deck.card(rank + suit) for rank in "KA" for suit in "cdhs"] + [deck.card("Q" + suit) for suit in "cdh"]
    return CardLookups(
        *lookups,
        void_sets=void_sets(lookups),
        takers=takers,
        strengths=bit_planes(lookups.strength[:, :-1]),
        tricks=bit_planes(trick_counts(deck, bowers)),
        completions=bit_planes(completion_counts(deck, bowers)),
        lost_leads=np.array([sum(1 << card for card in lost)], np.int64),
    )


@helper
def sum_planes(cards: int, planes: Ints) -> int:
    """The sum over a card set of the numbers kept in ``planes`` (1-dimensional)."""
    result = 0
    for b in range(len(planes)):
        result += popcount(cards & planes[b]) << b
    return result


@helper
def _is_enough(own: int, unseen: int, threshold: float) -> bool:
    """Whether own / unseen >= threshold; False if both are 0."""
    return own + unseen > 0 and own >= threshold * unseen


def markov_is_strong_of(lookups: CardLookups) -> Kernel:
    """Makes the kernel that compares a hand with ``threshold`` times the unseen cards, by the tricks each card wins."""
    tricks = lookups.tricks

    @helper
    def markov_is_strong(g: Any, unseen: int, threshold: float) -> bool:
        values = tricks[g.trump]
        return _is_enough(sum_planes(g.hands[g.to_act], values), sum_planes(unseen, values), threshold)

    return markov_is_strong


def markov2_is_strong_of(lookups: CardLookups) -> Kernel:
    """As `markov_is_strong_of`; each card counts the ordered completions of the trick that it wins if it is played next.

    ``as_published`` adds the slip behind the printed figures: a fourth card to the lead of a king, an ace or the queen of
    hearts, diamonds or clubs finds no values, only zeros, and the hand then never counts as strong.
    """
    takers_of, completions = lookups.takers, lookups.completions
    lost_leads, no_card = lookups.lost_leads[0], np.int64(1) << (lookups.suit_of.shape[1] - 1)

    @helper
    def markov2_is_strong(g: Any, unseen: int, absent: int, threshold: float, as_published: bool) -> bool:
        before = 0
        for seat in range(4):
            before += g.trick[seat] != 0
        if as_published and before == 3 and g.trick[g.leader] & lost_leads != 0:
            return False
        takers = takers_of[g.trump, lowest(g.trick[g.winner & 3] | no_card)]
        values = completions[1 if absent < 0 else 0, before, g.trump]
        return _is_enough(sum_planes(g.hands[g.to_act] & takers, values), sum_planes(unseen & takers, values), threshold)

    return markov2_is_strong


def card_counting_of(lookups: CardLookups) -> Kernel:
    """Makes the kernel that finds the rule by which ``card-counting`` plays, and the legal cards that it is applied to.

    The *strength* of a seat in a suit is the sum of the strength numbers of the cards of that effective suit which the seat
    could hold. The seat's own cards are grouped by printed suit, so a left bower counts with the suit printed on it here.
    """
    suit_sets, suit_of, takers, voids = lookups.suit_sets, lookups.suit_of, lookups.takers, lookups.void_sets
    all_strengths = lookups.strengths

    @helper
    def could_hold(g: Any, seat: int, unseen: int, taken: int, absent: int) -> int:
        held = unseen & ~voids[g.trump, g.voids[seat]]
        if seat != g.dealer:
            held &= ~taken
        return held if seat != absent else np.int64(0)

    @helper
    def card_counting(
        g: Any, cards: int, unseen: int, taken: int, absent: int, streams: Streams, s: int
    ) -> tuple[int, int]:
        """The rule and its part of the legal ``cards``; ``taken``: the card that only the dealer can hold, as a set."""
        trump = g.trump
        strengths = all_strengths[trump]
        partner = could_hold(g, (g.to_act + 2) & 3, unseen, taken, absent)
        left = could_hold(g, (g.to_act + 1) & 3, unseen, taken, absent)
        if g.winner < 0:
            right = could_hold(g, (g.to_act + 3) & 3, unseen, taken, absent)
            ruffed = np.int64(0)
            strong = np.int64(0)
            most = 0
            for suit in range(4):
                own = cards & suit_sets[NO_TRUMP_YET, suit]
                members = suit_sets[trump, suit]
                if own != 0:
                    if partner & members == 0:
                        ruffed |= own
                    rival = max(sum_planes(left & members, strengths), sum_planes(right & members, strengths))
                    margin = sum_planes(partner & members, strengths) - rival
                    if margin > most:
                        most = margin
                        strong = own
                    elif margin == most and margin > 0:
                        strong |= own
            promising = ruffed if ruffed != 0 and partner & suit_sets[trump, trump] != 0 else strong
            if promising == 0:
                return HIGH, cards
            # The first such suit in the order in which the hand was dealt is that of a random card among these.
            card: Any = random_member(streams, s, promising)
            return LOW, cards & suit_sets[NO_TRUMP_YET, suit_of[NO_TRUMP_YET, card]]
        winning = lowest(g.trick[g.winner])
        rivals = takers[trump, winning] & suit_sets[trump, suit_of[trump, winning]]
        if g.leader == (g.to_act + 3) & 3:  # second to play
            led = suit_of[trump, lowest(g.trick[g.leader])]
            members = suit_sets[trump, led]
            hope = sum_planes(partner & rivals, strengths)
            if hope > 0 and hope > sum_planes(left & members, strengths):
                return LOW, cards
            if led != trump and partner & members == 0 and partner & suit_sets[trump, trump] != 0:
                return LOW, cards
            return HIGH_LOW, cards
        if g.leader == g.winner and g.leader == (g.to_act + 2) & 3 and left & rivals != 0:  # third to play
            return HIGH_LOW, cards
        return COOP_HIGH_LOW, cards

    return card_counting

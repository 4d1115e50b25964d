"""Choosing a card by its strength: the moves that all trick-taking heuristics are made of.

A card's strength is its number in `cardenvs.games.tricks.SuitLookups`: plain cards from 1 up by rank, trumps above them.
"Best" and "worst" go by that number among the legal cards, whatever their suits; equal numbers are broken at random.
The functions take a game's record ``g``, a view or a full state alike, and decide for the seat to act from what that seat
may know: searches call them in their play-outs without making views.

Source of these agents: the ten-agents Euchre paper (2015), as made exact in the project's reference figures.
"""

from __future__ import annotations

from typing import Any

from cardenvs.compiled.bits import Ints, Streams, lowest
from cardenvs.compiled.jit import driver, kernel
from cardenvs.compiled.streams import below

LOW, HIGH, HIGH_LOW, COOP_HIGH_LOW = range(4)
"""The simple rules by number, as `play` takes them."""


@kernel
def best(cards: int, trump: int, strength: Ints, streams: Streams, s: int) -> int:
    """The strongest of ``cards`` (a set that is not empty); a random one of equally strong cards."""
    chosen = -1
    number = -1
    ties = 0
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        if strength[trump, card] > number:
            chosen, number, ties = card, strength[trump, card], 1
        elif strength[trump, card] == number:
            ties += 1
            if below(streams, s, ties) == 0:
                chosen = card
    return chosen


@kernel
def worst(cards: int, trump: int, strength: Ints, streams: Streams, s: int) -> int:
    """The weakest of ``cards`` (a set that is not empty); a random one of equally weak cards."""
    chosen = -1
    number = 1 << 30
    ties = 0
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        if strength[trump, card] < number:
            chosen, number, ties = card, strength[trump, card], 1
        elif strength[trump, card] == number:
            ties += 1
            if below(streams, s, ties) == 0:
                chosen = card
    return chosen


@driver
def high_low(g: Any, cards: Any, strength: Any, streams: Any, s: Any) -> Any:
    """The card that ``high-low`` plays: the best if it leads or the best is stronger than the winning card, else the worst.

    The comparison ignores suits, as in the paper's published figures: an ace that cannot follow suit counts as beating a
    nine. With a correct test the agent takes 71.4% of games from ``random`` instead of 68.8%.
    """
    card = best(cards, g.trump, strength, streams, s)
    if g.winner >= 0 and strength[g.trump, card] <= strength[g.trump, lowest(g.trick[g.winner])]:
        card = worst(cards, g.trump, strength, streams, s)
    return card


@driver
def high_low_corrected(g: Any, cards: Any, suit_of: Any, strength: Any, streams: Any, s: Any) -> Any:
    """`high_low` with a correct test: the best card is played only if it would take the trick."""
    card = best(cards, g.trump, strength, streams, s)
    if g.winner >= 0:
        winning = lowest(g.trick[g.winner])
        suit = suit_of[g.trump, card]
        takes = strength[g.trump, card] > strength[g.trump, winning]
        if not (takes and (suit == g.trump or suit == suit_of[g.trump, winning])):
            card = worst(cards, g.trump, strength, streams, s)
    return card


@driver
def coop_high_low(g: Any, cards: Any, strength: Any, streams: Any, s: Any) -> Any:
    """The worst card where the partner holds the trick, else `high_low`."""
    if g.winner == (g.to_act + 2) & 3:
        return worst(cards, g.trump, strength, streams, s)
    return high_low(g, cards, strength, streams, s)


@driver
def play(rule: Any, g: Any, cards: Any, strength: Any, streams: Any, s: Any) -> Any:
    """The card that a simple rule (LOW to COOP_HIGH_LOW) plays from ``cards`` for the seat to act."""
    if rule == LOW:
        return worst(cards, g.trump, strength, streams, s)
    if rule == HIGH:
        return best(cards, g.trump, strength, streams, s)
    if rule == HIGH_LOW:
        return high_low(g, cards, strength, streams, s)
    return coop_high_low(g, cards, strength, streams, s)

"""Trick play with all cards open in plain Python: every play of every seat is tried.

A card is its name, a trick a tuple of (seat, card), the lead first. What may be played and what wins is up to `Rules`.
"""

import functools
from typing import NamedTuple

from tests.naive.poe import Rules


class Position(NamedTuple):
    """Four open hands, the trick under way and the seat to act; a seat that is ``absent`` is passed over."""

    hands: tuple[frozenset[str], ...]
    trick: tuple[tuple[int, str], ...]
    seat: int
    absent: int | None = None


def remembering(rules: Rules) -> Rules:
    """The same rules, which keep their answers."""
    return Rules(functools.cache(rules.legal), functools.cache(rules.winner), rules.height)


Known = dict[Position, int]
"""What `tricks_of_side_0` found out before."""


def play(position: Position, card: str, rules: Rules) -> tuple[Position, int | None]:
    """The position after ``card``, and the seat that won a trick with it."""
    hands, trick, seat, absent = position
    hands = (*hands[:seat], hands[seat] - {card}, *hands[seat + 1 :])
    trick = (*trick, (seat, card))
    if len(trick) == (4 if absent is None else 3):
        winner = rules.winner(trick)
        return Position(hands, (), winner, absent), winner
    following = (seat + 1) % 4
    if following == absent:
        following = (following + 1) % 4
    return Position(hands, trick, following, absent), None


def tricks_of_side_0(position: Position, rules: Rules, known: Known) -> int:
    """The tricks that seats 0 and 2 take from here on when they want as many as possible and the others as few."""
    if not position.hands[position.seat]:
        return 0
    if position not in known:
        best = max if position.seat % 2 == 0 else min
        known[position] = best(after_cards(position, rules, known).values())
    return known[position]


def after_cards(position: Position, rules: Rules, known: Known) -> dict[str, int]:
    """For each card that may be played, the tricks of seats 0 and 2, the current one included."""
    values = {}
    for card in rules.legal(position.hands[position.seat], position.trick):
        after, winner = play(position, card, rules)
        won = 1 if winner is not None and winner % 2 == 0 else 0
        values[card] = won + tricks_of_side_0(after, rules, known)
    return values

"""POE's vote in plain Python: every way to finish the current trick is played.

A card is its name, a trick a list of (seat, card), the lead first. Whist and Euchre differ in two functions: which cards of
a hand may be played to a trick, and who is winning it.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from tests.naive import euchre, whist

Trick = Sequence[tuple[int, str]]


class Rules(NamedTuple):
    """A game under some trump."""

    legal: Callable[[Collection[str], Trick], Collection[str]]
    winner: Callable[[Trick], int]
    height: Callable[[str], tuple[int, int, int]]
    """Sorts cards from low to high: plain cards before trumps, then by rank, then by suit."""


def whist_rules(trump: str) -> Rules:
    """Whist with that trump suit."""

    def winner(trick: Trick) -> int:
        best = whist.winning_card([card for _, card in trick], trump)
        return next(seat for seat, card in trick if card == best)

    def height(card: str) -> tuple[int, int, int]:
        return (int(card[1] == trump), whist.RANKS.index(card[0]), whist.SUITS.index(card[1]))

    return Rules(lambda hand, trick: whist.may_play(list(hand), [card for _, card in trick]), winner, height)


def euchre_rules(trump: str) -> Rules:
    """Euchre with that trump suit."""
    trumps = euchre.winning_order(trump, trump)[::-1]

    def height(card: str) -> tuple[int, int, int]:
        if card in trumps:
            return (1, trumps.index(card), 0)
        return (0, euchre.RANKS.index(card[0]), euchre.SUITS.index(card[1]))

    return Rules(
        lambda hand, trick: euchre.legal_cards(hand, trick, trump), lambda trick: euchre.trick_winner(trick, trump), height
    )


def value(trick: Trick, hands: Mapping[int, Collection[str]], seats: Sequence[int], rules: Rules) -> int:
    """+1 if the side of the last seat in ``trick`` wins it, ``seats`` being still to play in that order, else -1."""
    mover = trick[-1][0]
    if not seats:
        return 1 if (rules.winner(trick) - mover) % 2 == 0 else -1
    following, *others = seats
    replies = [value([*trick, (following, card)], hands, others, rules) for card in rules.legal(hands[following], trick)]
    # An opponent's best reply is the mover's worst; where the partner is next (a lone hand's opponents), its best.
    return max(replies) if (following - mover) % 2 == 0 else -max(replies)


def votes(
    trick: Trick,
    legal: Collection[str],
    worlds: Sequence[Mapping[int, Collection[str]]],
    seats: Sequence[int],
    rules: Rules,
) -> dict[str, int]:
    """POE's points for the ``legal`` cards of seat 0, the ``seats`` after it being still to play, over given worlds."""
    points = dict.fromkeys(legal, 0)
    for hands in worlds:
        winning = [card for card in legal if value([*trick, (0, card)], hands, seats, rules) == 1]
        for card in winning:
            points[card] += 1
        points[min(winning or legal, key=rules.height)] += 1
    return points

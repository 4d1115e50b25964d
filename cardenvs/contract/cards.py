"""Decks, cards and card sets.

A *card* is an ``int``: ``suit * ranks + rank``, with suits in the order clubs, diamonds, hearts, spades and ranks upwards
from the deck's lowest. A *card set* is an ``int64`` with bit ``card`` set for each member. The suit of the same colour as
``suit`` is ``3 - suit``.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

SUITS = "cdhs"
"""Suit letters in the order of their numbers: clubs 0, diamonds 1, hearts 2, spades 3."""

SUIT_SYMBOLS = "♣♦♥♠"
SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")
RANK_NAMES = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace")
"""The ranks in words, in the order of `FULL_DECK`'s ranks."""
CLUBS, DIAMONDS, HEARTS, SPADES = range(4)


@dataclass(frozen=True)
class Deck:
    """A deck of four suits with the same ranks. Methods raise ValueError for what is no card of it."""

    ranks: str  # one letter for each rank, lowest first, such as "9TJQKA"

    @property
    def size(self) -> int:
        """Number of cards."""
        return 4 * len(self.ranks)

    @property
    def all(self) -> int:
        """The set of all cards."""
        return (1 << self.size) - 1

    def suit_set(self, suit: int) -> int:
        """Returns the set of the cards of a printed suit, 0 to 3."""
        width = len(self.ranks)
        return ((1 << width) - 1) << (suit * width)

    def card(self, text: str) -> int:
        """Returns the card of a text: rank then suit, as in ``"Th"``, ``"10h"`` or ``"a d"``; either case."""
        word = text.replace(" ", "").replace("10", "T")
        for symbol, letter in () if word.isascii() else zip(SUIT_SYMBOLS, SUITS, strict=True):
            word = word.replace(symbol, letter)
        if len(word) == 2:
            rank, suit = self.ranks.find(word[0].upper()), SUITS.find(word[1].lower())
            if rank >= 0 and suit >= 0:
                return suit * len(self.ranks) + rank
        raise ValueError(
            f"unknown card {text!r}: a card is one of the ranks {' '.join(self.ranks)} "
            f"followed by one of the suits {' '.join(SUITS)}, as in {self.text(self.size - 1)!r}"
        )

    def text(self, card: int) -> str:
        """Returns the two-letter name of ``card`` (0 to ``size - 1``), such as ``"Th"``."""
        if not 0 <= card < self.size:
            raise ValueError(f"unknown card number {card}: this deck has the cards 0 to {self.size - 1}")
        suit, rank = divmod(int(card), len(self.ranks))
        return self.ranks[rank] + SUITS[suit]

    def parse(self, text: str) -> list[int]:
        """Returns the cards of a text in order, with or without spaces between them: ``"9sThJd"``."""
        word = text.replace(" ", "").replace("10", "T")
        return [self.card(word[k : k + 2]) for k in range(0, len(word), 2)]

    def parse_set(self, text: str) -> int:
        """Returns the set of the cards named in ``text``; raises ValueError for a repeated card, too."""
        result = 0
        for card in self.parse(text):
            if result >> card & 1:
                raise ValueError(f"the card {self.text(card)} is named twice in {text!r}")
            result |= 1 << card
        return result

    def format(self, cards: int | Iterable[int], separator: str = "") -> str:
        """Returns the names of a card set (in the order of the card numbers) or of an iterable of cards (in its order)."""
        members = members_of(int(cards)) if isinstance(cards, (int, np.integer)) else cards
        return separator.join(self.text(card) for card in members)


EUCHRE_DECK = Deck("9TJQKA")
FULL_DECK = Deck("23456789TJQKA")


def card_name(card: str) -> str:
    """Returns a card in words: ``"9c"`` is ``"nine of clubs"``."""
    return f"{RANK_NAMES[FULL_DECK.ranks.index(card[0])]} of {SUIT_NAMES[SUITS.index(card[1])]}"


def members_of(cards: int) -> list[int]:
    """Returns the members of a set of cards, or of other numbers, ascending."""
    left, found = int(cards), []
    while left:
        found.append((left & -left).bit_length() - 1)
        left &= left - 1
    return found


def rank_text(card: str) -> str:
    """Returns the rank of a card for people: ``"Th"`` is ``"10"``."""
    return card[0].replace("T", "10")


def card_text(card: str) -> str:
    """Returns a card for people, with the sign of its suit: ``"Th"`` is ``"10♥"``."""
    return rank_text(card) + SUIT_SYMBOLS[SUITS.index(card[1])]

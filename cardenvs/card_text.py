"""Cards as people read them: ``10♥``. What is typed, stored or parsed has two letters a card, ``Th``."""

from __future__ import annotations

from cardenvs.cards import SUIT_SYMBOLS, SUITS


def rank_text(card: str) -> str:
    """The rank of a card for people: that of ``"Th"`` is ``"10"``."""
    return card[0].replace("T", "10")


def card_text(card: str) -> str:
    """A card for people, with the sign of its suit: ``"Th"`` is ``"10♥"``."""
    return rank_text(card) + SUIT_SYMBOLS[SUITS.index(card[1])]

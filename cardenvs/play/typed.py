"""Typed input: cards as people write them, column numbers, and lines from the keyboard."""

from __future__ import annotations

import re
import sys

from cardenvs.contract.cards import FULL_DECK, Deck
from cardenvs.contract.spec import GameSpec

_CARD = re.compile(r"\s*(10|[2-9TJQKAtjqka])\s*([cdhsCDHS♣♦♥♠])[\s,;:]*")


def deck_of(game: GameSpec) -> Deck:
    """The deck whose cards people name in a game."""
    return FULL_DECK if game.kind is None else game.kind.deck


def parse_cards(text: str, deck: Deck) -> list[int]:
    """The cards in a line as people type cards: ``3 s``, ``10 h``, ``a d``, ``3s Th``, ``3sTh``; commas may stand between.

    Args:
        text: one card or more.
        deck: the deck that the cards belong to.

    Returns:
        The cards' numbers in the deck, in the order in which they were typed.

    Raises:
        ValueError: something in the line is no card of that deck; the message quotes that part.
    """
    cards, start = [], 0
    while start < len(text.rstrip()):
        match = _CARD.match(text, start)
        if match is None:
            word = text[start:].split()[0] if text[start:].split() else text
            raise ValueError(f"{word!r} is no card: type rank and suit, as in 3 s, 10 h or a d (also 3s, Th)")
        cards.append(deck.card(match[1] + match[2]))
        start = match.end()
    if not cards:
        raise ValueError("type a card: rank and suit, as in 3 s, 10 h or a d (also 3s, Th)")
    return cards


def column_word(text: str) -> str:
    """A typed column without the word: ``3`` for ``3``, ``column 3`` and ``column-3``; any other text in lower case."""
    return text.strip().lower().removeprefix("column").strip(" -")


def split_first_card(text: str) -> tuple[str, str]:
    """A line in two: the card that it begins with, and the rest without blanks around it.

    A line that begins with no card is returned whole, with an empty rest.
    """
    match = _CARD.match(text)
    return (text, "") if match is None else (text[: match.end()], text[match.end() :].strip())


def read_line() -> str:
    """A line from standard input; at a keyboard it can be edited.

    Raises:
        EOFError: standard input has ended.
    """
    if sys.stdin.isatty():
        return input()
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line

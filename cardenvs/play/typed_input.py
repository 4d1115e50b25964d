"""Typed cards and column numbers, and lines from the keyboard."""

import re
import sys
from collections.abc import Callable

from rich.console import Console

from cardenvs.contract.cards import FULL_DECK, Deck
from cardenvs.contract.spec import GameSpec

_CARD = re.compile(r"\s*(10|[2-9TJQKAtjqka])\s*([cdhsCDHS♣♦♥♠])[\s,;:]*")


def deck_of(game: GameSpec) -> Deck:
    """Returns the deck that people name cards of in a game."""
    return FULL_DECK if game.kind is None else game.kind.deck


def parse_cards(text: str, deck: Deck) -> list[int]:
    """Returns the cards' numbers in a line such as ``3 s``, ``10 h, a d`` or ``3sTh``, in the order typed.

    Raises:
        ValueError: a part of the line, which the message quotes, is no card of the deck.
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
    """Returns a typed column without the word: ``3`` for ``3``, ``column 3`` and ``column-3``, else the lower case."""
    return text.strip().lower().removeprefix("column").strip(" -")


def split_first_card(text: str) -> tuple[str, str]:
    """Splits a line behind the card that it begins with; without a card the line is whole and the rest empty."""
    match = _CARD.match(text)
    return (text, "") if match is None else (text[: match.end()], text[match.end() :].strip())


def ask(console: Console, prompt: str, read: Callable[[], str]) -> str:
    """Prints a prompt and returns the line that ``read`` returns; a line that was not typed at a terminal is printed."""
    console.print(prompt, end=" ", markup=False, highlight=False, soft_wrap=True)
    line = read()
    if not (console.is_terminal and sys.stdin.isatty()):  # so that a transcript reads as the session did
        console.print(line.rstrip("\n"), markup=False, highlight=False, soft_wrap=True)
    return line.strip()


def read_line() -> str:
    """Reads a line from standard input, editable at a keyboard; raises EOFError at its end."""
    if sys.stdin.isatty():
        return input()
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line

"""Checks that the games share when they read a deal from text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence


def check_piles(
    game: str,
    piles: Sequence[tuple[str, int, int]],
    hands: int,
    deck: int,
    format_cards: Callable[[int], str],
) -> None:
    """Checks that every card of ``deck`` lies in exactly one pile and that each pile has its number of cards.

    Args:
        game: the game's name, for messages.
        piles: hands, kitty, turned card: of each its name, its card set and the number of cards that it must have; the
            names of hands begin with ``"hand "``.
        hands: how many of the piles must be hands.
        deck: the set of all cards.
        format_cards: makes text of a card set.

    Raises:
        ValueError: another number of hands, a pile with too many or too few cards, a card in two piles, a card in none.
    """
    if sum(name.startswith("hand ") for name, _, _ in piles) != hands:
        raise ValueError(f"hands= in a deal of {game} has {hands} hands with / between them")
    seen = 0
    for name, cards, _ in piles:
        if seen & cards:
            raise ValueError(f"the card {format_cards(seen & cards)} is twice in this deal of {game} (again in {name})")
        seen |= cards
    for name, cards, size in piles:
        if cards.bit_count() != size:
            plural = "" if size == 1 else "s"
            raise ValueError(f"{name} must have {size} card{plural} in a deal of {game}, not {cards.bit_count()}")
    if deck & ~seen:
        raise ValueError(f"the card {format_cards(deck & ~seen)} is missing in this deal of {game}")


def int_field(fields: Mapping[str, str], key: str, allowed: range) -> int:
    """The int in ``fields[key]``, 0 if there is no such key.

    Raises:
        ValueError: the text is no int of ``allowed``.
    """
    text = fields.get(key, "0")
    if not text.isdecimal() or int(text) not in allowed:
        raise ValueError(f"{key}={text}: must be {allowed[0]} to {allowed[-1]}")
    return int(text)


def score_field(fields: Mapping[str, str]) -> tuple[int, int]:
    """The two points in ``fields["score"]``, such as ``3-7``.

    Raises:
        ValueError: not two ints of 0 or more with ``-`` between them.
    """
    text = fields.get("score", "0-0")
    parts = text.split("-")
    if len(parts) != 2 or not all(part.isdecimal() for part in parts):
        raise ValueError(f"score={text}: must be two numbers with - between them")
    return int(parts[0]), int(parts[1])

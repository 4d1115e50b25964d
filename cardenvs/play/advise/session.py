"""Sessions of the adviser as one line of text, and as files that hold such a line behind the deals before it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from cardenvs.contract.cards import Deck
from cardenvs.contract.lines import key_values
from cardenvs.contract.options import show
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.play.advise.book import Book, seats_text
from cardenvs.play.typed import deck_of, parse_cards

SESSION = "# session: "
"""The beginning of the line in a session's file from which the session goes on."""

_KINDS = {
    "names": ("names",),
    "engine": ("engine",),
    "dealer": ("dealer",),
    "card": ("card",),
    "hands": ("hand",),
    "columns": ("columns",),
    "actions": ("action",),
    "turns": ("drawn", "column"),
    "revealed": ("reveal",),
}
"""The keys of a session's line in order, each with the kinds of question that its words answer."""


@dataclass(frozen=True)
class Entry:
    """An answer that has been told to the adviser.

    Attributes:
        kind: the kind of the question that the entry answers.
        seat: the seat that the question was about, or None.
        text: what was told, as it could be typed again.
    """

    kind: str
    seat: int | None
    text: str


@dataclass(frozen=True)
class Told:
    """A word of a session's line, as it is told to an adviser.

    Attributes:
        key: the word's key.
        text: the answer to enter.
        kinds: the kinds of question that the text answers.
    """

    key: str
    text: str
    kinds: tuple[str, ...]


@dataclass(frozen=True)
class SessionLine:
    """The content of a session's line.

    Attributes:
        game: what is played.
        options: the rule options that the line names.
        score: the points of the two sides before the deal.
        policy: the name of the policy that advises; None if the line names none.
        seed: seed of the policy's random choices.
        told: what to tell an adviser, in order.
    """

    game: GameSpec
    options: dict[str, Any]
    score: tuple[int, int]
    policy: str | None
    seed: int
    told: tuple[Told, ...]


def session_line(book: Book, policy: str, seed: int, entries: Sequence[Entry]) -> str:
    """A session as one line that `parse_session` reads.

    Args:
        book: what has been told.
        policy: the name of the policy that advises.
        seed: seed of the policy's random choices.
        entries: what has been told, entry by entry.
    """
    words = ["advise", book.game.name, *(f"{name}={show(value)}" for name, value in book.options.items())]
    if book.tricks:
        words.append(f"score={book.score[0]}-{book.score[1]}")
    words += [f"policy={_quote(policy)}", f"seed={seed}"]
    if book.told_names is not None:
        words.append("names=" + "/".join(map(_quote, book.told_names)))
    if book.told_engine is not None:
        words.append("engine=" + seats_text(book.told_engine))
    if book.dealer is not None:
        words.append(f"dealer={book.dealer}")
    if book.card is not None:
        words.append(f"card={book.deck.text(book.card)}")
    if book.hands:
        words.append("hands=" + "/".join(book.deck.format(hand) for hand in book.hands.values()))
    if book.columns:
        words.append("columns=" + book.deck.format(book.columns))
    for key in ("actions", "turns", "revealed"):
        told = [entry for entry in entries if entry.kind in _KINDS[key]]
        texts = [f"column-{entry.text}" if entry.kind == "column" else entry.text.replace(" ", "") for entry in told]
        if texts:
            words.append(f"{key}=" + ",".join(texts))
    return " ".join(words)


def parse_session(line: str) -> SessionLine:
    """Reads a line of `session_line`; a hand that was told in several entries is one entry now.

    Raises:
        ValueError: the line is none of a session; says what is wrong.
    """
    words = line.split()
    if len(words) < 2 or words[0] != "advise":
        raise ValueError(f"a session begins with the words advise and the game, not {' '.join(words[:2])!r}")
    game = get_game(words[1])
    fields = key_values(words[2:], "a session")
    options: dict[str, Any] = {o.name: o.parse(fields.pop(o.name)) for o in game.options if o.name in fields}
    score, seed = fields.pop("score", "0-0"), fields.pop("seed", "0")
    if not re.fullmatch(r"\d+-\d+", score) or not seed.isdecimal():
        raise ValueError(f"score={score} seed={seed}: a score is two numbers with - between them, a seed one")
    points = score.split("-")
    policy = unquote(fields.pop("policy", "")) or None
    told = tuple(
        Told(key, text, kinds) for key, kinds in _KINDS.items() for text in _texts(key, fields.pop(key, ""), deck_of(game))
    )
    if fields:
        raise ValueError(f"unknown key in a session of {game.name}: {', '.join(fields)}")
    return SessionLine(game, options, (int(points[0]), int(points[1])), policy, int(seed), told)


def _quote(text: str) -> str:
    """A text as one word without the signs that a session's line uses."""
    return quote(text, safe=":,=._-")


def _texts(key: str, value: str, deck: Deck) -> list[str]:
    """The answers to enter for a word ``key=value`` of a session's line."""
    if not value:
        return []
    if key == "names":
        return [", ".join(unquote(name) for name in value.split("/"))]
    if key == "columns":
        cards = parse_cards(value, deck)
        return [deck.format(cards[start : start + 5], " ") for start in range(0, len(cards), 5)]
    if key == "hands":
        return value.split("/")
    return [value] if key in ("engine", "dealer", "card") else value.split(",")


def read_session(text: str) -> tuple[str, list[str]]:
    """The line of a session, and the lines of the deals before it.

    Args:
        text: the line itself, or the path of a session's file.

    Raises:
        ValueError: the file is no session's.
        OSError: the file cannot be read.
    """
    if text.startswith("advise "):
        return text, []
    try:
        lines = Path(text).read_text("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise ValueError(f"{text!r} is no session of the adviser: it is not text") from error
    sessions = [k for k, line in enumerate(lines) if line.startswith(SESSION)]
    if not sessions:
        raise ValueError(f"{text!r} is no session of the adviser: no line in it begins with {SESSION.strip()!r}")
    return lines[sessions[-1]].removeprefix(SESSION), lines[1 : sessions[-1]]

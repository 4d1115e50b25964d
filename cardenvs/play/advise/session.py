"""Sessions of the adviser as one line of text, and as files that hold such a line behind the earlier deals."""

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
from cardenvs.play.typed_input import deck_of, parse_cards

SESSION = "# session: "  # begins the line in a session's file from which it goes on

KINDS = {
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
    """An answer that was entered."""

    kind: str  # of its question
    seat: int | None  # of its question
    text: str  # as it could be typed again


@dataclass(frozen=True)
class SessionLine:
    game: GameSpec
    options: dict[str, Any]  # rule options that the line names
    score: tuple[int, int]  # of the two sides before the deal
    policy: str | None  # name of the policy that advises; None if the line names none
    seed: int  # of the policy's random choices
    told: tuple[tuple[str, str], ...]  # answers to enter, in order, each with its key in `KINDS`


def session_line(
    game: GameSpec, options: dict[str, Any], score: tuple[int, int], policy: str, seed: int, entries: Sequence[Entry]
) -> str:
    """Returns a session as one line for `parse_session`; ``policy`` advises, ``seed`` is that of its random choices."""
    words = ["advise", game.name, *(f"{name}={show(value)}" for name, value in options.items())]
    if game.trick_game is not None:
        words.append(f"score={score[0]}-{score[1]}")
    words += [f"policy={_quote_word(policy)}", f"seed={seed}"]
    for key, kinds in KINDS.items():
        told = [entry for entry in entries if entry.kind in kinds]
        if told:
            words.append(f"{key}={_value_of_word(key, told)}")
    return " ".join(words)


def _value_of_word(key: str, told: Sequence[Entry]) -> str:
    """Returns the value of a word ``key=value`` of a session's line, from the entries for it."""
    if key == "names":
        return "/".join(map(_quote_word, told[0].text.split(", ")))
    texts = [f"column-{entry.text}" if entry.kind == "column" else entry.text.replace(" ", "") for entry in told]
    if key == "hands":
        seats = dict.fromkeys(entry.seat for entry in told)
        texts = ["".join(text for text, entry in zip(texts, told, strict=True) if entry.seat == seat) for seat in seats]
    return {"hands": "/", "columns": ""}.get(key, ",").join(texts)


def parse_session(line: str) -> SessionLine:
    """Reads a line of `session_line`, each hand as one entry; raises ValueError if it is none."""
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
    told = tuple((key, text) for key in KINDS for text in _answers_of_word(key, fields.pop(key, ""), deck_of(game)))
    if fields:
        raise ValueError(f"unknown key in a session of {game.name}: {', '.join(fields)}")
    return SessionLine(game, options, (int(points[0]), int(points[1])), policy, int(seed), told)


def _quote_word(text: str) -> str:
    """Returns a text as one word without the characters that a session's line uses."""
    return quote(text, safe=":,=._-")


def _answers_of_word(key: str, value: str, deck: Deck) -> list[str]:
    """Returns the answers to enter for a word ``key=value`` of a session's line."""
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
    """Returns the line of a session, and the lines of the deals before it, from the line itself or the path of its file.

    Raises ValueError if the file is no session's, OSError if it cannot be read.
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

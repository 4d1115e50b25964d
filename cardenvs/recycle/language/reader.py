"""Splits the text of a description into nested brackets, each with its position."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import Enum

from cardenvs.recycle.language.errors import Position, RecycleError

MOST_CHARACTERS = 200_000  # the longest text that is read
DEEPEST = 100  # maximum number of brackets that may be open at once
LONGEST_NAME = 64  # the most characters that a name or a keyword may have
GREATEST_NUMBER = 2**31 - 1  # the greatest number that may be written


class AtomKind(Enum):
    """The kinds of a piece of text between blanks and brackets."""

    NAME = "a name"
    NUMBER = "a number"
    VARIABLE = "a variable"
    WORD = "a keyword"
    OPERATOR = "an operator"
    MARK = "a mark"


@dataclass(frozen=True)
class Atom:
    """A piece of text that is no bracket."""

    at: Position
    kind: AtomKind
    text: str  # of a variable without its quote

    def __str__(self) -> str:
        return f"'{self.text}" if self.kind is AtomKind.VARIABLE else self.text


@dataclass(frozen=True)
class Bracket:
    """The items between an opening bracket and the one that closes it."""

    at: Position  # of the opening bracket
    items: tuple[Atom | Bracket, ...]
    closed: Position  # of the closing bracket

    @property
    def head(self) -> str:
        """The text of the first item; empty if it is a bracket."""
        return str(self.items[0]) if self.items and isinstance(self.items[0], Atom) else ""

    def __str__(self) -> str:
        head = self.head or ("(..)" if self.items else "")
        return f"({head})" if len(self.items) < 2 else f"({head} ..)"


Item = Atom | Bracket  # a piece of a description; keywords, operators and marks are known by their text, ``str(item)``


@dataclass(frozen=True)
class Directive:
    """A line such as ``;;! max_decisions 300`` before the game."""

    at: Position  # of its first word
    words: tuple[str, ...]  # all behind ``;;!``


@dataclass(frozen=True)
class Page:
    game: Bracket
    directives: tuple[Directive, ...]  # those before the game
    text_follows: bool  # whether more than brackets and comments stands behind the game


_PIECE = re.compile(
    r"(?P<blank>[ \t\n\ufeff]+)|(?P<comment>;;[^\n]*)|(?P<bracket>[()])|(?P<variable>['\u2018\u2019][A-Za-z0-9_]*)"
    r"|(?P<word>[A-Za-z0-9_]+)|(?P<operator>==|!=|<=|>=|//|[<>+\-*%^])|(?P<mark>\.\.|[,:])|(?P<wrong>.)",
    re.DOTALL,
)
_LIKELY = {
    "=": "==",
    "/": "//",
    ";": ";;",
    ".": "..",
    "!": "!=",
    "&": "and",
    "|": "or",
    "[": "(",
    "]": ")",
    "{": "(",
    "}": ")",
}


def _read_atom(found: re.Match[str], at: Position) -> Atom:
    text = found[0]
    if found["variable"]:
        name = text[1:]
        _check_length(name, at, "'")
        if not re.fullmatch("[A-Z]+", name):
            raise RecycleError(f"'{name} is no variable: a variable is ' and capital letters, such as 'C", at)
        return Atom(at, AtomKind.VARIABLE, name)
    if found["operator"] or found["mark"]:
        return Atom(at, AtomKind.OPERATOR if found["operator"] else AtomKind.MARK, text)
    if found["wrong"]:
        shown = text if text.isprintable() else unicodedata.name(text, f"U+{ord(text):04X}")
        likely = f". Did you mean {_LIKELY[text]} ?" if text in _LIKELY else ""
        raise RecycleError(f"the character {shown} is not part of the language{likely}", at)
    if re.fullmatch("[0-9]+", text):
        if len(text.lstrip("0")) > 10 or int(text) > GREATEST_NUMBER:
            raise RecycleError(f"the number {text[:20]} is too great: at most {GREATEST_NUMBER}", at)
        return Atom(at, AtomKind.NUMBER, text)
    _check_length(text, at)
    if not re.fullmatch("[A-Z]+|[a-z]+", text):
        allowed = "names are capital letters, keywords small letters, numbers digits, and nothing is mixed"
        raise RecycleError(f"{text} is neither a name nor a keyword nor a number: {allowed}", at)
    return Atom(at, AtomKind.NAME if text.isupper() else AtomKind.WORD, text)


def _check_length(name: str, at: Position, quote: str = "") -> None:
    if len(name) > LONGEST_NAME:
        raise RecycleError(f"{quote}{name[:20]}... is too long: names have at most {LONGEST_NAME} characters", at)


@dataclass
class _Open:
    """A bracket that is not closed yet."""

    at: Position
    starts_line: bool
    items: list[Item]

    def __str__(self) -> str:
        return str(Bracket(self.at, tuple(self.items), self.at))


def read_page(text: str) -> Page:
    """Reads the brackets of a description; ignores what follows the bracket that closes the game.

    Raises:
        RecycleError: no game, a wrong character, an unclosed bracket, too many open brackets or characters.
    """
    if len(text) > MOST_CHARACTERS:
        raise RecycleError(f"the text is too long: more than {MOST_CHARACTERS} characters", Position(1, 1))
    text = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    directives: list[Directive] = []
    open_brackets: list[_Open] = []
    suspect: tuple[_Open, int] | None = None
    line, line_start, starts_line = 1, 0, True
    for found in _PIECE.finditer(text):
        at = Position(line, found.start() - line_start + 1)
        if found["blank"]:
            if "\n" in found[0]:
                line += found[0].count("\n")
                line_start, starts_line = found.start() + found[0].rfind("\n") + 1, True
            continue
        if found["comment"]:
            if found[0].startswith(";;!") and starts_line and not open_brackets:
                indent = len(found[0]) - len(found[0][3:].lstrip())
                directives.append(Directive(Position(line, at.column + indent), tuple(found[0][3:].split())))
        elif not open_brackets and found[0] != "(":
            raise RecycleError("a description starts with (game, and only comments may stand before", at)
        elif found[0] == "(":
            if starts_line and suspect is None:
                suspect = _closed_too_late(open_brackets, at)
            if len(open_brackets) == DEEPEST:
                raise RecycleError(f"more than {DEEPEST} brackets are open here", at)
            open_brackets.append(_Open(at, starts_line, []))
        elif found[0] == ")":
            done = open_brackets.pop()
            bracket = Bracket(done.at, tuple(done.items), at)
            if not open_brackets:
                rest = re.sub(r";;[^\n]*", "", text[found.end() :])
                return Page(bracket, tuple(directives), bool(rest.strip(" \t\n\ufeff()")))
            open_brackets[-1].items.append(bracket)
        else:
            open_brackets[-1].items.append(_read_atom(found, at))
        starts_line = False
    if open_brackets:
        raise _never_closed(open_brackets, suspect)
    raise RecycleError("there is no description: it is (game ..)", Position(line, len(text) - line_start + 1))


def _closed_too_late(open_brackets: list[_Open], at: Position) -> tuple[_Open, int] | None:
    deeper = [one for one in open_brackets[1:] if one.starts_line and one.at.column >= at.column]
    return (deeper[-1], at.line) if deeper else None


def _never_closed(open_brackets: list[_Open], suspect: tuple[_Open, int] | None) -> RecycleError:
    """Returns the error for a text that ends with open brackets; the indentation tells which one was forgotten."""
    count = len(open_brackets)
    missing = "a closing bracket is" if count == 1 else f"{count} closing brackets are"
    if suspect is not None and suspect[0].at.column > 1:
        bracket, line = suspect
        where = f"by its indentation {bracket} should be closed before line {line}"
    else:
        bracket = open_brackets[-1]
        where = f"{bracket} is still open where the text ends"
    return RecycleError(f"the bracket that opens here is never closed: {missing} missing, and {where}", bracket.at)

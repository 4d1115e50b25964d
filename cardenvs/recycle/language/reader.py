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

    def is_word(self, *words: str) -> bool:
        return self.kind is AtomKind.WORD and self.text in words

    def is_mark(self, mark: str) -> bool:
        return self.kind is AtomKind.MARK and self.text == mark

    def __str__(self) -> str:
        return f"'{self.text}" if self.kind is AtomKind.VARIABLE else self.text


@dataclass(frozen=True)
class Bracket:
    """The items between an opening bracket and the one that closes it."""

    at: Position  # of the opening bracket
    items: tuple[Atom | Bracket, ...]
    closed: Position  # of the closing bracket

    def __str__(self) -> str:
        head = "" if not self.items else "(..)" if isinstance(self.items[0], Bracket) else str(self.items[0])
        return f"({head})" if len(self.items) < 2 else f"({head} ..)"


Item = Atom | Bracket  # a piece of a description


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


_SPACE = re.compile("[ \t\n\ufeff]+")
_COMMENT = re.compile(r";;[^\n]*")
_PIECE = re.compile(r"(?P<word>[A-Za-z0-9_]+)|(?P<operator>==|!=|<=|>=|//|[<>+\-*%^])|(?P<mark>\.\.|[,:])")
_QUOTES = "'\u2018\u2019"
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


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.offset = 0
        self.line = 1
        self.line_start = 0
        self.line_is_blank = True

    @property
    def at(self) -> Position:
        return Position(self.line, self.offset - self.line_start + 1)

    def advance(self, length: int) -> None:
        passed = self.text[self.offset : self.offset + length]
        if "\n" in passed:
            self.line += passed.count("\n")
            self.line_start = self.offset + passed.rfind("\n") + 1
            self.line_is_blank = True
        elif not passed.isspace():
            self.line_is_blank = False
        self.offset += length

    def skip_blanks(self) -> list[Directive]:
        """Advances to the next piece; returns the directives that were passed."""
        passed = []
        while True:
            if found := _SPACE.match(self.text, self.offset):
                self.advance(len(found[0]))
            elif found := _COMMENT.match(self.text, self.offset):
                if found[0].startswith(";;!") and self.line_is_blank:
                    words = found[0][3:].split()
                    start = len(found[0]) - len(found[0][3:].lstrip())
                    passed.append(Directive(Position(self.line, self.at.column + start), tuple(words)))
                self.advance(len(found[0]))
            else:
                return passed

    def read_atom(self) -> Atom:
        at = self.at
        character = self.text[self.offset]
        if character in _QUOTES:
            found = _PIECE.match(self.text, self.offset + 1)
            name = found["word"] if found else None
            if name is not None and len(name) > LONGEST_NAME:
                raise RecycleError(f"'{name[:20]}... is too long: names have at most {LONGEST_NAME} characters", at)
            if name is None or not re.fullmatch("[A-Z]+", name):
                shown = f"'{name or ''}"
                raise RecycleError(f"{shown} is no variable: a variable is ' and capital letters, such as 'C", at)
            self.advance(1 + len(name))
            return Atom(at, AtomKind.VARIABLE, name)
        found = _PIECE.match(self.text, self.offset)
        if found is None:
            likely = f". Did you mean {_LIKELY[character]} ?" if character in _LIKELY else ""
            raise RecycleError(f"the character {_describe_character(character)} is not part of the language{likely}", at)
        self.advance(len(found[0]))
        if found["operator"]:
            return Atom(at, AtomKind.OPERATOR, found[0])
        if found["mark"]:
            return Atom(at, AtomKind.MARK, found[0])
        return Atom(at, _kind_of_word(found[0], at), found[0])


def _describe_character(character: str) -> str:
    if character.isprintable():
        return character
    return unicodedata.name(character, f"U+{ord(character):04X}")


def _kind_of_word(word: str, at: Position) -> AtomKind:
    if len(word) > LONGEST_NAME and not word.isdigit():
        raise RecycleError(f"{word[:20]}... is too long: names have at most {LONGEST_NAME} characters", at)
    if re.fullmatch("[A-Z]+", word):
        return AtomKind.NAME
    if re.fullmatch("[a-z]+", word):
        return AtomKind.WORD
    if re.fullmatch("[0-9]+", word):
        if len(word.lstrip("0")) > 10 or int(word) > GREATEST_NUMBER:
            raise RecycleError(f"the number {word[:20]} is too great: at most {GREATEST_NUMBER}", at)
        return AtomKind.NUMBER
    allowed = "names are capital letters, keywords small letters, numbers digits, and nothing is mixed"
    raise RecycleError(f"{word} is neither a name nor a keyword nor a number: {allowed}", at)


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
    scanner = _Scanner(text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff"))
    directives = scanner.skip_blanks()
    if scanner.offset == len(scanner.text):
        raise RecycleError("there is no description: it is (game ..)", scanner.at)
    if scanner.text[scanner.offset] != "(":
        raise RecycleError("a description starts with (game, and only comments may stand before", scanner.at)
    open_brackets: list[_Open] = []
    suspect: tuple[_Open, int] | None = None
    while True:
        scanner.skip_blanks()
        if scanner.offset == len(scanner.text):
            raise _never_closed(open_brackets, suspect)
        at = scanner.at
        starts_line = scanner.line_is_blank
        character = scanner.text[scanner.offset]
        if character == "(":
            if starts_line and suspect is None:
                suspect = _closed_too_late(open_brackets, at)
            if len(open_brackets) == DEEPEST:
                raise RecycleError(f"more than {DEEPEST} brackets are open here", at)
            open_brackets.append(_Open(at, starts_line, []))
            scanner.advance(1)
        elif character == ")":
            done = open_brackets.pop()
            bracket = Bracket(done.at, tuple(done.items), at)
            scanner.advance(1)
            if not open_brackets:
                rest = re.sub(r";;[^\n]*", "", scanner.text[scanner.offset :])
                return Page(bracket, tuple(directives), bool(rest.strip(" \t\n\ufeff()")))
            open_brackets[-1].items.append(bracket)
        else:
            open_brackets[-1].items.append(scanner.read_atom())


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

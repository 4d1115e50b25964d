"""The nodes of a description's structure: stages and choices, the setup, and the whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from cardenvs.recycle.language.errors import Position
from cardenvs.recycle.language.syntax_acts import Act, CreateDeck
from cardenvs.recycle.language.syntax_nodes import Binding, Expression, Node


class Choice(Node):
    """``(choice (ACT ..))``, made by the current player."""

    number: int  # in the description, from 0
    alternatives: tuple[Act, ...]


class Stage(Node):
    """``(stage player (end CONDITION) STATEMENT ..)``, or ``team``."""

    number: int  # in the description, from 0
    of: Literal["player", "team"]
    end: Expression
    body: tuple[Statement, ...]  # of each turn


Statement = Stage | Choice | Act  # a statement of a game or a stage

Constant = int | str | bool | tuple[int, ...] | tuple[str, ...]  # the value of a declaration


class Declaration(Node):
    """``(declare VALUE 'X)``; ``constant`` is the value."""

    variable: Binding
    value: Expression
    constant: Constant


class DeckSetup(Node):
    """A deck of the setup, made ``copies`` times, one after the other."""

    copies: int
    create: CreateDeck


class Private(Node):
    """``;;! private sto NAME``: bins of that name are known to their owners alone."""

    storage: Literal["sto", "str"]
    name: str


class RuleOption(Node):
    """``;;! option NAME DEFAULT OTHER .. ;; MEANING``: ``(game sto NAME)`` is a number that is chosen for each game."""

    name: str
    choices: tuple[int, ...]  # the default first
    meaning: str  # one line for people


class Perfect(Node):
    """``;;! perfect NUMBER NAME ..``: the highest score of a team without opponents, or the lowest."""

    score: int
    counted: tuple[str, ...]  # the game's numbers that reports count beside the score


class Exclusive(Node):
    """``;;! exclusive NUMBER ..``: choices whose alternatives never offer the same values at one time."""

    choices: tuple[int, ...]  # by their order in the text, from 1 on


class Tricks(Node):
    """``;;! tricks NAME``: a trick lies in the places ``vloc NAME`` while it is played."""

    name: str


class Scoring(Node):
    """``(scoring max NUMBER)``: the player with the most points wins; ``min``: with the fewest."""

    best: Literal["max", "min"]
    points: Expression


@dataclass(frozen=True)
class Description(Node, decorated=True):
    """A game.

    Attributes:
        name: the name of the file, or None.
        source: the text.
        declarations: the constants.
        players: the number of seats.
        teams: the seats of each team; by default every seat is a team.
        decks: the decks in the order in which they are made: plain ones before repeated ones.
        body: the script.
        scoring: who wins.
        private: the bins that only their owners know.
        max_decisions: after how many decisions a game is broken off.
        options: the numbers that are chosen for each game.
        perfect: what a team without opponents can score at best; None where that is not said.
        exclusive: the choices whose alternatives exclude each other, as the author says; None where that is not said.
        tricks: the places where a trick lies, as the author says; None where that is not said.
        remarks: what may be a slip although it is allowed, with its position.
    """

    name: str | None
    source: str
    declarations: tuple[Declaration, ...]
    players: int
    teams: tuple[tuple[int, ...], ...]
    decks: tuple[DeckSetup, ...]
    body: tuple[Statement, ...]
    scoring: Scoring
    private: tuple[Private, ...] = ()
    max_decisions: int = 500
    options: tuple[RuleOption, ...] = ()
    perfect: Perfect | None = None
    exclusive: Exclusive | None = None
    tricks: Tricks | None = None
    remarks: tuple[tuple[Position, str], ...] = ()


def flatten_statements(body: tuple[Statement, ...]) -> Iterator[Choice | Act]:
    """Yields the choices and acts of a script and its stages, in the order of the text."""
    for statement in body:
        if isinstance(statement, Stage):
            yield from flatten_statements(statement.body)
        else:
            yield statement

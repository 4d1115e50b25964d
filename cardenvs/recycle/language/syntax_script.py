"""The nodes of a description's structure: stages and choices, the setup, and the whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from cardenvs.recycle.language.errors import Position
from cardenvs.recycle.language.syntax_acts import Act, CreateDeck
from cardenvs.recycle.language.syntax_nodes import Binding, Expression, Node


@dataclass(frozen=True)
class Choice(Node):
    """``(choice (ACT ..))``.

    Attributes:
        number: the number of the choice in the description, from 0.
        alternatives: what the current player chooses from.
    """

    number: int
    alternatives: tuple[Act, ...]


@dataclass(frozen=True)
class Stage(Node):
    """``(stage player (end CONDITION) STATEMENT ..)``, or ``team``.

    Attributes:
        number: the number of the stage in the description, from 0.
        of: what the stage goes round.
        end: the condition on which it ends.
        body: what is done in each turn.
    """

    number: int
    of: Literal["player", "team"]
    end: Expression
    body: tuple[Statement, ...]


Statement = Stage | Choice | Act  # a statement of a game or a stage

Constant = int | str | bool | tuple[int, ...] | tuple[str, ...]  # the value of a declaration


@dataclass(frozen=True)
class Declaration(Node):
    """``(declare VALUE 'X)``; ``constant`` is the value."""

    variable: Binding
    value: Expression
    constant: Constant


@dataclass(frozen=True)
class DeckSetup(Node):
    """A deck of the setup, made ``copies`` times, one after the other."""

    copies: int
    create: CreateDeck


@dataclass(frozen=True)
class Private(Node):
    """``;;! private sto NAME``: the bins of that name are known to their owners alone."""

    storage: Literal["sto", "str"]
    name: str


@dataclass(frozen=True)
class RuleOption(Node):
    """``;;! option NAME DEFAULT OTHER .. ;; MEANING``: ``(game sto NAME)`` is a number that is chosen for each game.

    Attributes:
        name: the name.
        choices: the numbers that can be chosen, the default first.
        meaning: one line for people.
    """

    name: str
    choices: tuple[int, ...]
    meaning: str


@dataclass(frozen=True)
class Perfect(Node):
    """``;;! perfect NUMBER NAME ..``: the most, or the least, that a team without opponents can score.

    Attributes:
        score: that number.
        counted: the names of the game's numbers that reports count beside the score.
    """

    score: int
    counted: tuple[str, ...]


@dataclass(frozen=True)
class Scoring(Node):
    """``(scoring max NUMBER)``: the player with the most wins; or ``min``, the fewest."""

    best: Literal["max", "min"]
    points: Expression


@dataclass(frozen=True)
class Description(Node):
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
    remarks: tuple[tuple[Position, str], ...] = ()


def statements(body: tuple[Statement, ...]) -> Iterator[Choice | Act]:
    """The choices and acts of a script, those of its stages, too, in the order of the text."""
    for statement in body:
        if isinstance(statement, Stage):
            yield from statements(statement.body)
        else:
            yield statement

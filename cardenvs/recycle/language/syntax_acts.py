"""The nodes of acts, in the order in which messages list them, of stages and choices, of the setup, and of the whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from cardenvs.recycle.language.errors import Position
from cardenvs.recycle.language.syntax_expressions import NumberBin, Place, PointMap, StringBin
from cardenvs.recycle.language.syntax_nodes import Binding, Expression, Node


class Act(Node):
    """An act of a script."""


class Prim(Act):
    """An act that changes something itself; what ``repeat all`` takes."""


class SetNumber(Prim, form="(set (OWNER sto NAME) NUMBER)"):
    bin: NumberBin
    value: Expression


class SetString(Prim, form="(set (OWNER str NAME) STRING)"):
    bin: StringBin
    value: Expression


class Change(Prim, form="(inc|dec (OWNER sto NAME) NUMBER)"):
    operator: Literal["inc", "dec"]
    bin: NumberBin
    amount: Expression


class Key(Node):
    """``(ATTRIBUTE : VALUE)`` in an award."""

    attribute: Expression
    value: Expression


class Award(Node):
    """``(KEY .. NUMBER)``: the points of a card that has all these values."""

    keys: tuple[Key, ...]
    points: Expression


class SetMap(Prim, form="(set (OWNER points NAME) AWARDS) or (put points 'NAME AWARDS)"):
    """``put`` is the older form."""

    map: PointMap
    awards: tuple[Award, ...]


class Target(Node):
    """``(top PLACE)``, ``(bottom PLACE)`` or ``(NUMBER PLACE)``: a position of a place to which a card goes."""

    index: Literal["top", "bottom"] | Expression
    place: Place


class Move(Prim, form="(move CARD TARGET)"):
    card: Expression
    to: Target


class Shuffle(Prim, form="(shuffle PLACE)"):
    place: Place


class TurnPass(Prim, form="(turn pass)"):
    """Does nothing, but counts as an act."""


class SetCycle(Prim, form="(cycle next|current PLAYER) or (cycle next|current current|next|previous)"):
    """The player who is queued to be next, or is current at once."""

    which: Literal["next", "current"]
    who: Expression


class Remember(Prim, form="(remember CARD TARGET)"):
    """A copy of a card is added to a ``mem``."""

    card: Expression
    to: Target


class Forget(Prim, form="(forget CARD)"):
    """Drops a copy from its ``mem``."""

    card: Expression
    place: Place  # the ``mem`` of the copy


class Tell(Prim, form="(tell CONDITION) or (tell game CONDITION) or (tell WHO CONDITION)"):
    """All, a player or a team learn whether a condition holds."""

    who: Expression | None  # a player or a team; None for all
    test: Expression


class Repeat(Prim, form="(repeat NUMBER ACT)"):
    times: Expression
    prim: Prim


class RepeatAll(Prim, form="(repeat all PRIM)"):
    """As often as ``cards`` has cards at the start."""

    cards: Expression
    prim: Move | Forget


Face = tuple[tuple[str, str], ...]  # the face of a card: its attributes with their values, sorted by attribute


class CreateDeck(Prim, form="(create DECK)"):
    """Puts the cards on top of the place, in the order of ``faces``."""

    deck: str  # the name on the backs of its cards
    place: Place
    faces: tuple[Face, ...]


class Do(Act, form="(do ACTS)"):
    acts: tuple[Act, ...]


class ForEach(Act, form="(any|all COLLECTION 'X ACT)"):
    """In a choice, ``any`` is what a player chooses from."""

    quantifier: Literal["any", "all"]
    over: Expression
    variable: Binding
    act: Act


class Let(Act, form="(let VALUE 'X ACT)"):
    value: Expression
    variable: Binding
    act: Act


class Guarded(Act, form="(CONDITION ACT)"):
    """The act if the condition holds."""

    condition: Expression
    act: Act


class Choice(Node, form="(choice ACTS)"):
    """Made by the current player."""

    number: int  # in the description, from 0
    alternatives: tuple[Act, ...]


class Stage(Node, form="(stage player|team END STATEMENT ..)"):
    number: int  # in the description, from 0
    of: Literal["player", "team"]
    end: Expression
    body: tuple[Statement, ...]  # of each turn


Statement = Stage | Choice | Act  # a statement of a game or a stage

Constant = int | str | bool | tuple[int, ...] | tuple[str, ...]  # the value of a declaration


class Declaration(Node, form="(declare CONSTANT 'X)"):
    variable: Binding
    value: Expression
    constant: Constant  # the value


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


class Scoring(Node, form="(scoring max|min NUMBER)"):
    """The player with the most points wins, or with the fewest."""

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

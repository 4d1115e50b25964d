"""The syntax tree of a description: one frozen class for each construct, each with its position.

`Variable` points to the `Binding` that gives it its value, and every binding of a description has its own number: whoever
walks the tree needs no scopes. `Expression.kind` says what an expression's value is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from enum import Enum
from typing import Literal

from cardenvs.recycle.language.errors import Position


class Kind(Enum):
    """What a value is; the text is how messages call it."""

    NUMBER = "a number"
    STRING = "a string"
    BOOLEAN = "a condition"
    CARD = "a card"
    SEAT = "a player"
    SIDE = "a team"
    CARDS = "cards"
    SETS = "sets of cards"
    NUMBERS = "numbers"
    NAMES = "names"
    SEATS = "players"
    SIDES = "teams"


ITEM_KINDS = {
    Kind.CARDS: Kind.CARD,
    Kind.SETS: Kind.CARDS,
    Kind.NUMBERS: Kind.NUMBER,
    Kind.NAMES: Kind.STRING,
    Kind.SEATS: Kind.SEAT,
    Kind.SIDES: Kind.SIDE,
    Kind.SIDE: Kind.SEAT,
}
"""The kinds that are collections, with the kind of their items; a team is the collection of its players."""

Visibility = Literal["vloc", "iloc", "hloc", "oloc", "mem"]
"""Who sees the cards of a place: all, its owner, nobody, all but its owner; ``mem`` holds copies for all to see."""


@dataclass(frozen=True)
class Node:
    """Anything in the tree.

    Attributes:
        at: where it stands in the text.
    """

    at: Position


class Expression(Node):
    """Whatever has a value."""

    @property
    def kind(self) -> Kind:
        """What the value is."""
        raise NotImplementedError


@dataclass(frozen=True)
class Binding(Node):
    """Where a variable gets its value: in ``declare``, ``let``, ``any``, ``all`` or ``filter``.

    Attributes:
        name: the variable's name, without its quote.
        number: the number of the binding in the description; no two have the same.
        kind: what is bound.
    """

    name: str
    number: int
    kind: Kind


@dataclass(frozen=True)
class Variable(Expression):
    """``'X``, whatever its kind."""

    binding: Binding

    @property
    def kind(self) -> Kind:
        return self.binding.kind


# Owners: the game, players, teams


@dataclass(frozen=True)
class GameOwner(Node):
    """``game``, as the owner of places and bins."""


@dataclass(frozen=True)
class CycleSeat(Expression):
    """``(current player)``, ``(next player)`` or ``(previous player)``, of the innermost stage over players."""

    which: Literal["current", "next", "previous"]
    kind = Kind.SEAT


@dataclass(frozen=True)
class NumberedSeat(Expression):
    """``(2 player)``."""

    number: Expression
    kind = Kind.SEAT


@dataclass(frozen=True)
class OwnerOfCard(Expression):
    """``(owner CARD)``: the player in whose place a card lies."""

    card: Expression
    kind = Kind.SEAT


@dataclass(frozen=True)
class CycleSide(Expression):
    """``(current team)``, ``(next team)`` or ``(previous team)``, of the innermost stage over teams."""

    which: Literal["current", "next", "previous"]
    kind = Kind.SIDE


@dataclass(frozen=True)
class NumberedSide(Expression):
    """``(1 team)``."""

    number: Expression
    kind = Kind.SIDE


@dataclass(frozen=True)
class SideOfSeat(Expression):
    """``(team PLAYER)``: the team that a player is in."""

    seat: Expression
    kind = Kind.SIDE


Owner = GameOwner | Expression
"""Who a place or a bin belongs to; an expression is a player or a team."""


@dataclass(frozen=True)
class PointMap(Node):
    """``(OWNER points NAME)``."""

    owner: Owner
    name: Expression


# Numbers


@dataclass(frozen=True)
class Number(Expression):
    """A number as it is written."""

    value: int
    kind = Kind.NUMBER


@dataclass(frozen=True)
class NumberBin(Expression):
    """``(OWNER sto NAME)``."""

    owner: Owner
    name: Expression
    kind = Kind.NUMBER


@dataclass(frozen=True)
class Arithmetic(Expression):
    """``(+ a b)`` and the like; ``//`` goes towards zero, ``%`` has the sign of ``left``, ``^`` is the power."""

    operator: Literal["+", "-", "*", "//", "%", "^"]
    left: Expression
    right: Expression
    kind = Kind.NUMBER


@dataclass(frozen=True)
class Size(Expression):
    """``(size COLLECTION)``."""

    of: Expression
    kind = Kind.NUMBER


@dataclass(frozen=True)
class Sum(Expression):
    """``(sum CARDS using MAP)``."""

    cards: Expression
    using: PointMap
    kind = Kind.NUMBER


@dataclass(frozen=True)
class Score(Expression):
    """``(score CARD using MAP)``."""

    card: Expression
    using: PointMap
    kind = Kind.NUMBER


@dataclass(frozen=True)
class Random(Expression):
    """``(random a .. b)``, both ends included; ``(random b)`` has no ``low``, which is 0."""

    low: Expression | None
    high: Expression
    kind = Kind.NUMBER


@dataclass(frozen=True)
class Triangular(Expression):
    """``(tri n)``: n(n+1)/2."""

    number: Expression
    kind = Kind.NUMBER


@dataclass(frozen=True)
class Fibonacci(Expression):
    """``(fib n)``: 0, 1, 1, 2 .. for n = 0, 1, 2, 3 .."""

    number: Expression
    kind = Kind.NUMBER


# Strings


@dataclass(frozen=True)
class Name(Expression):
    """A name as it is written, which is a string."""

    text: str
    kind = Kind.STRING


@dataclass(frozen=True)
class Numeral(Expression):
    """A number where the name of a place, a bin or a map stands: its digits are the name."""

    number: Expression
    kind = Kind.STRING


@dataclass(frozen=True)
class StringBin(Expression):
    """``(OWNER str NAME)``."""

    owner: Owner
    name: Expression
    kind = Kind.STRING


@dataclass(frozen=True)
class CardAttribute(Expression):
    """``(cardatt ATTRIBUTE CARD)``."""

    attribute: Expression
    card: Expression
    kind = Kind.STRING


# Conditions


@dataclass(frozen=True)
class Logic(Expression):
    """``(and a b ..)`` or ``(or a b ..)``; stops at the first operand that decides."""

    operator: Literal["and", "or"]
    operands: tuple[Expression, ...]
    kind = Kind.BOOLEAN


@dataclass(frozen=True)
class Not(Expression):
    """``(not a)``."""

    operand: Expression
    kind = Kind.BOOLEAN


@dataclass(frozen=True)
class Quantified(Expression):
    """``(any COLLECTION 'X CONDITION)`` or ``(all COLLECTION 'X CONDITION)``."""

    quantifier: Literal["any", "all"]
    over: Expression
    variable: Binding
    condition: Expression
    kind = Kind.BOOLEAN


@dataclass(frozen=True)
class Comparison(Expression):
    """``(< a b)`` and the like of numbers; ``(== a b)`` and ``(!= a b)`` of any two values of one kind."""

    operator: Literal["<", ">", "<=", ">=", "==", "!="]
    left: Expression
    right: Expression
    kind = Kind.BOOLEAN


# Cards and collections


@dataclass(frozen=True)
class Place(Expression):
    """``(OWNER vloc NAME)`` and the like: where cards lie."""

    owner: Owner
    visibility: Visibility
    name: Expression
    kind = Kind.CARDS


@dataclass(frozen=True)
class Each(Expression):
    """``(all COLLECTION 'X CARDS)``: the cards for each item, as sets; inside ``union`` and its like, its parts."""

    over: Expression
    variable: Binding
    cards: Expression
    kind = Kind.SETS


Group = tuple[Expression, ...] | Each
"""What ``union``, ``intersect``, ``disjunction`` and ``partition`` take: collections of cards, or those of each item."""


@dataclass(frozen=True)
class Combination(Expression):
    """``(union ..)``: all cards of the parts; ``(intersect ..)``: those in all; ``(disjunction ..)``: those in one."""

    operator: Literal["union", "intersect", "disjunction"]
    group: Group
    kind = Kind.CARDS


@dataclass(frozen=True)
class Filter(Expression):
    """``(filter COLLECTION 'X CONDITION)``; of sets, empty ones are left out."""

    over: Expression
    variable: Binding
    condition: Expression

    @property
    def kind(self) -> Kind:
        kind = self.over.kind  # asked once: filters may stand in filters
        return Kind.SEATS if kind is Kind.SIDE else kind


@dataclass(frozen=True)
class Sort(Expression):
    """``(sort CARDS using MAP)``: ascending, equal cards as they were."""

    cards: Expression
    using: PointMap
    kind = Kind.CARDS


@dataclass(frozen=True)
class Take(Expression):
    """``(top n CARDS)``, topmost first, or ``(bottom n CARDS)``, bottommost first."""

    end: Literal["top", "bottom"]
    count: Expression
    cards: Expression
    kind = Kind.CARDS


@dataclass(frozen=True)
class EndRun(Expression):
    """``(run top n CARDS using MAP)``: the longest run, of n or more, that the topmost cards make; or ``bottom``."""

    end: Literal["top", "bottom"]
    least: Expression
    cards: Expression
    using: PointMap
    kind = Kind.CARDS


@dataclass(frozen=True)
class SetAt(Expression):
    """``(top SETS)``, the first set; ``(bottom SETS)``, the last; ``(2 SETS)``, the third."""

    index: Literal["top", "bottom"] | Expression
    sets: Expression
    kind = Kind.CARDS


@dataclass(frozen=True)
class Partition(Expression):
    """``(partition ATTRIBUTE ..)``: a set for each value of an attribute, in the order in which values are first seen."""

    attribute: Expression
    group: Group
    kind = Kind.SETS


@dataclass(frozen=True)
class Tuples(Expression):
    """``(tuples n CARDS using MAP)``: all n cards of one score."""

    size: Expression
    cards: Expression
    using: PointMap
    kind = Kind.SETS


@dataclass(frozen=True)
class Runs(Expression):
    """``(runs largest n CARDS using MAP)`` or ``(runs all n CARDS using MAP)``."""

    which: Literal["largest", "all"]
    least: Expression
    cards: Expression
    using: PointMap
    kind = Kind.SETS


@dataclass(frozen=True)
class Subsets(Expression):
    """``(subsets CARDS)``."""

    cards: Expression
    kind = Kind.SETS


@dataclass(frozen=True)
class NameList(Expression):
    """``(A, B, C)``."""

    names: tuple[str, ...]
    kind = Kind.NAMES


@dataclass(frozen=True)
class AllSeats(Expression):
    """``player``."""

    kind = Kind.SEATS


@dataclass(frozen=True)
class AllSides(Expression):
    """``team``."""

    kind = Kind.SIDES


@dataclass(frozen=True)
class OtherSeats(Expression):
    """``(other player)``: all but the current one, from seat 0 on."""

    kind = Kind.SEATS


@dataclass(frozen=True)
class OtherSides(Expression):
    """``(other team)``: all but the current one, from team 0 on."""

    kind = Kind.SIDES


@dataclass(frozen=True)
class Range(Expression):
    """``(range a .. b)``, both ends included."""

    low: Expression
    high: Expression
    kind = Kind.NUMBERS


@dataclass(frozen=True)
class CardAt(Expression):
    """``(top CARDS)``, ``(bottom CARDS)`` or ``(2 CARDS)``, counted from the bottom, which is 0."""

    index: Literal["top", "bottom"] | Expression
    cards: Expression
    kind = Kind.CARD


@dataclass(frozen=True)
class Extreme(Expression):
    """``(max CARDS using MAP)`` or ``(min CARDS using MAP)``; one of equal cards is drawn."""

    which: Literal["max", "min"]
    cards: Expression
    using: PointMap
    kind = Kind.CARD


@dataclass(frozen=True)
class Actual(Expression):
    """``(actual CARD)``: the card itself."""

    card: Expression
    kind = Kind.CARD


# Acts


class Act(Node):
    """Whatever is done."""


class Prim(Act):
    """An act that changes something itself; what ``repeat`` takes."""


@dataclass(frozen=True)
class Guarded(Act):
    """``(CONDITION ACT)``: the act if the condition holds."""

    condition: Expression
    act: Act


@dataclass(frozen=True)
class Do(Act):
    """``(do (ACT ..))``."""

    acts: tuple[Act, ...]


@dataclass(frozen=True)
class ForEach(Act):
    """``(all COLLECTION 'X ACT)`` or ``(any COLLECTION 'X ACT)``; in a choice, ``any`` is what a player chooses from."""

    quantifier: Literal["any", "all"]
    over: Expression
    variable: Binding
    act: Act


@dataclass(frozen=True)
class Let(Act):
    """``(let VALUE 'X ACT)``."""

    value: Expression
    variable: Binding
    act: Act


@dataclass(frozen=True)
class SetNumber(Prim):
    """``(set (OWNER sto NAME) NUMBER)``."""

    bin: NumberBin
    value: Expression


@dataclass(frozen=True)
class Change(Prim):
    """``(inc (OWNER sto NAME) NUMBER)`` or ``(dec ..)``."""

    operator: Literal["inc", "dec"]
    bin: NumberBin
    amount: Expression


@dataclass(frozen=True)
class SetString(Prim):
    """``(set (OWNER str NAME) STRING)``."""

    bin: StringBin
    value: Expression


@dataclass(frozen=True)
class Key(Node):
    """``(ATTRIBUTE : VALUE)`` in an award."""

    attribute: Expression
    value: Expression


@dataclass(frozen=True)
class Award(Node):
    """``(KEY .. NUMBER)``: what a card scores that has all these values."""

    keys: tuple[Key, ...]
    points: Expression


@dataclass(frozen=True)
class SetMap(Prim):
    """``(set (OWNER points NAME) (AWARD ..))``."""

    map: PointMap
    awards: tuple[Award, ...]


@dataclass(frozen=True)
class Target(Node):
    """Where a card goes: the top, the bottom or an index of a place."""

    index: Literal["top", "bottom"] | Expression
    place: Place


@dataclass(frozen=True)
class Move(Prim):
    """``(move CARD (top PLACE))``."""

    card: Expression
    to: Target


@dataclass(frozen=True)
class Shuffle(Prim):
    """``(shuffle PLACE)``."""

    place: Place


@dataclass(frozen=True)
class TurnPass(Prim):
    """``(turn pass)``: nothing, but something done."""


@dataclass(frozen=True)
class Tell(Prim):
    """``(tell TEST)``: all are told whether TEST holds; ``(tell WHO TEST)``: a player or a team is.

    Attributes:
        who: a player or a team, or None for all.
        test: what is told.
    """

    who: Expression | None
    test: Expression


@dataclass(frozen=True)
class SetCycle(Prim):
    """``(cycle next WHO)``: WHO is queued to be next; ``(cycle current WHO)``: WHO is current at once."""

    which: Literal["next", "current"]
    who: Expression


@dataclass(frozen=True)
class Remember(Prim):
    """``(remember CARD (top MEM))``: a copy of a card is added to a ``mem``."""

    card: Expression
    to: Target


@dataclass(frozen=True)
class Forget(Prim):
    """``(forget CARD)``: a copy is dropped from its ``mem``.

    Attributes:
        card: the copy.
        place: the ``mem`` in which the card is looked for.
    """

    card: Expression
    place: Place


@dataclass(frozen=True)
class Repeat(Prim):
    """``(repeat n PRIM)``."""

    times: Expression
    prim: Prim


@dataclass(frozen=True)
class RepeatAll(Prim):
    """``(repeat all (move ..))`` or ``(repeat all (forget ..))``: as often as ``cards`` has cards at the start."""

    cards: Expression
    prim: Move | Forget


Face = tuple[tuple[str, str], ...]
"""What is on a card: its attributes with their values, sorted by attribute."""


@dataclass(frozen=True)
class CreateDeck(Prim):
    """``(create deck [NAME] PLACE (deck ..))``.

    Attributes:
        deck: the deck's name, which is on the backs of its cards.
        place: where the cards are put, on top.
        faces: the cards in the order in which they are put there.
    """

    deck: str
    place: Place
    faces: tuple[Face, ...]


# Statements and the whole


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


Statement = Stage | Choice | Act
"""What a game or a stage consists of."""

Constant = int | str | bool | tuple[int, ...] | tuple[str, ...]
"""The value of a declaration."""


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
    remarks: tuple[tuple[Position, str], ...] = ()


def statements(body: tuple[Statement, ...]) -> Iterator[Choice | Act]:
    """The choices and acts of a script, those of its stages, too, in the order of the text."""
    for statement in body:
        if isinstance(statement, Stage):
            yield from statements(statement.body)
        else:
            yield statement


def parts(node: Node) -> Iterator[Node]:
    """The nodes directly below a node, in the order of the text as far as the classes keep it."""
    for field in fields(node):
        value = getattr(node, field.name)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, Node):
                yield part


def walk(node: Node) -> Iterator[Node]:
    """A node and all nodes below it, in the order of the text as far as the classes keep it."""
    yield node
    for part in parts(node):
        yield from walk(part)

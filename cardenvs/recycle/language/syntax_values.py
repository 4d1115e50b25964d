"""The nodes whose value is no card and no collection: players and teams, numbers, strings, conditions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from cardenvs.recycle.language.syntax_nodes import Binding, Expression, Kind, Node

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


Owner = GameOwner | Expression  # the owner of a place or a bin; an expression is a player or a team


@dataclass(frozen=True)
class PointMap(Node):
    """``(OWNER points NAME)``."""

    owner: Owner
    name: Expression


# Numbers


@dataclass(frozen=True)
class Setting(Expression):
    """The value of a rule option, constant throughout a game; has no text of its own."""

    name: str
    choices: tuple[int, ...]  # the possible values, the default first
    kind = Kind.NUMBER


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
    """A number as the name of a place, a bin or a map."""

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

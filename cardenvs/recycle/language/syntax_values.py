"""The nodes whose value is no card and no collection: players and teams, numbers, strings, conditions."""

from __future__ import annotations

from typing import Literal

from cardenvs.recycle.language.syntax_nodes import Binding, Expression, Kind, Node


class GameOwner(Node):
    """``game``, as the owner of places and bins."""


class CycleSeat(Expression, kind=Kind.SEAT):
    """``(current player)``, ``(next player)`` or ``(previous player)``, of the innermost stage over players."""

    which: Literal["current", "next", "previous"]


class NumberedSeat(Expression, kind=Kind.SEAT):
    """``(2 player)``."""

    number: Expression


class OwnerOfCard(Expression, kind=Kind.SEAT):
    """``(owner CARD)``: the player in whose place a card lies."""

    card: Expression


class CycleSide(Expression, kind=Kind.SIDE):
    """``(current team)``, ``(next team)`` or ``(previous team)``, of the innermost stage over teams."""

    which: Literal["current", "next", "previous"]


class NumberedSide(Expression, kind=Kind.SIDE):
    """``(1 team)``."""

    number: Expression


class SideOfSeat(Expression, kind=Kind.SIDE):
    """``(team PLAYER)``: the team that a player is in."""

    seat: Expression


Owner = GameOwner | Expression  # the owner of a place or a bin; an expression is a player or a team


class PointMap(Node):
    """``(OWNER points NAME)``."""

    owner: Owner
    name: Expression


class Setting(Expression, kind=Kind.NUMBER):
    """The value of a rule option, constant throughout a game; has no text of its own."""

    name: str
    choices: tuple[int, ...]  # the possible values, the default first


class Number(Expression, kind=Kind.NUMBER):
    """A number as it is written."""

    value: int


class NumberBin(Expression, kind=Kind.NUMBER):
    """``(OWNER sto NAME)``."""

    owner: Owner
    name: Expression


class Arithmetic(Expression, kind=Kind.NUMBER):
    """``(+ a b)`` and the like; ``//`` goes towards zero, ``%`` has the sign of ``left``, ``^`` is the power."""

    operator: Literal["+", "-", "*", "//", "%", "^"]
    left: Expression
    right: Expression


class Size(Expression, kind=Kind.NUMBER):
    """``(size COLLECTION)``."""

    of: Expression


class Sum(Expression, kind=Kind.NUMBER):
    """``(sum CARDS using MAP)``."""

    cards: Expression
    using: PointMap


class Score(Expression, kind=Kind.NUMBER):
    """``(score CARD using MAP)``."""

    card: Expression
    using: PointMap


class Random(Expression, kind=Kind.NUMBER):
    """``(random a .. b)``, both ends included; ``(random b)`` has no ``low``, which is 0."""

    low: Expression | None
    high: Expression


class Triangular(Expression, kind=Kind.NUMBER):
    """``(tri n)``: n(n+1)/2."""

    number: Expression


class Fibonacci(Expression, kind=Kind.NUMBER):
    """``(fib n)``: 0, 1, 1, 2 .. for n = 0, 1, 2, 3 .."""

    number: Expression


class Name(Expression, kind=Kind.STRING):
    """A name as it is written, which is a string."""

    text: str


class Numeral(Expression, kind=Kind.STRING):
    """A number as the name of a place, a bin or a map."""

    number: Expression


class StringBin(Expression, kind=Kind.STRING):
    """``(OWNER str NAME)``."""

    owner: Owner
    name: Expression


class CardAttribute(Expression, kind=Kind.STRING):
    """``(cardatt ATTRIBUTE CARD)``."""

    attribute: Expression
    card: Expression


class Logic(Expression, kind=Kind.BOOLEAN):
    """``(and a b ..)`` or ``(or a b ..)``; stops at the first operand that decides."""

    operator: Literal["and", "or"]
    operands: tuple[Expression, ...]


class Not(Expression, kind=Kind.BOOLEAN):
    """``(not a)``."""

    operand: Expression


class Quantified(Expression, kind=Kind.BOOLEAN):
    """``(any COLLECTION 'X CONDITION)`` or ``(all COLLECTION 'X CONDITION)``."""

    quantifier: Literal["any", "all"]
    over: Expression
    variable: Binding
    condition: Expression


class Comparison(Expression, kind=Kind.BOOLEAN):
    """``(< a b)`` and the like of numbers; ``(== a b)`` and ``(!= a b)`` of any two values of one kind."""

    operator: Literal["<", ">", "<=", ">=", "==", "!="]
    left: Expression
    right: Expression

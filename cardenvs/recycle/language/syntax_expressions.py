"""The nodes that have a value: players and teams, numbers, strings, cards, collections, conditions."""

from __future__ import annotations

from typing import Literal

from cardenvs.recycle.language.syntax_nodes import Binding, Expression, Kind, Node


class GameOwner(Node):
    """``game``, as the owner of places and bins."""


Owner = GameOwner | Expression  # the owner of a place or a bin; an expression is a player or a team

Visibility = Literal["vloc", "iloc", "hloc", "oloc", "mem"]
"""Viewers of a place's cards: all, its owner, none, all except its owner; ``mem`` holds copies for all to see."""


class Number(Expression, kind=Kind.NUMBER, form="digits"):
    value: int


class Setting(Expression, kind=Kind.NUMBER):
    """The value of a rule option, constant throughout a game; has no text of its own."""

    name: str
    choices: tuple[int, ...]  # the possible values, the default first


class NumberBin(Expression, kind=Kind.NUMBER, form="(OWNER sto NAME)"):
    owner: Owner
    name: Expression


class Arithmetic(Expression, kind=Kind.NUMBER, form="(+|-|*|//|%|^ NUMBER NUMBER)"):
    """``//`` goes towards zero, ``%`` has the sign of ``left``, ``^`` is the power."""

    operator: Literal["+", "-", "*", "//", "%", "^"]
    left: Expression
    right: Expression


class Size(Expression, kind=Kind.NUMBER, form="(size COLLECTION)"):
    of: Expression


class Sum(Expression, kind=Kind.NUMBER, form="(sum CARDS using MAP)"):
    cards: Expression
    using: PointMap


class Score(Expression, kind=Kind.NUMBER, form="(score CARD using MAP)"):
    card: Expression
    using: PointMap


class Random(Expression, kind=Kind.NUMBER, form="(random NUMBER) or (random NUMBER .. NUMBER)"):
    """Both ends are included; without ``low`` it is from 0 on."""

    low: Expression | None
    high: Expression


class Triangular(Expression, kind=Kind.NUMBER, form="(tri NUMBER)"):
    """n(n+1)/2."""

    number: Expression


class Fibonacci(Expression, kind=Kind.NUMBER, form="(fib NUMBER)"):
    """0, 1, 1, 2 .. for the numbers 0, 1, 2, 3 .."""

    number: Expression


class Name(Expression, kind=Kind.STRING, form="a name in capital letters"):
    """A name as it is written, which is a string."""

    text: str


class Numeral(Expression, kind=Kind.STRING):
    """A number as the name of a place, a bin or a map."""

    number: Expression


class StringBin(Expression, kind=Kind.STRING, form="(OWNER str NAME)"):
    owner: Owner
    name: Expression


class PointMap(Node, form="(OWNER points NAME)"):
    owner: Owner
    name: Expression


class CardAttribute(Expression, kind=Kind.STRING, form="(cardatt ATTRIBUTE CARD)"):
    attribute: Expression
    card: Expression


class Comparison(Expression, kind=Kind.BOOLEAN, form="(==|!= A B) or (<|>|<=|>= NUMBER NUMBER)"):
    """``==`` and ``!=`` compare any two values of one kind."""

    operator: Literal["<", ">", "<=", ">=", "==", "!="]
    left: Expression
    right: Expression


class Logic(Expression, kind=Kind.BOOLEAN, form="(and|or CONDITION CONDITION ..)"):
    """Stops at the first operand that decides."""

    operator: Literal["and", "or"]
    operands: tuple[Expression, ...]


class Not(Expression, kind=Kind.BOOLEAN, form="(not CONDITION)"):
    operand: Expression


class Quantified(Expression, kind=Kind.BOOLEAN, form="(any|all COLLECTION 'X CONDITION)"):
    quantifier: Literal["any", "all"]
    over: Expression
    variable: Binding
    condition: Expression


class CardAt(Expression, kind=Kind.CARD, form="(top|bottom CARDS) or (NUMBER CARDS)"):
    """Numbers count from the bottom, which is 0."""

    index: Literal["top", "bottom"] | Expression
    cards: Expression


class Extreme(Expression, kind=Kind.CARD, form="(max|min CARDS using MAP)"):
    """One of equal cards is drawn."""

    which: Literal["max", "min"]
    cards: Expression
    using: PointMap


class Actual(Expression, kind=Kind.CARD, form="(actual CARD)"):
    """The card itself."""

    card: Expression


class CycleSeat(Expression, kind=Kind.SEAT, form="(current|next|previous player)"):
    """Of the innermost stage over players."""

    which: Literal["current", "next", "previous"]


class NumberedSeat(Expression, kind=Kind.SEAT, form="(NUMBER player)"):
    number: Expression


class OwnerOfCard(Expression, kind=Kind.SEAT, form="(owner CARD)"):
    """The player in whose place a card lies."""

    card: Expression


class CycleSide(Expression, kind=Kind.SIDE, form="(current|next|previous team)"):
    """Of the innermost stage over teams."""

    which: Literal["current", "next", "previous"]


class NumberedSide(Expression, kind=Kind.SIDE, form="(NUMBER team)"):
    number: Expression


class SideOfSeat(Expression, kind=Kind.SIDE, form="(team PLAYER)"):
    """The team that a player is in."""

    seat: Expression


class Place(Expression, kind=Kind.CARDS, form="(OWNER vloc|iloc|hloc|oloc|mem NAME)"):
    """A place where cards lie."""

    owner: Owner
    visibility: Visibility
    name: Expression


class Each(Expression, kind=Kind.SETS, form="(all COLLECTION 'X CARDS)"):
    """The cards for each item, as sets; inside ``union`` and its like, its parts."""

    over: Expression
    variable: Binding
    cards: Expression


Group = tuple[Expression, ...] | Each
"""Operands of ``union``, ``intersect``, ``disjunction`` and ``partition``: collections of cards, or those of each item."""


class Combination(Expression, kind=Kind.CARDS, form="(union|intersect|disjunction GROUP)"):
    """All cards of the parts, those in all parts, or those in one part."""

    operator: Literal["union", "intersect", "disjunction"]
    group: Group


class Filter(Expression, form="(filter COLLECTION 'X CONDITION)"):
    """Of sets, empty ones are left out."""

    over: Expression
    variable: Binding
    condition: Expression

    @property
    def kind(self) -> Kind:
        kind = self.over.kind  # asked once: filters may stand in filters
        return Kind.SEATS if kind is Kind.SIDE else kind


class Sort(Expression, kind=Kind.CARDS, form="(sort CARDS using MAP)"):
    """Ascending, equal cards as they were."""

    cards: Expression
    using: PointMap


class Take(Expression, kind=Kind.CARDS, form="(top|bottom NUMBER CARDS)"):
    """The topmost first, or the bottommost first."""

    end: Literal["top", "bottom"]
    count: Expression
    cards: Expression


class EndRun(Expression, kind=Kind.CARDS, form="(run top|bottom NUMBER CARDS using MAP)"):
    """The longest run, of so many cards or more, that the topmost or bottommost cards make."""

    end: Literal["top", "bottom"]
    least: Expression
    cards: Expression
    using: PointMap


class SetAt(Expression, kind=Kind.CARDS, form="(top|bottom SETS) or (NUMBER SETS)"):
    """The first set, the last, or a set by its number, from 0 on."""

    index: Literal["top", "bottom"] | Expression
    sets: Expression


class Partition(Expression, kind=Kind.SETS, form="(partition ATTRIBUTE GROUP)"):
    """A set for each value of an attribute, in the order in which values are first seen."""

    attribute: Expression
    group: Group


class Tuples(Expression, kind=Kind.SETS, form="(tuples NUMBER CARDS using MAP)"):
    """All sets of so many cards of one score."""

    size: Expression
    cards: Expression
    using: PointMap


class Runs(Expression, kind=Kind.SETS, form="(runs largest|all NUMBER CARDS using MAP)"):
    which: Literal["largest", "all"]
    least: Expression
    cards: Expression
    using: PointMap


class Subsets(Expression, kind=Kind.SETS, form="(subsets CARDS)"):
    cards: Expression


class NameList(Expression, kind=Kind.NAMES, form="names with commas, (A, B)"):
    names: tuple[str, ...]


class AllSeats(Expression, kind=Kind.SEATS, form="player"):
    pass


class AllSides(Expression, kind=Kind.SIDES, form="team"):
    pass


class OtherSeats(Expression, kind=Kind.SEATS, form="(other player)"):
    """All but the current one, from seat 0 on."""


class OtherSides(Expression, kind=Kind.SIDES, form="(other team)"):
    """All but the current one, from team 0 on."""


class Range(Expression, kind=Kind.NUMBERS, form="(range NUMBER .. NUMBER)"):
    """Both ends are included."""

    low: Expression
    high: Expression


def strip_actual(card: Expression) -> Expression:
    """Returns the card inside of ``(actual ..)``."""
    while isinstance(card, Actual):
        card = card.card
    return card


def strip_filters(collection: Expression) -> Expression:
    """Returns the collection inside of all ``(filter ..)``."""
    while isinstance(collection, Filter):
        collection = collection.over
    return collection

"""The nodes of cards, places and collections."""

from __future__ import annotations

from typing import Literal

from cardenvs.recycle.language.syntax_nodes import Binding, Expression, Kind
from cardenvs.recycle.language.syntax_values import Owner, PointMap

Visibility = Literal["vloc", "iloc", "hloc", "oloc", "mem"]
"""Viewers of a place's cards: all, its owner, none, all except its owner; ``mem`` holds copies for all to see."""


class Place(Expression, kind=Kind.CARDS):
    """``(OWNER vloc NAME)`` and the like: where cards lie."""

    owner: Owner
    visibility: Visibility
    name: Expression


class Each(Expression, kind=Kind.SETS):
    """``(all COLLECTION 'X CARDS)``: the cards for each item, as sets; inside ``union`` and its like, its parts."""

    over: Expression
    variable: Binding
    cards: Expression


Group = tuple[Expression, ...] | Each
"""Operands of ``union``, ``intersect``, ``disjunction`` and ``partition``: collections of cards, or those of each item."""


class Combination(Expression, kind=Kind.CARDS):
    """``(union ..)``: all cards of the parts; ``(intersect ..)``: those in all; ``(disjunction ..)``: those in one."""

    operator: Literal["union", "intersect", "disjunction"]
    group: Group


class Filter(Expression):
    """``(filter COLLECTION 'X CONDITION)``; of sets, empty ones are left out."""

    over: Expression
    variable: Binding
    condition: Expression

    @property
    def kind(self) -> Kind:
        kind = self.over.kind  # asked once: filters may stand in filters
        return Kind.SEATS if kind is Kind.SIDE else kind


class Sort(Expression, kind=Kind.CARDS):
    """``(sort CARDS using MAP)``: ascending, equal cards as they were."""

    cards: Expression
    using: PointMap


class Take(Expression, kind=Kind.CARDS):
    """``(top n CARDS)``, topmost first, or ``(bottom n CARDS)``, bottommost first."""

    end: Literal["top", "bottom"]
    count: Expression
    cards: Expression


class EndRun(Expression, kind=Kind.CARDS):
    """``(run top n CARDS using MAP)``: the longest run, of n or more, that the topmost cards make; or ``bottom``."""

    end: Literal["top", "bottom"]
    least: Expression
    cards: Expression
    using: PointMap


class SetAt(Expression, kind=Kind.CARDS):
    """``(top SETS)``, the first set; ``(bottom SETS)``, the last; ``(2 SETS)``, the third."""

    index: Literal["top", "bottom"] | Expression
    sets: Expression


class Partition(Expression, kind=Kind.SETS):
    """``(partition ATTRIBUTE ..)``: a set for each value of an attribute, in the order in which values are first seen."""

    attribute: Expression
    group: Group


class Tuples(Expression, kind=Kind.SETS):
    """``(tuples n CARDS using MAP)``: all n cards of one score."""

    size: Expression
    cards: Expression
    using: PointMap


class Runs(Expression, kind=Kind.SETS):
    """``(runs largest n CARDS using MAP)`` or ``(runs all n CARDS using MAP)``."""

    which: Literal["largest", "all"]
    least: Expression
    cards: Expression
    using: PointMap


class Subsets(Expression, kind=Kind.SETS):
    """``(subsets CARDS)``."""

    cards: Expression


class NameList(Expression, kind=Kind.NAMES):
    """``(A, B, C)``."""

    names: tuple[str, ...]


class AllSeats(Expression, kind=Kind.SEATS):
    """``player``."""


class AllSides(Expression, kind=Kind.SIDES):
    """``team``."""


class OtherSeats(Expression, kind=Kind.SEATS):
    """``(other player)``: all but the current one, from seat 0 on."""


class OtherSides(Expression, kind=Kind.SIDES):
    """``(other team)``: all but the current one, from team 0 on."""


class Range(Expression, kind=Kind.NUMBERS):
    """``(range a .. b)``, both ends included."""

    low: Expression
    high: Expression


class CardAt(Expression, kind=Kind.CARD):
    """``(top CARDS)``, ``(bottom CARDS)`` or ``(2 CARDS)``, counted from the bottom, which is 0."""

    index: Literal["top", "bottom"] | Expression
    cards: Expression


class Extreme(Expression, kind=Kind.CARD):
    """``(max CARDS using MAP)`` or ``(min CARDS using MAP)``; one of equal cards is drawn."""

    which: Literal["max", "min"]
    cards: Expression
    using: PointMap


class Actual(Expression, kind=Kind.CARD):
    """``(actual CARD)``: the card itself."""

    card: Expression


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

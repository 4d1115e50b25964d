"""The nodes of cards, of places and of collections, whatever their items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from cardenvs.recycle.language.syntax_nodes import Binding, Expression, Kind
from cardenvs.recycle.language.syntax_values import Owner, PointMap

Visibility = Literal["vloc", "iloc", "hloc", "oloc", "mem"]
"""Viewers of a place's cards: all, its owner, nobody, all but its owner; ``mem`` holds copies for all to see."""


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
"""Operands of ``union``, ``intersect``, ``disjunction`` and ``partition``: collections of cards, or those of each item."""


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

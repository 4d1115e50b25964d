"""The alternatives of a choice, and the values that can be chosen in each."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

from cardenvs.recycle.compiler.collections import MOST_SUBSETS
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.syntax import Kind

MOST_COMBINATIONS = 256  # the most combinations of values that an alternative has a table for
MOST_VALUES = 16  # the most values of an option that is chosen in parts, where the text does not tell how many it has
MOST_WIDTH = 128  # the most values, the ends of sets included, where it does
MOST_OPTIONS = 1 << MOST_SUBSETS  # the most options of such an alternative at a time
MOST_COUNT = (1 << 14) - 1  # the most options that are counted as one action
NUMBERS = 128  # count of numbers, from 0 on, that can be chosen from a range whose ends are not known before play

Key = tuple[tuple[str, int], ...]
"""An action's key: pairs of a kind and a value, one for each value that is chosen, or the alternative."""


@dataclass(frozen=True)
class Domain:
    """The values that an ``any`` can take."""

    any: syntax.ForEach
    kind: Kind
    values: tuple[int, ...]  # faces, numbers, codes of strings, seats from the current one on, or teams
    blind: bool = False  # cards that the chooser does not see; the values are then indices in the collection

    @property
    def word(self) -> str:
        """The word for the values in keys; the values of a set are its cards."""
        return "place" if self.blind else "card" if self.kind is Kind.CARDS else self.kind.name.lower()

    @property
    def has_faces(self) -> bool:
        return self.kind is Kind.CARD and not self.blind


@dataclass
class Alternative:
    """An alternative of a choice.

    One that is not ``in_parts`` is a chain of conditions and ``any``s before anything is done, so that its options can be
    listed without doing them.
    """

    choice: syntax.Choice
    number: int  # in the choice
    act: syntax.Act
    domains: list[Domain]  # of its ``any``s, in the order of the text
    in_parts: bool  # whether each value is a decision of its own
    apart: bool = False  # whether its actions differ from those of other alternatives of the choice
    marked: list[Alternative] = field(default_factory=list)  # others that exclude it only because the author says so
    actions: list[int] = field(default_factory=list)  # by combination of values; in parts: the only one, if any
    parts: list[list[int]] = field(default_factory=list)  # in parts: by domain, the actions of its values
    groups: list[int] = field(default_factory=list)  # in parts: by domain, the first exchangeable one; -1 for none
    done: int = -1  # in parts: the action that chooses nothing more; -1 if the number of values is fixed
    width: int = 0  # in parts: maximum number of values of an option

    @property
    def suffix(self) -> str:
        return f"{self.choice.number}_{self.number}"

    @property
    def room(self) -> int:
        """Number of entries of each list that is kept of an option."""
        return max(MOST_VALUES, self.width)

    @property
    def own_actions(self) -> set[int]:
        return {*self.actions, *itertools.chain(*self.parts), *([self.done] if self.done >= 0 else [])}


def find_anys(act: syntax.Act) -> list[syntax.ForEach]:
    return [node for node in syntax.walk(act) if isinstance(node, syntax.ForEach) and node.quantifier == "any"]


def always_acts(act: syntax.Act) -> bool:
    match act:
        case syntax.Do(_, acts):
            return any(always_acts(inner) for inner in acts)
        case syntax.Let(_, _, _, inner):
            return always_acts(inner)
        case syntax.Guarded() | syntax.ForEach() | syntax.Repeat() | syntax.RepeatAll():
            return False
    return True

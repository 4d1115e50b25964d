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
    """The values that an ``any`` can take.

    Attributes:
        any: the act.
        kind: what is chosen.
        values: faces, numbers, codes of strings, seats from the current one on, or teams.
        blind: whether cards are chosen that the chooser does not see; the values are then places in the collection.
    """

    any: syntax.ForEach
    kind: Kind
    values: tuple[int, ...]
    blind: bool = False

    @property
    def word(self) -> str:
        """The word for its values in keys; a set's values are its cards."""
        return "place" if self.blind else "card" if self.kind is Kind.CARDS else self.kind.name.lower()

    @property
    def faces(self) -> bool:
        """Whether the values are faces of single cards."""
        return self.kind is Kind.CARD and not self.blind


@dataclass
class Alternative:
    """An alternative of a choice.

    Attributes:
        choice: the number of the choice.
        number: the number of the alternative in it.
        act: what is done.
        domains: what its ``any``s can take, in the order of the text.
        in_parts: whether each value is a decision of its own. If not, the alternative is a chain of conditions and ``any``s
            before anything is done, so that its options can be listed without doing them.
        apart: whether its actions are told from those of other alternatives of the choice.
        actions: the action of each combination of values; in parts, of the alternative if there is nothing to choose.
        parts: in parts, for each domain the actions of its values.
        groups: in parts, for each domain the first one with which its values can change places; -1 for none.
        done: in parts, the action that chooses nothing more; -1 where there is always the same number of values.
        width: in parts, the most values of an option.
    """

    choice: syntax.Choice
    number: int
    act: syntax.Act
    domains: list[Domain]
    in_parts: bool
    apart: bool = False
    actions: list[int] = field(default_factory=list)
    parts: list[list[int]] = field(default_factory=list)
    groups: list[int] = field(default_factory=list)
    done: int = -1
    width: int = 0

    @property
    def name(self) -> str:
        """Its name in the names of its tables."""
        return f"{self.choice.number}_{self.number}"

    @property
    def room(self) -> int:
        """Distance of the lists that are kept of an option: of the ``any``s that it meets, and of its values."""
        return max(MOST_VALUES, self.width)

    @property
    def own_actions(self) -> set[int]:
        """All actions that it can have."""
        return {*self.actions, *itertools.chain(*self.parts), *([self.done] if self.done >= 0 else [])}


def anys(act: syntax.Act) -> list[syntax.ForEach]:
    """The ``any``s of an act, in the order of the text."""
    return [node for node in syntax.walk(act) if isinstance(node, syntax.ForEach) and node.quantifier == "any"]


def always_acts(act: syntax.Act) -> bool:
    """Whether at least one act is done whatever holds."""
    match act:
        case syntax.Do(_, acts):
            return any(always_acts(inner) for inner in acts)
        case syntax.Let(_, _, _, inner):
            return always_acts(inner)
        case syntax.Guarded() | syntax.ForEach() | syntax.Repeat() | syntax.RepeatAll():
            return False
    return True

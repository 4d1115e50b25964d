"""Values that bins can hold, and the knowledge of others about private ones.

A private bin is known to its player, or to the members of its team, or to none. ``maybe`` of a STATE has the values of each
that all seats hold possible, as bits. Public acts of the script tell their effects; acts that depend on hidden cards, and
choices, leave all values that they can have set.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from cardenvs.recycle.compiler.bounds import Bounds
from cardenvs.recycle.compiler.conditions import is_public
from cardenvs.recycle.compiler.layout import Layout, Writing
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.errors import RecycleError
from cardenvs.recycle.language.symbols import Owned, owned_of

MOST_VALUES = 63  # the most values of a private bin


def values_of(layout: Layout, act: Writing) -> frozenset[int] | None:
    """Returns the numbers, or the codes of strings, that an act can put into a bin; None if unknown."""
    match act:
        case syntax.SetString(_, _, value):
            return frozenset(layout.code[text] for text in layout.possible.of(value))
        case syntax.SetNumber(_, _, value):
            return layout.possible.numbers.all_of(value)
    return None


def held_values(layout: Layout, one: Owned, most: float = math.inf) -> list[int] | None:
    """Returns the values that a bin can hold, ascending: numbers, or codes of strings.

    None if they are unknown, or an act has more than ``most`` of them.
    """
    values = {0}
    for node in layout.writes.get(one, ()):
        written = values_of(layout, node)
        if written is None or len(written) > most:
            return None
        values |= written
    return sorted(values)


@dataclass(frozen=True)
class Secret:
    """A private bin."""

    bin: Owned
    number: int  # of its owner
    slot: int  # among the numbers or the strings of a STATE
    values: tuple[int, ...]  # all that it can hold

    @property
    def field(self) -> str:
        """The STATE's field that has its value."""
        return "texts" if self.bin.storage == "str" else "numbers"

    def value_mask(self, values: frozenset[int] | None) -> int:
        """Returns a bit for each of some values; all if None."""
        return sum(1 << k for k, value in enumerate(self.values) if values is None or value in values)


class Privacy:
    """The private bins of a game, those of one name in sequence; a RecycleError if one can have too many values."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.bounds = Bounds(layout)
        self.secrets: list[Secret] = []
        of_bins = {
            one: self._possible_values(one) for one in layout.statics.bins if (one.storage, one.name) in layout.private
        }
        for listed in (layout.numbers, layout.texts):
            for slot, (bin_, number) in enumerate(listed):
                if (bin_.storage, bin_.name) in layout.private:
                    values = of_bins[bin_]
                    if len(values) > MOST_VALUES:
                        what = f"{bin_.storage} {bin_.name} can have {len(values)} values"
                        at = layout.private[bin_.storage, bin_.name]
                        raise RecycleError(f"{what}: a private bin has at most {MOST_VALUES}", at)
                    self.secrets.append(Secret(bin_, number, slot, values))
        self._numbers: dict[Owned, list[int]] = {}
        for k, one in enumerate(self.secrets):
            self._numbers.setdefault(one.bin, []).append(k)
        places = {(one.bin.storage, one.slot): k for k, one in enumerate(self.secrets)}
        owners = {"game": 0, "player": 1, "team": 2}
        self.tables = {
            "PRIVATE_COUNT": len(self.secrets),
            "PRIVATE_NUMBERS": [places.get(("sto", slot), -1) for slot in range(len(layout.numbers))] or [-1],
            "PRIVATE_TEXTS": [places.get(("str", slot), -1) for slot in range(len(layout.texts))] or [-1],
            "PRIVATE_OWNERS": [[owners[one.bin.owner], one.number] for one in self.secrets] or [[0, 0]],
            "PRIVATE_SLOTS": [one.slot for one in self.secrets] or [0],
            "PRIVATE_ALL": [one.value_mask(None) for one in self.secrets] or [0],
            "PRIVATE_FIRST": [1 << one.values.index(0) for one in self.secrets] or [0],
            "PRIVATE_IS_TEXT": [int(one.bin.storage == "str") for one in self.secrets] or [0],
        }

    def _possible_values(self, one: Owned) -> tuple[int, ...]:
        values = held_values(self.layout, one)
        if values is not None:
            return tuple(values)
        if not self.is_bounded(one):
            return tuple(range(MOST_VALUES))
        low, high = self.bounds.bin_span(one)
        return tuple(range(int(low), int(high) + 1))

    def is_bounded(self, one: Owned) -> bool:
        low, high = self.bounds.bin_span(one)
        return one.storage == "str" or held_values(self.layout, one) is not None or high - low < MOST_VALUES

    def written_secrets(self, act: Writing) -> list[int]:
        return [k for one in owned_of(act.bin, self.layout.possible) for k in self._numbers.get(one, ())]

    def choice_effects(self, choice: syntax.Choice) -> list[Effect]:
        written: dict[int, dict[int, list[Writing]]] = {}  # by private bin and alternative, the acts that change the bin
        for number, act in enumerate(choice.alternatives):
            for write in (node for node in syntax.walk(act) if isinstance(node, Writing)):
                for k in self.written_secrets(write):
                    written.setdefault(k, {}).setdefault(number, []).append(write)
        sure = [{id(one) for one in certain_acts(act)} for act in choice.alternatives]
        return [self._make_effect(k, found, sure) for k, found in sorted(written.items())]

    def _make_effect(self, k: int, written: dict[int, list[Writing]], sure: list[set[int]]) -> Effect:
        """Returns the effect of acts on a private bin; ``sure`` has, by alternative, the ``id``s of unconditional acts."""
        one = self.secrets[k]
        own = one.bin.owner == "player" and all(_is_own(write) for writes in written.values() for write in writes)
        rows = []
        for number, acts in enumerate(sure):
            writes = written.get(number, [])
            bits = 0
            for write in writes:
                bits |= one.value_mask(values_of(self.layout, write))
            rows.append((bits, not own or not any(id(write) in acts for write in writes)))
        return Effect(k, own, rows)


def _is_own(write: Writing) -> bool:
    return isinstance(write.bin.owner, syntax.CycleSeat) and write.bin.owner.which == "current"


@dataclass(frozen=True)
class Effect:
    """The effect that the alternatives of a choice can have on a private bin."""

    secret: int  # number of the bin
    own: bool  # whether it changes only if it is the actor's own
    rows: list[tuple[int, bool]]  # by alternative: bits of values, whether the bin may stay


def public_conditions(layout: Layout, act: syntax.Act) -> list[syntax.Expression]:
    """Returns the conditions of an alternative that all seats can work out before it is chosen."""
    found = []
    while isinstance(act, syntax.Guarded):
        if is_public(layout, act.condition):
            found.append(act.condition)
        act = act.act
    return found


def certain_acts(act: syntax.Act) -> list[syntax.Prim]:
    """Returns the acts that are done for each value of a chosen alternative."""
    while isinstance(act, syntax.Guarded | syntax.Let) or (isinstance(act, syntax.ForEach) and act.quantifier == "any"):
        act = act.act
    return _unconditional_acts(act)


def _unconditional_acts(act: syntax.Act) -> list[syntax.Prim]:
    match act:
        case syntax.Let(_, _, _, inner):
            return _unconditional_acts(inner)
        case syntax.Do(_, acts):
            return [prim for inner in acts for prim in _unconditional_acts(inner)]
        case syntax.Repeat() | syntax.RepeatAll():
            return []
        case syntax.Prim():
            return [act]
    return []

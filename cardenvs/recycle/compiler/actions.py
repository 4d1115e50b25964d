"""The table of a described game's actions, and the values that each alternative of its choices can have.

An option is an alternative of a choice with values for its ``any``s. Options with the same cards, numbers, names and seats
are one action anywhere in the script, unless two alternatives of one choice can offer them at the same time.

An alternative with one value to choose, or with few combinations of values, has an action for each combination. One with
more is chosen *in parts*: each value is a decision of its own, which offers the values that can still complete an option; a
set is chosen card by card. Values whose order does not matter, as several cards to discard, are chosen in ascending order.
A decision whose rest is settled is complete.
"""

import itertools
import math
from collections.abc import Iterator

from cardenvs.recycle.compiler.alternatives import (
    MOST_COMBINATIONS,
    MOST_COUNT,
    MOST_VALUES,
    MOST_WIDTH,
    NUMBERS,
    Alternative,
    Domain,
    Key,
    always_acts,
    find_anys,
)
from cardenvs.recycle.compiler.bounds import Bounds
from cardenvs.recycle.compiler.conditions import Consequences, conjuncts, faces_of, in_sight, involves_chance
from cardenvs.recycle.compiler.exclusion import exclude_each_other
from cardenvs.recycle.compiler.layout import Layout
from cardenvs.recycle.compiler.ordering import exchangeable_groups
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.errors import RecycleError
from cardenvs.recycle.language.syntax import Kind


def _is_nested(act: syntax.Act) -> bool:
    """Whether an act is a chain of conditions, ``let``s and ``any``s before one act without choices."""
    match act:
        case syntax.Guarded(_, condition, inner):
            return not involves_chance(condition) and _is_nested(inner)
        case syntax.Let(_, value, _, inner):
            return not involves_chance(value) and _is_nested(inner)
        case syntax.ForEach(_, "any", over, _, inner):
            return over.kind is not Kind.SETS and not involves_chance(over) and _is_nested(inner)
    return not find_anys(act) and always_acts(act)


class Actions:
    """The actions of a game."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.bounds = Bounds(layout)
        self.alternatives: list[list[Alternative]] = []
        self.keys: list[Key] = []
        self._numbers: dict[Key, int] = {}
        self.most: dict[int, int] = {}
        self.levels = 0
        for choice in layout.statics.choices:
            self.alternatives.append([self._make_alternative(choice, k, act) for k, act in enumerate(choice.alternatives)])
        mark = layout.description.exclusive
        exclusive = mark.choices if mark is not None else ()
        for of_choice in self.alternatives:
            for one in of_choice:
                one.marked = [other for other in of_choice[: one.number] if self._may_look_alike(other, one)]
                if one.choice.number + 1 not in exclusive:
                    one.apart, one.marked = bool(one.marked), []
                self._number_actions(one)

    def __iter__(self) -> Iterator[Alternative]:
        return itertools.chain.from_iterable(self.alternatives)

    # --- what can be chosen ---

    def _make_alternative(self, choice: syntax.Choice, number: int, act: syntax.Act) -> Alternative:
        domains = [self._make_domain(one, act) for one in find_anys(act)]
        combinations = 1
        for domain in domains:
            combinations *= max(len(domain.values), 1)
        nested = _is_nested(act)
        in_parts = not nested or combinations > max(MOST_COMBINATIONS, len(self.layout.faces))
        made = Alternative(choice, number, act, domains, in_parts)
        if in_parts:
            blind = any(domain.blind for domain in domains)
            made.groups = [-1] * len(domains) if blind else exchangeable_groups(self.layout, act)
            sets = any(domain.kind is Kind.CARDS for domain in domains)
            made.width = max(len(domains), 1)
            if sets or _has_repeated_any(act):
                made.width = min(max(MOST_VALUES, sum(map(self._most_values, domains))), MOST_WIDTH)
            made.done = -1 if not domains or (nested and not sets) else 0
        return made

    def _most_values(self, domain: Domain) -> int:
        return self.bounds.most_in_set(domain.any.over) + 1 if domain.kind is Kind.CARDS else 1

    def _make_domain(self, one: syntax.ForEach, act: syntax.Act) -> Domain:
        layout, kind = self.layout, one.variable.kind
        if kind in (Kind.CARD, Kind.CARDS) and not in_sight(layout, one.over):
            if kind is Kind.CARDS:
                raise RecycleError(
                    "a set is chosen of cards that the player does not see: no action tells them apart", one.at
                )
            return Domain(one, kind, tuple(range(len(layout.cards))), blind=True)
        if kind is Kind.CARD:
            known = Consequences(layout, _conditions_before(act, one))
            return Domain(one, kind, tuple(faces_of(layout, one.over, known)))
        if kind is Kind.SEAT:
            return Domain(one, kind, tuple(range(layout.seats)))
        if kind is Kind.SIDE:
            return Domain(one, kind, tuple(range(len(layout.teams))))
        if kind is Kind.CARDS:
            return Domain(one, kind, tuple(range(len(layout.faces))))
        over = syntax.strip_filters(one.over)
        values = layout.constant(over)
        if isinstance(values, tuple):
            return Domain(one, kind, tuple(layout.code[v] if isinstance(v, str) else v for v in values))
        return Domain(one, kind, self._unknown_numbers(over))

    def _unknown_numbers(self, over: syntax.Expression) -> tuple[int, ...]:
        low, high = self.bounds.number_span(over)
        if math.isinf(low):
            low = 0 if high >= 0 else high - NUMBERS + 1
        return tuple(range(int(low), int(max(min(high, low + NUMBERS - 1), low)) + 1))

    def _may_look_alike(self, one: Alternative, other: Alternative) -> bool:
        if not one.domains or not other.domains:
            return False  # such an alternative is an action of its own
        if one.in_parts or other.in_parts:
            shared = bool(_first_values(one) & _first_values(other))
        elif [d.kind for d in one.domains] != [d.kind for d in other.domains]:
            shared = False
        else:
            pairs = zip(one.domains, other.domains, strict=True)
            shared = all(set(a.values) & set(b.values) for a, b in pairs)
        return shared and not exclude_each_other(self.layout, one, other)

    # --- numbers ---

    def _number_actions(self, one: Alternative) -> None:
        itself: Key = (("choice", one.choice.number), ("alternative", one.number))
        prefix: Key = itself if one.apart or not one.domains else ()
        if one.in_parts and one.domains:
            for domain in one.domains:
                one.parts.append([self._add_action((*prefix, (domain.word, value))) for value in domain.values])
            if one.done >= 0:
                one.done = self._add_action((*prefix, ("done", 0)))
            self.levels = max(self.levels, one.width)
            self._raise_most(one.own_actions, MOST_COUNT)
            return
        for values in itertools.product(*(domain.values for domain in one.domains)):
            key: Key = tuple((d.word, value) for d, value in zip(one.domains, values, strict=True))
            one.actions.append(self._add_action((*prefix, *key)))
        several = [domain for domain in one.domains if domain.has_faces]
        plain = all(_is_plain(domain.any.over) for domain in one.domains)
        copies = max(self.layout.face_of.count(face) for face in set(self.layout.face_of))
        self._raise_most(one.own_actions, min(MOST_COUNT, copies ** len(several)) if plain else MOST_COUNT)

    def _raise_most(self, actions: set[int], most: int) -> None:
        for action in actions:
            self.most[action] = max(self.most.get(action, 1), most)

    def _add_action(self, key: Key) -> int:
        if key not in self._numbers:
            self._numbers[key] = len(self.keys)
            self.keys.append(key)
            if len(self.keys) > 4096:
                raise RecycleError("the game has more than 4096 actions", self.layout.description.at)
        return self._numbers[key]


def _first_values(one: Alternative) -> set[Key]:
    if not one.in_parts and len(one.domains) > 1:
        return set()
    found: set[Key] = {((domain.word, value),) for domain in one.domains for value in domain.values}
    return found | {(("done", 0),)} if one.done >= 0 else found


def _has_repeated_any(act: syntax.Act) -> bool:
    return any(
        isinstance(node, syntax.ForEach) and node.quantifier == "all" and find_anys(node.act) for node in syntax.walk(act)
    )


def _is_plain(over: syntax.Expression) -> bool:
    """Whether a collection has each of its items once: a place, a range, names, players, and filters of those."""
    return not isinstance(syntax.strip_filters(over), syntax.Combination | syntax.Variable)


def _conditions_before(act: syntax.Act, wanted: syntax.ForEach) -> list[syntax.Expression]:
    found: list[syntax.Expression] = []
    while isinstance(act, syntax.Guarded | syntax.Let | syntax.ForEach) and act is not wanted:
        if isinstance(act, syntax.Guarded):
            found += conjuncts(act.condition)
        act = act.act
    return found if act is wanted else []

"""Finds conditions that contradict each other: alternatives of a choice that exclude each other share their actions.

Conditions are compared by their text in the standard form. Others count as possible together, if the author does not mark
the choice (``;;! exclusive``).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from cardenvs.recycle.compiler.alternatives import Alternative
from cardenvs.recycle.compiler.conditions import (
    Consequences,
    Shape,
    conjuncts,
    involves_chance,
    number_test,
    rebuilt,
    shape,
    standard_form,
    unfold_names,
)
from cardenvs.recycle.compiler.layout import Layout
from cardenvs.recycle.compiler.privacy import held_values
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.symbols import owned_of


def exclude_each_other(layout: Layout, one: Alternative, other: Alternative) -> bool:
    """Whether two alternatives never offer the same values at one time, as conditions of theirs contradict each other."""
    blind = any(domain.blind for domain in (*one.domains, *other.domains))
    same_item = not one.in_parts and not other.in_parts and not blind and len(layout.faces) == len(layout.cards)
    return contradict(layout, [part for act in (one.act, other.act) for part in _offer_conditions(layout, act, same_item)])


def contradict(layout: Layout, conditions: Iterable[syntax.Expression]) -> bool:
    """Whether conditions are seen not to hold together."""
    known: list[syntax.Expression] = []
    for condition in conditions:
        if not involves_chance(condition):  # which is drawn anew each time
            known += conjuncts(standard_form(layout, condition))
    others = (known[:k] + known[k + 1 :] for k in range(len(known)))
    return _leave_no_number(layout, known) or any(
        Consequences(layout, rest).value_of(one, {}) is False for one, rest in zip(known, others, strict=True)
    )


def _leave_no_number(layout: Layout, known: list[syntax.Expression]) -> bool:
    """Whether conditions exclude one by one all numbers that a bin can hold."""
    left: dict[Shape, set[int]] = {}
    for condition in known:
        match condition:
            case syntax.Comparison(_, "!=", syntax.NumberBin() as of, syntax.Number(_, number)):
                held = [held_values(layout, one) for one in owned_of(of, layout.possible)]
                if None not in held:
                    left.setdefault(shape(of), {0}.union(*filter(None, held))).discard(number)
    return set() in left.values()


def _offer_conditions(layout: Layout, act: syntax.Act, same_item: bool) -> list[syntax.Expression]:
    """Returns conditions that hold where an alternative is offered.

    With ``same_item`` the values that alternatives choose have the same variables, by their order.
    """
    found: list[syntax.Expression] = []
    numbers: dict[int, int] = {}
    chosen = 0

    def of_chosen(node: syntax.Node) -> syntax.Node:
        if same_item and isinstance(node, syntax.Variable) and node.binding.number in numbers:
            return replace(node, binding=replace(node.binding, number=numbers[node.binding.number]))
        return node

    def add(condition: syntax.Expression) -> None:
        found.append(rebuilt(unfold_names(condition, layout), of_chosen))

    while isinstance(act, syntax.Guarded | syntax.Let) or (isinstance(act, syntax.ForEach) and act.quantifier == "any"):
        if isinstance(act, syntax.Guarded):
            add(act.condition)
        elif isinstance(act, syntax.ForEach):
            add(number_test("!=", act.over))
            chosen -= 1
            numbers[act.variable.number] = chosen
            over = unfold_names(act.over, layout)
            while isinstance(over, syntax.Filter):
                numbers[over.variable.number] = chosen
                add(over.condition)
                over = over.over
        act = act.act
    return found

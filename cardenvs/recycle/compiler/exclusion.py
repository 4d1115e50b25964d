"""Finds conditions that contradict each other: alternatives of a choice that exclude each other share their actions.

Conditions are compared by their text in the standard form. Others count as possible together, if the author does not mark
the choice (``;;! exclusive``).
"""

import functools
from collections.abc import Iterable, Mapping

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
    chosen: list[syntax.Binding] = []
    conditions = _offer_conditions(layout, one.act, chosen)
    return contradict(layout, conditions + _offer_conditions(layout, other.act, chosen if same_item else []))


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


def _offer_conditions(layout: Layout, act: syntax.Act, chosen: list[syntax.Binding]) -> list[syntax.Expression]:
    """Returns conditions that hold where an alternative is offered.

    The variables of the values that it chooses are replaced by those in ``chosen``, in their order; new ones are added.
    """
    found: list[syntax.Expression] = []
    renamed: dict[int, syntax.Binding] = {}
    number = 0

    def add(condition: syntax.Expression, names: Mapping[int, syntax.Binding]) -> None:
        found.append(rebuilt(unfold_names(condition, layout), functools.partial(_renamed, names)))

    while isinstance(act, syntax.Guarded | syntax.Let) or (isinstance(act, syntax.ForEach) and act.quantifier == "any"):
        if isinstance(act, syntax.Guarded):
            add(act.condition, renamed)
        elif isinstance(act, syntax.ForEach):
            over = unfold_names(act.over, layout)
            add(number_test("!=", over), renamed)
            if number == len(chosen):
                chosen.append(act.variable)
            renamed[act.variable.number] = chosen[number]
            while isinstance(over, syntax.Filter):
                add(over.condition, {**renamed, over.variable.number: chosen[number]})
                over = over.over
            number += 1
        act = act.act
    return found


def _renamed(names: Mapping[int, syntax.Binding], node: syntax.Node) -> syntax.Node:
    new = names.get(node.binding.number) if isinstance(node, syntax.Variable) else None
    return node if new is None else syntax.Variable(node.at, new)

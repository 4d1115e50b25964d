"""Properties of conditions that are known before a game is played: equality, consequences, whether they are public."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from typing import Any, Literal

from cardenvs.recycle.compiler.layout import Layout
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.constants import compare_values
from cardenvs.recycle.language.syntax import Kind

MOST_UNFOLDED = 1000  # the most parts of an expression in which names are written out
Shape = tuple[Any, ...]  # a node without its positions and the names of its variables: nodes of one shape mean the same


def shape(node: Any, bound: Mapping[int, int] | None = None) -> Shape:
    """Returns the shape of a node, or of a field of one; ``bound`` numbers the variables that are bound around it."""
    bound = bound or {}
    if isinstance(node, tuple):
        return tuple(shape(part, bound) for part in node)
    if isinstance(node, syntax.Variable):
        number = node.binding.number
        return ("variable", bound[number]) if number in bound else ("free", number)
    if isinstance(node, syntax.Binding):
        return ("binding", bound[node.number])
    if not isinstance(node, syntax.Node):
        return (node,)
    variable = getattr(node, "variable", None)
    if isinstance(variable, syntax.Binding):
        bound = {**bound, variable.number: len(bound)}
    parts = (getattr(node, f.name) for f in fields(node) if f.name != "at")
    return (type(node).__name__, *(shape(part, bound) for part in parts))


def rebuilt(part: Any, change: Callable[[syntax.Node], Any]) -> Any:
    """Returns a node, or a field of one, with ``change`` applied to it and to all nodes below it, the lowest first."""
    if isinstance(part, tuple):
        return tuple(rebuilt(one, change) for one in part)
    if not isinstance(part, syntax.Node) or isinstance(part, syntax.Binding):
        return part
    return change(replace(part, **{f.name: rebuilt(getattr(part, f.name), change) for f in fields(part) if f.name != "at"}))


def unfold_names(expression: Any, layout: Layout) -> Any:
    """Replaces names that ``let`` has given by their values, up to `MOST_UNFOLDED` parts."""
    left = MOST_UNFOLDED

    def unfold(part: Any) -> Any:
        nonlocal left
        left -= 1
        value = layout.let_values.get(part.binding.number) if isinstance(part, syntax.Variable) else None
        return part if value is None or left < 0 else rebuilt(value, unfold)

    return rebuilt(expression, unfold)


_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def negated_condition(condition: syntax.Expression) -> syntax.Expression:
    """Returns the negation of a condition, with as few ``not`` as possible around it."""
    match condition:
        case syntax.Not(_, operand):
            return operand
        case syntax.Logic(at, operator, operands):
            return syntax.Logic(at, "or" if operator == "and" else "and", tuple(map(negated_condition, operands)))
        case syntax.Comparison(at, operator, left, right):
            return syntax.Comparison(at, _OPPOSITE[operator], left, right)  # type: ignore[arg-type]
    return syntax.Not(condition.at, condition)


def number_test(operator: Literal["==", "!="], of: syntax.Expression) -> syntax.Expression:
    """Returns the test that the number of a collection's items is 0, or is not."""
    return syntax.Comparison(of.at, operator, syntax.Size(of.at, of), syntax.Number(of.at, 0))


def standard_form(layout: Layout, condition: syntax.Expression) -> Any:
    """Returns a condition as one of those that mean the same, which has few kinds of tests.

    "Some card is such a one" is "the number of such cards is not 0"; ``<`` and ``>=`` are the only tests of order.
    """

    def change(node: syntax.Node) -> syntax.Node:
        found: dict[tuple[str, Any], Literal["==", "!="]]
        match node:
            case syntax.Not(_, operand):
                return negated_condition(operand)
            case syntax.Quantified(at, "any", over, variable, inner):
                return number_test("!=", syntax.Filter(at, over, variable, inner))
            case syntax.Quantified(at, "all", over, variable, inner):
                return number_test("==", syntax.Filter(at, over, variable, negated_condition(inner)))
            case syntax.Comparison(at, ">" | "<=" as operator, left, right):
                return change(syntax.Comparison(at, "<" if operator == ">" else ">=", right, left))
            case syntax.Comparison(_, operator, syntax.Size(_, of), number):
                found = {("<", 1): "==", (">=", 1): "!=", ("==", 0): "==", ("!=", 0): "!="}
            case syntax.Comparison(_, operator, number, syntax.Size(_, of)):
                found = {("<", 0): "!=", (">=", 0): "==", ("==", 0): "==", ("!=", 0): "!="}
            case _:
                return node
        kind = found.get((operator, layout.constant(number)))
        return node if kind is None else number_test(kind, of)

    return rebuilt(condition, change)


def conjuncts(condition: syntax.Expression) -> Iterator[syntax.Expression]:
    if isinstance(condition, syntax.Logic) and condition.operator == "and":
        for operand in condition.operands:
            yield from conjuncts(operand)
    else:
        yield condition


class Consequences:
    """The consequences of some conditions that hold."""

    def __init__(self, layout: Layout, holding: list[syntax.Expression]) -> None:
        self.layout = layout
        self.false: set[Shape] = set()
        self.true: set[Shape] = set()
        self.equal: dict[Shape, int | str] = {}
        for condition in holding:
            self.true.add(shape(condition))
            if isinstance(condition, syntax.Not):
                self.false.add(shape(condition.operand))
            if isinstance(condition, syntax.Comparison):
                left, right = shape(condition.left), shape(condition.right)
                self.false.add(("Comparison", (_OPPOSITE[condition.operator],), left, right))
                for one, other in ((left, condition.right), (right, condition.left)):
                    value = layout.constant(other)
                    if condition.operator == "==" and isinstance(value, int | str):
                        self.equal[one] = value

    def value_of(self, expression: syntax.Expression, faces: Mapping[int, int]) -> Any:
        """Returns the value of an expression, None if unknown; ``faces`` has those of cards, by their variables."""
        constant = self.layout.constant(expression)
        if constant is not None:
            return constant
        here = shape(expression)
        if here in self.true:
            return True
        if here in self.false:
            return False
        if here in self.equal:
            return self.equal[here]
        match expression:
            case syntax.CardAttribute(_, attribute, card):
                name = self.value_of(attribute, faces)
                card = syntax.strip_actual(card)
                if isinstance(name, str) and isinstance(card, syntax.Variable) and card.binding.number in faces:
                    return self.layout.face_value(faces[card.binding.number], name)
            case syntax.Not(_, operand):
                truth = self.value_of(operand, faces)
                return None if truth is None else not truth
            case syntax.Logic(_, operator, operands):
                values = [self.value_of(operand, faces) for operand in operands]
                decisive = operator == "or"
                if any(value is decisive for value in values):
                    return decisive
                return None if any(value is None for value in values) else not decisive
            case syntax.Comparison(_, operator, left, right):
                return self._compare(operator, left, right, faces)
        return None

    def _compare(
        self, operator: str, left: syntax.Expression, right: syntax.Expression, faces: Mapping[int, int]
    ) -> bool | None:
        a, b = self.value_of(left, faces), self.value_of(right, faces)
        if a is None or b is None:
            if operator not in ("==", "!="):
                return None
            # One side is known, and the other is never so.
            for value, other in ((a, right), (b, left)):
                if isinstance(value, str) and value not in self.layout.possible.of(other):
                    return operator == "!="
            return None
        return compare_values(operator, a, b)


def faces_of(layout: Layout, over: syntax.Expression, known: Consequences) -> list[int]:
    """Returns the faces that the cards of a collection can have, by its filters."""
    if isinstance(over, syntax.Filter) and over.kind is Kind.CARDS:
        among = faces_of(layout, over.over, known)
        return [face for face in among if known.value_of(over.condition, {over.variable.number: face}) is not False]
    return list(range(len(layout.faces)))


def is_public(layout: Layout, expression: Any, free: frozenset[int] = frozenset()) -> bool:
    """Whether all seats can work an expression out, given the cards that the variables in ``free`` are bound to."""
    if isinstance(expression, tuple):
        return all(is_public(layout, part, free) for part in expression)
    if not isinstance(expression, syntax.Node):
        return True
    match expression:
        case syntax.Variable(_, binding):
            return binding.number in free or binding.number in layout.constants
        case syntax.Size(_, syntax.Place(_, owner, _, name)):
            return is_public(layout, owner, free) and is_public(layout, name, free)
        case syntax.Place(_, owner, visibility, name):
            return visibility in ("vloc", "mem") and is_public(layout, owner, free) and is_public(layout, name, free)
        case syntax.NumberBin(_, owner, name) | syntax.StringBin(_, owner, name):
            storage = "sto" if isinstance(expression, syntax.NumberBin) else "str"
            known = layout.constant(name)
            hidden = bool(layout.private) and (known is None or (storage, known) in layout.private)
            return not hidden and is_public(layout, owner, free) and is_public(layout, name, free)
        case syntax.Random() | syntax.Extreme() | syntax.OwnerOfCard():
            return False
    variable = getattr(expression, "variable", None)
    if isinstance(variable, syntax.Binding):
        free = free | {variable.number}
    return all(is_public(layout, getattr(expression, f.name), free) for f in fields(expression) if f.name != "at")


def in_sight(layout: Layout, over: syntax.Node, seen: set[int] | None = None) -> bool:
    """Whether the player whose turn it is certainly sees all cards of a collection."""
    seen = set() if seen is None else seen  # variables that were looked at: one may stand in the text of many
    if isinstance(over, syntax.Place):
        own = isinstance(over.owner, syntax.CycleSeat) and over.owner.which == "current"
        if isinstance(over.owner, syntax.Variable):
            meant = layout.possible.bound.get(over.owner.binding.number)
            own = isinstance(meant, syntax.CycleSeat) and meant.which == "current"
        return over.visibility in ("vloc", "mem") or (over.visibility == "iloc" and own)
    parts: list[Any] = []
    match over:
        case syntax.Variable(_, binding):
            value = layout.possible.bound.get(binding.number)
            if value is None or binding.number in seen:
                return True
            seen.add(binding.number)
            return in_sight(layout, value, seen)
        case syntax.Filter():
            parts = [over.over]
        case syntax.Each():
            parts = [over.cards]
        case _:
            parts = [getattr(over, f.name) for f in fields(over) if f.name not in ("at", "using")]
    flat = [item for part in parts for item in (part if isinstance(part, tuple) else (part,))]
    return all(in_sight(layout, item, seen) for item in flat if isinstance(item, syntax.Node))


def told_by_options(layout: Layout, act: syntax.Act, in_parts: bool) -> bool:
    """Whether the options of an alternative can depend on hidden cards or on chance.

    Options ``in_parts`` are found by doing them, so that their effects show in later values.
    """

    def depends_on_hidden(node: syntax.Node) -> bool:
        if isinstance(node, syntax.Size) and isinstance(node.of, syntax.Place):
            return False
        if isinstance(node, syntax.Place):
            others = isinstance(node.owner, syntax.CycleSeat) and node.owner.which != "current" and layout.seats > 1
            return not in_sight(layout, node) and not (others and node.visibility == "oloc")
        return any(depends_on_hidden(part) for part in syntax.child_nodes(node))

    if in_parts and (
        involves_chance(act)
        or any(depends_on_hidden(move.card) for move in syntax.walk(act) if isinstance(move, syntax.Move))
    ):
        return True
    match act:
        case syntax.Guarded(_, condition, inner):
            return involves_chance(condition) or depends_on_hidden(condition) or told_by_options(layout, inner, False)
        case syntax.Let(_, value, _, inner):
            return involves_chance(value) or depends_on_hidden(value) or told_by_options(layout, inner, False)
        case syntax.ForEach(_, _, over, _, inner):
            blind = isinstance(over, syntax.Place)  # its size is public
            return (not blind and (involves_chance(over) or depends_on_hidden(over))) or told_by_options(
                layout, inner, False
            )
        case syntax.Do(_, acts):
            return any(told_by_options(layout, inner, False) for inner in acts)
    return False


def involves_chance(node: syntax.Node) -> bool:
    """Whether a node involves chance: a shuffle, a random number, one of equal cards."""
    return any(isinstance(part, syntax.Shuffle | syntax.Random | syntax.Extreme) for part in syntax.walk(node))

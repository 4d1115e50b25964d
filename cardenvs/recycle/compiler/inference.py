"""Faces that the cards of a hidden place cannot have, or of which it has one, when a condition is known to hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from cardenvs.recycle.compiler.conditions import is_public, negated_condition, shape
from cardenvs.recycle.compiler.layout import Layout
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.syntax import Kind

if TYPE_CHECKING:
    from cardenvs.recycle.compiler.writer import Writer

Test = Callable[[], str]
"""Writes, inside a loop over faces, whether a condition that holds rules the face ``other`` out; returns an atom."""


def by_faces(layout: Layout, condition: syntax.Expression, free: frozenset[int]) -> bool:
    """Whether all seats can work a condition out if they know the faces of the cards bound to some variables."""
    same = (syntax.Comparison, syntax.Combination)  # which ask for a card itself, not for its face
    return is_public(layout, condition, free) and not any(
        isinstance(node, same) and any(isinstance(part, syntax.Expression) and part.kind is Kind.CARD
                                       for part in syntax.child_nodes(node))
        for node in syntax.walk(condition)
    )  # fmt: skip


class Ruling:
    """Writes tests of the faces that the cards of a place cannot have where conditions hold.

    ``free`` are the variables that stand for public values, or for cards whose faces are public.
    """

    def __init__(self, writer: Writer, hidden: syntax.Place | None, free: frozenset[int]) -> None:
        self.writer, self.hidden, self.free = writer, hidden, free

    def is_public(self, condition: syntax.Expression) -> bool:
        return by_faces(self.writer.layout, condition, self.free)

    def test_of_all(self, conditions: list[syntax.Expression]) -> Test:
        """Returns the test of the faces that are ruled out where all conditions hold."""
        tests = [self.test_of(condition) for condition in conditions]
        return lambda: self._combine_tests(tests, "False", "not ")

    def test_of(self, condition: syntax.Expression) -> Test:
        """Returns the test of the faces that are ruled out where a condition holds."""
        if self.is_public(condition):
            truth = self.writer.write_condition  # what cannot have been rules everything out
            return lambda: self.writer.assign(f"not {truth(condition)}", "t")
        match condition:
            case syntax.Logic(_, "and", operands):
                return self.test_of_all(list(operands))
            case syntax.Logic(_, "or", operands):
                tests = [self.test_of(operand) for operand in operands]
                return lambda: self._combine_tests(tests, "True", "")
            case syntax.Not(_, operand) if not isinstance(negated_condition(operand), syntax.Not):
                return self.test_of(negated_condition(operand))
            case syntax.Quantified(_, "all", over, variable, inner) if self._is_hidden(over):
                return self._face_test(variable, inner, "not ")
            case syntax.Not(_, syntax.Quantified(_, "any", over, variable, inner)) if self._is_hidden(over):
                return self._face_test(variable, inner, "")
            case syntax.Comparison(_, operator, syntax.Size(_, syntax.Filter(_, over, variable, inner)), number):
                none = (operator, self.writer.layout.constant(number)) in (("==", 0), ("<=", 0), ("<", 1))
                if none and self._is_hidden(over):
                    return self._face_test(variable, inner, "")
        return lambda: "False"

    def test_of_some(self, condition: syntax.Expression) -> Test | None:
        """Returns the test of the faces of which the place has one where a condition holds; None if it tells none."""
        match condition:
            case syntax.Logic(_, "and", operands):
                return next((test for operand in operands if (test := self.test_of_some(operand)) is not None), None)
            case syntax.Not(_, operand) if not isinstance(negated_condition(operand), syntax.Not):
                return self.test_of_some(negated_condition(operand))
            case syntax.Quantified(_, "any", over, variable, inner) if self._is_hidden(over):
                return self._face_test(variable, inner, "") if self._is_face_test(variable, inner) else None
            case syntax.Comparison(_, operator, syntax.Size(_, syntax.Filter(_, over, variable, inner)), number):
                some = (operator, self.writer.layout.constant(number)) in (("!=", 0), (">", 0), (">=", 1))
                if some and self._is_hidden(over) and self._is_face_test(variable, inner):
                    return self._face_test(variable, inner, "")
        return None

    def _combine_tests(self, tests: list[Test], begin: str, negation: str) -> str:
        writer = self.writer
        result = writer.assign(begin, "t")
        for test in tests:
            with writer.block(f"if {negation}{result}:"):
                writer.emit(f"{result} = {test()}")
        return result

    def _is_hidden(self, over: syntax.Node) -> bool:
        return shape(over) == shape(self.hidden)

    def _is_face_test(self, variable: syntax.Binding, inner: syntax.Expression) -> bool:
        return by_faces(self.writer.layout, inner, self.free | {variable.number})

    def _face_test(self, variable: syntax.Binding, inner: syntax.Expression, negation: str) -> Test:
        """Returns the test of the faces that are ruled out where a condition holds for all cards of the place."""
        if not self._is_face_test(variable, inner):
            return lambda: "False"

        def write_test() -> str:
            self.writer.alias[variable.number] = "other"
            return self.writer.assign(f"{negation}{self.writer.write_condition(inner)}", "t")

        return write_test

"""A script as a graph of points between which a game moves."""

from dataclasses import dataclass
from typing import Any

from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.errors import Position


@dataclass(frozen=True)
class Program:
    """The points of a script; each list is indexed by point."""

    statements: list[Any]  # a stage, a choice, acts, or a stage whose turn ends; None for the end
    ends: list[bool]  # whether a stage's turn ends here
    following: list[int]  # the point behind the statement
    first: list[int]  # of a stage or its end: the first point of a turn
    within: list[Position]  # position of the surrounding stage or game


def build_program(description: syntax.Description) -> Program:
    """Returns the points of a script; the game begins at point 0."""
    made = Program([], [], [], [], [])

    def add_point(statement: Any, end: bool, around: syntax.Node) -> int:
        made.within.append(around.at)
        made.statements.append(statement)
        made.ends.append(end)
        made.following.append(-1)
        made.first.append(-1)
        return len(made.statements) - 1

    def lay_out(statements: tuple[syntax.Statement, ...], stage: syntax.Stage | None) -> tuple[int, int]:
        around = stage or description
        points: list[int] = []
        acts: list[syntax.Act] | None = None
        inner: list[tuple[int, syntax.Stage]] = []
        for statement in statements:
            if isinstance(statement, syntax.Act):
                if acts is None:
                    acts = []
                    points.append(add_point(acts, False, around))
                acts.append(statement)
                continue
            acts = None
            points.append(add_point(statement, False, around))
            if isinstance(statement, syntax.Stage):
                inner.append((points[-1], statement))
        end = add_point(stage, True, around)
        for point, after in zip(points, [*points[1:], end], strict=True):
            made.following[point] = after
        for point, one in inner:
            first, last = lay_out(one.body, one)
            made.first[point] = made.first[last] = first
            made.following[last] = made.following[point]
        return (points or [end])[0], end

    lay_out(description.body, None)
    return made

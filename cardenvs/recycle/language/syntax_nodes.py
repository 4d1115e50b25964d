"""What all nodes of the syntax tree have, variables, and how to walk the tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from enum import Enum

from cardenvs.recycle.language.errors import Position


class Kind(Enum):
    """What a value is; the text is how messages call it."""

    NUMBER = "a number"
    STRING = "a string"
    BOOLEAN = "a condition"
    CARD = "a card"
    SEAT = "a player"
    SIDE = "a team"
    CARDS = "cards"
    SETS = "sets of cards"
    NUMBERS = "numbers"
    NAMES = "names"
    SEATS = "players"
    SIDES = "teams"


ITEM_KINDS = {
    Kind.CARDS: Kind.CARD,
    Kind.SETS: Kind.CARDS,
    Kind.NUMBERS: Kind.NUMBER,
    Kind.NAMES: Kind.STRING,
    Kind.SEATS: Kind.SEAT,
    Kind.SIDES: Kind.SIDE,
    Kind.SIDE: Kind.SEAT,
}
"""The kinds that are collections, with the kind of their items; a team is the collection of its players."""


@dataclass(frozen=True)
class Node:
    """Anything in the tree.

    Attributes:
        at: where it stands in the text.
    """

    at: Position


class Expression(Node):
    """Whatever has a value."""

    @property
    def kind(self) -> Kind:
        """What the value is."""
        raise NotImplementedError


@dataclass(frozen=True)
class Binding(Node):
    """Where a variable gets its value: in ``declare``, ``let``, ``any``, ``all`` or ``filter``.

    Attributes:
        name: the variable's name, without its quote.
        number: the number of the binding in the description; no two have the same.
        kind: what is bound.
    """

    name: str
    number: int
    kind: Kind


@dataclass(frozen=True)
class Variable(Expression):
    """``'X``, whatever its kind."""

    binding: Binding

    @property
    def kind(self) -> Kind:
        return self.binding.kind


def parts(node: Node) -> Iterator[Node]:
    """The nodes directly below a node, in the order of the text as far as the classes keep it."""
    for field in fields(node):
        value = getattr(node, field.name)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, Node):
                yield part


def walk(node: Node) -> Iterator[Node]:
    """A node and all nodes below it, in the order of the text as far as the classes keep it."""
    yield node
    for part in parts(node):
        yield from walk(part)

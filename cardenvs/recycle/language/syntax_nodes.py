"""Base classes of the nodes of the syntax tree, variables, and walks over the tree."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any, dataclass_transform

from cardenvs.recycle.language.errors import Position


class Kind(Enum):
    """The kind of a value; the text is its name in messages."""

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

FORMS: dict[type[Any], str] = {}
"""The grammar: how the nodes of each class are written, in the order in which the classes are defined.

Of a form such as ``(run top|bottom NUMBER CARDS using MAP)``, words in small letters and signs stand as they are. The
fields of the node are what is chosen of ``top|bottom`` and the values that stand for words in capital letters, in this
order; if these are fewer than the fields, the first fields are None. ``'X`` binds a variable, to an item of the collection
before it or to the value before it. With ``..`` at the end the last word may stand more often, and all of these values are
one field. Between several forms stands ``or``; what is not in brackets, such as ``digits``, is only for messages.
"""


@dataclass_transform(frozen_default=True)
@dataclass(frozen=True)
class Node:
    """A node of the tree, with its position in the text; subclasses become frozen dataclasses, unless ``decorated``."""

    at: Position

    def __init_subclass__(cls, form: str = "", decorated: bool = False) -> None:
        if form:
            FORMS[cls] = form
        if not decorated:
            dataclass(frozen=True)(cls)


class Expression(Node):
    """A node that has a value, of the kind that its class is defined with."""

    def __init_subclass__(cls, form: str = "", kind: Kind | None = None) -> None:
        super().__init_subclass__(form)
        if kind is not None:
            cls.kind = kind  # type: ignore[method-assign, assignment]

    @property
    def kind(self) -> Kind:
        """The kind of the value."""
        raise NotImplementedError


class Binding(Node):
    """The binding of a variable to its value: in ``declare``, ``let``, ``any``, ``all`` or ``filter``."""

    name: str  # without its quote
    number: int  # unique in the description
    kind: Kind  # of the value


class Variable(Expression):
    """``'X``, of any kind."""

    binding: Binding

    @property
    def kind(self) -> Kind:
        return self.binding.kind


def child_nodes(node: Node) -> Iterator[Node]:
    """Yields the nodes directly below a node, mostly in the order of the text."""
    names: tuple[str, ...] = node.__match_args__[1:]  # of all fields but the position
    for name in names:
        value = getattr(node, name)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, Node):
                yield part


def walk(node: Node) -> Iterator[Node]:
    """Yields a node and all nodes below it, mostly in the order of the text."""
    yield node
    for part in child_nodes(node):
        yield from walk(part)

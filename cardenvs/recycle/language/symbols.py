"""Facts about a description's games before any is played: cards, places, bins, the strings that they can hold."""

import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.constants import MOST, Budget, arithmetic, constant_value
from cardenvs.recycle.language.errors import Position, RecycleError
from cardenvs.recycle.language.syntax import Face, Kind


class Owned(NamedTuple):
    """A place, a bin or a point map, of the game, of every player or of every team.

    Attributes:
        owner: whose it is.
        storage: ``vloc``, ``iloc``, ``hloc``, ``oloc``, ``mem``, ``sto``, ``str`` or ``points``.
        name: its name.
    """

    owner: Literal["game", "player", "team"]
    storage: str
    name: str


@dataclass(frozen=True)
class Statics:
    """The facts that hold in all games of a description.

    Attributes:
        decks: every deck that is made in the setup or in the script, copies counted once.
        attributes: the values of each attribute, in the order of the decks.
        places: where cards can lie, ``mem`` included, in the order of the text.
        bins: the ``sto`` and ``str`` bins.
        maps: the point maps.
        filled: the places in which cards are put.
        strings: the strings that a ``str`` bin can hold, by the bin's name, the empty one included.
        choices: the choices, by their numbers.
    """

    decks: tuple[syntax.CreateDeck, ...]
    attributes: dict[str, tuple[str, ...]]
    places: tuple[Owned, ...]
    bins: tuple[Owned, ...]
    maps: tuple[Owned, ...]
    filled: tuple[Owned, ...]
    strings: dict[str, frozenset[str]]
    choices: tuple[syntax.Choice, ...]

    @property
    def faces(self) -> tuple[Face, ...]:
        """The different faces of all cards, in the order in which decks make them."""
        return tuple(dict.fromkeys(face for deck in self.decks for face in deck.faces))


MOST_NUMERALS = 100
"""The most numbers that one expression may stand for where a name must stand."""


def is_numeral(name: str) -> bool:
    """Whether a name is a number."""
    return name.lstrip("-").isdigit()


def _limit_numbers(found: frozenset[int] | None) -> frozenset[int] | None:
    """Returns the numbers, or None if there are too many."""
    return found if found is not None and len(found) <= MOST_NUMERALS else None


class Numbers:
    """Finds the numbers that an expression can be, from the numbers in the text.

    Args:
        declared: the values of the declared constants, by the numbers of their bindings.
        bound: what the other variables are bound to, or take their values from.
    """

    def __init__(
        self,
        description: syntax.Description,
        declared: Mapping[int, syntax.Constant],
        bound: Mapping[int, syntax.Expression],
    ) -> None:
        self.declared, self.bound, self._budget = declared, bound, Budget()
        self._writes = [one for one in syntax.walk(description) if isinstance(one, syntax.SetNumber | syntax.Change)]
        self._asked: set[syntax.Expression] = set()
        """The names of the bins that are being looked at: what stands in a bin may depend on it."""

    def of(self, expression: syntax.Expression) -> frozenset[int] | None:
        """Returns the possible values of a number, or of a collection's members; None if unknown or too many."""
        return _limit_numbers(self.all_of(expression))

    def all_of(self, expression: syntax.Expression) -> frozenset[int] | None:
        """Returns the same as `of`, but any number of values that the text lists."""
        value = constant_value(expression, self.declared, self._budget)
        if value is not None:
            return frozenset(one for one in (value if isinstance(value, tuple) else (value,)) if isinstance(one, int))
        match expression:
            case syntax.Filter(_, over):
                return self.all_of(over)
            case syntax.Variable(_, binding) if binding.number in self.bound:
                return self.all_of(self.bound[binding.number])
            case syntax.Random(at, low, high):
                with contextlib.suppress(RecycleError):  # a range may be too long where a number drawn from it is not
                    return self.of(syntax.Range(at, low or syntax.Number(at, 0), high))
            case syntax.Arithmetic(at, operator, left, right):
                return _limit_numbers(self._combine(operator, self.of(left), self.of(right), at))
            case syntax.NumberBin(_, _, name):
                return _limit_numbers(self._held_numbers(name))
            case syntax.Setting(_, _, choices):
                return frozenset(choices)
        return None

    @staticmethod
    def _combine(
        operator: str, left: frozenset[int] | None, right: frozenset[int] | None, at: Position
    ) -> frozenset[int] | None:
        """Returns all results of an operation; pairs without a result, as in a division by 0, are left out."""
        if left is None or right is None:
            return None
        found = set()
        for a in left:
            for b in right:
                with contextlib.suppress(RecycleError):
                    found.add(arithmetic(operator, a, b, at))
        return frozenset(found)

    def _held_numbers(self, name: syntax.Expression) -> frozenset[int] | None:
        """Returns the numbers that bins of a name can hold; a computed name can be any."""
        if name in self._asked:
            return None
        self._asked.add(name)
        found: frozenset[int] | None = frozenset({0})
        for write in self._writes:
            other = write.bin.name
            if isinstance(name, syntax.Name) and isinstance(other, syntax.Name) and name.text != other.text:
                continue
            values = self.of(write.value) if isinstance(write, syntax.SetNumber) else None
            if found is not None:
                found = None if values is None else found | values
        self._asked.remove(name)
        return found


ANY_BIN = ""
"""Key for the bins whose names are computed; no name is empty."""


class Strings:
    """Finds the strings that an expression can be, from the names in the text and the values on the cards.

    Args:
        attributes: the values of each attribute.
    """

    def __init__(self, description: syntax.Description, attributes: dict[str, tuple[str, ...]]) -> None:
        self.attributes = attributes
        self.declared = {one.variable.number: one.constant for one in description.declarations}
        self.bound: dict[int, syntax.Expression] = {}
        self.numbers = Numbers(description, self.declared, self.bound)
        self.bins: dict[str, frozenset[str]] = {}
        assignments: list[syntax.SetString] = []
        for node in syntax.walk(description):
            if isinstance(node, syntax.ForEach | syntax.Quantified | syntax.Filter | syntax.Each):
                self.bound[node.variable.number] = node.over
            elif isinstance(node, syntax.Let):
                self.bound[node.variable.number] = node.value
            elif isinstance(node, syntax.SetString):
                assignments.append(node)
            if isinstance(node, syntax.StringBin) and isinstance(node.name, syntax.Name):
                self.bins[node.name.text] = frozenset({""})
        self.numerals = self._numerals(description)
        # Bins are copied to bins, and their names may stand in bins: what reads a bin is looked at again when that grows.
        readers: dict[str, list[syntax.SetString]] = {}
        for node in assignments:
            for part in (*syntax.walk(node.value), *syntax.walk(node.bin.name)):
                if isinstance(part, syntax.StringBin) and isinstance(part.name, syntax.Name):
                    readers.setdefault(part.name.text, []).append(node)
                elif isinstance(part, syntax.StringBin | syntax.Variable):
                    readers.setdefault(ANY_BIN, []).append(node)
        waiting = dict.fromkeys(range(len(assignments)))
        numbers = {id(node): number for number, node in enumerate(assignments)}
        while waiting:
            node = assignments[waiting.popitem()[0]]
            values = self.of(node.value)
            for name in self.of(node.bin.name):
                before = self.bins.get(name)
                self.bins[name] = values | (before or {""})
                if self.bins[name] != before:
                    again = (*readers.get(name, ()), *readers.get(ANY_BIN, ()))
                    waiting.update(dict.fromkeys(numbers[id(one)] for one in again))

    def _numerals(self, description: syntax.Description) -> frozenset[str]:
        """Returns all numbers that are certainly names; a computed name of unknown value is taken to be one of these."""
        found: set[str] = set()
        for node in syntax.walk(description):
            if isinstance(node, syntax.Name) and is_numeral(node.text):
                found.add(node.text)
            elif isinstance(node, syntax.Numeral):
                found |= {str(number) for number in self.numbers.of(node.number) or ()}
        return frozenset(found)

    def of(self, expression: syntax.Expression) -> frozenset[str]:
        """Returns the possible values of a string, or of the members of a list of names."""
        match expression:
            case syntax.Name(_, text):
                return frozenset({text})
            case syntax.NameList(_, names):
                return frozenset(names)
            case syntax.Variable(_, binding) if binding.number in self.declared:
                value = self.declared[binding.number]
                members = value if isinstance(value, tuple) else (value,)
                return frozenset(member for member in members if isinstance(member, str))
            case syntax.Variable(_, binding):
                return self.of(self.bound[binding.number])
            case syntax.Filter(_, over):
                return self.of(over)
            case syntax.Numeral(_, number):
                numbers = self.numbers.of(number)
                return self.numerals if numbers is None else frozenset(map(str, numbers))
            case syntax.CardAttribute(_, attribute):
                values = (self.attributes.get(name, ()) for name in self.of(attribute))
                return frozenset({""}).union(*values)
            case syntax.StringBin(_, _, name):
                return frozenset({""}).union(*(self.bins.get(text, frozenset()) for text in self.of(name)))
        return frozenset()


def statics(description: syntax.Description) -> Statics:
    """The facts that hold in all games of a description.

    Places and bins whose names are computed count under all the names that they can have.
    """
    nodes = list(syntax.walk(description))
    decks = tuple(node for node in nodes if isinstance(node, syntax.CreateDeck))
    attributes: dict[str, dict[str, None]] = {}
    for deck in decks:
        for face in deck.faces:
            for attribute, value in face:
                attributes.setdefault(attribute, {})[value] = None
    values = {attribute: tuple(found) for attribute, found in attributes.items()}
    strings = Strings(description, values)

    def owned(found: Iterable[syntax.Node]) -> tuple[Owned, ...]:
        listed = (one for node in found for one in owned_of(node, strings))
        return tuple(dict.fromkeys(listed))

    filled: list[syntax.Node] = []
    for node in nodes:
        if isinstance(node, syntax.Move | syntax.Remember):
            filled.append(node.to.place)
        elif isinstance(node, syntax.CreateDeck):
            filled.append(node.place)
    return Statics(
        decks,
        values,
        owned(node for node in nodes if isinstance(node, syntax.Place)),
        owned(node for node in nodes if isinstance(node, syntax.NumberBin | syntax.StringBin)),
        owned(node for node in nodes if isinstance(node, syntax.PointMap)),
        owned(filled),
        strings.bins,
        tuple(node for node in nodes if isinstance(node, syntax.Choice)),
    )


def owned_of(node: syntax.Node, strings: Strings) -> list[Owned]:
    """A place, bin or map under all the names that it can have."""
    assert isinstance(node, syntax.Place | syntax.NumberBin | syntax.StringBin | syntax.PointMap)
    owner: Literal["game", "player", "team"] = "game"
    if isinstance(node.owner, syntax.Expression):
        owner = "player" if node.owner.kind is Kind.SEAT else "team"
    if isinstance(node, syntax.Place):
        storage: str = node.visibility
    else:
        storage = {syntax.NumberBin: "sto", syntax.StringBin: "str", syntax.PointMap: "points"}[type(node)]
    return [Owned(owner, storage, name) for name in sorted(strings.of(node.name), key=_name_key)]


def _name_key(name: str) -> tuple[int, str]:
    """Sort key of a name: numbers as numbers, in front."""
    return (int(name), "") if is_numeral(name) else (MOST, name)

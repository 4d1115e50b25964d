"""Symmetries of described games: values of an attribute, such as suits, whose exchange leaves the game as it is.

Two values are alike if the description is the same once they have changed places in it: in what it compares, in what cards
score, in the faces of its decks. What is the same in other words is not found, and neither is what holds for several
exchanges at once alone, such as that of both suits of a colour for those of the other.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

from cardenvs.contract.fields import Games
from cardenvs.contract.symmetry import Symmetry
from cardenvs.recycle.compiler.encoding import Encoding
from cardenvs.recycle.compiler.layout import Layout
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.syntax import Kind

_MOST_VALUES = 6  # values of an attribute that has a symmetry; all orders of more are too many to be listed


def symmetries(layout: Layout, encoding: Encoding, permuted: Callable[[Any, Sequence[int]], Games]) -> tuple[Symmetry, ...]:
    """The symmetries of a described game, one for each attribute that has values which are alike.

    Args:
        layout: the game's layout.
        encoding: how it is observed.
        permuted: ``(state, cards) -> Games``: the start of a state's deal with other cards in place of each.
    """
    if encoding.actions.levels or _unshuffled(layout.description):
        return ()  # options in parts go by faces' numbers, or decks lie as they are written
    values: dict[str, list[str]] = {}
    for _, face in layout.faces:
        for attribute, value in face:
            if value not in values.setdefault(attribute, []):
                values[attribute].append(value)
    found = []
    for attribute, names in values.items():
        groups = _alike(layout, names) if len(names) <= _MOST_VALUES else []
        if any(len(group) > 1 for group in groups):
            found.append(_symmetry(layout, attribute, names, groups, permuted))
    return tuple(found)


def _unshuffled(description: syntax.Description) -> bool:
    """Whether the description never shuffles where it has put a deck."""
    plain = _Plain({}, True)
    nodes = [node for statement in description.body for node in syntax.walk(statement)]
    shuffled = {repr(plain.of(node.place)) for node in nodes if isinstance(node, syntax.Shuffle)}
    decks = [deck.create for deck in description.decks] + [node for node in nodes if isinstance(node, syntax.CreateDeck)]
    return not {repr(plain.of(deck.place)) for deck in decks} <= shuffled


def _alike(layout: Layout, names: Sequence[str]) -> list[list[str]]:
    """Groups of names that are alike, each name in one."""
    used = {one.name for one, _ in (*layout.places, *layout.numbers, *layout.texts, *layout.maps)}
    script = _plain_script(layout.description, {})
    groups: list[list[str]] = []
    for name in names:
        for group in groups:
            exchange = {name: group[0], group[0]: name}
            if not used & exchange.keys() and _plain_script(layout.description, exchange) == script:
                group.append(name)
                break
        else:
            groups.append([name])
    return groups


def _plain_script(description: syntax.Description, names: Mapping[str, str]) -> Any:
    """The description with some names in place of others, in a form that is equal for what means the same."""
    everything = [*description.declarations, *description.body, description.scoring]
    nodes = (node for one in everything for node in syntax.walk(one))
    # Where something is done for each of some names in turn, their order counts.
    in_turn = any(isinstance(node, syntax.ForEach) and node.over.kind is Kind.NAMES for node in nodes if _is_all(node))
    plain = _Plain(names, not in_turn)
    decks = sorted(repr((deck.copies, plain.of(deck.create))) for deck in description.decks)
    return decks, [plain.of(one) for one in everything]


def _is_all(node: syntax.Node) -> bool:
    """Whether a node does something for all items, not for one that is chosen."""
    return getattr(node, "quantifier", None) == "all"


class _Plain:
    """Makes tuples of nodes, with some names in place of others and what has no order sorted."""

    def __init__(self, names: Mapping[str, str], unordered: bool) -> None:
        self._names, self._unordered = names, unordered

    def of(self, value: Any) -> Any:
        """A node, a field of one or a tuple of these, in plain tuples."""
        match value:
            case syntax.Binding():
                return value.number
            case syntax.CreateDeck():
                faces = sorted(sorted((name, self.of(text)) for name, text in face) for face in value.faces)
                return value.deck, self.of(value.place), faces
            case syntax.NameList():
                named = [self.of(name) for name in value.names]
                return sorted(named) if self._unordered else named
            case syntax.Declaration():
                return value.variable.number, self.of(value.value)
            case syntax.SetMap():
                return "map", self.of(value.map), self._sorted(value.awards)
            case syntax.Award():
                return self._sorted(value.keys), self.of(value.points)
            case syntax.Logic():
                return value.operator, self._sorted(value.operands)
            case syntax.Comparison(_, "==" | "!=" as operator, left, right):
                return operator, self._sorted((left, right))
            case syntax.Node():
                parts = (self.of(getattr(value, field.name)) for field in fields(value) if field.name != "at")
                return type(value).__name__, *parts
            case tuple():
                return tuple(map(self.of, value))
            case str():
                return self._names.get(value, value)
        return value

    def _sorted(self, values: Sequence[Any]) -> list[Any]:
        """Some nodes in an order that does not depend on how they are written."""
        return sorted(map(self.of, values), key=repr)


def _symmetry(
    layout: Layout,
    attribute: str,
    names: list[str],
    groups: list[list[str]],
    permuted: Callable[[Any, Sequence[int]], Games],
) -> Symmetry:
    """The symmetry of an attribute's names, of which those of a group may be exchanged."""
    several = list(map(list, itertools.product(*(itertools.permutations(group) for group in groups))))
    own = list(itertools.chain(*groups))
    permutations = []
    for orders in several:
        new = dict(zip(own, itertools.chain(*orders), strict=True))
        permutations.append(tuple(names.index(new[name]) for name in names))
    assert len(permutations) == math.prod(math.factorial(len(group)) for group in groups)

    def renamed(text: str, permutation: Sequence[int]) -> str:
        """A label with the names exchanged in it, in capitals or not."""
        words = {name: names[new] for name, new in zip(names, permutation, strict=True)}
        words |= {name.lower(): new.lower() for name, new in words.items()}
        return re.sub(r"[^-.:@]+", lambda word: words.get(word[0], word[0]), text)

    def dealt(state: Any, permutation: Sequence[int]) -> Games:
        """The start of a state's deal with the names exchanged on all cards."""
        return permuted(state, list(_other_cards(layout, names, permutation)))

    return Symmetry(attribute.lower(), tuple(permutations), renamed, dealt, recalled=False, canonical=True)


def _other_cards(layout: Layout, names: Sequence[str], permutation: Sequence[int]) -> Iterator[int]:
    """By number of a card that of the card which it becomes; of cards of one face the order stays."""
    words = {name: names[new] for name, new in zip(names, permutation, strict=True)}
    cards: dict[Any, list[int]] = {}
    for number, (deck, face) in enumerate(layout.cards):
        cards.setdefault((deck, face), []).append(number)
    seen: Counter[Any] = Counter()
    for deck, face in layout.cards:
        other = cards[deck, tuple((attribute, words.get(value, value)) for attribute, value in face)]
        yield other[seen[deck, face]]
        seen[deck, face] += 1

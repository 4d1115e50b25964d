"""Symmetries of described games: values of an attribute, such as suits, whose exchange leaves the game as it is.

Two values are symmetric if exchanging them in the description (comparisons, scores, faces of decks) leaves it the same up
to order. Differently worded equivalents are not found, nor are symmetries of several exchanges at once, such as suits of a
colour.
"""

import itertools
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
    """Returns the symmetries of attributes; ``permuted(state, cards)`` is the start of a deal with other cards."""
    if encoding.actions.levels or _has_unshuffled_deck(layout.description):
        return ()  # options in parts go by faces' numbers, or decks lie as they are written
    values: dict[str, list[str]] = {}
    for _, face in layout.faces:
        for attribute, value in face:
            if value not in values.setdefault(attribute, []):
                values[attribute].append(value)
    found = []
    for attribute, names in values.items():
        groups = _group_symmetric(layout, names) if len(names) <= _MOST_VALUES else []
        if any(len(group) > 1 for group in groups):
            found.append(_make_symmetry(layout, attribute, names, groups, permuted))
    return tuple(found)


def _has_unshuffled_deck(description: syntax.Description) -> bool:
    plain = _Plain({}, True)
    nodes = [node for statement in description.body for node in syntax.walk(statement)]
    shuffled = {repr(plain.to_plain(node.place)) for node in nodes if isinstance(node, syntax.Shuffle)}
    decks = [deck.create for deck in description.decks] + [node for node in nodes if isinstance(node, syntax.CreateDeck)]
    return not {repr(plain.to_plain(deck.place)) for deck in decks} <= shuffled


def _group_symmetric(layout: Layout, names: Sequence[str]) -> list[list[str]]:
    """Groups symmetric names; each name is in one group."""
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
    """Returns the description with names replaced, in a form that is equal for equal meanings."""
    everything = [*description.declarations, *description.body, description.scoring]
    nodes = (node for one in everything for node in syntax.walk(one))
    # Where something is done for each of some names in turn, their order counts.
    in_turn = any(isinstance(node, syntax.ForEach) and node.over.kind is Kind.NAMES for node in nodes if _is_all(node))
    plain = _Plain(names, not in_turn)
    decks = sorted(repr((deck.copies, plain.to_plain(deck.create))) for deck in description.decks)
    return decks, [plain.to_plain(one) for one in everything]


def _is_all(node: syntax.Node) -> bool:
    return getattr(node, "quantifier", None) == "all"


class _Plain:
    """Converts nodes to tuples, with names replaced and unordered parts sorted."""

    def __init__(self, names: Mapping[str, str], unordered: bool) -> None:
        self._names, self._unordered = names, unordered

    def to_plain(self, value: Any) -> Any:
        match value:
            case syntax.Binding():
                return value.number
            case syntax.CreateDeck():
                faces = sorted(sorted((name, self.to_plain(text)) for name, text in face) for face in value.faces)
                return value.deck, self.to_plain(value.place), faces
            case syntax.NameList():
                named = [self.to_plain(name) for name in value.names]
                return sorted(named) if self._unordered else named
            case syntax.Declaration():
                return value.variable.number, self.to_plain(value.value)
            case syntax.SetMap():
                return "map", self.to_plain(value.map), self._sorted(value.awards)
            case syntax.Award():
                return self._sorted(value.keys), self.to_plain(value.points)
            case syntax.Logic():
                return value.operator, self._sorted(value.operands)
            case syntax.Comparison(_, "==" | "!=" as operator, left, right):
                return operator, self._sorted((left, right))
            case syntax.Node():
                parts = (self.to_plain(getattr(value, field.name)) for field in fields(value) if field.name != "at")
                return type(value).__name__, *parts
            case tuple():
                return tuple(map(self.to_plain, value))
            case str():
                return self._names.get(value, value)
        return value

    def _sorted(self, values: Sequence[Any]) -> list[Any]:
        """Sorts converted nodes, so that their order in the text does not count."""
        return sorted(map(self.to_plain, values), key=repr)


def _make_symmetry(
    layout: Layout,
    attribute: str,
    names: list[str],
    groups: list[list[str]],
    permuted: Callable[[Any, Sequence[int]], Games],
) -> Symmetry:
    """Returns the symmetry of an attribute in which the names of a group may be exchanged."""
    own = list(itertools.chain(*groups))
    permutations = []
    for orders in itertools.product(*map(itertools.permutations, groups)):
        new = dict(zip(own, itertools.chain(*orders), strict=True))
        permutations.append(tuple(names.index(new[name]) for name in names))

    def rename_label(text: str, permutation: Sequence[int]) -> str:
        """Exchanges the names in a label, in capitals or not."""
        words = {name: names[new] for name, new in zip(names, permutation, strict=True)}
        words |= {name.lower(): new.lower() for name, new in words.items()}
        return re.sub(r"[^-.:@]+", lambda word: words.get(word[0], word[0]), text)

    def deal_renamed(state: Any, permutation: Sequence[int]) -> Games:
        return permuted(state, list(_other_cards(layout, names, permutation)))

    return Symmetry(attribute.lower(), tuple(permutations), rename_label, deal_renamed, recalled=False, canonical=True)


def _other_cards(layout: Layout, names: Sequence[str], permutation: Sequence[int]) -> Iterator[int]:
    """Yields, by card, the number of the card that it becomes; cards of one face keep their order."""
    words = {name: names[new] for name, new in zip(names, permutation, strict=True)}
    cards: dict[Any, list[int]] = {}
    for number, (deck, face) in enumerate(layout.cards):
        cards.setdefault((deck, face), []).append(number)
    seen: Counter[Any] = Counter()
    for deck, face in layout.cards:
        other = cards[deck, tuple((attribute, words.get(value, value)) for attribute, value in face)]
        yield other[seen[deck, face]]
        seen[deck, face] += 1

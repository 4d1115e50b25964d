"""Places whose order matters: a script reads their top, their bottom, or the order of their cards."""

import itertools
from collections.abc import Container
from typing import NamedTuple, TypeGuard

from cardenvs.recycle.compiler.conditions import shape
from cardenvs.recycle.compiler.layout import Layout
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.symbols import Owned, owned_of
from cardenvs.recycle.language.syntax import Kind


class OrderedPlaces(NamedTuple):
    """The places whose order matters."""

    tops: set[Owned]
    bottoms: set[Owned]
    ordered: set[Owned]


def ordered_places(layout: Layout) -> OrderedPlaces:
    """Returns the places whose order matters from the first decision on.

    Reading the order does not count where all cards of a place go, in sequence, to where no order matters.
    """
    nodes = (*layout.in_play, *layout.behind_secrets)
    whole = {
        id(node.prim.card): node.prim.to.place for node in nodes
        if isinstance(node, syntax.RepeatAll) and isinstance(node.prim, syntax.Move)
        and isinstance(node.prim.card, syntax.CardAt) and shape(node.prim.card.cards) == shape(node.cards)
    }  # fmt: skip
    while True:
        found = _find_ordered(layout, nodes, whole)
        kept = {card: to for card, to in whole.items() if set().union(*found).isdisjoint(owned_of(to, layout.possible))}
        if len(kept) == len(whole):
            return found
        whole = kept


def _find_ordered(layout: Layout, nodes: tuple[syntax.Node, ...], but: Container[int]) -> OrderedPlaces:
    """Returns the places whose order nodes read, except the nodes with an ``id`` in ``but``."""
    found = OrderedPlaces(set(), set(), set())
    for node in nodes:
        if id(node) in but:
            continue
        if isinstance(node, syntax.CardAt) and isinstance(node.cards, syntax.Place):
            into = {"top": found.tops, "bottom": found.bottoms}.get(str(node.index), found.ordered)
            into.update(owned_of(node.cards, layout.possible))
        elif isinstance(node, syntax.CardAt | syntax.Take | syntax.EndRun):
            for place in places_in(layout, node.cards):
                found.ordered.update(owned_of(place, layout.possible))
    return found


def places_in(layout: Layout, expression: syntax.Node, seen: set[int] | None = None) -> list[syntax.Place]:
    """Returns the places in an expression, and in the values of its variables."""
    found = []
    seen = set() if seen is None else seen
    bound = layout.possible.bound
    for node in syntax.walk(expression):
        if isinstance(node, syntax.Place):
            found.append(node)
        elif isinstance(node, syntax.Variable) and node.binding.number in bound and node.binding.number not in seen:
            seen.add(node.binding.number)
            found += places_in(layout, bound[node.binding.number], seen)
    return found


def loses_sight(layout: Layout, indexed: Container[int]) -> bool:
    """Whether a seat can lose sight of cards that it has seen, as it does not see which of a hidden place go on.

    ``indexed`` are the variables that stand for cards whose index in their place all know.
    """
    strings, known, ordered = layout.possible, set[Owned](), set[Owned]().union(*ordered_places(layout))
    moves = [node for node in layout.nodes if isinstance(node, syntax.Move)]
    for _ in layout.places:
        for move in moves:
            goal = move.to.place
            for home in places_in(layout, move.card) if goal.visibility != "vloc" else ():
                if _is_covered(home, goal) or not known.isdisjoint(owned_of(home, strings)):
                    known.update(owned_of(goal, strings))
    homes = [node.place for node in layout.in_play if isinstance(node, syntax.Shuffle)]
    for move in (node for node in layout.in_play if isinstance(node, syntax.Move)):
        card = move.card.card if isinstance(move.card, syntax.Actual) else move.card
        at = isinstance(card, syntax.CardAt) and isinstance(card.cards, syntax.Place)
        if not at and not (isinstance(card, syntax.Variable) and card.binding.number in indexed):
            out = move.to.place.visibility != "vloc"
            homes += [home for home in places_in(layout, card) if out or ordered & set(owned_of(home, strings))]
    return any(not known.isdisjoint(owned_of(home, strings)) for home in homes)


def _is_covered(home: syntax.Place, goal: syntax.Place) -> bool:
    if home.visibility in ("iloc", "oloc"):
        of_players = isinstance(home.owner, syntax.Expression) and home.owner.kind is Kind.SEAT
        same = home.visibility == goal.visibility and shape(home.owner) == shape(goal.owner)
        return (of_players or home.visibility == "oloc") and not same
    return home.visibility == "vloc"


def exchangeable_groups(layout: Layout, act: syntax.Act) -> list[int]:
    """Returns, for each ``any``, the first one whose value it can change places with, as for discards; -1 for none.

    Such are ``any``s over one collection, one behind the other, with equal acts that have the same effect in any order:
    they move cards to where no order matters, and add independent amounts to numbers.
    """
    anys = [node for node in syntax.walk(act) if isinstance(node, syntax.ForEach) and node.quantifier == "any"]
    groups = [-1] * len(anys)
    if any(isinstance(node, syntax.ForEach) and node.quantifier == "all" for node in syntax.walk(act)):
        return groups
    places = set().union(*ordered_places(layout))
    behind = _following_anys(act)
    for k, one in enumerate(anys):
        other = behind.get(id(one))
        if other is None or not _are_exchangeable(one, other):
            continue
        if all(_commutes(layout, places, part, one.variable) for part in _own_acts(one)):
            number = next(j for j, node in enumerate(anys) if node is other)
            groups[k] = groups[k] if groups[k] >= 0 else k
            groups[number] = groups[k]
    return groups


def _following_anys(act: syntax.Act) -> dict[int, syntax.ForEach]:
    """Returns, by ``id`` of an ``any``, the one directly behind it, with no condition between them."""
    found: dict[int, syntax.ForEach] = {}
    for node in syntax.walk(act):
        if isinstance(node, syntax.Do):
            for one, other in itertools.pairwise(node.acts):
                if _is_any(one) and _is_any(other):
                    found[id(one)] = other
        elif _is_any(node):
            inner = node.act.acts[-1] if isinstance(node.act, syntax.Do) else node.act
            if _is_any(inner):
                found[id(node)] = inner
    return found


def _is_any(node: syntax.Node) -> TypeGuard[syntax.ForEach]:
    return isinstance(node, syntax.ForEach) and node.quantifier == "any"


def _own_acts(one: syntax.ForEach) -> list[syntax.Act]:
    acts = list(one.act.acts) if isinstance(one.act, syntax.Do) else [one.act]
    return acts[:-1] if _is_any(acts[-1]) else acts


def _are_exchangeable(one: syntax.ForEach, other: syntax.ForEach) -> bool:
    """Whether two ``any``s have equal collections and acts; further acts of the second must not use its card."""
    first, second = _own_acts(one), _own_acts(other)
    done, last = second[: len(first)], second[len(first) :]
    acts = [shape(tuple(listed), {of.variable.number: 0}) for listed, of in ((first, one), (done, other))]
    variables = {node.binding.number for act in last for node in syntax.walk(act) if isinstance(node, syntax.Variable)}
    same = acts[0] == acts[1] and shape(one.over) == shape(other.over)
    return one.variable.kind is Kind.CARD and same and other.variable.number not in variables


def _commutes(layout: Layout, ordered: set[Owned], act: syntax.Act, variable: syntax.Binding) -> bool:
    """Whether an act has the same effect before and behind another like it."""
    match act:
        case syntax.Move(_, syntax.Variable(_, binding), to):
            return binding.number == variable.number and ordered.isdisjoint(owned_of(to.place, layout.possible))
        case syntax.Change(_, _, target, syntax.Score(_, syntax.Variable(_, binding), using)):
            named = all(layout.constant(node.name) is not None for node in (target, using))
            return named and binding.number == variable.number
        case syntax.Change(_, _, target, amount):
            return layout.constant(target.name) is not None and layout.constant(amount) is not None
        case syntax.TurnPass():
            return True
    return False

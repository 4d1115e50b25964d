"""State fields that determine the remaining game, and those that are constant from the first decision on.

The former are the places, bins and maps that the script ever reads; the key of a position hashes them
(`cardenvs.recycle.running.keys`). Others are written for people to see, and knowledge of cards changes only what players
choose.
"""

from collections.abc import Iterator

from cardenvs.recycle.compiler.layout import Layout
from cardenvs.recycle.compiler.ordering import places_in
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.symbols import owned_of

Read = syntax.Place | syntax.NumberBin | syntax.StringBin | syntax.PointMap
"""Kinds of expressions by which a script asks for what is in the game."""


def state_key_tables(layout: Layout) -> dict[str, list[int]]:
    """Returns the numbers of the places, numbers, strings and maps that the script reads, by table."""
    asked = list(_find_reads(layout, (*layout.description.body, layout.description.scoring)))
    strings = layout.possible
    found = {}
    for table, kind, slots in (
        ("KEY_PLACES", syntax.Place, layout.place_slots),
        ("KEY_NUMBERS", syntax.NumberBin, layout.number_slots),
        ("KEY_TEXTS", syntax.StringBin, layout.text_slots),
        ("KEY_MAPS", syntax.PointMap, layout.map_slots),
    ):
        owned = {one for node in asked if isinstance(node, kind) for one in owned_of(node, strings)}
        if kind is syntax.Place and any(isinstance(node, syntax.OwnerOfCard) for node in layout.nodes):
            owned |= {one for one in slots if one.owner == "player" and one.storage != "mem"}
        spans = [slots[one] for one in owned]
        found[table] = sorted(span.first + k for span in spans for k in range(span.count))
    return found


def fixed_tables(layout: Layout) -> dict[str, list[int]]:
    """Returns the numbers of the public places, numbers and strings that no act in play changes, by table."""
    changed = {
        one
        for node in layout.in_play
        for place in _changed_places(layout, node)
        for one in owned_of(place, layout.possible)
    }
    found = {}
    for table, listed in (
        ("FIXED_PLACES", layout.places), ("FIXED_NUMBERS", layout.numbers), ("FIXED_TEXTS", layout.texts),
    ):  # fmt: skip
        found[table] = [
            k for k, (one, _) in enumerate(listed)
            if one not in changed and one.storage in ("vloc", "mem", "sto", "str")
            and (one.storage, one.name) not in layout.private
        ]  # fmt: skip
    return found


def _changed_places(layout: Layout, node: syntax.Node) -> list[Read]:
    match node:
        case syntax.Move(_, card, to):
            return [*places_in(layout, card), to.place]
        case syntax.Remember(_, _, to):
            return [to.place]
        case syntax.Forget(_, _, place) | syntax.Shuffle(_, place) | syntax.CreateDeck(_, _, place):
            return [place]
        case syntax.SetNumber(_, target) | syntax.SetString(_, target) | syntax.Change(_, _, target):
            return [target]
    return []


def _find_reads(layout: Layout, nodes: tuple[syntax.Node, ...]) -> Iterator[Read]:
    """Yields the places, bins and maps that some nodes read, not only write."""
    for node in nodes:
        match node:
            case syntax.Tell():
                continue  # which changes what players know, and nothing else
            case (
                syntax.SetNumber(_, target, value) | syntax.SetString(_, target, value) | syntax.Change(_, _, target, value)
            ):
                inner: tuple[syntax.Node, ...] = (*syntax.child_nodes(target), value)
            case syntax.SetMap(_, target, awards):
                inner = (*syntax.child_nodes(target), *awards)
            case syntax.Target(_, index, place):
                inner = (*syntax.child_nodes(place), *([] if isinstance(index, str) else [index]))
            case _:
                inner = tuple(syntax.child_nodes(node))
                if isinstance(node, Read):
                    yield node
        yield from _find_reads(layout, inner)

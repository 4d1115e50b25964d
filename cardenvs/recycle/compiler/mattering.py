"""What of a position matters for what can still happen: the places, bins and maps that the script ever asks for.

Other places and bins are written for people to see, or hold what is done with; what is known and was told of cards decides
nothing but what players choose. `cardenvs.recycle.running.keys` makes a number of what matters.
"""

from __future__ import annotations

from collections.abc import Iterator

from cardenvs.recycle.compiler.layout import Layout
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.symbols import owned_of

Asked = syntax.Place | syntax.NumberBin | syntax.StringBin | syntax.PointMap
"""What a script can ask for."""


def mattering(layout: Layout) -> dict[str, list[int]]:
    """The numbers of the places, numbers, strings and maps that matter, by the names of tables."""
    asked = list(_asked(layout, (*layout.description.body, layout.description.scoring)))
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


def _asked(layout: Layout, nodes: tuple[syntax.Node, ...]) -> Iterator[Asked]:
    """The places, bins and maps in some nodes that are asked for there, not only written."""
    for node in nodes:
        match node:
            case syntax.Tell():
                continue  # which changes what players know, and nothing else
            case (
                syntax.SetNumber(_, target, value) | syntax.SetString(_, target, value) | syntax.Change(_, _, target, value)
            ):
                inner: tuple[syntax.Node, ...] = (*syntax.parts(target), value)
            case syntax.SetMap(_, target, awards):
                inner = (*syntax.parts(target), *awards)
            case syntax.Target(_, index, place):
                inner = (*syntax.parts(place), *([] if isinstance(index, str) else [index]))
            case _:
                inner = tuple(syntax.parts(node))
                if isinstance(node, Asked):
                    yield node
        yield from _asked(layout, inner)

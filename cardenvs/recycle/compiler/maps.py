"""Point maps as tables: the points of every card by each act that sets a map, where they are constant."""

from typing import Any

import numpy as np

from cardenvs.recycle.compiler.layout import Layout
from cardenvs.recycle.language import syntax

Entry = tuple[int, int]
"""Attribute, value or points of an award: 0 and its value, or 1 and its number among those worked out when a map is set."""


def map_tables(layout: Layout) -> dict[str, Any]:
    """Returns the tables by which `cardenvs.recycle.running.values.fill_awards` fills point maps.

    By act that sets a map, ``MAP_BASE`` has the points of every card by constant awards, ``MAP_AWARDS`` the first and the
    number of its other awards. ``AWARDS`` has their points, the first and the number of their keys; ``AWARD_KEYS`` an
    attribute and a value. Each of these takes two entries, see `Entry`.
    """
    base = np.zeros((len(layout.set_maps), len(layout.cards)), np.int64)
    spans: list[list[int]] = []
    awards: list[list[int]] = []
    keys: list[list[int]] = []
    for number, act in enumerate(layout.set_maps):
        told = {id(part): k for k, part in enumerate(layout.changing[number])}
        first = len(awards)
        for award in act.awards:
            points = _encode_entry(layout, award.points, told)
            wanted = [
                (_encode_entry(layout, key.attribute, told), _encode_entry(layout, key.value, told)) for key in award.keys
            ]
            if points[0] or any(part[0] for pair in wanted for part in pair):
                awards.append([*points, len(keys), len(wanted)])
                keys += [[*attribute, *value] for attribute, value in wanted]
            else:
                base[number, _matching_cards(layout, award)] += points[1]
        spans.append([first, len(awards) - first])
    return {
        "MAP_BASE": base if len(base) else [[0]], "MAP_AWARDS": spans or [[0, 0]],
        "AWARDS": awards or [[0] * 4], "AWARD_KEYS": keys or [[0] * 4],
    }  # fmt: skip


def _encode_entry(layout: Layout, part: syntax.Expression, told: dict[int, int]) -> Entry:
    known = layout.constant(part)
    if known is None:
        return 1, told[id(part)]
    assert isinstance(known, str | int)
    return 0, layout.code[known] if isinstance(known, str) else known


def _matching_cards(layout: Layout, award: syntax.Award) -> list[int]:
    wanted = [(str(layout.constant(key.attribute)), layout.constant(key.value)) for key in award.keys]
    faces = [all(layout.face_value(face, name) == text for name, text in wanted) for face in range(len(layout.faces))]
    return [card for card, face in enumerate(layout.face_of) if faces[face]]

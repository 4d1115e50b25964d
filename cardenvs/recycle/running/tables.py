"""The tables of a described game for the kernels that all described games share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

Kernel = Callable[..., Any]  # a compiled function

SECRET, FULL, TOP, BOTTOM, BARRED, MEM = range(6)  # columns of the table PLACE_PARTS
REPEATED = 2  # entry of the column MEM for a ``mem`` that can have a card twice

_ARRAYS = {
    "parts": "PLACE_PARTS", "turned": "TURNED_PLACES", "turned_numbers": "TURNED_NUMBERS",
    "turned_texts": "TURNED_TEXTS", "turned_maps": "TURNED_MAPS", "faces": "FACES", "by_face": "BY_FACE",
    "face_start": "FACE_START", "marks": "FACE_MARKS", "backs": "BACKS",
    "seen_by": "SEEN_BY", "depths": "DEPTHS", "pool": "POOL",
    "number_spans": "NUMBER_SPANS", "text_spans": "TEXT_SPANS", "private_of_numbers": "PRIVATE_NUMBERS",
    "private_of_texts": "PRIVATE_TEXTS", "private_all": "PRIVATE_ALL", "number_kinds": "NUMBER_KINDS",
    "private_owners": "PRIVATE_OWNERS", "private_slots": "PRIVATE_SLOTS", "is_text": "PRIVATE_IS_TEXT",
    "private_pool": "PRIVATE_POOL", "turned_private": "TURNED_PRIVATE", "team_of": "TEAM_OF",
    "part_actions": "PART_ACTIONS", "many": "MANY", "made_firsts": "MADE_FIRSTS", "made_counts": "MADE_COUNTS",
    "value_parts": "MAP_VALUE_PARTS", "points": "POINTS", "hidden_rules": "HIDDEN_RULES", "slotted": "SLOTTED",
    "visible": "VISIBLE", "owners": "OWNERS", "action_faces": "ACTION_FACES", "is_done": "IS_DONE",
    "groups": "NUMBER_GROUPS", "claims": "CLAIMS", "turned_claims": "TURNED_CLAIMS", "key_places": "KEY_PLACES",
    "key_numbers": "KEY_NUMBERS", "key_texts": "KEY_TEXTS", "key_maps": "KEY_MAPS", "ordered": "ORDERED",
    "fixed_places": "FIXED_PLACES", "fixed_numbers": "FIXED_NUMBERS", "fixed_texts": "FIXED_TEXTS",
}  # fmt: skip
"""By the names that kernels have for them, the tables of `cardenvs.recycle.compiler.module.Module`: arrays of int64."""
_INTS = {
    "heap_size": "HEAP", "traced": "TRACED", "tells": "TELLS", "number_bins": "NUMBER_BINS",
    "text_bins": "TEXT_BINS", "map_count": "MAP_BINS", "place_count": "PLACE_COUNT", "teams": "TEAM_COUNT",
    "sites": "SITES", "actions": "ACTIONS", "words": "WORDS", "most_count": "MOST_COUNT", "privates": "PRIVATE_COUNT",
    "levels": "LEVELS", "count_bits": "COUNT_BITS", "part_count": "PART_COUNT",
    "shuffles": "SHUFFLES", "events": "MOST_EVENTS", "decisions": "MOST_DECISIONS",
    "opening_draws": "OPENING_DRAWS", "chance_in_play": "CHANCE_IN_PLAY",
    "check_bits": "CHECK_BITS", "event_bits": "EVENT_BITS", "face_bits": "FACE_BITS", "place_bits": "PLACE_BITS",
}  # fmt: skip
"""By the names that kernels have for them, the numbers of that module: ints."""


class Tables(SimpleNamespace):
    """The tables of a game: `_ARRAYS`, `_INTS`, and values derived from them."""

    def __init__(self, tables: Mapping[str, Any], seats: int) -> None:
        arrays: dict[str, Any] = {name: np.asarray(tables[key], np.int64) for name, key in _ARRAYS.items()}
        super().__init__(**arrays, **{name: int(tables[key]) for name, key in _INTS.items()}, seats=seats)
        self.total_cards, self.total_faces = len(self.faces), len(self.face_start) - 1
        self.memories = self.parts[:, MEM].copy()
        self.heights = self.total_cards.bit_length()
        self.other_backs = int(self.backs.max())

"""The tables of a described game for the kernels that all described games share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from cardenvs.compiled.bits import Ints

Kernel = Callable[..., Any]  # a compiled function

SECRET, MEM, CARDS, ORDER, TOP, BOTTOM, BACKS, SLOTS, PERHAPS = range(9)
"""Columns of the table PLACE_PARTS: whether some seats do not see a place, whether it is a ``mem``, and the first column of
each part of the observation that its kernels write, -1 for none. ``ORDER`` has the height of each card, or each card."""
PLACE_COLUMNS = 9
REPEATED = 2  # entry of the column MEM for a ``mem`` that can have a card twice


@dataclass(frozen=True)
class Tables:
    """The layout of a described game: numbers, and arrays of int64 with an entry or a row for each of its things.

    They are the tables of `cardenvs.recycle.compiler.module.Module` with the same names in capitals. Kernels cannot use the
    object itself: reading an array from a tuple or a record of constants takes numba fifteen times as long to compile as a
    constant of its own.
    """

    # numbers of things
    seats: int
    place_count: int
    number_bins: int
    text_bins: int
    map_bins: int
    private_count: int
    sites: int
    actions: int
    words: int  # of the legal actions' bits
    levels: int  # the most parts of an option
    part_count: int  # of an observation
    tells: int  # acts that tell
    heap: int  # numbers on the heap of a kernel
    most_count: int  # the most options that are counted for an action
    count_bits: int  # of such a count in an observation
    counts_at: int  # the first column of these counts; -1 if no action stands for several options
    traced: int  # whether lost cards are traced
    shuffles: int  # that a STATE keeps
    most_events: int
    most_decisions: int
    opening_draws: int  # whether chance other than shuffles plays a part in the opening
    chance_in_play: int  # whether chance plays a part behind the first decision; 2 inside of options
    check_bits: int  # of a check of what was seen, and the bits of an action, a face and a place in recall
    event_bits: int
    face_bits: int
    place_bits: int

    # cards and places
    faces: Ints  # of each card
    backs: Ints  # of each card
    by_face: Ints  # the cards, by face
    face_start: Ints  # the first of a face's cards among these; and their number
    face_marks: Ints  # of each face, whether it has each mark
    place_parts: Ints  # of each place, the columns of this table
    owners: Ints  # of each place, its seat; -1 for none
    seen_by: Ints  # of each place, the seats that see it, as bits; and all seats
    ordered: Ints  # of each place, whether an index in it matters
    slotted: Ints  # of each place, whether single cards of it are told of
    claims: Ints  # of each claim, its act and its place

    # what a seat counts otherwise: by seat, the numbers of its places, bins and claims
    turned_places: Ints
    turned_numbers: Ints
    turned_texts: Ints
    turned_maps: Ints
    turned_private: Ints
    turned_claims: Ints
    team_of: Ints  # of each seat

    # bins
    number_groups: Ints  # of each number, its group in a check
    map_widths: Ints  # of each map, how many of its values change
    private_owners: Ints  # of each private bin, whose it is (0 the game's, 1 a player's, 2 a team's) and that one's number
    private_slots: Ints  # of each private bin, its place in ``numbers`` or ``texts``
    private_is_text: Ints
    private_pool: Ints  # of each private bin, where its values begin in ``pool``, and how many there are
    pool: Ints

    # choices and actions
    points: Ints  # of each choice, its point in the script; and the last point
    depths: Ints  # of each choice, how many stages it is in
    hidden_rules: Ints  # of each choice, whether what can be done depends on hidden cards
    visible: Ints  # (choices, actions), whether all see what is done
    action_faces: Ints  # of each action, the only face that it names, or -1
    is_done: Ints  # of each action, whether it ends an option
    many: Ints  # the actions that can stand for several options

    # what can still matter, and what is fixed by the opening: numbers of places and bins
    key_places: Ints
    key_numbers: Ints
    key_texts: Ints
    key_maps: Ints
    fixed_places: Ints
    fixed_numbers: Ints
    fixed_texts: Ints

    @classmethod
    def of(cls, tables: Mapping[str, Any]) -> Tables:
        """Returns the tables of a module."""
        found: dict[str, Any] = {}
        for one in fields(cls):
            table = tables[one.name.upper()]
            found[one.name] = int(table) if one.type == "int" else np.asarray(table, np.int64)
        return cls(**found)

    @property
    def total_cards(self) -> int:
        return len(self.faces)

    @property
    def total_faces(self) -> int:
        return len(self.face_marks)

    @property
    def memories(self) -> Ints:
        """Of each place, whether it is a ``mem``."""
        return self.place_parts[:, MEM].copy()

    @property
    def heights(self) -> int:
        """The bits of a card's height in a place."""
        return self.total_cards.bit_length()

    @property
    def other_backs(self) -> int:
        return int(self.backs.max())

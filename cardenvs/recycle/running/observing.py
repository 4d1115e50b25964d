"""Observations of a described game: the parts for cards of places, and what a view has beside the declared parts.

Declared parts (`cardenvs.contract.layout`) are written and read by kernels that are generated from their sources. Here are
the other ones, each at its column of the table PLACE_PARTS: a place is a collection, and which copy of a face a card of a
view is, is settled only when all places are read.
"""

from typing import Any

import numpy as np

from cardenvs.compiled.bits import Bytes, Ints, read_bits, write_bits
from cardenvs.compiled.jit import closure, helper, kernel
from cardenvs.recycle.running.tables import (
    BACKS,
    BOTTOM,
    CARDS,
    MEM,
    ORDER,
    PERHAPS,
    REPEATED,
    SLOTS,
    TOP,
    Kernel,
    Tables,
)


@helper
def _get_one_hot(rows: Bytes, row: Any, column: Any, count: Any) -> Any:
    """Reads a one-hot value, -1 for none."""
    for k in range(count):
        if rows[row, column + k]:
            return np.int64(k)
    return np.int64(-1)


@helper
def _get_marked(rows: Bytes, row: Any, column: Any, marks: Ints) -> Any:
    """Reads the face whose row of ``marks``, int64 (faces, n), is written from a column on; -1 for none."""
    for face in range(len(marks)):
        for k in range(marks.shape[1]):
            if rows[row, column + k] != marks[face, k]:
                break
        else:
            return np.int64(face)
    return np.int64(-1)


@kernel
def _bring_card(cards: Any, place: Any, size: Any, face: Any, spot: Any, faces: Ints) -> None:
    """Moves a card of a face, or an unknown one for -1, to a spot of a place of a view."""
    if size == 0:
        return
    at = np.int64(-1)
    for k in range(size):
        card = np.int64(cards[place, k])
        if (face < 0 and card <= 0) or (face >= 0 and card > 0 and faces[card - 1] == face):
            at = np.int64(k)
    if at >= 0:
        cards[place, at], cards[place, spot] = cards[place, spot], cards[place, at]


def make_observe_kernel(name: str, t: Tables, write_declared: Kernel) -> Kernel:
    parts, faces, face_start, by_face, place_count = t.place_parts, t.faces, t.face_start, t.by_face, t.place_count
    heights, other_backs, total_cards, total_faces = t.heights, t.other_backs, t.total_cards, t.total_faces
    marks, total_marks = t.face_marks, t.face_marks.shape[1]
    many, count_bits, counts_at = t.many, t.count_bits, t.counts_at

    @closure(f"{name}.observe")
    def observe(views: Any, i: Any, out: Bytes, row: Any) -> None:
        v = views[i]
        for k in range(out.shape[1]):
            out[row, k] = 0
        write_declared(views, i, out, row)
        counted = np.zeros(total_faces, np.int64)
        slot = np.int64(0)
        for p in range(place_count):
            size, column, order = np.int64(v.sizes[p]), parts[p, CARDS], parts[p, ORDER]
            counted.fill(0)
            for k in range(size):
                if v.cards[p, k] > 0:
                    face = faces[v.cards[p, k] - 1]
                    at = face_start[face] + counted[face]
                    counted[face] += 1
                    if at < face_start[face + 1]:
                        out[row, column + at] = 1
                        if order >= 0 and parts[p, MEM] != REPEATED:
                            write_bits(out, row, order + at * heights, k + 1, heights)
            for k in range(size if parts[p, MEM] == REPEATED else 0):
                for mark in range(total_marks):
                    out[row, order + k * total_marks + mark] = marks[faces[v.cards[p, k] - 1], mark]
            if parts[p, TOP] >= 0 and size > 0 and v.cards[p, size - 1] > 0:
                out[row, parts[p, TOP] + faces[v.cards[p, size - 1] - 1]] = 1
            if parts[p, BOTTOM] >= 0 and size > 0 and v.cards[p, 0] > 0:
                out[row, parts[p, BOTTOM] + faces[v.cards[p, 0] - 1]] = 1
            for k in range(size if parts[p, BACKS] >= 0 else 0):
                if v.cards[p, k] < 0:
                    out[row, parts[p, BACKS] + k * other_backs - np.int64(v.cards[p, k]) - 1] = 1
            for k in range(size if parts[p, SLOTS] >= 0 else 0):
                for face in range(total_faces):
                    bit = v.ruled[0, slot + k, face // 63] >> (face % 63) & 1
                    out[row, parts[p, SLOTS] + k * total_faces + face] = bit
            for k in range(total_cards if parts[p, PERHAPS] >= 0 else 0):
                out[row, parts[p, PERHAPS] + k] = v.traces[0, by_face[k]] >> p & 1
            slot += size if parts[p, MEM] == 0 else 0
        for k in range(len(many)):
            write_bits(out, row, counts_at + k * count_bits, int(v.counts[many[k]]), count_bits)

    return observe


def make_decode_kernel(
    name: str, t: Tables, read_declared: Kernel, settle: Kernel, fill_map: Kernel, note_options: Kernel
) -> Kernel:
    parts, faces, by_face, face_start = t.place_parts, t.faces, t.by_face, t.face_start
    place_count, heights, other_backs, total_cards = t.place_count, t.heights, t.other_backs, t.total_cards
    total_faces, marks, total_marks = t.total_faces, t.face_marks, t.face_marks.shape[1]
    map_count, sites, actions, levels, points = t.map_bins, t.sites, t.actions, t.levels, t.points
    many, count_bits, counts_at = t.many, t.count_bits, t.counts_at

    @closure(f"{name}.decode_places")
    def decode_places(observations: Bytes, row: Any, views: Any, j: Any) -> None:
        """Reads the places of a view, blank but for its declared parts."""
        v = views[j]
        slot = np.int64(0)
        for p in range(place_count):
            known = np.int64(0)
            for face in range(total_faces):
                for k in range(face_start[face], face_start[face + 1]):
                    if observations[row, parts[p, CARDS] + k]:
                        v.cards[p, known] = by_face[face_start[face]] + 1
                        known += 1
            size, order = max(np.int64(v.sizes[p]), known), parts[p, ORDER]
            for k in range(total_cards if parts[p, MEM] == REPEATED else 0):
                face = _get_marked(observations, row, order + k * total_marks, marks)
                if face >= 0:
                    v.cards[p, k] = by_face[face_start[face]] + 1
                    size = np.int64(k) + 1
            v.sizes[p] = size
            if order >= 0 and parts[p, MEM] != REPEATED:
                for k in range(size):
                    v.cards[p, k] = 0
                for at in range(total_cards):
                    height = read_bits(observations, row, order + at * heights, heights)
                    if 0 < height <= total_cards:
                        v.cards[p, height - 1] = by_face[at] + 1
            if parts[p, TOP] >= 0:
                face = _get_one_hot(observations, row, parts[p, TOP], total_faces)
                _bring_card(v.cards, p, size, face, size - 1, faces)
            if parts[p, BOTTOM] >= 0:
                face = _get_one_hot(observations, row, parts[p, BOTTOM], total_faces)
                _bring_card(v.cards, p, size, face, np.int64(0), faces)
            for k in range(size if parts[p, SLOTS] >= 0 else 0):
                for face in range(total_faces):
                    one = np.int64(observations[row, parts[p, SLOTS] + k * total_faces + face])
                    v.ruled[0, slot + k, face // 63] |= one << (face % 63)
            for k in range(total_cards if parts[p, PERHAPS] >= 0 else 0):
                v.traces[0, by_face[k]] |= np.int64(observations[row, parts[p, PERHAPS] + k]) << p
            slot += size if parts[p, MEM] == 0 else np.int64(0)
        settle(views, j)
        for p in range(place_count):
            for k in range(v.sizes[p] if parts[p, BACKS] >= 0 else 0):
                for back in range(other_backs):
                    if v.cards[p, k] <= 0 and observations[row, parts[p, BACKS] + k * other_backs + back]:
                        v.cards[p, k] = -back - 1

    @closure(f"{name}.decode")
    def decode(observations: Bytes, row: Any, views: Any, j: Any) -> None:
        views[j] = np.zeros_like(views[j : j + 1])[0]
        v = views[j]
        v.chosen.fill(-1)
        read_declared(observations, row, views, j)
        decode_places(observations, row, views, j)
        note_options(views, j)
        for m in range(map_count):
            fill_map(views, j, m)
        for level in range(levels):
            if v.chosen[level] >= 0:
                v.partial = level + 1
        v.point = points[v.site] if v.site >= 0 else points[sites]
        for action in range(actions):
            v.counts[action] = v.legal_words[action >> 6] >> (action & 63) & 1
        for k in range(len(many)):
            v.counts[many[k]] = read_bits(observations, row, counts_at + k * count_bits, count_bits)
        v.imagined = 1

    return decode

"""Numbers and cards of an observation, written and read."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardenvs.compiled.bits import Bytes, Ints
from cardenvs.compiled.jit import helper, kernel


@helper
def view_sort_key(card: Any, faces: Ints) -> Any:
    """Sort key of a card of a view: known ones by face, then unknown ones by their backs."""
    return faces[card - 1] if card > 0 else np.int64(1 << 20) - card


@helper
def put_one_hot(out: Bytes, row: Any, column: Any, value: Any, count: Any) -> Any:
    """Writes a value one-hot, nothing for -1; returns the next column."""
    if 0 <= value < count:
        out[row, column + value] = 1
    return column + count


@helper
def get_one_hot(rows: Bytes, row: Any, column: Any, count: Any) -> Any:
    """Reads a one-hot value, -1 for none."""
    for k in range(count):
        if rows[row, column + k]:
            return np.int64(k)
    return np.int64(-1)


@helper
def get_marked(rows: Bytes, row: Any, column: Any, marks: Ints) -> Any:
    """Reads the face whose row of ``marks``, int64 (faces, n), is written from a column on; -1 for none."""
    for face in range(len(marks)):
        for k in range(marks.shape[1]):
            if rows[row, column + k] != marks[face, k]:
                break
        else:
            return np.int64(face)
    return np.int64(-1)


@kernel
def put_number(out: Bytes, row: Any, column: Any, value: Any, kind: Any, first: Any, count: Any, pool: Ints) -> Any:
    """Writes a number in binary (kind 0), or one-hot over a piece of the pool; returns the next column."""
    if kind == 0:
        return put_bits(out, row, column, value, count)
    for k in range(count):
        if pool[first + k] == value:
            out[row, column + k] = 1
    return column + count


@helper
def put_bits(out: Bytes, row: Any, column: Any, value: Any, bits: Any) -> Any:
    for bit in range(bits):
        out[row, column + bit] = value >> bit & 1
    return column + bits


@helper
def get_bits(rows: Bytes, row: Any, column: Any, bits: Any) -> Any:
    value = np.int64(0)
    for bit in range(bits):
        value |= np.int64(rows[row, column + bit]) << bit
    return value


@kernel
def get_number(rows: Bytes, row: Any, column: Any, kind: Any, first: Any, count: Any, pool: Ints) -> Any:
    """Reads what `put_number` wrote; 0 for nothing."""
    if kind == 0:
        value = get_bits(rows, row, column, count)
        if value >> (count - 1) & 1:
            value -= np.int64(1) << count
        return value
    for k in range(count):
        if rows[row, column + k]:
            return pool[first + k]
    return np.int64(0)


@kernel
def is_coded(value: Any, kind: Any, first: Any, count: Any, pool: Ints) -> Any:
    if kind == 0:
        return -(np.int64(1) << (count - 1)) <= value < np.int64(1) << (count - 1)
    found = False
    for k in range(count):
        found = found or pool[first + k] == value
    return found


@kernel
def bring_card(cards: Any, place: Any, size: Any, known: Any, face: Any, spot: Any, faces: Ints) -> None:
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

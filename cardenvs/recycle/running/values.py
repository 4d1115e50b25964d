"""Kernels for values that are no collections: numbers, turns, point maps, private bins, random streams."""

from typing import Any

import numpy as np

from cardenvs.compiled.bits import Ints
from cardenvs.compiled.jit import helper, kernel
from cardenvs.compiled.streams import _GOLDEN, _mix
from cardenvs.recycle.running.places import KEEP_ORDERS, PLAN_ORDERS


@helper
def next_turn(turns: Any, queue: Any, depth: Any, count: Any) -> Any:
    """Returns the player or team whose turn is next: the queued one, or else the one after the current one."""
    return np.int64(queue[depth]) if queue[depth] >= 0 else np.int64((turns[depth] + 1) % count)


@kernel
def fill_awards(games: Any, i: Any, scores: Any, base: Ints, spans: Ints, awards: Ints, keys: Ints, values: Ints) -> None:
    """Works out the points of every card from the act that set a map and its noted values; 0 if none did.

    ``base`` is ``MAP_BASE`` of `cardenvs.recycle.compiler.maps.map_tables`, ``spans`` ``MAP_AWARDS``; ``values`` is int64
    (strings, cards), the value of each attribute of each card.
    """
    g = games[i]
    act = g.map_made[scores] - 1
    for card in range(base.shape[1]):
        g.maps[scores, card] = base[act, card] if act >= 0 else 0
    if act < 0:
        return
    for award in range(spans[act, 0], spans[act, 0] + spans[act, 1]):
        points = g.map_values[scores, awards[award, 1]] if awards[award, 0] else awards[award, 1]
        first, behind = awards[award, 2], awards[award, 2] + awards[award, 3]
        attribute, value = _award_key(games, i, scores, keys, first)
        for card in range(base.shape[1]):
            if values[attribute, card] == value:
                fits = True
                for k in range(first + 1, behind):
                    other, wanted = _award_key(games, i, scores, keys, k)
                    fits = fits and values[other, card] == wanted
                if fits:
                    g.maps[scores, card] += points


@helper
def _award_key(games: Any, i: Any, scores: Any, keys: Ints, k: Any) -> Any:
    g = games[i]
    attribute = g.map_values[scores, keys[k, 1]] if keys[k, 0] else keys[k, 1]
    value = g.map_values[scores, keys[k, 3]] if keys[k, 2] else keys[k, 3]
    return attribute, value


FIBONACCI = np.zeros(93, np.int64)
FIBONACCI[1] = 1
for _k in range(2, 93):
    FIBONACCI[_k] = FIBONACCI[_k - 1] + FIBONACCI[_k - 2]


@helper
def quotient(a: Any, b: Any) -> Any:
    """Returns ``a / b``, rounded towards zero."""
    result = abs(a) // abs(b)
    return result if (a < 0) == (b < 0) else -result


@helper
def remainder(a: Any, b: Any) -> Any:
    """Returns the remainder of ``a / b``, with the sign of ``a``."""
    return a - quotient(a, b) * b


@kernel
def power(a: Any, b: Any) -> Any:
    """Returns ``a`` to the power of ``b >= 0``; -2**63 on overflow."""
    result = np.int64(1)
    left = np.int64(b)
    if a in (-1, 0, 1) and left > 2:
        left = np.int64(2 + left % 2)
    for _ in range(min(left, np.int64(64))):
        if abs(float(result) * float(a)) >= 9.2e18:
            return np.int64(-(2**63))
        result *= a
    return result


@kernel
def value_bit(games: Any, i: Any, secret: Any, slots: Ints, is_text: Ints, spans: Ints, pool: Ints) -> Any:
    """Returns the bit of a private bin's value; 0 for an impossible value."""
    g = games[i]
    value = np.int64(g.texts[slots[secret]]) if is_text[secret] else np.int64(g.numbers[slots[secret]])
    for k in range(spans[secret, 1]):
        if pool[spans[secret, 0] + k] == value:
            return np.int64(1) << k
    return np.int64(0)


@helper
def is_single(bits: Any) -> Any:
    return bits & (bits - 1) == 0


@helper
def choice_stream(games: Any, i: Any) -> Any:
    """Returns the random stream inside the options of a decision, the same for all options and calls."""
    g = games[i]
    return _mix(g.source + _GOLDEN * np.uint64(g.decisions + 1))


@helper
def draw_anew(games: Any, i: Any) -> None:
    """Changes the random stream if ``redrawn`` asks for it behind this many actions."""
    g = games[i]
    if g.ordering == KEEP_ORDERS or g.ordering == PLAN_ORDERS:
        for k in range(len(g.redrawn)):
            if g.redrawn[k, 0] == g.moves:
                g.source = np.uint64(g.redrawn[k, 1])
                g.stream = g.source

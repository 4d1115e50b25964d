"""Kernels for the start and the course of a described game."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardenvs.compiled.bits import Ints
from cardenvs.compiled.jit import helper, kernel, unrolled
from cardenvs.contract.loops import EPISODE_OVER, RUNNING
from cardenvs.recycle.running.places import DRAW, PLAN_ORDERS, clear_tellings
from cardenvs.recycle.running.traces import forget_traces

UNFIT = 2
"""Value of ``imagined`` in a world that does not fit what its seat knows, options included: none was found that fits."""


@kernel
def clear_heap(heap: Ints, count: Any) -> None:
    for k in range(count):
        heap[k] = 0


@kernel
def start_game(games: Any, i: Any, chance: Any, deck_places: Ints, setup: Any, seen_by: Ints, private_first: Ints) -> None:
    """Sets a game to the start of its script, with all cards of the setup in their places."""
    g = games[i]
    g.point = 0
    g.site = -1
    for k in range(len(g.seat_turn)):
        g.seat_turn[k] = g.zero
        g.seat_queue[k] = -1
    for k in range(len(g.side_turn)):
        g.side_turn[k] = 0
        g.side_queue[k] = -1
    for p in range(len(g.sizes)):
        g.sizes[p] = 0
        for k in range(g.cards.shape[1]):
            g.cards[p, k] = 0
            g.known[p, k] = 0
        for k in range(g.barred.shape[1]):
            g.barred[p, k] = 0
    for k in range(len(g.where)):
        g.where[k] = -1
    forget_traces(games, i)
    for k in range(len(g.numbers)):
        g.numbers[k] = 0
    for k in range(len(g.texts)):
        g.texts[k] = 0
    for m in range(len(g.map_made)):
        g.map_made[m] = 0
        for k in range(g.maps.shape[1]):
            g.maps[m, k] = 0
        for k in range(g.map_values.shape[1]):
            g.map_values[m, k] = 0
    g.chance = chance
    g.source = chance
    g.stream = chance
    g.shuffled = 0
    g.imagined = g.ordering == PLAN_ORDERS
    if g.watcher:
        g.digest = 0
        for k in range(len(g.labels)):
            g.labels[k] = -1
    g.partial = 0
    for k in range(len(g.chosen)):
        g.chosen[k] = -1
    g.decisions = 0
    forget_told(games, i)
    for k in range(len(g.maybe)):
        g.maybe[k] = private_first[k]
    g.to_act = -1
    g.over = RUNNING
    g.moves = 0
    for k in range(len(g.history)):
        g.history[k] = 0
    for card in range(setup):
        p = deck_places[card]
        g.cards[p, g.sizes[p]] = card + 1
        g.known[p, g.sizes[p]] = seen_by[p]
        g.sizes[p] += 1
        g.where[card] = p


@kernel
def forget_orders(games: Any, i: Any) -> None:
    """Leaves all shuffles and other chance to the random stream."""
    g = games[i]
    if g.ordering == DRAW:
        return
    g.ordering = DRAW
    for j in range(len(g.orders)):
        for k in range(g.orders.shape[1]):
            g.orders[j, k] = 0
    for k in range(len(g.redrawn)):
        g.redrawn[k, 0] = 0
        g.redrawn[k, 1] = 0


@helper
def forget_told(games: Any, i: Any) -> None:
    g = games[i]
    clear_tellings(games, i)
    for k in range(len(g.some)):
        for word in range(g.some.shape[1]):
            g.some[k, word] = 0
    for seat in range(len(g.heard)):
        g.heard[seat] = 0
        for k in range(g.told.shape[1]):
            g.told[seat, k] = 0
        for card in range(g.ruled.shape[1]):
            for word in range(g.ruled.shape[2]):
                g.ruled[seat, card, word] = 0


@kernel
def forget_past(views: Any, j: Any) -> None:
    """Blanks the fields that only recall of the order of play uses."""
    v = views[j]
    if v.watcher == 0 and v.digest == 0:
        return
    v.watcher = 0
    v.digest = 0
    for k in range(len(v.labels)):
        v.labels[k] = 0
    for number in range(len(v.pins)):
        for k in range(v.pins.shape[1]):
            v.pins[number, k] = 0
            v.lies[number, k] = 0
        for face in range(v.holds.shape[1]):
            v.holds[number, face] = 0
    for k in range(len(v.checks)):
        v.checks[k] = 0


@kernel
def without_past(views: Any, j: Any) -> None:
    """Blanks the fields that a view does not show: chance, and the actions so far."""
    v = views[j]
    forget_orders(views, j)
    forget_past(views, j)
    v.chance = np.uint64(0)
    v.source = np.uint64(0)
    v.stream = np.uint64(0)
    v.shuffled = 0
    v.imagined = 1
    v.moves = 0
    for k in range(len(v.history)):
        v.history[k] = 0


@unrolled
def set_options(games: Any, i: Any, heap: Ints, depths: Ints, words: Any, most: Any) -> None:
    """Copies the legal actions from ``H``, and sets the seat to act."""
    g = games[i]
    for word in range(words):
        g.legal_words[word] = heap[word] if g.over == RUNNING else 0
    for action in range(len(g.counts)):
        g.counts[action] = min(heap[words + action], most) if g.over == RUNNING else 0
    g.to_act = g.seat_turn[depths[g.site]] if g.over == RUNNING else -1


@kernel
def give_up(games: Any, i: Any, last_point: Any) -> None:
    g = games[i]
    g.over = EPISODE_OVER
    g.site = -1
    g.point = last_point
    g.to_act = -1


@kernel
def complete_option(games: Any, i: Any) -> None:
    g = games[i]
    g.partial = 0
    for k in range(len(g.chosen)):
        g.chosen[k] = -1
    g.decisions += 1

"""Kernels for the start and the course of a described game."""

from typing import Any

import numpy as np

from cardenvs.compiled.bits import Ints, overwrite
from cardenvs.compiled.jit import helper, kernel, unrolled
from cardenvs.contract.loops import EPISODE_OVER, RUNNING
from cardenvs.recycle.running.places import DRAW, PLAN_ORDERS, clear_tellings, make_deck

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
    g.seat_turn.fill(g.zero)
    g.seat_queue.fill(-1)
    g.side_turn.fill(0)
    g.side_queue.fill(-1)
    g.sizes.fill(0)
    g.cards.fill(0)
    g.known.fill(0)
    g.barred.fill(0)
    g.where.fill(-1)
    g.traces.fill(0)
    g.numbers.fill(0)
    g.texts.fill(0)
    g.map_made.fill(0)
    g.maps.fill(0)
    g.map_values.fill(0)
    g.chance = chance
    g.source = chance
    g.stream = chance
    g.shuffled = 0
    g.imagined = g.ordering == PLAN_ORDERS
    if g.watcher:
        g.digest = 0
        g.labels.fill(-1)
    g.partial = 0
    g.chosen.fill(-1)
    g.decisions = 0
    forget_told(games, i)
    overwrite(g.maybe, private_first)
    g.to_act = -1
    g.over = RUNNING
    g.moves = 0
    g.history.fill(0)
    for card in range(setup):
        make_deck(games, i, card, 1, deck_places[card], seen_by)


@kernel
def forget_orders(games: Any, i: Any) -> None:
    """Leaves all shuffles and other chance to the random stream."""
    g = games[i]
    if g.ordering == DRAW:
        return
    g.ordering = DRAW
    g.orders.fill(0)
    g.redrawn.fill(0)


@helper
def forget_told(games: Any, i: Any) -> None:
    g = games[i]
    clear_tellings(games, i)
    g.some.fill(0)
    g.heard.fill(0)
    g.told.fill(0)
    g.ruled.fill(0)


@kernel
def forget_past(views: Any, j: Any) -> None:
    """Blanks the fields that only recall of the order of play uses."""
    v = views[j]
    if v.watcher == 0 and v.digest == 0:
        return
    v.watcher = 0
    v.digest = 0
    v.labels.fill(0)
    v.pins.fill(0)
    v.lies.fill(0)
    v.holds.fill(0)
    v.checks.fill(0)


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
    v.history.fill(0)


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
    g.chosen.fill(-1)
    g.decisions += 1

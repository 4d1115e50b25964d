"""Validation of a described game's records, and the cards and private bins that a seat does not know."""

from typing import Any

import numpy as np

from cardenvs.compiled.bits import Bytes
from cardenvs.compiled.jit import closure
from cardenvs.contract.loops import RUNNING
from cardenvs.recycle.running.dealing import UNFIT
from cardenvs.recycle.running.places import DRAW, MOST_TELLINGS, NOTE_ORDERS
from cardenvs.recycle.running.tables import MEM, SECRET, Kernel, Tables
from cardenvs.recycle.running.values import is_single


def make_cards_flawed_kernel(name: str, t: Tables) -> Kernel:
    parts, place_count, total_cards = t.place_parts, t.place_count, t.total_cards

    @closure(f"{name}.cards_flawed")
    def cards_flawed(games: Any, i: Any, whole: bool) -> Any:
        g = games[i]
        held = np.zeros(total_cards, np.bool_)
        slots = np.int64(0)
        for p in range(place_count):
            if g.sizes[p] < 0 or g.sizes[p] > total_cards:
                return True
            for k in range(total_cards):
                card = np.int64(g.cards[p, k])
                if k >= g.sizes[p]:
                    if card != 0 or g.known[p, k] != 0:
                        return True
                    continue
                if card > total_cards or card < -total_cards or (card <= 0 and (whole or parts[p, SECRET] == 0)):
                    return True
                if parts[p, MEM]:
                    continue
                slots += 1
                if card > 0:
                    if held[card - 1]:
                        return True
                    held[card - 1] = True
                    if whole and g.where[card - 1] != p:
                        return True
        if slots > total_cards:
            return True
        if whole:
            for k in range(total_cards):
                if not held[k] and g.where[k] != -1:
                    return True
        return False

    return cards_flawed


def make_flaw_kernel(name: str, t: Tables, bounds: Kernel, veiled: Kernel, private_bit: Kernel) -> Kernel:
    """Makes the kernel ``flaw``; ``bounds`` checks the numbers that declared parts of the observation show."""
    cards_flawed = make_cards_flawed_kernel(name, t)
    depths, map_widths, points, tells = t.depths, t.map_widths, t.points, t.tells
    map_count, place_count, sites, actions, words = t.map_bins, t.place_count, t.sites, t.actions, t.words
    privates, levels, part_count = t.private_count, t.levels, t.part_count
    total_cards, total_faces = t.total_cards, t.total_faces

    @closure(f"{name}.flaw")
    def flaw(games: Any, i: Any, whole: bool) -> Any:
        """Returns the number of a record's flawed part; -1 for none, the number of parts for a wrong history."""
        g = games[i]
        last = np.int64(part_count)
        part = np.int64(bounds(games, i, whole))
        if part >= 0:
            return part
        if (g.site < 0) != (g.over != RUNNING):
            return last - 1
        if g.point != (points[g.site] if g.site >= 0 else points[sites]):
            return last - 1
        if g.imagined < 0 or g.imagined > UNFIT or g.shuffled < 0:
            return last - 1
        if g.ordering < DRAW or g.ordering > NOTE_ORDERS or g.watcher != 0 or g.sayings < 0 or g.sayings > MOST_TELLINGS:
            return last
        for j in range(len(g.orders)):
            for k in range(total_cards):
                if g.orders[j, k] < 0 or g.orders[j, k] > total_cards or (g.orders[j, k] != 0 and g.ordering == DRAW):
                    return last
                if g.pins[j, k] < 0 or g.pins[j, k] > total_faces or g.lies[j, k] < 0:
                    return last
                if g.lies[j, k] > place_count + (total_cards if tells else 0):
                    return last
        if g.to_act != (g.seat_turn[depths[g.site]] if g.site >= 0 else -1):
            return last - 1
        if cards_flawed(games, i, whole):
            return np.int64(0)
        for p in range(privates):
            value = private_bit(games, i, p)
            if g.maybe[p] & value == 0 and (whole or g.maybe[p] == 0 or not veiled(games, i, p)):
                return last - 1
        if g.partial < 0 or g.partial > levels or (g.site < 0 and g.partial > 0):
            return last - 1
        for level in range(g.partial):
            if g.chosen[level] < 0:
                return last - 1
        for m in range(map_count):
            for k in range(map_widths[m], g.map_values.shape[1]):
                if g.map_values[m, k] != 0:
                    return last - 1
        if g.moves < 0 or g.moves > len(g.history):
            return last
        for k in range(g.moves):
            if g.history[k] < (0 if whole else -1) or g.history[k] >= actions:
                return last
        if g.over == RUNNING and g.to_act == 0 and not whole:
            legal = np.int64(0)
            for word in range(words):
                legal |= g.legal_words[word]
            if legal == 0:
                return last - 1
        return np.int64(-1)

    return flaw


def make_reveal_kernel(name: str, t: Tables, owns: Kernel, private_bit: Kernel) -> Kernel:
    parts, turned, faces, face_start = t.place_parts, t.turned_places, t.faces, t.face_start
    private_pool, turned_private = t.private_pool, t.turned_private
    place_count, privates, total_cards, total_faces = t.place_count, t.private_count, t.total_cards, t.total_faces

    @closure(f"{name}.reveal")
    def reveal(games: Any, i: Any, seat: Any, out: Bytes, row: Any, column: Any) -> None:
        g = games[i]
        counted = np.zeros(total_faces, np.int64)
        for p in range(place_count):
            if parts[p, SECRET] == 0:
                continue
            source = turned[seat, p]
            for k in range(total_cards):
                out[row, column + k] = 0
            counted.fill(0)
            for k in range(g.sizes[source]):
                card = np.int64(g.cards[source, k])
                if g.known[source, k] >> seat & 1 == 0:
                    face = faces[card - 1]
                    out[row, column + face_start[face] + counted[face]] = 1
                    counted[face] += 1
            column += total_cards
        for p in range(privates):
            source = turned_private[seat, p]
            bit = private_bit(games, i, source)
            known = owns(games, i, source, np.int64(seat)) or is_single(games[i].maybe[source])
            for k in range(private_pool[p, 1]):
                out[row, column + k] = 0 if known else bit >> k & 1
            column += private_pool[p, 1]

    return reveal

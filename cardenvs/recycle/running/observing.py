"""Observations of a described game: views as zeros and ones, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardenvs.compiled.bits import Bytes
from cardenvs.compiled.jit import closure
from cardenvs.contract.loops import EPISODE_OVER, RUNNING
from cardenvs.recycle.running.dealing import forget_told, without_past
from cardenvs.recycle.running.packing import (
    bring_card,
    get_bits,
    get_marked,
    get_number,
    get_one_hot,
    put_bits,
    put_number,
    put_one_hot,
)
from cardenvs.recycle.running.tables import BARRED, BOTTOM, FULL, MEM, REPEATED, SECRET, TOP, Kernel, Tables
from cardenvs.recycle.running.traces import forget_traces
from cardenvs.recycle.running.values import value_bit


def make_put_private_kernel(name: str, t: Tables, veiled: Kernel) -> Kernel:
    pool, private_slots, is_text, private_pool = t.pool, t.private_slots, t.is_text, t.private_pool

    @closure(f"{name}.put_private")
    def put_private(views: Any, i: Any, out: Bytes, row: Any, column: Any, p: Any) -> Any:
        """Writes a private bin: its value or that it is hidden, and its possible values; returns the next column."""
        count = private_pool[p, 1]
        if veiled(views, i, p):
            out[row, column + count] = 1
        else:
            bit = value_bit(views, i, p, private_slots, is_text, private_pool, pool)
            for k in range(count):
                out[row, column + k] = bit >> k & 1
        for k in range(count):
            out[row, column + count + 1 + k] = views[i].maybe[p] >> k & 1
        return column + 2 * count + 1

    return put_private


def make_observe_places_kernel(name: str, t: Tables) -> Kernel:
    parts, faces, face_start, slotted, place_count = t.parts, t.faces, t.face_start, t.slotted, t.place_count
    heights, other_backs, total_cards, total_faces = t.heights, t.other_backs, t.total_cards, t.total_faces
    marks, total_marks, by_face, traced = t.marks, t.marks.shape[1], t.by_face, t.traced

    @closure(f"{name}.observe_places")
    def observe_places(views: Any, i: Any, out: Bytes, row: Any) -> Any:
        """Writes the places of a view; returns the next column."""
        v = views[i]
        column = np.int64(0)
        counted = np.zeros(total_faces, np.int64)
        slot = np.int64(0)
        for p in range(place_count):
            size = np.int64(v.sizes[p])
            for face in range(total_faces):
                counted[face] = 0
            for k in range(size):
                card = np.int64(v.cards[p, k])
                if card > 0:
                    face = faces[card - 1]
                    if face_start[face] + counted[face] < face_start[face + 1]:
                        out[row, column + face_start[face] + counted[face]] = 1
                    counted[face] += 1
            column += total_cards
            if parts[p, SECRET]:
                for k in range(size):
                    out[row, column + k] = 1
                column += total_cards
            if parts[p, MEM] == REPEATED:
                for k in range(size):
                    for mark in range(total_marks):
                        out[row, column + k * total_marks + mark] = marks[faces[v.cards[p, k] - 1], mark]
                column += total_cards * total_marks
            elif parts[p, FULL]:
                for face in range(total_faces):
                    counted[face] = 0
                for k in range(size):
                    if v.cards[p, k] > 0:
                        face = faces[v.cards[p, k] - 1]
                        at = face_start[face] + counted[face]
                        if at < face_start[face + 1]:
                            put_bits(out, row, column + at * heights, np.int64(k + 1), heights)
                        counted[face] += 1
                column += total_cards * heights
            if parts[p, TOP]:
                if size > 0 and v.cards[p, size - 1] > 0:
                    out[row, column + faces[v.cards[p, size - 1] - 1]] = 1
                column += total_faces
            if parts[p, BOTTOM]:
                if size > 0 and v.cards[p, 0] > 0:
                    out[row, column + faces[v.cards[p, 0] - 1]] = 1
                column += total_faces
            if parts[p, SECRET] and other_backs:
                for k in range(size):
                    if v.cards[p, k] < 0:
                        out[row, column + k * other_backs - np.int64(v.cards[p, k]) - 1] = 1
                column += total_cards * other_backs
            if parts[p, BARRED]:
                for k in range(total_faces):
                    out[row, column + k] = v.barred[p, k // 63] >> (k % 63) & 1
                column += total_faces
            if slotted[p]:
                for k in range(size):
                    for face in range(total_faces):
                        bit = v.ruled[0, slot + k, face // 63] >> (face % 63) & 1
                        out[row, column + k * total_faces + face] = bit
                column += total_cards * total_faces
            if traced and parts[p, SECRET]:
                for k in range(total_cards):
                    out[row, column + k] = v.traces[0, by_face[k]] >> p & 1
                column += total_cards
            slot += size if parts[p, MEM] == 0 else 0
        return column

    return observe_places


def make_observe_kernel(name: str, t: Tables, put_private: Kernel, observe_places: Kernel) -> Kernel:
    pool, number_spans, text_spans, private_of_numbers = t.pool, t.number_spans, t.text_spans, t.private_of_numbers
    private_of_texts, number_kinds, part_actions, many = t.private_of_texts, t.number_kinds, t.part_actions, t.many
    made_firsts, made_counts, value_parts, tells = t.made_firsts, t.made_counts, t.value_parts, t.tells
    number_bins, text_bins, map_count, teams, sites = t.number_bins, t.text_bins, t.map_count, t.teams, t.sites
    actions, levels, count_bits, seats = t.actions, t.levels, t.count_bits, t.seats
    claims, total_faces = t.claims, t.total_faces

    @closure(f"{name}.observe")
    def observe(views: Any, i: Any, out: Bytes, row: Any) -> None:
        v = views[i]
        for k in range(out.shape[1]):
            out[row, k] = 0
        column = observe_places(views, i, out, row)
        for k in range(tells):
            for value in range(2):
                out[row, column + value] = v.told[0, k] == value + 1
            column += 2
        for k in range(len(claims)):
            for face in range(total_faces):
                out[row, column + face] = v.some[k, face // 63] >> (face % 63) & 1
            column += total_faces
        for k in range(number_bins):
            secret = private_of_numbers[k]
            if secret >= 0:
                column = put_private(views, i, out, row, column, secret)
            else:
                first, count = number_spans[k, 0], number_spans[k, 1]
                column = put_number(out, row, column, v.numbers[k], number_kinds[k], first, count, pool)
        for k in range(text_bins):
            secret = private_of_texts[k]
            if secret >= 0:
                column = put_private(views, i, out, row, column, secret)
            else:
                column = put_number(out, row, column, np.int64(v.texts[k]), 1, text_spans[k, 0], text_spans[k, 1], pool)
        for m in range(map_count):
            column = put_number(out, row, column, v.map_made[m], 1, made_firsts[m], made_counts[m], pool)
            for k in range(v.map_values.shape[1]):
                kind, first, count = value_parts[m, k, 0], value_parts[m, k, 1], value_parts[m, k, 2]
                if kind < 2:
                    column = put_number(out, row, column, v.map_values[m, k], kind, first, count, pool)
        column = put_one_hot(out, row, column, v.site, sites)
        for k in range(len(v.seat_turn)):
            column = put_one_hot(out, row, column, v.seat_turn[k], seats)
            column = put_one_hot(out, row, column, v.seat_queue[k], seats)
        for k in range(len(v.side_turn)):
            column = put_one_hot(out, row, column, v.side_turn[k], teams)
            column = put_one_hot(out, row, column, v.side_queue[k], teams)
        column = put_one_hot(out, row, column, v.zero, seats)
        column = put_one_hot(out, row, column, v.to_act, seats)
        out[row, column] = v.over != RUNNING
        column += 1
        for level in range(levels):
            if level < v.partial:
                for k in range(len(part_actions)):
                    out[row, column + k] = part_actions[k] == v.chosen[level]
            column += len(part_actions)
        for action in range(actions):
            out[row, column + action] = v.legal_words[action >> 6] >> (action & 63) & 1
        column += actions
        if count_bits:
            for action in many:
                for bit in range(count_bits):
                    out[row, column + bit] = v.counts[action] >> bit & 1
                column += count_bits

    return observe


def make_get_private_kernel(name: str, t: Tables) -> Kernel:
    pool, private_slots, is_text, private_pool = t.pool, t.private_slots, t.is_text, t.private_pool

    @closure(f"{name}.get_private")
    def get_private(observations: Bytes, row: Any, column: Any, views: Any, j: Any, p: Any) -> Any:
        v = views[j]
        count = private_pool[p, 1]
        at = get_one_hot(observations, row, column, count)
        value = pool[private_pool[p, 0] + at] if at >= 0 else np.int64(0)
        if is_text[p]:
            v.texts[private_slots[p]] = value
        else:
            v.numbers[private_slots[p]] = value
        v.maybe[p] = 0
        for k in range(count):
            v.maybe[p] |= np.int64(observations[row, column + count + 1 + k]) << k
        return column + 2 * count + 1

    return get_private


def make_decode_places_kernel(name: str, t: Tables, settle: Kernel) -> Kernel:
    parts, faces, by_face, face_start, slotted, tells = t.parts, t.faces, t.by_face, t.face_start, t.slotted, t.tells
    place_count, heights, other_backs, total_cards = t.place_count, t.heights, t.other_backs, t.total_cards
    total_faces, claims, marks, total_marks = t.total_faces, t.claims, t.marks, t.marks.shape[1]
    traced = t.traced

    @closure(f"{name}.decode_places")
    def decode_places(observations: Bytes, row: Any, views: Any, j: Any) -> Any:
        """Reads the places of a view, and what was told; returns the next column."""
        v = views[j]
        column, slot = np.int64(0), np.int64(0)
        if tells:
            forget_told(views, j)
        forget_traces(views, j)
        backs_at = np.zeros(place_count + 1, np.int64)
        for p in range(place_count):
            for k in range(total_cards):
                v.cards[p, k] = 0
                v.known[p, k] = 0
            size = np.int64(0)
            for face in range(total_faces):
                for k in range(face_start[face], face_start[face + 1]):
                    if observations[row, column + k]:
                        v.cards[p, size] = by_face[face_start[face]] + 1
                        size += 1
            column += total_cards
            known = size
            if parts[p, SECRET]:
                size = np.int64(0)
                for k in range(total_cards):
                    size += observations[row, column + k]
                column += total_cards
                size = max(size, known)
            if parts[p, MEM] == REPEATED:
                for k in range(total_cards):
                    face = get_marked(observations, row, column + k * total_marks, marks)
                    if face >= 0:
                        v.cards[p, k] = by_face[face_start[face]] + 1
                        size = np.int64(k) + 1
                column += total_cards * total_marks
            v.sizes[p] = size
            if parts[p, FULL] and parts[p, MEM] != REPEATED:
                for k in range(size):
                    v.cards[p, k] = 0
                for at in range(total_cards):
                    height = get_bits(observations, row, column + at * heights, heights)
                    if 0 < height <= total_cards:
                        v.cards[p, height - 1] = by_face[at] + 1
                column += total_cards * heights
            if parts[p, TOP]:
                face = get_one_hot(observations, row, column, total_faces)
                bring_card(v.cards, p, size, known, face, size - 1, faces)
                column += total_faces
            if parts[p, BOTTOM]:
                face = get_one_hot(observations, row, column, total_faces)
                bring_card(v.cards, p, size, known, face, np.int64(0), faces)
                column += total_faces
            backs_at[p] = column
            if parts[p, SECRET] and other_backs:
                column += total_cards * other_backs
            for word in range(v.barred.shape[1]):
                v.barred[p, word] = 0
            if parts[p, BARRED]:
                for k in range(total_faces):
                    v.barred[p, k // 63] |= np.int64(observations[row, column + k]) << (k % 63)
                column += total_faces
            if slotted[p]:
                for k in range(size):
                    for face in range(total_faces):
                        one = np.int64(observations[row, column + k * total_faces + face])
                        v.ruled[0, slot + k, face // 63] |= one << (face % 63)
                column += total_cards * total_faces
            if traced and parts[p, SECRET]:
                for k in range(total_cards):
                    v.traces[0, by_face[k]] |= np.int64(observations[row, column + k]) << p
                column += total_cards
            slot += size if parts[p, MEM] == 0 else np.int64(0)
        for k in range(tells):
            v.told[0, k] = 1 + get_one_hot(observations, row, column, 2)
            column += 2
        for k in range(len(claims)):
            for face in range(total_faces):
                v.some[k, face // 63] |= np.int64(observations[row, column + face]) << (face % 63)
            column += total_faces
        settle(views, j)
        for p in range(place_count):
            if parts[p, SECRET]:
                for k in range(v.sizes[p]):
                    for back in range(other_backs):
                        if v.cards[p, k] <= 0 and observations[row, backs_at[p] + k * other_backs + back]:
                            v.cards[p, k] = -back - 1
        return column

    return decode_places


def make_decode_kernel(
    name: str, t: Tables, fill_map: Kernel, note_options: Kernel, get_private: Kernel, decode_places: Kernel
) -> Kernel:
    pool, number_spans, text_spans, private_of_numbers = t.pool, t.number_spans, t.text_spans, t.private_of_numbers
    private_of_texts, number_kinds, part_actions, many = t.private_of_texts, t.number_kinds, t.part_actions, t.many
    made_firsts, made_counts, value_parts, points = t.made_firsts, t.made_counts, t.value_parts, t.points
    number_bins, text_bins, map_count, teams, sites = t.number_bins, t.text_bins, t.map_count, t.teams, t.sites
    actions, words, levels, count_bits, seats = t.actions, t.words, t.levels, t.count_bits, t.seats

    @closure(f"{name}.decode")
    def decode(observations: Bytes, row: Any, views: Any, j: Any) -> None:
        v = views[j]
        column = decode_places(observations, row, views, j)
        for k in range(len(v.where)):
            v.where[k] = 0
        for k in range(len(v.numbers)):
            v.numbers[k] = 0
        for k in range(number_bins):
            if private_of_numbers[k] >= 0:
                column = get_private(observations, row, column, views, j, private_of_numbers[k])
                continue
            first, count = number_spans[k, 0], number_spans[k, 1]
            v.numbers[k] = get_number(observations, row, column, number_kinds[k], first, count, pool)
            column += count
        note_options(views, j)
        for k in range(len(v.texts)):
            v.texts[k] = 0
        for k in range(text_bins):
            if private_of_texts[k] >= 0:
                column = get_private(observations, row, column, views, j, private_of_texts[k])
                continue
            v.texts[k] = get_number(observations, row, column, 1, text_spans[k, 0], text_spans[k, 1], pool)
            column += text_spans[k, 1]
        for m in range(map_count):
            v.map_made[m] = get_number(observations, row, column, 1, made_firsts[m], made_counts[m], pool)
            column += made_counts[m]
            for k in range(v.map_values.shape[1]):
                kind, first, count = value_parts[m, k, 0], value_parts[m, k, 1], value_parts[m, k, 2]
                v.map_values[m, k] = 0
                if kind < 2:
                    v.map_values[m, k] = get_number(observations, row, column, kind, first, count, pool)
                    column += count
            fill_map(views, j, m)
        v.site = get_one_hot(observations, row, column, sites)
        column += sites
        for k in range(len(v.seat_turn)):
            v.seat_turn[k] = max(get_one_hot(observations, row, column, seats), np.int64(0))
            column += seats
            v.seat_queue[k] = get_one_hot(observations, row, column, seats)
            column += seats
        for k in range(len(v.side_turn)):
            v.side_turn[k] = max(get_one_hot(observations, row, column, teams), np.int64(0))
            column += teams
            v.side_queue[k] = get_one_hot(observations, row, column, teams)
            column += teams
        v.zero = max(get_one_hot(observations, row, column, seats), np.int64(0))
        column += seats
        v.to_act = get_one_hot(observations, row, column, seats)
        column += seats
        v.over = EPISODE_OVER if observations[row, column] else RUNNING
        column += 1
        v.partial = 0
        for level in range(len(v.chosen)):
            v.chosen[level] = -1
        for level in range(levels):
            for k in range(len(part_actions)):
                if observations[row, column + k]:
                    v.chosen[level] = part_actions[k]
                    v.partial = level + 1
            column += len(part_actions)
        v.decisions = 0
        v.point = points[v.site] if v.site >= 0 else points[sites]
        for word in range(words):
            v.legal_words[word] = 0
        for action in range(actions):
            v.legal_words[action >> 6] |= np.int64(observations[row, column + action]) << (action & 63)
        column += actions
        for action in range(actions):
            v.counts[action] = v.legal_words[action >> 6] >> (action & 63) & 1
        if count_bits:
            for action in many:
                v.counts[action] = 0
                for bit in range(count_bits):
                    v.counts[action] |= np.int64(observations[row, column + bit]) << bit
                column += count_bits
        without_past(views, j)

    return decode

"""Views of a described game: a state as one seat knows it.

A view has the places of the looking seat first, zeros for the cards that the seat does not know, and no order among cards
if the script never reads one.
"""

from typing import Any

import numpy as np

from cardenvs.compiled.bits import Ints, overwrite
from cardenvs.compiled.jit import closure, helper
from cardenvs.recycle.running.dealing import forget_told, without_past
from cardenvs.recycle.running.tables import BOTTOM, MEM, ORDER, TOP, Kernel, Tables
from cardenvs.recycle.running.values import is_single, value_bit


@helper
def _view_sort_key(card: Any, faces: Ints) -> Any:
    """Sort key of a card of a view: known ones by face, then unknown ones by their backs."""
    return faces[card - 1] if card > 0 else np.int64(1 << 20) - card


def make_settle_kernel(name: str, t: Tables) -> Kernel:
    parts, faces, by_face, face_start = t.place_parts, t.faces, t.by_face, t.face_start
    place_count, total_faces = t.place_count, t.total_faces

    @closure(f"{name}.settle")
    def settle(views: Any, j: Any) -> None:
        """Sorts the cards of a view, and numbers copies of a face in this order."""
        v = views[j]
        taken = np.zeros(total_faces, np.int64)
        for p in range(place_count):
            size = np.int64(v.sizes[p])
            if parts[p, ORDER] < 0 and size > 1:
                low = np.int64(1) if parts[p, BOTTOM] >= 0 else np.int64(0)
                high = size - 1 if parts[p, TOP] >= 0 else size
                for k in range(low + 1, high):
                    card = np.int64(v.cards[p, k])
                    at = k
                    # Known cards first, by face; unknown ones behind them, by their backs.
                    while at > low and _view_sort_key(card, faces) < _view_sort_key(np.int64(v.cards[p, at - 1]), faces):
                        v.cards[p, at] = v.cards[p, at - 1]
                        at -= 1
                    v.cards[p, at] = card
            for k in range(size):
                card = np.int64(v.cards[p, k])
                if card > 0:
                    face = faces[card - 1]
                    if parts[p, MEM]:
                        v.cards[p, k] = by_face[face_start[face]] + 1
                    else:
                        v.cards[p, k] = by_face[min(face_start[face] + taken[face], face_start[face + 1] - 1)] + 1
                        taken[face] += 1

    return settle


def make_private_kernels(name: str, t: Tables) -> dict[str, Kernel]:
    private_owners, team_of, seats, pool = t.private_owners, t.team_of, t.seats, t.pool
    private_slots, is_text, private_pool = t.private_slots, t.private_is_text, t.private_pool

    @closure(f"{name}.owns")
    def owns(games: Any, i: Any, p: Any, seat: Any) -> Any:
        """Whether a seat knows a private bin as its player, or as a member of its team."""
        number = private_owners[p, 1]
        if private_owners[p, 0] == 1:
            return number == seat
        return private_owners[p, 0] == 2 and team_of[(seat - games[i].zero + seats) % seats] == number

    @closure(f"{name}.veiled")
    def veiled(views: Any, j: Any, p: Any) -> Any:
        """Whether the seat of a view does not know a private bin."""
        return not owns(views, j, p, np.int64(0)) and not is_single(views[j].maybe[p])

    @closure(f"{name}.private_bit")
    def private_bit(games: Any, i: Any, p: Any) -> Any:
        """Returns the bit of a private bin's value among those that it can have; 0 for an impossible value."""
        return value_bit(games, i, p, private_slots, is_text, private_pool, pool)

    return {"owns": owns, "veiled": veiled, "private_bit": private_bit}


def make_seeing_kernels(name: str, t: Tables) -> dict[str, Kernel]:
    parts, turned, seen_by, slotted, tells = t.place_parts, t.turned_places, t.seen_by, t.slotted, t.tells
    claims, turned_claims, place_count = t.claims, t.turned_claims, t.place_count
    by_face, face_start, total_faces = t.by_face, t.face_start, t.total_faces

    @closure(f"{name}.see_traces")
    def see_traces(games: Any, i: Any, seat: Any, views: Any, j: Any) -> None:
        """Writes the possible places of lost cards into a view whose cards are there: of a face's copies, the last ones."""
        v, row, anywhere = views[j], games[i].traces[seat], np.int64(0)
        v.traces.fill(0)
        for p in range(place_count):
            for k in range(v.sizes[p] if parts[p, MEM] == 0 else 0):
                anywhere |= np.int64(v.cards[p, k] <= 0) << p
        for face in range(total_faces):
            for k in range(face_start[face], face_start[face + 1]):
                places = np.int64(0)
                for p in range(place_count):
                    places |= (row[by_face[k]] >> turned[seat, p] & 1) << p & anywhere
                at = face_start[face + 1] - 1
                while places not in (0, anywhere):  # into their order, the greatest last
                    other = np.int64(v.traces[0, by_face[at]])
                    if places > other:
                        v.traces[0, by_face[at]], places = places, other
                    at -= 1

    @closure(f"{name}.see_told")
    def see_told(games: Any, i: Any, seat: Any, views: Any, j: Any) -> None:
        """Writes the tellings that a seat heard, slot by slot, into a view whose cards are there."""
        g, v = games[i], views[j]
        forget_told(views, j)
        for k in range(tells):
            v.told[0, k] = g.told[seat, k]
        for k in range(len(claims)):
            for word in range(v.some.shape[1] if seen_by[turned[seat, claims[k, 1]]] >> seat & 1 == 0 else 0):
                v.some[k, word] = g.some[turned_claims[seat, k], word]
        slot = np.int64(0)
        for p in range(place_count):
            for k in range(v.sizes[p] if parts[p, MEM] == 0 else 0):
                for word in range(v.ruled.shape[2] if slotted[p] and v.cards[p, k] <= 0 else 0):
                    v.ruled[0, slot, word] = g.ruled[seat, g.cards[turned[seat, p], k] - 1, word]
                slot += 1

    return {"see_traces": see_traces, "see_told": see_told}


def make_view_kernel(name: str, t: Tables, settle: Kernel, veiled: Kernel, note_options: Kernel) -> Kernel:
    turned, turned_numbers, turned_texts, turned_maps = t.turned_places, t.turned_numbers, t.turned_texts, t.turned_maps
    private_slots, is_text, privates, turned_private = t.private_slots, t.private_is_text, t.private_count, t.turned_private
    backs, seen_by, depths, tells, traced, seats = t.backs, t.seen_by, t.depths, t.tells, t.traced, t.seats
    number_bins, text_bins, map_count, place_count = t.number_bins, t.text_bins, t.map_bins, t.place_count
    actions, words, total_cards = t.actions, t.words, t.total_cards
    seeing = make_seeing_kernels(name, t)
    see_traces, see_told = seeing["see_traces"], seeing["see_told"]

    @closure(f"{name}.view")
    def view(games: Any, i: Any, seat: Any, views: Any, j: Any) -> None:
        g = games[i]
        v = views[j]
        v.zero = (g.zero - seat + seats) % seats
        v.point = g.point
        v.site = g.site
        depth = depths[g.site] if g.site >= 0 else np.int64(0)
        for k in range(len(v.seat_turn)):
            v.seat_turn[k] = (g.seat_turn[k] - seat + seats) % seats if k <= depth else 0
            v.seat_queue[k] = (g.seat_queue[k] - seat + seats) % seats if k <= depth and g.seat_queue[k] >= 0 else -1
        overwrite(v.side_turn, g.side_turn)
        overwrite(v.side_queue, g.side_queue)
        v.known.fill(0)
        for p in range(place_count):
            source = turned[seat, p]
            size = np.int64(g.sizes[source])
            v.sizes[p] = size
            for k in range(total_cards):
                card = np.int64(0)
                if k < size:
                    card = np.int64(g.cards[source, k])
                    if g.known[source, k] >> seat & 1 == 0:
                        card = -backs[card - 1]
                v.cards[p, k] = card
            for word in range(v.barred.shape[1]):
                v.barred[p, word] = g.barred[source, word] if seen_by[source] >> seat & 1 == 0 else 0
        if tells:
            see_told(games, i, seat, views, j)
        settle(views, j)
        if traced:
            see_traces(games, i, seat, views, j)
        v.where.fill(0)
        for k in range(number_bins):
            v.numbers[k] = g.numbers[turned_numbers[seat, k]]
        note_options(views, j)
        for k in range(text_bins):
            v.texts[k] = g.texts[turned_texts[seat, k]]
        for p in range(privates):
            v.maybe[p] = g.maybe[turned_private[seat, p]]
            if veiled(views, j, p):
                if is_text[p]:
                    v.texts[private_slots[p]] = 0
                else:
                    v.numbers[private_slots[p]] = 0
        for m in range(map_count):
            source = turned_maps[seat, m]
            v.map_made[m] = g.map_made[source]
            overwrite(v.map_values[m], g.map_values[source])
            overwrite(v.maps[m], g.maps[source])
        without_past(views, j)
        v.to_act = (g.to_act - seat + seats) % seats if g.to_act >= 0 else -1
        v.over = g.over
        own = g.to_act == seat
        v.decisions = 0
        v.partial = g.partial if own else 0
        for k in range(len(v.chosen)):
            v.chosen[k] = g.chosen[k] if own else -1
        for word in range(words):
            v.legal_words[word] = g.legal_words[word] if own else 0
        for action in range(actions):
            v.counts[action] = g.counts[action] if own else 0

    return view

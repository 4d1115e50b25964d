"""Places of a described game: cards moved, shuffled and remembered, and what seats know of them and were told.

A record has each place as a row of ``cards``, the numbers of its cards plus 1 from the bottom to the top, zeros behind
them, and of ``known``, the seats that know each of these cards, as bits. ``seen_by``, int64 (places + 1,), has the seats
that see each place, as bits, and all seats at the end; ``ordered``, int64 (places,), whether an index in the place matters;
``faces``, int64 (cards,), the face of each card.
"""

from typing import Any

import numpy as np

from cardenvs.compiled.bits import Ints
from cardenvs.compiled.jit import helper, kernel
from cardenvs.compiled.streams import _GOLDEN, _mix, drawn
from cardenvs.recycle.running.knowledge import count_faces, note_lost, pin_face, transfer_label, update_traces

ON_TOP, AT_BOTTOM, AT_INDEX = 0, 1, 2  # positions in a place at which a card is put
NOT_TOLD, PLACE_TOLD, INDEX_TOLD = range(3)
"""Public knowledge of the position of a card that is remembered: none, its place, its index there."""
KNOWN_TO_NONE, KNOWN_TO_ALL, KNOWN_TO_CHOOSER = range(3)
"""Seats that know the index at which a moved card lay: none, all, or the one to act, having chosen it by its index."""
DRAW, KEEP_ORDERS, NOTE_ORDERS, PLAN_ORDERS = range(4)
"""Values of a state's ``ordering``: shuffles are drawn; they bring what ``orders`` asks for; the order that they bring is
noted there; it is noted where nothing is asked for."""

MOST_TELLINGS = 64  # the most tellings of an action that a STATE keeps for words


@helper
def mix_hash(key: Any, value: Any) -> Any:
    """Hash of a key and one more value, 62 bits."""
    return np.int64(_mix(np.uint64(key) ^ _mix(np.uint64(value) + _GOLDEN)) >> np.uint64(2))


@helper
def _insert_card(games: Any, i: Any, card: Any, place: Any, kind: Any, index: Any, known: Any) -> Any:
    """Puts a card into a place; False if there is no such index, or no room."""
    g = games[i]
    size = np.int64(g.sizes[place])
    at = np.int64(index)
    if kind == ON_TOP:
        at = size
    elif kind == AT_BOTTOM:
        at = np.int64(0)
    if at < 0 or at > size or size >= g.cards.shape[1]:
        return False
    for k in range(size, at, -1):
        g.cards[place, k] = g.cards[place, k - 1]
        g.known[place, k] = g.known[place, k - 1]
    g.cards[place, at] = card + 1
    g.known[place, at] = known
    g.sizes[place] = size + 1
    return True


@helper
def _remove_card(games: Any, i: Any, place: Any, at: Any) -> None:
    g = games[i]
    size = np.int64(g.sizes[place])
    for k in range(at, size - 1):
        g.cards[place, k] = g.cards[place, k + 1]
        g.known[place, k] = g.known[place, k + 1]
    g.cards[place, size - 1] = 0
    g.known[place, size - 1] = 0
    g.sizes[place] = size - 1


@kernel
def move_card(
    games: Any, i: Any, card: Any, place: Any, kind: Any, index: Any, told: Any, seen_by: Ints, ordered: Ints, faces: Ints
) -> Any:
    """Moves a card to a place; False if the place has no such index.

    Args:
        kind: ON_TOP, AT_BOTTOM, or AT_INDEX with the index from the bottom.
        told: who knows the index that the card leaves: KNOWN_TO_NONE, KNOWN_TO_ALL or KNOWN_TO_CHOOSER.
    """
    g = games[i]
    home = np.int64(g.where[card])
    at = np.int64(0)
    while g.cards[home, at] != card + 1:
        at += 1
    before = known = np.int64(g.known[home, at])
    if told != KNOWN_TO_ALL and g.sizes[home] > 1:
        known = _lose_sight(games, i, home, at, told, seen_by[home], place, seen_by[place], ordered[home], faces)
    _remove_card(games, i, home, at)
    known |= seen_by[place]
    if g.traces.shape[1] > 1:
        update_traces(games, i, card, home, place, known, known & ~before, faces)
    for word in range(g.barred.shape[1]):
        if known != seen_by[-1]:
            g.barred[place, word] = 0
        elif faces[card] // 63 == word:
            g.barred[place, word] &= ~(np.int64(1) << (faces[card] % 63))
    g.where[card] = place
    if g.watcher and known >> (g.watcher - 1) & 1:
        pin_face(games, i, card, faces)
    return _insert_card(games, i, card, place, kind, index, known)


@kernel
def digest_move(games: Any, i: Any, card: Any, place: Any, relative: Ints, seen_by: Ints, faces: Ints) -> None:
    """Adds a move, its two places and its face if that is visible, to the digest of the watching seat."""
    g = games[i]
    seat, home = g.watcher - 1, np.int64(g.where[card])
    face = faces[card] if (seen_by[home] | seen_by[place]) >> seat & 1 else np.int64(-1)
    g.digest = mix_hash(mix_hash(mix_hash(g.digest, relative[seat, home]), relative[seat, place]), face)


@kernel
def _lose_sight(
    games: Any, i: Any, home: Any, at: Any, told: Any, sighted: Any, place: Any, ahead: Any, ordered: Any, faces: Ints
) -> Any:
    """Forgets what seats cannot tell any longer when a card leaves a place from an index that not all know.

    A seat that sees neither place knows that at most one card of each face left: it forgets one known card of each face. A
    seat that sees only the goal knows the face that left, but not which of several equal cards.

    Returns:
        The seats that still know the card, except those that see it at the goal.
    """
    g = games[i]
    known, face = np.int64(g.known[home, at]), faces[g.cards[home, at] - 1]
    beside = sighted | np.int64(1) << g.to_act if told == KNOWN_TO_CHOOSER else np.int64(sighted)
    blind = ~(beside | ahead)
    _merge_ruled(games, i, home, ~beside)
    if g.watcher and not (told == KNOWN_TO_CHOOSER and g.watcher - 1 == g.to_act):
        transfer_label(games, i, home, at, (beside | ahead) >> (g.watcher - 1) & 1, faces)
    for k in range(g.sizes[home] - 1, -1, -1):
        bits = np.int64(g.known[home, k])
        if k == at or bits & ~beside == 0:
            continue
        other = faces[g.cards[home, k] - 1]
        unsure = blind & ~known | ahead & ~beside & ~known if other == face else blind
        unsure = ~beside if ordered else unsure
        if bits & unsure == 0:
            continue
        for lower in range(0 if ordered else k):
            if lower != at and faces[g.cards[home, lower] - 1] == other:
                unsure &= ~np.int64(g.known[home, lower])
        g.known[home, k] = bits & ~unsure
        note_lost(games, i, home, k, bits & unsure & ~ahead, np.int64(1) << home | np.int64(1) << place)
        note_lost(games, i, home, k, bits & unsure & ahead if other != face else np.int64(0), np.int64(1) << home)
    note_lost(games, i, home, at, known & blind, np.int64(1) << home | np.int64(1) << place)
    return known & ~blind


@kernel
def shuffle_place(games: Any, i: Any, place: Any, seen_by: Ints, ordered: Ints, faces: Ints) -> None:
    """Puts the cards of a place into a random order, or into the one that ``orders`` asks for."""
    g = games[i]
    size = np.int64(g.sizes[place])
    if g.watcher and g.shuffled < len(g.holds):
        count_faces(games, i, place, faces)
    _merge_ruled(games, i, place, ~seen_by[place])
    for k in range(size):
        note_lost(games, i, place, k, np.int64(g.known[place, k]) & ~seen_by[place], np.int64(1) << place)
        g.known[place, k] = seen_by[place]
    for k in range(size - 1, 0, -1):
        other = drawn(games, i, k + 1)
        card = g.cards[place, k]
        g.cards[place, k] = g.cards[place, other]
        g.cards[place, other] = card
    if g.ordering and g.shuffled < len(g.orders):
        _apply_order(games, i, place, g.shuffled, faces)
    if g.watcher:
        seen = seen_by[place] >> (g.watcher - 1) & 1
        for k in range(size):
            told = g.shuffled < len(g.pins)
            at = _rank_by_face(games, i, place, k, faces) if seen and not ordered[place] else k
            g.labels[g.cards[place, k] - 1] = g.shuffled * g.pins.shape[1] + at if told else np.int64(-1)
            if seen:
                pin_face(games, i, np.int64(g.cards[place, k]) - 1, faces)
    g.shuffled += 1


@helper
def _rank_by_face(games: Any, i: Any, place: Any, k: Any, faces: Ints) -> Any:
    g = games[i]
    rank, face = np.int64(0), faces[g.cards[place, k] - 1]
    for other in range(g.sizes[place]):
        below = faces[g.cards[place, other] - 1]
        rank += below < face or (below == face and other < k)
    return rank


@kernel
def _apply_order(games: Any, i: Any, place: Any, number: Any, faces: Ints) -> None:
    """Puts cards into a shuffle's order, or notes it if ``ordering`` says so; cards of one face replace each other."""
    g = games[i]
    size = np.int64(g.sizes[place])
    order = g.orders[number]
    asked = False
    for k in range(size):
        asked = asked or order[k] != 0
    if g.ordering == NOTE_ORDERS or (g.ordering == PLAN_ORDERS and not asked):
        for k in range(size):
            order[k] = g.cards[place, k]
        return
    for k in range(size):
        for other in range(size):
            if order[k] != 0 and g.cards[place, k] != order[k] and g.cards[place, other] == order[k]:
                g.cards[place, other] = g.cards[place, k]
                g.cards[place, k] = order[k]
    for k in range(size):
        face = faces[order[k] - 1]
        for other in range(size):
            card = np.int64(g.cards[place, other])
            free = order[other] == 0 or faces[order[other] - 1] != faces[card - 1]
            if order[k] != 0 and faces[g.cards[place, k] - 1] != face and faces[card - 1] == face and free:
                g.cards[place, other] = g.cards[place, k]
                g.cards[place, k] = card


@kernel
def put_copy(
    games: Any, i: Any, card: Any, place: Any, kind: Any, index: Any, told: Any, seen_by: Ints, ordered: Ints, faces: Ints
) -> Any:
    """Puts a copy of a card into a ``mem``; False if there is no such index, or no room.

    Args:
        kind: ON_TOP, AT_BOTTOM, or AT_INDEX with the index from the bottom.
        told: what all know of the position of the card: INDEX_TOLD, PLACE_TOLD or NOT_TOLD.
    """
    g = games[i]
    home = np.int64(g.where[card])
    if home >= 0 and (told == INDEX_TOLD or (told == PLACE_TOLD and not ordered[home])):
        learning, at = seen_by[place], np.int64(-1)
        for k in range(g.sizes[home]):
            other = np.int64(g.cards[home, k]) - 1
            if other == card:
                at = np.int64(k)
            elif told == PLACE_TOLD and faces[other] == faces[card]:
                learning &= ~np.int64(g.known[home, k])  # for all that such a seat can tell, it was that one
        if g.watcher and learning >> (g.watcher - 1) & 1:
            if told == PLACE_TOLD and g.known[home, at] >> (g.watcher - 1) & 1 == 0:
                transfer_label(games, i, home, at, 1, faces)
            pin_face(games, i, card, faces)
        if g.traces.shape[1] > 1:
            update_traces(games, i, card, home, home, np.int64(-1), learning & ~np.int64(g.known[home, at]), faces)
        g.known[home, at] |= learning
    return _insert_card(games, i, card, place, kind, index, seen_by[place])


@kernel
def drop_copy(games: Any, i: Any, card: Any, place: Any) -> Any:
    g = games[i]
    for k in range(g.sizes[place]):
        if g.cards[place, k] == card + 1:
            _remove_card(games, i, place, k)
            return True
    return False


@kernel
def make_deck(games: Any, i: Any, first: Any, count: Any, place: Any, seen_by: Ints) -> None:
    g = games[i]
    for k in range(count):
        g.cards[place, g.sizes[place]] = first + k + 1
        g.known[place, g.sizes[place]] = seen_by[place]
        g.where[first + k] = place
        g.sizes[place] += 1


@kernel
def _merge_ruled(games: Any, i: Any, place: Any, seats: Any) -> None:
    """Reduces the faces ruled out for single cards of a place to those ruled out for all of them."""
    g = games[i]
    for seat in range(g.ruled.shape[0] if g.ruled.shape[1] > 1 else 0):
        for word in range(g.ruled.shape[2] if seats >> seat & 1 else 0):
            bits = np.int64(-1)
            for k in range(g.sizes[place]):
                bits &= g.ruled[seat, g.cards[place, k] - 1, word]
            for k in range(g.sizes[place]):
                g.ruled[seat, g.cards[place, k] - 1, word] = bits


@kernel
def rule_out(games: Any, i: Any, card: Any, heap: Ints, bars: Any, seats: Any, slotted: Ints) -> None:
    """Notes the faces, as bits in ``heap`` from ``bars`` on, that a card does not have, for the seats that are told."""
    g = games[i]
    for seat in range(g.ruled.shape[0] if g.where[card] >= 0 and slotted[g.where[card]] else 0):
        for word in range(g.ruled.shape[2] if seats >> seat & 1 else 0):
            g.ruled[seat, card, word] |= heap[bars + word]


@kernel
def rule_out_all(games: Any, i: Any, place: Any, heap: Ints, bars: Any, seats: Any, slotted: Ints, seen_by: Ints) -> None:
    """Applies `rule_out` to each card of a place, and to the place if all seats are told."""
    g = games[i]
    for k in range(g.sizes[place]):
        rule_out(games, i, np.int64(g.cards[place, k]) - 1, heap, bars, seats, slotted)
    for word in range(g.barred.shape[1] if seats == seen_by[-1] else 0):
        g.barred[place, word] |= heap[bars + word]


@kernel
def clear_tellings(games: Any, i: Any) -> None:
    """Blanks the tellings of the latest step, so that equal positions have equal records."""
    g = games[i]
    if g.sayings:
        g.said.fill(0)
    g.sayings = 0


@kernel
def note_telling(games: Any, i: Any, number: Any, holds: Any, card: Any, seats: Any) -> None:
    """Notes the result of a telling act, for the seats that are told; ``card`` is -1 if it is about no card or several."""
    g = games[i]
    for seat in range(len(g.heard)):
        if seats >> seat & 1:
            g.heard[seat] = mix_hash(g.heard[seat], 2 * number + holds)
            g.told[seat, number] = 1 + holds
    if g.sayings < len(g.said):
        row = g.said[g.sayings]
        row[0], row[1], row[2], row[3], row[4] = number, holds, -1, -1, seats
        if card >= 0 and g.where[card] >= 0:
            row[2] = g.where[card]
            for k in range(g.sizes[row[2]]):
                if g.cards[row[2], k] == card + 1:
                    row[3] = k
        g.sayings += 1

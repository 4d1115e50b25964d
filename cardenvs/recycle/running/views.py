"""The kernels that all described games share: dealing, views, observations, re-deals, over a game's tables.

`Viewing` makes them for a game. A view has the places of the seat that looks first, as the contract wants it, zeros for the
cards that the seat does not know, and no order among cards where the script never asks for one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from cardenvs.compiled.bits import Bytes, Ints, Streams
from cardenvs.compiled.jit import closure, helper, kernel
from cardenvs.compiled.streams import below, new_stream
from cardenvs.contract.loops import EPISODE_OVER, RUNNING
from cardenvs.recycle.running.collections import DRAW, MOST_SAID, NOTE_ORDERS, PLAN_ORDERS, is_single, value_bit

SECRET, FULL, TOP, BOTTOM, BARRED, MEM = range(6)
"""Columns of the table PLACE_PARTS."""
REPEATED = 2
"""What stands in the column MEM for a ``mem`` that can have a card twice."""
BITS = 20
"""The bits of a number that can be anything."""
_WORLDS = 400
"""How many worlds are drawn at most until one has the options that are known of who is to act."""
UNFIT = 2
"""What ``imagined`` is in a world in which who is to act cannot do what it can: none was found that fits."""
_TRIES = 60
"""How many deals are drawn at random before those that fit are counted."""
_EXCHANGES = 1000
"""How many cards are exchanged at most in a deal in which not all could be counted."""
_MOST_WAYS = 40_000
"""The most sizes of hands that are counted through, all together, to draw a deal that fits."""


# --- dealing and playing ----------------------------------------------------------------------------------------------


@kernel
def clear(heap: Ints, count: Any) -> None:
    """Sets the first entries of ``H`` to 0."""
    for k in range(count):
        heap[k] = 0


@kernel
def start(games: Any, i: Any, chance: Any, deck_places: Ints, setup: Any, seen_by: Ints, private_first: Ints) -> None:
    """Sets a game to where its script begins, with all cards of the setup in their places.

    Args:
        games: the games' states.
        i: the number of the game.
        chance: the random stream of the game.
        deck_places: int64 (setup cards,), the place of each card of the setup.
        setup: how many cards the setup has.
        seen_by: int64 (places,), the seats that see the cards of each place, a bit each.
        private_first: int64 (private bins,), the bit of the value that each begins with.
    """
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
        g.origin[k] = 0
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
    """Leaves all shuffles, and all that comes by chance, to the random stream."""
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
    """Blanks all that has been told."""
    g = games[i]
    g.sayings = 0
    for seat in range(len(g.heard)):
        g.heard[seat] = 0
        for k in range(g.told.shape[1]):
            g.told[seat, k] = 0
        for card in range(g.ruled.shape[1]):
            for word in range(g.ruled.shape[2]):
                g.ruled[seat, card, word] = 0


@kernel
def forget_past(views: Any, j: Any) -> None:
    """Blanks what only those recall who recall the order of play."""
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
    """Blanks what a view does not tell: chance, and what has been done."""
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


@kernel
def set_options(games: Any, i: Any, heap: Ints, depths: Ints, words: Any, most: Any) -> None:
    """Takes over from ``H`` what is legal, and says who is to act."""
    g = games[i]
    for word in range(words):
        g.legal_words[word] = heap[word] if g.over == RUNNING else 0
    for action in range(len(g.counts)):
        g.counts[action] = min(heap[words + action], most) if g.over == RUNNING else 0
    g.to_act = g.seat_turn[depths[g.site]] if g.over == RUNNING else -1


@kernel
def give_up(games: Any, i: Any, last_point: Any) -> None:
    """Ends an imagined game that goes nowhere, as what was made up does not fit together; its scores are as they stand."""
    g = games[i]
    g.over = EPISODE_OVER
    g.site = -1
    g.point = last_point
    g.to_act = -1


@kernel
def decide(games: Any, i: Any) -> None:
    """Notes that an option was taken, with nothing of it left to choose."""
    g = games[i]
    g.partial = 0
    for k in range(len(g.chosen)):
        g.chosen[k] = -1
    g.decisions += 1


# --- drawing deals that fit -------------------------------------------------------------------------------------------


@helper
def _may(v: Any, place: Any, slot: Any, face: Any) -> Any:
    """Whether a face can be in a place of a view, and in a slot of it; in -1, which is none of them, each can."""
    told = slot >= 0 and v.ruled[0, slot, face // 63] >> (face % 63) & 1 != 0
    return place < 0 or not (told or v.barred[place, face // 63] >> (face % 63) & 1)


@helper
def _same_ruled(v: Any, one: Any, other: Any) -> Any:
    """Whether the same faces are ruled out for two slots."""
    same = True
    for word in range(v.ruled.shape[2] if one != other else 0):
        left = v.ruled[0, one, word] if one >= 0 else np.int64(0)
        same = same and left == (v.ruled[0, other, word] if other >= 0 else np.int64(0))
    return same


@kernel
def fill(
    views: Any, i: Any, cards: Ints, count: Any, places: Ints, slots: Ints, faces: Ints, streams: Streams, s: Any, out: Ints
) -> Any:
    """Draws which unknown card goes to which unknown slot, all deals that fit equally likely.

    Args:
        views: the views.
        i: the number of the view.
        cards: int64, the unknown cards; put into another order.
        count: how many cards and slots there are.
        places: int64, the place of each slot.
        slots: int64, the number of each slot among all of the view; -1 where nothing is told of single cards.
        faces: int64 (cards,), the face of each card.
        streams: uint64 random streams.
        s: the stream that is drawn from.
        out: int64 (count,), the card of each slot.

    Returns:
        Whether each slot has a card that it can have.
    """
    v = views[i]
    for _ in range(_TRIES):
        for k in range(count - 1, 0, -1):
            other = below(streams, s, k + 1)
            cards[k], cards[other] = cards[other], cards[k]
        good = True
        for k in range(count):
            good = good and _may(v, places[k], slots[k], faces[cards[k]])
        if good:
            for k in range(count):
                out[k] = cards[k]
            return True
    _fill_by_counting(v, cards, count, places, slots, faces, streams, s, out)
    return _exchanged(v, count, places, slots, faces, streams, s, out)


@kernel
def _exchanged(v: Any, count: Any, places: Ints, slots: Ints, faces: Ints, streams: Streams, s: Any, out: Ints) -> Any:
    """Exchanges cards of slots that cannot have them, as those can that were not counted; says whether all fit then."""
    for _ in range(_EXCHANGES):
        wrong = np.int64(-1)
        for k in range(count):
            if not _may(v, places[k], slots[k], faces[out[k]]):
                wrong = np.int64(k)
        if wrong < 0:
            return True
        start = below(streams, s, count)
        for k in range(count):
            other = (start + k) % count
            if _may(v, places[wrong], slots[wrong], faces[out[other]]):
                out[wrong], out[other] = out[other], out[wrong]
                break
    return False


@kernel
def _fill_by_counting(
    v: Any, cards: Ints, count: Any, places: Ints, slots: Ints, faces: Ints, streams: Streams, s: Any, out: Ints
) -> None:
    """As `fill`, by counting how many deals give each holder how many cards of each kind.

    A holder is what slots share of which the same faces are ruled out, where that matters; what counts too many ways is
    left free.
    """
    held = np.full(count, -1, np.int64)  # the holder of each slot
    firsts = np.empty(count, np.int64)  # the first slot of each holder
    room = np.zeros(count, np.int64)
    number = np.int64(0)
    ways = np.int64(1)
    for k in range(count):
        matters = False
        for j in range(count):
            matters = matters or not _may(v, places[k], slots[k], faces[cards[j]])
        for h in range(number):
            if places[firsts[h]] == places[k] and _same_ruled(v, slots[firsts[h]], slots[k]):
                held[k] = h
        if matters and held[k] < 0:
            size = np.int64(0)
            for j in range(k, count):
                size += places[j] == places[k] and _same_ruled(v, slots[j], slots[k])
            if ways * (size + 1) <= _MOST_WAYS and number < 20:
                firsts[number] = k
                room[number] = size
                held[k] = number
                ways *= size + 1
                number += 1
    # Kinds of cards: those that the same holders may have.
    allowed = np.zeros(count, np.int64)
    for j in range(count):
        for h in range(number):
            if _may(v, places[firsts[h]], slots[firsts[h]], faces[cards[j]]):
                allowed[j] |= np.int64(1) << h
    kinds = np.empty(count, np.int64)
    amounts = np.zeros(count, np.int64)
    different = np.int64(0)
    for j in range(count):
        at = np.int64(0)
        while at < different and kinds[at] != allowed[j]:
            at += 1
        if at == different:
            kinds[at] = allowed[j]
            different += 1
        amounts[at] += 1
    # weights[kind, left rooms]: in how many ways the kinds from this one on fill these rooms.
    weights = np.zeros((different + 1, ways))
    weights[different, 0] = 1.0
    rooms = np.empty(number + 1, np.int64)
    split = np.zeros(number + 1, np.int64)
    for kind in range(different - 1, -1, -1):
        for state in range(ways):
            rest = state
            for h in range(number):
                rooms[h] = rest % (room[h] + 1)
                rest //= room[h] + 1
            total = 0.0
            going = _first_split(split, number)
            while going:
                total += _split_ways(split, number, amounts[kind]) * weights[kind + 1, _state(rooms, split, room, number)]
                going = _next_split(split, number, rooms, amounts[kind], kinds[kind])
            weights[kind, state] = total
    # Draw how many of each kind each holder gets, then which.
    order = np.empty(count, np.int64)
    for k in range(count):
        order[k] = k
    for k in range(count - 1, 0, -1):
        other = below(streams, s, k + 1)
        order[k], order[other] = order[other], order[k]
    spots = np.empty(count, np.int64)
    for k in range(count):
        spots[k] = k
    for k in range(count - 1, 0, -1):
        other = below(streams, s, k + 1)
        spots[k], spots[other] = spots[other], spots[k]
    used = np.zeros(count, np.bool_)
    for h in range(number):
        rooms[h] = room[h]
    for k in range(count):
        out[k] = -1
    for kind in range(different):
        total = weights[kind, _state(rooms, split * 0, room, number)]
        left = (below(streams, s, 1 << 30) + 0.5) / (1 << 30) * total
        going = _first_split(split, number)
        chosen = split.copy()
        while going:
            weight = _split_ways(split, number, amounts[kind]) * weights[kind + 1, _state(rooms, split, room, number)]
            if weight > 0.0:
                chosen[:] = split
                left -= weight
                if left <= 0.0:
                    break
            going = _next_split(split, number, rooms, amounts[kind], kinds[kind])
        for h in range(number):
            rooms[h] -= chosen[h]
            for _ in range(chosen[h]):
                _give(order, used, allowed, kinds[kind], spots, held, h, cards, out, count)
    # What is left goes wherever there is room.
    at = np.int64(0)
    for j in range(count):
        if not used[j]:
            while out[spots[at]] >= 0:
                at += 1
            out[spots[at]] = cards[order[j]]


@kernel
def _give(
    order: Ints, used: Any, allowed: Ints, kind: Any, spots: Ints, held: Ints, holder: Any, cards: Ints, out: Ints,
    count: Any,
) -> None:  # fmt: skip
    """Puts the next unused card of a kind into the next free slot of a holder."""
    for j in range(count):
        if not used[j] and allowed[order[j]] == kind:
            for k in range(count):
                if held[spots[k]] == holder and out[spots[k]] < 0:
                    out[spots[k]] = cards[order[j]]
                    used[j] = True
                    return


@helper
def _state(rooms: Ints, split: Ints, room: Ints, number: Any) -> Any:
    """The number of what is left of the rooms behind a split."""
    state, factor = np.int64(0), np.int64(1)
    for h in range(number):
        state += (rooms[h] - split[h]) * factor
        factor *= room[h] + 1
    return state


@helper
def _first_split(split: Ints, number: Any) -> Any:
    """Nothing for anybody."""
    for h in range(number):
        split[h] = 0
    return True


@kernel
def _next_split(split: Ints, number: Any, rooms: Ints, amount: Any, kind: Any) -> Any:
    """The next way to split cards of a kind among holders that may have it; False after the last."""
    total = np.int64(0)
    for h in range(number):
        total += split[h]
    for h in range(number):
        if kind >> h & 1 and split[h] < rooms[h] and total < amount:
            split[h] += 1
            return True
        total -= split[h]
        split[h] = 0
    return False


@helper
def _split_ways(split: Ints, number: Any, amount: Any) -> Any:
    """In how many ways so many cards are split so among holders, the rest being for anybody."""
    ways = 1.0
    left = amount
    for h in range(number):
        for k in range(split[h]):
            ways *= (left - k) / (k + 1)
        left -= split[h]
    return ways


# --- the kernels of a game --------------------------------------------------------------------------------------------


def viewing(
    name: str, tables: Mapping[str, Any], fill_map: Callable[..., Any], options: Callable[..., Any],
    could: Callable[..., Any], heap_size: int, seats: int,
) -> dict[str, Callable[..., Any]]:  # fmt: skip
    """The kernels of the contract that look at states: view, observe, decode, redeal, fresh_deal, reveal, flaw.

    Args:
        name: the module of the game and a colon, then the game's name.
        tables: the tables of `cardenvs.recycle.compiler.module.Module`.
        fill_map: ``(games, i, map)``: works out what cards score.
        options: ``(games, i, H, target)``: lists options.
        could: ``(games, i, H, p)``: the values that a private bin can have been given in a world, a bit each.
        heap_size: the entries of ``H``.
        seats: the number of seats.
    """

    def table(key: str) -> Any:
        return np.asarray(tables[key], np.int64)

    parts, turned = table("PLACE_PARTS"), table("TURNED_PLACES")
    turned_numbers, turned_texts, turned_maps = table("TURNED_NUMBERS"), table("TURNED_TEXTS"), table("TURNED_MAPS")
    faces, by_face, face_start, backs = table("FACES"), table("BY_FACE"), table("FACE_START"), table("BACKS")
    seen_by, depths, pool = table("SEEN_BY"), table("DEPTHS"), table("POOL")
    number_spans, text_spans = table("NUMBER_SPANS"), table("TEXT_SPANS")
    private_of_numbers, private_of_texts = table("PRIVATE_NUMBERS"), table("PRIVATE_TEXTS")
    private_all, number_kinds = table("PRIVATE_ALL"), table("NUMBER_KINDS")
    private_owners, private_slots, is_text = table("PRIVATE_OWNERS"), table("PRIVATE_SLOTS"), table("PRIVATE_IS_TEXT")
    private_pool, turned_private, team_of = table("PRIVATE_POOL"), table("TURNED_PRIVATE"), table("TEAM_OF")
    origin_reads = table("ORIGIN_READS")
    origin_spans, origin_pool, origins = table("ORIGIN_SPANS"), table("ORIGIN_POOL"), int(tables["ORIGIN_COUNT"])
    part_actions, many = table("PART_ACTIONS"), table("MANY")
    made_firsts, made_counts, value_parts = table("MADE_FIRSTS"), table("MADE_COUNTS"), table("MAP_VALUE_PARTS")
    points, hidden_rules, slotted = table("POINTS"), table("HIDDEN_RULES"), table("SLOTTED")
    tells = int(tables["TELLS"])
    number_bins, text_bins, map_count, place_count = (
        int(tables["NUMBER_BINS"]), int(tables["TEXT_BINS"]), int(tables["MAP_BINS"]), int(tables["PLACE_COUNT"])
    )  # fmt: skip
    teams, sites, actions, words = (int(tables[key]) for key in ("TEAM_COUNT", "SITES", "ACTIONS", "WORDS"))
    most_count = int(tables["MOST_COUNT"])
    privates, levels, heights = int(tables["PRIVATE_COUNT"]), int(tables["LEVELS"]), len(faces).bit_length()
    other_backs = int(max(backs))
    count_bits, total_cards, total_faces = int(tables["COUNT_BITS"]), len(faces), len(face_start) - 1
    part_count = int(tables["PART_COUNT"])

    @closure(f"{name}.settle")
    def settle(views: Any, j: Any) -> None:
        """Puts the cards of a view into their order, and numbers copies of a face as they come."""
        v = views[j]
        taken = np.zeros(total_faces, np.int64)
        for p in range(place_count):
            size = np.int64(v.sizes[p])
            if parts[p, FULL] == 0 and size > 1:
                low = np.int64(1) if parts[p, BOTTOM] else np.int64(0)
                high = size - 1 if parts[p, TOP] else size
                for k in range(low + 1, high):
                    card = np.int64(v.cards[p, k])
                    at = k
                    # Known cards first, by face; unknown ones behind them, by their backs.
                    while at > low and _order(card, faces) < _order(np.int64(v.cards[p, at - 1]), faces):
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

    @closure(f"{name}.see_told")
    def see_told(games: Any, i: Any, seat: Any, views: Any, j: Any) -> None:
        """Writes what a seat was told, slot by slot, into a view whose cards are there."""
        g, v = games[i], views[j]
        forget_told(views, j)
        for k in range(tells):
            v.told[0, k] = g.told[seat, k]
        slot = np.int64(0)
        for p in range(place_count):
            for k in range(v.sizes[p] if parts[p, MEM] == 0 else 0):
                for word in range(v.ruled.shape[2] if slotted[p] and v.cards[p, k] <= 0 else 0):
                    v.ruled[0, slot, word] = g.ruled[seat, g.cards[turned[seat, p], k] - 1, word]
                slot += 1

    @closure(f"{name}.view")
    def view(games: Any, i: Any, seat: Any, views: Any, j: Any) -> None:
        """Writes what a seat knows."""
        g = games[i]
        v = views[j]
        v.zero = (g.zero - seat + seats) % seats
        v.point = g.point
        v.site = g.site
        depth = depths[g.site] if g.site >= 0 else np.int64(0)
        for k in range(len(v.seat_turn)):
            v.seat_turn[k] = (g.seat_turn[k] - seat + seats) % seats if k <= depth else 0
            v.seat_queue[k] = (g.seat_queue[k] - seat + seats) % seats if k <= depth and g.seat_queue[k] >= 0 else -1
        for k in range(len(v.side_turn)):
            v.side_turn[k] = g.side_turn[k]
            v.side_queue[k] = g.side_queue[k]
        for p in range(place_count):
            source = turned[seat, p]
            size = np.int64(g.sizes[source])
            v.sizes[p] = size
            for k in range(total_cards):
                v.known[p, k] = 0
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
        for k in range(len(v.where)):
            v.where[k] = 0
        for k in range(number_bins):
            v.numbers[k] = g.numbers[turned_numbers[seat, k]]
        for k in range(text_bins):
            v.texts[k] = g.texts[turned_texts[seat, k]]
        for p in range(privates):
            v.maybe[p] = g.maybe[turned_private[seat, p]]
            v.origin[p] = g.origin[turned_private[seat, p]]
            if veiled(views, j, p):
                if is_text[p]:
                    v.texts[private_slots[p]] = 0
                else:
                    v.numbers[private_slots[p]] = 0
        for m in range(map_count):
            source = turned_maps[seat, m]
            v.map_made[m] = g.map_made[source]
            for k in range(v.map_values.shape[1]):
                v.map_values[m, k] = g.map_values[source, k]
            for k in range(total_cards):
                v.maps[m, k] = g.maps[source, k]
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

    @closure(f"{name}.hear_told")
    def hear_told(views: Any, i: Any, games: Any, j: Any) -> None:
        """Writes into a world, whose cards are there, what its seat was told of them."""
        g, v = games[j], views[i]
        forget_told(games, j)
        for k in range(tells):
            g.told[0, k] = v.told[0, k]
        slot = np.int64(0)
        for p in range(place_count):
            for k in range(g.sizes[p] if parts[p, MEM] == 0 else 0):
                for word in range(v.ruled.shape[2] if slotted[p] else 0):
                    g.ruled[0, g.cards[p, k] - 1, word] = v.ruled[0, slot, word]
                slot += 1

    @closure(f"{name}.draw_private")
    def draw_private(games: Any, j: Any, p: Any, bits: Any, streams: Streams, s: Any) -> None:
        """Gives a private bin one of some values, a bit each, at random."""
        g = games[j]
        count = np.int64(0)
        for k in range(private_pool[p, 1]):
            count += bits >> k & 1
        left = np.int64(below(streams, s, int(count)))
        for k in range(private_pool[p, 1]):
            if bits >> k & 1:
                if left == 0 and is_text[p]:
                    g.texts[private_slots[p]] = pool[private_pool[p, 0] + k]
                elif left == 0:
                    g.numbers[private_slots[p]] = pool[private_pool[p, 0] + k]
                left -= 1

    @closure(f"{name}.work_out")
    def work_out(views: Any, i: Any, games: Any, j: Any, streams: Streams, s: Any) -> None:
        """Gives private bins what their origins do in a world whose cards are there; it is unfit where that cannot be."""
        g = games[j]
        heap = np.empty(heap_size, np.int64)
        for origin in range(1, origins + 1):
            for p in range(privates):
                if g.origin[p] == origin:
                    bits = g.maybe[p] & could(games, j, heap, p)
                    if bits != 0 and veiled(views, i, p):
                        draw_private(games, j, p, bits, streams, s)
                    elif bits & value_bit(games, j, p, private_slots, is_text, private_pool, pool) == 0:
                        g.imagined = UNFIT

    @closure(f"{name}.narrow")
    def narrow(views: Any, i: Any) -> None:
        """Bars the faces which a private bin tells that a card is not, where its origin looks at one hidden card alone."""
        v = views[i]
        heap = np.empty(heap_size, np.int64)
        for p in range(privates):
            place, spot, hidden = np.int64(0), np.int64(0), np.int64(0)
            for q in range(place_count):
                for k in range(v.sizes[q] if origin_reads[v.origin[p], p, q] else 0):
                    if v.cards[q, k] <= 0:
                        place, spot, hidden = np.int64(q), np.int64(k), hidden + 1
            card, bits = v.cards[place, spot], v.maybe[p]
            if not veiled(views, i, p):
                bits &= value_bit(views, i, p, private_slots, is_text, private_pool, pool)
            for face in range(total_faces if hidden == 1 else 0):
                v.cards[place, spot] = by_face[face_start[face]] + 1
                if bits & could(views, i, heap, p) == 0:
                    v.barred[place, face // 63] |= np.int64(1) << (face % 63)
            v.cards[place, spot] = card

    @closure(f"{name}.world")
    def world(views: Any, i: Any, streams: Streams, s: Any, games: Any, j: Any) -> None:
        """Deals the cards that a seat does not know."""
        games[j] = views[i]
        g = games[j]
        loose = np.empty(total_cards, np.int64)
        slot_places = np.empty(total_cards, np.int64)
        slot_spots = np.empty(total_cards, np.int64)
        slot_numbers = np.empty(total_cards, np.int64)
        out = np.empty(total_cards, np.int64)
        used = np.zeros(total_cards, np.bool_)
        most_back = np.int64(0)
        for k in range(total_cards):
            most_back = max(most_back, backs[k])
            g.where[k] = -1
        for p in range(place_count):
            for k in range(g.sizes[p]):
                g.known[p, k] = seen_by[p]
                card = np.int64(g.cards[p, k])
                if card > 0:
                    g.known[p, k] |= 1
                    if parts[p, MEM] == 0:
                        used[card - 1] = True
                        g.where[card - 1] = p
        for back in range(most_back + 1):
            slots, number = np.int64(0), np.int64(0)
            for p in range(place_count):
                if parts[p, MEM] == 0:
                    for k in range(g.sizes[p]):
                        if g.cards[p, k] == -back:
                            slot_places[slots] = p
                            slot_spots[slots] = k
                            slot_numbers[slots] = number + k if slotted[p] else -1
                            slots += 1
                    number += g.sizes[p]
            count = np.int64(0)
            for k in range(total_cards):
                if not used[k] and backs[k] == back and count < slots:
                    loose[count] = k
                    count += 1
            if not fill(views, i, loose, count, slot_places, slot_numbers, faces, streams, s, out):
                g.imagined = UNFIT
            for k in range(count):
                g.cards[slot_places[k], slot_spots[k]] = out[k] + 1
                g.where[out[k]] = slot_places[k]
        if tells:
            hear_told(views, i, games, j)
        for p in range(privates):
            if g.origin[p] == 0 and veiled(views, i, p):
                draw_private(games, j, p, g.maybe[p], streams, s)
        g.chance = new_stream(streams, s)
        g.stream = g.chance
        if origins:
            work_out(views, i, games, j, streams, s)
            g.stream = g.chance

    @closure(f"{name}.redeal")
    def redeal(views: Any, i: Any, streams: Streams, s: Any, games: Any, j: Any) -> None:
        """Writes a world that fits what a seat knows; an unfit one where none is found."""
        known, at = views, i
        if origins:
            known, at = np.empty_like(views[i : i + 1]), 0
            known[0] = views[i]
            narrow(known, at)
        for _ in range(_WORLDS):
            world(known, at, streams, s, games, j)
            g = games[j]
            for p in range(place_count if origins else 0):
                for word in range(g.barred.shape[1]):
                    g.barred[p, word] = views[i].barred[p, word]
            own = g.to_act == 0
            if g.imagined == UNFIT:
                continue
            if g.over != RUNNING or (own and hidden_rules[g.site] == 0):
                return
            heap = np.empty(heap_size, np.int64)
            clear(heap, words + actions)
            listed = options(games, j, heap, np.int64(-1))
            set_options(games, j, heap, depths, words, most_count)
            # Who is to act can do something; the seat that looks, just what it sees that it can.
            same = listed > 0
            for word in range(words):
                same = same and (not own or g.legal_words[word] == views[i].legal_words[word])
            for action in range(actions):
                same = same and (not own or g.counts[action] == views[i].counts[action])
            if same:
                return
            games[j].imagined = UNFIT

    @closure(f"{name}.can_have")
    def can_have(p: Any, origin: Any) -> Any:
        """Whether a private bin can have an origin, 0 for none."""
        known = origin == 0
        for k in range(origin_spans[p, 1]):
            known = known or origin_pool[origin_spans[p, 0] + k] == origin
        return known

    @closure(f"{name}.put_private")
    def put_private(views: Any, i: Any, out: Bytes, row: Any, column: Any, p: Any) -> Any:
        """Writes a private bin: its value or that it is hidden, and what it may be; returns the column behind."""
        count = private_pool[p, 1]
        if veiled(views, i, p):
            out[row, column + count] = 1
        else:
            bit = value_bit(views, i, p, private_slots, is_text, private_pool, pool)
            for k in range(count):
                out[row, column + k] = bit >> k & 1
        for k in range(count):
            out[row, column + count + 1 + k] = views[i].maybe[p] >> k & 1
        column += 2 * count + 1
        for k in range(origin_spans[p, 1]):
            out[row, column + k] = views[i].origin[p] == origin_pool[origin_spans[p, 0] + k]
        return column + origin_spans[p, 1]

    @closure(f"{name}.get_private")
    def get_private(observations: Bytes, row: Any, column: Any, views: Any, j: Any, p: Any) -> Any:
        """Reads what `put_private` has written; returns the column behind."""
        v = views[j]
        count = private_pool[p, 1]
        at = _one(observations, row, column, count)
        value = pool[private_pool[p, 0] + at] if at >= 0 else np.int64(0)
        if is_text[p]:
            v.texts[private_slots[p]] = value
        else:
            v.numbers[private_slots[p]] = value
        v.maybe[p] = 0
        for k in range(count):
            v.maybe[p] |= np.int64(observations[row, column + count + 1 + k]) << k
        column += 2 * count + 1
        at = _one(observations, row, column, origin_spans[p, 1])
        v.origin[p] = origin_pool[origin_spans[p, 0] + at] if at >= 0 else 0
        return column + origin_spans[p, 1]

    @closure(f"{name}.fresh_deal")
    def fresh_deal(views: Any, i: Any, streams: Streams, s: Any, games: Any, j: Any) -> None:
        """Writes a world that fits what a seat may look at now, be it against what it remembers or could conclude."""
        seen = views[i : i + 1].copy()
        v = seen[0]
        if tells:
            forget_told(seen, 0)
        for p in range(place_count):
            for word in range(v.barred.shape[1]):
                v.barred[p, word] = 0
            for k in range(v.sizes[p]):
                if v.cards[p, k] > 0 and seen_by[p] & 1 == 0:
                    v.cards[p, k] = -backs[v.cards[p, k] - 1]
        redeal(seen, 0, streams, s, games, j)

    @closure(f"{name}.observe")
    def observe(views: Any, i: Any, out: Bytes, row: Any) -> None:
        """Writes a view as zeros and ones."""
        v = views[i]
        for k in range(out.shape[1]):
            out[row, k] = 0
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
                    put_bits(out, row, column + k * heights, faces[v.cards[p, k] - 1] + 1, heights)
                column += total_cards * heights
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
            slot += size if parts[p, MEM] == 0 else 0
        for k in range(tells):
            for value in range(2):
                out[row, column + value] = v.told[0, k] == value + 1
            column += 2
        for k in range(number_bins):
            secret = private_of_numbers[k]
            if secret >= 0:
                column = put_private(views, i, out, row, column, secret)
            else:
                first, count = number_spans[k, 0], number_spans[k, 1]
                column = _put_number(out, row, column, v.numbers[k], number_kinds[k], first, count, pool)
        for k in range(text_bins):
            secret = private_of_texts[k]
            if secret >= 0:
                column = put_private(views, i, out, row, column, secret)
            else:
                column = _put_number(out, row, column, np.int64(v.texts[k]), 1, text_spans[k, 0], text_spans[k, 1], pool)
        for m in range(map_count):
            column = _put_number(out, row, column, v.map_made[m], 1, made_firsts[m], made_counts[m], pool)
            for k in range(v.map_values.shape[1]):
                kind, first, count = value_parts[m, k, 0], value_parts[m, k, 1], value_parts[m, k, 2]
                if kind < 2:
                    column = _put_number(out, row, column, v.map_values[m, k], kind, first, count, pool)
        column = _put_one(out, row, column, v.site, sites)
        for k in range(len(v.seat_turn)):
            column = _put_one(out, row, column, v.seat_turn[k], seats)
            column = _put_one(out, row, column, v.seat_queue[k], seats)
        for k in range(len(v.side_turn)):
            column = _put_one(out, row, column, v.side_turn[k], teams)
            column = _put_one(out, row, column, v.side_queue[k], teams)
        column = _put_one(out, row, column, v.zero, seats)
        column = _put_one(out, row, column, v.to_act, seats)
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

    @closure(f"{name}.decode")
    def decode(observations: Bytes, row: Any, views: Any, j: Any) -> None:
        """Writes the view behind an observation."""
        v = views[j]
        column, slot = np.int64(0), np.int64(0)
        if tells:
            forget_told(views, j)
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
                    face = get_bits(observations, row, column + k * heights, heights)
                    if 0 < face <= total_faces:
                        v.cards[p, k] = by_face[face_start[face - 1]] + 1
                        size = np.int64(k) + 1
                column += total_cards * heights
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
                face = _one(observations, row, column, total_faces)
                _bring(v.cards, p, size, known, face, size - 1, faces)
                column += total_faces
            if parts[p, BOTTOM]:
                face = _one(observations, row, column, total_faces)
                _bring(v.cards, p, size, known, face, np.int64(0), faces)
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
            slot += size if parts[p, MEM] == 0 else np.int64(0)
        for k in range(tells):
            v.told[0, k] = 1 + _one(observations, row, column, 2)
            column += 2
        settle(views, j)
        for p in range(place_count):
            if parts[p, SECRET]:
                for k in range(v.sizes[p]):
                    for back in range(other_backs):
                        if v.cards[p, k] <= 0 and observations[row, backs_at[p] + k * other_backs + back]:
                            v.cards[p, k] = -back - 1
        for k in range(len(v.where)):
            v.where[k] = 0
        for k in range(len(v.numbers)):
            v.numbers[k] = 0
        for k in range(number_bins):
            if private_of_numbers[k] >= 0:
                column = get_private(observations, row, column, views, j, private_of_numbers[k])
                continue
            first, count = number_spans[k, 0], number_spans[k, 1]
            v.numbers[k] = _get_number(observations, row, column, number_kinds[k], first, count, pool)
            column += count
        for k in range(len(v.texts)):
            v.texts[k] = 0
        for k in range(text_bins):
            if private_of_texts[k] >= 0:
                column = get_private(observations, row, column, views, j, private_of_texts[k])
                continue
            v.texts[k] = _get_number(observations, row, column, 1, text_spans[k, 0], text_spans[k, 1], pool)
            column += text_spans[k, 1]
        for m in range(map_count):
            v.map_made[m] = _get_number(observations, row, column, 1, made_firsts[m], made_counts[m], pool)
            column += made_counts[m]
            for k in range(v.map_values.shape[1]):
                kind, first, count = value_parts[m, k, 0], value_parts[m, k, 1], value_parts[m, k, 2]
                v.map_values[m, k] = 0
                if kind < 2:
                    v.map_values[m, k] = _get_number(observations, row, column, kind, first, count, pool)
                    column += count
            fill_map(views, j, m)
        v.site = _one(observations, row, column, sites)
        column += sites
        for k in range(len(v.seat_turn)):
            v.seat_turn[k] = max(_one(observations, row, column, seats), np.int64(0))
            column += seats
            v.seat_queue[k] = _one(observations, row, column, seats)
            column += seats
        for k in range(len(v.side_turn)):
            v.side_turn[k] = max(_one(observations, row, column, teams), np.int64(0))
            column += teams
            v.side_queue[k] = _one(observations, row, column, teams)
            column += teams
        v.zero = max(_one(observations, row, column, seats), np.int64(0))
        column += seats
        v.to_act = _one(observations, row, column, seats)
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

    @closure(f"{name}.reveal")
    def reveal(games: Any, i: Any, seat: Any, out: Bytes, row: Any, column: Any) -> None:
        """Writes the cards that a seat does not know."""
        g = games[i]
        counted = np.zeros(total_faces, np.int64)
        for p in range(place_count):
            if parts[p, SECRET] == 0:
                continue
            source = turned[seat, p]
            for k in range(total_cards):
                out[row, column + k] = 0
            for face in range(total_faces):
                counted[face] = 0
            for k in range(g.sizes[source]):
                card = np.int64(g.cards[source, k])
                if g.known[source, k] >> seat & 1 == 0:
                    face = faces[card - 1]
                    out[row, column + face_start[face] + counted[face]] = 1
                    counted[face] += 1
            column += total_cards
        for p in range(privates):
            source = turned_private[seat, p]
            bit = value_bit(games, i, source, private_slots, is_text, private_pool, pool)
            known = owns(games, i, source, np.int64(seat)) or is_single(games[i].maybe[source])
            for k in range(private_pool[p, 1]):
                out[row, column + k] = 0 if known else bit >> k & 1
            column += private_pool[p, 1]

    @closure(f"{name}.flaw")
    def flaw(games: Any, i: Any, whole: bool) -> Any:
        """What in a record of any content cannot be."""
        g = games[i]
        last = np.int64(part_count)
        if g.over != RUNNING and g.over != EPISODE_OVER:
            return last - 1
        if g.site < -1 or g.site >= sites or (g.site < 0) != (g.over != RUNNING):
            return last - 1
        if g.point != (points[g.site] if g.site >= 0 else points[sites]):
            return last - 1
        if g.zero < 0 or g.zero >= seats or g.imagined < 0 or g.imagined > UNFIT or g.shuffled < 0:
            return last - 1
        if g.ordering < DRAW or g.ordering > NOTE_ORDERS or g.watcher != 0 or g.sayings < 0 or g.sayings > MOST_SAID:
            return last
        for k in range(g.told.shape[1]):
            if g.told[0, k] < 0 or g.told[0, k] > 2:
                return last - 1
        for j in range(len(g.orders)):
            for k in range(total_cards):
                if g.orders[j, k] < 0 or g.orders[j, k] > total_cards or (g.orders[j, k] != 0 and g.ordering == DRAW):
                    return last
                if g.pins[j, k] < 0 or g.pins[j, k] > total_faces or g.lies[j, k] < 0:
                    return last
                if g.lies[j, k] > place_count + (total_cards if tells else 0):
                    return last
        for k in range(len(g.seat_turn)):
            if g.seat_turn[k] < 0 or g.seat_turn[k] >= seats or g.seat_queue[k] < -1 or g.seat_queue[k] >= seats:
                return last - 1
        for k in range(len(g.side_turn)):
            if g.side_turn[k] < 0 or g.side_turn[k] >= teams or g.side_queue[k] < -1 or g.side_queue[k] >= teams:
                return last - 1
        if g.to_act != (g.seat_turn[depths[g.site]] if g.site >= 0 else -1):
            return last - 1
        held = np.zeros(total_cards, np.bool_)
        slots = np.int64(0)
        for p in range(place_count):
            if g.sizes[p] < 0 or g.sizes[p] > total_cards:
                return np.int64(0)
            for k in range(total_cards):
                card = np.int64(g.cards[p, k])
                if k >= g.sizes[p]:
                    if card != 0 or g.known[p, k] != 0:
                        return np.int64(0)
                    continue
                if card > total_cards or card < -total_cards or (card <= 0 and (whole or parts[p, SECRET] == 0)):
                    return np.int64(0)
                if parts[p, MEM]:
                    continue
                slots += 1
                if card > 0:
                    if held[card - 1]:
                        return np.int64(0)
                    held[card - 1] = True
                    if whole and g.where[card - 1] != p:
                        return np.int64(0)
        if slots > total_cards:
            return np.int64(0)
        if whole:
            for k in range(total_cards):
                if not held[k] and g.where[k] != -1:
                    return np.int64(0)
        for k in range(number_bins):
            if not _is_coded(g.numbers[k], number_kinds[k], number_spans[k, 0], number_spans[k, 1], pool):
                return last - 1
        for k in range(text_bins):
            if not _is_coded(np.int64(g.texts[k]), 1, text_spans[k, 0], text_spans[k, 1], pool):
                return last - 1
        for p in range(privates):
            if g.maybe[p] == 0 or g.maybe[p] & ~private_all[p] != 0 or not can_have(p, g.origin[p]):
                return last - 1
            value = value_bit(games, i, p, private_slots, is_text, private_pool, pool)
            if g.maybe[p] & value == 0 and (whole or not veiled(games, i, p)):
                return last - 1
        if g.partial < 0 or g.partial > levels or (g.site < 0 and g.partial > 0):
            return last - 1
        for level in range(g.partial):
            known_part = False
            for k in range(len(part_actions)):
                known_part = known_part or part_actions[k] == g.chosen[level]
            if not known_part:
                return last - 1
        for m in range(map_count):
            if g.map_made[m] != 0 and not _is_coded(g.map_made[m], 1, made_firsts[m], made_counts[m], pool):
                return last - 1
            for k in range(g.map_values.shape[1]):
                kind, first, count = value_parts[m, k, 0], value_parts[m, k, 1], value_parts[m, k, 2]
                value = g.map_values[m, k]
                if (kind == 2 and value != 0) or (
                    kind < 2 and value != 0 and not _is_coded(value, kind, first, count, pool)
                ):
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

    return {
        "view": view, "redeal": redeal, "fresh_deal": fresh_deal, "observe": observe, "decode": decode, "reveal": reveal,
        "flaw": flaw,
    }  # fmt: skip


# --- small things -----------------------------------------------------------------------------------------------------


@helper
def _order(card: Any, faces: Ints) -> Any:
    """Where a card of a view stands among others: known ones by face, then unknown ones by their backs."""
    return faces[card - 1] if card > 0 else np.int64(1 << 20) - card


@helper
def _put_one(out: Bytes, row: Any, column: Any, value: Any, count: Any) -> Any:
    """Writes a value one-hot, nothing for -1; returns the column behind."""
    if 0 <= value < count:
        out[row, column + value] = 1
    return column + count


@helper
def _one(rows: Bytes, row: Any, column: Any, count: Any) -> Any:
    """The value that is written one-hot, -1 for none."""
    for k in range(count):
        if rows[row, column + k]:
            return np.int64(k)
    return np.int64(-1)


@kernel
def _put_number(out: Bytes, row: Any, column: Any, value: Any, kind: Any, first: Any, count: Any, pool: Ints) -> Any:
    """Writes a number in binary (kind 0), or one-hot over a piece of the pool; returns the column behind."""
    if kind == 0:
        return put_bits(out, row, column, value, count)
    for k in range(count):
        if pool[first + k] == value:
            out[row, column + k] = 1
    return column + count


@helper
def put_bits(out: Bytes, row: Any, column: Any, value: Any, bits: Any) -> Any:
    """Writes a number in binary; returns the column behind."""
    for bit in range(bits):
        out[row, column + bit] = value >> bit & 1
    return column + bits


@helper
def get_bits(rows: Bytes, row: Any, column: Any, bits: Any) -> Any:
    """The number that `put_bits` has written."""
    value = np.int64(0)
    for bit in range(bits):
        value |= np.int64(rows[row, column + bit]) << bit
    return value


@kernel
def _get_number(rows: Bytes, row: Any, column: Any, kind: Any, first: Any, count: Any, pool: Ints) -> Any:
    """The number that `_put_number` has written, 0 for none."""
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
def _is_coded(value: Any, kind: Any, first: Any, count: Any, pool: Ints) -> Any:
    """Whether `_put_number` can write a number."""
    if kind == 0:
        return -(np.int64(1) << (count - 1)) <= value < np.int64(1) << (count - 1)
    found = False
    for k in range(count):
        found = found or pool[first + k] == value
    return found


@kernel
def _bring(cards: Any, place: Any, size: Any, known: Any, face: Any, spot: Any, faces: Ints) -> None:
    """Brings a card of a face to a spot of a place of a view, or an unknown one where the face is -1."""
    if size == 0:
        return
    at = np.int64(-1)
    for k in range(size):
        card = np.int64(cards[place, k])
        if (face < 0 and card <= 0) or (face >= 0 and card > 0 and faces[card - 1] == face):
            at = np.int64(k)
    if at >= 0:
        cards[place, at], cards[place, spot] = cards[place, spot], cards[place, at]

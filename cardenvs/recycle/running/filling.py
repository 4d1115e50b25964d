"""Draws unknown cards for unknown slots; all deals that fit are equally likely."""

from typing import Any

import numpy as np

from cardenvs.compiled.bits import Ints, Streams, overwrite
from cardenvs.compiled.jit import helper, kernel
from cardenvs.compiled.streams import below
from cardenvs.recycle.running.claims import are_claims_met, is_claimed

_TRIES = 60  # deals that are drawn at random before those that fit are counted
_EXCHANGES = 1000  # exchanges of cards in a deal in which not all could be counted
_MOST_WAYS = 40_000  # combined sizes of hands that are counted to draw a deal that fits
_MOST_HOLDERS, _MOST_CLAIMS = 20, 6  # numbers of holders and claims that are counted with


@helper
def may_lie(v: Any, traces: Ints, place: Any, slot: Any, card: Any, faces: Ints) -> Any:
    """Whether a card may be in a place of a view and in a slot of it; -1 is no place or slot, and accepts any."""
    face = faces[card]
    if place >= 0 and len(traces) > 1 and traces[card] != 0 and traces[card] >> place & 1 == 0:
        return False
    told = slot >= 0 and v.ruled[0, slot, face // 63] >> (face % 63) & 1 != 0
    return place < 0 or not (told or v.barred[place, face // 63] >> (face % 63) & 1)


@helper
def _same_ruled(v: Any, one: Any, other: Any) -> Any:
    same = True
    for word in range(v.ruled.shape[2] if one != other else 0):
        left = v.ruled[0, one, word] if one >= 0 else np.int64(0)
        same = same and left == (v.ruled[0, other, word] if other >= 0 else np.int64(0))
    return same


@kernel
def fill(
    views: Any, i: Any, traces: Ints, cards: Ints, count: Any, places: Ints, slots: Ints, wanted: Ints, faces: Ints,
    streams: Streams, s: Any, out: Ints,
) -> Any:  # fmt: skip
    """Draws which unknown card goes to which unknown slot; returns whether each slot has a card that it can have.

    Args:
        traces: int64 (cards,), the possible places of each card, as bits, 0 for any; (1,) if none is traced.
        cards: int64, the unknown cards; reordered.
        count: number of cards and slots.
        places: int64, the place of each slot.
        slots: int64, the number of each slot in the view; -1 if nothing is told of single cards.
        wanted: int64 (claims, 2), the claims of the view that these slots must meet, -1 for none, and their places.
        faces: int64 (cards,), the face of each card.
        out: int64 (count,), receives the card of each slot.
    """
    v = views[i]
    for _ in range(_TRIES):
        for k in range(count - 1, 0, -1):
            other = below(streams, s, k + 1)
            cards[k], cards[other] = cards[other], cards[k]
        good = True
        for k in range(count):
            good = good and may_lie(v, traces, places[k], slots[k], cards[k], faces)
        if good and are_claims_met(v, wanted, count, places, faces, cards):
            for k in range(count):
                out[k] = cards[k]
            return True
    _fill_by_counting(v, traces, cards, count, places, slots, wanted, faces, streams, s, out)
    fits = _exchange_misfits(v, traces, count, places, slots, faces, streams, s, out)
    return fits and are_claims_met(v, wanted, count, places, faces, out)


@kernel
def _exchange_misfits(
    v: Any, traces: Ints, count: Any, places: Ints, slots: Ints, faces: Ints, streams: Streams, s: Any, out: Ints
) -> Any:
    """Exchanges cards that do not fit their slots, as in uncounted slots; returns whether all fit then."""
    for _ in range(_EXCHANGES):
        wrong = np.int64(-1)
        for k in range(count):
            if not may_lie(v, traces, places[k], slots[k], out[k], faces):
                wrong = np.int64(k)
        if wrong < 0:
            return True
        start = below(streams, s, count)
        for k in range(count):
            other = (start + k) % count
            if may_lie(v, traces, places[wrong], slots[wrong], out[other], faces):
                out[wrong], out[other] = out[other], out[wrong]
                break
    return False


@kernel
def _find_holders(
    v: Any, traces: Ints, cards: Ints, count: Any, places: Ints, slots: Ints, claims: Ints, many: Any, faces: Ints,
    held: Ints, firsts: Ints, room: Ints,
) -> Any:  # fmt: skip
    """Divides slots among holders; returns the numbers of holders and of combined sizes of hands.

    Writes the holder of each slot, -1 for none, and each holder's first slot and number of slots.
    """
    number, ways = np.int64(0), np.int64(1)
    for k in range(count):
        matters = False
        for n in range(many):
            matters = matters or claims[n, 1] == places[k]
        for j in range(count):
            matters = matters or not may_lie(v, traces, places[k], slots[k], cards[j], faces)
        for h in range(number):
            if places[firsts[h]] == places[k] and _same_ruled(v, slots[firsts[h]], slots[k]):
                held[k] = h
        if matters and held[k] < 0:
            size = np.int64(0)
            for j in range(k, count):
                size += places[j] == places[k] and _same_ruled(v, slots[j], slots[k])
            if ways * (size + 1) <= _MOST_WAYS and number < _MOST_HOLDERS:
                firsts[number], room[number], held[k] = k, size, number
                ways *= size + 1
                number += 1
    return number, ways


@kernel
def _count_kinds(allowed: Ints, kinds: Ints, amounts: Ints) -> Any:
    """Writes the kinds of cards, and how many cards of each there are; returns the number of kinds."""
    different = np.int64(0)
    for j in range(len(allowed)):
        at = np.int64(0)
        while at < different and kinds[at] != allowed[j]:
            at += 1
        if at == different:
            kinds[at] = allowed[j]
            different += 1
        amounts[at] += 1
    return different


@kernel
def _random_order(count: Any, streams: Streams, s: Any) -> Any:
    order = np.arange(count)
    for k in range(count - 1, 0, -1):
        other = below(streams, s, k + 1)
        order[k], order[other] = order[other], order[k]
    return order


@kernel
def _fill_by_counting(
    v: Any, traces: Ints, cards: Ints, count: Any, places: Ints, slots: Ints, wanted: Ints, faces: Ints,
    streams: Streams, s: Any, out: Ints,
) -> None:  # fmt: skip
    """Fills slots by counting the deals for each number of cards of each kind that each holder gets.

    A holder is the slots of one place for which the same faces are ruled out, if that matters; slots that would give too
    many ways are left free. Cards are of one kind that the same holders may have, and that meet the same claims.
    """
    claims, many = np.empty((_MOST_CLAIMS, 2), np.int64), np.int64(0)
    for n in range(len(wanted)):
        if wanted[n, 0] >= 0 and many < _MOST_CLAIMS:
            claims[many] = wanted[n]
            many += 1
    held, firsts, room = np.full(count, -1, np.int64), np.empty(count, np.int64), np.zeros(count, np.int64)
    number, ways = _find_holders(v, traces, cards, count, places, slots, claims, many, faces, held, firsts, room)
    allowed = np.zeros(count, np.int64)
    for j in range(count):
        for h in range(number):
            if may_lie(v, traces, places[firsts[h]], slots[firsts[h]], cards[j], faces):
                allowed[j] |= np.int64(1) << h
        for n in range(many):
            if is_claimed(v, claims[n, 0], faces[cards[j]]):
                allowed[j] |= np.int64(1) << (_MOST_HOLDERS + n)
    kinds, amounts = np.empty(count, np.int64), np.zeros(count, np.int64)
    different = _count_kinds(allowed, kinds, amounts)
    claimants = np.zeros(many + 1, np.int64)  # of each claim, the holders in its place, as bits
    for n in range(many):
        for h in range(number):
            claimants[n] |= np.int64(places[firsts[h]] == claims[n, 1]) << h
    weights = _count_ways(number, room, ways, kinds, amounts, different, claimants, many)
    # Draw how many of each kind each holder gets, then which.
    rooms, split = room[: number + 1].copy(), np.zeros(number + 1, np.int64)
    order, spots = _random_order(count, streams, s), _random_order(count, streams, s)
    used = np.zeros(count, np.bool_)
    out[:count] = -1
    still = np.int64((1 << many) - 1)
    for kind in range(different):
        total = weights[kind, _room_state(rooms, split * 0, room, number), still]
        left = (below(streams, s, 1 << 30) + 0.5) / (1 << 30) * total
        going = _first_split(split, number)
        chosen = split.copy()
        while going:
            unmet = ~_met_claims(split, number, kinds[kind], claimants, many)
            behind = weights[kind + 1, _room_state(rooms, split, room, number), still & unmet]
            weight = _split_ways(split, number, amounts[kind]) * behind
            if weight > 0.0:
                overwrite(chosen, split)
                left -= weight
                if left <= 0.0:
                    break
            going = _next_split(split, number, rooms, amounts[kind], kinds[kind])
        still &= ~_met_claims(chosen, number, kinds[kind], claimants, many)
        for h in range(number):
            rooms[h] -= chosen[h]
            for _ in range(chosen[h]):
                _give_card(order, used, allowed, kinds[kind], spots, held, h, cards, out, count)
    # What is left goes wherever there is room.
    at = np.int64(0)
    for j in range(count):
        if not used[j]:
            while out[spots[at]] >= 0:
                at += 1
            out[spots[at]] = cards[order[j]]


@kernel
def _count_ways(
    number: Any, room: Ints, ways: Any, kinds: Ints, amounts: Ints, different: Any, claimants: Ints, many: Any
) -> Any:
    """Counts the ways in which kinds fill rooms and meet open claims: float64 (kinds + 1, rooms, 2 ** claims)."""
    weights = np.zeros((different + 1, ways, 1 << many))
    weights[different, 0, 0] = 1.0
    rooms = np.empty(number + 1, np.int64)
    split = np.zeros(number + 1, np.int64)
    for kind in range(different - 1, -1, -1):
        for state in range(ways):
            rest = state
            for h in range(number):
                rooms[h] = rest % (room[h] + 1)
                rest //= room[h] + 1
            going = _first_split(split, number)
            while going:
                split_ways, after = _split_ways(split, number, amounts[kind]), _room_state(rooms, split, room, number)
                unmet = ~_met_claims(split, number, kinds[kind], claimants, many)
                for still in range(1 << many):
                    weights[kind, state, still] += split_ways * weights[kind + 1, after, still & unmet]
                going = _next_split(split, number, rooms, amounts[kind], kinds[kind])
    return weights


@kernel
def _give_card(
    order: Ints, used: Any, allowed: Ints, kind: Any, spots: Ints, held: Ints, holder: Any, cards: Ints, out: Ints,
    count: Any,
) -> None:  # fmt: skip
    for j in range(count):
        if not used[j] and allowed[order[j]] == kind:
            for k in range(count):
                if held[spots[k]] == holder and out[spots[k]] < 0:
                    out[spots[k]] = cards[order[j]]
                    used[j] = True
                    return


@helper
def _room_state(rooms: Ints, split: Ints, room: Ints, number: Any) -> Any:
    """Returns the index of the rooms that a split leaves, a number with the radices ``room + 1``."""
    state, factor = np.int64(0), np.int64(1)
    for h in range(number):
        state += (rooms[h] - split[h]) * factor
        factor *= room[h] + 1
    return state


@helper
def _met_claims(split: Ints, number: Any, kind: Any, claimants: Ints, many: Any) -> Any:
    met = np.int64(0)
    for n in range(many):
        for h in range(number):
            if split[h] > 0 and kind >> (_MOST_HOLDERS + n) & claimants[n] >> h & 1:
                met |= np.int64(1) << n
    return met


@helper
def _first_split(split: Ints, number: Any) -> Any:
    for h in range(number):
        split[h] = 0
    return True


@kernel
def _next_split(split: Ints, number: Any, rooms: Ints, amount: Any, kind: Any) -> Any:
    """Advances to the next split of cards of a kind among holders that may have it; False after the last."""
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
    ways = 1.0
    left = amount
    for h in range(number):
        for k in range(split[h]):
            ways *= (left - k) / (k + 1)
        left -= split[h]
    return ways

"""Plans of a described game's shuffles by what a seat has seen of them, and the agreement of worlds with it.

`cardenvs.recycle.running.past` plays a deal again with such plans, and so finds worlds whose past agrees with a view.
"""

from typing import Any

import numpy as np

from cardenvs.compiled.bits import Ints, Streams
from cardenvs.compiled.jit import closure, helper, kernel
from cardenvs.compiled.streams import below
from cardenvs.recycle.running.claims import leave_out_elsewhere, open_claims
from cardenvs.recycle.running.filling import fill
from cardenvs.recycle.running.remembering import FAR, GROUPS
from cardenvs.recycle.running.tables import Kernel, Tables

AGREED = GROUPS * FAR // 2 - 1  # maximum number of faces at labels that count


@kernel
def _place_of_slot(views: Any, i: Any, slot: Any, memories: Ints) -> Any:
    place, left = np.int64(0), np.int64(slot)
    while memories[place] or left >= views[i].sizes[place]:
        left -= 0 if memories[place] else views[i].sizes[place]
        place += 1
    return place


@helper
def raise_card(order: Any, low: Any, high: Any) -> None:
    """Moves a card of an order up to another index; those between keep their order."""
    card = order[low]
    for k in range(low, high):
        order[k] = order[k + 1]
    order[high] = card


def make_planning_kernel(name: str, t: Tables) -> Kernel:
    faces, memories, owners, claims, backs = t.faces, t.memories, t.owners, t.claims, t.backs
    place_count, total_cards = t.place_count, t.total_cards

    @closure(f"{name}.relocate_card")
    def relocate_card(views: Any, i: Any, number: Any, k: Any, size: Any, order: Any, streams: Streams, s: Any) -> None:
        """Raises a card that has left a pile; exchanges one of a hand with another that could have had its label."""
        v = views[i]
        home = np.int64(v.lies[number, k]) - 1
        if owners[home] < 0:
            raise_card(order, k, k + np.int64(below(streams, s, int(size - k))))
            return
        chosen, among, anywhere = np.int64(k), np.int64(0), below(streams, s, 4) == 0
        for other in range(size):
            place = np.int64(v.lies[number, other]) - 1
            if place >= place_count:
                place = _place_of_slot(views, i, place - place_count, memories)
            if place == home or (anywhere and (place >= 0 or v.pins[number, other] == 0)):
                among += 1
                if below(streams, s, int(among)) == 0:
                    chosen = np.int64(other)
        card = order[k]
        order[k] = order[chosen]
        order[chosen] = card

    @closure(f"{name}.plan_shuffle")
    def plan_shuffle(views: Any, i: Any, games: Any, j: Any, number: Any, moving: Any, streams: Streams, s: Any) -> Any:
        """Plans a shuffle whose cards stand in ``orders``; False if no plan fits what its seat has seen of it.

        Of eight faces that could have had another label in a hand, about ``moving`` get one; all of a pile.
        """
        v, order = views[i], games[j].orders[number]
        size = np.int64(0)
        while size < total_cards and order[size] != 0:
            size += 1
        loose, spots, places = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64)
        slots = np.empty(size, np.int64)
        for k in range(size):
            loose[k] = order[k] - 1
        fits: Any = True
        count = size
        for k in range(size):
            at = np.int64(0)
            while v.pins[number, k] and at < count and faces[loose[at]] + 1 != v.pins[number, k]:
                at += 1
            fits = fits and at < count
            if fits and v.pins[number, k]:
                order[k] = loose[at] + 1
                count -= 1
                loose[at] = loose[count]
        left = np.int64(0)
        for k in range(size):
            if fits and v.pins[number, k] == 0:
                spots[left], places[left], slots[left] = k, np.int64(v.lies[number, k]) - 1, -1
                if places[left] >= place_count:
                    slots[left] = places[left] - place_count
                    places[left] = _place_of_slot(views, i, slots[left], memories)
                left += 1
        if fits:
            drawn, wanted = np.empty(count, np.int64), np.empty((len(claims), 2), np.int64)
            open_claims(views, i, claims, np.int64(-1), faces, backs, wanted)
            leave_out_elsewhere(views, i, wanted, count, places)
            fits = fill(views, i, np.zeros(1, np.int64), loose, count, places, slots, wanted, faces, streams, s, drawn)
            for k in range(count):
                order[spots[k]] = drawn[k] + 1
            for k in range(size - 1, -1, -1):  # of a pile, what has left it last has the highest label
                home = np.int64(v.lies[number, k]) - 1 if v.pins[number, k] else np.int64(-1)
                if home >= 0 and (owners[home] < 0 or below(streams, s, 8) < moving):
                    relocate_card(views, i, number, k, size, order, streams, s)
        return fits

    return plan_shuffle


def make_agreement_kernels(name: str, t: Tables) -> dict[str, Kernel]:
    faces, total_cards, shuffles = t.faces, t.total_cards, t.shuffles
    fixed_places, fixed_numbers, fixed_texts = t.fixed_places, t.fixed_numbers, t.fixed_texts

    @closure(f"{name}.is_contradicted")
    def is_contradicted(views: Any, i: Any, games: Any, j: Any, late: Any) -> Any:
        """Whether a face was seen at a label where the view has another one or none; if ``late``, also the reverse."""
        wrong = False
        for number in range(shuffles):
            for k in range(total_cards):
                face = games[j].pins[number, k]
                wrong = wrong or ((face != 0 or late) and face != views[i].pins[number, k])
        return wrong

    @closure(f"{name}.count_agreements")
    def count_agreements(views: Any, i: Any, games: Any, j: Any) -> Any:
        """Returns the agreement of the faces seen so far, 0 to twice `AGREED`; a difference counts double."""
        found = np.int64(AGREED)
        for number in range(shuffles):
            for k in range(total_cards):
                face = games[j].pins[number, k]
                found += 0 if face == 0 else 1 if face == views[i].pins[number, k] else -2
        return min(max(found, np.int64(0)), np.int64(2 * AGREED))

    @closure(f"{name}.has_same_opening")
    def has_same_opening(views: Any, i: Any, games: Any, j: Any) -> Any:
        """Whether the public parts of an opening that never change later agree with a view."""
        g, v, alike = games[j], views[i], True
        for k in range(len(fixed_numbers)):
            alike = alike and g.numbers[fixed_numbers[k]] == v.numbers[fixed_numbers[k]]
        for k in range(len(fixed_texts)):
            alike = alike and g.texts[fixed_texts[k]] == v.texts[fixed_texts[k]]
        for k in range(len(fixed_places)):
            p = fixed_places[k]
            alike = alike and g.sizes[p] == v.sizes[p]
            for at in range(g.sizes[p] if alike else 0):
                face, more = faces[g.cards[p, at] - 1], np.int64(0)
                for other in range(g.sizes[p]):
                    more += faces[g.cards[p, other] - 1] == face
                    more -= faces[v.cards[p, other] - 1] == face
                alike = alike and more == 0
        return alike

    return {
        "is_contradicted": is_contradicted,
        "count_agreements": count_agreements,
        "has_same_opening": has_same_opening,
    }

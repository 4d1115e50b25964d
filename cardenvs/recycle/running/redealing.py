"""Worlds that fit what a seat knows, drawn for a described game."""

from typing import Any

import numpy as np

from cardenvs.compiled.bits import Ints, Streams, overwrite
from cardenvs.compiled.jit import closure
from cardenvs.compiled.streams import below, new_stream
from cardenvs.contract.loops import RUNNING
from cardenvs.recycle.running.claims import open_claims
from cardenvs.recycle.running.dealing import UNFIT, clear_heap, forget_told, set_options
from cardenvs.recycle.running.filling import fill, may_lie
from cardenvs.recycle.running.tables import MEM, Kernel, Tables

_WORLDS = 400  # maximum number of worlds that are drawn until one has the options that are known of the seat to act
_STEPS, _MIXED = 20_000, 4
"""Maximum number of exchanges of hidden cards in a world that has other options; as many per card mix one that has them."""


def make_draw_private_kernel(name: str, t: Tables) -> Kernel:
    pool, private_slots, is_text, private_pool = t.pool, t.private_slots, t.private_is_text, t.private_pool

    @closure(f"{name}.draw_private")
    def draw_private(games: Any, j: Any, p: Any, bits: Any, streams: Streams, s: Any) -> None:
        """Gives a private bin one of some values, as bits, at random."""
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

    return draw_private


def make_completion_kernel(name: str, t: Tables, veiled: Kernel) -> Kernel:
    draw_private = make_draw_private_kernel(name, t)
    parts, faces, backs, slotted, place_count = t.place_parts, t.faces, t.backs, t.slotted, t.place_count
    tells, claims, privates = t.tells, t.claims, t.private_count

    @closure(f"{name}.hear_told")
    def hear_told(views: Any, i: Any, games: Any, j: Any) -> None:
        """Writes what a seat was told of cards into a world whose cards are there."""
        g, v = games[j], views[i]
        forget_told(games, j)
        for k in range(tells):
            g.told[0, k] = v.told[0, k]
        for k in range(len(claims)):
            overwrite(g.some[k], v.some[k])
        slot = np.int64(0)
        for p in range(place_count):
            for k in range(g.sizes[p] if parts[p, MEM] == 0 else 0):
                for word in range(v.ruled.shape[2] if slotted[p] else 0):
                    g.ruled[0, g.cards[p, k] - 1, word] = v.ruled[0, slot, word]
                slot += 1

    @closure(f"{name}.complete_world")
    def complete_world(views: Any, i: Any, streams: Streams, s: Any, games: Any, j: Any) -> None:
        """Gives a world, whose cards are there, all else that its seat does not know; unfit if that is impossible."""
        g, wanted = games[j], np.empty((len(claims), 2), np.int64)
        open_claims(games, j, claims, np.int64(-1), faces, backs, wanted)
        for n in range(len(wanted)):
            if wanted[n, 0] >= 0:
                g.imagined = UNFIT
        if tells:
            hear_told(views, i, games, j)
        for p in range(privates):
            if veiled(views, i, p):
                draw_private(games, j, p, g.maybe[p], streams, s)
        g.chance = new_stream(streams, s)
        g.stream = g.chance

    return complete_world


def make_deal_world_kernel(name: str, t: Tables, complete_world: Kernel) -> Kernel:
    parts, faces, backs, seen_by, slotted = t.place_parts, t.faces, t.backs, t.seen_by, t.slotted
    claims, place_count, total_cards = t.claims, t.place_count, t.total_cards

    @closure(f"{name}.deal_world")
    def deal_world(views: Any, i: Any, streams: Streams, s: Any, games: Any, j: Any) -> None:
        games[j] = views[i]
        g = games[j]
        loose = np.empty(total_cards, np.int64)
        slot_places = np.empty(total_cards, np.int64)
        slot_spots = np.empty(total_cards, np.int64)
        slot_numbers = np.empty(total_cards, np.int64)
        out = np.empty(total_cards, np.int64)
        used = np.zeros(total_cards, np.bool_)
        wanted = np.empty((len(claims), 2), np.int64)
        most_back = np.int64(0)
        g.where.fill(-1)
        for k in range(total_cards):
            most_back = max(most_back, backs[k])
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
            open_claims(games, j, claims, np.int64(back), faces, backs, wanted)
            if not fill(
                views, i, views[i].traces[0], loose, count, slot_places, slot_numbers, wanted, faces, streams, s, out
            ):
                g.imagined = UNFIT
            for k in range(count):
                g.cards[slot_places[k], slot_spots[k]] = out[k] + 1
                g.where[out[k]] = slot_places[k]
        complete_world(views, i, streams, s, games, j)

    return deal_world


def make_difference_kernel(name: str, t: Tables, options: Kernel) -> Kernel:
    depths, hidden_rules, actions, words = t.depths, t.hidden_rules, t.actions, t.words
    most_count, heap_size = t.most_count, t.heap

    @closure(f"{name}.count_differences")
    def count_differences(views: Any, i: Any, games: Any, j: Any) -> Any:
        """Number of actions that differ in a world from those of a view whose seat is to act; 0 for one that fits."""
        g, v = games[j], views[i]
        own = g.to_act == 0
        if g.imagined == UNFIT:
            return np.int64(actions + 1)
        if g.over != RUNNING or (own and hidden_rules[g.site] == 0):
            return np.int64(0)
        heap = np.empty(heap_size, np.int64)
        clear_heap(heap, words + actions)
        listed = options(games, j, heap, np.int64(-1))
        set_options(games, j, heap, depths, words, most_count)
        found = np.int64(0 if listed > 0 else actions + 1)  # who is to act can do something
        for action in range(actions if own else 0):
            found += g.counts[action] != v.counts[action] or (
                (g.legal_words[action >> 6] ^ v.legal_words[action >> 6]) >> (action & 63) & 1 != 0
            )
        return found

    return count_differences


def make_steering_kernel(name: str, t: Tables, complete_world: Kernel, count_differences: Kernel) -> Kernel:
    parts, faces, backs, slotted = t.place_parts, t.faces, t.backs, t.slotted
    place_count, actions, total_cards = t.place_count, t.actions, t.total_cards

    @closure(f"{name}.exchange_slots")
    def exchange_slots(
        views: Any, i: Any, games: Any, j: Any, places: Ints, spots: Ints, slots: Ints, one: Any, other: Any
    ) -> Any:
        """Exchanges the cards of two hidden slots; returns whether each can have the other's."""
        g, v = games[j], views[i]
        first, second = np.int64(g.cards[places[one], spots[one]]), np.int64(g.cards[places[other], spots[other]])
        g.cards[places[one], spots[one]], g.cards[places[other], spots[other]] = second, first
        g.where[first - 1], g.where[second - 1] = places[other], places[one]
        good = backs[first - 1] == backs[second - 1]
        good = good and may_lie(v, v.traces[0], places[other], slots[other], first - 1, faces)
        return good and may_lie(v, v.traces[0], places[one], slots[one], second - 1, faces)

    @closure(f"{name}.steer_world")
    def steer_world(views: Any, i: Any, streams: Streams, s: Any, games: Any, j: Any) -> None:
        """Exchanges hidden cards of a world until it has the known options, then some more by which it keeps them.

        The second part is a Markov chain, in which all worlds that fit are equally likely in the long run.
        """
        places, spots = np.empty(total_cards, np.int64), np.empty(total_cards, np.int64)
        slots, telling = np.empty(total_cards, np.int64), np.zeros(total_cards, np.int64)
        count, number, told = np.int64(0), np.int64(0), np.int64(0)
        for p in range(place_count):
            for k in range(games[j].sizes[p] if parts[p, MEM] == 0 else 0):
                if views[i].cards[p, k] <= 0:
                    places[count], spots[count], slots[count] = p, k, number if slotted[p] else -1
                    count += 1
                number += 1
        left, mixed, tried = count_differences(views, i, games, j), np.int64(0), np.empty_like(games[j : j + 1])
        for _ in range(_STEPS if count > 1 else 0):
            tried[0] = games[j]
            tried[0].imagined = 1
            good, last = True, np.int64(0)
            while good and (last == 0 or below(streams, s, 2) == 0):
                last = np.int64(below(streams, s, int(count)))
                if left > 0 and told > 0 and below(streams, s, 2) == 0:
                    last = telling[below(streams, s, int(told))]
                good = exchange_slots(
                    views, i, tried, 0, places, spots, slots, last, np.int64(below(streams, s, int(count)))
                )
                last += 1
            mixed += left == 0
            if good:
                complete_world(views, i, streams, s, tried, 0)
                now = count_differences(views, i, tried, 0)
                if now != left and told < total_cards:  # options look at what lies in one of the slots exchanged
                    telling[told] = last - 1
                    told += 1
                if now <= left or (left > 0 and now <= actions and below(streams, s, 100) == 0):
                    games[j], left = tried[0], now
            if mixed > _MIXED * count:
                return
        if left > 0:
            games[j].imagined = UNFIT

    return steer_world


def make_redeal_kernels(name: str, t: Tables, veiled: Kernel, options: Kernel) -> dict[str, Kernel]:
    complete_world = make_completion_kernel(name, t, veiled)
    deal_world = make_deal_world_kernel(name, t, complete_world)
    count_differences = make_difference_kernel(name, t, options)
    steer_world = make_steering_kernel(name, t, complete_world, count_differences)
    backs, seen_by, tells, place_count = t.backs, t.seen_by, t.tells, t.place_count

    @closure(f"{name}.redeal")
    def redeal(views: Any, i: Any, streams: Streams, s: Any, games: Any, j: Any) -> None:
        """Writes a world that fits what a seat knows; an unfit one if none is found."""
        nearest, near = np.empty_like(games[j : j + 1]), np.int64(-1)
        for _ in range(_WORLDS):
            deal_world(views, i, streams, s, games, j)
            left = count_differences(views, i, games, j)
            if left == 0:
                near = np.int64(0)
                break
            if near < 0 or left < near:
                nearest[0], near = games[j], left
        if near > 0:
            games[j] = nearest[0]
            steer_world(views, i, streams, s, games, j)

    @closure(f"{name}.fresh_deal")
    def fresh_deal(views: Any, i: Any, streams: Streams, s: Any, games: Any, j: Any) -> None:
        """Writes a world that fits what a seat sees now, without its memory and conclusions."""
        seen = views[i : i + 1].copy()
        v = seen[0]
        if tells:
            forget_told(seen, 0)
        v.traces.fill(0)
        v.barred.fill(0)
        for p in range(place_count):
            for k in range(v.sizes[p]):
                if v.cards[p, k] > 0 and seen_by[p] & 1 == 0:
                    v.cards[p, k] = -backs[v.cards[p, k] - 1]
        redeal(seen, 0, streams, s, games, j)

    return {"redeal": redeal, "fresh_deal": fresh_deal}

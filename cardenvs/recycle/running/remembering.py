"""A seat's recall of a described game: the order of play as it was seen, checks of that, and shuffles.

A view with recall has the *events* in order: actions as far as the seat saw them (a secret option is one event, even in
several parts; a visible one has an entry for each value, also for settled ones), each with a check of eight bits, never 0,
that depends on all that the seat could see then and had seen until then; the first one on the opening, too. A digest
depends on all of these views. Labels, pins and lies of `cardenvs.recycle.running.knowledge` are the seat's knowledge of
shuffles.
"""

from typing import Any

import numpy as np

from cardenvs.compiled.bits import Bytes, read_bits, write_bits
from cardenvs.compiled.jit import closure, helper, kernel
from cardenvs.recycle.running.places import mix_hash
from cardenvs.recycle.running.tables import Kernel, Tables

CHECK_BITS, DIGEST_BITS = 8, 62
GROUPS, GROUP_BITS = 4, 6
"""Number of groups of numbers and options, and the bits of each group's sum in a check, where some show hidden cards."""
FAR = 1 << GROUP_BITS - 1  # greatest distance of two such sums, which wrap around
UNTOLD = 2  # the digest, odd otherwise, of a view behind more shuffles than are told: no world with a past is looked for
HIDDEN = -1  # entry of a view's history for an option that was chosen in secret


@helper
def _hash_all(key: Any, numbers: Any) -> Any:
    for k in range(len(numbers)):
        key = mix_hash(key, np.int64(numbers[k]))
    return key


@kernel
def hash_view(views: Any, j: Any) -> Any:
    """Returns a hash of all that a view shows, the past excepted."""
    v = views[j]
    key = np.int64(1)
    for p in range(len(v.sizes)):
        key = mix_hash(key, np.int64(v.sizes[p]))
        for k in range(v.sizes[p]):
            key = mix_hash(key, np.int64(v.cards[p, k]))
        key = _hash_all(key, v.barred[p])
    key = _hash_all(_hash_all(_hash_all(key, v.numbers), v.texts), v.maybe)
    for m in range(len(v.map_made)):
        key = _hash_all(mix_hash(key, v.map_made[m]), v.map_values[m])
    for k in range(len(v.seat_turn)):
        key = mix_hash(mix_hash(key, v.seat_turn[k]), v.seat_queue[k])
    for k in range(len(v.side_turn)):
        key = mix_hash(mix_hash(key, v.side_turn[k]), v.side_queue[k])
    key = _hash_all(_hash_all(_hash_all(key, v.chosen), v.legal_words), v.counts)
    for n in range(v.ruled.shape[1] if v.ruled.shape[1] > 1 else 0):
        key = _hash_all(key, v.ruled[0, n])
    key = _hash_all(key, v.traces[0]) if v.traces.shape[1] > 1 else key
    return mix_hash(mix_hash(mix_hash(mix_hash(key, v.site), v.to_act), v.over), v.zero)


@kernel
def nearness(one: Any, other: Any) -> Any:
    """Returns the nearness of the sums of numbers in two checks: `FAR` for each equal sum."""
    near = np.int64(0)
    for group in range(GROUPS):
        shift = CHECK_BITS + GROUP_BITS * group
        apart = ((one >> shift) - (other >> shift)) & (1 << GROUP_BITS) - 1
        near += FAR - min(apart, (1 << GROUP_BITS) - apart)
    return near


def make_check_kernels(name: str, t: Tables) -> dict[str, Kernel]:
    tells, check_bits, groups = t.tells, t.check_bits, t.number_groups
    shown = t.actions if t.hidden_rules.any() else 0  # options that may come from hidden cards

    @closure(f"{name}.heard_key")
    def heard_key(games: Any, j: Any, seat: Any, key: Any) -> Any:
        """Returns a hash of a key, of all that a seat was told, and of the moves that it saw."""
        key = mix_hash(key, games[j].heard[seat]) if tells else key
        return mix_hash(key, games[j].digest)

    @closure(f"{name}.check_of")
    def check_of(views: Any, j: Any, key: Any) -> Any:
        check = max(key & 255, np.int64(1))
        for group in range(GROUPS if check_bits > CHECK_BITS else 0):
            part = np.int64(0)
            for k in range(len(groups)):
                part += views[j].numbers[k] if groups[k] == group else 0
            for action in range(group, shown, GROUPS):
                part += views[j].counts[action] * (1 + action // GROUPS)
            check |= (part & (1 << GROUP_BITS) - 1) << (CHECK_BITS + GROUP_BITS * group)
        return max(check, np.int64(1))

    return {"heard_key": heard_key, "check_of": check_of}


def make_remember_kernel(name: str, t: Tables, rules: Any, view: Kernel, heard_key: Kernel, check_of: Kernel) -> Kernel:
    visible, turned, slotted, memories, is_done = t.visible, t.turned_places, t.slotted, t.memories, t.is_done
    place_count, total_cards, shuffles = t.place_count, t.total_cards, t.shuffles
    events, decisions = t.most_events, t.most_decisions
    restart, step, completed, in_parts = rules.restart, rules.step, rules.completed, t.levels > 0

    @closure(f"{name}.remember")
    def remember(games: Any, i: Any, seat: Any, views: Any, j: Any) -> None:
        v = views[j]
        if games[i].imagined:
            return
        past, seen = np.empty_like(games[i : i + 1]), np.empty_like(games[i : i + 1])
        past[0] = games[i]
        seen[0] = views[j]
        p = past[0]
        p.watcher = seat + 1
        values = np.empty(len(p.chosen) + 1, np.int64)
        p.pins.fill(0)
        p.lies.fill(0)
        restart(past, 0, games[i].chance)
        view(past, 0, seat, seen, 0)
        count, known, digest = np.int64(0), np.int64(0), heard_key(past, 0, seat, hash_view(seen, 0))
        for k in range(games[i].moves):
            action = np.int64(games[i].history[k])
            own, site = p.to_act == seat, p.site
            listed, values[0] = np.int64(1), action
            if in_parts and not own:
                listed = completed(past, 0, action, values)
            step(past, 0, action)
            if p.partial and not own:
                continue
            shown = True
            for part in range(listed):
                shown = shown and (own or is_done[values[part]] != 0 or visible[site, values[part]] != 0)
            known += 1
            whole = shown and count + listed + decisions - known <= events  # there is room for an entry of each event
            for part in range(listed if whole else 1):
                v.history[count] = values[part] if shown else HIDDEN
                v.checks[count] = 0
                count += 1
            view(past, 0, seat, seen, 0)
            key = heard_key(past, 0, seat, hash_view(seen, 0))
            key = mix_hash(digest, key) if known == 1 else key  # the first check is one of the opening, too
            v.checks[count - 1] = check_of(seen, 0, key)
            digest = mix_hash(digest, key)
        v.moves = count
        v.digest = digest | 1 if p.shuffled <= shuffles else np.int64(UNTOLD)
        relative = np.empty(place_count + 1, np.int64)  # of a place and of none, the number that the view has for it
        relative[0] = 0
        for q in range(place_count):
            relative[turned[seat, q] + 1] = q + 1
        for number in range(shuffles):
            for k in range(total_cards):
                v.pins[number, k] = p.pins[number, k]
                v.lies[number, k] = relative[p.lies[number, k]] if p.pins[number, k] else 0
        slot = np.int64(0)
        for q in range(place_count):
            source = turned[seat, q]
            for k in range(p.sizes[source]):
                label = np.int64(p.labels[p.cards[source, k] - 1])
                unseen = label >= 0 and p.pins[label // total_cards, label % total_cards] == 0
                if unseen and p.where[p.cards[source, k] - 1] == source:
                    v.lies[label // total_cards, label % total_cards] = (
                        place_count + 1 + slot + k if slotted[source] else q + 1
                    )
            slot += p.sizes[source] if not memories[q] else 0

    return remember


def make_packing_kernels(name: str, t: Tables) -> dict[str, Kernel]:
    events, shuffles, total_cards, check_bits = t.most_events, t.shuffles, t.total_cards, t.check_bits
    event_bits, face_bits, place_bits = t.event_bits, t.face_bits, t.place_bits

    @closure(f"{name}.recall")
    def recall(views: Any, i: Any, out: Bytes, row: Any, column: Any) -> None:
        v = views[i]
        for k in range(events):
            code = int(v.history[k]) + 2 if k < v.moves else 0
            column = write_bits(out, row, column, code, event_bits)
            column = write_bits(out, row, column, int(v.checks[k]) if k < v.moves else 0, check_bits)
        for number in range(shuffles):
            for k in range(total_cards):
                column = write_bits(out, row, column, int(v.pins[number, k]), face_bits)
                column = write_bits(out, row, column, int(v.lies[number, k]), place_bits)
        write_bits(out, row, column, v.digest, DIGEST_BITS)

    @closure(f"{name}.recollect")
    def recollect(observations: Bytes, row: Any, column: Any, views: Any, j: Any) -> None:
        v = views[j]
        v.moves = 0
        for k in range(events):
            code = read_bits(observations, row, column, event_bits)
            v.history[k] = code - 2 if code else 0
            v.checks[k] = read_bits(observations, row, column + event_bits, check_bits)
            column += event_bits + check_bits
            v.moves += code > 0
        for number in range(shuffles):
            for k in range(total_cards):
                v.pins[number, k] = read_bits(observations, row, column, face_bits)
                v.lies[number, k] = read_bits(observations, row, column + face_bits, place_bits)
                column += face_bits + place_bits
        v.digest = read_bits(observations, row, column, DIGEST_BITS)

    return {"recall": recall, "recollect": recollect}

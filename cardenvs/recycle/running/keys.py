"""The transposition key of a described game, for searches with open cards."""

from typing import Any

import numpy as np

from cardenvs.compiled.jit import closure
from cardenvs.recycle.running.places import mix_hash
from cardenvs.recycle.running.tables import Kernel, Tables

_BITS = (1 << 62) - 1


def make_key_kernel(name: str, t: Tables) -> Kernel:
    places, numbers, texts, maps, ordered = t.key_places, t.key_numbers, t.key_texts, t.key_maps, t.ordered
    chance, chance_in_choices = t.chance_in_play > 0, t.chance_in_play > 1

    @closure(f"{name}.key")
    def key(games: Any, i: Any) -> Any:
        """Returns a hash that two states share if the same can follow, with all cards and all future chance known."""
        g = games[i]
        found = mix_hash(mix_hash(np.int64(g.point), g.site), g.zero)
        for k in range(len(g.seat_turn)):
            found = mix_hash(mix_hash(found, g.seat_turn[k]), g.seat_queue[k])
        for k in range(len(g.side_turn)):
            found = mix_hash(mix_hash(found, g.side_turn[k]), g.side_queue[k])
        for k in range(len(places)):
            p, lying = places[k], np.int64(0)
            for at in range(g.sizes[p]):
                if ordered[p] or chance:
                    lying = mix_hash(lying, np.int64(g.cards[p, at]))
                else:
                    lying = (lying + mix_hash(np.int64(0), np.int64(g.cards[p, at]))) & _BITS
            found = mix_hash(mix_hash(found, lying), np.int64(g.sizes[p]))
        for k in range(len(numbers)):
            found = mix_hash(found, g.numbers[numbers[k]])
        for k in range(len(texts)):
            found = mix_hash(found, np.int64(g.texts[texts[k]]))
        for k in range(len(maps)):
            found = mix_hash(found, g.map_made[maps[k]])
            for at in range(g.map_values.shape[1]):
                found = mix_hash(found, g.map_values[maps[k], at])
        for k in range(g.partial):
            found = mix_hash(found, np.int64(g.chosen[k]))
        if chance:
            found = mix_hash(found, np.int64(g.stream >> np.uint64(2)))
        if chance_in_choices:
            found = mix_hash(found, g.decisions)
        return mix_hash(found, g.partial)

    return key

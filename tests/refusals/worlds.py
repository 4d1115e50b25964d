"""Wrong arguments of worlds, and of what is done in them."""

import functools

import numpy as np

from cardenvs import Batch, get_game, policy, worlds
from tests.helpers.players import First
from tests.refusals import refuse

EUCHRE = get_game("euchre")


@functools.cache
def batch():
    """Two games of Euchre, dealt when a test first asks for them."""
    return Batch("euchre", 2, seed=0)


def rows():
    return batch().observations


def states():
    return batch().games


class Lowest(First):
    def choose(self, observations, action_masks, streams):
        return action_masks.argmin(1)


REFUSALS = [
    refuse("unknown game 'bridge'", worlds.redeal, "bridge", rows),
    *(
        refuse(words, worlds.redeal, "euchre", *args)
        for words, *args in (
            ("observation of euchre have the shape (n, 457), not (1, 5)", lambda: rows()[0, :5]),
            ("number 0 is no view of euchre", lambda: rows()[0] * 0),
            ("number 0 is no view of euchre", lambda: 1 - rows()),
            ("must be zeros and ones: row 0 has 2", lambda: rows() * 2),
            ('must be a dict with "observation"', lambda: {"action_mask": rows()}),
            ("n must be an int of at least 0, not -1", rows, -1),
            ("n must be an int of at least 0, not 2.0", rows, 2.0),
            ("rng must be None, a NumPy generator", rows, 2, 7),
            ("rng must be uint64 streams of shape (2,)", rows, 2, np.arange(4, dtype=np.uint64)),
        )
    ),
    *(
        refuse(words, call, "euchre", *args)
        for words, call, *args in (
            ("observation of euchre have the shape (n, 921), not (2, 457)", worlds.believed, rows, "low"),
            ("seats must be an int from 0 to 3, not 4", worlds.views, states, 4),
            ("seats must have the shape (2,), not (1,)", worlds.views, states, [0]),
            ("states must hold states of euchre", worlds.views, rows, 0),
            ("number 0 is no state of euchre", worlds.views, lambda: EUCHRE.new_games(1), 0),
            ("states must hold states of euchre", worlds.masks, None),
            ("actions: 3 is illegal in state 0, where player_1 … 24 (pass)", worlds.apply, states, 3),
            ("actions: 99 is illegal in state 1", worlds.apply, states, [24, 99]),
            ("actions: -1 is illegal in state 0", worlds.apply, states, -1),
            ("actions must be ints, not float64", worlds.apply, states, 24.0),
        )
    ),
    refuse("states must hold states of whist", worlds.views, "whist", states, 0),
    *(
        refuse(words, worlds.playouts, "euchre", states, **given)
        for words, given in (
            ("unknown policy 'hybri' for euchre", {"policy": "hybri"}),
            ("policy must be a policy, or a list of 4", {"policy": ["random"]}),
            ("policy must be a policy, or a list of 4", {"policy": 3}),
            ("plays whist, not euchre", {"policy": lambda: policy.make("whist", "low")}),
            ("'Lowest': illegal action 0 …; state 0", {"policy": lambda: Lowest("euchre")}),
            ("reward must be one of … not 'fame'", {"reward": "fame"}),
            ("max_decisions must be an int of at least 1, not 0", {"max_decisions": 0}),
            ("threads must be an int of at least 1, not 0", {"threads": 0}),
            ("rng must be None, a NumPy generator", {"rng": 3}),
        )
    ),
]

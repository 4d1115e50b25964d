"""The described games that ship with the package, compiled, step by step beside the naive interpreter.

A try is one random game of one of them, picked at random: 22,000 tries are about a thousand games of each.
"""

import functools
import random

from cardenvs import get_game
from tests.helpers.described import NAMES, described, file_of
from tests.helpers.twins import Twins


@functools.cache
def twins(name: str) -> Twins:
    """A game in both forms."""
    return Twins(described(name), get_game(file_of(name)))


def trial(rng: random.Random) -> str:
    """Plays a game in both forms; returns which."""
    name = rng.choice(NAMES)
    twins(name).play(1, rng.randrange(2**32))
    return name

"""Fuzzing of what described games tell: small random descriptions, each played and judged by what its seats have seen.

Each game is compiled anew, which numba takes seconds for: with ``NUMBA_DISABLE_JIT=1`` the same code runs as plain Python.
``NUMBA_CACHE_DIR`` says where the modules of all these games are kept.
"""

import random

from cardenvs.recycle import parse
from cardenvs.recycle.game import compiled
from tests.helpers.growing import Grower, grown
from tests.helpers.judging import FAULTS, Judge

GAMES = 2
"""How many games of a description are played."""
SIZES = (4, 5, 5, 6, 8, 16)
"""The most cards that a game grows with."""


def trial(rng: random.Random, recipe: type[Grower] = Grower) -> str:
    """Grows a description and looks for faults; returns the names of those that were found, or that it is fine."""
    description = parse(grown(rng, rng.choice(SIZES), recipe), "grown.rcy")
    judge = Judge(description, compiled(description, "grown"))
    for _ in range(GAMES):
        judge.play(rng.getrandbits(32))
    return " ".join(fault for fault in FAULTS if judge.found[fault]) or "fine"

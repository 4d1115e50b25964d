"""PIPMC as one would write it down: one option, one world, one action at a time.

It draws the same random numbers in the same order as the compiled search (`cardenvs.baselines.search.any_game.pipmc`), and
so must find the same estimates.
"""

from fractions import Fraction

import numpy as np

from cardenvs import GameSpec
from cardenvs.compiled.bits import Streams
from cardenvs.compiled.streams import below
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import RUNNING


def options(spec: GameSpec, games: Games) -> list[int]:
    """The action of every option of the seat to act in a state or its view, ascending."""
    legal, multiplicity = spec.legal(games), spec.kernels.multiplicity
    return [
        action
        for action in range(spec.num_actions)
        if legal >> action & 1
        for _ in range(1 if multiplicity is None else multiplicity(games, 0, action))
    ]


def ranks(spec: GameSpec, games: Games) -> list[int]:
    """How many seats are strictly better than each, at the end of a deal of shape (1,)."""
    points, tricks = np.zeros((1, spec.num_sides), np.int64), np.zeros((1, spec.seats), np.int64)
    spec.kernels.outcome(games, 0, points, tricks)  # by the kernel, as worlds have no history
    of_seat = [int(points[0, side]) for side in spec.sides_in(games)]
    return [sum(other > own for other in of_seat) for own in of_seat]


def estimates(
    spec: GameSpec, view: Games, worlds: int, streams: Streams, limit: int | None = None
) -> list[tuple[int, list[Fraction]]]:
    """The action of each option and its estimate for each seat, the seat to act first; ``limit`` cuts play-outs off."""
    found = []
    others = spec.seats - 1
    deal = spec.kernels.redeal if spec.kernels.fresh_deal is None else spec.kernels.fresh_deal
    for option in options(spec, view):
        total = [Fraction(0)] * spec.seats
        for _ in range(worlds):
            world = spec.new_games(1)
            deal(view, 0, streams, 0, world, 0)
            spec.kernels.step(world, 0, option)
            made = 1
            while world[0]["over"] == RUNNING and made != limit:
                open_to = options(spec, world)
                spec.kernels.step(world, 0, open_to[below(streams, 0, len(open_to))])
                made += 1
            if world[0]["over"] == RUNNING:
                worth = [Fraction(1, 2)] * spec.seats
            else:
                worth = [Fraction(others - rank, others) for rank in ranks(spec, world)]
            total = [a + b for a, b in zip(total, worth, strict=True)]
        found.append((option, [value / worlds for value in total]))
    return found

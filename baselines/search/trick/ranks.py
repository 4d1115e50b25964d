"""Ranks of seats at the end of a deal by the points of their sides, in compiled code."""

from __future__ import annotations

from typing import Any

from cardenvs.compiled.bits import Ints, borrowed
from cardenvs.compiled.jit import helper
from cardenvs.contract.kernels import Kernel, Kernels


def write_ranks_of(kernels: Kernels) -> Kernel:
    """Makes the kernel that writes the rank of each seat in a finished deal: the number of seats strictly better."""
    outcome, side = kernels.outcome, kernels.any_side

    @helper
    def write_ranks(games: Any, i: int, points: Ints, tricks: Ints, ranks: Ints, row: int) -> None:
        """Writes the ranks in game ``i`` to ``ranks[row]``; row ``i`` of ``points`` and ``tricks`` is overwritten."""
        points, tricks = borrowed(points), borrowed(tricks)
        outcome(games, i, points, tricks)
        seats = tricks.shape[1]
        for seat in range(seats):
            own = points[i, side(games, i, seat)]
            rank = 0
            for other in range(seats):
                if points[i, side(games, i, other)] > own:
                    rank += 1
            ranks[row, seat] = rank

    return write_ranks

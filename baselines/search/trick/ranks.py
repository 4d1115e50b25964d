"""Ranks of seats at the end of a deal by the points of their sides, in compiled code."""

from __future__ import annotations

from typing import Any

from cardenvs.compiled.jit import driver


@driver
def write_ranks(outcome: Any, side: Any, games: Any, i: Any, points: Any, tricks: Any, ranks: Any, row: Any) -> None:
    """Writes the rank of each seat in a finished deal to a row: the number of seats that are strictly better.

    A seat is as good as its side's points, so seats of one side share their rank, and so do sides that are level.

    Args:
        outcome: the game's kernel `cardenvs.contract.kernels.Kernels.outcome`.
        side: the game's kernel `cardenvs.contract.kernels.Kernels.any_side`.
        games: the games' states, a structured array of shape (n,).
        i: the number of the game.
        points: int64 (n, sides), of which row ``i`` is overwritten.
        tricks: int64 (n, seats), of which row ``i`` is overwritten.
        ranks: int64 (rows, seats), of which ``row`` is written.
        row: the row.
    """
    outcome(games, i, points, tricks)
    seats = tricks.shape[1]
    for seat in range(seats):
        own = points[i, side(games, i, seat)]
        rank = 0
        for other in range(seats):
            if points[i, side(games, i, other)] > own:
                rank += 1
        ranks[row, seat] = rank

"""Statistics of the bidding in Euchre: how often a side calls, in which round, alone or not, and with what result.

Counted over finished deals of full Euchre; `BiddingObserver` is an observer for `cardenvs.baselines.match.play_match`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.reports.columns import Column, Columns, Row
from cardenvs.contract.fields import Games

CallerFigures = Columns(
    "CallerFigures",
    Column("caller", "the side's name"),
    Column("calls", "number of times that the side named trump"),
    Column("called", "share of all deals in which the side named trump"),
    Column("first_round", "share of the side's calls that ordered the turned card up"),
    Column("second_round", "share of the side's calls that named another suit"),
    Column("alone", "share of the side's calls that went alone"),
    Column("euchred", "share of the side's calls after which it took fewer than three tricks"),
    Column("marches", "share of the side's calls after which it took all five tricks"),
    Column("lone_marches", "share of the side's calls alone after which it took all five tricks"),
    Column("lone_euchred", "share of the side's calls alone after which it took fewer than three tricks"),
    Column("points_per_call", "points of the side less the other's, for each of the side's calls"),
    Column("points_per_deal", "points of the side for each deal, whichever side called"),
)
"""The bidding statistics of one side of a match. Shares of calls are 0 if the side made none."""

Bidding = Columns(
    "Bidding",
    Column("deals", "number of deals; a duplicate deal counts twice"),
    Column("void", "share of the deals in which all passed twice"),
    Column("sides", "the figures of the two sides (`CallerFigures`)"),
)
"""The bidding of a match."""


class BiddingObserver:
    """Counts, as a match's observer, the calling side of each deal and the result."""

    def __init__(self) -> None:
        self._parts: list[npt.NDArray[np.int64]] = []

    def __call__(self, games: Games, owner: npt.NDArray[np.int64]) -> None:
        """Counts finished deals of Euchre, (k,), whose seats were held by the sides ``owner``, int64 (k, 4)."""
        rows = np.arange(len(games))
        maker = games["maker"]
        tricks = games["tricks"].reshape(-1, 2, 2).sum(1)[rows, maker & 1]
        points = np.select([tricks < 3, tricks < 5], [-2, 1], np.where(games["alone"] == 1, 4, 2))
        side = np.where(maker < 0, -1, owner[rows, maker])
        self._parts.append(np.stack([side, games["picked_up"] | (games["passes"] < 4), games["alone"], points], 1))

    def add(self, other: BiddingObserver) -> None:
        """Adds the deals of another observer."""
        self._parts += other._parts

    def result(self, callers: Sequence[str]) -> Row:
        """The figures of all deals so far, a `Bidding`, under names of the two sides; ValueError without any deal."""
        if not self._parts:
            raise ValueError("no deal has been seen yet: there are no figures of the bidding")
        side, first_round, alone, points = np.concatenate(self._parts).T
        figures = []
        for k, name in enumerate(callers):
            own = side == k
            lone = own & (alone == 1)
            won = points[own & (points > 0)].sum() - points[(side == 1 - k) & (points < 0)].sum()
            events = {
                "called": own,
                "first_round": first_round[own] == 1,
                "second_round": first_round[own] == 0,
                "alone": alone[own] == 1,
                "euchred": points[own] < 0,
                "marches": points[own] > 1,
                "lone_marches": points[lone] > 1,
                "lone_euchred": points[lone] < 0,
                "points_per_call": points[own],
            }
            means = {key: float(values.mean()) if len(values) else 0.0 for key, values in events.items()}
            figures.append(CallerFigures(name, int(own.sum()), **means, points_per_deal=float(won) / len(side)))
        return Bidding(len(side), float((side < 0).mean()), tuple(figures))

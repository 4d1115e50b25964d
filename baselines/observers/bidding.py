"""Statistics of the bidding in Euchre: how often a side calls, in which round, alone or not, and with what result.

Counted over finished deals of full Euchre; `BiddingObserver` is an observer for `cardenvs.baselines.match.play_match`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.reports.results import Result
from cardenvs.contract.fields import Games


@dataclass(frozen=True)
class CallerFigures:
    """The bidding statistics of one side of a match. Shares of calls are 0 if the side made none.

    Attributes:
        caller: the side's name.
        calls: number of times that the side named trump.
        called: share of all deals in which the side named trump.
        first_round: share of the side's calls that ordered the turned card up.
        second_round: share of the side's calls that named another suit.
        alone: share of the side's calls that went alone.
        euchred: share of the side's calls after which it took fewer than three tricks.
        marches: share of the side's calls after which it took all five tricks.
        lone_marches: share of the side's calls alone after which it took all five tricks.
        lone_euchred: share of the side's calls alone after which it took fewer than three tricks.
        points_per_call: points of the side less the other's, for each of the side's calls.
        points_per_deal: points of the side for each deal, whichever side called.
    """

    caller: str
    calls: int
    called: float
    first_round: float
    second_round: float
    alone: float
    euchred: float
    marches: float
    lone_marches: float
    lone_euchred: float
    points_per_call: float
    points_per_deal: float


@dataclass(frozen=True, repr=False)
class Bidding(Result):
    """The bidding of a match.

    Attributes:
        deals: number of deals; a duplicate deal counts twice.
        void: share of the deals in which all passed twice.
        sides: the figures of the two sides.
    """

    deals: int
    void: float
    sides: tuple[CallerFigures, CallerFigures]


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

    def result(self, callers: tuple[str, str]) -> Bidding:
        """Returns the figures of all deals so far, under names of the two sides; raises ValueError without any deal."""
        if not self._parts:
            raise ValueError("no deal has been seen yet: there are no figures of the bidding")
        side, first_round, alone, points = np.concatenate(self._parts).T
        dealt = len(side)
        lost = [-points[(side == k) & (points < 0)].sum() for k in (0, 1)]
        figures = []
        for k, name in enumerate(callers):
            own = side == k
            lone = own & (alone == 1)
            won = points[own & (points > 0)].sum()
            figures.append(
                CallerFigures(
                    caller=name,
                    calls=int(own.sum()),
                    called=float(own.mean()),
                    first_round=_share_of_deals(first_round == 1, own),
                    second_round=_share_of_deals(first_round == 0, own),
                    alone=_share_of_deals(alone == 1, own),
                    euchred=_share_of_deals(points < 0, own),
                    marches=_share_of_deals(points > 1, own),
                    lone_marches=_share_of_deals(points > 1, lone),
                    lone_euchred=_share_of_deals(points < 0, lone),
                    points_per_call=float(points[own].mean()) if own.any() else 0.0,
                    points_per_deal=float(won + lost[1 - k]) / dealt,
                )
            )
        return Bidding(dealt, float((side < 0).mean()), (figures[0], figures[1]))


def _share_of_deals(what: npt.NDArray[np.bool_], of: npt.NDArray[np.bool_]) -> float:
    """Returns the share of the deals ``of`` in which ``what`` holds; 0 if there are none."""
    return float(what[of].mean()) if of.any() else 0.0

"""Statistics of the bidding in Euchre: how often a side calls, in which round, alone or not, and what comes of it.

Counted over finished deals of full Euchre; `BiddingObserver` is an observer for `cardenvs.baselines.match.play_match`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.spec import Games


@dataclass(frozen=True)
class CallerFigures:
    """What the calls of one side of a match brought; shares are of its own calls unless it is said otherwise.

    Without a call (or a call alone) the shares of it are 0.

    Attributes:
        caller: name.
        calls: how often the side named trump.
        called: share of all deals in which it did.
        first_round: share of its calls that ordered the turned card up.
        second_round: share of its calls that named another suit.
        alone: share of its calls that went alone.
        euchred: share in which it took fewer than three tricks.
        marches: share in which it took all five.
        lone_marches: share of its calls alone in which it took all five.
        lone_euchred: share of its calls alone in which it was euchred.
        points_per_call: its points less the other side's.
        points_per_deal: its points in all deals.
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


@dataclass(frozen=True)
class Bidding:
    """The bidding of a match.

    Attributes:
        deals: that were counted, both copies of a duplicate deal.
        void: share of them that all passed twice.
        sides: figures of the two sides.
    """

    deals: int
    void: float
    sides: tuple[CallerFigures, CallerFigures]

    def as_dict(self) -> dict[str, Any]:
        """The figures for JSON."""
        return asdict(self)


class BiddingObserver:
    """Collects, as a match's observer, who called in each deal and what came of it."""

    def __init__(self) -> None:
        self._parts: list[npt.NDArray[np.int64]] = []

    def __call__(self, games: Games, owner: npt.NDArray[np.int64]) -> None:
        """Counts finished deals.

        Args:
            games: states of Euchre, structured (k,).
            owner: int64 (k, 4), the side (0 or 1) that held each seat.
        """
        rows = np.arange(len(games))
        maker = games["maker"]
        tricks = games["tricks"].reshape(-1, 2, 2).sum(1)[rows, maker & 1]
        points = np.select([tricks < 3, tricks < 5], [-2, 1], np.where(games["alone"] == 1, 4, 2))
        side = np.where(maker < 0, -1, owner[rows, maker])
        self._parts.append(np.stack([side, games["picked_up"] | (games["passes"] < 4), games["alone"], points], 1))

    def result(self, callers: tuple[str, str]) -> Bidding:
        """The figures of all deals seen so far.

        Args:
            callers: what the two sides are to be called.

        Raises:
            ValueError: no deal has been seen.
        """
        if not self._parts:
            raise ValueError("no deal has been seen, and the bidding of none has no figures")
        side, first_round, alone, points = np.concatenate(self._parts).T
        dealt = len(side)
        lost = [-points[(side == k) & (points < 0)].sum() for k in (0, 1)]
        found = []
        for k, name in enumerate(callers):
            own = side == k
            lone = own & (alone == 1)
            won = points[own & (points > 0)].sum()
            found.append(
                CallerFigures(
                    caller=name,
                    calls=int(own.sum()),
                    called=float(own.mean()),
                    first_round=_share(first_round == 1, own),
                    second_round=_share(first_round == 0, own),
                    alone=_share(alone == 1, own),
                    euchred=_share(points < 0, own),
                    marches=_share(points > 1, own),
                    lone_marches=_share(points > 1, lone),
                    lone_euchred=_share(points < 0, lone),
                    points_per_call=float(points[own].mean()) if own.any() else 0.0,
                    points_per_deal=float(won + lost[1 - k]) / dealt,
                )
            )
        return Bidding(dealt, float((side < 0).mean()), (found[0], found[1]))


def _share(what: npt.NDArray[np.bool_], of: npt.NDArray[np.bool_]) -> float:
    return float(what[of].mean()) if of.any() else 0.0

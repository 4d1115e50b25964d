"""Deals played while an observer counts cooperation: the results that cross-play keeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.match.play import play_deals
from cardenvs.baselines.match.results import DealResults
from cardenvs.baselines.match.side import Side
from cardenvs.baselines.observers.cooperation import CooperationObserver, CooperationSums, double_dummy_cost
from cardenvs.baselines.observers.taking import GAMES
from cardenvs.contract.spec import GameSpec


@dataclass(frozen=True)
class CountedResults(DealResults):
    """Results of deals, and the metrics of cooperation summed over these deals; all 0 in games in which none are known."""

    counts: npt.NDArray[np.int64]  # (2, metrics, 2), by side and metric, times done and times possible
    judged: npt.NDArray[np.int64]  # (2, metrics), by side and metric, times done whose cost is known
    lost: npt.NDArray[np.float64]  # (2, metrics, 2), by side and metric, tricks and points that the judged decisions cost


def play_counted(
    game: GameSpec, first: Side, second: Side | None, deals: range, *, seed: int, costs: bool, **options: Any
) -> CountedResults:
    """Plays duplicate deals as `play_deals` does, and counts how often partners take tricks from each other."""
    observer, sums = None, CooperationSums()
    if game.name in GAMES:
        observer = CooperationObserver(game, double_dummy_cost() if costs else None, sums)
    played = play_deals(game, first, second, deals, seed=seed, observer=observer, **options)
    return CountedResults(
        played.points, played.tricks, played.decisions, played.seconds, sums.counts, sums.judged, sums.lost,
        dealt=played.dealt, truncated=played.truncated, winners=played.winners, endings=played.endings,
    )  # fmt: skip

"""Metrics of cooperation: how often partners take each other's tricks, and the cost."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.observers.taking import GAMES, METRICS, count_taking
from cardenvs.baselines.reports.columns import Column, Columns, Row
from cardenvs.baselines.search.trick.double_dummy import margins_with, solve_cards
from cardenvs.compiled.bits import Ints
from cardenvs.contract.fields import Games
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec

Cost = Callable[[Games, Ints], npt.NDArray[np.float64]]
"""``(games, actions) -> float64 (n, 2)``: the tricks and the points (the side's less the other's) that each action costs
the side of the seat to act, compared with its best action in the position; nan where the cost is unknown."""


def double_dummy_cost(most_cards: int = 8) -> Cost:
    """The cost of single cards with all hands open and perfect play from there on, with up to ``most_cards`` cards a hand.

    Euchre has five; in Whist a position with eight takes a millisecond, one with ten
    (`cardenvs.baselines.search.trick.double_dummy.MAX_CARDS`) twenty.
    """
    return functools.partial(_card_costs, most_cards)


def _card_costs(most_cards: int, games: Games, actions: Ints) -> npt.NDArray[np.float64]:
    """The cost of each action, see `Cost`; nan with more than ``most_cards`` cards a hand."""
    lost = np.full((len(games), 2), np.nan)
    everyone = np.arange(len(games))
    cards = np.bitwise_count(games["hands"][everyone, games["to_act"]]).astype(np.int64)
    rows = np.flatnonzero(cards <= most_cards)
    games, side = games[rows], games["to_act"][rows] & 1
    values = solve_cards(games)
    best, taken = values.max(1), values[np.arange(len(rows)), actions[rows]]
    lost[rows, 0] = best - taken
    lost[rows, 1] = margins_with(games, best, side) - margins_with(games, taken, side)
    return lost


Metric = Columns(
    "Metric",
    Column("count", "number of times that partners did what the metric counts"),
    Column("opportunities", "number of times that a seat could have done it and could have avoided it"),
    Column("rate", "count / opportunities; None without opportunities"),
    Column("judged", "number of decisions in ``count`` with a known cost"),
    Column("tricks_lost", "mean cost in tricks over the judged decisions; None if there are none"),
    Column("points_lost", "mean cost in points (own less the other side's) over the judged decisions; None if there are "
           "none"),
    Column("points_lost_per_deal", "points_lost * count / deals"),
)  # fmt: skip
"""One metric of cooperation; every list has an entry for each side."""

Cooperation = Columns(
    "Cooperation",
    Column("deals", "number of deals"),
    Column("metrics", "the metrics (`Metric`) by the names of `METRICS`, under which JSON has them", spread=True),
)
"""The metrics of cooperation over some deals."""


@dataclass
class CooperationSums:
    """Counts of the metrics, from which their figures are formed."""

    deals: int = 0
    # by side and metric: times done and times possible, times done with a known cost, the tricks and points that these cost
    counts: Ints = field(default_factory=lambda: np.zeros((2, len(METRICS), 2), np.int64))
    judged: Ints = field(default_factory=lambda: np.zeros((2, len(METRICS)), np.int64))
    lost: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros((2, len(METRICS), 2)))

    def add(self, other: CooperationSums) -> None:
        self.deals += other.deals
        self.counts += other.counts
        self.judged += other.judged
        self.lost += other.lost

    def result(self) -> Row:
        """The metrics, a `Cooperation`, an entry for each side."""
        metrics = {}
        for k, name in enumerate(METRICS):
            (done, possible), judged, (tricks, points) = self.counts[:, k].T, self.judged[:, k], self.lost[:, k].T
            metrics[name] = Metric(
                count=done.tolist(),
                opportunities=possible.tolist(),
                rate=_side_ratios(done, possible),
                judged=judged.tolist(),
                tricks_lost=_side_ratios(tricks, judged),
                points_lost=_side_ratios(points, judged),
                points_lost_per_deal=_side_ratios(points * done / max(self.deals, 1), judged),
            )
        return Cooperation(self.deals, metrics)


def _side_ratios(parts: npt.NDArray[Any], wholes: Ints) -> list[float | None]:
    """Each side's part divided by its whole; None where the whole is 0."""
    return [float(part / whole) if whole else None for part, whole in zip(parts, wholes, strict=True)]


@dataclass
class CooperationObserver:
    """Counts the metrics of cooperation over finished deals; an observer for `cardenvs.baselines.match.play_match`.

    Args:
        cost: computes the costs of decisions; None for no costs.
        sums: the counts that this observer adds to.

    Raises:
        ValueError: a game without partners.
    """

    game: str | GameSpec
    cost: Cost | None = field(default_factory=double_dummy_cost)
    sums: CooperationSums = field(default_factory=CooperationSums)

    def __post_init__(self) -> None:
        self.spec = get_game(self.game)
        if self.spec.name not in GAMES:
            raise ValueError(f"cooperation is counted in {' and '.join(GAMES)}, not in {self.spec.name}")

    def __call__(self, states: Games, owners: Ints) -> None:
        """Counts finished deals, (k,), with histories; ``owners`` is int64 (k, 4), each seat's side."""
        self.sums.deals += len(states)
        taken = count_taking(self.spec, states, owners, self.sums.counts, keep=self.cost is not None)
        if self.cost is None or not len(taken.actions):
            return
        lost = self.cost(taken.positions, taken.actions)
        judged = ~np.isnan(lost[:, 0])
        for metric in range(len(METRICS)):
            for side in (0, 1):
                rows = judged & (taken.sides == side) & (taken.kinds >> metric & 1 == 1)
                self.sums.judged[side, metric] += rows.sum()
                self.sums.lost[side, metric] += lost[rows].sum(0)

    def add(self, other: CooperationObserver) -> None:
        """Adds the deals of another observer."""
        self.sums.add(other.sums)

    def result(self) -> Row:
        """The metrics of all deals so far, a `Cooperation`."""
        return self.sums.result()

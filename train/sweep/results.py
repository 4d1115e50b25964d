"""The results of a sweep: means over training seeds, with intervals over seeds and over deals.

The unit of the statistics is the training: means over seeds have 95% intervals of Student's t over the seeds, which hold
for the way to train. Intervals over deals hold for the policies trained here only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cardenvs.baselines.reports.columns import Row
from cardenvs.baselines.reports.results import Result
from cardenvs.baselines.reports.statistics import Interval, margin_interval, sample_interval
from cardenvs.baselines.runs.forfeits import forfeited_pairings
from cardenvs.baselines.runs.store import PairingStore
from cardenvs.train.models.checkpoint import read_checkpoint
from cardenvs.train.sweep import report
from cardenvs.train.sweep.settings import MatchSettings, Run, Sweep, Variant


@dataclass(frozen=True)
class Estimate:
    """A mean over training seeds.

    Attributes:
        mean: the mean of the seeds that have a value; None if none has.
        ci95: the mean's 95% interval by Student's t over these seeds, low and high end; None with fewer than two, and where
            all are alike, which tells nothing of how far another would differ.
        by_seed: the value of each seed, None for a seed that has none.
    """

    mean: float | None
    ci95: list[float] | None
    by_seed: list[float | None]

    @property
    def interval(self) -> Interval | None:
        """The mean with its interval, without finite ends where there is one seed; None where there is no mean."""
        return None if self.mean is None else Interval(self.mean, *(self.ci95 or (-math.inf, math.inf)))


def estimate(values: Sequence[float | None], least: float = -math.inf, most: float = math.inf) -> Estimate:
    """The mean over training seeds with its 95% interval.

    Args:
        values: the value of each seed, None for a seed that has none.
        least: the least that a value can be.
        most: the most that a value can be.
    """
    known = np.array([value for value in values if value is not None], np.float64)
    if not len(known):
        return Estimate(None, None, list(values))
    found = sample_interval(known, least, most)
    return Estimate(found.mean, found.ci95 if math.isfinite(found.half_width) else None, list(values))


@dataclass(frozen=True)
class Figure:
    """Points and win rate of a variant's policies against an opponent.

    Attributes:
        opponent: the opponent's name; that of a variant, where each plays against that variant's policy of its own seed.
        points: points a deal above the opponent.
        points_ci95_deals: 95% confidence interval of that mean over deals, low and high end, with the policies as they
            are; None where there is no mean.
        win_rate: share of the games won, a draw counting half.
    """

    opponent: str
    points: Estimate
    points_ci95_deals: list[float] | None
    win_rate: Estimate


@dataclass(frozen=True, repr=False)
class VariantResult(Result):
    """The results of a variant.

    Attributes:
        name: the variant's name.
        differences: what it does otherwise than the first variant, each as ``"epochs 4"``.
        policies: paths of the trained policies within the sweep's folder, by seed.
        steps: moves trained on.
        curves: the measurements along the way, by seed: moves trained on so far, mean points a deal above the training's
            ``eval_opponent`` with half the width of their 95% interval over deals, win rate.
        against: figures against each opponent.
        against_reference: figures against the reference; None for the reference itself, and where there is none.
    """

    name: str
    differences: list[str]
    policies: list[str]
    steps: int
    curves: list[list[dict[str, float]]]
    against: list[Figure]
    against_reference: Figure | None

    @property
    def mean_curve(self) -> list[Estimate]:
        """The mean over the seeds at each of the measurements along the way."""
        return [estimate([point["mean"] for point in points]) for points in zip(*self.curves, strict=True)]


@dataclass(frozen=True, repr=False)
class SweepResult(Result):
    """The results of a sweep.

    Attributes:
        settings: the sweep's settings, from `Sweep.as_dict`.
        variants: the results of each variant.
        forfeits: the pairings that were forfeited, whose seeds have no value.
    """

    settings: dict[str, Any]
    variants: list[VariantResult]
    forfeits: list[Row]

    OPTIONAL = ("forfeits",)

    document = report.document


def sweep_results(sweep: Sweep, out: Path, played: Sequence[tuple[PairingStore, Sequence[Run]]]) -> SweepResult:
    """The results of a sweep that has been trained and measured.

    Args:
        out: the sweep's folder.
        played: for each group of `Sweep.same_rules` the folder that holds its matches, and the trainings in their order.

    Raises:
        ValueError: deals are missing, or a chunk or a checkpoint is damaged.
    """
    variants: dict[str, VariantResult] = {}
    forfeits: list[Row] = []
    for store, runs in played:
        matches = _Matches(store)
        forfeits += forfeited_pairings(store, matches.results)
        for variant in sweep.variants:
            numbers = [number for number, run in enumerate(runs) if run.variant == variant]
            if numbers:
                variants[variant.name] = _variant(sweep, variant, out, matches, numbers)
    return SweepResult(sweep.as_dict(), [variants[variant.name] for variant in sweep.variants], forfeits)


class _Matches:
    """The results of finished matches, by the numbers of their sides."""

    def __init__(self, store: PairingStore) -> None:
        self.settings: MatchSettings = store.plan
        self.results = store.load()
        self._numbers = {pair: k for k, pair in enumerate(self.settings.pairs) if k not in store.forfeits}

    def figure(self, opponent: str, pairs: Sequence[tuple[int, int]]) -> Figure:
        """The figures of a variant."""
        found = [self.results.of_pairing(self._numbers[pair]) if pair in self._numbers else None for pair in pairs]
        points = [None if results is None else results.points_margins for results in found]
        known = [margins for margins in points if margins is not None]
        return Figure(
            opponent,
            estimate([None if margins is None else float(margins.mean()) for margins in points]),
            margin_interval(np.mean(known, 0), self.settings.most.points).ci95 if known else None,
            estimate([None if results is None else float(results.wins.mean()) for results in found], 0.0, 1.0),
        )


def _variant(sweep: Sweep, variant: Variant, out: Path, matches: _Matches, numbers: Sequence[int]) -> VariantResult:
    """The results of a variant, whose policies have these numbers among the matches, by seed."""
    runs = [run for run in sweep.runs if run.variant == variant]
    records = [read_checkpoint(out / run.policy).record for run in runs]
    opponents = matches.settings.opponents
    to_first = len(matches.settings.policies)
    references = dict(matches.settings.references)
    against = [(number, references[number]) for number in numbers if number in references]
    return VariantResult(
        name=variant.name,
        differences=sweep.differences(variant),
        policies=[run.policy for run in runs],
        steps=int(records[0]["steps"]),
        curves=[
            [{name: value for name, value in point.items() if name != "seconds"} for point in record["curve"]]
            for record in records
        ],
        against=[
            matches.figure(opponent, [(number, to_first + k) for number in numbers]) for k, opponent in enumerate(opponents)
        ],
        against_reference=matches.figure(str(sweep.measure.reference), against) if against else None,
    )

"""The results of a sweep: means over training seeds, with intervals over seeds and over deals.

The unit of the statistics is the training: means over seeds have 95% intervals of Student's t over the seeds, which hold
for the way to train. Intervals over deals hold for the policies trained here only.
"""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from cardenvs.baselines.match.results import DealResults
from cardenvs.baselines.reports.columns import Column, Columns, Row, computed_column
from cardenvs.baselines.reports.statistics import Interval, margin_interval, sample_interval
from cardenvs.baselines.runs.forfeits import FORFEITS, forfeited_pairings
from cardenvs.baselines.runs.store import PairingStore
from cardenvs.train.models.checkpoint import read_checkpoint
from cardenvs.train.sweep import report
from cardenvs.train.sweep.settings import Run, Sweep

Estimate = Columns(
    "Estimate",
    Column("mean", "the mean of the seeds that have a value; None if none has"),
    Column(
        "ci95",
        "the mean's 95% interval by Student's t over these seeds, low and high end; None with fewer than two, and where "
        "all are alike, which tells nothing of how far another would differ",
    ),
    Column("by_seed", "the value of each seed, None for a seed that has none"),
    computed_column(
        "interval", lambda row: None if row.mean is None else Interval(row.mean, *(row.ci95 or (-math.inf, math.inf))),
        meaning="the mean with its interval, without finite ends where there is one seed; None where there is no mean",
    ),
)  # fmt: skip
"""A mean over training seeds."""

Figure = Columns(
    "Figure",
    Column(
        "opponent", "the opponent's name; that of a variant, where each plays against that variant's policy of its seed"
    ),
    Column("points", "points a deal above the opponent (`Estimate`)"),
    Column(
        "points_ci95_deals",
        "95% interval of that mean over deals, low and high end, with the policies as they are; None without a mean",
    ),
    Column("win_rate", "share of the games won, a draw counting half (`Estimate`)"),
    computed_column("over_deals", lambda row: interval_over_deals(row.points, row.points_ci95_deals)),
)
"""Points and win rate of a variant's policies against an opponent."""

VariantResult = Columns(
    "VariantResult",
    Column("name", "the variant's name"),
    Column("differences", 'settings that differ from the first variant\'s, each as `"epochs 4"`'),
    Column("policies", "paths of the trained policies within the sweep's folder, by seed"),
    Column("steps", "moves trained on"),
    Column(
        "curves",
        "the measurements along the way, by seed: moves trained on so far, mean points a deal above the training's "
        "`eval_opponent` with half the width of their 95% interval over deals, win rate",
    ),
    Column("against", "figures against each opponent (`Figure`)"),
    Column("against_reference", "figures against the reference; None for the reference itself, and where there is none"),
    computed_column(
        "mean_curve",
        lambda row: [estimate([point["mean"] for point in points]) for points in zip(*row.curves, strict=True)],
        meaning="the mean over the seeds at each of the measurements along the way",
    ),
)
"""The results of a variant."""

SweepResult = Columns(
    "SweepResult",
    Column("settings", "the sweep's settings, from `Sweep.as_dict`"),
    Column("variants", "the results of each variant (`VariantResult`)"),
    FORFEITS,
    document=report.document,
)
"""The results of a sweep; seeds whose pairings were forfeited have no value."""


def estimate(values: Sequence[float | None], least: float = -math.inf, most: float = math.inf) -> Row:
    """The mean over training seeds with its 95% interval, an `Estimate`; ``values`` are those of each seed, from ``least``
    to ``most``, None for a seed that has none."""
    known = np.array([value for value in values if value is not None], np.float64)
    if not len(known):
        return Estimate(None, None, list(values))
    found = sample_interval(known, least, most)
    return Estimate(found.mean, found.ci95 if math.isfinite(found.half_width) else None, list(values))


def interval_over_deals(points: Row, ends: list[float] | None) -> Interval | None:
    """The mean over training seeds with an interval over deals; None where there is no mean."""
    return None if points.mean is None or ends is None else Interval(points.mean, *ends)


def sweep_results(sweep: Sweep, out: Path, played: Sequence[tuple[PairingStore, Sequence[Run]]]) -> Row:
    """The results of a sweep that has been trained and measured in a folder, a `SweepResult`; ``played`` has for each group
    of `Sweep.same_rules` the folder that holds its matches, and the trainings in their order. Raises ValueError for deals
    that are missing, and a chunk or a checkpoint that is damaged."""
    variants: dict[str, Row] = {}
    forfeits: list[Row] = []
    for store, runs in played:
        results = store.load()
        forfeits += forfeited_pairings(store)
        for variant in {run.variant.name: run.variant for run in runs}.values():
            numbers = [number for number, run in enumerate(runs) if run.variant == variant]
            paths = [runs[number].policy for number in numbers]
            records = [read_checkpoint(out / path).record for path in paths]
            against = [
                _measure(store, results, opponent, [(number, k) for number in numbers])
                for k, opponent in enumerate(store.plan.opponents, len(store.plan.policies))
            ]
            pairs = [pair for pair in store.plan.references if pair[0] in numbers]
            reference = _measure(store, results, str(sweep.measure.reference), pairs) if pairs else None
            curves = [
                [{name: value for name, value in point.items() if name != "seconds"} for point in record["curve"]]
                for record in records
            ]
            variants[variant.name] = VariantResult(
                variant.name, sweep.differences(variant), paths, int(records[0]["steps"]), curves, against, reference
            )
    return SweepResult(sweep.as_dict(), [variants[variant.name] for variant in sweep.variants], forfeits)


def _measure(store: PairingStore, played: DealResults, opponent: str, pairs: Sequence[tuple[int, int]]) -> Row:
    """The figures against an opponent in some pairings, one for each seed; forfeited ones have none."""
    rows = {pair: k for k, pair in enumerate(store.plan.pairs) if k not in store.forfeits}
    found = [played.of_pairing(rows[pair]) if pair in rows else None for pair in pairs]
    known = [one.points_margins for one in found if one is not None]
    return Figure(
        opponent,
        estimate([None if one is None else float(one.points_margins.mean()) for one in found]),
        margin_interval(np.mean(known, 0), store.plan.most.points).ci95 if known else None,
        estimate([None if one is None else float(one.wins.mean()) for one in found], 0.0, 1.0),
    )

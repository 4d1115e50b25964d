"""The results of the experiment: all policies measured side by side, as partners and against the same opponents.

The unit of the statistics is the training run: means over seeds have 95% intervals of Student's t over the seeds, which
hold for the recipe. Intervals over deals hold for the policies trained here only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cardenvs.baselines.crossplay import crossplay_results, crossplay_settings
from cardenvs.baselines.observers import METRICS
from cardenvs.baselines.reports.columns import Row
from cardenvs.baselines.reports.results import Result
from cardenvs.train.sweep.play import Play
from cardenvs.train.sweep.results import Estimate, estimate
from cardenvs.train.team_share import report
from cardenvs.train.team_share.settings import GAME, Experiment


@dataclass(frozen=True)
class ShareResult:
    """The policies of one share in one variant, measured. All means are over training seeds.

    Attributes:
        team_share: the share.
        policies: paths of the trained policies, by seed.
        points: points a deal of a partnership of two copies of a policy, less the opponents'.
        points_ci95_deals: 95% confidence interval of that mean over deals, low and high end, with the policies as they are.
        cross_play: points a deal of policies of two different seeds of this share as partners; None with one seed.
        cross_play_ci95_deals: 95% confidence interval of ``cross_play`` over deals; None with one seed.
        rates: how often partners take tricks from each other, 0 to 1, by the metrics of
            `cardenvs.baselines.observers.METRICS`.
        points_lost: points a deal that these tricks cost with all cards open, by the metrics of
            `cardenvs.baselines.observers.METRICS`.
        against_team: points a deal less those of the largest share, from the same seeds; None for that share itself.
    """

    team_share: float
    policies: list[str]
    points: Estimate
    points_ci95_deals: list[float]
    cross_play: float | None
    cross_play_ci95_deals: list[float] | None
    rates: dict[str, Estimate]
    points_lost: dict[str, Estimate]
    against_team: Estimate | None


@dataclass(frozen=True)
class VariantResult:
    """The results of one variant of Euchre.

    Attributes:
        bidding: the variant.
        shares: the results of each share.
        crossplay: all policies as each other's partners; its groups are the shares.
    """

    bidding: str
    shares: list[ShareResult]
    crossplay: Row


@dataclass(frozen=True, repr=False)
class ExperimentResult(Result):
    """The results of the experiment.

    Attributes:
        settings: the experiment's settings, from `Experiment.as_dict`.
        variants: the results of each variant of Euchre.
    """

    settings: dict[str, Any]
    variants: list[VariantResult]

    document = report.document


def _group(share: float) -> str:
    """The name of a share's policies as a group in cross-play."""
    return f"team_share {share:g}"


def measure_all(experiment: Experiment, out: Path, play: Play) -> ExperimentResult | None:
    """Measures the trained policies; deals that were played before are not played again.

    Args:
        out: the folder of the experiment, with all runs complete.
        play: plays cross-play in a folder.

    Returns:
        The results; None if ``play`` was interrupted.

    Raises:
        ValueError: a folder of cross-play with other settings, or a policy that cannot be loaded.
        OSError: a folder cannot be written.
        RuntimeError: a process that plays has died.
    """
    variants = []
    for bidding in experiment.biddings:
        groups = {
            _group(share): [str(out / experiment.run(bidding, share, seed).policy) for seed in experiment.seeds]
            for share in experiment.shares
        }
        settings = crossplay_settings(
            GAME,
            [path for paths in groups.values() for path in paths],
            opponents=experiment.opponents,
            deals=experiment.deals,
            seed=experiment.seed,
            costs=True,
            bidding=bidding,
        )
        store = play(settings, out / bidding / "crossplay")
        if store is None:
            return None
        variants.append(_variant(experiment, bidding, groups, crossplay_results(store, groups)))
    return ExperimentResult(experiment.as_dict(), variants)


def _variant(experiment: Experiment, bidding: str, groups: Mapping[str, list[str]], played: Row) -> VariantResult:
    """The results of a variant."""
    alone = {name: [played.cell(path, path) for path in paths] for name, paths in groups.items()}
    team = alone[_group(max(experiment.shares))]
    shares = []
    for share in experiment.shares:
        name = _group(share)
        paths, cells = groups[name], alone[name]
        points, of_team = ([cell.points_margin.mean for cell in some] for some in (cells, team))
        lead = estimate([own - other for own, other in zip(points, of_team, strict=True)])
        gap = next(group for group in played.groups if group.name == name)
        shares.append(
            ShareResult(
                team_share=share,
                policies=paths,
                points=estimate(points),
                points_ci95_deals=gap.self_play.ci95,
                cross_play=None if gap.cross_play is None else gap.cross_play.mean,
                cross_play_ci95_deals=None if gap.cross_play is None else gap.cross_play.ci95,
                rates={metric: estimate([c.cooperation[metric]["rate"] for c in cells], 0.0, 1.0) for metric in METRICS},
                points_lost={
                    metric: estimate([c.cooperation[metric]["points_lost_per_deal"] for c in cells]) for metric in METRICS
                },
                against_team=None if cells is team else lead,
            )
        )
    return VariantResult(bidding, shares, played)

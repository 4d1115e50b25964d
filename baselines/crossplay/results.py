"""Cross-play: the matrix of partnerships, the gap between self-play and cross-play, the best partners."""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.crossplay import report
from cardenvs.baselines.crossplay.groups import seed_groups
from cardenvs.baselines.crossplay.partnerships import Cell, PlayedPartnerships, mean_of
from cardenvs.baselines.crossplay.settings import CrossSettings
from cardenvs.baselines.reports.results import Result
from cardenvs.baselines.reports.statistics import Interval, margin_interval, sample_interval
from cardenvs.baselines.runs.forfeits import ForfeitedPairing
from cardenvs.baselines.runs.pairings import Progress, play_all
from cardenvs.baselines.runs.store import PairingStore
from cardenvs.contract.spec import GameSpec


@dataclass(frozen=True, repr=False)
class Gap(Result):
    """Self-play against cross-play in a group of policies, in points a deal above the opponents.

    Attributes:
        name: the group's name.
        policies: the policies in the group.
        self_play: mean over the policies as their own partners, the diagonal of the matrix.
        cross_play: mean over the partnerships of two different policies; None where the group is one policy.
        gap: self-play less cross-play, paired on the same deals; None where the group is one policy.
        gap_over_teams: in a game of one side the same gap with an interval over the policies, as drawn from all that could
            have been trained: by leaving each out in turn; None elsewhere and below three policies,
            without ends where these are all alike.
    """

    name: str
    policies: list[str]
    self_play: Interval
    cross_play: Interval | None
    gap: Interval | None
    gap_over_teams: Interval | None = None

    OPTIONAL = ("gap_over_teams",)


@dataclass(frozen=True, repr=False)
class Between(Result):
    """Policies of one group with partners of another.

    Attributes:
        groups: the names of both groups.
        points_margin: points a deal above the opponents, the mean over all partnerships of one policy from either group.
    """

    groups: list[str]
    points_margin: Interval


@dataclass(frozen=True, repr=False)
class BestPartner(Result):
    """The partner with whom a policy scored most; it may be the policy itself.

    Attributes:
        policy: the policy's name.
        partner: the best partner's name.
        points_margin: points a deal above the opponents with the best partner.
        runner_up: the second best partner's name.
        lead: points a deal by which the best partner is ahead of the second best, paired on the same deals; not corrected
            for picking the best of several.
    """

    policy: str
    partner: str
    points_margin: Interval
    runner_up: str
    lead: Interval

    ALSO = ("significant",)

    @property
    def significant(self) -> bool:
        """Whether the interval of the lead is above 0."""
        return self.lead.low > 0

    def figures(self) -> dict[str, Any]:
        """The figures as plain values; of the best partner's points the mean."""
        figures = super().figures()
        del figures["mean_points_ci95"]
        return figures


@dataclass(frozen=True, repr=False)
class CrossplayResult(Result):
    """The results of cross-play.

    Attributes:
        spec: the game.
        policies: the policies, in the order given.
        opponents: the sides that all partnerships played against.
        deals: deals of each partnership against each opponent, in each order of the seats.
        options: all rule options.
        seed: the seed of the deals and of the policies' random choices.
        points_margins: points a deal above the opponents by row and column, the row's policy with the column's; symmetric.
        cells: the partnerships, each once: a policy with itself and with those after it.
        gap: self-play against cross-play over all policies.
        groups: self-play against cross-play within each group.
        between: the policies of each group with partners of each other group.
        best_partners: the best partner of each policy.
        forfeits: the pairings that were forfeited; whoever has forfeited one is left out of all else.
    """

    spec: GameSpec
    policies: list[str]
    opponents: list[str]
    deals: int
    options: dict[str, Any]
    seed: int
    points_margins: list[list[Interval]]
    cells: list[Cell]
    gap: Gap
    groups: list[Gap]
    between: list[Between]
    best_partners: list[BestPartner]
    forfeits: list[ForfeitedPairing] = field(default_factory=list)

    ALSO = ("points",)
    OPTIONAL = ("forfeits",)
    HIDDEN = ("points_margins",)

    @property
    def game(self) -> str:
        """The game's name."""
        return self.spec.name

    @property
    def points(self) -> list[list[float]]:
        """The means of ``points_margins``."""
        return [[margin.mean for margin in row] for row in self.points_margins]

    def cell(self, a: str, b: str) -> Cell:
        """The partnership of two policies, in either order."""
        return next(cell for cell in self.cells if cell.policies in ([a, b], [b, a]))

    def figures(self) -> dict[str, Any]:
        """The figures as plain values."""
        ends = [[margin.ci95 for margin in row] for row in self.points_margins]
        return super().figures() | {"points_ci95": ends}

    document = report.crossplay_document


def _gap(played: PlayedPartnerships, name: str, members: Sequence[str]) -> Gap:
    """Self-play against cross-play among the policies of a group."""
    most = played.settings.most.points
    own = mean_of([played.points(a, a) for a in members])
    if len(members) < 2:
        return Gap(name, list(members), played.settings.most.points_interval(own), None, None)
    mixed = mean_of([played.points(a, b) for a, b in itertools.combinations(members, 2)])
    return Gap(
        name,
        list(members),
        played.settings.most.points_interval(own),
        played.settings.most.points_interval(mixed),
        margin_interval(own - mixed, 2 * most),
        _gap_over_teams(played, members) if played.settings.spec.one_sided and len(members) > 2 else None,
    )


def _gap_over_teams(played: PlayedPartnerships, members: Sequence[str]) -> Interval:
    """Self-play less cross-play, with a 95% interval over policies: Student's t for the jackknife's pseudo-values."""
    n = len(members)
    means = np.array([[played.points(a, b).mean() for b in members] for a in members])

    def gap(kept: npt.NDArray[np.int64]) -> float:
        """The gap among some of the policies."""
        among = means[np.ix_(kept, kept)]
        own = float(np.trace(among))
        return own / len(kept) - (float(among.sum()) - own) / (len(kept) * (len(kept) - 1))

    whole, numbers = gap(np.arange(n)), np.arange(n)
    values = np.array([n * whole - (n - 1) * gap(numbers[numbers != left_out]) for left_out in numbers])
    return sample_interval(values)


def _best_partner(played: PlayedPartnerships, a: str) -> BestPartner:
    """The best partner of a policy, and its lead over the second best."""
    values = {b: played.points(a, b) for b in played.settings.policies}
    best, second = sorted(values, key=lambda b: -values[b].mean())[:2]
    most = played.settings.most.points
    lead = margin_interval(values[best] - values[second], 2 * most)
    return BestPartner(a, best, played.settings.most.points_interval(values[best]), second, lead)


def crossplay_results(store: PairingStore, groups: Mapping[str, Sequence[str]] | None = None) -> CrossplayResult:
    """The results of finished cross-play.

    Args:
        store: the folder that holds what was played.
        groups: policies by the name of their group; None: the groups of `seed_groups`.

    Raises:
        ValueError: deals are missing, or a chunk is damaged.
    """
    played = PlayedPartnerships(store)
    settings = played.settings
    names = settings.policies
    chosen = seed_groups(names) if groups is None else groups
    if played.forfeits:
        left = {name: [member for member in members if member in names] for name, members in chosen.items()}
        chosen = {name: members for name, members in left.items() if members}
    cells = {pair: played.cell(*pair) for pair in itertools.combinations_with_replacement(names, 2)}
    grid = [[cells[a, b] if (a, b) in cells else cells[b, a] for b in names] for a in names]
    between = []
    for (first, members), (second, partners) in itertools.combinations(chosen.items(), 2):
        values = mean_of([played.points(a, b) for a in members for b in partners])
        between.append(Between([first, second], settings.most.points_interval(values)))
    return CrossplayResult(
        spec=settings.spec,
        policies=names,
        opponents=settings.opponents,
        deals=settings.deals,
        options=settings.options,
        seed=settings.seed,
        points_margins=[[cell.points_margin for cell in row] for row in grid],
        cells=list(cells.values()),
        gap=_gap(played, "all", names),
        groups=[_gap(played, name, members) for name, members in chosen.items()],
        between=between,
        best_partners=[_best_partner(played, a) for a in names],
        forfeits=played.forfeits,
    )


def play_crossplay(
    settings: CrossSettings,
    out: str | os.PathLike[str],
    *,
    groups: Mapping[str, Sequence[str]] | None = None,
    workers: int | None = None,
    cluster: str | Executor | None = None,
    progress: Progress | None = None,
) -> CrossplayResult:
    """Plays cross-play, or the deals that are missing in its folder.

    Args:
        settings: from `crossplay_settings`.
        out: folder for the finished chunks; made if there is none.
        groups: policies by the name of their group; None: the groups of `seed_groups`.
        workers: processes that play; None: one for each core.
        cluster: where they work, as in `cardenvs.baselines.engine.work.work`.
        progress: called as chunks of deals finish.

    Raises:
        ValueError, OSError, RuntimeError: as `cardenvs.baselines.tournament.play_all`.
    """
    return crossplay_results(play_all(settings, out, workers=workers, cluster=cluster, progress=progress), groups)

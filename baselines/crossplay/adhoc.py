"""The ad-hoc benchmark: scores of policies with partners that they do not know."""

from __future__ import annotations

import itertools
import os
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any

from cardenvs.baselines.crossplay import report
from cardenvs.baselines.crossplay.partnerships import Cell, PlayedPartnerships, mean_of
from cardenvs.baselines.crossplay.settings import AdHocSettings, held_out
from cardenvs.baselines.reports.results import Result
from cardenvs.baselines.reports.statistics import Interval, margin_interval, share_interval
from cardenvs.baselines.runs.forfeits import ForfeitedPairing
from cardenvs.baselines.runs.pairings import Progress, play_all
from cardenvs.baselines.runs.store import PairingStore
from cardenvs.contract.spec import GameSpec


@dataclass(frozen=True, repr=False)
class AdHocScore(Result):
    """The score of a policy with partners that it does not know.

    Attributes:
        policy: the policy's name.
        score: points a deal above the opponents, in a game of one side the team's points a deal; the mean over the
            partners, in both orders of the seats.
        win_rate: share of the games won, a draw counting half, the mean over the partners, in both orders of the
            seats; None in a game of one side.
        held_out: whether the policy is none of the partners; False: one of the partners is the policy itself.
        lead: the score less that of the next policy in the ranking, paired on the same deals; None for the last.
        partners: the partnerships with each partner, in the partners' order.
    """

    policy: str
    score: Interval
    win_rate: Interval | None
    held_out: bool
    lead: Interval | None
    partners: list[Cell]

    OPTIONAL = ("win_rate",)


@dataclass(frozen=True, repr=False)
class AdHocResult(Result):
    """The results of the ad-hoc benchmark.

    Attributes:
        spec: the game.
        partners: the partners' names.
        standard: whether the partners are those of `held_out`; False in a game that has none there.
        opponents: the sides that all partnerships played against.
        deals: deals of each partnership against each opponent, in each order of the seats.
        options: all rule options.
        seed: the seed of the deals and of the policies' random choices.
        scores: the policies' scores, best first.
        forfeits: the pairings that were forfeited; whoever has forfeited one is left out of all else.
    """

    spec: GameSpec
    partners: list[str]
    standard: bool
    opponents: list[str]
    deals: int
    options: dict[str, Any]
    seed: int
    scores: list[AdHocScore]
    forfeits: list[ForfeitedPairing] = field(default_factory=list)

    OPTIONAL = ("forfeits",)

    @property
    def game(self) -> str:
        """The game's name."""
        return self.spec.name

    document = report.adhoc_document


def adhoc_results(store: PairingStore) -> AdHocResult:
    """The results of a finished ad-hoc benchmark.

    Args:
        store: the benchmark's folder.

    Raises:
        ValueError: deals are missing, or a chunk is damaged.
    """
    played = PlayedPartnerships(store)
    settings = played.settings
    partners = settings.partners
    values = {a: mean_of([played.points(a, b) for b in partners]) for a in settings.policies}
    order = sorted(values, key=lambda a: -values[a].mean())
    scores = []
    for a, behind in itertools.zip_longest(order, order[1:]):
        wins = share_interval(mean_of([played.wins(a, b) for b in partners]))
        scores.append(
            AdHocScore(
                policy=a,
                score=settings.most.points_interval(values[a]),
                win_rate=wins if not settings.spec.one_sided else None,
                held_out=a not in partners,
                lead=None if behind is None else margin_interval(values[a] - values[behind], 2 * settings.most.points),
                partners=[played.cell(a, b) for b in partners],
            )
        )
    return AdHocResult(
        spec=settings.spec,
        partners=partners,
        standard=tuple(partners) == held_out(settings.spec),
        opponents=settings.opponents,
        deals=settings.deals,
        options=settings.options,
        seed=settings.seed,
        scores=scores,
        forfeits=played.forfeits,
    )


def play_adhoc(
    settings: AdHocSettings,
    out: str | os.PathLike[str],
    *,
    workers: int | None = None,
    cluster: str | Executor | None = None,
    progress: Progress | None = None,
) -> AdHocResult:
    """Plays the ad-hoc benchmark, or the deals that are missing in its folder.

    Args:
        settings: from `adhoc_settings`.
        out: folder for the finished chunks; made if there is none.
        workers: processes that play; None: one for each core.
        cluster: where they work, as in `cardenvs.baselines.engine.work.work`.
        progress: called as chunks of deals finish.

    Raises:
        ValueError, OSError, RuntimeError: as `cardenvs.baselines.tournament.play_all`.
    """
    return adhoc_results(play_all(settings, out, workers=workers, cluster=cluster, progress=progress))

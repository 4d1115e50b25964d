"""Scores with a suite's partners: as shares of the bounds, with intervals over deals and over partners."""

from __future__ import annotations

import itertools
import os
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cardenvs.baselines.crossplay.partnerships import PlayedPartnerships, mean_of
from cardenvs.baselines.reports.results import Result
from cardenvs.baselines.reports.statistics import Interval, interval, margin_interval
from cardenvs.baselines.runs.forfeits import ForfeitedPairing
from cardenvs.baselines.runs.pairings import Progress, play_all
from cardenvs.baselines.runs.store import PairingStore
from cardenvs.baselines.suites import report
from cardenvs.baselines.suites.settings import SuiteSettings
from cardenvs.baselines.suites.suite import Member, Suite
from cardenvs.contract.spec import GameSpec


@dataclass(frozen=True, repr=False)
class PartnerScore(Result):
    """The score of a policy with one partner.

    Attributes:
        partner: the partner's name.
        games: games played.
        points_margin: points a deal above the opponents; in a game of one side the team's points a deal.
        normalised: these points as a share of the partner's bound (`Member.share`).
        win_rate: share of the games won, a draw counting half; None in a game of one side.
        cooperation: as that of `cardenvs.baselines.crossplay.Cell`.
    """

    partner: str
    games: int
    points_margin: Interval
    normalised: Interval
    win_rate: Interval | None
    cooperation: dict[str, dict[str, Any]]

    OPTIONAL = ("win_rate", "cooperation")


@dataclass(frozen=True, repr=False)
class SuiteScore(Result):
    """The score of a policy with a suite's partners.

    Attributes:
        policy: the policy's name.
        normalised: points as a share of each partner's bound, the mean over the partners, with its interval over deals.
        over_teams: the same mean with its interval over the partners, taken as drawn from all that there could be, as if
            no share were above 1 or the greatest that was found; without finite ends where there is one partner.
        points_margin: points a deal, the mean over the partners.
        worst: the name of the partner with whom the share is least.
        held_out: whether the policy is none of the partners.
        lead: ``normalised`` less that of the next policy in the ranking, paired on the same deals; None for the last.
        partners: the scores with each partner, in the partners' order.
    """

    policy: str
    normalised: Interval
    over_teams: Interval
    points_margin: Interval
    worst: str
    held_out: bool
    lead: Interval | None
    partners: list[PartnerScore]

    @property
    def worst_share(self) -> Interval:
        """The share with the worst partner."""
        return next(one.normalised for one in self.partners if one.partner == self.worst)


@dataclass(frozen=True, repr=False)
class SuiteResult(Result):
    """The results of play with a suite's partners.

    Attributes:
        spec: the game.
        suite: the suite's number.
        checksum: the suite's checksum: scores with another one do not compare.
        members: the partners with their bounds; ``partners`` in JSON.
        opponents: the sides that all partnerships played against.
        deals: deals of each partnership against each opponent, in each order of the seats.
        options: all rule options.
        seed: the seed of the deals.
        scores: the policies' scores, best first.
        forfeits: the pairings that were forfeited; whoever has forfeited one is left out of all else.
    """

    spec: GameSpec
    suite: int
    checksum: str
    members: list[Member]
    opponents: list[str]
    deals: int
    options: dict[str, Any]
    seed: int
    scores: list[SuiteScore]
    forfeits: list[ForfeitedPairing] = field(default_factory=list)

    KEYS = {**Result.KEYS, "members": "partners"}  # noqa: RUF012
    OPTIONAL = ("forfeits",)

    @property
    def game(self) -> str:
        """The game's name."""
        return self.spec.name

    document = report.result_document


def suite_results(store: PairingStore) -> SuiteResult:
    """The results of finished play with a suite's partners.

    Args:
        store: the folder.

    Raises:
        ValueError: deals are missing, or a chunk is damaged.
    """
    played = PlayedPartnerships(store)
    settings = played.settings
    assert isinstance(settings, SuiteSettings)
    suite = Suite.of(settings.spec, settings.suite)
    members = dict(zip(store.plan.partners, suite.partners, strict=True))
    members = {name: members[name] for name in settings.partners}
    shares = {a: {b: member.share(played.points(a, b)) for b, member in members.items()} for a in settings.policies}
    means = {a: mean_of([*of_partner.values()]) for a, of_partner in shares.items()}
    order = sorted(means, key=lambda a: -means[a].mean())
    ends = max(settings.most.least, -settings.most.points), settings.most.points
    low, high = (np.array([member.share(end) for member in members.values()]) for end in ends)
    widest = float((high - low).mean())
    scores = []
    for a, behind in itertools.zip_longest(order, order[1:]):
        partners = [_partner_score(played, a, b, member) for b, member in members.items()]
        scores.append(
            SuiteScore(
                policy=a,
                normalised=interval(means[a], float(low.mean()), float(high.mean())),
                over_teams=interval(np.array([values.mean() for values in shares[a].values()]), low.min(), 1.0),
                points_margin=settings.most.points_interval(mean_of([played.points(a, b) for b in members])),
                worst=min(partners, key=lambda one: one.normalised.mean).partner,
                held_out=a not in members,
                lead=None if behind is None else margin_interval(means[a] - means[behind], widest),
                partners=partners,
            )
        )
    return SuiteResult(
        spec=settings.spec,
        suite=suite.suite,
        checksum=suite.checksum,
        members=[replace(member, tried=[]) for member in members.values()],
        opponents=settings.opponents,
        deals=settings.deals,
        options=settings.options,
        seed=settings.seed,
        scores=scores,
        forfeits=played.forfeits,
    )


def _partner_score(played: PlayedPartnerships, a: str, b: str, member: Member) -> PartnerScore:
    """The score of a policy with a partner."""
    cell = played.cell(a, b)
    return PartnerScore(
        partner=member.policy,
        games=cell.games,
        points_margin=cell.points_margin,
        normalised=member.share_of(cell.points_margin),
        win_rate=cell.win_rate,
        cooperation=cell.cooperation,
    )


def play_suite(
    settings: SuiteSettings,
    out: str | os.PathLike[str],
    *,
    workers: int | None = None,
    cluster: str | Executor | None = None,
    progress: Progress | None = None,
) -> SuiteResult:
    """Plays policies with a suite's partners, or the deals that are missing in its folder.

    Args:
        settings: from `suite_settings`.
        out: folder for the finished chunks; made if there is none.
        workers: processes that play; None: one for each core.
        cluster: where they work, as in `cardenvs.baselines.engine.work.work`.
        progress: called as chunks of deals finish.

    Raises:
        ValueError, OSError, RuntimeError: as `cardenvs.baselines.tournament.play_all`.
    """
    return suite_results(play_all(settings, out, workers=workers, cluster=cluster, progress=progress))

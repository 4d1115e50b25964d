"""Scores with a suite's partners: as shares of the bounds, with intervals over deals and over partners."""

from __future__ import annotations

import itertools
import os
from concurrent.futures import Executor
from dataclasses import replace

import numpy as np

from cardenvs.baselines.crossplay.results import ABOVE, PlayedPartnerships, mean_of
from cardenvs.baselines.reports.columns import (
    Column,
    Columns,
    Row,
    computed_column,
    count_column,
    name_column,
    points_column,
    share_column,
)
from cardenvs.baselines.reports.statistics import interval, margin_interval
from cardenvs.baselines.runs.forfeits import FORFEITS
from cardenvs.baselines.runs.pairings import Progress, play_all
from cardenvs.baselines.runs.plan import SETTINGS
from cardenvs.baselines.runs.store import PairingStore
from cardenvs.baselines.suites import report
from cardenvs.baselines.suites.settings import SuiteSettings
from cardenvs.baselines.suites.suite import Member, Suite

PartnerScore = Columns(
    "PartnerScore",
    name_column("partner", "the partner"),
    count_column("games", "games played"),
    points_column("points_margin", ABOVE),
    points_column("normalised", "these points as a share of the partner's bound (`Member.share`)"),
    share_column("win_rate", "share of the games won, a draw counting half; none in a game of one side", optional=True),
    Column("cooperation", "as that of `cardenvs.baselines.crossplay.Cell`", optional=True),
)
"""The score of a policy with one partner."""

SuiteScore = Columns(
    "SuiteScore",
    name_column("policy", "the policy"),
    points_column(
        "normalised", "points as a share of each partner's bound, the mean over the partners, interval over deals"
    ),
    points_column(
        "over_teams",
        "the same mean with its interval over the partners, taken as drawn from all that there could be, as if no share "
        "were above 1 or the greatest that was found; without finite ends where there is one partner",
    ),
    points_column("points_margin", "points a deal, the mean over the partners"),
    name_column("worst", "the partner with whom the share is least"),
    Column("held_out", "whether the policy is none of the partners"),
    points_column("lead", "`normalised` less that of the next policy, paired on the same deals; none for the last"),
    Column("partners", "the scores with each partner (`PartnerScore`)"),
    computed_column("worst_share", lambda row: next(one.normalised for one in row.partners if one.partner == row.worst)),
)
"""The score of a policy with a suite's partners."""

SuiteResult = Columns(
    "SuiteResult",
    SETTINGS[0],
    Column("suite", "the suite's number"),
    Column("checksum", "the suite's checksum: scores with another one do not compare"),
    Column("members", "the partners with their bounds (`Member`)", json="partners"),
    *SETTINGS[2:],
    Column("scores", "the policies' scores, best first (`SuiteScore`)"),
    FORFEITS,
    document=report.result_document,
)
"""The results of play with a suite's partners."""


def suite_results(store: PairingStore) -> Row:
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
    return SuiteResult.of(
        settings,
        suite=suite.suite,
        checksum=suite.checksum,
        members=[replace(member, tried=[]) for member in members.values()],
        scores=scores,
        forfeits=played.forfeits,
    )


def _partner_score(played: PlayedPartnerships, a: str, b: str, member: Member) -> Row:
    """The score of a policy with a partner."""
    cell = played.cell(a, b)
    return PartnerScore.of(cell, partner=member.policy, normalised=member.share_of(cell.points_margin))


def play_suite(
    settings: SuiteSettings,
    out: str | os.PathLike[str],
    *,
    workers: int | None = None,
    cluster: str | Executor | None = None,
    progress: Progress | None = None,
) -> Row:
    """Plays what is missing in a folder of the play of `suite_settings`; its results, a `SuiteResult`.

    Raises:
        ValueError, OSError, RuntimeError: as `cardenvs.baselines.tournament.play_all`, which says what the arguments are.
    """
    return suite_results(play_all(settings, out, workers=workers, cluster=cluster, progress=progress))

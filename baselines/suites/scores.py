"""Scores with a suite's partners: as shares of the bounds, with intervals over deals and over partners."""

import functools
import os
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from cardenvs.baselines.crossplay.results import ABOVE, PlayedPartnerships, mean_of, rank_policies
from cardenvs.baselines.crossplay.settings import CrossSettings, checked_settings
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
from cardenvs.baselines.reports.document import Estimate
from cardenvs.baselines.reports.statistics import Interval, interval
from cardenvs.baselines.runs.forfeits import FORFEITS
from cardenvs.baselines.runs.pairings import Progress, play_all
from cardenvs.baselines.runs.plan import SETTINGS
from cardenvs.baselines.runs.store import PairingStore
from cardenvs.baselines.suites import report
from cardenvs.baselines.suites.suite import Suite, check_frozen
from cardenvs.checks import check_int


@dataclass(frozen=True, kw_only=True)
class SuiteSettings(CrossSettings):
    """The settings of play with a suite's partners."""

    suite: dict[str, Any] = field(metadata={"differs": "another suite of {game}"})  # `Suite.as_dict`

    kind: ClassVar[str] = "suite"


def suite_settings(
    suite: Suite, policies: Sequence[str], *, deals: int | None = None, costs: bool = False
) -> SuiteSettings:
    """Checks and completes the settings of play with a suite's partners.

    Args:
        suite: the suite, of `find_suite`.
        policies: names or paths of the policies to be judged, at least one.
        deals: how many of the suite's deals are played, the first ones; None: all.
        costs: also compute what counted decisions cost with all cards open; in Euchre and Whist.

    Raises:
        ValueError: an unknown policy, no policy, one given twice, a mixed side, more deals than the suite has; a partner
            that decides otherwise than when it was frozen.
        OSError: a policy's file that cannot be read.
    """
    number = suite.deals if deals is None else check_int("deals", deals, 1, suite.deals)
    made = checked_settings(
        SuiteSettings, suite.spec, policies, suite.names, suite.opponents, number, suite.seed, costs, suite.options,
        suite=suite.as_dict(),
    )  # fmt: skip
    check_frozen(suite)
    return made


_unsigned = functools.partial(Estimate, signed=False)

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
    points_column("normalised", "points as a share of each partner's bound, the mean over the partners, with an interval "
                  "over deals", "score", cell=_unsigned),
    points_column(
        "over_teams",
        "the same mean with its interval over the partners, taken as drawn from all that there could be, as if no share "
        "were above 1 or the greatest that was found; without finite ends where there is one partner",
        "over partners", cell=_unsigned,
    ),
    points_column("points_margin", "points a deal, the mean over the partners"),
    name_column("worst", "the partner with whom the share is least", "worst partner", spare=True),
    computed_column("worst_share", lambda row: next(one.normalised for one in row.partners if one.partner == row.worst),
                    title="its score", cell=_unsigned, spare=True),
    Column("held_out", "whether the policy is none of the partners"),
    points_column("lead", "`normalised` less that of the next policy, paired on the same deals; none for the last", ""),
    Column("partners", "the scores with each partner (`PartnerScore`)"),
)  # fmt: skip
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
    document=report.scores_document,
)
"""The results of play with a suite's partners."""


def suite_results(store: PairingStore) -> Row:
    """The results of finished play with a suite's partners, a `SuiteResult`.

    Raises:
        ValueError: deals are missing, or a chunk is damaged.
    """
    played = PlayedPartnerships(store)
    settings, most = played.settings, played.settings.most
    assert isinstance(settings, SuiteSettings)
    suite = Suite.of(settings.spec, settings.suite)
    members = dict(zip(store.plan.partners, suite.partners, strict=True))
    members = {name: members[name] for name in settings.partners}
    shares = {a: {b: member.share(played.points(a, b)) for b, member in members.items()} for a in settings.policies}
    means = {a: mean_of([*of_partner.values()]) for a, of_partner in shares.items()}
    ends = max(most.least, -most.points), most.points
    low, high = (np.array([member.share(end) for member in members.values()]) for end in ends)
    scores = []
    for a, lead in rank_policies(means, float((high - low).mean())):
        partners = [_score_partner(played.cell(a, b), member) for b, member in members.items()]
        scores.append(
            SuiteScore(
                policy=a,
                normalised=interval(means[a], float(low.mean()), float(high.mean())),
                over_teams=interval(np.array([values.mean() for values in shares[a].values()]), low.min(), 1.0),
                points_margin=most.points_interval(mean_of([played.points(a, b) for b in members])),
                worst=min(partners, key=lambda one: one.normalised.mean).partner,
                held_out=a not in members,
                lead=lead,
                partners=partners,
            )
        )
    return SuiteResult.of(
        settings,
        suite=suite.suite,
        checksum=suite.checksum,
        members=[member.but(tried=[]) for member in members.values()],
        scores=scores,
        forfeits=played.forfeits,
    )


def _score_partner(cell: Row, member: Row) -> Row:
    """The score of a partnership with a suite's partner."""
    points = cell.points_margin
    share = Interval(*(member.share(value) for value in (points.mean, points.low, points.high)))
    return PartnerScore.of(cell, partner=member.policy, normalised=share)


def play_suite(
    settings: SuiteSettings,
    out: str | os.PathLike[str],
    *,
    workers: int | None = None,
    cluster: str | Executor | None = None,
    progress: Progress | None = None,
) -> Row:
    """Plays what is missing of play with a suite in a folder, as `play_all` does; returns its `SuiteResult`."""
    return suite_results(play_all(settings, out, workers=workers, cluster=cluster, progress=progress))

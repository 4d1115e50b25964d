"""The results of an evaluation."""

from collections.abc import Iterable

from cardenvs.baselines.evaluation import report
from cardenvs.baselines.match.protocols import unit_of
from cardenvs.baselines.match.results import forfeited_by
from cardenvs.baselines.reports.columns import Column, Columns, Row, computed_column, points_column
from cardenvs.baselines.runs.series import PlayedMatch

Evaluated = Columns(
    "Evaluated",
    Column("match", "the figures of the match (`MatchResult`), in JSON beside the others", spread=True),
    computed_column("half_width", lambda row: row.points_margin.half_width, json="half_width"),
    Column("precise", "whether the precision asked for was reached, by the rule of "
           "`cardenvs.baselines.evaluation.precise_enough`; None if none was asked for"),
    Column("bidding", "statistics of both sides' calls (`Bidding`), in Euchre with full bidding; else None"),
    Column("cooperation", "how often partners take from each other (`Cooperation`); None if that was not counted"),
    Column("controlled", "the figures with a control variate taken out (`Controlled`); None without a control"),
    points_column("points_with_opponent", "in a game of one side the points a deal of teams of both, the mean of the "
                  "policy at the first seat and the opponent at the rest, and the other way round; None elsewhere, and "
                  "where that was forfeited", optional=True, default=None),
    # with the control taken out where there is one
    computed_column("win_rate", lambda row: (row.controlled or row.match).win_rate),
    computed_column("points_margin", lambda row: (row.controlled or row.match).points_margin),
)  # fmt: skip
"""The results of a policy against one opponent."""

ForfeitedMatch = Columns(
    "ForfeitedMatch",
    Column("against", "the opponent's name; of the self-check the policy's own"),
    Column("deals", "how many deals (games) were finished; without any the match has no other results"),
    Column("forfeit", "who could not go on, and why (`Forfeited`)"),
)
"""A match of an evaluation that was forfeited."""


def forfeited_matches(against: str, matches: Iterable[PlayedMatch]) -> list[Row]:
    """Those of some matches against an opponent that were forfeited, each a `ForfeitedMatch`."""
    return [
        ForfeitedMatch(against, 0 if one.results is None else one.results.deals, forfeited_by(one.forfeit))
        for one in matches
        if one.forfeit is not None
    ]


Evaluation = Columns(
    "Evaluation",
    Column("game", "the game's name"),
    Column("policy", "the policy's name or path"),
    Column("protocol", '``"duplicate"`` or ``"published"``'),
    Column("options", "all rule options"),
    Column("seed", "the seed of the matches"),
    Column("precision", "the half width asked for, in points; None if none was"),
    Column("results", "the results against each opponent (`Evaluated`)"),
    Column("standard_caller", "the standard caller's bidding (`CallerFigures`), in Euchre with full bidding; else None"),
    Column("self_check", "the policy against itself (`SelfCheck`); None if that was left out"),
    Column("forfeits", "the matches that were forfeited (`ForfeitedMatch`), the self-check among them",
           optional=True, default=()),
    computed_column("unit", lambda row: unit_of(row.protocol)),
    document=report.document,
)  # fmt: skip
"""The results of one policy against its opponents."""

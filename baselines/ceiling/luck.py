"""The luck of the deal: how much of it duplicate play removes, and the number of games that an effect needs."""

from __future__ import annotations

import math

import numpy as np

from cardenvs.baselines.match.results import DealResults
from cardenvs.baselines.reports.columns import Column, Columns, Row, count_column, names_column, points_column
from cardenvs.baselines.reports.statistics import Z95, margin_interval

Luck = Columns(
    "Luck",
    names_column("sides", "the names of the first and of the second side", "match", " against "),
    points_column("margin", "the first's points above the second's a deal", "points a deal above"),
    Column("single_sd", "standard deviation of the margin of a deal that is played once", "sd of a deal",
           "{:.3f}".format, spare=True),
    Column("duplicate_sd", "that of the margin of a duplicate deal, the mean of its two copies",
           "sd of a duplicate deal", "{:.3f}".format),
    Column("correlation", "between the first's margins in the two copies; None where a copy has no spread", "correlation",
           lambda value: "" if value is None else f"{value:+z.3f}", spare=True),
    Column("taken", "share of the variance of two single deals' mean that duplicate play removes; None without spread",
           "taken, %", lambda value: "" if value is None else f"{100 * value:.1f}"),
    count_column("single_games", "games of single deals after which an effect is as large as half of its 95% interval",
                 "single games"),
    count_column("duplicate_games", "the same number for duplicate deals, two games a deal", "duplicate games"),
)  # fmt: skip
"""The spread of the points of one side above the other's, deal by deal."""


def luck_of(sides: list[str], results: DealResults, effect: float, most: float) -> Row:
    """The spread of a match of duplicate deals.

    Args:
        sides: the names of the first and of the second.
        results: the results of the deals, two at least, in a game of two sides.
        effect: the effect that is to be distinguished from none, in points a deal, above 0.
        most: the greatest margin in points that a deal can bring.
    """
    leads = results.point_leads.astype(np.float64)
    of_copies = leads.var(0, ddof=1)
    single, duplicate = float(of_copies.mean()), float(leads.mean(1).var(ddof=1))
    joint = float(((leads[:, 0] - leads[:, 0].mean()) * (leads[:, 1] - leads[:, 1].mean())).sum() / (len(leads) - 1))
    spread = math.sqrt(float(of_copies.prod()))
    return Luck(
        sides=sides,
        margin=margin_interval(leads.mean(1), most),
        single_sd=math.sqrt(single),
        duplicate_sd=math.sqrt(duplicate),
        correlation=joint / spread if spread > 0 else None,
        taken=1 - duplicate / (single / 2) if single > 0 else None,
        single_games=_games_needed(single, effect),
        duplicate_games=2 * _games_needed(duplicate, effect),
    )


def _games_needed(variance: float, effect: float) -> int:
    """Number of values of a variance for which ``effect`` is half of the 95% interval of their mean."""
    return math.ceil(variance * (Z95 / effect) ** 2)

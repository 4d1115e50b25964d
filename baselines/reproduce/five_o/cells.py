"""Words and cells that the sections of the Five-O report share; figures are those of `figures.reproduce`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from cardenvs.baselines.reports.statistics import Interval
from cardenvs.baselines.reports.text import plus_minus

Figures = dict[str, Any]
"""Figures by name, as JSON has them."""

_SHORT = {
    "expectiminimax greedy2": "em greedy2",
    "expectiminimax fast-greedy2": "em fast-greedy2",
    "greedy1-published": "greedy1-pub.",
}


def short_name(agent: str) -> str:
    """An agent's name for the heads of wide tables."""
    return _SHORT.get(agent, agent)


def rate_of(row: Figures) -> Interval:
    """The win rate of a row of figures with its 95% confidence interval."""
    low, high = row["ci95"]
    return Interval(row["win_rate"], low, high)


def rate_text(rate: Interval) -> str:
    """A win rate in percent with half the width of its interval."""
    return plus_minus(rate, percent=True)


def rates_of_pairs(figures: Figures) -> dict[tuple[str, str], Interval]:
    """The first agent's win rate against the second, for both orders of every pair of Table III."""
    rates = {}
    for row in figures["table3"]["pairings"]:
        first, second = row["sides"]
        rates[first, second] = rate_of(row)
        rates[second, first] = rate_of(row).complement()
    return rates


def ratio_text(value: float | None) -> str:
    """Wins for each loss; without losses the value is None or infinite."""
    return "∞" if value is None or math.isinf(value) else f"{value:.2f}"


def ordinal(rank: int) -> str:
    """A rank in words: first, second, third, 4th."""
    return {1: "first", 2: "second", 3: "third"}.get(rank, f"{rank}th")


def verdict(rate: Interval) -> str:
    """Whether a win rate is told apart from one half."""
    return "above even" if rate.low > 0.5 else "below even" if rate.high < 0.5 else "not told apart from even"


def rank_of(standings: Sequence[Figures], agent: str) -> int:
    """The rank of an agent, 1 being the best, in rows that are sorted by rank."""
    return 1 + [row["agent"] for row in standings].index(agent)

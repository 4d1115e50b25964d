"""POE's agent in Whist against the simple agents, over duplicate deals.

POE's author publishes no results; these are the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cardenvs import cli
from cardenvs.baselines.match import MatchResult, Side, match_result
from cardenvs.baselines.reports.statistics import Interval
from cardenvs.baselines.runs.series import Match, series
from cardenvs.contract.registry import get_game

OPPONENTS = ("random", "low", "high-low", "coop-high-low")
"""The opponents of POE's agent by default."""
TRICKS = 13
"""Tricks of a deal."""


def reproduce(
    deals: int,
    seed: int,
    worlds: int,
    opponents: Sequence[str] = OPPONENTS,
    *,
    workers: int | None = 1,
    cluster: str | None = None,
) -> list[MatchResult]:
    """Plays POE's agent against each opponent over duplicate deals of Whist.

    Args:
        deals: number of deals of a pairing, each played twice.
        seed: int >= 0; every pairing plays the same deals.
        worlds: how many deals the agent draws for a decision.
        opponents: names of policies.
        workers: processes that play; None: one for each core.
        cluster: where they work, as in `cardenvs.baselines.engine.work.work`.

    Returns:
        A result for each opponent, the agent's side first.

    Raises:
        ValueError: an unknown opponent, before anything is played; ``deals``, ``worlds`` or ``workers`` below 1; a
            cluster that cannot be used.
    """
    whist = get_game("whist")
    poe = f"poe:worlds={worlds}"
    sides = [(Side(whist, poe), Side(whist, name)) for name in opponents]
    results = []
    with series(
        whist, [Match(poe, name, deals, seed) for name in opponents], workers=workers, cluster=cluster
    ) as play_next:  # fmt: skip
        for pair in sides:
            with cli.counting(" - ".join(side.name for side in pair), deals) as count:
                played = play_next(count)
            results.append(
                match_result(
                    whist, pair, played.finished(), protocol="duplicate", options={}, seed=seed, seconds=played.seconds
                )
            )
    return results


def tricks_per_deal(result: MatchResult) -> Interval:
    """The first side's tricks a deal, from its lead in tricks, since both sides' tricks add up to 13."""
    mean, low, high = ((TRICKS + lead) / 2 for lead in (result.tricks_margin.mean, *result.tricks_margin.ci95))
    return Interval(mean, low, high)


def points_per_deal(result: MatchResult) -> list[float]:
    """Points a deal of both sides."""
    return [points / result.games for points in result.points]


def figures(result: MatchResult) -> dict[str, Any]:
    """A match for JSON, by the deal: tricks and points of both sides, the first side's share and lead, and intervals."""
    tricks = tricks_per_deal(result)
    return {
        "opponent": result.sides[1],
        "deals": result.deals,
        "tricks_per_deal": [tricks.mean, TRICKS - tricks.mean],
        "tricks_per_deal_ci95": tricks.ci95,
        "win_rate": result.win_rate.mean,
        "win_rate_ci95": result.win_rate.ci95,
        "points_per_deal": points_per_deal(result),
        "mean_points": result.points_margin.mean,
        "mean_points_ci95": result.points_margin.ci95,
        "decisions_per_s": result.decisions_per_s[0],
    }

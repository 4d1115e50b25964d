"""POE's agent in Whist against the simple agents, over duplicate deals.

POE's author publishes no results; these are the first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from cardenvs.baselines.match import Side, match_result
from cardenvs.baselines.reports.columns import Row
from cardenvs.baselines.reports.results import Result
from cardenvs.baselines.reports.statistics import Interval
from cardenvs.baselines.reproduce.poe import report
from cardenvs.baselines.runs.series import Match, series
from cardenvs.contract.registry import get_game

OPPONENTS = ("random", "low", "high-low", "coop-high-low")
"""The opponents of POE's agent by default."""
TRICKS = 13
"""Tricks of a deal."""


@dataclass(frozen=True, repr=False)
class PoeMatch(Result):
    """A match of POE's agent, by the deal.

    Attributes:
        opponent: the other side's name.
        deals: number of deals, each played twice.
        tricks: the agent's tricks.
        win_rate: the agent's share of the games won.
        points_per_deal: points of both sides, the agent's first.
        points_margin: the agent's lead in points.
        decisions_per_s: decisions a second of the agent.
    """

    opponent: str
    deals: int
    tricks: Interval
    win_rate: Interval
    points_per_deal: list[float]
    points_margin: Interval
    decisions_per_s: float

    HIDDEN = ("tricks",)
    ALSO = ("tricks_per_deal", "tricks_per_deal_ci95")

    @property
    def tricks_per_deal(self) -> list[float]:
        """Tricks of both sides, the agent's first."""
        return [self.tricks.mean, TRICKS - self.tricks.mean]

    @property
    def tricks_per_deal_ci95(self) -> list[float]:
        """The ends of the interval of the agent's tricks."""
        return self.tricks.ci95

    @classmethod
    def of(cls, result: Row) -> PoeMatch:
        """The match whose first side is the agent's."""
        assert result.tricks_margin is not None
        low, high = ((TRICKS + lead) / 2 for lead in result.tricks_margin.ci95)  # both sides' tricks add up to 13
        return cls(
            result.sides[1],
            result.deals,
            Interval((TRICKS + result.tricks_margin.mean) / 2, low, high),
            result.win_rate,
            [points / result.games for points in result.points],
            result.points_margin,
            result.decisions_per_s[0],
        )


@dataclass(frozen=True, repr=False)
class Reproduction(Result):
    """The matches of POE's agent.

    Attributes:
        worlds: how many deals the agent draws for a decision.
        deals: number of deals of a pairing.
        seed: the seed.
        results: a match for each opponent.
    """

    worlds: int
    deals: int
    seed: int
    results: list[PoeMatch]

    def figures(self) -> dict[str, Any]:
        """The figures as plain values."""
        return {"game": "whist", "policy": "poe"} | super().figures()

    document = report.document


def reproduce(
    deals: int,
    seed: int,
    worlds: int,
    opponents: Sequence[str] = OPPONENTS,
    progress: Callable[[int, str], None] | None = None,
    *,
    workers: int | None = 1,
    cluster: str | None = None,
) -> Reproduction:
    """Plays POE's agent against each opponent over duplicate deals of Whist.

    Args:
        deals: number of deals of a pairing, each played twice.
        seed: int >= 0; every pairing plays the same deals.
        worlds: how many deals the agent draws for a decision.
        opponents: names of policies.
        progress: called with the number of deals finished since the last call, and the pairing that is played.
        workers: processes that play; None: one for each core.
        cluster: where they work, as in `cardenvs.baselines.engine.work.work`.

    Raises:
        ValueError: an unknown opponent, before anything is played; ``deals``, ``worlds`` or ``workers`` below 1; a
            cluster that cannot be used.
    """
    whist = get_game("whist")
    poe = f"poe:worlds={worlds}"
    pairs = [(Side(whist, poe), Side(whist, name)) for name in opponents]
    matches = [Match(poe, name, deals, seed) for name in opponents]
    results = []
    with series(whist, matches, workers=workers, cluster=cluster) as play_next:
        for pair in pairs:

            def count(done: int, called: str = " - ".join(side.name for side in pair)) -> None:
                """Passes on the deals of a pairing."""
                if progress is not None:
                    progress(done, called)

            played = play_next(count)
            of_match = match_result(
                whist, pair, played.finished(), protocol="duplicate", options={}, seed=seed, seconds=played.seconds
            )
            results.append(PoeMatch.of(of_match))
    return Reproduction(worlds, deals, seed, results)

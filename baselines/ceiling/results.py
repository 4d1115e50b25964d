"""The results of a measured ceiling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cardenvs.baselines.ceiling import report
from cardenvs.baselines.ceiling.luck import Luck
from cardenvs.baselines.reports.results import Result
from cardenvs.baselines.reports.statistics import Interval


@dataclass(frozen=True, kw_only=True, repr=False)
class OpenCards(Result):
    """Results of open cards against a policy in duplicate deals.

    Attributes:
        policy: the policy's name.
        win_rate: the share of the games that a side wins which sees all cards and plays its minimax value.
        points: the points of that side above the policy's a deal.
        tricks: the tricks of that side above the policy's a deal.
        most: the most points above the policy's that anybody could win a deal; None where that was not searched for.
    """

    policy: str
    win_rate: Interval
    points: Interval
    tricks: Interval
    most: Interval | None


@dataclass(frozen=True, kw_only=True, repr=False)
class Ceiling(Result):
    """Results of open cards against some policies, of these against each other, and the luck that is left in them.

    Attributes:
        game: the game's name.
        options: all rule options.
        seed: the seed.
        deals: the duplicate deals that every figure is of; the same deals for all.
        open_cards: the most cards a hand with which the side that sees all cards sees them.
        effect: the effect that the numbers of games of `Luck` are for, in points a deal.
        policies: what open cards win from each policy.
        matches: the matches between the policies, each against itself included.
        seconds: wall time.
    """

    game: str
    options: dict[str, Any]
    seed: int
    deals: int
    open_cards: int
    effect: float
    policies: list[OpenCards]
    matches: list[Luck]
    seconds: float

    document = report.document

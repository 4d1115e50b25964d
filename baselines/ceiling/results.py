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
        win_rate: share of the games won by a side that sees all cards and plays its minimax value.
        points: points of that side above the policy's a deal.
        tricks: tricks of that side above the policy's a deal.
        most: the most points above the policy's that any player could win a deal; None where that was not searched for.
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
        deals: the number of duplicate deals, the same deals for all figures.
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


@dataclass(frozen=True, kw_only=True, repr=False)
class TeamScore(Result):
    """Results of a team in the deals that were searched with open hands.

    Attributes:
        policy: the policy's name.
        points: the team's points a deal.
        perfect: share of the deals with a game's highest score; None where a game does not state it.
        of_possible: the same share of the deals in which open hands reach it; None where there is none.
    """

    policy: str
    points: Interval
    perfect: Interval | None
    of_possible: Interval | None


@dataclass(frozen=True, kw_only=True, repr=False)
class TeamCeiling(Result):
    """Results of open hands in a game of one side, and of teams in the same deals.

    Attributes:
        game: the game's name.
        options: all rule options.
        seed: the seed.
        deals: the number of deals, the same for all figures.
        positions: positions of a deal after which its search is given up.
        best: a game's highest score; None where it does not state it.
        points: the most points found with open hands, a deal.
        perfect: share of the deals in which these are the highest score; None where the game does not state it.
        given_up: number of deals whose search was given up: their points are the least that open hands reach.
        looked: number of positions searched in all deals.
        policies: what the teams score.
        seconds: wall time.
    """

    game: str
    options: dict[str, Any]
    seed: int
    deals: int
    positions: int
    best: int | None
    points: Interval
    perfect: Interval | None
    given_up: int
    looked: int
    policies: list[TeamScore]
    seconds: float

    document = report.team_document

"""Teams measured in games of one side: what a policy makes in one seat beside another, and that other by itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.match.play import play_deals
from cardenvs.baselines.match.results import DealResults
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.contract import Policy


class Measured(NamedTuple):
    """A policy measured against another, deal by deal.

    Attributes:
        margins: float64 (deals,), points of the policy less the other's.
        wins: float64 (deals,), the share of each deal's games that the policy won, a draw counting half.
        decisions: those of the policy, in a game of one side of all teams with it, and of the other.
    """

    margins: npt.NDArray[np.float64]
    wins: npt.NDArray[np.float64]
    decisions: list[int]


def compare_teams(teams: Sequence[DealResults], alone: DealResults) -> Measured:
    """A policy measured by teams in each of which it has another seat, against the team of what has the other seats.

    A team wins a deal in which it makes more points than the other team.

    Args:
        teams: the results of each team.
        alone: the results of the other team in the same deals.
    """
    pairings = [DealResults.beside([team, alone]) for team in teams]
    return Measured(
        np.mean([one.points_margins for one in pairings], 0),
        np.mean([one.wins for one in pairings], 0),
        [int(sum(team.decisions.sum() for team in teams)), int(alone.decisions.sum())],
    )


def measure_beside(spec: GameSpec, player: Policy, other: Policy, deals: int, seed: int, **options: Any) -> Measured:
    """Compares teams on the same deals: of a policy in one seat, each in turn, beside another one, and of that one alone.

    Args:
        spec: a game of one side.
        player: the policy that is measured.
        other: the policy in the other seats, and in all seats of the other team.
        deals: how many deals.
        seed: the seed of the deals.
        options: rule options.

    Raises:
        ValueError: an illegal action.
    """
    seats = range(spec.seats)
    teams = [[player if seat == own else other for seat in seats] for own in seats]
    *played, alone = (
        play_deals(spec, team, None, range(deals), seed=seed, **options) for team in [*teams, [other] * spec.seats]
    )
    return compare_teams(played, alone)

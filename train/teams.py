"""Comparisons of teams in games of one side: a policy in one seat beside another policy, and that policy by itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.match.play import play_deals
from cardenvs.baselines.match.results import DealResults
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.contract import Policy


class TeamMargins(NamedTuple):
    """A policy measured against another, deal by deal."""

    margins: npt.NDArray[np.float64]  # (deals,), points of the policy less the other's
    wins: npt.NDArray[np.float64]  # (deals,), share of each deal's games that the policy won, a draw counting half
    decisions: list[int]  # of the policy, in a game of one side of all teams with it, and of the other


def compare_teams(teams: Sequence[DealResults], alone: DealResults) -> TeamMargins:
    """Compares teams with a policy in each seat with the team of the other policy alone; more points win a deal."""
    pairings = [DealResults.beside([team, alone]) for team in teams]
    return TeamMargins(
        np.mean([one.points_margins for one in pairings], 0),
        np.mean([one.wins for one in pairings], 0),
        [int(sum(team.decisions.sum() for team in teams)), int(alone.decisions.sum())],
    )


def measure_beside(spec: GameSpec, player: Policy, other: Policy, deals: int, seed: int, **options: Any) -> TeamMargins:
    """Compares teams on the same deals: ``player`` in each seat in turn beside ``other`` in the rest, and ``other`` alone.
    ``spec`` is a game of one side. Raises ValueError for an illegal action."""
    seats = range(spec.seats)
    teams = [[player if seat == own else other for seat in seats] for own in seats]
    *played, alone = (
        play_deals(spec, team, None, range(deals), seed=seed, **options) for team in [*teams, [other] * spec.seats]
    )
    return compare_teams(played, alone)

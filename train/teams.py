"""Teams measured in games of one side: what a policy makes in one seat beside another, and that other by itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.loops import DEAL_OVER, EPISODE_OVER
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.batch import Batch
from cardenvs.policy.contract import Policy
from cardenvs.randomness import player_streams
from cardenvs.worlds import decide

_AT_ONCE = 1000
"""Deals played at the same time."""


class Measured(NamedTuple):
    """A policy measured against another, deal by deal.

    Attributes:
        margins: float64 (deals,), points of the policy less the other's.
        wins: float64 (deals,), the share of each deal's games that the policy won, a draw counting half.
        decisions: those of the policy, and of the other.
    """

    margins: npt.NDArray[np.float64]
    wins: npt.NDArray[np.float64]
    decisions: list[int]


def measure_beside(spec: GameSpec, player: Policy, other: Policy, deals: int, seed: int, **options: Any) -> Measured:
    """Compares teams on the same deals: of a policy in one seat, each in turn, beside another one, and of that one alone.

    Args:
        spec: a game of one side.
        player: the policy that is measured.
        other: the policy in the other seats, and in all seats of the other team.
        deals: how many deals.
        seed: the seed of the deals.
        options: rule options.

    Returns:
        The differences in points. A team wins a deal in which it makes more points than the other team.

    Raises:
        ValueError: an illegal action.
    """
    seats = range(spec.seats)
    teams = [[player if seat == own else other for seat in seats] for own in seats]
    alone, counts = _scores(spec, [other] * spec.seats, deals, seed, **options)
    decisions = [0, int(counts.sum())]
    leads = np.zeros((len(teams), deals))
    for number, team in enumerate(teams):
        points, counts = _scores(spec, team, deals, seed, **options)
        leads[number] = points - alone
        decisions[0] += int(counts[number])
    return Measured(leads.mean(0), ((np.sign(leads) + 1) / 2).mean(0), decisions)


def _scores(
    spec: GameSpec, team: Sequence[Policy], deals: int, seed: int, **options: Any
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """The points of a team in each episode, float64 (deals,), and the decisions of each seat, int64 (seats,)."""
    points, counts = np.zeros(deals), np.zeros(spec.seats, np.int64)
    for start in range(0, deals, _AT_ONCE):
        n = min(_AT_ONCE, deals - start)
        batch = Batch(spec, n, seed=0, restart=False, **options)
        batch.deal_from(seed_streams(seed, n, start))
        streams = player_streams(seed, "team", n, spec.seats, start)
        while not batch.finished.all():
            rows = np.flatnonzero(~batch.finished)
            actions = np.full(n, -1)
            actions[rows] = decide(spec, batch.games, rows, team, streams)
            counts += np.bincount(batch.to_act[rows], minlength=spec.seats)
            batch.step(actions)
            paid = (batch.ended == DEAL_OVER) | (batch.ended == EPISODE_OVER)
            points[start : start + n] += np.where(paid, batch.points[:, 0], 0)
    return points, counts

"""Results of games of more than two sides, by made-up numbers: leads, shares of wins, ranks, games cut off."""

import numpy as np
import pytest

from cardenvs.baselines.evaluation.self_check import first_side_leads, judge
from cardenvs.baselines.match import DealResults, summarise
from cardenvs.baselines.match.side import indices_in_side
from cardenvs.baselines.reports.statistics import interval

POINTS = np.array(
    [
        # the first's points, then those of the two sides that the second holds
        [[5, 1, 3], [0, 0, 2], [4, 4, 4]],
        [[2, 2, 1], [1, 3, 2], [6, 0, 0]],
    ]
)


def results(points=POINTS, **more):
    return DealResults(points, 2 * points, np.array([6, 12]), np.array([3.0, 2.0]), **more)


def test_leads_are_over_the_mean_of_the_other_sides():
    played = results()
    assert played.deals == 2
    assert played.sides == 3
    assert played.point_leads.tolist() == [[3, -1, 0], [0.5, -1.5, 6]]
    assert played.points_margins.tolist() == pytest.approx([2 / 3, 5 / 3])
    assert played.tricks_margins.tolist() == pytest.approx([4 / 3, 10 / 3])


def test_sides_that_are_level_share_the_win_and_their_ranks():
    played = results()
    assert played.won.tolist() == [[1, 0, pytest.approx(1 / 3)], [0.5, 0, 1]]
    assert played.ahead.tolist() == [[1, 0.25, 0.5], [0.75, 0, 1]]
    # Ranks by hand: alone at the top 1; two level behind one 2.5; three level 2; two level at the top 1.5; last 3.
    assert played.ranks.tolist() == pytest.approx([(1 + 2.5 + 2) / 3, (1.5 + 3 + 1) / 3])


def test_with_two_sides_being_ahead_is_winning():
    points = np.random.default_rng(1).integers(0, 3, (50, 2, 2))
    played = results(points)
    assert (played.ahead == played.won).all()
    assert (played.won == (np.sign(points[..., 0] - points[..., 1]) + 1) / 2).all()
    assert played.point_leads.dtype == np.int64
    assert played.ranks == pytest.approx(2 - played.wins)


def test_the_figures_of_three_sides():
    summary = summarise(results(dealt=6, truncated=np.array(1)))
    assert summary.games_won == [2, 2]  # alone; without a share
    assert summary.points == [18, 11.0]
    assert summary.tricks_won == [36, 22.0]
    assert summary.win_rate.mean == pytest.approx((1 + 1 / 3 + 0.5 + 1) / 6)
    assert summary.win_rate_of(1).mean == pytest.approx((1 - summary.win_rate.mean) / 2)
    assert summary.win_rate_of(1).low <= summary.win_rate_of(1).mean <= summary.win_rate_of(1).high
    assert summary.rank == interval(results().ranks, 1, 3)
    assert summary.rank.mean + 2 * summary.rank_of(1).mean == pytest.approx(1 + 2 + 3)
    assert summary.chance == pytest.approx(1 / 3)
    assert summary.decisions_per_s == [2.0, 6.0]
    figures = summary.figures()
    assert {"chance", "rank", "rank_ci95", "truncated"} <= set(figures) and "num_sides" not in figures
    assert figures["truncated"] == 1
    assert figures["win_rate"] == [summary.win_rate.mean, summary.win_rate_of(1).mean]


def test_games_cut_off_are_added_up():
    one, two = results(truncated=np.array(2)), results(truncated=np.array(3))
    joined = DealResults.joined([one, two])
    assert joined.truncated == 5
    assert joined.deals == 4
    assert DealResults.joined([results(), results()]).truncated is None
    pairings = DealResults(
        np.stack([POINTS, POINTS]), np.stack([POINTS, POINTS]), np.ones((2, 2)), np.ones((2, 2)), truncated=np.array([4, 5])
    )
    assert pairings.of_pairing(1).truncated == 5


def test_what_the_first_side_of_a_game_is_worth():
    """In copy c the first policy holds the game's side c: side 0 always makes 3 here, the others 1."""
    points = np.ones((40, 3, 3), np.int64)
    for copy in range(3):
        points[:, copy, -copy % 3] = 3
    assert first_side_leads(results(points)).tolist() == [2.0] * 40
    check = judge(results(points), 9, False)
    assert check.sides.margin.mean == 0
    assert check.seats.margin.mean == 2
    assert check.passed  # side 0 is worth something, and that is no fault


def test_indices_in_sides_that_are_dealt():
    sides = np.array([[0, 1, 1, 0, 1], [1, 1, 0, 0, 1], [2, 2, 2, 2, 2]])
    assert indices_in_side(sides).tolist() == [[0, 0, 1, 1, 2], [0, 1, 0, 1, 2], [0, 1, 2, 3, 4]]

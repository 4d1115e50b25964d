"""Ratings against known cases, simulations and a bootstrap; non-transitive triples."""

import itertools
import math

import numpy as np
import pytest

from cardenvs.baselines.tournament.ratings import (
    ELO,
    Cycle,
    cycles,
    expected,
    fit_strengths,
    is_bounded,
    rate,
    score_matrix,
)

pytestmark = pytest.mark.compiled


def all_pairs(players):
    return np.array(list(itertools.combinations(range(players), 2)))


def simulate(strengths, n, rng, shared=0.0):
    """Results of n duplicate deals in every pairing; ``shared`` makes one deal's results go together."""
    pairs = all_pairs(len(strengths))
    chance = 1 / (1 + np.exp(strengths[pairs[:, 1]] - strengths[pairs[:, 0]]))
    luck, of_deal = rng.random((len(pairs), n)), rng.random(n)
    return (np.where(rng.random(n) < shared, of_deal, luck) < chance[:, None]).astype(float), pairs


def test_two_players_are_the_logarithm_of_their_odds():
    wins = np.array([[1, 0.5, 0, 1, 1, 0.75, 1, 0.25]])
    rate_of_first = wins.mean()
    ratings = rate(wins, np.array([[0, 1]]), 2)
    difference = 400 * math.log10(rate_of_first / (1 - rate_of_first))
    assert ratings.values == pytest.approx([difference / 2, -difference / 2])
    assert not ratings.regularised
    # The delta method: the odds' logarithm changes 1 / (p q) times as fast as the win rate. One deal more has spread p q.
    spread = rate_of_first * (1 - rate_of_first)
    error = math.sqrt((wins.var(ddof=1) + spread / wins.size) / wins.size) / spread * ELO / 2
    half = (ratings.ci95[:, 1] - ratings.ci95[:, 0]) / 2
    assert half == pytest.approx([2.364624 * error] * 2, rel=1e-6)


def test_a_difference_of_100_is_64_percent():
    assert expected(np.array([50.0, -50.0]))[0, 1] == pytest.approx(1 / (1 + 10**-0.25))


def test_scores_that_fit_the_model_are_met_exactly():
    strengths = np.array([1.5, 0.2, 0.0, -0.4, -1.3])
    chance = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
    np.fill_diagonal(chance, 0)
    assert fit_strengths(1000 * chance) == pytest.approx(strengths - strengths.mean(), abs=1e-9)
    # Unequal numbers of games change nothing where the model holds.
    weights = np.array([[abs(i - j) + 1 for i in range(5)] for j in range(5)])
    assert fit_strengths(weights * chance) == pytest.approx(strengths - strengths.mean(), abs=1e-9)


def test_extreme_odds_converge():
    scores = np.array([[0.0, 1e6, 1e6], [1.0, 0.0, 1e6], [1.0, 1.0, 0.0]])
    strengths = fit_strengths(scores)
    chance = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
    games = scores + scores.T
    np.fill_diagonal(chance, 0)
    assert (games * chance).sum(1) == pytest.approx(scores.sum(1), rel=1e-6)


@pytest.mark.parametrize("shared", [0.0, 0.7])
def test_intervals_cover_the_truth(shared):
    """300 simulations x 4 players at 95%: fewer than 90% would be a chance below 1 in 10,000 even if all four agreed."""
    truth = np.array([0.8, 0.1, -0.3, -0.6]) * ELO
    rng = np.random.default_rng(1)
    held = []
    for _ in range(300):
        ratings = rate(*simulate(truth / ELO, 400, rng, shared), 4)
        held.append((ratings.ci95[:, 0] <= truth) & (truth <= ratings.ci95[:, 1]))
    assert 0.90 < np.mean(held) < 0.99


def test_intervals_agree_with_a_bootstrap_over_deals():
    rng = np.random.default_rng(3)
    wins, pairs = simulate(np.array([0.9, 0.0, -0.2, -0.7]), 600, rng, shared=0.5)
    ratings = rate(wins, pairs, 4)
    again = [rate(wins[:, rng.integers(0, 600, 600)], pairs, 4).values for _ in range(400)]
    # The standard deviation of 400 values has a relative error of 3.5%: four of those, and something for bias.
    assert np.std(again, axis=0) == pytest.approx(np.sqrt(ratings.covariance.diagonal()), rel=0.17)


def test_ratings_are_centred_and_mirror():
    wins, pairs = simulate(np.array([0.5, 0.0, -0.5]), 200, np.random.default_rng(0))
    ratings = rate(wins, pairs, 3)
    mirrored = rate(1 - wins, pairs, 3)
    assert ratings.values.mean() == pytest.approx(0)
    assert mirrored.values == pytest.approx(-ratings.values)
    assert mirrored.covariance == pytest.approx(ratings.covariance)


def test_whoever_wins_everything_gets_a_finite_rating():
    wins = np.array([[1.0] * 50, [1.0] * 50, [0.5, 1.0] * 25])
    ratings = rate(wins, all_pairs(3), 3)
    assert ratings.regularised
    assert np.isfinite(ratings.values).all()
    assert (np.diff(ratings.values) < 0).all()
    assert (ratings.ci95[0, 1] - ratings.ci95[0, 0]) > 100
    assert not is_bounded(score_matrix(wins, all_pairs(3), 3))
    wins[0, 0] = 0.5
    assert not rate(wins, all_pairs(3), 3).regularised


def test_a_single_deal_says_nothing_of_its_spread():
    ratings = rate(np.array([[0.5]]), all_pairs(2), 2)
    assert ratings.values == pytest.approx([0, 0]) and np.isinf(ratings.ci95).all()


def test_cycles_are_listed_with_their_certainty():
    lead = np.zeros((4, 4))
    for winner, loser, by in ((0, 1, 0.1), (1, 2, 0.2), (2, 0, 0.05), (0, 3, 0.3), (1, 3, 0.3), (3, 2, 0.01)):
        lead[winner, loser], lead[loser, winner] = by, -by
    listed = cycles(lead, np.full((4, 4), 0.02))
    # 0 beats 3 beats 2 beats 0 too, but 3's lead over 2 is half a standard error.
    assert [cycle.players for cycle in listed] == [(0, 1, 2), (0, 3, 2)]
    assert [cycle.z for cycle in listed] == pytest.approx([2.5, 0.5])
    assert [cycle.significant for cycle in listed] == [True, False]


def test_a_ladder_has_no_cycles_and_certain_leads_make_certain_ones():
    order, nothing = np.arange(5.0), np.zeros((3, 3))
    assert cycles(order[None, :] - order[:, None], np.ones((5, 5))) == cycles(nothing, nothing) == []
    assert cycles(np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]], float), nothing) == [Cycle((0, 1, 2), math.inf)]

"""Agents for Hanabi that remember the deal score what is known of them."""

import numpy as np
import pytest

from cardenvs.baselines.reproduce.hanabi.measure import play_alone
from cardenvs.games.hanabi import hanabi

pytestmark = pytest.mark.slow
SMART = {
    2: (
        (23.091, 0.006), (22.990, 0.008), 63.9,
        (1.05, 1.39, 2.69, 4.89, 9.14, 13.47, 16.82, 20.94, 29.61), (49.1, 35.7, 14.7, 0.5),
    ),
    3: (
        (23.309, 0.004), (22.934, 0.010), 59.3,
        (0.11, 0.29, 0.85, 2.23, 6.48, 14.29, 25.10, 30.90, 19.75), (52.3, 34.6, 11.4, 1.7),
    ),
    4: (
        (22.434, 0.004), (21.852, 0.012), 59.9,
        (0.23, 0.55, 1.92, 5.77, 14.29, 25.95, 28.69, 18.04, 4.55), (49.0, 35.5, 12.7, 2.8),
    ),
    5: (
        (20.684, 0.004), (19.067, 0.019), 55.0,
        (1.93, 4.67, 12.14, 23.77, 28.79, 20.11, 7.29, 1.21, 0.09), (34.3, 36.9, 20.2, 8.5),
    ),
}  # fmt: skip
"""Figures of the published smartbot in 100,000 games, by the number of players: mean sum of fireworks and mean score (0
after the last life), both with standard errors; moves a game; percent of games with sums up to 17, of 18 to 25, and with
0 to 3 lives lost."""
HATS = {
    2: ((22.525, 0.012), 0.1268, (0.995, 0.005, 0.0), 67.1),
    3: ((24.792, 0.004), 0.8417, (0.758, 0.212, 0.030), 52.0),
    4: ((24.929, 0.002), 0.9460, (0.820, 0.160, 0.021), 49.9),
    5: ((24.922, 0.002), 0.9404, (0.881, 0.106, 0.013), 45.4),
}
"""Figures of the published hat-information in 20,000 games: the mean score with its standard error, the share of perfect
games, the shares of games with 0 to 2 lives lost, and moves a game. It loses no game."""
PLAYERS = pytest.mark.parametrize("players", [2, 3, 4, 5])


def check_mean(found, told, error, deviations):
    """A mean and one that is told, with its standard error."""
    assert abs(found.mean() - told) < deviations * np.hypot(error, found.std() / len(found) ** 0.5)


def check_share(found, told, rounding, theirs, deviations):
    """A share of games and one that is told of so many, rounded."""
    p = min(max(told, rounding), 1 - rounding)
    assert abs(found.mean() - told) < rounding + deviations * (p * (1 - p) * (1 / len(found) + 1 / theirs)) ** 0.5


def check_moves(lengths, told, theirs):
    """Moves a game, which are told to 0.1."""
    assert abs(lengths.mean() - told) < 0.05 + 4 * lengths.std() * (1 / len(lengths) + 1 / theirs) ** 0.5


@PLAYERS
def test_smartbot_scores_as_the_published_program_does(players):
    """At four standard errors of the difference 68 figures raise a false alarm once in 200 seeds."""
    (built, built_error), (score, score_error), moves, sums, lost = SMART[players]
    total, lives, lengths = play_alone(hanabi(players=players), "smartbot", range(100_000), seed=players).T
    check_mean(total, built, built_error, 4)
    check_mean(np.where(lives > 0, total, 0), score, score_error, 4)
    check_moves(lengths, moves, 100_000)
    for told, share in zip(sums, [total <= 17, *(total == k for k in range(18, 26))], strict=True):
        check_share(share, told / 100, 0.00005, 100_000, 4)
    for k, told in enumerate(lost):
        check_share(lives == 3 - k, told / 100, 0.0005, 100_000, 4)


@PLAYERS
def test_hat_information_scores_as_the_published_program_does(players):
    """At four standard errors of the difference 24 figures raise a false alarm once in 600 seeds."""
    (score, error), perfect, lost, moves = HATS[players]
    total, lives, lengths = play_alone(hanabi(players=players), "hat-information", range(60_000), seed=players).T
    assert lives.min() > 0
    check_mean(total, score, error, 4)
    check_moves(lengths, moves, 20_000)
    check_share(total == 25, perfect, 0.00005, 20_000, 4)
    for k, told in enumerate(lost):
        check_share(lives == 3 - k, told, 0.0005, 20_000, 4)


def test_hat_recommendation_scores_as_a_published_program_does():
    """Within three standard errors of the difference to 5,000 games of a program in which cards keep their places."""
    total, lives, _ = play_alone(hanabi(players=5), "hat-recommendation", range(20_000), seed=5).T
    check_mean(total, 22.18, 0.03, 3)
    check_mean(np.where(lives > 0, total, 0), 22.15, 0.03, 3)
    for told, share in [(0.107, total == 25), (0.23, lives == 3), (0.36, lives == 2), (0.41, lives == 1)]:
        check_share(share, told, 0.005, 5_000, 3)

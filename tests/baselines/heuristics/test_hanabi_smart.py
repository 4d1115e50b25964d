"""SmartBot for Hanabi scores what is known of it."""

from __future__ import annotations

import numpy as np
import pytest

from cardenvs.baselines.reproduce.hanabi.measure import play_alone
from cardenvs.games.hanabi import hanabi

pytestmark = pytest.mark.slow
REFERENCE = {
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
"""Figures of the published program in 100,000 games, by the number of players: the mean sum of fireworks, the mean score (0
after the last life), both with standard errors; moves a game; percent of games with sums up to 17, of 18 to 25, and with
0 to 3 lives lost."""


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_scores_as_the_published_program_does(players):
    """At four standard errors of the difference 68 figures raise a false alarm once in 200 seeds."""
    deals = 100_000
    (built, built_error), (score, score_error), moves, sums, lost = REFERENCE[players]
    total, lives, lengths = play_alone(hanabi(players=players), "smartbot", range(deals), seed=players).T
    scores = np.where(lives > 0, total, 0)
    assert abs(total.mean() - built) < 4 * np.hypot(built_error, total.std() / deals**0.5)
    assert abs(scores.mean() - score) < 4 * np.hypot(score_error, scores.std() / deals**0.5)
    assert abs(lengths.mean() - moves) < 0.05 + 4 * 2**0.5 * lengths.std() / deals**0.5  # which is told to 0.1
    shares = [(total <= 17).mean(), *((total == k).mean() for k in range(18, 26))]
    for told, share, rounding in [
        *((told, share, 0.00005) for told, share in zip(sums, shares, strict=True)),
        *((told, (lives == 3 - k).mean(), 0.0005) for k, told in enumerate(lost)),
    ]:
        p = told / 100
        assert abs(share - p) < rounding + 4 * (2 * p * (1 - p) / deals) ** 0.5

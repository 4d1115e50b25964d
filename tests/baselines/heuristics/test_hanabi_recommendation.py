"""hat-recommendation for Hanabi scores what is known of it."""

from __future__ import annotations

import numpy as np
import pytest

from cardenvs.baselines.reproduce.hanabi.measure import play_alone
from cardenvs.games.hanabi import hanabi


@pytest.mark.slow
def test_scores_as_a_published_program_does():
    """Within three standard errors of the difference to 5,000 games of a program in which cards keep their places."""
    deals, theirs = 20_000, 5_000
    total, lives, _ = play_alone(hanabi(players=5), "hat-recommendation", range(deals), seed=5).T
    scores = np.where(lives > 0, total, 0)
    assert abs(total.mean() - 22.18) < 3 * np.hypot(0.03, total.std() / deals**0.5)
    assert abs(scores.mean() - 22.15) < 3 * np.hypot(0.03, scores.std() / deals**0.5)
    shares = [(0.107, total == 25), (0.23, lives == 3), (0.36, lives == 2), (0.41, lives == 1)]
    for told, share in [(told, of.mean()) for told, of in shares]:
        assert abs(share - told) < 0.005 + 3 * (told * (1 - told) * (1 / deals + 1 / theirs)) ** 0.5

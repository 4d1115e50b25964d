"""Searches in games of one side, where they look for the most points of all seats together."""

from __future__ import annotations

import numpy as np
import pytest

from cardenvs import policy
from cardenvs.envs.batch import Batch
from cardenvs.policy.contract import Policy
from tests.helpers.one_sided import one_sided

DEALS = 6


def made(player: Policy | None, game: str) -> list[float]:
    """Points in each of some deals; None shows the highest card always, the last of the legal actions."""
    points = []
    for seed in range(DEALS):
        batch, streams = Batch(one_sided(game), 1, seed=seed, restart=False), np.array([seed + 1], np.uint64)
        while not batch.finished.all():
            masks = batch.action_masks
            last = np.array([np.flatnonzero(masks[0])[-1]])
            batch.step(last if player is None else player.choose(batch.observations, masks, streams))
        points.append(float(batch.rewards[0, 0]))
    return points


@pytest.mark.parametrize("game", ["team", "patience"])
@pytest.mark.parametrize("name", ["monte-carlo:worlds=200", "pipmc:worlds=100", "ismcts:simulations=200"])
def test_searches_find_the_best_play(game: str, name: str) -> None:
    best = made(None, game)
    assert made(policy.make(one_sided(game), name), game) == best
    assert sum(made(policy.make(one_sided(game), "random"), game)) < sum(best) - DEALS


def test_the_tree_trusts_partners_to_choose_well() -> None:
    """A partner that opposed the seat to act would make 0, and one that acts at random 2: less than the 3 that are sure."""
    assert made(policy.make(one_sided("trust"), "ismcts:simulations=500"), "trust") == [4] * DEALS
    assert made(policy.make(one_sided("trust"), "monte-carlo:worlds=200"), "trust") == [3] * DEALS


def test_pipmc_scores_in_points() -> None:
    spec = one_sided("patience")
    batch = Batch(spec, 1, seed=1)
    player = policy.make(spec, "pipmc:worlds=100")
    scores = player.evaluate(batch.observations, batch.action_masks, np.array([1], np.uint64), False)[0][0]
    cards = np.flatnonzero(batch.action_masks[0])
    ranks = cards + 1
    expected = [rank + (ranks.sum() - rank) / 3 for rank in ranks]
    assert np.allclose(scores[cards], expected, atol=1)
    assert np.isnan(np.delete(scores, cards)).all()

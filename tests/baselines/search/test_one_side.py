"""Searches in games of one side, where they look for the most points of all, and in games that pay step by step."""

from dataclasses import replace

import numpy as np
import pytest

from cardenvs import policy
from cardenvs.baselines.search.any_game.action_values import evaluate_actions
from cardenvs.baselines.search.any_game.flat import FlatMonteCarlo
from cardenvs.baselines.search.tree.deciders import random_decider
from cardenvs.baselines.search.tree.ismcts import Ismcts
from cardenvs.compiled.bits import Bytes, Floats, Ints, Streams
from cardenvs.envs.batch import Batch
from cardenvs.policy import RandomPolicy
from cardenvs.policy.contract import Policy
from tests.helpers.gains import playing_well, small_hanabi, team_score
from tests.helpers.one_sided import one_sided
from tests.helpers.positions import view_of

DEALS = 4


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
@pytest.mark.parametrize("name", ["monte-carlo:worlds=80", "pipmc:worlds=50", "ismcts:simulations=100"])
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


# --- games that pay step by step ---

SPEC = small_hanabi(2)


class NothingToCome(Policy):
    """Foretells that nothing more will be gained, and takes all actions to be equally likely."""

    has_chances = True
    value_kind = "points"

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        """The first legal action."""
        return action_masks.argmax(1)

    def chances_of(self, observations: Bytes, action_masks: Bytes) -> Floats:
        """Even chances."""
        return (action_masks / action_masks.sum(1, keepdims=True)).astype(np.float32)

    def values_of(self, states: Bytes) -> Floats:
        """Nothing."""
        return np.zeros(len(states), np.float32)


@pytest.fixture
def batch() -> Batch:
    """A game in which the team has made some points, and the seat to act can give hints."""
    batch, choose = Batch(SPEC, 1, seed=0, restart=False), playing_well(SPEC, 4)
    while team_score(batch.games[0]) < 2 or batch.games[0]["information"] == 0:
        batch.step(np.array([choose(batch.games, 0)]))
    return batch


def test_a_foretold_value_comes_on_top_of_what_was_gained(batch: Batch) -> None:
    """Of a hint that was tried once: the points of the position that it leads to."""
    network = NothingToCome(SPEC)
    count = int(batch.action_masks.sum())
    player = Ismcts(SPEC, count, paired=True, network=network, leaves="value")
    scores = player.scores(batch.observations, batch.action_masks, np.array([3], np.uint64))[0]
    hints = np.flatnonzero(batch.action_masks[0][4:]) + 4
    assert len(hints) and (scores[hints] == team_score(batch.games[0])).all()


def test_what_is_cut_off_counts_by_what_was_gained(batch: Batch) -> None:
    """Play-outs of one action each."""
    player = FlatMonteCarlo(replace(SPEC, name="short", max_decisions=1), worlds=3)
    scores = player.scores(batch.observations, batch.action_masks, np.array([3], np.uint64))[0]
    hints = np.flatnonzero(batch.action_masks[0][4:]) + 4
    assert len(hints) and (scores[hints] == team_score(batch.games[0])).all()


def test_tries_that_are_cut_off_count_by_what_was_gained(batch: Batch) -> None:
    """Behind hints, where nobody acts any more."""
    spec = replace(SPEC, name="shorter", max_decisions=1)
    hints = np.flatnonzero(batch.action_masks[0][4:]) + 4
    worlds, streams = spec.new_games(1), np.arange(1, len(hints) + 1, dtype=np.uint64)
    spec.kernels.redealing(view_of(spec, batch.games, int(batch.to_act[0])), 0, streams, 0, worlds, 0)
    decider, kind = random_decider(spec.kernels), spec.reward_kind("points")
    paid = evaluate_actions(spec, worlds, hints, RandomPolicy(spec), decider, streams, kind)
    assert len(hints) and (paid == team_score(batch.games[0])).all()

"""Searches in games that pay step by step."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cardenvs import Batch
from cardenvs.baselines.search.any_game.action_values import evaluate_actions
from cardenvs.baselines.search.any_game.flat import FlatMonteCarlo
from cardenvs.baselines.search.tree.deciders import random_decider
from cardenvs.baselines.search.tree.ismcts import Ismcts, Leaves
from cardenvs.baselines.search.tree.selection import Puct, each_action
from cardenvs.compiled.bits import Bytes, Floats, Ints, Streams
from cardenvs.policy import RandomPolicy
from cardenvs.policy.contract import Policy
from tests.helpers.gains import playing_well, small_hanabi, team_score
from tests.helpers.positions import view_of

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
    player = Ismcts(SPEC, count, root=each_action, interior=Puct(network=network), leaves=Leaves(network=network))
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

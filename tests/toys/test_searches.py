"""`ismcts` and `monte-carlo` in the toy games: many actions, chance in play, moves that are not seen, dealt sides."""

import numpy as np
import pytest

from cardenvs import Batch, policy, testing
from cardenvs.baselines.search.any_game.flat import FlatMonteCarlo
from cardenvs.baselines.search.tree.ismcts import Ismcts
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.cards import members_of
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.registry import get_game
from tests.helpers.positions import rows_of
from tests.helpers.toys import TOYS
from tests.naive import ismcts as naive

MOST = [TOYS[0], *(pytest.param(toy, marks=pytest.mark.slow) for toy in TOYS[1:])]
"""Searches take long to compile: one game in the daily tests."""


@pytest.mark.parametrize("variant", ["single", "multiple"])
@pytest.mark.parametrize("toy", MOST, ids=lambda spec: spec.name)
def test_counts_the_visits_of_the_naive_search(toy, variant):
    tried = 0
    for k, games in enumerate(testing.random_positions(toy, 4, 3)):
        if games[0]["over"] != RUNNING or k % 3 or tried >= 4 or len(members_of(toy.legal(games))) < 2:
            continue
        tried += 1
        rows, masks = rows_of(toy, games)
        streams, again = seed_streams(k, 1), seed_streams(k, 1)
        scores = Ismcts(toy, simulations=40, variant=variant, c=0.8, goal="points").scores(rows, masks, streams)[0]
        search = naive.Search(toy, toy.decode(rows), members_of(toy.legal(games)), again, 0.8, variant == "multiple")
        search.run(40, False)
        visits = search.visits()
        shares = {action: count / sum(visits.values()) for action, count in visits.items()}
        assert {action: scores[action] for action in visits} == pytest.approx(shares)
        assert streams == again
    assert tried


@pytest.mark.parametrize("toy", MOST, ids=lambda spec: spec.name)
def test_searches_know_the_toys_by_name(toy):
    assert {"ismcts", "monte-carlo", "random"} <= set(policy.names(toy))
    batch = Batch(toy, 3, seed=1)
    for player in (Ismcts(toy, simulations=20), FlatMonteCarlo(toy, worlds=2)):
        for _ in range(4):
            actions = player.act(batch.observations, batch.action_masks, seed_streams(1, 3))
            assert batch.action_masks[np.arange(3), actions].all()
            batch.step(actions)


class Seer(policy.Policy):
    """Thinks all actions alike, and expects a fixed amount wherever a bet has been made."""

    has_chances = True
    value_kind = "points"

    def __init__(self, game, expected):
        super().__init__(game)
        self.expected = expected
        self.asked = 0

    def choose(self, observations, action_masks, streams):
        return action_masks.argmax(axis=1)

    def chances_of(self, observations, action_masks):
        return (action_masks / action_masks.sum(1, keepdims=True)).astype(np.float32)

    def values_of(self, states):
        assert states.shape[1] == self.game.state_size and states.flags.c_contiguous
        cards = self.game.slices["card"], slice(self.game.observation_size, None)
        assert (states[:, cards[0]].sum(1) == 1).all() and (states[:, cards[1]].sum(1) == 1).all()
        self.asked += len(states)
        return np.where(states[:, self.game.slices["bet"]].any(1), self.expected, 0).astype(np.float32)


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["single", "multiple"])
def test_a_network_foretells_what_leaves_are_worth(variant):
    """Where who faces a bet is expected to lose by it, everybody bets, and nobody where a bet is expected to gain."""
    kuhn = get_game("kuhn")
    batch = Batch(kuhn, 30, seed=1)
    check, bet = 0, 1
    for expected, better in ((-9.0, bet), (9.0, check)):
        seer = Seer(kuhn, expected)
        # One simulation a leaf, and no more than the leaves behind the root: deeper down the deal's end is known.
        player = Ismcts(kuhn, simulations=3, network=seer, variant=variant, wave=1)
        assert (player.act(batch.observations, batch.action_masks, seed_streams(1, 30)) == better).all()
        assert seer.asked >= 2 * 30


def test_what_a_network_foretells_is_shared_by_the_other_sides(toy):
    player = Ismcts(toy, simulations=2)
    games = np.concatenate([g for g in testing.random_positions(toy, 3, 4) if g[0]["over"] == RUNNING])
    values = np.linspace(-2, 2, len(games)).astype(np.float32)
    paid = player._share_values(games, values)
    sides = toy.seat_sides(games)
    for row, of, seat, value in zip(paid, sides, games["to_act"], values, strict=True):
        of_sides = [row[of == side] for side in range(toy.num_sides)]
        assert all((own == own[0]).all() for own in of_sides)
        assert row[seat] == value
        assert sum(own[0] for own in of_sides) == pytest.approx(0, abs=1e-6)

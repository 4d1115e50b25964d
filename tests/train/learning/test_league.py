"""Other players at the tables of a training run."""

from typing import Any

import numpy as np
import pytest

from cardenvs import Batch, Policy, policy
from cardenvs.compiled.bits import Bytes, Ints, Streams
from cardenvs.train.learning.league import LEARNER, OTHERS, PAST, League
from cardenvs.train.learning.vec_env import SelfPlayVecEnv
from tests.helpers.batches import step_at_random

pytestmark = pytest.mark.compiled


class _Lowest(Policy):
    """Takes the first legal action and remembers who asked."""

    def __init__(self, game: Any) -> None:
        super().__init__(game)
        self.asked = 0

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        self.asked += len(observations)
        return action_masks.argmax(1)


def test_lineups_come_in_their_shares() -> None:
    """Binomial bounds of five standard deviations: a false alarm in about a million runs."""
    n = 20_000
    league = League("euchre", n, seed=3, others=("high", "low"), others_share=0.3, past_share=0.2)
    league.draw_lineups(np.arange(n))
    players = league.lineup.max(1)
    first = OTHERS
    assert set(np.unique(players)) == {LEARNER, first, first + 1}, "no earlier self was added yet"
    assert abs((players > 0).mean() - 0.3) < 5 * np.sqrt(0.21 / n)
    league.add_past(_Lowest("euchre"))
    league.add_past(_Lowest("euchre"))
    league.draw_lineups(np.arange(n))
    players = league.lineup.max(1)
    for number, share in ((PAST, 0.1), (PAST + 1, 0.1), (first, 0.15), (first + 1, 0.15), (LEARNER, 0.5)):
        assert abs((players == number).mean() - share) < 5 * np.sqrt(share * (1 - share) / n), number
    held = (league.lineup > 0).sum(1)
    assert set(np.unique(held)) == {0, 1, 2}
    sides = league.lineup[held == 2]
    assert ((sides[:, 0] == sides[:, 2]) & (sides[:, 1] == sides[:, 3])).all(), "two seats of the same side"
    assert abs((held == 2).sum() / (held > 0).sum() - 2 / 3) < 5 * np.sqrt(2 / 9 / (n / 2))
    assert (league.lineup > 0).any(0).all()


def test_in_games_of_two_the_other_is_the_opponent() -> None:
    league = League("five-o", 1000, others=("reflex1",), others_share=1.0)
    league.draw_lineups(np.arange(1000))
    assert ((league.lineup > 0).sum(1) == 1).all()


@pytest.mark.parametrize("game", ["euchre", "whist", "five-o"])
def test_the_learner_is_asked_for_its_seats_only(game: str) -> None:
    """Every step leads to a decision of the learner, and what an episode pays is told in full."""
    names = ("reflex2", "greedy1") if game == "five-o" else ("high-low", "hybrid")
    n = 64
    league = League(game, n, seed=5, others=names, others_share=0.8)
    env = SelfPlayVecEnv(game, n, seed=1, league=league, skip_forced=True)
    env.reset()
    rng = np.random.default_rng(0)
    paid = np.zeros((n, env.game.seats))
    ends = 0
    for _ in range(400):
        assert (league.lineup[np.arange(n), env.batch.to_act] == LEARNER).all()
        lineup, masks = league.lineup.copy(), env.action_masks()
        assert (masks.sum(1) > 1).all()
        _, rewards, dones, _ = env.step((rng.random(masks.shape) * masks).argmax(1))
        assert (lineup[np.arange(n), env.acting] == LEARNER).all()
        assert (rewards == env.payoffs[np.arange(n), env.acting]).all()
        paid += env.payoffs
        assert (lineup[~dones] == league.lineup[~dones]).all(), "a line-up lasts for an episode"
        assert (paid[~dones] == 0).all(), "a deal is an episode here: it pays at its end"
        over = paid[dones]
        assert np.allclose(over.sum(1), 0)
        ends += int(dones.sum())
        paid[dones] = 0
    assert ends > n


def test_others_play_what_they_are_shown() -> None:
    """An episode with another player at a seat is the episode that the same two policies play in a plain batch."""
    n = 32
    league = League("euchre", n, others=("low",), others_share=1.0)
    other = _Lowest("euchre")
    league.others = [other]
    env = SelfPlayVecEnv("euchre", n, seed=9, league=league, bidding="forced-spades")
    batch = Batch("euchre", n, seed=9, restart=False, bidding="forced-spades")
    first = env.reset()
    assert other.asked > 0 and first.shape == env.batch.observations.shape
    lineup = league.lineup.copy()
    done = np.zeros(n, bool)
    expected = np.zeros((n, 4))
    while (batch.to_act >= 0).any():
        legal = batch.action_masks.astype(bool)
        highest = legal.shape[1] - 1 - legal[:, ::-1].argmax(1)
        theirs = lineup[np.arange(n), batch.to_act] > 0
        batch.step(np.where(batch.to_act < 0, -1, np.where(theirs, legal.argmax(1), highest)))
        expected += batch.rewards
    paid = np.zeros((n, 4))
    while not done.all():
        masks = env.action_masks()
        env.step(masks.shape[1] - 1 - masks[:, ::-1].argmax(1))
        paid[~done] += env.payoffs[~done]
        done |= env.ended
    assert (paid == expected).all()


def test_an_episode_goes_on_after_restoring() -> None:
    def made(seed: int) -> tuple[SelfPlayVecEnv, League]:
        league = League("euchre", 16, seed=seed, others=("random", "hybrid"), others_share=0.5, past_share=0.3)
        league.add_past(policy.make("euchre", "random"))
        return SelfPlayVecEnv("euchre", 16, seed=seed, league=league, skip_forced=True), league

    env, _ = made(1)
    env.reset()
    step_at_random(env, 40)
    state = env.get_state()
    expected = step_at_random(env, 80)
    again, _ = made(2)
    again.set_state(state)
    assert all((a == b).all() for a, b in zip(expected, step_at_random(again, 80), strict=True))

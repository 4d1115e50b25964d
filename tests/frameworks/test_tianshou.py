"""Tianshou's vector environment, step by step what the simulator and the seat environment say, and in a collector."""

from typing import Any

import numpy as np
import pytest

from cardenvs import Batch, SeatVectorEnv

pytest.importorskip("tianshou", reason="tianshou is not installed: examples/README.md says how to install it")

import torch
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.utils.net.common import Net

from cardenvs.frameworks.tianshou import CardVectorEnv
from tests.helpers.environments import last_legal
from tests.refusals import check_refused

OPTIONS = {"bidding": "forced-spades"}
N = 5


def test_self_play_is_the_simulator_with_every_seats_reward() -> None:
    env, batch = CardVectorEnv("euchre", N, seed=4, **OPTIONS), Batch("euchre", N, seed=4, **OPTIONS)
    assert len(env) == N and env.action_space[0].n == 35 and env.agents == [f"player_{seat}" for seat in range(4)]
    shown, infos = env.reset()
    ended = 0
    for _ in range(50):
        np.testing.assert_array_equal(shown.obs, batch.observations)
        np.testing.assert_array_equal(shown.mask, batch.action_masks.astype(bool))
        assert [env.agent_idx[agent] for agent in shown.agent_id] == batch.to_act.tolist()
        actions = last_legal(shown.mask)
        batch.step(actions)
        shown, rewards, terminated, truncated, infos = env.step(torch.from_numpy(actions), np.arange(N))
        np.testing.assert_array_equal(rewards, batch.rewards)
        np.testing.assert_array_equal(terminated, batch.ended != 0)
        assert not truncated.any() and infos.shape == (N,)
        done = np.flatnonzero(terminated)
        if len(done):
            shown[done] = env.reset(done)[0]
            ended += len(done)
    assert ended == 2 * N


def test_with_opponents_it_is_the_seat_environment() -> None:
    settings: dict[str, Any] = {"opponents": "random", "seat": "random", **OPTIONS}
    env, vector = CardVectorEnv("euchre", N, **settings), SeatVectorEnv("euchre", N, **settings)
    seeds = [8, 6, 7, 5, 3]
    env.seed(seeds)
    (shown, _), (expected, infos) = env.reset(), vector.reset(seed=seeds)
    for _ in range(20):
        np.testing.assert_array_equal(shown.obs, expected)
        np.testing.assert_array_equal(shown.mask, infos["action_mask"].astype(bool))
        actions = last_legal(shown.mask)
        expected, rewards, done, _, infos = vector.step(actions)
        shown, mine, terminated, _, _ = env.step(actions)
        np.testing.assert_array_equal(mine, rewards)
        np.testing.assert_array_equal(terminated, done)
        over = np.flatnonzero(done)
        if len(over):
            np.testing.assert_array_equal(shown.obs[over], np.stack(list(infos["final_obs"][over])))
            shown[over] = env.reset(over)[0]


def test_some_games_are_stepped_alone() -> None:
    env = CardVectorEnv("euchre", N, seed=4, **OPTIONS)
    first, _ = env.reset()
    shown, rewards, *_ = env.step(last_legal(first.mask)[[3, 1]], [3, 1])
    assert shown.obs.shape == (2, env.game.observation_size) and rewards.shape == (2, 4)
    assert (shown.obs != first.obs[[3, 1]]).any(1).all()
    again, _ = env.reset([3, 1], seed=[0, 4])
    np.testing.assert_array_equal(again.obs[1], CardVectorEnv("euchre", 1, seed=4, **OPTIONS).reset()[0].obs[0])
    one, _ = env.reset(2)
    assert one.obs.shape == (1, env.game.observation_size)


@pytest.mark.parametrize("opponents", [None, "random"])
def test_a_collector_takes_it(opponents: str | None) -> None:
    env = CardVectorEnv("euchre", N, opponents=opponents, seed=2, illegal="raise", **OPTIONS)
    values = Net(state_shape=(env.game.observation_size,), action_shape=env.game.num_actions, hidden_sizes=[8])
    policy = DiscreteQLearningPolicy(model=values, action_space=env.action_space[0], eps_inference=0.5)
    collector = Collector(policy, env, VectorReplayBuffer(N * 40, N), exploration_noise=True)
    collector.reset()
    stats = collector.collect(n_step=N * 22)
    assert stats.n_collected_steps == N * 22
    collector.collect(n_episode=N)
    rows = collector.buffer[:]
    assert rows.obs.mask[np.arange(len(rows)), rows.act].all()
    paid = rows.rew[rows.done]
    assert len(paid) >= 2 * N and paid.any()
    if opponents is None:
        assert (paid[:, :2] == paid[:, 2:]).all() and (paid[:, 0] == -paid[:, 1]).all()


def test_what_cannot_be_is_named() -> None:
    env = CardVectorEnv("euchre", 3, seed=0, **OPTIONS)
    shown, _ = env.reset()
    illegal = shown.mask.argmin(1)
    _, rewards, terminated, *_ = env.step(illegal)
    assert terminated.all() and sorted(env.illegal_actions) == [0, 1, 2] and rewards.any()
    strict = CardVectorEnv("euchre", 3, seed=0, illegal="raise", **OPTIONS)
    strict.reset()
    check_refused("game 0: illegal action", strict.step, illegal)
    check_refused("the games are 0 to 2", env.step, [1, 2], [0, 3])
    check_refused("reset takes env_id and seed, not options", env.reset, options={"deal": "x"})
    check_refused("partner needs opponents", CardVectorEnv, "euchre", 3, partner="low")
    check_refused("no attribute 'deck'", env.get_env_attr, "deck", error=AttributeError)
    env.close()
    check_refused("after close", env.reset, error=AssertionError)

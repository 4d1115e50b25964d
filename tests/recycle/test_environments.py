"""Described games as environments: `cardenvs.recycle.env` and its like for PettingZoo, one seat and many for Gymnasium."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, seed_test

from cardenvs import SeatEnv, SeatVectorEnv, recycle
from cardenvs.envs.aec import CardEnv
from cardenvs.recycle import shipped_names

DAILY = ("kuhn-poker",)
"""Those that are compiled in the daily tests; others take half a minute each."""
NAMES = [name if name in DAILY else pytest.param(name, marks=pytest.mark.slow) for name in shipped_names()]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", NAMES)
def test_pettingzoo_accepts_them(name: str) -> None:
    file = f"{name}.rcy"
    api_test(recycle.env(file), num_cycles=60)
    api_test(recycle.raw_env(file), num_cycles=60)
    seed_test(lambda: recycle.env(file), num_cycles=60)
    parallel_api_test(recycle.parallel_env(file), num_cycles=60)


def test_they_take_what_all_environments_take() -> None:
    env = recycle.raw_env("kuhn-poker", render_mode="ansi", reward="win", max_decisions=1)
    assert isinstance(env, CardEnv)
    env.reset(seed=1)
    assert "Kuhn poker" in str(env.render())
    env.step(int(env.last()[0]["action_mask"].argmax()))
    assert all(env.truncations.values())
    waits = recycle.parallel_env("kuhn-poker", waiting="noop")
    assert waits.action_space("player_0").n == 5


def test_one_seat_and_many() -> None:
    env = SeatEnv("kuhn-poker", opponents="random")
    observation, info = env.reset(seed=1)
    done = False
    while not done:
        observation, reward, done, _, info = env.step(int(info["action_mask"].argmax()))
    assert observation.shape == env.observation_space.shape
    assert abs(float(reward)) in (2.0, 4.0)
    envs = SeatVectorEnv("kuhn-poker", num_envs=3)
    assert isinstance(envs, gymnasium.vector.VectorEnv)
    envs.reset(seed=1)
    for _ in range(5):
        envs.step(np.array(envs.action_masks()).argmax(1))

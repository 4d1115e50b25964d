"""Environments of games of one side: all other seats are the learner's partners, and all are paid the points."""

from pathlib import Path

import gymnasium
import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test

from cardenvs import SeatEnv, SeatVectorEnv, recycle
from cardenvs.envs.lineups import LEARNER, Lineups
from tests.helpers.environments import first_legal
from tests.helpers.one_sided import DESCRIPTIONS, one_sided, written


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", DESCRIPTIONS)
def test_pettingzoo_accepts_them(name: str, tmp_path: Path) -> None:
    file = written(name, tmp_path)
    api_test(recycle.env(file), num_cycles=30)
    parallel_api_test(recycle.parallel_env(file), num_cycles=30)


@pytest.mark.parametrize("name", DESCRIPTIONS)
def test_one_seat_and_many(name: str) -> None:
    env, envs = SeatEnv(one_sided(name)), SeatVectorEnv(one_sided(name), num_envs=3)
    assert isinstance(envs, gymnasium.vector.VectorEnv)
    _, info = env.reset(seed=1)
    done, total = False, 0.0
    while not done:
        _, reward, done, _, info = env.step(int(first_legal(info["action_mask"])))
        total += float(reward)
    assert total > 0
    envs.reset(seed=1)
    for _ in range(5):
        envs.step(first_legal(envs.action_masks()))
    if name == "team":
        _, info = env.reset(seed=1)
        _, reward, done, _, _ = env.step(int(info["action_mask"].argmin()))
        assert (float(reward), done) == (-1, True)


def test_all_others_are_partners() -> None:
    spec = one_sided("team")
    both = Lineups(spec, 1, 0, "random", "pipmc")
    assert [player.name for player in both.players] == ["random", "pipmc"]
    games = spec.deal(1)
    both.draw_lineups(np.array([0]), np.array([2]), games, np.array([1], np.uint64))
    assert both.lineup.tolist() == [[1, 1, LEARNER, 1]]
    one = Lineups(spec, 1, 0, "pipmc", None)
    one.draw_lineups(np.array([0]), np.array([2]), games, np.array([1], np.uint64))
    assert one.seat_names().tolist() == [["pipmc", "pipmc", None, "pipmc"]]

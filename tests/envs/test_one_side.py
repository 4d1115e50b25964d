"""Environments of games of one side: all other seats are the learner's partners, and all are paid the points."""

from __future__ import annotations

from pathlib import Path

import gymnasium
import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test

from cardenvs import SeatEnv, SeatVectorEnv, recycle
from cardenvs.envs.lineups import LEARNER, Lineups
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
        _, reward, done, _, info = env.step(int(info["action_mask"].argmax()))
        total += float(reward)
    assert total > 0
    envs.reset(seed=1)
    for _ in range(5):
        envs.step(np.array(envs.action_masks()).argmax(1))


def test_an_illegal_action_ends_the_episode_for_all() -> None:
    env = SeatEnv(one_sided("team"))
    _, info = env.reset(seed=1)
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    _, reward, done, _, info = env.step(illegal)
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


def test_who_plays_alone_has_no_partner() -> None:
    with pytest.raises(ValueError, match="partner must be None in one-sided-patience, which has no partners"):
        SeatEnv(one_sided("patience"), partner="random")

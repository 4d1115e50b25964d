"""Encodings and parameters of forms in games for other libraries."""

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardenvs import Batch, get_game
from cardenvs.frameworks.games import make_games
from tests.helpers.environments import last_legal
from tests.refusals import check_refused

TINY = get_game("hanabi:tiny")
CANONICAL = {"encoding": "canonical"}
SIZE = TINY.encodings[0].size
N = 3


@pytest.mark.parametrize("opponents", [None, "random"])
@pytest.mark.parametrize("limit", [None, 3])
def test_an_encoding_is_the_first_entries(opponents: str | None, limit: int | None) -> None:
    whole, shown = (
        make_games(TINY, N, opponents, "terminate", seed=2, max_decisions=limit, **given) for given in ({}, CANONICAL)
    )
    assert shown.observations.shape == (N, SIZE)
    while not (shown.terminated | shown.truncated).all():
        actions = last_legal(whole.action_masks)
        for played in (whole, shown):
            played.step(actions)
        np.testing.assert_array_equal(shown.observations, whole.observations[:, :SIZE])
        np.testing.assert_array_equal(shown.action_masks, whole.action_masks)
    assert shown.truncated.any() == (limit is not None)


@pytest.mark.parametrize("opponents", [None, "random"])
def test_torchrl_takes_it(opponents: str | None) -> None:
    pytest.importorskip("torchrl")
    from torchrl.envs.utils import check_env_specs

    from cardenvs.frameworks.torchrl import BatchedCardEnv

    env = BatchedCardEnv("hanabi", N, opponents=opponents, seed=1, players=3, **CANONICAL)
    assert env.game is get_game("hanabi:players=3")
    assert env.observation_spec["observation"].shape == (N, env.game.encodings[0].size)
    check_env_specs(env)


@pytest.mark.parametrize("opponents", [None, "random"])
def test_tianshou_takes_it(opponents: str | None) -> None:
    pytest.importorskip("tianshou", reason="tianshou is not installed: examples/README.md says how to install it")
    from cardenvs.frameworks.tianshou import CardVectorEnv

    env = CardVectorEnv(TINY, N, opponents=opponents, **CANONICAL)
    assert env.observation_space[0].shape == (SIZE,) and env.reset()[0].obs.shape == (N, SIZE)


def test_rllib_takes_it() -> None:
    if importlib.util.find_spec("ray") is None or importlib.util.find_spec("tree") is None:
        pytest.skip("RLlib is not installed: examples/README.md says how to install it")
    from cardenvs.frameworks.rllib import SeatVectorEnv, SelfPlayVectorEnv

    settings: dict[str, Any] = {"game": "hanabi:tiny", "num_envs": N, **CANONICAL}
    seat = SeatVectorEnv(settings)
    assert seat.observation_space.contains(seat.reset(seed=1)[0])
    every = SelfPlayVectorEnv(settings | {"max_decisions": 1})
    space = every.envs[0].get_observation_space("player_0")
    [first, *_], _ = every.reset(seed=1)
    assert space["observations"].shape == (SIZE,) and space.contains(first["player_0"])
    cut_off, *_ = every.step([{"player_0": int(last_legal(first["player_0"]["action_mask"][None])[0])}] * N)
    assert all(space.contains(shown) for one in cut_off for shown in one.values())


def test_what_stable_baselines_has_learned_from_it_plays(tmp_path: Path) -> None:
    sb3_contrib = pytest.importorskip("sb3_contrib")
    from cardenvs.frameworks.sb3 import SB3Policy, SeatVecEnv

    env = SeatVecEnv(TINY, 2, **CANONICAL)
    model = sb3_contrib.MaskablePPO("MlpPolicy", env, n_steps=8, batch_size=16, n_epochs=1, seed=0, device="cpu").learn(16)
    model.save(tmp_path / "model.zip")
    batch = Batch(TINY, N, seed=1)
    rows, masks = batch.observations, batch.action_masks
    expected, _ = model.predict(rows[:, :SIZE], action_masks=masks, deterministic=True)
    np.testing.assert_array_equal(SB3Policy(TINY, tmp_path / "model.zip").act(rows, masks), expected)
    check_refused("but hanabi shows 842 or 658 and has 20 actions", SB3Policy, "hanabi", model)

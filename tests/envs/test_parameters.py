"""Parameters that have names in signatures, unknown ones, environments of any game by name or file, seeds that repeat."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test

from cardenvs import SeatEnv, SeatVectorEnv, euchre_v0, recycle
from cardenvs.envs.aec import CardEnv
from cardenvs.recycle.library import FOLDER

OF_ALL = {"reward", "team_share", "illegal", "recall", "max_decisions", "encoding", "options"}
OF_SEATS = OF_ALL | {"seat", "opponents", "partner", "render_mode"}


@pytest.mark.parametrize(
    ("make", "names"),
    [
        (SeatEnv, OF_SEATS | {"game"}),
        (SeatVectorEnv, OF_SEATS | {"game", "num_envs", "autoreset_mode"}),
        (CardEnv, OF_ALL | {"game", "render_mode"}),
        (euchre_v0.raw_env, OF_ALL | {"render_mode"}),
        (euchre_v0.env, OF_ALL | {"render_mode"}),
        (euchre_v0.parallel_env, OF_ALL | {"render_mode", "waiting"}),
        (recycle.env, OF_ALL | {"game", "render_mode"}),
        (recycle.raw_env, OF_ALL | {"game", "render_mode"}),
        (recycle.parallel_env, OF_ALL | {"game", "render_mode", "waiting"}),
    ],
)
def test_signatures_name_what_can_be_given(make: Callable[..., Any], names: set[str]) -> None:
    assert set(inspect.signature(make).parameters) == names
    assert inspect.getdoc(make)


def test_what_is_given_arrives() -> None:
    for make in (euchre_v0.raw_env, euchre_v0.env, euchre_v0.parallel_env):
        env = make(reward="tricks", team_share=0.5, illegal="raise", recall=True, max_decisions=7, target=5)
        raw = env.unwrapped if not hasattr(env, "aec_env") else env.aec_env.unwrapped
        assert (raw._reward, raw._share, raw._illegal, raw.spec.recall, raw._limit) == ("tricks", 0.5, "raise", True, 7)
        assert raw._games["target"].tolist() == [5]
    assert euchre_v0.env().unwrapped._illegal == "terminate" and euchre_v0.raw_env()._illegal == "raise"
    assert euchre_v0.parallel_env("noop").waiting == "noop"


@pytest.mark.parametrize("game", ["kuhn-poker", str(Path(FOLDER) / "kuhn-poker.rcy"), "euchre"])
def test_any_game_has_all_forms_by_registered_names(game: str) -> None:
    env = gymnasium.make("cardenvs/Seat-v0", game=game, seat=1)
    check_env(env.unwrapped, skip_render_check=True)
    single = [env.reset(seed=seed)[0] for seed in (4, 5)]
    many = gymnasium.make_vec("cardenvs/Seat-v0", num_envs=2, game=game, seat=1)
    assert isinstance(many, SeatVectorEnv)
    np.testing.assert_array_equal(many.reset(seed=[4, 5])[0], single)
    aec = pettingzoo.make("aec", "cardenvs/game-v0", game=game)
    api_test(aec, num_cycles=20)
    parallel_api_test(pettingzoo.make("parallel", "cardenvs/game-v0", game=game, waiting="noop"), num_cycles=5)
    assert aec.unwrapped.spec is env.unwrapped.game is many.game


def test_an_unseeded_environment_tells_the_seed_that_repeats_it() -> None:
    one, two = SeatEnv("euchre", opponents=["random", "high"]), SeatEnv("euchre", opponents=["random", "high"])
    first, info = one.reset()
    again, told = two.reset(seed=one.np_random_seed)
    np.testing.assert_array_equal(first, again)
    assert info["opponents"] == told["opponents"]
    seed = one.np_random_seed
    assert (one.reset()[0] != first).any() and one.np_random_seed == seed  # the stream goes on
    many, others = SeatVectorEnv("euchre", 3), SeatVectorEnv("euchre", 3)
    rows = many.reset()[0]
    np.testing.assert_array_equal(others.reset(seed=many.np_random_seed)[0], rows)
    assert many.np_random_seed != seed

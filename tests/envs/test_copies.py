"""Environments, batches and specs are copied and pickled in every state."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from cardenvs.contract.registry import get_game
from cardenvs.envs.batch import Batch
from cardenvs.envs.seat import SeatEnv
from cardenvs.envs.vector import SeatVectorEnv
from tests.helpers.environments import first_legal, module_of


@pytest.mark.parametrize("mode", [None, "ansi", "rgb_array"])
def test_environments_can_be_copied_and_pickled_in_every_state(mode: str | None) -> None:
    module = module_of("euchre")
    for make in (
        lambda **kw: module.raw_env(illegal="terminate", **kw),
        module.env,
        module.parallel_env,
        lambda **kw: SeatEnv("euchre", opponents="hybrid", **kw),
    ):
        env = make(render_mode=mode)
        for stage in ("new", "begun", "drawn", "over"):
            if stage == "begun":
                env.reset(seed=1)
            elif stage == "drawn" and mode is not None:
                env.render()
            elif stage == "over":
                env.step(dict.fromkeys(env.agents, 99) if make is module.parallel_env else 99)
            for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
                twin.reset(seed=5)
                again = make(render_mode=mode)
                again.reset(seed=5)
                if mode is not None:
                    assert np.array_equal(twin.render(), again.render())
                twin.close()


@pytest.mark.parametrize("threads", [1, 2])
def test_batches_and_vectors_go_on_as_copies(threads: int) -> None:
    batch = Batch("whist", 6, seed=1, threads=threads)
    batch.step(first_legal(batch.action_masks))
    for duplicate in (copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))):
        twin = duplicate(batch)
        for _ in range(80):
            for one in (batch, twin):
                one.step(first_legal(one.action_masks))
        assert (batch.games == twin.games).all()
    vector = SeatVectorEnv("five-o", 3)
    vector.reset(seed=1)
    twin = pickle.loads(pickle.dumps(vector))
    assert (vector.step([0, 1, 2])[0] == twin.step([0, 1, 2])[0]).all()


def test_specs_are_pickled_by_name_and_never_copied() -> None:
    spec = get_game("whist")
    assert copy.deepcopy(spec) is spec is copy.copy(spec)
    assert pickle.loads(pickle.dumps(spec)) is spec
    assert len(pickle.dumps(spec)) < 100

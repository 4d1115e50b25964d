"""Environments, batches and specs are copied and pickled in every state."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from cardenvs.contract.registry import get_game
from cardenvs.envs.seat import SeatEnv
from tests.helpers.environments import module_of


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


def test_specs_are_pickled_by_name_and_never_copied() -> None:
    spec = get_game("whist")
    assert copy.deepcopy(spec) is spec is copy.copy(spec)
    assert pickle.loads(pickle.dumps(spec)) is spec
    assert len(pickle.dumps(spec)) < 100

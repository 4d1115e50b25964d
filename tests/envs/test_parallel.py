"""The parallel form of the PettingZoo environments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cardenvs.contract.registry import get_game
from tests.helpers.environments import module_of

pytestmark = pytest.mark.compiled


def test_a_seat_that_waits_shows_zeros_or_an_action_that_does_nothing(game_and_options: Any) -> None:
    game, options = game_and_options
    module, rng = module_of(game), np.random.default_rng(0)
    zeros, noop = module.parallel_env(**options), module.parallel_env(waiting="noop", **options)
    size = get_game(game).num_actions
    for seed in range(3):
        shown, plain = noop.reset(seed=seed)[0], zeros.reset(seed=seed)[0]
        while noop.agents:
            for agent, one in shown.items():
                assert noop.observation_space(agent).contains(one)
                assert one["action_mask"].any()
                assert one["action_mask"][size] == (not plain[agent]["action_mask"].any())
                assert (one["action_mask"][:size] == plain[agent]["action_mask"]).all()
            actions = {agent: int(rng.choice(np.flatnonzero(one["action_mask"]))) for agent, one in shown.items()}
            shown, rewards, *_ = noop.step(actions)
            plain, expected, *_ = zeros.step(actions)
            assert rewards == expected
        assert not any(one["action_mask"].any() for one in shown.values())


def test_the_parallel_form_needs_the_acting_agents_action_only() -> None:
    env = module_of("euchre").parallel_env(waiting="noop")
    env.reset(seed=0)
    acting = env.aec_env.agent_selection
    env.step({acting: 24})
    acting = env.aec_env.agent_selection
    _, rewards, over, _, infos = env.step({acting: 35})  # to do nothing is not for the one to act
    assert rewards[acting] == -4 and over[acting] and "illegal action 35" in infos[acting]["illegal_action"]

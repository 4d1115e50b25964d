"""The PettingZoo environments: the official tests, and what they do not look at; the parallel form."""

import warnings
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, parallel_api_test, render_test, seed_test
from pettingzoo.test.state_test import state_test

import cardenvs
from cardenvs import get_game
from tests.conftest import OPTION_SETS
from tests.helpers.environments import module_of
from tests.refusals import check_refused

TINY = {"colours": 2, "ranks": 3, "hand_size": 2, "information": 3, "lives": 2}
UNAVOIDABLE = ("Observation is not a NumPy array", "Observation space for each agent probably should be")
"""PettingZoo warns so about every dict observation that is not on its own list of environments."""


def no_other_warnings(caught):
    assert [str(w.message) for w in caught if not str(w.message).startswith(UNAVOIDABLE)] == []


@pytest.mark.parametrize(
    ("game", "options"),
    [*OPTION_SETS, *(("hanabi", form) for form in ({"players": 3}, {"players": 5, "score": "built"}, TINY))],
)
def test_official_tests_pass_without_avoidable_warnings(game, options, capsys):
    module = module_of(game)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for make in (module.env, module.raw_env):
            api_test(make(**options), num_cycles=30)
            seed_test(lambda make=make: make(**options), num_cycles=30)
        parallel_api_test(module.parallel_env(**options), num_cycles=30)
        state_test(module.env(**options), module.parallel_env(**options))
        render_test(lambda render_mode=None: module.env(render_mode=render_mode, **options))
    no_other_warnings(caught)


@pytest.mark.parametrize("game", ["euchre", "whist", "five-o", "hanabi"])
def test_registered_ids_make_the_same_environments(game):
    aec = pettingzoo.make("aec", f"cardenvs/{game}-v0")
    parallel = pettingzoo.make("parallel", f"cardenvs/{game}-v0")
    aec.reset(seed=1)
    observations, _ = parallel.reset(seed=1)
    for agent in aec.agents:
        assert (observations[agent]["observation"] == aec.observe(agent)["observation"]).all()


def play(env, rng):
    """Plays an episode at random; the sum of the rewards that each agent saw in `last`."""
    total = dict.fromkeys(env.agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, _, _ = env.last()
        total[agent] += reward
        env.step(None if terminated else int(rng.choice(np.flatnonzero(observation["action_mask"]))))
    return total


def test_every_agent_sees_its_final_reward_once(game_and_options):
    game, options = game_and_options
    env = module_of(game).env(**options)
    rng = np.random.default_rng(0)
    seen_loss = seen_win = False
    one_side = get_game(game).num_sides == 1
    for seed in range(12):
        env.reset(seed=seed)
        total = play(env, rng)
        if one_side:
            assert len(set(total.values())) == 1
        else:
            assert sum(total.values()) == pytest.approx(0, abs=1e-5)
        seen_loss |= min(total.values()) < 0
        seen_win |= max(total.values()) > 0
        assert not env.agents
    assert seen_loss != one_side
    assert seen_win or (game, options) == ("hanabi", {})  # random players lose


def test_observations_are_fresh_and_masks_are_zero_out_of_turn(game_and_options):
    game, options = game_and_options
    env = module_of(game).raw_env(**options)
    env.reset(seed=3)
    one, two = env.observe(env.agent_selection), env.observe(env.agent_selection)
    one["observation"][:] = 9
    one["action_mask"][:] = 9
    assert two["observation"].max() <= 1
    assert env.observe(env.agent_selection)["action_mask"].max() == 1
    for agent in env.agents:
        if agent != env.agent_selection:
            assert not env.observe(agent)["action_mask"].any()
        assert env.observation_space(agent).contains(env.observe(agent))
        assert env.observation_space(agent) is env.observation_space(agent)


def test_reset_without_seed_goes_on_with_the_stream():
    env = cardenvs.euchre_v0.raw_env()
    env.reset(seed=5)
    env.reset()
    second = env.deal_text()
    env.reset(seed=5)
    assert env.deal_text() != second
    env.reset()
    assert env.deal_text() == second


@pytest.mark.parametrize("action", [24 + 11, -1, "pass", 2.5, None])
def test_raw_env_refuses_what_is_no_legal_action_and_says_what_is(action):
    env = cardenvs.euchre_v0.raw_env()
    env.reset(seed=0)
    before = env.deal_text()
    with pytest.raises(ValueError, match=r"order-up|is an int"):
        env.step(action)
    assert env.deal_text() == before
    env.step(24)


def test_deal_option_replays_a_deal(game_and_options):
    game, options = game_and_options
    env = module_of(game).raw_env(**options)
    env.reset(seed=7)
    line = env.deal_text()
    rng = np.random.default_rng(1)
    for _ in range(6):
        env.step(int(rng.choice(np.flatnonzero(env.last()[0]["action_mask"]))))
    middle = env.deal_text()
    other = module_of(game).raw_env(**options)
    other.reset(options={"deal": line})
    assert other.deal_text() == line
    other.reset(options={"deal": middle})
    assert other.deal_text() == middle
    for agent in env.agents:
        assert (other.observe(agent)["observation"] == env.observe(agent)["observation"]).all()


def test_dealer_option_fixes_the_dealer():
    env = cardenvs.euchre_v0.raw_env()
    for dealer in range(4):
        env.reset(seed=2, options={"dealer": dealer})
        assert env.agent_selection == f"player_{(dealer + 1) % 4}"


def test_state_holds_the_full_deal_and_describes_itself():
    env = cardenvs.euchre_v0.raw_env()
    env.reset(seed=4)
    state = env.state()
    spec = env.spec
    assert env.state_space.contains(state)
    held = state[spec.slices["hand"]].astype(int)
    for part in ("hand_left", "hand_partner", "hand_right", "kitty"):
        held += state[spec.hidden_slices[part]]
    assert (held + state[spec.slices["turned"]] == 1).all() and "kitty" in spec.describe(state)
    assert "kitty" not in spec.describe(env.observe("player_0")["observation"])
    check_refused("shape", spec.describe, state[:-1])


def test_ansi_draws_the_position(game_and_options):
    game, options = game_and_options
    env = module_of(game).raw_env(render_mode="ansi", **options)
    env.reset(seed=0)
    drawing = env.render()
    assert get_game(game).title.split()[0] in drawing and "player_0" in drawing


@pytest.mark.compiled
def test_a_seat_that_waits_shows_zeros_or_an_action_that_does_nothing(game_and_options: Any) -> None:
    game, options = game_and_options
    module, rng = module_of(game), np.random.default_rng(0)
    zeros, noop = module.parallel_env(**options), module.parallel_env(waiting="noop", **options)
    size = get_game(game).num_actions
    for seed in range(3):
        shown, plain = noop.reset(seed=seed)[0], zeros.reset(seed=seed)[0]
        while noop.agents:
            for agent, one in shown.items():
                assert noop.observation_space(agent).contains(one) and one["action_mask"].any()
                assert one["action_mask"][size] == (not plain[agent]["action_mask"].any())
                assert (one["action_mask"][:size] == plain[agent]["action_mask"]).all()
            actions = {agent: int(rng.choice(np.flatnonzero(one["action_mask"]))) for agent, one in shown.items()}
            shown, rewards, *_ = noop.step(actions)
            plain, expected, *_ = zeros.step(actions)
            assert rewards == expected
        assert not any(one["action_mask"].any() for one in shown.values())


@pytest.mark.compiled
def test_the_parallel_form_needs_the_acting_agents_action_only() -> None:
    env = module_of("euchre").parallel_env(waiting="noop")
    env.reset(seed=0)
    acting = env.aec_env.agent_selection
    env.step({acting: 24})
    acting = env.aec_env.agent_selection
    _, rewards, over, _, infos = env.step({acting: 35})  # to do nothing is not for the one to act
    assert rewards[acting] == -4 and over[acting] and "illegal action 35" in infos[acting]["illegal_action"]

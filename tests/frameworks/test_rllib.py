"""RLlib's vector environments, step by step what the simulator and the seat environment say, and in its runners."""

import importlib.util
import logging
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from cardenvs import Batch
from cardenvs.envs import vector

if importlib.util.find_spec("ray") is None or importlib.util.find_spec("tree") is None:
    pytest.skip("RLlib is not installed: examples/README.md says how to install it", allow_module_level=True)

import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

from cardenvs.envs.arguments import ResetNeeded
from cardenvs.frameworks.rllib import SeatVectorEnv, SelfPlayEnvRunner, SelfPlayVectorEnv
from tests.refusals import check_refused

OPTIONS = {"game": "euchre", "bidding": "forced-spades"}
N = 5


def test_one_learner_is_the_seat_environment_with_masks_in_the_observations() -> None:
    settings: dict[str, Any] = {"num_envs": N, "opponents": "random", "seat": "random", **OPTIONS}
    env, expected = SeatVectorEnv(settings), vector.SeatVectorEnv(autoreset_mode="NextStep", **settings)
    (shown, told), (rows, infos) = env.reset(seed=3), expected.reset(seed=3)
    assert env.observation_space.contains(shown) and told == {}
    for step in range(30):
        np.testing.assert_array_equal(shown["observations"], rows)
        np.testing.assert_array_equal(shown["action_mask"], infos["action_mask"])
        actions = infos["action_mask"].argmax(1)
        if step == 2:
            actions[1] = 40
        shown, *mine, told = env.step(actions)
        rows, *results, infos = expected.step(actions)
        assert all((one == other).all() for one, other in zip(mine, results, strict=True))
        assert set(told) == ({"illegal_action", "_illegal_action"} if step == 2 else set())


def test_self_play_is_the_simulator_with_every_agents_reward() -> None:
    env = SelfPlayVectorEnv({"num_envs": N, "seed": 1, **OPTIONS})
    batch = Batch("euchre", N, seed=4, bidding="forced-spades", restart=False)
    assert len(env.envs) == N and env.envs[0].get_observation_space("player_0") == env.single_observation_space["player_0"]
    observations, infos = env.reset(seed=4)
    assert infos == [{}] * N
    ended = 0
    for _ in range(45):
        actions: list[dict[str, int]] = [{} for _ in range(N)]
        for i, seen in enumerate(observations):
            if batch.to_act[i] >= 0:
                [(agent, shown)] = seen.items()
                assert agent == f"player_{batch.to_act[i]}"
                np.testing.assert_array_equal(shown["observations"], batch.observations[i])
                np.testing.assert_array_equal(shown["action_mask"], batch.action_masks[i])
                actions[i][agent] = int(shown["action_mask"].argmax())
        over = np.flatnonzero(batch.to_act < 0)
        acted = batch.to_act.copy()
        batch.step(np.array([next(iter(one.values()), -1) for one in actions]))
        batch.deal(over)
        observations, rewards, terminated, truncated, _ = env.step(actions)
        for i in range(N):
            done = bool(batch.ended[i])
            assert terminated[i] == {"__all__": done} and truncated[i] == {"__all__": False}
            if done:
                assert rewards[i] == {f"player_{seat}": batch.rewards[i, seat] for seat in range(4)}
                assert set(observations[i]) == set(env.agents)
                assert not any(shown["observations"].any() for shown in observations[i].values())
            else:
                assert rewards[i] == ({} if i in over else {f"player_{acted[i]}": 0.0})
            ended += done
    assert ended == 2 * N


def test_self_play_may_be_cut_off_and_ended() -> None:
    env = SelfPlayVectorEnv({"num_envs": 2, "max_decisions": 1, **OPTIONS})
    observations, _ = env.reset()
    legal = [{agent: int(seen["action_mask"].argmax()) for agent, seen in one.items()} for one in observations]
    illegal = {agent: int(seen["action_mask"].argmin()) for agent, seen in observations[1].items()}
    observations, rewards, terminated, truncated, infos = env.step([legal[0], illegal])
    assert [one["__all__"] for one in terminated] == [False, True]
    assert [one["__all__"] for one in truncated] == [True, False]
    assert all(seen["observations"].any() for seen in observations[0].values())
    assert set(rewards[0].values()) == {0.0} and rewards[1][next(iter(illegal))] < 0
    assert infos[0] == {} and "illegal action" in infos[1]["__common__"]["illegal_action"]


def test_what_cannot_be_is_named() -> None:
    env = SelfPlayVectorEnv({"num_envs": 2, "illegal": "raise", **OPTIONS})
    check_refused("", env.step, [{}, {}], error=ResetNeeded)
    shown, _ = env.reset(seed=0)
    actions = [{agent: int(seen["action_mask"].argmin()) for agent, seen in one.items()} for one in shown]
    named = PPOConfig().environment("any").env_runners(num_env_runners=0).multi_agent(policies={"shared"})
    check_refused("game 0: illegal action", env.step, actions)
    check_refused("a list of 2, one for each game, not of 1", env.step, actions[:1])
    check_refused(" is to act alone, not nobody", env.step, [{}, {}])
    check_refused("reset has no options here, not deal", env.reset, options={"deal": ""})
    check_refused("config must have a 'game'", SelfPlayVectorEnv, {"num_envs": 2})
    check_refused("unknown game 'bridge'", SeatVectorEnv, {"game": "bridge"})
    check_refused("autoreset_mode cannot be chosen here", SeatVectorEnv, {"game": "euchre", "autoreset_mode": "Disabled"})
    check_refused("must be given a class, such as SelfPlayVectorEnv, not 'any'", SelfPlayEnvRunner, config=named)


@pytest.fixture(scope="module")
def local_ray() -> Iterator[None]:
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    yield
    ray.shutdown()


def configuration() -> PPOConfig:
    return (
        PPOConfig()
        .learners(num_learners=0)
        .debugging(seed=0, log_level="ERROR")
        .training(train_batch_size=200, minibatch_size=100, num_epochs=1)
    )


@pytest.mark.slow
@pytest.mark.usefixtures("local_ray")
def test_ppo_trains_one_learner() -> None:
    config = configuration().environment(SeatVectorEnv, env_config={"opponents": "random", "illegal": "raise", **OPTIONS})
    config.env_runners(num_env_runners=0, num_envs_per_env_runner=N, gym_env_vectorize_mode="vector_entry_point")
    config.rl_module(rl_module_spec=RLModuleSpec(module_class=ActionMaskingTorchRLModule))
    algorithm = config.build_algo()
    assert algorithm.train()["env_runners"]["num_env_steps_sampled"] >= 200
    assert all(len(episode) == 5 for episode in algorithm.env_runner.sample(num_episodes=N))
    algorithm.stop()


@pytest.mark.slow
@pytest.mark.usefixtures("local_ray")
def test_ppo_trains_all_seats() -> None:
    config = configuration().environment(SelfPlayVectorEnv, env_config={"illegal": "raise", **OPTIONS})
    config.env_runners(num_env_runners=0, num_envs_per_env_runner=N, env_runner_cls=SelfPlayEnvRunner)
    config.multi_agent(policies={"shared"}, policy_mapping_fn=lambda agent, episode, **kwargs: "shared")
    spec = RLModuleSpec(module_class=ActionMaskingTorchRLModule)
    config.rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"shared": spec}))
    algorithm = config.build_algo()
    assert algorithm.train()["env_runners"]["num_env_steps_sampled"] >= 200
    for episode in algorithm.env_runner.sample(num_episodes=N):
        paid = [episode.agent_episodes[f"player_{seat}"].get_return() for seat in range(4)]
        assert paid[0] == paid[2] == -paid[1] == -paid[3] != 0
    algorithm.stop()

"""The one-seat Gymnasium environment and its vector form."""

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from cardenvs import get_game, worlds
from cardenvs.envs.seat import SeatEnv
from cardenvs.envs.vector import SeatVectorEnv
from tests.helpers.environments import first_legal
from tests.refusals import check_refused

pytestmark = pytest.mark.compiled

IDS = {
    "euchre": "cardenvs/EuchreSeat-v0",
    "whist": "cardenvs/WhistSeat-v0",
    "five-o": "cardenvs/FiveOSeat-v0",
    "hanabi": "cardenvs/HanabiSeat-v0",
}


def test_check_env_passes_without_warnings(game_and_options):
    game, options = game_and_options
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(IDS[game], **options).unwrapped)
        check_env(gymnasium.make(IDS[game], render_mode="ansi", seat="random", **options).unwrapped)


def test_reward_runs_from_one_own_decision_to_the_next(game_and_options):
    game, options = game_and_options
    env = SeatEnv(game, seat=1, **options)
    for seed in range(8):
        _, info = env.reset(seed=seed)
        total, over = 0.0, False
        while not over:
            _, reward, over, _, info = env.step(first_legal(info["action_mask"]))
            total += reward
        batch = env.seat_games.batch
        if options.get("episode") != "game":
            paid = worlds.rewards_of(env.game, batch.games, batch.kind, batch.share)
            assert total == pytest.approx(paid[0, 1])
        assert not env.action_masks().any()
        check_refused("reset", env.step, 0)


def test_learner_is_always_the_seat_to_act(game_and_options):
    game, options = game_and_options
    env = SeatVectorEnv(game, 16, seat="random", **options)
    spec = get_game(game)
    observations, infos = env.reset(seed=0)
    ended = 0
    for _ in range(150):
        assert infos["action_mask"].any(axis=1).all()
        to_act = spec.decode(observations)["to_act"]
        assert (to_act == 0).all()
        observations, _, done, _, infos = env.step(infos["action_mask"].argmax(1))
        ended += done.sum()
        if done.any():
            assert (infos["_final_obs"] == done).all()
            final = np.stack(list(infos["final_obs"][done]))
            assert (spec.decode(final)["over"] == 2).all()
    assert ended > 0


def test_make_vec_gives_the_native_vector_env():
    env = gymnasium.make_vec(IDS["euchre"], num_envs=3, opponents="random", partner="random")
    assert isinstance(env.unwrapped, SeatVectorEnv)
    assert env.metadata["autoreset_mode"] == gymnasium.vector.AutoresetMode.SAME_STEP
    observations, infos = env.reset(seed=1)
    assert env.observation_space.contains(observations) and infos["action_mask"].shape == (3, 35)


def test_an_illegal_action_of_one_game_that_is_an_error_changes_none():
    vector = SeatVectorEnv("euchre", 4, illegal="raise")
    _, infos = vector.reset(seed=0)
    actions = first_legal(infos["action_mask"])
    actions[2] = 40
    before = vector.seat_games.batch.games.copy()
    check_refused("game 2: illegal action 40", vector.step, actions)
    assert (vector.seat_games.batch.games == before).all()


def test_deal_option_and_opponents_by_name():
    env = SeatEnv("euchre", opponents="high-low", partner="coop-high-low", seat=1, bidding="forced-spades")
    line = get_game("euchre").text(get_game("euchre").deal(3, bidding="forced-spades")[0], actions=False)
    one, _ = env.reset(options={"deal": line, "dealer": 0})
    two, _ = env.reset(options={"deal": line, "dealer": 0})
    assert (one == two).all()


@pytest.mark.slow
def test_masked_ppo_takes_it_unwrapped():
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.env_util import make_vec_env

    model = MaskablePPO("MlpPolicy", make_vec_env(IDS["euchre"], n_envs=2, seed=0), n_steps=32, batch_size=32, seed=0)
    model.learn(64)
    assert model.num_timesteps == 64

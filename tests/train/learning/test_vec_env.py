"""The self-play environment as Stable-Baselines3 sees it."""

from pathlib import Path

import numpy as np
import pytest
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported

from cardenvs import Batch
from cardenvs.train import Config, Training
from cardenvs.train.learning.league import League
from cardenvs.train.learning.vec_env import SelfPlayVecEnv
from tests.helpers.batches import step_at_random

pytestmark = pytest.mark.compiled


def test_it_shows_the_batch() -> None:
    env, batch = SelfPlayVecEnv("euchre", 16, seed=4), Batch("euchre", 16, seed=4)
    rng = np.random.default_rng(0)
    observations = env.reset()
    ended = 0
    for _ in range(80):
        assert env.observation_space.contains(observations[3])
        assert (observations == batch.observations).all()
        masks, acting = env.action_masks(), batch.to_act.copy()
        assert (masks == batch.action_masks).all()
        actions = (rng.random(masks.shape) * masks).argmax(1)
        observations, rewards, dones, infos = env.step(actions)
        batch.step(actions)
        assert (env.acting == acting).all()
        assert (env.payoffs == batch.rewards).all()
        assert (rewards == batch.rewards[np.arange(16), acting]).all()
        assert (dones == (batch.ended == 2)).all() and dones.dtype == np.bool_
        assert infos == [{}] * 16 and infos[0] is not infos[1]
        ended += int(dones.sum())
    assert ended > 16


def test_arrays_are_fresh() -> None:
    """SB3 stores the last observation only after the next step."""
    env = SelfPlayVecEnv("euchre", 4, seed=0)
    first = env.reset()
    kept = first.copy()
    given = step_at_random(env, 1)
    again = [array.copy() for array in given]
    step_at_random(env, 30, seed=1)
    assert (first == kept).all()
    assert all((a == b).all() for a, b in zip(given, again, strict=True))


def test_masks_the_way_sb3_contrib_asks() -> None:
    env = SelfPlayVecEnv("euchre", 5, seed=0)
    assert is_masking_supported(env)
    masks = get_action_masks(env)
    assert masks.shape == (1, 5, env.action_space.n)
    assert (masks.reshape(5, -1) == env.batch.action_masks).all()
    assert [mask.tolist() for mask in env.env_method("action_masks", indices=[1, 3])] == masks[0, [1, 3]].tolist()
    with pytest.raises(AttributeError, match="fly"):
        env.env_method("fly")


def test_the_rest_of_the_vec_env_interface() -> None:
    env = SelfPlayVecEnv("euchre", 3, seed=0)
    assert env.num_envs == 3 and env.render_mode is None
    assert env.get_attr("render_mode") == [None] * 3
    assert not env.has_attr("no_such_thing")
    assert env.env_is_wrapped(object, indices=[0]) == [False]  # type: ignore[arg-type]
    with pytest.raises(AttributeError, match="share"):
        env.set_attr("game", None)
    env.close()


def test_reset_and_seed() -> None:
    env, other = SelfPlayVecEnv("euchre", 6, seed=0), SelfPlayVecEnv("euchre", 6, seed=9)
    first = env.reset()
    assert (first == env.reset()).all(), "nothing was played in between"
    step_at_random(env, 3)
    assert not (first == env.reset()).all(), "later deals are different ones"
    other.seed(0)
    assert (first == other.reset()).all()


def test_an_illegal_action_is_refused() -> None:
    env = SelfPlayVecEnv("euchre", 3, seed=0)
    env.reset()
    with pytest.raises(ValueError, match="game 0: illegal action 0"):
        env.step(np.zeros(3, int))


@pytest.mark.parametrize("options", [{}, {"episode": "game", "target": 5}])
def test_a_restored_state_goes_on_alike(options: dict[str, object]) -> None:
    env = SelfPlayVecEnv("euchre", 12, seed=1, **options)
    env.reset()
    step_at_random(env, 37)
    state = env.get_state()
    expected = step_at_random(env, 60, seed=2)
    other = SelfPlayVecEnv("euchre", 12, seed=99, **options)
    observations = other.set_state(state)
    assert (observations == other.batch.observations).all()
    assert all((a == b).all() for a, b in zip(expected, step_at_random(other, 60, seed=2), strict=True))
    with pytest.raises(ValueError, match="not 5 states of euchre"):
        SelfPlayVecEnv("euchre", 5).set_state(state)


@pytest.mark.parametrize("game", ["euchre", "whist", "five-o"])
def test_canonical_suits_are_another_view_of_the_same_games(game: str) -> None:
    env, batch = SelfPlayVecEnv(game, 8, seed=2, canonical_suits=True), Batch(game, 8, seed=2)
    rng = np.random.default_rng(1)
    observations = env.reset()
    for _ in range(70):
        assert env.symmetry is not None
        canonical, masks, names = env.symmetry.rename_positions(batch.observations, batch.action_masks)
        assert (observations == canonical).all() and (env.action_masks() == masks).all()
        actions = (rng.random(masks.shape) * masks).argmax(1)
        observations = env.step(actions)[0]
        batch.step(env.symmetry.restore_actions(actions, names))
        assert (env.batch.games == batch.games).all() and (env.payoffs == batch.rewards).all()
    other = SelfPlayVecEnv(game, 8, seed=3, canonical_suits=True)
    assert (other.set_state(env.get_state()) == observations).all()


@pytest.mark.parametrize("full_state", [False, True])
def test_the_order_of_play_is_there_for_others_and_not_shown(full_state: bool) -> None:
    plain, knowing = (
        SelfPlayVecEnv("euchre", 16, seed=2, canonical_suits=True, full_state=full_state, order=order)
        for order in (False, True)
    )
    assert knowing.observation_space == plain.observation_space and knowing.batch.spec.recall
    for one, other in zip(step_at_random(plain, 40), step_at_random(knowing, 40), strict=True):
        np.testing.assert_array_equal(one, other)


def test_players_who_want_the_order_of_play_have_it(tmp_path: Path) -> None:
    search = "learned-search:worlds=2"
    config = Config(
        "euchre", games=16, rollout=4, net=(8,), threads=1, steps=64, eval_every=0, eval_deals=2, imitate=search,
        imitate_decisions=64, others=(search,), others_share=0.5,
    )  # fmt: skip
    assert Training(config, tmp_path).run().steps == 64
    env = SelfPlayVecEnv("euchre", 4, seed=1, league=League("euchre", 4, others=(search,), others_share=1.0))
    with pytest.raises(
        ValueError, match="the policy 'learned-search:worlds=2' wants the order of play, which is not shown"
    ):
        step_at_random(env, 30)

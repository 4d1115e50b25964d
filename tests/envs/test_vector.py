"""The autoreset modes of the vector environment, and games that are reset alone."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from cardenvs.envs.arguments import ResetNeeded
from cardenvs.envs.seat import SeatEnv
from cardenvs.envs.vector import SeatVectorEnv
from tests.refusals import check_refused

SETTINGS: dict[str, Any] = {"game": "euchre", "bidding": "forced-spades", "opponents": "random", "seat": 1}
SEEDS = [5, 2**63, 0]


def make(mode: AutoresetMode | str, n: int = 3, **more: Any) -> SeatVectorEnv:
    return SeatVectorEnv(num_envs=n, autoreset_mode=mode, **SETTINGS | more)


def choices(masks: np.ndarray, step: int) -> np.ndarray:
    """The last legal action of each mask, and every seventh step an action that is illegal for game 1."""
    actions = masks.shape[1] - 1 - masks[:, ::-1].argmax(1)
    if step % 7 == 3:
        actions[1] = masks[1].argmin()
    return actions


def check_opponents(infos: dict[str, Any], told: dict[str, Any]) -> None:
    """Both say the same of who sits where."""
    for agent, names in infos["opponents"].items():
        assert names.tolist() == told["opponents"].get(agent, np.full(3, None)).tolist()
    if "_opponents" in infos:
        np.testing.assert_array_equal(infos["_opponents"], told["_opponents"])


DRAWN = SETTINGS | {"seat": "random", "opponents": ["low", "random", "high"], "partner": ["low", "high"]}
CUT_OFF = [{"game": game, "seat": "random", "max_decisions": 9} for game in ("whist", "five-o", "hanabi")]


@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP])
@pytest.mark.parametrize("settings", [SETTINGS, DRAWN, *CUT_OFF], ids=str)
def test_a_mode_is_what_gymnasium_makes_of_single_environments(settings: dict[str, Any], mode: AutoresetMode) -> None:
    own = SeatVectorEnv(num_envs=3, autoreset_mode=mode, **settings)
    others = SyncVectorEnv([lambda: SeatEnv(**settings)] * 3, autoreset_mode=mode)
    assert own.metadata["autoreset_mode"] is mode
    (rows, infos), (expected, told) = own.reset(seed=SEEDS), others.reset(seed=SEEDS)
    ended = 0
    for step in range(28):
        np.testing.assert_array_equal(rows, expected)
        np.testing.assert_array_equal(infos["action_mask"], np.stack(list(told["action_mask"])))
        check_opponents(infos, told)
        actions = choices(infos["action_mask"], step)
        rows, *results, infos = own.step(actions)
        expected, *wanted, told = others.step(actions)
        for result, want in zip(results, wanted, strict=True):
            np.testing.assert_array_equal(result, want)
        done = results[1] | results[2]
        ended += int(done.sum())
        assert ("final_obs" in infos) == ("final_obs" in told) == (mode is AutoresetMode.SAME_STEP and bool(done.any()))
        if "final_obs" in infos:
            np.testing.assert_array_equal(infos["_final_obs"], told["_final_obs"])
            for i in np.flatnonzero(done):
                np.testing.assert_array_equal(infos["final_obs"][i], told["final_obs"][i])
            assert not infos["final_info"]["action_mask"].any()
            check_opponents(infos["final_info"], told["final_info"])
        elif mode is AutoresetMode.NEXT_STEP:
            assert not infos["action_mask"][done].any()
            assert infos.get("illegal_action", [None] * 3)[1] == told.get("illegal_action", [None] * 3)[1]
    assert ended > 5


def test_without_autoreset_games_are_reset_by_a_mask() -> None:
    env, single = make("Disabled"), [SeatEnv(**SETTINGS) for _ in range(3)]
    rows, infos = env.reset(seed=SEEDS)
    for one, seed in zip(single, SEEDS, strict=True):
        one.reset(seed=seed)
    resets = 0
    for step in range(30):
        actions = choices(infos["action_mask"], step)
        rows, _, terminated, truncated, infos = env.step(actions)
        stepped = [one.step(int(action)) for one, action in zip(single, actions, strict=True)]
        np.testing.assert_array_equal(rows, [result[0] for result in stepped])
        done = terminated | truncated
        assert done.tolist() == [result[2] or result[3] for result in stepped]
        assert not infos["action_mask"][done].any()
        if done.any():
            check_refused(rf"game {done.argmax()}: the episode is over", env.step, actions, error=ResetNeeded)
            at_end, resets = rows, resets + 1
            seeds = [step * 10 + i for i in range(3)] if resets % 2 else None
            rows, infos = env.reset(seed=seeds, options={"reset_mask": done})
            np.testing.assert_array_equal(rows[~done], at_end[~done])
            for i in np.flatnonzero(done):
                np.testing.assert_array_equal(rows[i], single[i].reset(seed=seeds and seeds[i])[0])
    assert resets > 5


@pytest.mark.parametrize("mode", AutoresetMode)
def test_games_that_are_over_are_copied_and_kept(mode: AutoresetMode) -> None:
    env = make(mode, max_decisions=9)
    _, infos = env.reset(seed=3)
    done = np.zeros(3, np.bool_)
    while not done.any():
        rows, _, terminated, truncated, infos = env.step(choices(infos["action_mask"], 0))
        done = terminated | truncated
    twin, other = env.clone(), make(mode, max_decisions=9)
    other.set_state(env.get_state())
    for one in (twin, other):
        np.testing.assert_array_equal(one.action_masks(), env.action_masks())
    if mode is AutoresetMode.DISABLED:
        for one in (env, twin, other):
            one.reset(options={"reset_mask": done})
    actions = choices(env.action_masks(), 0)
    for one in (twin, other):
        np.testing.assert_array_equal(one.step(actions)[0], rows := env.clone().step(actions)[0])
    assert rows.shape == (3, env.game.observation_size)


def test_a_deal_can_be_chosen_for_some_games() -> None:
    env = make("NextStep", opponents="high-low")
    _, infos = env.reset(seed=1)
    env.step(choices(infos["action_mask"], 3))
    line = env.game.text(env.game.deal(8, bidding="forced-spades")[0], actions=False)
    before = env.action_masks()
    rows, infos = env.reset(options={"deal": line, "dealer": 3, "reset_mask": np.array([True, False, False])})
    expected, _ = SeatEnv(**SETTINGS | {"opponents": "high-low"}).reset(options={"deal": line, "dealer": 3})
    np.testing.assert_array_equal(rows[0], expected)
    np.testing.assert_array_equal(infos["action_mask"][1:], before[1:])
    assert not before[1].any()  # an illegal action has ended its episode


def test_make_vec_takes_a_mode() -> None:
    made = gymnasium.make_vec("cardenvs/EuchreSeat-v0", 2, autoreset_mode="NextStep", opponents="random")
    assert made.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert SeatVectorEnv.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP

"""What environments do with wrong arguments, wrong orders of calls and wrong answers of other policies; their copies."""

import copy
import json
import pickle
import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest

from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.arguments import ResetNeeded
from cardenvs.envs.batch import Batch
from cardenvs.envs.seat import SeatEnv
from cardenvs.envs.vector import SeatVectorEnv
from cardenvs.policy.contract import Policy
from tests.helpers.environments import SHELLS, first_legal, module_of
from tests.refusals import check_refused

GAMES = ("euchre", "whist", "five-o", "hanabi")


@pytest.mark.slow
def test_twenty_thousand_calls_with_anything_give_answers_or_clear_errors() -> None:
    """In a process of its own, which a kernel that writes where it should not would end."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.calls", "--calls", "20000", "--seed", "1"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    counted = json.loads(done.stdout)
    assert counted["calls"] >= 20_000 and min(counted["answered"], counted["refused"]) > 5_000
    assert counted["called"] > 150


@pytest.mark.compiled
@pytest.mark.parametrize("game", GAMES)
def test_a_batch_that_is_not_validated_plays_no_illegal_action(game: str) -> None:
    batch = Batch(game, 64, seed=0, validate=False)
    rng = np.random.default_rng(0)
    for _ in range(400):
        batch.step(rng.integers(0, batch.spec.num_actions, 64))
    batch.spec.check_state(batch.games, whole=True)
    before, legal = batch.games.copy(), first_legal(batch.action_masks)
    for wrong in (99, -9, batch.spec.num_actions, 2**62):
        batch.step(np.where(np.arange(64) % 2, legal, wrong))
        assert (batch.games[::2] == before[::2]).all() and (batch.games[1::2] != before[1::2]).all()
        batch.set_games(before)


@pytest.mark.parametrize("game", GAMES)
def test_a_batch_validates_unless_told_otherwise(game: str) -> None:
    batch = Batch(game, 4, seed=0)
    before = batch.games.copy()
    actions = first_legal(batch.action_masks)
    actions[2] = batch.spec.num_actions
    check_refused("game 2: illegal action", batch.step, actions)
    assert (batch.games == before).all()


@pytest.mark.parametrize("game", GAMES)
def test_states_that_the_game_cannot_be_in_are_refused(game: str) -> None:
    batch = Batch(game, 1, seed=3)
    for _ in range(6):
        batch.step(first_legal(batch.action_masks))
    rng = np.random.default_rng(0)
    refused = 0
    for name in batch.spec.dtype.names or ():
        for value in (-1, 99, 2**62, -(2**63)):
            games = batch.games.copy()
            field = games[name][0]
            if field.shape:
                field[rng.integers(len(field))] = np.array(value).astype(field.dtype)
            else:
                games[name][0] = value
            if (games == batch.games).all() or name == "history":  # behind the last action it counts for nothing
                continue
            check_refused(f"games: number 0 is no state of {game}", batch.set_games, games)
            refused += 1
    assert refused > 30


class Answers(Policy):
    """A policy that answers what a function makes of the masks."""

    def __init__(self, game: str | GameSpec, answer: Any) -> None:
        super().__init__(game)
        self.answer = answer

    def choose(self, observations: Any, action_masks: Any, streams: Any) -> Any:
        return self.answer(action_masks)


def play_on(env: Any) -> None:
    """Fifty steps of first legal actions."""
    _, info = env.reset(seed=0)
    for _ in range(50):
        _, _, _, _, info = env.step(first_legal(info["action_mask"]))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda masks: np.zeros(len(masks), int), "the policy 'Answers': illegal action 0"),
        (lambda masks: np.full(len(masks), 9999999), "the policy 'Answers': illegal action 9999999"),
        (lambda masks: np.full(len(masks), -1), "the policy 'Answers': illegal action -1"),
        (lambda masks: masks.argmax(1) + 0.9, "the actions of the policy 'Answers' must be ints, not float64"),
        (lambda masks: None, "the actions of the policy 'Answers' must have the shape"),
        (lambda masks: masks.argmax(1)[:-1], "the actions of the policy 'Answers' must have the shape"),
    ],
)
@pytest.mark.parametrize("who", ["opponents", "partner"])
def test_opponents_and_partners_answers_are_checked(answer: Any, message: str, who: str) -> None:
    players = {"opponents": "high", "partner": "high"} | {who: Answers("euchre", answer)}
    env = SeatEnv("euchre", bidding="forced-spades", **players)
    vector = SeatVectorEnv("euchre", 4, bidding="forced-spades", **players)
    for one in (env, vector):
        with pytest.raises(ValueError, match=message):
            play_on(one)
        with pytest.raises(ResetNeeded):  # the learner may not be the one to act now
            one.step(first_legal(one.seat_games.batch.action_masks))


def test_before_a_reset_and_after_the_end_environments_say_so() -> None:
    raw, seat, vector, parallel = (SHELLS[name]("euchre") for name in ("raw", "seat", "vector", "parallel"))
    for call in (
        lambda: raw.step(24), raw.last, raw.state, raw.deal_text, lambda: raw.observe("player_0"),
        SHELLS["raw"]("euchre", render_mode="ansi").render, SHELLS["seat"]("euchre", render_mode="ansi").render,
        lambda: seat.step(24), seat.action_masks, lambda: vector.step([24, 24, 24]), vector.action_masks,
        lambda: parallel.step({"player_0": 24}), raw.get_state, seat.get_state, vector.get_state,
    ):  # fmt: skip
        check_refused("there is no episode yet: call reset() first", call, error=ResetNeeded)
    assert issubclass(ResetNeeded, gymnasium.error.ResetNeeded)
    for env in (raw, SHELLS["env"]("euchre")):
        env.reset(seed=0)
        while env.agents:
            shown, _, over, *_ = env.last()
            env.step(None if over else first_legal(shown["action_mask"]))
        for call in (env.last, lambda env=env: env.step(None)):
            check_refused("the episode is over and all agents have left", call, error=ResetNeeded)
    env.reset(seed=0)
    env.step(0)
    check_refused("the episode is over for player_0: its only action is None, not 24", env.step, 24)


def test_what_is_taken_though_it_is_unusual() -> None:
    raw = SHELLS["raw"]("euchre")
    raw.reset(options={"options": 1})  # as PettingZoo's own tests have it
    raw.step(np.array(24, np.int8))
    for name in ("raw", "seat", "vector", "parallel"):
        for seed in (np.int64(3), np.uint8(3), 2**64 - 1, 2**128 - 1):
            SHELLS[name]("euchre").reset(seed=seed)
    one, two = Batch("euchre", 2, seed=np.int64(3)), Batch("euchre", 2, seed=3)
    assert (one.games == two.games).all()


@pytest.mark.parametrize("shell", ["raw", "seat"])
def test_a_refused_reset_leaves_the_episode_as_it_is(shell: str) -> None:
    env = SHELLS[shell]("euchre")
    env.reset(seed=3)
    games = env.seat_games.batch.games if shell == "seat" else env._games
    before = games.copy()
    for wrong in ({"seed": -1}, {"options": {"dealer": 9}}, {"options": {"deal": "whist"}}):
        with pytest.raises(ValueError, match=r"seed|dealer|deal"):
            env.reset(**wrong)
    assert (games == before).all()
    env.step(first_legal(env.action_masks() if shell == "seat" else env.last()[0]["action_mask"]))


def test_seed_lists_as_gymnasium_has_them() -> None:
    vector = SeatVectorEnv("euchre", 3, opponents="random", seat="random")
    rows, _ = vector.reset(seed=[5, 6, np.int64(7)])
    for i, seed in enumerate((5, 6, 7)):
        single = SeatEnv("euchre", opponents="random", seat="random")
        row, _ = single.reset(seed=seed)
        assert (rows[i] == row).all()
    assert (vector.reset(seed=(5, 6, 7))[0] == rows).all() and (vector.reset(seed=5)[0][0] == rows[0]).all()
    going_on = vector.reset(seed=[5, None, 7])[0]
    assert (going_on[[0, 2]] == rows[[0, 2]]).all() and (going_on[1] != rows[1]).any()
    SeatVectorEnv("euchre", 2).reset(seed=[None, 4])


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
    assert pickle.loads(pickle.dumps(spec)) is spec and len(pickle.dumps(spec)) < 100

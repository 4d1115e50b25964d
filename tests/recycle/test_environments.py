"""Described games as environments: `cardenvs.recycle.env` and its like, Gymnasium's, and scores as they are paid by all."""

import functools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, seed_test

from cardenvs import recycle, worlds
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.aec import CardEnv
from cardenvs.envs.arguments import illegal_rewards
from cardenvs.envs.batch import Batch
from cardenvs.envs.seat import SeatEnv
from cardenvs.envs.vector import SeatVectorEnv
from cardenvs.recycle import parse, shipped_names
from cardenvs.recycle.game import compiled
from cardenvs.testing import check_rewards

HOUSE = """(game
 (setup (create players 3) (create teams (0, 2) (1)) (create deck (game iloc STOCK) (deck (RANK (ONE, TWO)))))
 (stage player (end (all player 'P (== ('P sto ASKED) 1)))
  (choice ((any (range 0 .. 5) 'N (do ((set ((current player) sto ASKED) 1)
   (inc ((team (current player)) sto WON) (- 'N 3))))))))
 (scoring max ((team (current player)) sto WON)))"""
"""Each seat bets against the house; partners put together what they win."""


@functools.cache
def house(best: str = "max") -> GameSpec:
    return compiled(parse(HOUSE.replace("max", best)), f"house-{best}")


@pytest.mark.parametrize(
    ("best", "reward", "paid"),
    [
        ("max", "score", [4, -2, 4]), ("max", "points", [6, -6, 6]), ("max", "win", [1, -1, 1]),
        ("min", "score", [-4, 2, -4]), ("min", "points", [-6, 6, -6]),
    ],
)  # fmt: skip
def test_a_score_is_paid_as_it_is(best: str, reward: str, paid: list[float]) -> None:
    """A score has no part of others, whatever is shared."""
    for share in (1.0, 0.25) if reward == "score" else (1.0,):
        batch = Batch(house(best), 1, seed=0, reward=reward, restart=False, team_share=share)
        for action in (5, 1, 5):
            batch.step([action])
        assert batch.rewards[0].tolist() == paid


def test_an_illegal_action_costs_its_side_alone() -> None:
    spec = replace(house(), worst_loss=lambda options, reward: 6.0)
    states = Batch(spec, 1, seed=0).games
    assert illegal_rewards(spec, {}, "score", states, np.array([0])).tolist() == [[-6, 0, -6]]
    assert illegal_rewards(spec, {}, "points", states, np.array([0])).tolist() == [[-6, 6, -6]]


def test_every_door_pays_it(tmp_path: Path) -> None:
    (tmp_path / "house.rcy").write_text(HOUSE)
    name = str(tmp_path / "house.rcy")
    env = recycle.env(name, reward="score")
    env.reset(seed=1)
    for action in (5, 1, 5):
        env.step(action)
    assert env.rewards == {"player_0": 4.0, "player_1": -2.0, "player_2": 4.0}
    seat = SeatEnv(name, seat=1, reward="score")
    seat.reset(seed=1)
    assert seat.step(0)[1] == -3
    vector = SeatVectorEnv(name, num_envs=2, seat=1, reward="score")
    vector.reset(seed=1)
    assert vector.step(np.array([0, 4]))[1].tolist() == [-3, 1]
    spec = house()
    states = Batch(spec, 1, seed=0).games
    for action in (5, 1, 5):
        states = worlds.apply(spec, states, [action])
    assert worlds.playouts(spec, states, reward="score").tolist() == [[4, -2, 4]]
    check_rewards(house(), episodes=5)


def test_openspiel_pays_it_by_the_same_rule() -> None:
    pytest.importorskip("pyspiel")
    from cardenvs.openspiel import load

    state = load(house(), reward="score").new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[0][0])
    for action in (5, 1, 5):
        state.apply_action(action)
    assert state.returns() == [4, -2, 4]


DAILY = ("kuhn-poker",)
"""Those that are compiled in the daily tests; others take half a minute each."""
NAMES = [name if name in DAILY else pytest.param(name, marks=pytest.mark.slow) for name in shipped_names()]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", NAMES)
def test_pettingzoo_accepts_them(name: str) -> None:
    file = f"{name}.rcy"
    api_test(recycle.env(file), num_cycles=60)
    api_test(recycle.raw_env(file), num_cycles=60)
    seed_test(lambda: recycle.env(file), num_cycles=60)
    parallel_api_test(recycle.parallel_env(file), num_cycles=60)


def test_they_take_what_all_environments_take() -> None:
    env = recycle.raw_env("kuhn-poker", render_mode="ansi", reward="win", max_decisions=1)
    assert isinstance(env, CardEnv)
    env.reset(seed=1)
    assert "Kuhn poker" in str(env.render())
    env.step(int(env.last()[0]["action_mask"].argmax()))
    assert all(env.truncations.values())
    waits = recycle.parallel_env("kuhn-poker", waiting="noop")
    assert waits.action_space("player_0").n == 5

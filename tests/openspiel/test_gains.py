"""Rewards as OpenSpiel has them: paid step by step, and the same for all of one side."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardenvs import Batch
from cardenvs.baselines.reproduce.openspiel.measure import Beside, at_random
from cardenvs.games.hanabi import hanabi
from tests.helpers.gains import WHIST, playing_well, small_hanabi, team_score
from tests.helpers.one_sided import DESCRIPTIONS, written

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.python import rl_environment  # noqa: E402
from open_spiel.python.algorithms import expected_game_score, generate_playthrough  # noqa: E402
from open_spiel.python.policy import UniformRandomPolicy  # noqa: E402

from cardenvs.openspiel import load  # noqa: E402

TINY = small_hanabi(2)


@pytest.mark.parametrize("options", [{}, {"score": "built"}, {"max_decisions": 6}, {"reward": "score"}], ids=str)
def test_a_state_tells_what_was_paid_last_and_in_all(options: dict[str, Any]) -> None:
    game, choose, seen = load(TINY, seed=1, **options), playing_well(TINY, 1), set()
    assert game.get_type().reward_model == pyspiel.GameType.RewardModel.REWARDS
    pyspiel.random_sim_test(game, num_sims=3, serialize=False, verbose=False)
    assert "IsTerminal() = True" in generate_playthrough.playthrough(str(game), None, seed=1)
    for _ in range(6):
        state, points = game.new_initial_state(), 0
        state.apply_action(0)
        assert state.rewards() == state.returns() == [0, 0]
        while not state.is_terminal():
            state.apply_action(choose(state.play.games, 0))
            before, points = points, team_score(state.play.games[0])
            told = state.rewards(), state.returns()
            assert told == ([points - before] * 2, [points] * 2)
            seen.add(points - before)
            for other in (state.clone(), game.deserialize_state(state.serialize())):
                assert (other.rewards(), other.returns()) == told
            if not state.is_terminal():
                other = state.resample_from_infostate(0, pyspiel.UniformProbabilitySampler(0.0, 1.0))
                assert other.returns() == told[1]
    assert {0, 1} <= seen


def test_learners_are_paid_in_their_environment() -> None:
    env, total = rl_environment.Environment(load(TINY, seed=2, score="built")), np.zeros(2)
    step = env.reset()
    while not step.last():
        step = env.step([int(step.observations["legal_actions"][step.observations["current_player"]][-1])])
        total += step.rewards
    assert total.tolist() == env.get_state.returns()


def test_a_win_is_paid_at_the_end() -> None:
    game = load(TINY, seed=1, reward="win")
    assert game.get_type().reward_model == pyspiel.GameType.RewardModel.TERMINAL
    state = game.new_initial_state()
    state.apply_action(0)
    while not state.is_terminal():
        assert state.returns() == state.rewards() == [0, 0]
        state.apply_action(state.legal_actions()[0])
    assert state.rewards() == state.returns()


def test_several_deals_add_up() -> None:
    state = load(WHIST, seed=3, episode="game", max_decisions=80).new_initial_state()
    points, before = np.zeros(2), np.zeros(4)
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(0)
            assert state.returns() == before.tolist()
            continue
        tricks = state.play.games[0]["tricks"].copy()
        state.apply_action(state.legal_actions()[0])
        now, over = state.play.games[0]["tricks"], state.play.games[0]["over"]
        gained = [max(now[side] + now[side + 2] - 6, 0) - max(tricks[side] + tricks[side + 2] - 6, 0) for side in (0, 1)]
        points += gained
        assert np.array_equal(state.rewards(), [gained[seat % 2] - gained[1 - seat % 2] for seat in range(4)]), over
        before = before + state.rewards()
        assert state.returns() == before.tolist()
    assert before[0] == points[0] - points[1] and points.any()


def test_another_reward_is_told_beside_openspiel() -> None:
    both = Beside({"colours": 2, "ranks": 3, "hand_size": 2, "information": 3, "lives": 1}, at_random)
    assert not any(both.play(0, number)[1] for number in range(12))
    both._batch = Batch(both.spec, 1, restart=False, score="built")
    told = [both.play(0, number)[1] for number in range(12)]
    assert any(what.startswith("the rewards [-1.0, -1.0] of move ") for what in told)


@pytest.mark.parametrize("name", DESCRIPTIONS)
def test_openspiel_accepts_them(name: str, tmp_path: Path) -> None:
    game = load(written(name, tmp_path), seed=3)
    kind = game.get_type()
    assert kind.utility == pyspiel.GameType.Utility.IDENTICAL and game.utility_sum() is None
    bounds = (0, 4) if name == "trust" else (-math.inf, math.inf)
    assert (game.min_utility(), game.max_utility()) == bounds
    pyspiel.random_sim_test(game, num_sims=3, serialize=name == "trust", verbose=False)
    assert "IsTerminal() = True" in generate_playthrough.playthrough(str(game), None, seed=1)
    state, rng = game.new_initial_state(), np.random.default_rng(1)
    while not state.is_terminal():
        state.apply_action(0 if state.is_chance_node() else int(rng.choice(state.legal_actions())))
    returns = state.returns()
    assert len(set(returns)) == 1 and returns[0] > 0


def test_bounds_are_what_the_game_says() -> None:
    points, win = load(hanabi(), seed=1), load(hanabi(), seed=1, reward="win")
    assert (points.min_utility(), points.max_utility()) == (0, math.inf)
    assert (win.min_utility(), win.max_utility()) == (0, 1)
    assert points.get_type().utility == win.get_type().utility == pyspiel.GameType.Utility.IDENTICAL


def test_listed_deals_give_exact_values(tmp_path: Path) -> None:
    """Two partners at random: half of the time 3, else 2 in the mean."""
    game = load(written("trust", tmp_path))
    assert game.get_type().chance_mode == pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC
    uniform = UniformRandomPolicy(game)
    assert expected_game_score.policy_value(game.new_initial_state(), [uniform] * 2).tolist() == [2.5, 2.5]

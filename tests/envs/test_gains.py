"""Rewards that are paid step by step: the same in every environment, and in each deal what the deal pays in all."""

import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from cardenvs import Batch, Ended, SeatEnv, SeatVectorEnv, testing, worlds
from cardenvs.contract import Ints, kernel
from cardenvs.envs.aec import CardEnv
from cardenvs.frameworks.games import OneSeat, SelfPlay
from cardenvs.games import whist
from tests.helpers.environments import SHELLS
from tests.helpers.gains import WHIST, Choose, playing_well, small_hanabi, team_score
from tests.refusals import check_refused

SCORES = pytest.mark.parametrize("score", ["zero", "built"])
TWO = small_hanabi(2)


def played(batch: Batch, choose: Choose, steps: int = 1) -> list[tuple[Any, np.ndarray, np.ndarray]]:
    """Steps of a batch of Hanabi: the games before each, the rewards, and what ended."""
    kept = []
    for _ in range(steps):
        before, running = batch.games.copy(), batch.to_act >= 0
        batch.step(np.array([choose(batch.games, i) if running[i] else -1 for i in range(batch.n)]))
        kept.append((before, batch.rewards.copy(), batch.ended.copy()))
    return kept


@SCORES
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_a_step_pays_what_it_changes_of_the_score(players: int, score: str) -> None:
    spec = small_hanabi(players)
    batch, choose = Batch(spec, 5, seed=players, restart=False, score=score), playing_well(spec, players)
    total, changes = np.zeros((5, players)), set()
    while not batch.finished.all():
        ((before, rewards, _),) = played(batch, choose)
        for i in range(5):
            change = team_score(batch.games[i]) - team_score(before[i])
            assert rewards[i].tolist() == [change] * players
            changes.add(change)
        total += rewards
    assert (total == batch.points).all()
    assert min(changes) < 0 if score == "zero" else changes == {0, 1}


@SCORES
def test_new_episodes_begin_with_nothing(score: str) -> None:
    batch, choose = Batch(TWO, 3, seed=5, score=score), playing_well(TWO, 1)
    total, points = np.zeros((3, 2)), []
    for _ in range(40):
        ((_, rewards, ended),) = played(batch, choose)
        total += rewards
        for i in np.flatnonzero(ended == Ended.EPISODE_OVER):
            assert (total[i] == batch.points[i, 0]).all()
            points.append(int(batch.points[i, 0]))
            total[i] = 0
    assert len(points) > 4 and len(set(points)) > 1


@SCORES
@pytest.mark.parametrize("shell", ["env", "parallel"])
def test_pettingzoo_pays_what_the_batch_pays(shell: str, score: str) -> None:
    """In its turn an agent is told all that it was paid since its last one; over an episode that is the score."""
    spec = small_hanabi(3)
    batch, env, choose = Batch(spec, 1, seed=11, score=score), SHELLS[shell](spec, score=score), playing_well(spec, 2)
    env.reset(seed=11)
    scores, parallel = [], shell == "parallel"
    for _ in range(5):
        total, told, owed = np.zeros(3), np.zeros(3), np.zeros(3)
        while env.agents and not any(env.unwrapped.terminations.values()):
            seat, action = int(batch.to_act[0]), choose(batch.games, 0)
            if not parallel:
                assert env.last()[1] == owed[seat]
                told[seat] += owed[seat]
                owed[seat] = 0
            batch.step(np.array([action]))
            paid = env.step(dict.fromkeys(env.agents, action))[1] if parallel else env.step(action) or env.rewards
            assert list(paid.values()) == batch.rewards[0].tolist()
            owed += batch.rewards[0]
            total += batch.rewards[0]
        while env.agents:
            told[env.possible_agents.index(env.agent_selection)] += env.last()[1]
            env.step(None)
        assert (total == batch.points[0]).all() and (parallel or (told == total).all())
        scores.append(int(batch.points[0, 0]))
        env.reset()
    assert len(set(scores)) > 1


@SCORES
@pytest.mark.parametrize("seat", [0, 1, 2, "random"])
def test_one_seat_is_paid_all_of_an_episode(seat: Any, score: str) -> None:
    spec = small_hanabi(3)
    env, choose, before = SeatEnv(spec, seat=seat, score=score), playing_well(spec, 3), 0
    for seed in range(25):
        env.reset(seed=seed)
        games = env.seat_games.batch.games
        before += team_score(games[0])  # what others make before its first decision
        total, over = 0.0, False
        while not over:
            _, reward, over, _, _ = env.step(choose(games, 0))
            total += reward
        assert total == team_score(games[0])
    assert (before > 0) == (seat != 0)


@pytest.mark.parametrize("mode", AutoresetMode)
def test_the_vector_form_pays_what_one_does(mode: AutoresetMode) -> None:
    spec = small_hanabi(3)
    envs = SeatVectorEnv(spec, 3, seat=2, score="built", autoreset_mode=mode)
    ones = [SeatEnv(spec, seat=2, score="built") for _ in range(3)]
    envs.reset(seed=[7, 8, 9])
    for env, seed in zip(ones, (7, 8, 9), strict=True):
        env.reset(seed=seed)
    choose, waiting, paid = playing_well(spec, 4), np.zeros(3, bool), 0.0
    for _ in range(15):
        actions = np.array([choose(one.seat_games.batch.games, 0) for one in ones])
        _, rewards, ended, _, _ = envs.step(actions)
        assert not rewards[waiting].any() and not ended[waiting].any()
        for i in np.flatnonzero(~waiting):
            _, reward, over, _, _ = ones[i].step(actions[i])
            assert (rewards[i], ended[i]) == (reward, over)
            paid += reward
            if over:
                ones[i].reset()
        waiting = ended & (mode is AutoresetMode.NEXT_STEP)
        if mode is AutoresetMode.DISABLED and ended.any():
            envs.reset(options={"reset_mask": ended})
    assert paid > 5


def test_libraries_are_paid_the_same() -> None:
    spec = small_hanabi(3)
    batch, whole = Batch(spec, 2, seed=4, restart=False), SelfPlay(spec, 2, seed=4)
    one, many = SeatVectorEnv(spec, 2, seat=1, autoreset_mode="Disabled"), OneSeat(spec, 2, opponents="random", seat=1)
    one.reset(seed=6)
    many.reset(6)
    choose = playing_well(spec, 5)
    while not batch.finished.all():
        actions = np.array([choose(batch.games, i) if batch.to_act[i] >= 0 else 0 for i in range(2)])
        batch.step(actions)
        whole.step(actions)
        assert (whole.rewards == batch.rewards).all()
    while not many.terminated.any():
        actions = np.array([choose(one.seat_games.batch.games, i) for i in range(2)])
        _, rewards, _, _, _ = one.step(actions)
        many.step(actions)
        assert (many.rewards == rewards).all()


def test_an_illegal_action_takes_back_what_was_gained() -> None:
    choose, most = playing_well(TWO, 6), 0
    for seed in range(8):
        env, one, whole = CardEnv(TWO, illegal="terminate"), SeatEnv(TWO, seat=1), SelfPlay(TWO, 1, seed=seed)
        env.reset(seed=seed)
        one.reset(seed=seed)
        total, of_seat, of_all = np.zeros(2), 0.0, np.zeros(2)
        for k in range(6):
            gained = team_score(whole.batch.games[0])
            action = choose(whole.batch.games, 0) if k < 5 and not whole.terminated[0] else TWO.num_actions
            if action == TWO.num_actions and whole.terminated[0]:
                break
            env.step(action)
            whole.step([action])
            total += [env.rewards[agent] for agent in env.possible_agents]
            of_all += whole.rewards[0]
        else:
            assert env.rewards["player_0"] == -gained and (total == 0).all() and (of_all == 0).all()
            most = max(most, gained)
        for k in range(3):
            action = choose(one.seat_games.batch.games, 0) if k < 2 else TWO.num_actions
            _, reward, over, _, _ = one.step(action)
            of_seat += reward
            if over:
                break
        assert of_seat == (0 if k == 2 else team_score(one.seat_games.batch.games[0]))
    assert most > 1


@SCORES
def test_what_is_cut_off_keeps_what_was_gained(score: str) -> None:
    batch = Batch(TWO, 20, seed=3, max_decisions=7, restart=False, score=score)
    total = np.sum([rewards for _, rewards, _ in played(batch, playing_well(TWO, 7), 7)], 0)
    cut_off = batch.ended == Ended.TRUNCATED
    assert cut_off.any()
    assert [team_score(game) for game in batch.games] == total[:, 0].tolist() == total[:, 1].tolist()
    assert (total[cut_off] > 0).any()
    env, choose, seen = CardEnv(TWO, max_decisions=7, score=score), playing_well(TWO, 8), 0.0
    env.reset(seed=1)
    while not any((*env.terminations.values(), *env.truncations.values())):
        env.step(choose(env._games, 0))
        seen += env.rewards["player_1"]
    assert seen == team_score(env._games[0])


def test_episodes_go_on_from_what_was_kept() -> None:
    spec = small_hanabi(3)
    batch, env = Batch(spec, 3, seed=2), SeatEnv(spec, seat=2)
    played(batch, playing_well(spec, 9), 5)
    state, twins = batch.get_state(), [batch.clone(), copy.deepcopy(batch), Batch(spec, 3)]
    twins[2].set_state(state)
    put = Batch(spec, 3, seed=1)
    put.set_games(batch.games)
    expected = [rewards for _, rewards, _ in played(batch, playing_well(spec, 10), 3)]
    for twin in twins:
        found = [rewards for _, rewards, _ in played(twin, playing_well(spec, 10), 3)]
        assert np.array_equal(found, expected)
    assert (played(put, playing_well(spec, 10))[0][1] == expected[0]).all()
    for seed in range(200):
        env.reset(seed=seed)
        if team_score(env.seat_games.batch.games[0]):
            break
    kept, clone, other = env.get_state(), env.clone(), SeatEnv(spec, seat=2)
    other.reset(seed=0)
    other.set_state(kept)
    action = int(env.action_masks().argmax())
    assert env.step(action)[1:3] == clone.step(action)[1:3] == other.step(action)[1:3]


@pytest.mark.parametrize(("reward", "share"), [("points", 1.0), ("points", 0.25), ("tricks", 1.0), ("win", 1.0)])
def test_a_deal_pays_in_all_what_it_pays_at_its_end(reward: str, share: float) -> None:
    settings: dict[str, Any] = {
        "seed": 3, "reward": reward, "team_share": share, "episode": "game", "target": 5, "skip_forced": True,
    }  # fmt: skip
    early, late = Batch(WHIST, 1, **settings), Batch(whist.SPEC, 1, **settings)
    owed, deals, before = np.zeros((1, 4)), 0, 0
    while deals < 3:
        actions = np.array([mask.argmax() for mask in late.action_masks])
        early.step(actions)
        late.step(actions)
        assert (early.games == late.games).all()
        owed += early.rewards
        over = late.ended != Ended.RUNNING
        before += int(early.rewards[~over].any())
        assert not late.rewards[~over].any()
        assert np.allclose(owed[over], late.rewards[over], atol=1e-5)
        deals += int(over.sum())
        owed[over] = 0
    assert (before > 0) == (reward == "points")


def test_games_that_pay_step_by_step_pass_the_checks() -> None:
    testing.check_rewards(replace(WHIST, rewards=("points",)), episodes=1)
    testing.check_rewards(TWO, episodes=3, score="built")


@kernel
def from_one_on(games: Any, i: int, points: Ints, tricks: Ints) -> None:
    """A point that nobody has made."""
    tricks[i, :] = 0
    points[i, 0] = 1


def test_a_deal_that_begins_with_points_fails_the_check() -> None:
    wrong = replace(TWO, name="wrong", kernels=replace(TWO.kernels, gained=from_one_on))
    check_refused("points rewards do not add up in a deal", testing.check_rewards, wrong, error=AssertionError, episodes=2)


def test_play_outs_pay_the_whole_deal_and_what_is_cut_off_so_far() -> None:
    batch = Batch(TWO, 6, seed=8, restart=False)
    played(batch, playing_well(TWO, 11), 6)
    games = batch.games[batch.to_act >= 0]
    so_far = np.array([[team_score(game)] * 2 for game in games], float)
    assert so_far.any()
    assert (worlds.rewards_of(TWO, games, TWO.reward_kind("points")) == so_far).all()
    assert not worlds.rewards_of(TWO, games, TWO.reward_kind("win")).any()
    rng = np.random.default_rng(1)
    ended = worlds.playouts(TWO, games, "random", rng)
    assert set(ended.ravel().tolist()) <= {0, *range(7)}
    cut_off = worlds.playouts(TWO, games, "random", rng, max_decisions=1)
    assert (cut_off - so_far >= -so_far.max()).all() and (cut_off[cut_off > 0] >= 1).all() and cut_off.any()

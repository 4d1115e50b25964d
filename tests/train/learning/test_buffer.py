"""The rollout buffer against lists of each seat's decisions, on hand-made and on real rollouts."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium import spaces

from cardenvs.train.learning.buffer import SeatRolloutBuffer
from cardenvs.train.learning.vec_env import SelfPlayVecEnv
from tests.naive.seat_returns import Move, seat_advantages

pytestmark = pytest.mark.compiled

SEATS, ACTIONS = 4, 3


def make_move(seat: int, value: float, payoff: float = 0.0, ended: bool = False, choices: int = 2) -> Move:
    """A move after which side 0 is paid ``payoff`` and side 1 as much less than nothing."""
    return Move(seat, choices, value, [payoff, -payoff, payoff, -payoff], ended)


def fill(games: list[list[Move]], last_seats: list[int], last_choices: list[int], **settings: Any) -> SeatRolloutBuffer:
    """A buffer that has been fed the rollouts of several games, all of one length, by a stand-in environment."""
    n, steps = len(games), len(games[0])
    buffer = SeatRolloutBuffer(
        steps, spaces.Box(0, 1, (5,), np.int8), spaces.Discrete(ACTIONS), device="cpu", n_envs=n, **settings
    )
    env: Any = SimpleNamespace(game=SimpleNamespace(seats=SEATS), batch=SimpleNamespace())
    buffer.bind(env, np.random.default_rng(0))
    buffer.reset()
    for t in range(steps):
        moves = [game[t] for game in games]
        env.acting = np.array([move.seat for move in moves])
        env.ended = np.array([move.ended for move in moves])
        env.payoffs = np.array([move.payoffs for move in moves], np.float32)
        masks = np.arange(ACTIONS) < np.array([[move.choices] for move in moves])
        rewards = env.payoffs[np.arange(n), env.acting]
        values, log_probs = torch.tensor([move.value for move in moves]), torch.zeros(n)
        observations = np.full((n, 5), t % 2, np.int8)
        buffer.add(observations, np.zeros((n, 1)), rewards, np.zeros(n, bool), values, log_probs, action_masks=masks[None])
    env.batch.to_act = np.array(last_seats)
    env.batch.action_masks = (np.arange(ACTIONS) < np.array(last_choices)[:, None]).astype(np.int8)
    return buffer


def check(games: list[list[Move]], last_seats: list[int], last_choices: list[int], gamma: float, gae_lambda: float) -> None:
    buffer = fill(games, last_seats, last_choices, gamma=gamma, gae_lambda=gae_lambda)
    last_values = torch.linspace(-1, 1, len(games))[:, None]
    buffer.compute_returns_and_advantage(last_values, np.array([game[-1].ended for game in games]))
    for k, game in enumerate(games):
        last = float(last_values[k, 0]) if last_choices[k] > 1 else None
        expected = seat_advantages(game, SEATS, gamma, gae_lambda, last_seats[k], last)
        for step, move in enumerate(game):
            advantage = expected.get(step, 0.0)
            value = move.value if step in expected else 0.0
            assert buffer.advantages[step, k] == pytest.approx(advantage, abs=1e-5), (k, step)
            assert buffer.returns[step, k] == pytest.approx(advantage + value, abs=1e-5), (k, step)


ROLLOUTS = {
    "a plain deal and the start of the next": [
        make_move(0, 0.1), make_move(1, 0.2), make_move(2, 0.3), make_move(3, 0.4),
        make_move(0, 0.5), make_move(1, 0.6, 2.0, True), make_move(1, 0.7), make_move(2, 0.8),
    ],
    "going alone: seat 2 bids and then sits out": [
        make_move(2, 0.1), make_move(3, -0.2), make_move(0, 0.3), make_move(1, 0.4),
        make_move(3, 0.5), make_move(0, 0.6), make_move(1, 0.7, 4.0, True), make_move(0, -0.5),
    ],
    "a deal inside a game pays, the game goes on": [
        make_move(3, 0.1), make_move(0, 0.2), make_move(1, 0.3, -1.0), make_move(2, 0.4),
        make_move(3, 0.5), make_move(0, 0.6, 2.0), make_move(1, 0.7), make_move(0, 0.8, 1.0, True),
    ],
    "two ends, the first after the first move": [
        make_move(1, 0.9, 1.0, True), make_move(0, 0.2), make_move(1, 0.3), make_move(2, 0.4, -2.0, True),
        make_move(3, 0.5), make_move(0, 0.6), make_move(1, 0.7), make_move(2, 0.8),
    ],
    "moves without a choice, the last of a deal among them": [
        make_move(0, 0.1), make_move(1, 0.2, choices=1), make_move(0, 0.3, choices=1), make_move(1, 0.4),
        make_move(2, 0.5, choices=1), make_move(3, 0.6, 2.0, True, choices=1), make_move(0, 0.7), make_move(1, 0.8),
    ],
    "no end in sight": [make_move(k % 4, 0.1 * k) for k in range(8)],
    "the end comes with the last step": [*[make_move(k % 4, 0.1 * k) for k in range(7)], make_move(3, 0.5, -4.0, True)],
}  # fmt: skip


@pytest.mark.parametrize(("gamma", "gae_lambda"), [(1.0, 1.0), (1.0, 0.0), (0.9, 0.8)])
def test_hand_made_rollouts_agree_with_lists_of_decisions(gamma: float, gae_lambda: float) -> None:
    games = list(ROLLOUTS.values())
    for last in range(SEATS):
        for choices in (1, 2):
            check(games, [last] * len(games), [choices] * len(games), gamma, gae_lambda)


def test_a_deal_by_hand() -> None:
    """Undiscounted with lambda 1 a decision's return is what its seat is paid at last: the losers see their loss."""
    buffer = fill([ROLLOUTS["a plain deal and the start of the next"]], [3], [2], gamma=1.0, gae_lambda=1.0)
    buffer.compute_returns_and_advantage(torch.tensor([9.0]), np.array([False]))
    # The open decisions of seats 1 and 2 in the next deal stay at their own value; seat 3 has none there yet.
    assert buffer.returns[:, 0] == pytest.approx([2, -2, 2, -2, 2, -2, 0.7, 0.8], abs=1e-6)


def test_random_rollouts_agree_with_lists_of_decisions() -> None:
    rng = np.random.default_rng(5)
    games = []
    for _ in range(30):
        game = []
        for _ in range(40):
            paid = rng.random() < 0.15
            ended = paid and bool(rng.random() < 0.5)
            payoffs = rng.normal(size=SEATS) if paid else np.zeros(SEATS)
            game.append(Move(int(rng.integers(4)), int(rng.integers(1, 4)), float(rng.normal()), payoffs.tolist(), ended))
        games.append(game)
    last_seats, last_choices = rng.integers(0, 4, 30).tolist(), rng.integers(1, 4, 30).tolist()
    check(games, last_seats, last_choices, 0.97, 0.9)


def test_a_real_rollout_agrees_with_lists_of_decisions() -> None:
    """Whole games of Euchre: the environment tells the buffer who moved and what all were paid."""
    rng = np.random.default_rng(6)
    n, steps = 8, 150
    env = SelfPlayVecEnv("euchre", n, seed=3, episode="game", target=5)
    buffer = SeatRolloutBuffer(
        steps, env.observation_space, env.action_space, device="cpu", gae_lambda=0.9, gamma=0.99, n_envs=n
    )
    buffer.bind(env)
    buffer.reset()
    observations = env.reset()
    games: list[list[Move]] = [[] for _ in range(n)]
    for _ in range(steps):
        masks = np.stack(env.env_method("action_masks"))
        seats = env.batch.to_act.copy()
        actions = (rng.random(masks.shape) * masks)[0].argmax(1)
        values = rng.normal(size=n).astype(np.float32)
        following, rewards, dones, _ = env.step(actions)
        assert (env.acting == seats).all()
        buffer.add(observations, actions, rewards, dones, torch.from_numpy(values), torch.zeros(n), action_masks=masks)
        observations = following
        for k in range(n):
            choices, payoffs = int(masks[0, k].sum()), env.payoffs[k].tolist()
            games[k].append(Move(int(seats[k]), choices, float(values[k]), payoffs, bool(dones[k])))
    assert buffer.observations.dtype == np.int8 and buffer.action_masks.dtype == np.bool_
    assert any(move.ended for game in games for move in game)
    assert any(any(move.payoffs) and not move.ended for game in games for move in game)
    last_values = rng.normal(size=n).astype(np.float32)
    buffer.compute_returns_and_advantage(torch.from_numpy(last_values), dones)
    for k in range(n):
        last = float(last_values[k]) if env.batch.action_masks[k].sum() > 1 else None
        expected = seat_advantages(games[k], 4, 0.99, 0.9, int(env.batch.to_act[k]), last)
        advantages = {step: float(buffer.advantages[step, k]) for step in expected}
        assert advantages == pytest.approx(expected, abs=1e-4)


def test_minibatches_hold_every_decision_once() -> None:
    games = list(ROLLOUTS.values())
    buffer = fill(games, [0] * len(games), [2] * len(games))
    buffer.compute_returns_and_advantage(torch.zeros(len(games)), np.zeros(len(games), bool))
    expected = sorted(move.value for game in games for move in game if move.choices > 1)
    for _ in range(2):
        batches = list(buffer.get(10))
        assert sorted(float(v) for batch in batches for v in batch.old_values) == pytest.approx(expected)
        sizes = [len(batch.actions) for batch in batches]
        assert max(sizes) - min(sizes) <= 1 and len(sizes) == round(len(expected) / 10)
        assert batches[0].observations.dtype == torch.int8 and batches[0].action_masks.dtype == torch.bool
        assert all(len(set(row.tolist())) <= 2 for batch in batches for row in batch.observations)
    assert len(next(iter(buffer.get())).actions) == len(expected)


def test_forced_moves_can_be_kept() -> None:
    game = ROLLOUTS["moves without a choice, the last of a deal among them"]
    buffer = fill([game], [2], [1], keep_forced=True, gae_lambda=1.0)
    buffer.compute_returns_and_advantage(torch.tensor([0.0]), np.array([False]))
    assert len(next(iter(buffer.get())).actions) == len(game)
    assert buffer.returns[:6, 0].tolist() == pytest.approx([2, -2, 2, -2, 2, -2])


def test_an_unbound_buffer_says_so() -> None:
    buffer = SeatRolloutBuffer(4, spaces.Box(0, 1, (5,), np.int8), spaces.Discrete(3), device="cpu")
    with pytest.raises(RuntimeError, match="bind"):
        buffer.add()

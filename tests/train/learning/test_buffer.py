"""The rollout buffer against lists of each seat's decisions, on hand-made and on real rollouts."""

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


@pytest.mark.parametrize(("gamma", "gae_lambda"), [(1.0, 1.0), (1.0, 0.0), (0.99, 0.9)])
def test_a_rollout_agrees_with_lists_of_decisions(gamma: float, gae_lambda: float) -> None:
    """Whole games of Euchre: the environment tells the buffer who moved and what all were paid."""
    rng = np.random.default_rng(6)
    n, steps = 8, 150
    env = SelfPlayVecEnv("euchre", n, seed=3, episode="game", target=5)
    settings: dict[str, Any] = {"device": "cpu", "gae_lambda": gae_lambda, "gamma": gamma, "n_envs": n}
    buffer = SeatRolloutBuffer(steps, env.observation_space, env.action_space, **settings)
    buffer.bind(env, rng)
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
        expected = seat_advantages(games[k], 4, gamma, gae_lambda, int(env.batch.to_act[k]), last)
        for step, move in enumerate(games[k]):
            advantage, value = expected.get(step, 0.0), move.value if step in expected else 0.0
            assert buffer.advantages[step, k] == pytest.approx(advantage, abs=1e-4)
            assert buffer.returns[step, k] == pytest.approx(advantage + value, abs=1e-4)
    moves = buffer.decision_moves()
    assert moves.tolist() == [t * n + k for k in range(n) for t in range(steps) if games[k][t].choices > 1]
    for _ in range(2):
        batches = list(buffer.minibatches(10))
        assert sorted(np.concatenate(batches).tolist()) == list(range(len(moves)))
        sizes = [len(batch) for batch in batches]
        assert max(sizes) - min(sizes) <= 1 and len(sizes) == round(len(moves) / 10)
    assert len(next(iter(buffer.minibatches(None)))) == len(moves)


def test_an_unbound_buffer_says_so() -> None:
    buffer = SeatRolloutBuffer(4, spaces.Box(0, 1, (5,), np.int8), spaces.Discrete(3), device="cpu")
    with pytest.raises(RuntimeError, match="bind"):
        buffer.add()

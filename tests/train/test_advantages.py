"""`per_seat_gae` against lists of each seat's decisions, on rollouts of the simulator."""

from typing import Any

import numpy as np
import pytest

from cardenvs import Batch, Ended
from cardenvs.train import per_seat_gae
from tests.naive.seat_returns import Move, seat_advantages

pytestmark = pytest.mark.compiled

RULES: dict[str, dict[str, Any]] = {
    "deals": {},
    "every seat its own part": {"reward": "tricks", "team_share": 0.0},
    "games of several deals": {"episode": "game", "target": 5, "team_share": 0.5},
    "cut off within deals": {"max_decisions": 17},
    "cut off within games": {"episode": "game", "max_decisions": 55},
    "over and not dealt again": {"restart": False},
    "decisions only": {"skip_forced": True},
}


def rollout(batch: Batch, steps: int, rng: np.random.Generator) -> dict[str, Any]:
    """A rollout of random actions with random values, as `per_seat_gae` takes it, and how many choices there were."""
    kept: dict[str, list[Any]] = {name: [] for name in ("rewards", "values", "ended", "to_act", "choices")}
    for t in range(steps + 1):
        kept["to_act"].append(batch.to_act.copy())
        kept["choices"].append(batch.action_masks.sum(1))
        kept["values"].append(rng.normal(size=batch.n).astype(np.float32))
        if t < steps:
            batch.step((rng.random(batch.action_masks.shape) * batch.action_masks).argmax(1))
            kept["rewards"].append(batch.rewards.copy())
            kept["ended"].append(batch.ended.copy())
    return {name: np.stack(arrays) for name, arrays in kept.items()}


def expected(told: dict[str, Any], game: int, least: int, gamma: float, gae_lambda: float) -> dict[int, float]:
    """The advantages of a game's decisions by step: moves with more than ``least`` choices."""
    steps, _, seats = told["rewards"].shape
    moves = []
    for t in range(steps):
        choices = 2 if told["choices"][t, game] > least else 1
        ended = told["ended"][t, game] in (Ended.EPISODE_OVER, Ended.TRUNCATED)
        value, payoffs = float(told["values"][t, game]), told["rewards"][t, game].tolist()
        moves.append(Move(int(told["to_act"][t, game]), choices, value, payoffs, ended))
    last = float(told["values"][steps, game]) if told["choices"][steps, game] > least else None
    return seat_advantages(moves, seats, gamma, gae_lambda, int(told["to_act"][steps, game]), last)


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
@pytest.mark.parametrize(("gamma", "gae_lambda"), [(1.0, 1.0), (0.9, 0.8), (1.0, 0.0)])
def test_rollouts_agree_with_lists_of_decisions(rules: dict[str, Any], gamma: float, gae_lambda: float) -> None:
    rng = np.random.default_rng(3)
    batch = Batch("euchre", 7, seed=4, **rules)
    told = rollout(batch, 200, rng)
    choices = told.pop("choices")
    wanted = {Ended.TRUNCATED} if "max_decisions" in rules else {Ended.EPISODE_OVER}
    wanted |= {Ended.DEAL_OVER} if "episode" in rules else set()
    assert wanted <= set(told["ended"].ravel())
    for least in (0, 1):
        decided = None if least == 0 else choices > least
        advantages, returns = per_seat_gae(**told, gamma=gamma, gae_lambda=gae_lambda, decided=decided)
        assert advantages.dtype == returns.dtype == np.float32
        for game in range(batch.n):
            own = expected(told | {"choices": choices}, game, least, gamma, gae_lambda)
            assert own
            for t in range(200):
                assert advantages[t, game] == pytest.approx(own.get(t, 0.0), abs=1e-4)
                value = told["values"][t, game] if t in own else 0.0
                assert returns[t, game] == pytest.approx(own.get(t, 0.0) + value, abs=1e-4)


def test_a_deal_by_hand() -> None:
    """Two seats: the first is paid after the second has moved, and the next episode is cut off before seat 1 is paid."""
    advantages, returns = per_seat_gae(
        rewards=[[[0, 0]], [[0, 0]], [[2, -2]], [[0, 0]], [[0, 0]]],
        values=[[0.5], [0.25], [1.0], [0.75], [-0.5], [0.125]],
        ended=[[Ended.RUNNING], [Ended.RUNNING], [Ended.EPISODE_OVER], [Ended.RUNNING], [Ended.TRUNCATED]],
        to_act=[[0], [1], [0], [1], [0], [1]],
        gamma=0.5,
        gae_lambda=0.5,
    )
    assert advantages[:, 0].tolist() == [0.5 * 1.0 - 0.5 + 0.25 * 1.0, -2 - 0.25, 2 - 1.0, -0.75, 0.5]
    assert returns[:, 0].tolist() == [0.75, -2.0, 2.0, 0.0, 0.0]


def test_the_end_of_a_rollout() -> None:
    """The seat to act is valued by what it sees; the other's open decision has advantage 0."""
    rewards, ended = np.zeros((2, 1, 2)), np.zeros((2, 1), bool)
    advantages, _ = per_seat_gae(rewards, [[1.0], [2.0], [4.0]], ended, [[0], [1], [0]], gamma=0.5)
    assert advantages[:, 0].tolist() == [0.5 * 4.0 - 1.0, 0.0]
    ended[1] = True  # now all is known
    advantages, _ = per_seat_gae(rewards, [[1.0], [2.0], [4.0]], ended, [[0], [1], [0]], gamma=0.5)
    assert advantages[:, 0].tolist() == [-1.0, -2.0]


def test_arguments_are_not_changed() -> None:
    told = rollout(Batch("euchre", 3, seed=1), 30, np.random.default_rng(1))
    del told["choices"]
    before = {name: array.copy() for name, array in told.items()}
    per_seat_gae(**told)
    assert all(np.array_equal(before[name], array) for name, array in told.items())

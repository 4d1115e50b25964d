"""Learning by looking ahead: what actions come to, against playing them out one by one; learning; running and resuming."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from cardenvs import policy
from cardenvs.baselines import play_match
from cardenvs.contract.loops import RUNNING
from cardenvs.train import Config, TrainedPolicy, Training, train
from cardenvs.train.learning.league import LEARNER
from cardenvs.train.learning.lookahead import Lookahead
from cardenvs.train.learning.network import actor_weights

pytestmark = pytest.mark.compiled

FIVE_O = {"game": "five-o", "network": "columns", "critic": "seat", "net": (16, 12)}
SMALL = {"games": 16, "rollout": 8, "threads": 1, "eval_deals": 5, "eval_every": 0}


def training(tmp_path: Path, **settings: Any) -> Training:
    made = Training(Config(**(SMALL | {"lookahead_steps": 128, "steps": 128} | settings)), tmp_path / "run")
    with torch.no_grad():  # a fresh actor is nearly indifferent
        made.model.policy.action_net.weight.mul_(100)
    return made


def played_out(run: Training, game: int, action: int, answer: Callable[[np.ndarray], int | None] = lambda _: None) -> float:
    """Naive: one action in a copy of one game, then ``answer`` or else the network, till the seat decides again."""
    config, env, spec = run.config, run.env, run.config.spec
    games = env.batch.games[game : game + 1].copy()
    kernels, seat = spec.kernels, int(games[0]["to_act"])
    paid = 0.0

    def sight() -> tuple[np.ndarray, np.ndarray, Any]:
        seat = int(games[0]["to_act"])
        row, mask = spec.observation(games, seat, 0)[None], np.zeros((1, spec.num_actions), np.int8)
        mask[0, [k for k in range(spec.num_actions) if spec.legal(games) >> k & 1]] = 1
        if config.critic == "full":
            whole = np.zeros((1, spec.state_size), np.int8)
            whole[:, : row.shape[1]] = row
            kernels.reveal(games, 0, seat, whole, 0, row.shape[1])
            row = whole
        return (row, mask, None) if env.symmetry is None else env.symmetry.rename_positions(row, mask)

    while True:
        kernels.step(games, 0, action)
        if games[0]["over"] != RUNNING:
            points, tricks = np.zeros((1, 2), np.int64), np.zeros((1, spec.seats), np.int64)
            winners = int(kernels.outcome(games, 0, points, tricks))
            if config.reward == "win":
                return paid + (0 if winners == 3 else 1 if winners >> seat % 2 & 1 else -1)
            return paid + float(points[0, seat % 2] - points[0, 1 - seat % 2])
        legal = spec.legal(games)
        if legal & (legal - 1) == 0:  # no decision
            action = legal.bit_length() - 1
            continue
        other = answer(games)
        if other is not None:
            action = other
            continue
        row, mask, names = sight()
        if games[0]["to_act"] == seat:
            with torch.no_grad():
                return paid + config.gamma * float(run.model.policy.predict_values(torch.from_numpy(row)))
        chosen = run.model.policy.get_distribution(torch.from_numpy(row), mask).mode().numpy()
        action = int((chosen if names is None else env.symmetry.restore_actions(chosen, names))[0])  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "settings",
    [
        FIVE_O,
        {"game": "five-o", "net": (16,), "reward": "win", "gamma": 0.9},
        {"game": "euchre", "net": (16,)},
        {"game": "whist", "net": (16,), "critic": "seat", "canonical_suits": False},
    ],
)
def test_actions_are_worth_what_playing_them_brings(settings: dict[str, Any], tmp_path: Path) -> None:
    run = training(tmp_path, **settings)
    ahead, env = Lookahead(run.config, run.env), run.env
    generator = np.random.default_rng(0)
    env.reset()
    checked = 0
    for _ in range(30):
        masks = env.batch.action_masks.copy()
        before = env.batch.games.copy()
        worth = ahead.action_values(run.model.policy)
        assert (env.batch.games == before).all()
        assert ((worth == 0) | env.action_masks()).all()
        game = int(generator.integers(env.num_envs))
        for action in np.flatnonzero(masks[game]):
            named = int(env.rename_actions(np.full(env.num_envs, action))[game])
            assert worth[game, named] == pytest.approx(played_out(run, game, int(action)), abs=1e-4)
            checked += 1
        env.step((generator.random(masks.shape) * env.action_masks()).argmax(1))
    assert checked > 60


@pytest.mark.parametrize("others", ["high", "hybrid"])
def test_who_sits_at_the_table_answers(others: str, tmp_path: Path) -> None:
    """In every game somebody of the league has a seat: what it does after an action is what counts, not the network."""
    settings = {"game": "euchre", "net": (16,), "others": (others,), "others_share": 1.0}
    run = training(tmp_path, **settings)
    assert run.lookahead is not None and run.league is not None
    env, league, player = run.env, run.league, policy.make("euchre", others)
    asked = 0

    def answer(game: int, streams: np.ndarray, games: np.ndarray) -> int | None:
        seat = int(games[0]["to_act"])
        if league.lineup[game, seat] == LEARNER:
            return None
        nonlocal asked
        asked += 1
        spec = run.config.spec
        mask = spec.mask(spec.legal(games))[None]
        return int(player.choose(spec.observation(games, seat, 0)[None], mask, streams)[0])

    env.reset()
    generator = np.random.default_rng(0)
    for _ in range(20):
        masks = env.batch.action_masks.copy()
        worth = run.lookahead.action_values(run.model.policy)
        for game in range(4):
            for action in np.flatnonzero(masks[game]):
                named = int(env.rename_actions(np.full(env.num_envs, action))[game])
                drawn = run.lookahead.streams[game : game + 1].copy()
                expected = played_out(run, game, int(action), partial(answer, game, drawn))
                assert worth[game, named] == pytest.approx(expected, abs=1e-4)
        env.step((generator.random(masks.shape) * env.action_masks()).argmax(1))
    assert asked > 100


@pytest.mark.slow
def test_it_learns(tmp_path: Path) -> None:
    """From nothing, after as few moves as PPO would need for its first steps."""
    settings = FIVE_O | {"net": (32, 32), "games": 128, "steps": 60_000, "lookahead_steps": 60_000}
    result = train(Config(**(SMALL | settings)), tmp_path / "run")
    match = play_match("five-o", result.policy, "random", deals=200, seed=1)
    assert match.win_rate.low > 0.8
    match = play_match("five-o", result.policy, "reflex1", deals=200, seed=1)
    assert match.win_rate.low > 0.5


@pytest.mark.parametrize("with_others", [False, True])
def test_ppo_goes_on_from_there_and_a_run_where_it_stopped(with_others: bool, tmp_path: Path) -> None:
    """Interrupted while looking ahead, and again after it: the same weights as in one go."""
    league = (
        {"others": ("reflex1", "random"), "others_share": 0.5, "past_share": 0.3, "past_every": 1} if with_others else {}
    )
    settings = SMALL | FIVE_O | {"lookahead_steps": 256, "lr_schedule": "constant"} | league
    Training(Config(**settings, steps=128), tmp_path / "a").run()
    for steps in (384, 512):
        resumed = Training(Config(**settings, steps=steps), tmp_path / "a", resume=True)
        resumed.run()
    straight = Training(Config(**settings, steps=512), tmp_path / "b")
    straight.run()
    assert straight.steps == resumed.steps == 512
    for name, weights in actor_weights(straight.model.policy).items():
        assert (weights == actor_weights(resumed.model.policy)[name]).all(), name
    player = TrainedPolicy("five-o", actor_weights(resumed.model.policy))
    assert play_match("five-o", player, "random", deals=5, seed=1).games == 10

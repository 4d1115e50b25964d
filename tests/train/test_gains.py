"""Learning from rewards that are paid step by step: each decision is credited with what its team gains from then on."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from cardenvs import GameSpec
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.loops import RUNNING
from cardenvs.games.hanabi import hanabi
from cardenvs.train import Config, TrainedPolicy, Training
from cardenvs.train.learning.buffer import SeatRolloutBuffer
from cardenvs.train.learning.descent import use_workers
from cardenvs.train.learning.league import League
from cardenvs.train.learning.lookahead import Lookahead
from cardenvs.train.learning.network import actor_weights
from cardenvs.train.learning.playouts import Playouts
from cardenvs.train.learning.vec_env import SelfPlayVecEnv
from tests.helpers.gains import playing_well, small_hanabi, team_score

STEPS = 40
TWO_LIVES = hanabi(colours=2, ranks=3, hand_size=2, information=3, lives=2)


class Rollout:
    """A rollout of Hanabi in a buffer, with what the fireworks and lives say of it, step by step.

    ``before`` are the points before the step, ``points`` those of the episode that it has ended or -1, ``values`` what the
    critic is taken to have said, with a row more for the end.
    """

    def __init__(self, env: SelfPlayVecEnv, seed: int, gamma: float, gae_lambda: float) -> None:
        n, rng, choose = env.num_envs, np.random.default_rng(seed), playing_well(env.game, seed)
        spaces = env.observation_space, env.action_space
        self.buffer = SeatRolloutBuffer(STEPS, *spaces, device="cpu", gae_lambda=gae_lambda, gamma=gamma, n_envs=n)
        self.buffer.bind(env, rng)
        self.buffer.reset()
        self.values = rng.normal(size=(STEPS + 1, n)).astype(np.float32)
        before, points, seats, choices = [], [], [], []
        seen: Any = env.reset()
        for t in range(STEPS):
            masks, batch = env.action_masks(), env.batch
            before.append([team_score(game) for game in batch.games])
            seats.append(batch.to_act.copy())
            choices.append(masks.sum(1))
            actions = np.array([choose(batch.games, i) for i in range(n)])
            following, rewards, dones, _ = env.step(actions)
            value = torch.from_numpy(self.values[t])
            self.buffer.add(seen, actions, rewards, dones, value, torch.zeros(n), action_masks=masks[None])
            points.append(np.where(dones, batch.points[:, 0], -1))
            seen = following
        self.before, self.points = np.array(before), np.array(points)
        self.seats, self.choices = np.array(seats), np.array(choices)
        self.buffer.compute_returns_and_advantage(torch.from_numpy(self.values[-1:].T), np.zeros(n, bool))


def with_partner(spec: GameSpec, n: int) -> SelfPlayVecEnv:
    """Games in which one seat is the learner's and others play at random within its steps."""
    league = League(spec, n, others=("random",), others_share=1.0, others_seats="opponents")
    return SelfPlayVecEnv(spec, n, seed=2, league=league)


@pytest.mark.parametrize("score", ["zero", "built"])
@pytest.mark.parametrize("partner", [False, True])
def test_an_undiscounted_return_is_what_the_team_gains_from_the_decision_on(partner: bool, score: str) -> None:
    """Whoever gains it: what the deal brings in the end less what the team had before the decision."""
    spec = TWO_LIVES if partner else small_hanabi(3)
    env = with_partner(spec, 4) if partner else SelfPlayVecEnv(spec, 4, seed=1, score=score)
    told = Rollout(env, 3, 1.0, 1.0)
    checked = lost = 0
    for i in range(env.num_envs):
        final = None
        for t in reversed(range(STEPS)):
            if told.points[t, i] >= 0:
                final = told.points[t, i]
            if final is not None and told.choices[t, i] > 1:
                assert told.buffer.returns[t, i] == pytest.approx(final - told.before[t, i], abs=1e-5)
                checked += 1
                lost += final < told.before[t, i]
    assert checked > 60
    assert (lost > 0) == (partner or score == "zero")


def fresh(folder: Path, **settings: Any) -> Training:
    """A training that has just begun, whose actor is not indifferent."""
    small = {"net": (8,), "games": 6, "rollout": 8, "threads": 1, "eval_deals": 5, "eval_every": 0, "steps": 128}
    made = Training(Config(game=TWO_LIVES.name, **(small | settings)), folder)
    with torch.no_grad():
        made.model.policy.action_net.weight.mul_(100)
    return made


def some_way(run: Training, seed: int, moves: int) -> None:
    """Plays some moves in all games of a training."""
    choose = playing_well(run.config.spec, seed)
    run.env.reset()
    for _ in range(moves):
        run.env.step(run.env.rename_actions(np.array([choose(run.env.batch.games, i) for i in range(run.env.num_envs)])))


def test_play_outs_count_what_is_yet_to_be_gained(tmp_path: Path) -> None:
    run = fresh(tmp_path, playout_steps=128)
    spec, batch, streams = run.config.spec, run.env.batch, seed_streams(0, 1)
    player = TrainedPolicy(spec, actor_weights(run.model.policy))
    some_way(run, 1, 7)
    with use_workers(torch.device("cpu")) as threads:
        worth = Playouts(run.config, run.env).action_values(player.actor, threads, run.env.batch.games)  # type: ignore[arg-type]
    had = [team_score(game) for game in batch.games]
    assert max(had) > 0
    for i, action in zip(*np.nonzero(batch.action_masks), strict=True):
        games = batch.games[i : i + 1].copy()
        spec.kernels.step(games, 0, int(action))
        while games[0]["over"] == RUNNING:
            shown = spec.observation(games, int(games[0]["to_act"]))[None]
            spec.kernels.step(games, 0, int(player.choose(shown, spec.mask(spec.legal(games))[None], streams)[0]))
        assert worth[i, action] == (team_score(games[0]) - had[i] if batch.action_masks[i].sum() > 1 else 0)
    assert not worth[batch.action_masks == 0].any()


def test_looking_ahead_counts_what_is_gained_until_the_next_decision(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both seats are the learner's: after an action the actor answers for the partner, then the critic judges."""
    monkeypatch.setattr("cardenvs.train.learning.lookahead._BRANCHES", 16)
    run = fresh(tmp_path, lookahead_steps=128)
    spec, batch, net = run.config.spec, run.env.batch, run.model.policy
    player = TrainedPolicy(spec, actor_weights(net))
    some_way(run, 2, 6)
    net.set_training_mode(False)
    values, gains = Lookahead(run.config, run.env).action_values(net), []
    for i, action in zip(*np.nonzero(batch.action_masks), strict=True):
        games, seat = batch.games[i : i + 1].copy(), int(batch.to_act[i])
        spec.kernels.step(games, 0, int(action))
        while games[0]["over"] == RUNNING and (games[0]["to_act"] != seat or spec.legal(games).bit_count() == 1):
            shown = spec.observation(games, int(games[0]["to_act"]))[None]
            mask = spec.mask(spec.legal(games))[None]
            spec.kernels.step(games, 0, int(player.choose(shown, mask, seed_streams(0, 1))[0]))
        gains.append(team_score(games[0]) - team_score(batch.games[i]))
        then = 0.0
        if games[0]["over"] == RUNNING:
            row = spec.full_state(games, seat) if run.env.full_state else spec.observation(games, seat)
            with torch.inference_mode():
                then = float(net.predict_values(torch.from_numpy(row[None])))
        assert values[i, action] == pytest.approx(gains[-1] + run.config.gamma * then, abs=1e-4)
    assert max(gains) > 0 and min(gains) < 0


def test_a_training_runs(tmp_path: Path) -> None:
    result = fresh(tmp_path, rollout=16, batch_size=64).run()
    assert result.steps >= 128

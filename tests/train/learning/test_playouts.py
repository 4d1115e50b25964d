"""Learning from play-outs: what actions come to, against plain Python; learning; running and resuming."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from cardenvs import policy
from cardenvs.baselines import play_match
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.loops import RUNNING
from cardenvs.train import Config, TrainedPolicy, Training, export, train
from cardenvs.train.inference.plain_actor import PlainActor
from cardenvs.train.learning.descent import use_workers
from cardenvs.train.learning.network import actor_weights
from cardenvs.train.learning.playouts import Playouts

pytestmark = pytest.mark.compiled

SMALL = {"net": (16,), "games": 16, "rollout": 8, "threads": 1, "eval_deals": 5, "eval_every": 0}


def training(tmp_path: Path, **settings: Any) -> Training:
    made = Training(Config(**(SMALL | {"playout_steps": 128, "steps": 128} | settings)), tmp_path / "run")
    with torch.no_grad():  # a fresh actor is nearly indifferent
        made.model.policy.action_net.weight.mul_(100)
    return made


def played_out(run: Training, player: TrainedPolicy, game: int, action: int) -> float:
    """Naive: one action in a copy of one game, then what the player does in every seat, to the end of the deal."""
    spec, reward = run.config.spec, run.config.reward
    games = run.env.batch.games[game : game + 1].copy()
    seat, streams = int(games[0]["to_act"]), seed_streams(0, 1)
    spec.kernels.step(games, 0, action)
    while games[0]["over"] == RUNNING:
        shown = spec.observation(games, int(games[0]["to_act"]))[None]
        spec.kernels.step(games, 0, int(player.choose(shown, spec.mask(spec.legal(games))[None], streams)[0]))
    end = spec.outcome(games)
    if reward == "points":
        return end.points[seat % 2] - end.points[1 - seat % 2]
    taken = [sum(end.tricks[side::2]) for side in (0, 1)]
    return taken[seat % 2] - taken[1 - seat % 2]


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({"game": "euchre"}, id="euchre"),
        pytest.param({"game": "euchre", "options": {"bidding": "forced-spades"}, "threads": 2}, id="forced-spades"),
        pytest.param({"game": "euchre", "recall": True, "canonical_suits": False}, id="recall", marks=pytest.mark.slow),
        pytest.param({"game": "whist", "reward": "tricks", "critic": "seat"}, id="whist", marks=pytest.mark.slow),
    ],
)
def test_actions_are_worth_what_playing_them_out_brings(settings: dict[str, Any], tmp_path: Path) -> None:
    run = training(tmp_path, **settings)
    config, env, net = run.config, run.env, run.model.policy
    tried = Playouts(config, env)
    weights = actor_weights(net)
    player = TrainedPolicy(config.spec, weights, canonical_suits=config.canonical_suits, options=config.options)
    assert isinstance(player.actor, PlainActor)
    generator = np.random.default_rng(0)
    env.reset()
    checked = 0
    for _ in range(25):
        masks, before = env.batch.action_masks.copy(), env.batch.games.copy()
        with use_workers(torch.device("cpu")) as threads:
            worth = tried.action_values(player.actor, threads, env.batch.games)
        assert (env.batch.games == before).all()
        assert ((worth == 0) | (masks != 0)).all()
        game = int(generator.integers(env.num_envs))
        if masks[game].sum() > 1:
            for action in np.flatnonzero(masks[game]):
                assert worth[game, action] == played_out(run, player, game, int(action))
                checked += 1
        shown = env.rename_columns(worth)
        for action in np.flatnonzero(masks[game]):
            assert shown[game, env.rename_actions(np.full(env.num_envs, action))[game]] == worth[game, action]
        env.step((generator.random(masks.shape) * env.action_masks()).argmax(1))
    assert checked > 40


def test_the_loss_is_that_of_the_formula(tmp_path: Path) -> None:
    """Against autograd on probabilities written out: the expected advantage, the entropy, the critic's error."""
    run = training(tmp_path, game="euchre", ent_coef=0.3, vf_coef=0.7, precision="float32")
    net, generator = run.model.policy, np.random.default_rng(1)
    seen: Any = run.env.reset()
    legal = run.env.action_masks()
    advantages = np.where(legal, generator.normal(size=legal.shape), 0).astype(np.float32)
    returns = generator.normal(size=len(seen)).astype(np.float32)
    numbers = generator.permutation(len(seen))
    with use_workers(torch.device("cpu")) as threads:
        rows = net.prepare_rows(seen, threads)
    tried = Playouts(run.config, run.env)
    every = map(torch.from_numpy, (legal, advantages, returns))
    loss, entropy = tried._share_loss(run.model, rows, numbers, *every, slice(None))
    shown = torch.from_numpy(seen)
    probs = net.get_distribution(shown, legal).distribution.probs
    surprise = torch.where(probs > 0, -probs.clamp(min=1e-30).log() * probs, 0).sum(1).mean()
    gain = (probs * torch.from_numpy(advantages)).sum(1).mean()
    error = (torch.from_numpy(returns) - net.predict_values(shown)[:, 0]).square().mean()
    expected = -gain - 0.3 * surprise + 0.7 * error
    assert entropy.item() == pytest.approx(surprise.item(), rel=1e-4)
    assert loss.item() == pytest.approx(expected.item(), rel=1e-4)


@pytest.mark.slow
def test_it_learns(tmp_path: Path) -> None:
    """From nothing, to beat bots of one rule."""
    settings = {"game": "euchre", "options": {"bidding": "forced-spades"}, "net": (32,), "games": 256, "rollout": 16}
    steps = 36 * 256 * 16
    more = {"steps": steps, "playout_steps": steps, "epochs": 1, "lr": 5e-3}
    result = train(Config(**(SMALL | settings | more)), tmp_path / "run")
    for bot in ("low", "high"):
        match = play_match("euchre", result.policy, bot, deals=2000, seed=1, bidding="forced-spades")
        assert match.points_margin.low > 0, bot


def test_a_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    """Interrupted before the play-outs, and again among them: the same weights as in one go."""
    settings = SMALL | {"game": "euchre", "steps": 512, "playout_steps": 256, "lr": 0.02}
    for stop_at in (128, 384, 512):
        resumed = Training(Config(**settings), tmp_path / "a", resume=stop_at > 128)
        result = resumed.run(lambda stop_at=stop_at, resumed=resumed: resumed.steps >= stop_at)  # type: ignore[misc]
        assert result.steps == stop_at
    straight = Training(Config(**settings), tmp_path / "b")
    straight.run()
    fresh = Training(Config(**settings), tmp_path / "c")
    for name, weights in actor_weights(straight.model.policy).items():
        assert (weights == actor_weights(resumed.model.policy)[name]).all(), name
        assert (weights != actor_weights(fresh.model.policy)[name]).any(), name


def test_the_learning_rate_falls_in_each_phase(tmp_path: Path) -> None:
    run = Training(Config(**(SMALL | {"game": "euchre", "steps": 512, "playout_steps": 128})), tmp_path / "run")  # type: ignore[arg-type]
    left = []
    for _ in range(4):
        left.append(1 - run._phase_done())
        run.model.num_timesteps += 128
    assert left == pytest.approx([1, 2 / 3, 1 / 3, 1])
    assert run._phase_done() == 1


@pytest.mark.slow
def test_described_games_are_played_out(tmp_path: Path) -> None:
    settings = {"game": "agram", "steps": 256, "playout_steps": 256}
    result = train(Config(**(SMALL | settings)), tmp_path / "run")
    export(result.policy, tmp_path / "agram.safetensors", critic=True)
    player = policy.make("agram", str(tmp_path / "agram.safetensors"))
    assert play_match("agram", player, "random", deals=20, seed=1).games >= 20

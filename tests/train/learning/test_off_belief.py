"""Off-belief learning: what actions are worth in drawn worlds, against every world played out; settings; going on."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from cardenvs import get_game, policy
from cardenvs.cli import main
from cardenvs.compiled.streams import seed_streams
from cardenvs.games import hanabi
from cardenvs.train import Config, TrainedPolicy, Training, recipe
from cardenvs.train.learning import off_belief
from cardenvs.train.learning.descent import use_workers
from cardenvs.train.learning.network import actor_weights
from cardenvs.train.learning.off_belief import DrawnWorlds, OffBelief, exploration_shares
from tests.helpers.one_sided import written
from tests.naive.off_belief import Chances, after, legal, likelihood
from tests.naive.off_belief import OffBelief as Naive

GAME = "hanabi:colours=1,ranks=3,hand_size=1,information=1,lives=1"
OTHER = "hanabi:colours=1,ranks=2,hand_size=1,information=1,lives=1"
QUICK: dict[str, Any] = {
    "games": 4, "rollout": 4, "batch_size": 8, "net": (4,), "threads": 1, "eval_deals": 2, "eval_every": 0, "steps": 32,
    "device": "cpu", "precision": "float32", "off_belief": 1, "critic": "seat",
}  # fmt: skip


def training(out: Path, game: str = GAME, scale: float = 200, **settings: Any) -> Training:
    """A run whose actor is not as indifferent as a fresh one, by a factor of its last weights."""
    made = Training(Config(game, **(QUICK | settings)), out)
    with torch.no_grad():
        made.model.policy.action_net.weight.mul_(scale)
    return made


def chances_of(player: policy.Policy) -> Chances:
    """The probabilities of a policy's actions by what the seat to act sees."""

    def chances(games: Any) -> dict[int, float]:
        """The probability of each legal action."""
        mask = np.zeros((1, player.game.num_actions), np.int8)
        mask[0, legal(games)] = 1
        found = player.chances_of(player.game.observation(games, int(games[0]["to_act"]))[None], mask)[0]
        return {action: float(found[action]) for action in legal(games)}

    return chances


@pytest.mark.parametrize("level", [1, 2])
def test_actions_are_worth_their_mean_over_worlds(level: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Within five standard errors: a false alarm in a million runs for each action, if seeds were drawn anew.

    The second seat has a 2, which fits the 1 that the first has played. By what it knows its card may as well be a 1 or the
    3, and by what the policy of the level below does it is the 3 most likely.
    """
    n, doubt, rules, weight = 150, off_belief.DOUBT, {"score": "built"}, None
    settings: dict[str, Any] = {"options": rules}
    if level == 2:
        monkeypatch.setattr(off_belief, "CANDIDATES", 16)
        below = training(tmp_path / "below", scale=2000, seed=20, options=rules)
        below.save()
        settings |= {"off_belief": 2, "below": str(below.path)}
        known = chances_of(policy.make(GAME, str(below.path)))
        weight = lambda world: likelihood(world, known, doubt)  # noqa: E731
    run = training(tmp_path / "run", games=n, **settings)
    assert run.playouts is not None and run.playouts.off_belief is not None
    player = TrainedPolicy(run.config.spec, actor_weights(run.model.policy), options=rules)
    games = get_game(GAME).parse(f"{GAME} score=built deck=R1R2R1R1R2R3 actions=play-1")
    run.env.batch.set_games(np.repeat(games, n))
    streams = seed_streams(3, n)
    drawn = run.playouts.off_belief.draw_worlds(streams)
    assert drawn.found.all()
    with use_workers(torch.device("cpu")) as threads:
        worth = run.playouts.action_values(player.actor, threads, drawn.games, streams)  # type: ignore[arg-type]
    naive = Naive(run.config.spec, chances_of(player), weight)
    exact, paid = naive.values(games), hanabi.points_of(games, 0)
    errors = {action: 5 * worth[:, action].std() / np.sqrt(n) + 1e-6 for action in exact}
    for action, value in exact.items():
        assert abs(worth[:, action].mean() + paid - value) < errors[action]
    wrong = [{action: naive.ahead(after(games, action)) for action in exact}]  # in the cards of the deal at hand
    wrong += [Naive(run.config.spec, chances_of(player)).values(games)] if level == 2 else []  # at level 1
    for values in wrong:
        assert any(abs(values[action] - value) > 1.5 * errors[action] for action, value in exact.items())


def test_logits_are_what_actions_are_worth_by_the_temperature(tmp_path: Path) -> None:
    """The loss against a formula: squares of differences between actions, beside what the critic errs by."""
    run = training(tmp_path, ent_coef=0.3, vf_coef=0.7)
    assert run.playouts is not None
    net, generator = run.model.policy, np.random.default_rng(1)
    seen: Any = run.env.reset()
    legal = run.env.action_masks()
    worth = np.where(legal, generator.normal(size=legal.shape), 0).astype(np.float32)
    returns = generator.normal(size=len(seen)).astype(np.float32)
    with use_workers(torch.device("cpu")) as threads:
        rows = net.prepare_rows(seen, threads)
    loss, _ = run.playouts._share_loss(
        run.model, rows, np.arange(len(seen)), *map(torch.from_numpy, (legal, worth, returns)), slice(None)
    )
    logits, values = (
        net.get_distribution(torch.from_numpy(seen)).distribution.logits,
        net.predict_values(torch.from_numpy(seen)),
    )
    expected = 0.0
    for row in range(len(seen)):
        open_to = np.flatnonzero(legal[row])
        scaled = 0.3 * logits[row].detach().numpy()[open_to]
        expected += float(np.square(scaled - scaled.mean() - worth[row, open_to]).sum()) / 0.6 / len(seen)
        expected += 0.7 * float(values[row, 0].detach() - returns[row]) ** 2 / len(seen)
    assert loss.item() == pytest.approx(expected, rel=1e-4)


def test_where_no_world_is_found_nothing_is_learned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = training(tmp_path)
    draw = OffBelief.draw_worlds
    monkeypatch.setattr(
        OffBelief, "draw_worlds", lambda self, streams: DrawnWorlds(draw(self, streams).games, np.zeros(4, np.bool_))
    )
    before = {name: weights.copy() for name, weights in actor_weights(run.model.policy).items()}
    run.run()
    assert run.steps == 32
    assert all((weights == before[name]).all() for name, weights in actor_weights(run.model.policy).items())


def test_two_halves_make_the_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At a level above the first, whose worlds come from a policy's file."""
    monkeypatch.setattr(off_belief, "CANDIDATES", 3)
    below = training(tmp_path / "below")
    below.run()
    settings = {"off_belief": 2, "below": str(below.path), "lr_schedule": "constant"}
    whole = training(tmp_path / "whole", **settings)
    whole.run()
    training(tmp_path / "half", steps=16, **settings).run()
    rest = Training(Config(GAME, **(QUICK | settings)), tmp_path / "half", resume=True)
    rest.run()
    for name, weights in actor_weights(whole.model.policy).items():
        assert (weights == actor_weights(rest.model.policy)[name]).all(), name
    below.path.rename(tmp_path / "elsewhere.zip")
    assert policy.make(GAME, str(whole.path)).name == str(whole.path), "a policy plays without the one below it"


def test_a_described_game(tmp_path: Path) -> None:
    run = training(tmp_path / "run", written("team", tmp_path))
    before = {name: weights.copy() for name, weights in actor_weights(run.model.policy).items()}
    run.run()
    assert any((weights != before[name]).any() for name, weights in actor_weights(run.model.policy).items())


def test_games_explore_by_shares_of_their_own() -> None:
    shares = exploration_shares(5)
    assert shares.tolist() == pytest.approx([0, 0.5 / 16, 0.5 / 4, 0.5 * 9 / 16, 0.5])


def test_games_without_worlds_or_a_past(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = get_game(GAME)
    for missing, message in (
        ({"redeal": None}, "off_belief must be 0 in .*, where no worlds can be drawn"),
        ({"rewind": None}, "off_belief must be 0 or 1 in .*, where what was done cannot be replayed"),
    ):
        without = replace(spec, kernels=replace(spec.kernels, **missing))
        with pytest.raises(ValueError, match=message):
            Config(GAME, **(QUICK | {"off_belief": 2}))._check_off_belief(without)


def test_the_policy_below_must_be_there_and_play_the_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    training(Path("other"), OTHER)
    few = ["--steps", "16", "--games", "4", "--rollout", "4", "--net", "4", "--eval-deals", "2", "--quiet"]
    for below, message in (
        ([], "below must name the policy of the level below where off_belief is 2"),
        (["--set", "below=random"], "below must be a policy that can be foretold, not 'random'"),
        (["--set", "below=other/policy.zip"], f"plays {OTHER}"),
        (["--set", "below=nowhere.zip"], "nowhere.zip"),
    ):
        assert main(["train", GAME, "--recipe", "hanabi/off-belief-2", *few, *below, "--out", "run"]) == 2
        told = capsys.readouterr().err
        assert message in told and len(told.splitlines()) == 1, told
        assert not Path("run", "policy.zip").exists()
    assert main(["train", GAME, "--recipe", "hanabi/off-belief-1", *few, "--out", "run"]) == 0
    assert recipe("hanabi/off-belief-1").off_belief == 1

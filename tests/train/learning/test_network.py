"""A critic that sees the whole deal, beside an actor that sees its seat only; learning from a teacher."""

from pathlib import Path

import numpy as np
import pytest
import torch

from cardenvs import policy
from cardenvs.baselines import play_match
from cardenvs.compiled.streams import seed_streams
from cardenvs.train import Config, TrainedPolicy, Training
from cardenvs.train.learning.behaviour_cloning import clone_behaviour, play_demonstrations
from cardenvs.train.learning.network import actor_weights
from cardenvs.train.learning.vec_env import SelfPlayVecEnv

pytestmark = pytest.mark.compiled

SMALL = {"games": 32, "rollout": 8, "net": (32,), "steps": 256, "threads": 1, "eval_deals": 5}


@pytest.mark.parametrize("game", ["euchre", "whist", "five-o"])
def test_the_actor_does_not_see_what_its_seat_cannot(game: str, tmp_path: Path) -> None:
    training = Training(Config(game, **SMALL), tmp_path)  # type: ignore[arg-type]
    net, seen = training.model.policy, training.env.game.observation_size
    rows = torch.from_numpy(training.env.reset())
    masks = training.env.action_masks()
    assert rows.shape[1] == training.env.game.state_size > seen
    altered = rows.clone()
    altered[:, seen:] = 1 - altered[:, seen:]
    with torch.no_grad():
        assert torch.equal(
            net.get_distribution(rows, masks).distribution.logits, net.get_distribution(altered, masks).distribution.logits
        )
        assert (net.predict_values(rows) != net.predict_values(altered)).all(), "the critic does"
        changed = rows.clone()
        changed[:, :seen] = 1 - changed[:, :seen]
        assert not torch.equal(
            net.get_distribution(rows, masks).distribution.logits, net.get_distribution(changed, masks).distribution.logits
        )
    short = rows[:, :seen].numpy()
    chosen = [net.predict(r, deterministic=True, action_masks=masks)[0] for r in (rows.numpy(), short)]
    assert (chosen[0] == chosen[1]).all()
    player = TrainedPolicy(game, actor_weights(training.model.policy), canonical_suits=False)
    assert (player.choose(short, masks.astype(np.int8), seed_streams(0, len(short))) == chosen[0]).all()
    with pytest.raises(ValueError, match="shape"):
        net.predict(short[:, 1:], action_masks=masks)


def test_suits_are_renamed_in_the_hidden_part_too() -> None:
    """Under canonical names every card of the deal still has one holder."""
    env = SelfPlayVecEnv("euchre", 16, seed=3, full_state=True, canonical_suits=True, bidding="forced-spades")
    rows = env.reset()
    hidden = rows[:, env.game.observation_size :]
    labels = [label for part in env.game.hidden for label in part.labels]
    plain = SelfPlayVecEnv("euchre", 16, seed=3, full_state=True, bidding="forced-spades").reset()
    assert (hidden.sum(1) == plain[:, env.game.observation_size :].sum(1)).all()
    assert (hidden != plain[:, env.game.observation_size :]).any()
    assert len(labels) == hidden.shape[1]
    hands = slice(0, 24)
    own = rows[:, env.game.slices["hand"]]
    assert ((own + hidden[:, hands]) <= 1).all(), "a card of the own hand is in nobody else's"


def test_demonstrations_are_the_teachers_deals() -> None:
    env = SelfPlayVecEnv("euchre", 32, seed=1, canonical_suits=True, skip_forced=True, bidding="forced-spades")
    teacher = policy.make("euchre", "high-low")
    shown = play_demonstrations(env, teacher, 4000)
    n = len(shown.actions)
    assert 3000 < n <= 4000 + 32
    assert shown.action_masks[np.arange(n), shown.actions].all()
    assert set(np.unique(shown.returns)) <= {-2.0, -1.0, 1.0, 2.0}
    assert abs(shown.returns.mean()) < 0.1, "each deal pays as much as it costs"
    names = policy.make("euchre", "high-low").choose(
        shown.observations, shown.action_masks.astype(np.int8), seed_streams(0, n)
    )
    assert (names % 6 == shown.actions % 6).mean() > 0.95, "suits decide between equals only"


def test_behaviour_cloning_learns_the_teacher(tmp_path: Path) -> None:
    config = Config(
        "euchre", options={"bidding": "forced-spades"}, games=64, rollout=8, net=(64, 64), threads=1, critic="full"
    )
    training = Training(config, tmp_path)
    env = SelfPlayVecEnv(
        "euchre", 64, seed=1, canonical_suits=True, skip_forced=True, full_state=True, bidding="forced-spades"
    )
    shown = play_demonstrations(env, policy.make("euchre", "coop-high-low"), 30_000)
    agreed = clone_behaviour(training.model, shown, epochs=4)
    assert agreed[-1] > agreed[0] + 0.03, agreed
    player = TrainedPolicy("euchre", actor_weights(training.model.policy), canonical_suits=True)
    result = play_match("euchre", player, "low", deals=500, seed=0, bidding="forced-spades")
    assert result.points_margin.low > 0.05
    values = training.model.policy.predict_values(torch.from_numpy(shown.observations[:5000])).detach().numpy().ravel()
    assert np.corrcoef(values, shown.returns[:5000])[0, 1] > 0.5, "the critic has learned what deals come to"


def test_a_run_with_everything_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    """Earlier selves, other players and their deals are in the checkpoint: two halves make the whole."""
    settings = {
        "games": 32, "rollout": 8, "net": (16,), "threads": 1, "eval_deals": 5, "eval_every": 0, "lr_schedule": "constant",
        "imitate": "high", "imitate_decisions": 500, "imitate_epochs": 1, "others": ("hybrid",), "others_share": 0.3,
        "past_share": 0.3, "past_every": 2,
    }  # fmt: skip
    whole = Training(Config("euchre", steps=256 * 6, **settings), tmp_path / "whole")  # type: ignore[arg-type]
    whole.run()
    Training(Config("euchre", steps=256 * 3, **settings), tmp_path / "half").run()  # type: ignore[arg-type]
    rest = Training(Config("euchre", steps=256 * 6, **settings), tmp_path / "half", resume=True)  # type: ignore[arg-type]
    rest.run()
    assert whole.league is not None and len(whole.league.past) >= 2
    for name, weights in whole.model.policy.state_dict().items():
        assert torch.equal(weights, rest.model.policy.state_dict()[name]), name

"""Networks as they play: the same as they learned, whatever lies around them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from cardenvs import policy
from cardenvs.baselines.match import play_match
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.registry import get_game
from cardenvs.envs.batch import Batch
from cardenvs.train.config import Config
from cardenvs.train.inference.column_actor import ColumnActor
from cardenvs.train.inference.learned import TrainedPolicy
from cardenvs.train.inference.plain_actor import PlainActor
from cardenvs.train.inference.shipped import Learned, by_rules, shipped_files
from cardenvs.train.inference.symmetry import SuitSymmetry
from cardenvs.train.learning.network import actor_weights
from cardenvs.train.learning.self_play import Training
from tests.helpers.batches import played_on

pytestmark = pytest.mark.compiled

SMALL: dict[str, Any] = {"games": 16, "rollout": 4, "threads": 1, "eval_deals": 5}


@pytest.mark.parametrize("activation", ["relu", "tanh"])
@pytest.mark.parametrize(
    ("game", "settings"),
    [
        ("euchre", {"net": (48, 20)}),
        ("whist", {"net": (70,)}),
        ("five-o", {"network": "columns", "net": (24, 70), "critic": "seat"}),
    ],
)
def test_the_same_numbers_as_in_training(game: str, settings: dict[str, Any], activation: str, tmp_path: Path) -> None:
    model = Training(Config(game, activation=activation, **(SMALL | settings)), tmp_path).model
    net = model.policy
    with torch.no_grad():  # the last layer begins near 0
        net.action_net.weight.normal_()
        net.action_net.bias.normal_()
    batch = played_on(game, 64, 9, seed=5)
    player = TrainedPolicy(game, actor_weights(model.policy), activation)
    assert isinstance(player.actor, ColumnActor if "network" in settings else PlainActor)
    rows = torch.from_numpy(batch.observations if "network" in settings else batch.states())
    with torch.no_grad():
        expected = net.get_distribution(rows, batch.action_masks).distribution.probs.numpy()
    assert player.probabilities(batch.observations, batch.action_masks) == pytest.approx(expected, abs=1e-5)
    chosen = player.choose(batch.observations, batch.action_masks, seed_streams(0, batch.n))
    assert (chosen == expected.argmax(1)).all()


@pytest.mark.parametrize("activation", ["relu", "tanh"])
@pytest.mark.parametrize(
    ("game", "settings"),
    [
        ("euchre", {"net": (48, 20)}),
        ("euchre", {"net": (30,), "canonical_suits": True, "recall": True}),
        ("whist", {"net": (70,), "critic": "seat"}),
        ("five-o", {"network": "columns", "net": (24, 70), "critic": "seat"}),
    ],
)
def test_the_same_values_as_in_training(game: str, settings: dict[str, Any], activation: str, tmp_path: Path) -> None:
    model = Training(Config(game, activation=activation, **(SMALL | settings)), tmp_path).model
    spec = get_game(game).with_recall(settings.get("recall", False))
    batch = played_on(spec, 64, 9, seed=5)
    canonical = settings.get("canonical_suits", False)
    weights = {name: array.numpy() for name, array in model.policy.state_dict().items()}
    player = TrainedPolicy(spec, weights, activation, canonical_suits=canonical, value_kind="points")
    states = batch.states()
    rows = SuitSymmetry(spec).rename_positions(states, batch.action_masks)[0] if canonical else states
    with torch.no_grad():
        seen = torch.from_numpy(rows[:, : spec.observation_size] if settings.get("critic") == "seat" else rows)
        expected = model.policy.predict_values(seen)[:, 0].numpy()
    assert expected.std() > 0.01
    assert player.values_of(states) == pytest.approx(expected, abs=1e-5)


def test_what_a_critic_foretells(tmp_path: Path) -> None:
    """A deal's end, in rewards of one kind, undiscounted, of the whole side: else the policy has no values."""
    cases: list[tuple[dict[str, Any], str]] = [
        ({}, "points"),
        ({"reward": "win"}, "win"),
        ({"team_share": 0.5}, ""),
        ({"gamma": 0.9}, ""),
        ({"options": {"episode": "game"}}, ""),
    ]
    for k, (settings, kind) in enumerate(cases):
        run = Training(Config("euchre", net=(8,), **(SMALL | settings)), tmp_path / str(k))
        assert run.model is not None
        player = policy.make("euchre", str(tmp_path / str(k) / "policy.zip"))
        assert player.value_kind == kind
        if not kind:
            with pytest.raises(ValueError, match="has no values"):
                player.values_of(played_on("euchre", 2, 0, seed=1).states())


@pytest.mark.slow
def test_a_score_foretells_nothing_of_the_others(tmp_path: Path) -> None:
    Training(Config("kuhn-poker", net=(8,), **(SMALL | {"reward": "score"})), tmp_path)
    assert policy.make("kuhn-poker", str(tmp_path / "policy.zip")).value_kind == ""


def test_what_the_shipped_networks_foretell() -> None:
    """The second generation has critics, each for its rules; the first has none."""
    parts = []
    for options in ({}, {"bidding": "forced-spades"}):
        batch = Batch("euchre", 64, seed=3, **options)
        for _ in range(6):
            batch.step(batch.action_masks.argmax(1))
        parts.append(batch.states())
    player, states = policy.make("euchre", "learned"), np.concatenate(parts)
    assert isinstance(player, Learned)
    assert player.value_kind == "points"
    values = player.values_of(states)
    assert values.std() > 0.1
    assert np.abs(values).max() < 4
    for part, some in by_rules(player.parts, np.ascontiguousarray(states[:, : player.game.observation_size])):
        assert len(some) == 64
        assert values[some] == pytest.approx(part.values_of(states[some]))
    first = policy.make("euchre", "learned:generation=1")
    assert first.value_kind == ""
    with pytest.raises(ValueError, match="has no values"):
        first.values_of(states)


@pytest.mark.parametrize("name", ["euchre", "whist"])
@pytest.mark.parametrize("options", [{}, {"episode": "game"}])
def test_what_is_chosen_is_the_likeliest(name: str, options: dict[str, Any]) -> None:
    """Renaming suits, leaving out the score and skipping zeros, all in one kernel: as `chances` step by step."""
    player = policy.make(name, "learned")
    part = player.parts[-1]  # type: ignore[attr-defined]
    for moves in (0, 3, 12, 40, 70):
        batch = played_on(name, 300, moves, seed=5, **options)
        masks = batch.action_masks
        chances = part.chances(part.known(batch.observations), masks)
        assert (chances[masks == 0] == 0).all() and chances.sum(1)[masks.any(1)] == pytest.approx(1, abs=1e-5)
        chosen = player.choose(batch.observations, masks, seed_streams(0, batch.n))
        assert (chosen == chances.argmax(1)).all()
        left = seed_streams(0, batch.n)
        drawn = policy.make(name, "learned:sample=yes").choose(batch.observations, masks, left)
        assert masks[np.arange(batch.n), drawn][masks.any(1)].all()
        assert ((left != seed_streams(0, batch.n)) == (masks.sum(1) > 1)).all(), "one draw where there is a choice"


def test_the_score_is_not_seen_by_a_policy_of_single_deals() -> None:
    player = policy.make("euchre", "learned")
    batch = played_on("euchre", 300, 10, seed=5, episode="game")
    streams = seed_streams(0, 300)
    before = player.choose(batch.observations, batch.action_masks, streams)
    changed = batch.observations.copy()
    for part in ("score_own", "score_other"):
        changed[:, get_game("euchre").slices[part]] ^= 1
    assert (player.choose(changed, batch.action_masks, streams) == before).all()
    by_hand = PlainActor(
        player.game, player.parts[-1].weights(), "relu", SuitSymmetry("euchre"), np.zeros(0, np.int64), np.zeros(0, np.int8)
    )  # type: ignore[attr-defined]
    assert (by_hand.choose(changed, batch.action_masks, streams, False) != before).any(), "it would make a difference"


def test_nothing_to_choose() -> None:
    player = policy.make("euchre", "learned")
    batch = played_on("euchre", 8, 3, seed=5)
    masks = np.zeros_like(batch.action_masks)
    assert (player.choose(batch.observations, masks, seed_streams(0, 8)) == 0).all()
    assert len(player.choose(batch.observations[:0], masks[:0], seed_streams(0, 0))) == 0


@pytest.mark.parametrize(
    ("game", "generations", "refused"),
    [
        ("euchre", {"euchre--forced-spades": 2, "euchre": 3}, {"stick_the_dealer": True}),
        ("whist", {"whist": 2}, {}),
        ("five-o", {"five-o": 1}, {"hidden_rows": 2}),
        pytest.param("beacon-relay", {"beacon-relay": 1}, {"beacons": 2}, marks=pytest.mark.slow),
    ],
)
def test_learned_plays_what_its_page_says(game: str, generations: dict[str, int], refused: dict[str, Any]) -> None:
    """As docs/policies.md has it: of which generation each network is, and by which rules none plays."""
    assert {path.stem: int(path.parent.name.removeprefix("generation-")) for path in shipped_files(game)} == generations
    for name, value in refused.items():
        with pytest.raises(ValueError, match="does not play by other rules"):
            play_match(game, "learned", "random", deals=1, **{name: value})

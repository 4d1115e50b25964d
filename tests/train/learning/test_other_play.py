"""Other-play: names of each seat's own in training, none outside; entropy that falls; less of an observation."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from cardenvs import GameSpec, get_game, policy
from cardenvs.cli import main
from cardenvs.files import name_in_path
from cardenvs.policy.contract import ask_rows
from cardenvs.randomness import hashed_streams
from cardenvs.train import RECIPES, TrainedPolicy
from cardenvs.train.config import Config, stored_config
from cardenvs.train.learning.behaviour_cloning import play_demonstrations
from cardenvs.train.learning.league import League
from cardenvs.train.learning.network import actor_weights
from cardenvs.train.learning.other_play import OtherPlay
from cardenvs.train.learning.self_play import Training, make_environment, make_model
from cardenvs.train.learning.vec_env import SelfPlayVecEnv
from cardenvs.train.models.checkpoint import read_checkpoint
from tests.helpers.batches import played_on, step_at_random

GAME = "hanabi:colours=3,ranks=2,hand_size=2"
QUICK: dict[str, Any] = {
    "games": 8, "rollout": 4, "batch_size": 16, "net": (8,), "threads": 1, "eval_deals": 4, "eval_every": 0,
    "device": "cpu", "precision": "float32",
}  # fmt: skip


def named(spec: GameSpec, row: np.ndarray[Any, Any], colours: tuple[int, ...], shown: int | None = None) -> Any:
    """A row of a full state, or of its first entries, with the letters of its labels exchanged one by one."""
    letters = {"RYG"[k]: "RYG"[new] for k, new in enumerate(colours)}
    parts = [part for part in spec.parts if shown is None or spec.slices[part.name].stop <= shown] + list(spec.hidden)
    out, start = np.zeros_like(row), 0
    for part in parts:
        for k, label in enumerate(part.labels):
            there = part.labels.index("".join(letters.get(letter, letter) for letter in label))
            if start + k < len(row):
                out[start + there] = row[start + k]
        start += part.size
    return out


@pytest.mark.parametrize(
    ("recall", "encoding", "full_state"), [(False, None, True), (False, "canonical", True), (True, None, False)]
)
def test_seats_see_the_same_games_under_names_of_their_own(recall: bool, encoding: str | None, full_state: bool) -> None:
    n, settings = 4, {"recall": recall, "encoding": encoding, "full_state": full_state, "seed": 2}
    env, plain = SelfPlayVecEnv(GAME, n, **settings, other_play="colours"), SelfPlayVecEnv(GAME, n, **settings)
    rows, originals = env.reset(), plain.reset()
    assert env.other_play is not None
    symmetry, rng, met = env.game.symmetry("colours"), np.random.default_rng(0), set()
    actions = {name: number for number, name in enumerate(env.game.actions)}
    for _ in range(15):
        numbers = env.other_play.numbers[np.arange(n), env.batch.to_act]
        masks = plain.action_masks()
        chosen = (rng.random(masks.shape) * masks).argmax(1)
        shown = np.empty(n, np.int64)
        for k in range(n):
            colours = symmetry.permutations[numbers[k]]
            assert (rows[k] == named(env.game, originals[k], colours, env.game.shown_size(encoding))).all()
            there = [actions[symmetry.renamed(name, colours)] for name in env.game.actions]
            assert (env.action_masks()[k][there] == masks[k]).all()
            shown[k] = there[chosen[k]]
        met |= set(numbers.tolist())
        assert (env.rename_actions(chosen) == shown).all()
        (rows, *told), (originals, *expected) = env.step(shown), plain.step(chosen)
        assert all((one == two).all() for one, two in zip(told[:2], expected[:2], strict=True))
        assert (env.payoffs == plain.payoffs).all() and (env.batch.games == plain.batch.games).all()
    assert len(met) > 2


def test_one_seat_has_the_games_names_and_the_others_any() -> None:
    """Binomial bounds of five standard deviations: a false alarm in about a million runs for each number."""
    n = 6000
    names = OtherPlay(get_game("hanabi:players=3,colours=3,ranks=2,hand_size=2"), "colours", n, seed=1)
    names.draw_names(np.arange(n))
    assert (names.numbers == 0).any(1).all()
    # A seat has the game's names where it was drawn to have them, and else in one case of six.
    for seat in range(3):
        for number, share in enumerate([1 / 3 + 2 / 3 / 6] + [2 / 3 / 6] * 5):
            assert abs((names.numbers[:, seat] == number).mean() - share) < 5 * np.sqrt(share * (1 - share) / n)
    before = names.numbers.copy()
    names.draw_names(np.array([2, 5]))
    assert set(np.flatnonzero((names.numbers != before).any(1))) <= {2, 5}
    beside = OtherPlay(get_game("hanabi:players=3,colours=3,ranks=2,hand_size=2"), "colours", 10, seed=1)
    beside.draw_names(np.arange(10))
    assert (beside.numbers == before[:10]).all(), "what a game draws does not depend on the games beside it"


def test_names_change_with_the_episode_only() -> None:
    env = SelfPlayVecEnv(GAME, 12, seed=4, other_play="colours")
    env.reset()
    assert env.other_play is not None
    changed = 0
    for seed in range(20):
        before = env.other_play.numbers.copy()
        step_at_random(env, 1, seed)
        other = (env.other_play.numbers != before).any(1)
        assert not (other & ~env.ended).any()
        changed += int(other.sum())
    assert changed > 4


def test_suits_of_a_described_game() -> None:
    """Agram has no ace of spades: all suits but spades are alike."""
    env = SelfPlayVecEnv("agram", 4, seed=1, other_play="suit")
    spades = [number for number, name in enumerate(env.game.actions) if name.endswith("spades")]
    env.reset()
    assert env.other_play is not None
    for seed in range(6):
        names = env.other_play.of_seats(env.batch.to_act)
        assert (env.action_masks()[:, spades] == env.batch.action_masks[:, spades]).all()
        assert (env.action_masks()[names == 0] == env.batch.action_masks[names == 0]).all()
        step_at_random(env, 1, seed)
    assert len(np.unique(env.other_play.numbers)) > 2


def test_other_players_have_the_games_names() -> None:
    """What a partner sees and does is not touched: the games are those in which the learner has no names of its own."""
    games = []
    for other_play in (None, "colours"):
        league = League(GAME, 8, seed=3, others=("smartbot",), others_share=1.0, others_seats="opponents")
        env = SelfPlayVecEnv(GAME, 8, seed=5, league=league, order=True, other_play=other_play)
        env.reset()
        first = np.array([env.game.actions.index(f"play-{k}") for k in (1, 2)])
        for _ in range(6):
            env.step(first[env.action_masks()[:, first].argmax(1)])  # which all names call alike
        games.append(np.array(env.batch.games))
    assert (games[0] == games[1]).all()


def test_a_restored_state_goes_on_alike() -> None:
    env, other = (SelfPlayVecEnv(GAME, 4, seed=seed, other_play="colours", recall=True) for seed in (1, 99))
    env.reset()
    step_at_random(env, 17)
    state = env.get_state()
    expected = step_at_random(env, 30, seed=2)
    other.set_state(state)
    assert all((a == b).all() for a, b in zip(expected, step_at_random(other, 30, seed=2), strict=True))
    with pytest.raises(ValueError, match="the names of the seats are none of the game's"):
        other.set_state(state | {"names": state["names"] + 6})


def test_what_is_cloned_is_named_as_it_is_shown() -> None:
    """The teacher decides by the game's names, and the network is shown its decisions under each seat's own."""
    env = SelfPlayVecEnv(GAME, 16, seed=1, other_play="colours", order=True, skip_forced=True)
    teacher = policy.make(GAME, "piers")
    shown = play_demonstrations(env, teacher, 300)
    assert shown.action_masks[np.arange(len(shown.actions)), shown.actions].all()
    streams = hashed_streams(0, "again", len(shown.actions))
    again = ask_rows(teacher, shown.observations, shown.action_masks.astype(np.int8), streams)
    assert (again == shown.actions).mean() > 0.8, "the rules of the teacher know no colour; it chooses among equals"


def test_two_halves_make_the_whole_and_play_under_the_games_names(tmp_path: Path) -> None:
    settings = QUICK | {"symmetry": "colours", "encoding": "canonical", "ent_coef": 0.05, "lr_schedule": "constant"}
    whole = Training(Config(GAME, steps=32 * 4, **settings), tmp_path / "whole")
    whole.run()
    Training(Config(GAME, steps=32 * 2, **settings), tmp_path / "half").run()
    rest = Training(Config(GAME, steps=32 * 4, **settings), tmp_path / "half", resume=True)
    rest.run()
    for name, weights in whole.model.policy.state_dict().items():
        assert torch.equal(weights, rest.model.policy.state_dict()[name]), name
    batch, size = played_on(GAME, 16, 5), get_game(GAME).shown_size("canonical")
    hidden = batch.states()[:, batch.spec.observation_size :]
    rows = torch.from_numpy(np.concatenate([batch.observations[:, :size], hidden], 1))
    with torch.no_grad():
        expected = whole.model.policy.get_distribution(rows, batch.action_masks).distribution.probs.numpy()
    player = policy.make(GAME, str(whole.path))
    assert player.chances_of(batch.observations, batch.action_masks) == pytest.approx(expected, abs=1e-5)
    assert (player.act(batch.observations, batch.action_masks) == expected.argmax(1)).all()


def test_a_part_of_an_observation_is_enough_for_actor_and_critic() -> None:
    """What is not shown has no effect, and what is shown has the same as in training."""
    config = Config(GAME, encoding="canonical", **QUICK)
    model = make_model(config, make_environment(config, 0))
    with torch.no_grad():
        for tensor in model.policy.parameters():
            tensor.normal_()
    trained = {name: tensor.numpy() for name, tensor in model.policy.state_dict().items()}
    player = TrainedPolicy(config.spec, trained, value_kind="points", encoding="canonical", options={})
    batch, size = played_on(GAME, 16, 5), config.shown
    states = batch.states()
    rows = torch.from_numpy(np.concatenate([states[:, :size], states[:, batch.spec.observation_size :]], 1))
    with torch.no_grad():
        expected = model.policy.predict_values(rows)[:, 0].numpy()
        logits = model.policy.get_distribution(rows).distribution.logits.numpy()
    assert player.values_of(states) == pytest.approx(expected, rel=1e-4, abs=1e-4)
    other = batch.observations.copy()
    other[:, size : batch.spec.slices["first"].start] ^= 1
    assert (player.actor.logits(other) == player.actor.logits(batch.observations)).all()
    assert (player.decide(other, batch.action_masks, hashed_streams(0, "a", 16)) == np.where(
        batch.action_masks, logits, -np.inf
    ).argmax(1)).all()  # fmt: skip
    with pytest.raises(
        ValueError, match=f"the weights take {size} values, but hanabi.* shows {config.spec.observation_size}"
    ):
        TrainedPolicy(config.spec, actor_weights(model.policy))
    with pytest.raises(ValueError, match="the critic takes"):
        TrainedPolicy(config.spec, trained)


def test_the_weight_of_entropy_goes_from_its_start_to_its_end(tmp_path: Path) -> None:
    config = Config(GAME, steps=32 * 4, ent_coef=0.05, ent_coef_end=0.01, **QUICK)
    assert [config.entropy_weight(left) for left in (1.0, 0.5, 0.0)] == pytest.approx([0.05, 0.03, 0.01])
    assert Config(GAME, ent_coef=0.05).entropy_weight(0.3) == 0.05
    training = Training(config, tmp_path)
    seen = []
    training.report = lambda status: seen.append((status.done, training.model.ent_coef))
    training.run()
    assert seen == [(done, pytest.approx(0.06 - 0.01 - 0.04 * (done - 0.25))) for done in (0.25, 0.5, 0.75, 1.0)]


def test_a_recipe_is_for_all_forms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    few = ["--steps", "32", "--games", "8", "--rollout", "4", "--net", "8", "--eval-deals", "2", "--quiet"]
    assert main(["train", GAME, "--recipe", "hanabi/high-entropy", *few, "--set", "symmetry=colours"]) == 0
    folder = Path("runs", f"hanabi/high-entropy-{name_in_path(GAME)}-seed-0")
    stored = stored_config(read_checkpoint(folder / "policy.zip"))
    assert (stored.game, stored.ent_coef, stored.gae_lambda, stored.symmetry) == (GAME, 0.05, 0.9, "colours")
    capsys.readouterr()
    assert main(["train", GAME, "--recipe", "hanabi/otherplay"]) == 2
    ways = [f"hanabi/{way}" for way in ("self-play", "other-play", "high-entropy", "off-belief-1", "off-belief-2")]
    ways.insert(0, "hanabi")
    assert f"its recipes are {', '.join(ways)}" in capsys.readouterr().err
    assert RECIPES.names_for_game(get_game(GAME)) == ways

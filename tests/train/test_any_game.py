"""Training of toy games: three sides and a hundred actions, dealt sides, episodes cut off, the order of play."""

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from cardenvs import Batch, GameSpec, get_game, policy
from cardenvs.baselines import play_match
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.loops import DEAL_OVER, EPISODE_OVER, TRUNCATED
from cardenvs.train import Config, TrainedPolicy, export, train
from cardenvs.train.learning.league import LEARNER, League
from cardenvs.train.learning.vec_env import SelfPlayVecEnv
from cardenvs.train.models.checkpoint import read_checkpoint
from cardenvs.train.models.fingerprints import layout_hash, rules_hash
from tests.helpers.toys import toy

pytestmark = pytest.mark.usefixtures("toys")

LADDER = pytest.param("ladder", marks=pytest.mark.slow)  # what is compiled for it takes a minute
NAMES = ["kuhn", LADDER, "wolves"]


def small(game: str, **settings: Any) -> Config:
    run = {"steps": 3 * 16 * 32, "games": 16, "rollout": 32, "batch_size": 128, "net": (16, 8), "threads": 1}
    return Config(game, **run | {"eval_deals": 6, "eval_every": 3} | settings)


def random_policy(game: GameSpec, seed: int = 0, **settings: Any) -> TrainedPolicy:
    """A network of the game's sizes with random weights."""
    rng = np.random.default_rng(seed)
    shapes = {"mlp_extractor.policy_net.0": (16, game.observation_size), "action_net": (game.num_actions, 16)}
    weights = {}
    for name, (outputs, inputs) in shapes.items():
        weights[f"{name}.weight"] = rng.normal(size=(outputs, inputs)).astype(np.float32)
        weights[f"{name}.bias"] = rng.normal(size=outputs).astype(np.float32)
    return TrainedPolicy(game, weights, **settings)


def legal_at_random(batch: Batch, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """A random legal action of each game."""
    return (rng.random(batch.action_masks.shape) * batch.action_masks).argmax(1)


def test_the_opponent_of_the_curve_fits_the_game() -> None:
    chosen = {name: Config(name).eval_opponent for name in ("euchre", "whist", "five-o", "kuhn", "hearts")}
    assert chosen == {
        "euchre": "coop-high-low", "whist": "coop-high-low", "five-o": "reflex3", "kuhn": "random", "hearts": "random"
    }  # fmt: skip
    assert Config("euchre", eval_opponent="hybrid").eval_opponent == "hybrid"
    assert replace(Config("euchre", eval_opponent="random"), epochs=3).eval_opponent == "random"
    assert Config.from_dict({**Config("euchre").as_dict(), "eval_opponent": "random"}).eval_opponent == "random"


# --- whole runs ---


RUNS = [("wolves", True), ("euchre", False)]
MORE = [one for one in itertools.product(("kuhn", "ladder", "wolves", "euchre"), (False, True)) if one not in RUNS]


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "recall"), [*RUNS, *(pytest.param(*one, marks=pytest.mark.slow) for one in MORE)])
def test_a_run_leaves_a_policy_that_plays(name: str, recall: bool, tmp_path: Path) -> None:
    spec = get_game(name)
    others = {"others": ("random",), "others_share": 0.3, "past_share": 0.3, "past_every": 1, "trick_weight": 0.1}
    result = train(small(name, recall=recall, imitate="random", imitate_decisions=200, **others), tmp_path / "run")
    checkpoint = read_checkpoint(result.policy)
    assert checkpoint.recall is recall
    assert checkpoint.record["layout_hash"] == layout_hash(spec.with_recall(recall))
    exported = tmp_path / "policy.safetensors"
    record = export(result.policy, exported)
    assert record["config"]["recall"] is recall
    figures = []
    for path in (result.policy, str(exported)):
        player = policy.make(name, path)
        assert player.game.recall is recall
        match = play_match(name, player, "random", deals=5, seed=1).as_dict()
        figures.append({key: match[key] for key in ("points", "games_won", "decisions")})
    assert figures[0] == figures[1]


@pytest.mark.slow
def test_a_resumed_run_of_games_that_are_cut_off_equals_an_unbroken_one(tmp_path: Path) -> None:
    config = small("ladder", lr_schedule="constant", steps=4 * 16 * 32)
    whole = train(config, tmp_path / "whole")
    train(replace(config, steps=2 * 16 * 32), tmp_path / "halves")
    halves = train(config, tmp_path / "halves", resume=True)
    one, two = (read_checkpoint(result.policy) for result in (whole, halves))
    assert "env_decisions" in one.read_resume_arrays()
    for name, array in one.read_resume_arrays().items():
        assert np.array_equal(array, two.read_resume_arrays()[name]), name
    for name, tensor in one.read_tensors("policy").items():
        assert (tensor == two.read_tensors("policy")[name]).all(), name


@pytest.mark.compiled
def test_looking_ahead_in_any_game(tmp_path: Path) -> None:
    result = train(small("wolves", lookahead_steps=16 * 32, steps=2 * 16 * 32), tmp_path / "run")
    assert result.steps == 2 * 16 * 32


# --- the environment ---


@pytest.mark.slow
def test_an_episode_that_is_cut_off_ends_all_streams_and_pays_nothing() -> None:
    spec = toy("ladder")
    env = SelfPlayVecEnv(spec, 32, seed=0, skip_forced=True)
    env.reset()
    env.trick_weight = 0.5
    cut_off = 0
    for _ in range(400):
        draws = np.full(32, spec.action("draw"))
        env.step(draws)
        rows = env.batch.ended == TRUNCATED
        cut_off += int(rows.sum())
        assert (env.payoffs[rows] == 0).all()
        assert env.ended[rows].all()
        assert (env.ended == (env.batch.ended >= EPISODE_OVER)).all()
    assert cut_off > 0


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["wolves", LADDER])
def test_weighted_tricks_are_shared_out_by_sides(name: str) -> None:
    spec = toy(name)
    env = SelfPlayVecEnv(spec, 64, seed=2, reward="points")
    plain = Batch(spec, 64, seed=2, reward="points")
    env.reset()
    env.trick_weight = 0.25
    rng = np.random.default_rng(0)
    paid = 0
    for _ in range(200):
        sides, actions = spec.seat_sides(plain.games), legal_at_random(plain, rng)
        plain.step(actions)
        env.step(actions)
        for row in np.flatnonzero((plain.ended == DEAL_OVER) | (plain.ended == EPISODE_OVER)):
            paid += 1
            taken = [plain.tricks[row][sides[row] == side].sum() for side in range(spec.num_sides)]
            for seat in range(spec.seats):
                side = sides[row, seat]
                others = np.mean([taken[k] for k in range(spec.num_sides) if k != side])
                wanted = plain.rewards[row, seat] + 0.25 * (taken[side] - others)
                assert env.payoffs[row, seat] == pytest.approx(wanted)
    assert paid > 0


def test_line_ups_go_by_the_sides_that_were_dealt() -> None:
    spec, n = toy("wolves"), 4000
    league = League(spec, n, seed=1, others=("random",), others_share=1.0)
    games = Batch(spec, n, seed=3).games
    sides = spec.seat_sides(games)
    league.draw_lineups(np.arange(n), games)
    held = league.lineup != LEARNER
    assert held.any(1).all()
    whole = held.sum(1) > 1
    for row in np.flatnonzero(whole):
        (side,) = set(sides[row, held[row]])
        assert held[row].sum() == len(spec.sides[side])
    # Two chances in three for a whole side, by five standard deviations.
    assert abs(whole.mean() - 2 / 3) < 5 * np.sqrt(2 / 9 / n)


def test_other_players_are_shown_what_they_want() -> None:
    spec = toy("wolves")
    league = League(spec, 32, seed=1, others=("random",), others_share=0.5, past_share=0.5)
    league.add_past(random_policy(spec.recalling, sample=True))
    env = SelfPlayVecEnv(spec, 32, seed=1, recall=True, league=league)
    rows = env.reset()
    assert rows.shape == (32, spec.recalling.observation_size)
    for _ in range(20):
        rows = env.step(env.action_masks().argmax(1))[0]
        assert (league.lineup[np.arange(32), env.batch.to_act] == LEARNER).all()


# --- networks ---


def test_more_than_63_actions_are_chosen_from() -> None:
    spec = toy("ladder")
    player = random_policy(spec)
    batch = Batch(spec, 200, seed=5)
    rng = np.random.default_rng(1)
    for _ in range(6):
        chosen = player.choose(batch.observations, batch.action_masks, seed_streams(0, 200))
        logits = np.where(batch.action_masks != 0, player.actor.logits(batch.observations), -np.inf)
        assert (chosen == logits.argmax(1)).mean() > 0.99  # but for roundings
        assert batch.action_masks[np.arange(200), chosen].all()
        batch.step(legal_at_random(batch, rng))
    assert (batch.action_masks[:, 64:].sum() > 0) and (chosen > 63).any()


@pytest.mark.parametrize("name", NAMES)
def test_suits_are_renamed_in_games_that_are_known_alone(name: str) -> None:
    spec = toy(name)
    batch = Batch(spec, 50, seed=1)
    streams = [seed_streams(0, 50) for _ in range(2)]
    one, two = (random_policy(spec, canonical_suits=canonical) for canonical in (True, False))
    chosen = [p.choose(batch.observations, batch.action_masks, s) for p, s in zip((one, two), streams, strict=True)]
    assert (chosen[0] == chosen[1]).all()
    assert one.chances(batch.observations, batch.action_masks) == pytest.approx(
        two.chances(batch.observations, batch.action_masks)
    )


@pytest.mark.parametrize("name", NAMES)
def test_rules_have_a_hash(name: str) -> None:
    spec = toy(name)
    assert rules_hash(spec, {}) == rules_hash(name, {}) != rules_hash(spec.recalling, {})


def test_the_order_of_play_is_asked_of_games_that_know_it() -> None:
    spec = toy("kuhn")
    assert small("kuhn", recall=True).spec is get_game("kuhn").recalling
    assert small("kuhn").spec is spec

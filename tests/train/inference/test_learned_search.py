"""Beliefs about hidden cards, and the search that uses them."""

from pathlib import Path

import numpy as np
import pytest
import torch

from cardenvs import policy
from cardenvs.baselines.match import play_match
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.registry import get_game
from cardenvs.envs.batch import Batch
from cardenvs.policy.replay import resampled
from cardenvs.train.config import Config
from cardenvs.train.inference.belief import Belief, holder_names
from cardenvs.train.inference.exported import read_export
from cardenvs.train.inference.learned import TrainedPolicy
from cardenvs.train.inference.learned_search import EFFORT, LearnedSearch, Tally
from cardenvs.train.learning.belief import fit_belief
from cardenvs.train.learning.self_play import Training
from cardenvs.train.publishing.exporting import export
from tests.helpers.batches import played_on

pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A policy that has cloned the behaviour of high-low, with a belief network."""
    out = tmp_path_factory.mktemp("run")
    settings = {"imitate": "high-low", "imitate_decisions": 20_000, "eval_deals": 10, "eval_every": 0}
    config = Config("euchre", {"bidding": "forced-spades"}, games=64, rollout=4, steps=256, threads=1, **settings)  # type: ignore[arg-type]
    Training(config, out).run()
    export(out / "policy.zip", out / "net.safetensors", belief_decisions=20_000)
    return out / "net.safetensors"


def hidden(batch: Batch) -> np.ndarray:
    """Where each hidden card is: int8 (n, holders, cards)."""
    game = batch.spec
    states = batch.states()[:, game.observation_size :]
    deck = len(game.parts[0].labels)
    return states[:, : len(holder_names(game)) * deck].reshape(batch.n, -1, deck)


def test_holders() -> None:
    assert holder_names(get_game("euchre")) == ["hand_left", "hand_partner", "hand_right", "kitty", "hidden_discard"]
    assert holder_names(get_game("whist")) == ["hand_left", "hand_partner", "hand_right"]


@pytest.mark.parametrize("canonical", [True, False])
def test_beliefs_learn_from_what_was_played(canonical: bool) -> None:
    """After the first trick a player of high-low has shown a lot: beliefs beat what the rules alone allow."""
    options = {"bidding": "forced-spades"}
    teacher = policy.make("euchre", "high-low")
    belief, losses = fit_belief(teacher, 150_000, net=(64,), canonical_suits=canonical, **options)
    assert losses[-1] < losses[0] - 0.02
    batch = played_on("euchre", 400, 6, player="high-low", seed=2, **options)
    truth, log_chances = hidden(batch), belief.log_chances(batch.observations)
    assert log_chances.shape == truth.shape
    assert np.allclose(np.exp(log_chances).sum(1), 1)
    believed = -(log_chances * truth).sum() / truth.sum()
    uniform = 0.0
    for row in range(batch.n):
        view, worlds = batch.spec.new_games(1), batch.spec.new_games(100)
        batch.spec.kernels.decode(batch.observations, row, view, 0)
        streams = seed_streams(row, 1)
        counts = np.full(truth.shape[1:], 0.5)
        for j in range(100):
            batch.spec.kernels.redeal(view, 0, streams, 0, worlds, j)
            piles = [*worlds["hands"][j, 1:], worlds["kitty"][j], worlds["discard"][j]]
            for holder, cards in enumerate(piles):
                counts[holder] += [int(cards) >> card & 1 for card in range(24)]
        uniform -= (np.log(counts / counts.sum(0)) * truth[row]).sum()
    assert believed < uniform / truth.sum(), "fewer nats than uniform re-deals"


def test_suits_are_named_back() -> None:
    """Beliefs under canonical names are about the cards as they are: a network that knows a card's name says so."""
    game = get_game("euchre")
    deck = 24
    weight, bias = torch.zeros(5 * deck, game.observation_size), torch.zeros(5 * deck)
    # It believes that the jack of (canonical) spades, the right bower, is with the partner.
    bias[deck + 3 * 6 + 2] = 30.0
    belief = Belief("euchre", [(weight, bias)], canonical_suits=True)
    batch = played_on("euchre", 200, 0, player="high-low", seed=2)
    believed = belief.log_chances(batch.observations)[:, 1].argmax(1)
    turned = batch.observations[:, game.slices["turned"]].argmax(1)
    assert (believed == turned // 6 * 6 + 2).all() and len(np.unique(believed)) == 4


def test_the_network_comes_with_the_file(exported: Path) -> None:
    _, record = read_export(exported)
    assert record["belief"]["decisions"] == 20_000 and len(record["belief"]["nats"]) > 1
    player = policy.make("euchre", str(exported))
    assert player.belief is not None  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="does not fit"):
        Belief("whist", player.belief.layers, True)  # type: ignore[attr-defined]


def test_resampling() -> None:
    """Each world is drawn as often as its weight says, rounded up or down, and on average exactly so."""
    rng = np.random.default_rng(1)
    log_weights = rng.normal(0, 2, 50) - 700.0
    shares = np.exp(log_weights + 700) / np.exp(log_weights + 700).sum()
    starts = (np.arange(1000) + 0.5) / 1000
    counts = np.array([resampled(log_weights, 30, start) for start in starts])
    assert (counts.sum(1) == 30).all() and (np.abs(counts - 30 * shares) < 1).all()
    assert np.allclose(counts.mean(0), 30 * shares, atol=2e-3)
    assert resampled(np.zeros(8), 8, 0.3).tolist() == [1] * 8
    assert resampled(np.array([-np.inf, 0.0]), 5, 0.99).tolist() == [0, 5]


def test_what_is_clearly_behind_is_given_up() -> None:
    rng = np.random.default_rng(2)
    tally = Tally(np.array([0.0, 0.5, -9.0]))
    same = rng.normal(0, 5, 25)
    tally.add_block(np.ones(25), np.stack([same, same + rng.normal(0, 0.1, 25), same], 1))
    assert tally.alive.tolist() == [False, True, False] and tally.is_decided, (
        "differences count, not what all have in common"
    )
    equal = Tally(np.zeros(2))
    for _ in range(4):
        equal.add_block(np.ones(25), rng.normal(0, 1, (25, 2)))
    assert equal.alive.all() and not equal.is_decided
    # What was given up stays behind the best by what it was behind where both were tried: 2 - 1.5, not 0.6 - 1.5.
    three = Tally(np.array([0.0, 0.0, 0.5]))
    three.add_block(np.array([2.0, 1.0]), np.array([[1.0, 1.0, 0.0], [4.0, 4.0, 3.0]]))
    assert three.alive.tolist() == [True, True, False]
    three.add_block(np.ones(2), np.array([[-4.0, 1.0], [1.0, -5.0]]))
    scores, errors, visits = three.total_scores()
    assert scores == pytest.approx([(2 + 4 - 4 + 1) / 5, (2 + 4 + 1 - 5) / 5, 0.6 - 0.5])
    assert visits.tolist() == [4, 4, 2]
    by_hand = np.sqrt(4 * (1 - 0.6) ** 2 + (4 - 0.6) ** 2 + (-4 - 0.6) ** 2 + (1 - 0.6) ** 2) / 5
    assert errors[0] == pytest.approx(by_hand)
    # However it turns out later, it is not chosen any more.
    late = Tally(np.zeros(3))
    late.add_block(np.ones(2), np.array([[0.0, 3.0, 2.0], [5.0, 3.0, 2.0]]))
    assert late.alive.tolist() == [True, True, False]
    late.add_block(np.ones(1), np.array([[9.0, -90.0]]))
    scores = late.total_scores()[0]
    assert scores.argmax() == 0 and scores[2] < scores[0]


def test_the_parts_of_a_score(exported: Path) -> None:
    """Without a leaning a score is the mean in worlds as they are believed; with a great one the policy's order."""
    game = get_game("euchre")
    batch = played_on("euchre", 12, 7, player="high-low", seed=2, recall=True, bidding="forced-spades")
    rows, masks = batch.observations, batch.action_masks
    base = policy.make("euchre", str(exported))
    assert isinstance(base, TrainedPolicy)
    searched = LearnedSearch("euchre", worlds=400, prior=0, doubt=0.2, policy=str(exported))
    replay, streams = base.replay(), seed_streams(9, 12)
    for row in range(12):
        legal = np.flatnonzero(masks[row])
        if len(legal) < 2:
            continue
        worlds = replay.draw_worlds(rows, row, streams, 4000)
        weights = np.exp(replay.log_reaches(worlds, 0.2))
        expected = weights @ replay.action_gains(worlds, legal, 0) / weights.sum()
        found = searched.explain({"observation": rows[row], "action_mask": masks[row]}, seed_streams(row, 1))
        for name, value in found:
            k = found.pairs.index((name, value))
            exact = expected[legal.tolist().index(game.action(name))]
            # The error that is told, and that of what it is compared with, which stands on ten times as many worlds; worlds
            # that were drawn twice make the former a little small.
            assert abs(value - exact) < 6 * found.errors[k] + 0.1, name
    leaning = LearnedSearch("euchre", worlds=1, prior=1000.0, policy=str(exported))
    plain = np.ascontiguousarray(rows[:, : game.observation_size])
    assert (leaning.act(rows, masks, seed_streams(0, 12)) == base.act(plain, masks, seed_streams(0, 12))).all()


def test_fewer_worlds_lean_more(exported: Path) -> None:
    """Where no leaning is asked for, it grows as the errors of the means do; what is asked for is kept."""
    usual = EFFORT["euchre"].worlds
    batch = played_on("euchre", 1, 4, player="high-low", seed=2, recall=True, bidding="forced-spades")
    scores = {}
    for worlds, points in ((usual, 0.005), (usual // 4, 0.01), (usual // 100, 0.05)):
        for prior in (None, points, 0.2):
            player = LearnedSearch("euchre", worlds=worlds, prior=prior, policy=str(exported))
            found, _ = player.evaluate(batch.observations, batch.action_masks, seed_streams(1, 1), False)
            scores[worlds, prior] = found[np.isfinite(found)].tolist()
        assert scores[worlds, None] == scores[worlds, points] != scores[worlds, 0.2]


def test_it_thinks_as_long_as_it_may(exported: Path) -> None:
    """With a budget of time more is tried in more time, unless one action is clearly best; the answer is legal in any."""
    batch = played_on("euchre", 4, 4, player="high-low", seed=2, recall=True)
    tried = []
    for seconds in (1e-6, 0.5):
        player, counts = LearnedSearch("euchre", seconds=seconds, policy="learned"), []
        for seen, mask in zip(batch.observations, batch.action_masks, strict=True):
            found = player.explain({"observation": seen, "action_mask": mask}, seed_streams(1, 1))
            assert {name for name, _ in found} == {get_game("euchre").actions[a] for a in np.flatnonzero(mask)}
            counts.append(max(found.visits))
        assert min(counts) > 0
        tried.append(sum(counts))
    assert tried[0] < tried[1]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"worlds": 0}, "worlds must be an int of at least 1"),
        ({"prior": -0.1}, "prior must be a number of at least 0"),
        ({"doubt": 0}, "doubt must be a number above 0 and at most 1"),
        ({"doubt": 1.5}, "doubt must be a number above 0 and at most 1"),
        ({"seconds": 0}, "seconds must be a number above 0"),
        ({"candidates": 0}, "candidates must be an int of at least 1"),
        ({"policy": "hybrid"}, "policy must be 'learned' or the path of a trained policy"),
    ],
)
def test_wrong_parameters(parameters: dict[str, object], message: str, exported: Path) -> None:
    with pytest.raises(ValueError, match=message):
        LearnedSearch("euchre", **{"policy": str(exported), **parameters})  # type: ignore[arg-type]


def test_any_trained_policy_will_do(tmp_path: Path) -> None:
    Training(Config("euchre", games=16, rollout=4, net=(8,), threads=1), tmp_path)
    player = LearnedSearch("euchre", worlds=5, policy=str(tmp_path / "policy.zip"))
    result = play_match("euchre", player, "random", deals=10, seed=0)
    assert result.deals == 10
    with pytest.raises(ValueError, match="was trained with"):
        play_match("euchre", player, "random", deals=1, seed=0, bidding="forced-spades")

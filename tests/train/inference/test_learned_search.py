"""Beliefs about hidden cards, and the search that uses them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from cardenvs import policy, testing
from cardenvs.baselines.match import play_match
from cardenvs.baselines.search.double_dummy import solve_cards
from cardenvs.cards import seed_streams
from cardenvs.envs.batch import Batch
from cardenvs.spec import get_game
from cardenvs.train.config import Config
from cardenvs.train.exporting import export
from cardenvs.train.inference.belief import Belief, holders
from cardenvs.train.inference.exported import read_export
from cardenvs.train.inference.learned_search import LearnedSearch
from cardenvs.train.learning.belief import fit_belief
from cardenvs.train.learning.self_play import Training
from tests.helpers.batches import played_on


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
    return states[:, : len(holders(game)) * deck].reshape(batch.n, -1, deck)


def test_holders() -> None:
    assert holders(get_game("euchre")) == ["hand_left", "hand_partner", "hand_right", "kitty", "hidden_discard"]
    assert holders(get_game("whist")) == ["hand_left", "hand_partner", "hand_right"]


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


def test_it_plays_by_what_it_sees(exported: Path) -> None:
    player = LearnedSearch("euchre", worlds=3, policy=str(exported))
    testing.check_no_leak(get_game("euchre"), player.act, episodes=4, seed=3, bidding="forced-spades")
    batch = played_on("euchre", 64, 5, player="high-low", seed=2, bidding="forced-spades")
    together = player.act(batch.observations, batch.action_masks, seed_streams(1, 64))
    streams = seed_streams(1, 64)
    alone = [
        int(player.act(batch.observations[i : i + 1], batch.action_masks[i : i + 1], streams[i : i + 1])[0])
        for i in range(64)
    ]
    assert together.tolist() == alone


def test_the_parts_of_a_score(exported: Path) -> None:
    """Without the prior the means of solved worlds, which pimc's are, too; with a great one the policy's order."""
    batch = played_on("euchre", 30, 7, player="high-low", seed=2, bidding="forced-spades")
    rows, masks = batch.observations, batch.action_masks
    plain = LearnedSearch("euchre", worlds=2000, prior=0, candidates=1, policy=str(exported))
    scores = plain.scores(rows, masks, seed_streams(0, 30))
    expected = policy.make("euchre", "pimc:worlds=2000").scores(rows, masks, seed_streams(9, 30))  # type: ignore[attr-defined]
    # Both are means over 2000 worlds of values between -4 and 4: five standard errors of the difference at most.
    assert np.nanmax(np.abs(scores - expected)) < 5 * 2 * np.sqrt(2 / 2000)
    leaning = LearnedSearch("euchre", worlds=1, prior=1000.0, policy=str(exported))
    base = policy.make("euchre", str(exported))
    assert (leaning.act(rows, masks, seed_streams(0, 30)) == base.act(rows, masks, seed_streams(0, 30))).all()


def test_worlds_follow_beliefs(exported: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With beliefs that know the deal the search plays as with open cards."""
    batch = played_on("euchre", 60, 6, player="high-low", seed=2, bidding="forced-spades")
    truth = hidden(batch)
    player = LearnedSearch("euchre", worlds=20, prior=0, candidates=400, policy=str(exported))
    monkeypatch.setattr(Belief, "log_chances", lambda *_: np.log(truth * 0.98 + 0.005))
    scores = player.scores(batch.observations, batch.action_masks, seed_streams(0, 60))
    tricks = solve_cards(batch.games)
    agree = 0
    for row in range(60):
        legal = np.flatnonzero(batch.action_masks[row])
        best = scores[row, legal] >= np.nanmax(scores[row]) - 0.05
        true = tricks[row, legal] == tricks[row, legal].max()
        agree += bool((best & true).any())
    assert agree >= 55


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"worlds": 0}, "worlds must be an int of at least 1"),
        ({"prior": -0.1}, "prior must be a number of at least 0"),
        ({"trust": "much"}, "trust must be a number of at least 0"),
        ({"candidates": 0}, "candidates must be an int of at least 1"),
        ({"exact_cards": 11}, "exact_cards must be an int from 1 to 10"),
        ({"policy": "hybrid"}, "policy must be 'learned' or the path of an exported policy"),
    ],
)
def test_wrong_parameters(parameters: dict[str, object], message: str, exported: Path) -> None:
    with pytest.raises(ValueError, match=message):
        LearnedSearch("euchre", **{"policy": str(exported), **parameters})  # type: ignore[arg-type]


def test_a_policy_without_beliefs(tmp_path: Path) -> None:
    Training(Config("euchre", games=16, rollout=4, net=(8,), threads=1), tmp_path)
    export(tmp_path / "policy.zip", tmp_path / "net.safetensors")
    with pytest.raises(ValueError, match="has no belief network: export it with one, or set candidates=1"):
        LearnedSearch("euchre", policy=str(tmp_path / "net.safetensors"))
    player = LearnedSearch("euchre", worlds=5, candidates=1, policy=str(tmp_path / "net.safetensors"))
    result = play_match("euchre", player, "random", deals=20, seed=0)
    assert result.deals == 20

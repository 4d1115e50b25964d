"""`ismcts` and `monte-carlo` for every game: against a naive search, against what must be found, budgets, parameters."""

import copy
import functools
import pickle
from typing import Any

import numpy as np
import pytest

from cardenvs import Batch, get_game, policy, testing
from cardenvs.baselines.match import play_match
from cardenvs.baselines.search.any_game.flat import FlatMonteCarlo
from cardenvs.baselines.search.tree.ismcts import Ismcts
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.cards import members_of
from cardenvs.contract.loops import RUNNING
from cardenvs.envs.seat import SeatEnv
from cardenvs.policy.registry import POLICIES
from tests.helpers.positions import rows_of, view_of
from tests.naive import ismcts as naive

pytestmark = pytest.mark.compiled

GAMES = ("euchre", "whist", "five-o")
EACH_GAME = ["euchre", *(pytest.param(name, marks=pytest.mark.slow) for name in GAMES[1:])]
"""One game in the quick tests: searches take ten seconds a game to compile."""
KINDS: list[dict[str, Any]] = [
    {},
    {"variant": "multiple"},
    {"others": "tree"},
    {"paired": False, "selection": "ucb", "others": "playout"},
    {"playout": "random"},
    {"playout": "random", "variant": "multiple", "selection": "puct", "paired": True},
]


def late_positions(name, left, seed=0, episodes=4, **options):
    """Positions of random play with at most ``left`` actions to come and a choice, as arrays of shape (1,)."""
    spec = get_game(name)
    found, deal = [], []
    for games in testing.random_positions(spec, episodes, seed, **options):
        if games[0]["over"] == RUNNING:
            deal.append(games.copy())
            continue
        found += [games for games in deal[-left:] if len(members_of(spec.legal(games))) > 1]
        deal = []
    return found


# --- against the naive search --------------------------------------------------------------------------------------


def check_same(scores, chosen, search, paired):
    """Whether scores and a choice are those of a naive search."""
    root = search.roots[0].children
    visits = {action: node.visits for action, node in root.items()}
    means = {action: node.total / node.visits for action, node in root.items()}
    if paired:
        assert {action: scores[action] for action in root} == pytest.approx(means)
    else:
        shares = {action: count / sum(visits.values()) for action, count in visits.items()}
        assert {action: scores[action] for action in root} == pytest.approx(shares)
    assert scores[chosen] == max(scores[action] for action in root)


@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("variant", ["single", "multiple"])
@pytest.mark.parametrize("name", EACH_GAME)
def test_counts_the_visits_of_the_naive_search(name, variant, paired):
    spec = get_game(name)
    tried = 0
    for k, games in enumerate(late_positions(name, 12, seed=3, episodes=2)[::3]):
        rows, masks = rows_of(spec, games)
        streams = seed_streams(k, 1)
        kind = {"variant": variant, "paired": paired, "selection": "ucb", "others": "tree"}
        player = Ismcts(spec, simulations=60, playout="random", c=0.8, **kind)
        scores, chosen = player.evaluate(rows, masks, streams, False)
        again = seed_streams(k, 1)
        search = naive.Search(spec, spec.decode(rows), members_of(spec.legal(games)), again, 0.8, variant == "multiple")
        search.run(60, paired)
        check_same(scores[0], chosen[0], search, paired)
        assert streams == again
        tried += 1
    assert tried >= 3


def test_moves_that_the_seat_does_not_see_are_one_edge():
    """Another seat's discard in Euchre, with the naive search, which keeps what each seat sees apart."""
    spec = get_game("euchre")
    games = spec.parse("euchre dealer=3 hands=JcAcTcQc9d/TdJdQdKdAd/9hThJhQhKh/JsAsAh9c9s turned=Ks actions=pass,pass")
    rows, masks = rows_of(spec, games)
    for variant in ("single", "multiple"):
        streams, again = seed_streams(1, 1), seed_streams(1, 1)
        kind = {"variant": variant, "paired": False, "selection": "ucb", "others": "tree"}
        player = Ismcts(spec, simulations=150, playout="random", c=0.8, **kind)
        scores, chosen = player.evaluate(rows, masks, streams, False)
        search = naive.Search(spec, spec.decode(rows), members_of(spec.legal(games)), again, 0.8, variant == "multiple")
        search.run(150, False)
        check_same(scores[0], chosen[0], search, False)
        assert streams == again


@pytest.mark.slow
def test_the_root_keeps_to_the_mask():
    """Legal actions may be left out of a mask."""
    for name in GAMES:
        batch = Batch(name, 3, seed=4)
        for kind in KINDS:
            masks = batch.action_masks.copy()
            for mask in masks:
                mask[np.flatnonzero(mask)[0]] = 0
            player = Ismcts(name, simulations=40, **kind)
            scores = player.scores(batch.observations, masks, seed_streams(0, 3))
            assert (np.isnan(scores) == (masks == 0)).all()
            assert player.kind == "value" or np.allclose(np.nansum(scores, 1), 1)


# --- what must be found --------------------------------------------------------------------------------------------


def exact_values(spec, games, seat):
    """With all cards known: the best margin of points of a seat's side for each action, by trying everything."""

    def value(games):
        if games[0]["over"] != RUNNING:
            outcome = spec.outcome(games)
            return outcome.points[seat & 1] - outcome.points[1 - (seat & 1)]
        values = after(games)
        return max(values.values()) if games[0]["to_act"] & 1 == seat & 1 else min(values.values())

    def after(games):
        values = {}
        for action in members_of(spec.legal(games)):
            copied = games.copy()
            spec.kernels.step(copied, 0, action)
            values[action] = value(copied)
        return values

    return after(games)


@functools.cache
def clear_endings(name, left, gap):
    """Endings in which some actions are worse than the best by so much, in the mean over worlds with all cards open."""
    spec = get_game(name)
    found = []
    for games in late_positions(name, left, seed=1, episodes=40):
        rows, masks = rows_of(spec, games)
        view, dealt, streams = view_of(spec, games, int(games[0]["to_act"])), spec.new_games(1), seed_streams(0, 1)
        worth = dict.fromkeys(np.flatnonzero(masks[0]).tolist(), 0.0)
        for _ in range(12):
            spec.kernels.redeal(view, 0, streams, 0, dealt, 0)
            for action, value in exact_values(spec, dealt, 0).items():
                worth[action] += value / 12
        worse = {action for action in worth if worth[action] < max(worth.values()) - gap}
        if worse:
            found.append((rows, masks, worse, spec.text(games[0])))
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("name", "left", "gap"), [("euchre", 8, 0.9), pytest.param("five-o", 4, 0.5, marks=pytest.mark.slow)]
)
def test_finds_what_is_clearly_best(name, left, gap, kind):
    player = Ismcts(name, simulations=600, **kind)
    endings = clear_endings(name, left, gap)
    assert len(endings) >= 3
    for rows, masks, worse, line in endings:
        assert player.choose(rows, masks, seed_streams(7, 1))[0] not in worse, line


@pytest.mark.slow
def test_beats_flat_monte_carlo_on_the_contract():
    """The same play-outs and as many of them, in Euchre: 0.02 to 0.03 points a deal; three standard errors are 0.06."""
    result = play_match("euchre", "ismcts:simulations=2000", "monte-carlo:worlds=500", deals=2000, seed=5)
    assert result.points_margin.mean > -0.04


# --- play ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind",
    [*KINDS, *(pytest.param(kind, marks=pytest.mark.slow) for kind in ({"network": "learned"}, {"playout": "high-low"}))],
)
def test_choices_depend_on_the_stream_alone(kind):
    """Not on the batch, on what was decided before, or on copies; whole deals are played so."""
    name = "euchre"
    player = Ismcts(name, simulations=50, **kind)
    other = pickle.loads(pickle.dumps(copy.deepcopy(player)))
    batch = Batch(name, 6, seed=2)
    for _ in range(30):
        together = player.act(batch.observations, batch.action_masks, seed_streams(1, 6))
        streams = seed_streams(1, 6)
        for i in range(5, -1, -1):
            alone = other.act(batch.observations[i : i + 1], batch.action_masks[i : i + 1], streams[i : i + 1])
            assert alone[0] == together[i]
        batch.step(together)


@pytest.mark.parametrize("name", EACH_GAME)
def test_explains_itself(name):
    batch = Batch(name, 1, seed=3)
    observation = {"observation": batch.observations[0], "action_mask": batch.action_masks[0]}
    players = Ismcts(name, simulations=200, paired=True), Ismcts(name, simulations=200, paired=False), FlatMonteCarlo(name)
    for player in players:
        explanation = player.explain(observation, seed_streams(4, 1))
        chosen = get_game(name).actions[player.act(observation, rng=seed_streams(4, 1))]
        assert explanation[0][0] == chosen
        assert len(explanation) == batch.action_masks.sum() == len(explanation.visits) and not explanation.errors
        if explanation.kind == "probability":
            assert isinstance(player, Ismcts) and sum(explanation.percents) == pytest.approx(100)
            assert sum(explanation.visits) == 200
            assert [number for _, number in explanation] == pytest.approx([count / 200 for count in explanation.visits])
        else:
            assert explanation.kind == "value"
            assert len(set(explanation.visits)) == 1 and explanation.visits[0] > 0, "all are tried in the same worlds"
        if isinstance(player, FlatMonteCarlo):
            assert explanation.visits[0] == player.worlds


@pytest.mark.parametrize("name", EACH_GAME)
def test_holds_seats_in_environments(name):
    env = SeatEnv(name, opponents="ismcts:simulations=10", render_mode=None)
    observation, info = env.reset(seed=1)
    for _ in range(60):
        observation, _, terminated, truncated, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
        if terminated or truncated:
            observation, info = env.reset()
    assert observation.shape == (get_game(name).observation_size,)


def test_a_full_tree_is_searched_on(monkeypatch):
    """Where there is no more room for edges, simulations go on with those that there are."""
    monkeypatch.setattr("cardenvs.baselines.search.tree.ismcts._MOST_NODES", 40)
    batch = Batch("euchre", 2, seed=1)
    for kind in KINDS:
        scores = Ismcts("euchre", simulations=500, **kind).scores(
            batch.observations, batch.action_masks, seed_streams(0, 2)
        )
        assert (np.isnan(scores) == (batch.action_masks == 0)).all()


# --- flat Monte Carlo on the contract -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EACH_GAME)
def test_flat_means_are_those_of_play_outs(name):
    """Compiled random play-outs and a policy's, in the same number of worlds: 5 standard errors apart at the most."""
    batch = Batch(name, 1, seed=6)
    for _ in range(12 if name == "five-o" else 8):
        batch.step([np.flatnonzero(mask)[0] for mask in batch.action_masks])

    class Slow(policy.RandomPolicy):
        """Random, asked in batches."""

    one = FlatMonteCarlo(name, worlds=3000, playout="random").scores(
        batch.observations, batch.action_masks, seed_streams(0, 1)
    )
    two = FlatMonteCarlo(name, worlds=600, playout=Slow(name)).scores(
        batch.observations, batch.action_masks, seed_streams(1, 1)
    )
    spread = {"euchre": 1.7, "whist": 2.5, "five-o": 1.0}[name]
    assert np.nanmax(np.abs(one - two)) < 5 * spread * np.sqrt(1 / 3000 + 1 / 600)


@pytest.mark.parametrize("name", EACH_GAME)
def test_flat_beats_random(name):
    result = play_match(name, FlatMonteCarlo(name, worlds=8), "random", deals=40, seed=2)
    assert result.points_margin.low > 0


def test_every_game_has_a_monte_carlo(monkeypatch):
    """One of its own, or the one for all games."""
    made = {name: type(policy.make(name, "monte-carlo")) for name in GAMES}
    assert FlatMonteCarlo not in made.values()
    entries = {key: entry for key, entry in POLICIES.entries.items() if key not in ("monte-carlo", "five-o/monte-carlo")}
    monkeypatch.setattr(POLICIES, "entries", entries)
    for name in GAMES:
        assert "monte-carlo" in policy.names(name)
        assert isinstance(policy.make(name, "monte-carlo:worlds=3"), FlatMonteCarlo)

"""Beliefs by replay and play-outs with a network, against the same in plain Python on the contract alone."""

import collections
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardenvs import policy
from cardenvs.baselines.match import play_match
from cardenvs.baselines.search.tree.ismcts import Ismcts
from cardenvs.compiled.jit import as_records
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract import loops
from cardenvs.contract.fields import Games
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.batch import Batch
from cardenvs.policy.replay import DOUBTS
from cardenvs.train.config import Config
from cardenvs.train.inference.learned import TrainedPolicy
from cardenvs.train.inference.replay import Replay, key_of, reach_kernel
from cardenvs.train.inference.shipped import Learned
from cardenvs.train.learning.self_play import Training
from cardenvs.train.publishing.exporting import export
from tests.helpers.batches import played_on

pytestmark = pytest.mark.compiled

CASES = [
    pytest.param("euchre", {}, id="euchre"),
    pytest.param("euchre", {"bidding": "forced-spades"}, id="forced-spades"),
    pytest.param("whist", {}, id="whist", marks=pytest.mark.slow),
]


def network(game: str, options: dict[str, Any]) -> TrainedPolicy:
    """The shipped network for some rules."""
    shown = Batch(game, 1, **options).observations
    player = policy.make(game, "learned")
    assert isinstance(player, Learned)
    return next(part for part in player.parts if part.plays(shown).all())


def fresh_network(tmp_path: Path, **settings: Any) -> TrainedPolicy:
    """A network that has learned nothing."""
    Training(Config("euchre", games=16, rollout=4, net=(16,), threads=1, **settings), tmp_path)
    export(tmp_path / "policy.zip", tmp_path / "net.safetensors")
    player = policy.make("euchre", str(tmp_path / "net.safetensors"))
    assert isinstance(player, TrainedPolicy)
    return player


def rows_to_search(batch: Batch) -> list[int]:
    """The first few positions with a choice."""
    return np.flatnonzero(batch.action_masks.sum(1) > 1)[:6].tolist()


def seen(spec: GameSpec, player: TrainedPolicy, games: Games) -> tuple[np.ndarray, np.ndarray]:
    """What the seat to act observes as a network takes it, and what is legal, one row each."""
    shown = (spec.recalling if player.game.recall else spec).observation(games, int(games[0]["to_act"]))
    return shown[None], spec.mask(spec.legal(games))[None]


def naive_log_reach(spec: GameSpec, player: TrainedPolicy, world: Any, doubt: float | None) -> float:
    """The logarithm of a world's reach for seat 0."""
    games = spec.parse(spec.text(world, actions=False))
    doubts = DOUBTS if doubt is None else (doubt,)
    by_side = {side: dict.fromkeys(doubts, 1.0) for side in spec.side_of}
    for name in spec.history(world):
        action = spec.action(name)
        shown, mask = seen(spec, player, games)
        if games[0]["to_act"] != 0:
            chance = float(player.chances_of(shown, mask)[0, action])
            for one in doubts:
                by_side[spec.side_of[games[0]["to_act"]]][one] *= (1 - one) * chance + one / mask.sum()
        spec.kernels.step(games, 0, action)
    return float(sum(np.log(np.mean(list(products.values()))) for products in by_side.values()))


def naive_gain(spec: GameSpec, player: TrainedPolicy, world: Any, action: int) -> int:
    """The points that side 0 gains, less the other side's, by an action with the network for all seats afterwards."""
    games = spec.new_games(1)
    games[0] = world
    spec.kernels.step(games, 0, action)
    while games[0]["over"] == loops.RUNNING:
        spec.kernels.step(games, 0, int(player.choose(*seen(spec, player, games), seed_streams(0, 1))[0]))
    points = spec.outcome(games).points
    return points[0] - points[1]


@pytest.mark.parametrize(("game", "options"), CASES)
@pytest.mark.parametrize("moves", [2, 7, 14])
def test_compiled_as_in_plain_python(game: str, options: dict[str, Any], moves: int) -> None:
    spec, player = get_game(game), network(game, options)
    batch = played_on(game, 16, moves, recall=True, **options)
    replay = player.replay()
    streams = seed_streams(1, 16)
    for row in rows_to_search(batch):
        worlds = replay.draw_worlds(batch.observations, row, streams, 5)
        for doubt in (0.3, None):
            found = replay.log_reaches(worlds, doubt)
            assert np.allclose(found, [naive_log_reach(spec, player, world, doubt) for world in worlds], atol=1e-4)
        actions, chosen = np.flatnonzero(batch.action_masks[row]), np.array([3, 0])
        gains = replay.action_gains(worlds[chosen], actions, loops.POINTS)
        assert gains.tolist() == [[naive_gain(spec, player, worlds[j], a) for a in actions] for j in chosen]


@pytest.mark.parametrize(("game", "options"), CASES)
def test_what_was_computed_once_is_not_computed_anew(game: str, options: dict[str, Any]) -> None:
    """Late in a deal worlds have seats in common: what is kept is what would be computed, for each doubt."""
    player = network(game, options)
    moves = 30 if game == "whist" else 13
    batch = played_on(game, 16, moves, recall=True, **options)
    kept, streams = player.replay(), seed_streams(1, 16)
    for row in rows_to_search(batch):
        worlds = kept.draw_worlds(batch.observations, row, streams, 200)
        for doubt in (0.3, None, 0.1, 0.3, None):
            found = kept.log_reaches(worlds, doubt)
            anew = [Replay(player.game, player.actor).log_reaches(worlds[j : j + 1], doubt)[0] for j in range(0, 200, 10)]  # type: ignore[arg-type]
            assert found[::10].tolist() == anew
    assert len(np.unique(kept.log_reaches(worlds, 0.2))) > 1


@pytest.mark.parametrize(
    ("game", "moves"), [("euchre", 9), ("euchre", 14), pytest.param("whist", 20, marks=pytest.mark.slow)]
)
def test_keys_tell_what_seats_know_apart(game: str, moves: int) -> None:
    """Two worlds have one key for a seat just if they show it the same."""
    spec = get_game(game).recalling
    batch = played_on(game, 8, moves, recall=True)
    player = network(game, {})
    streams, replay = seed_streams(2, 8), player.replay()
    views: dict[bytes, int] = {}
    keys: dict[int, bytes] = {}
    for row in rows_to_search(batch):
        worlds = replay.draw_worlds(batch.observations, row, streams, 300)
        view = spec.new_games(1)
        for j in range(300):
            for seat in range(1, 4):
                spec.kernels.view(as_records(worlds), j, seat, as_records(view), 0)
                key = int(key_of(view.view(np.uint64)))
                assert key and views.setdefault(view.tobytes(), key) == key
                assert keys.setdefault(key, view.tobytes()) == view.tobytes()
    assert len(keys) > 500
    one = view.view(np.uint64).copy()
    for k in range(len(one)):
        for bit in (0, 31, 32, 63):
            other = one.copy()
            other[k] ^= np.uint64(1) << np.uint64(bit)
            assert key_of(other) != key_of(one)


@pytest.mark.slow
def test_of_a_network_that_recalls(tmp_path: Path) -> None:
    spec, player = get_game("euchre"), fresh_network(tmp_path, recall=True)
    assert player.game.recall
    batch = played_on("euchre", 8, 6, recall=True)
    replay, streams = player.replay(), seed_streams(1, 8)
    for row in rows_to_search(batch)[:3]:
        worlds = replay.draw_worlds(batch.observations, row, streams, 3)
        expected = [naive_log_reach(spec, player, world, 0.2) for world in worlds]
        assert np.allclose(replay.log_reaches(worlds, 0.2), expected, atol=1e-4)
        action = np.flatnonzero(batch.action_masks[row])[:1]
        gains = replay.action_gains(worlds, action, loops.POINTS)
        assert gains[:, 0].tolist() == [naive_gain(spec, player, world, int(action[0])) for world in worlds]


def test_worlds_are_drawn_by_their_reaches() -> None:
    """Each world is drawn as often as its reach says, rounded up or down, and their mean reach is told; of one candidate
    each is drawn once."""
    player = network("euchre", {})
    batch = played_on("euchre", 8, 13, recall=True)
    replay, row = player.replay(), int(rows_to_search(batch)[0])
    candidates = replay.draw_worlds(batch.observations, row, seed_streams(3, 8), 400)
    reach = np.exp(replay.log_reaches(candidates, 0.3))
    drawn = replay.draw_believed(batch.observations, row, seed_streams(3, 8), 100, 4, 0.3)
    assert drawn.counts.sum() == 100 and drawn.counts.min() == 1
    assert drawn.log_mass == pytest.approx(np.log(reach.mean()))
    shares = collections.defaultdict[bytes, float](float)
    counts, times = collections.Counter[bytes](), collections.Counter[bytes]()
    for world, share in zip(candidates, 100 * reach / reach.sum(), strict=True):
        shares[world.tobytes()] += share
        times[world.tobytes()] += 1
    for world, count in zip(drawn.worlds, drawn.counts, strict=True):
        counts[world.tobytes()] += count
    assert all(abs(counts[world] - shares[world]) < times[world] for world in shares)
    assert set(counts) <= set(shares)
    plain = replay.draw_believed(batch.observations, row, seed_streams(3, 8), 100, 1, 0.3)
    assert plain.counts.tolist() == [1] * 100 and plain.log_mass == 0


def test_the_deal_as_it_is_is_believed_more_than_others() -> None:
    """In games among copies of the network, the true deal's reach is above that of most worlds that fit as well."""
    player = network("euchre", {})
    batch = played_on("euchre", 400, 9, player="learned", recall=True)
    replay, streams = player.replay(), seed_streams(1, 400)
    below = []
    for row in np.flatnonzero(batch.to_act == 0):
        worlds = replay.draw_worlds(batch.observations, row, streams, 50)
        reach, of_true = replay.log_reaches(worlds, 0.1), replay.log_reaches(batch.games[[row]], 0.1)[0]
        below.append((reach < of_true).mean() + (reach == of_true).mean() / 2)
    assert len(below) > 50
    # If replaying told nothing, half of the worlds would be below.
    assert np.mean(below) > 0.6


def test_games_that_cannot_be_replayed() -> None:
    with pytest.raises(ValueError, match="what was done in five-o cannot be replayed"):
        reach_kernel(replace(get_game("five-o").kernels, rewind=None), False)


def test_a_tree_search_in_the_worlds_that_a_network_believes_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the network is sure of the deal, the others do in the tree what they can do in that deal, and nothing else."""
    batch = played_on("euchre", 60, 8, player="learned", recall=True, bidding="forced-spades")
    rows = [row for row in np.flatnonzero(batch.to_act == 0) if batch.action_masks[row].sum() > 1]
    asked = []

    def believed(self: Learned, observations: Any, k: int, streams: Any, worlds: int, *rest: Any) -> Games:
        asked.append((worlds, *rest))
        return np.repeat(batch.games[[row]], worlds)

    monkeypatch.setattr(Learned, "believed", believed)
    player = Ismcts("euchre", simulations=100, network="learned", beliefs=7, candidates=3)
    assert player.game.recall
    for row in rows:
        player.act(batch.observations[[row]], batch.action_masks[[row]], seed_streams(1, 1))
        nodes = player._spaces[0].nodes
        edge, seen = int(nodes["child"][0]), 0
        while edge:
            after = batch.games[[row]]
            batch.spec.kernels.step(after, 0, int(nodes["action"][edge]))
            legal = batch.spec.legal(after)
            below = int(nodes["child"][edge])
            while below:
                assert legal >> int(nodes["action"][below]) & 1
                below, seen = int(nodes["sibling"][below]), seen + 1
            edge = int(nodes["sibling"][edge])
        assert seen
    assert rows and asked == [(7, 3, None)] * len(rows)


def test_a_tree_search_with_little_time_believes_in_fewer_worlds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of the time is kept for simulations; a world takes a hundredth of a second here."""
    batch = played_on("euchre", 20, 8, player="learned", recall=True, bidding="forced-spades")
    row = next(row for row in np.flatnonzero(batch.to_act == 0) if batch.action_masks[row].sum() > 1)
    clock, asked, began_in = [0.0], [], []

    def believed(self: Learned, observations: Any, k: int, streams: Any, worlds: int, *rest: Any) -> Games:
        clock[0] += worlds / 100
        asked.append(worlds)
        return np.repeat(batch.games[[row]], worlds)

    monkeypatch.setattr(Learned, "believed", believed)
    monkeypatch.setattr("cardenvs.baselines.search.tree.ismcts.clock", lambda: clock[0])
    monkeypatch.setattr(Ismcts, "_run_simulations", lambda self, space, *rest: began_in.append(len(space.pool)))
    for seconds, wanted, used in (
        (None, [200], 200),
        (1.01, [4, 46], 46),  # 0.04 s have gone by, and 0.465 s are left
        (100.0, [4, 200], 200),
        (0.06, [4], 4),  # nothing is left for more
        (1e-9, [4], 4),
    ):
        asked.clear()
        player = Ismcts("euchre", seconds=seconds, network="learned", beliefs=200)
        player.act(batch.observations[[row]], batch.action_masks[[row]], seed_streams(1, 1))
        assert asked == wanted and began_in.pop() == used, seconds


@pytest.mark.parametrize("effort", [{"seconds": 1e-9}, {"simulations": 1}])
def test_a_tree_search_without_time_goes_by_the_network(effort: dict[str, Any]) -> None:
    """The root alone is looked at, and none of its actions is tried."""
    batch = played_on("euchre", 40, 7, player="learned", recall=True, bidding="forced-spades")
    rows = [row for row in np.flatnonzero(batch.to_act == 0) if batch.action_masks[row].sum() > 1]
    player = Ismcts("euchre", network="learned", beliefs=5, **effort)
    chosen = player.act(batch.observations[rows], batch.action_masks[rows], seed_streams(1, len(rows)))
    plain = np.ascontiguousarray(batch.observations[rows][:, : batch.spec.plain.observation_size])
    assert chosen.tolist() == policy.make("euchre", "learned").act(plain, batch.action_masks[rows]).tolist()
    assert len(rows) > 3 and (chosen != batch.action_masks[rows].argmax(1)).any()


def test_a_tree_search_with_beliefs_plays_deals() -> None:
    result = play_match("euchre", "ismcts:network=learned,beliefs=20,simulations=30", "random", deals=4, seed=1)
    assert result.points_margin.mean > 0
    for network in ("random", None):
        with pytest.raises(ValueError, match="network must be a policy that has"):
            Ismcts("euchre", network=network, beliefs=5)


def test_policies_without_beliefs_say_so() -> None:
    batch = played_on("five-o", 1, 0, recall=True)
    player = policy.make("five-o", "learned")
    assert not player.has_beliefs
    with pytest.raises(ValueError, match="cannot be replayed"):
        player.believed(batch.observations, 0, seed_streams(1, 1), 5, 4, 0.3)
    with pytest.raises(ValueError, match="has no beliefs"):
        policy.make("euchre", "random").believed(batch.observations, 0, seed_streams(1, 1), 5, 4, 0.3)

"""`cardenvs.worlds`: worlds that fit an observation, actions in them, play-outs; and what is refused."""

import numpy as np
import pytest

from cardenvs import Batch, SeatVectorEnv, get_game, policy, testing, worlds
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.loops import RUNNING
from tests.helpers.players import First

pytestmark = pytest.mark.compiled

GAMES = ("euchre", "whist", "five-o")


def positions(name, seed=0, episodes=3):
    """States of random play in which a seat is to act, in one array."""
    spec = get_game(name)
    states = [games.copy() for games in testing.random_positions(spec, episodes, seed) if games[0]["over"] == RUNNING]
    return np.concatenate(states)


@pytest.mark.parametrize("name", GAMES)
def test_worlds_look_as_the_observation_does(name):
    spec = get_game(name)
    states = positions(name)
    rows = np.array([spec.observation(states, int(states[i]["to_act"]), i) for i in range(len(states))])
    dealt = worlds.redeal(spec, rows, 3, np.random.default_rng(1))
    assert dealt.shape == (3 * len(rows),)
    for j in range(len(dealt)):
        assert (spec.observation(worlds_checked(spec, dealt[j : j + 1]), 0) == rows[j // 3]).all()
    masks = worlds.masks(spec, dealt)
    for i in range(len(states)):
        assert (masks[3 * i : 3 * i + 3] == spec.mask(spec.legal(states, i))).all()


def worlds_checked(spec, games):
    """A world as a state: it has no history, which checks take for a world that is played on."""
    games = games.copy()
    games["moves"] = 0
    return games


@pytest.mark.parametrize("name", GAMES)
def test_worlds_of_a_row_a_dict_and_a_batch_are_the_same(name):
    batch = Batch(name, 2, seed=4)
    row, mask = batch.observations[0], batch.action_masks[0]
    one = worlds.redeal(name, row, 5, seed_streams(3, 1))
    assert (worlds.redeal(name, {"observation": row, "action_mask": mask}, 5, seed_streams(3, 1)) == one).all()
    assert (worlds.redeal(name, batch.observations, 5, seed_streams(3, 2))[:5] == one).all()
    assert worlds.redeal(name, row).shape == (1,)
    assert worlds.redeal(name, row, 0).shape == (0,)
    assert worlds.redeal(name, batch.observations[:0], 5).shape == (0,)


@pytest.mark.parametrize("name", GAMES)
def test_views_are_those_of_the_seats(name):
    spec = get_game(name)
    states = positions(name, seed=1, episodes=1)
    seen = worlds.views(spec, states, states["to_act"])
    for i in range(len(states)):
        assert spec.observation(states, int(states[i]["to_act"]), i).tolist() == observed(spec, seen[i : i + 1])
    assert (worlds.views(spec, states, 1) == worlds.views(spec, states, np.ones(len(states), int))).all()


def observed(spec, views):
    out = np.zeros((1, spec.observation_size), np.int8)
    spec.kernels.observe(views, 0, out, 0)
    return out[0].tolist()


@pytest.mark.parametrize("name", GAMES)
def test_apply_plays_actions_and_leaves_the_states_as_they_are(name):
    spec = get_game(name)
    batch = Batch(spec, 30, seed=2, restart=False)
    streams = seed_streams(0, 30)
    player = policy.make(spec, "random")
    states = batch.games.copy()
    for _ in range(spec.max_steps):
        before = states.copy()
        actions = player.choose(batch.observations, batch.action_masks, streams)
        after = worlds.apply(spec, states, actions)
        assert (states == before).all()
        batch.step(actions)
        assert (after == batch.games).all()
        states = after
        if batch.finished.any():
            break
    assert batch.finished.any()


@pytest.mark.parametrize("name", GAMES)
def test_worlds_can_be_played_on_and_looked_at(name):
    """Worlds from an observation lack the history: nothing that is done with them needs it."""
    batch = Batch(name, 1, seed=7)
    for _ in range(9):
        batch.step([np.flatnonzero(mask)[0] for mask in batch.action_masks])
    dealt = worlds.redeal(name, batch.observations, 20, np.random.default_rng(0))
    while (dealt["over"] == RUNNING).all():
        masks = worlds.masks(name, dealt)
        worlds.views(name, dealt, 1)
        dealt = worlds.apply(name, dealt, masks.argmax(1))
    assert not worlds.masks(name, dealt[dealt["over"] != RUNNING]).any()
    assert worlds.playouts(name, dealt, "random", np.random.default_rng(1)).shape == (20, get_game(name).seats)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("reward", [0, 1, -1])
def test_playouts_pay_what_environments_pay(name, reward):
    """The same play-outs in a batch, whose rewards they must be."""
    spec = get_game(name)
    kind = spec.rewards[reward]
    batch = Batch(spec, 40, seed=3, restart=False, reward=kind)
    streams = seed_streams(5, 40)
    paid = worlds.playouts(spec, batch.games, First(spec), streams, reward=kind)
    assert (streams == seed_streams(5, 40)).all()
    total = np.zeros((40, spec.seats))
    while not batch.finished.all():
        batch.step(np.where(batch.finished, 0, batch.action_masks.argmax(1)))
        total += batch.rewards
    assert np.allclose(paid, total)
    assert np.allclose(paid.sum(1), 0)


@pytest.mark.parametrize("name", GAMES)
def test_random_playouts_do_not_depend_on_company_or_threads(name):
    states = positions(name, seed=5)
    states = np.concatenate([states] * (3000 // len(states)))
    streams = seed_streams(1, len(states))
    together = worlds.playouts(name, states, rng=streams)
    assert (worlds.playouts(name, states, rng=streams, threads=2) == together).all()
    assert (worlds.playouts(name, states[7:9], rng=streams[7:9].copy()) == together[7:9]).all()


def test_each_seat_may_have_a_policy_of_its_own():
    """Strong partners against random ones: whoever has the even seats gains."""
    states = Batch("whist", 400, seed=1).games
    strong = worlds.playouts("whist", states, ["coop-high-low", "random"] * 2, np.random.default_rng(0))
    weak = worlds.playouts("whist", states, ["random", "coop-high-low"] * 2, np.random.default_rng(0))
    assert strong[:, 0].mean() > 0.5 and weak[:, 0].mean() < -0.5  # more than 5 standard errors from 0


def test_playouts_can_be_cut_off():
    states = Batch("whist", 5, seed=1).games
    assert not worlds.playouts("whist", states, max_decisions=51).any()
    assert not worlds.playouts("whist", states, "low", max_decisions=51).any()
    full = worlds.playouts("whist", states, rng=seed_streams(0, 5))
    assert full.any() and (worlds.playouts("whist", states, rng=seed_streams(0, 5), max_decisions=52) == full).all()
    assert (worlds.playouts("whist", states, rng=seed_streams(0, 5), max_decisions=2**63 - 1) == full).all()
    with pytest.raises(ValueError, match=r"max_decisions must be an int from 1 to 2\*\*63 - 1, not 9223"):
        worlds.playouts("whist", states, max_decisions=2**63)


def test_more_worlds_than_memory_holds_are_refused_in_a_line():
    batch = Batch("whist", 2, seed=1)
    for call in (
        lambda: worlds.redeal("whist", batch.observations, 10**12),
        lambda: worlds.believed("euchre", Batch("euchre", 1, recall=True).observations, "learned", 10**12),
        lambda: get_game("whist").new_games(10**12),
        lambda: Batch("whist", 10**12),
        lambda: SeatVectorEnv("whist", 10**12),
    ):
        with pytest.raises(ValueError, match=r"^(n|num_envs) must be an int from [01] to \d+, not 1000000000000$"):
            call()


def test_a_finished_deal_is_paid_at_once():
    for games in testing.random_positions(get_game("euchre"), 4, seed=2):
        if games[0]["over"] != RUNNING:
            outcome = get_game("euchre").outcome(games)
            paid = worlds.playouts("euchre", games)
            assert paid[0].tolist() == [(outcome.points[0] - outcome.points[1]) * sign for sign in (1, -1, 1, -1)]


def test_nothing_can_be_played_where_the_deal_is_over():
    *_, games = testing.random_positions(get_game("five-o"), 1)
    with pytest.raises(ValueError, match="the deal of state 0 is over"):
        worlds.apply("five-o", games, 0)

"""Monte Carlo: play-outs against each other and against exact expectations, bids, budgets; and `split`."""

import functools
from typing import Any

import numpy as np
import pytest

from cardenvs import GameSpec, get_game, policy, testing
from cardenvs.baselines.heuristics.calling import CALLERS, DEFAULT_CALLER
from cardenvs.baselines.match import play_match
from cardenvs.baselines.search.playing_out import play_out_kernel
from cardenvs.baselines.search.trick import monte_carlo
from cardenvs.baselines.search.trick import slots as worlds
from cardenvs.baselines.search.trick.monte_carlo import MonteCarlo
from cardenvs.baselines.search.trick.playout import FAST_AGENTS, PLAYOUTS, play_out, playout_action
from cardenvs.compiled.bits import Ints, Streams
from cardenvs.compiled.jit import kernel
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.cards import members_of
from cardenvs.contract.loops import RUNNING
from cardenvs.games import euchre
from tests.helpers.hidden_cards import consistent_hands
from tests.helpers.positions import rows_of
from tests.helpers.trick_positions import FORCED, GAMES, STRONG, observed, positions_with_views

pytestmark = pytest.mark.compiled

CALLER = CALLERS[DEFAULT_CALLER]


# --- play-outs -----------------------------------------------------------------------------------------------------


@kernel
def fast_tricks(
    agent: int, positions: Any, slot: int, same_suit: Ints, same_rank: Ints, hands: Ints, streams: Streams, out: Ints
) -> None:
    for n in range(len(out)):
        out[n] = play_out(agent, positions, 0, slot, same_suit, same_rank, hands, streams, 0)


def slow_tricks(spec: GameSpec, agent: int, games: Any, card: int, taken: int, streams: Streams, out: Ints) -> None:
    finish = play_out_kernel(spec.kernels, "agents", playout_action(spec))
    for n in range(len(out)):
        games[1] = games[0]
        finish(games, 1, card, agent, CALLER, streams, 0, spec.max_steps)
        out[n] = games[1]["tricks"][0] + games[1]["tricks"][2] - taken


@pytest.mark.slow
@pytest.mark.parametrize("name", ["whist", "euchre"])
@pytest.mark.parametrize("agent", [name for name, number in PLAYOUTS.items() if number in FAST_AGENTS])
def test_fast_play_outs_take_as_many_tricks_as_the_agents_themselves(name, agent):
    """In one deal, from one card on. 120 comparisons at 5 standard errors: a chance of 1 in 10,000 to fail."""
    game, slots, open_position, _ = GAMES[name]
    n = 1_000
    fast, slow = np.zeros(n, np.int64), np.zeros(n, np.int64)
    positions, streams, hands = worlds.new_positions(), seed_streams(2, 1), np.zeros(4, np.int64)
    dealt = game.SPEC.new_games(2)
    tried = 0
    for k, (games, views) in enumerate(positions_with_views(name, 30, seed=6)):
        legal = game.SPEC.legal(games)
        if k % (7 if name == "euchre" else 19) or not legal & (legal - 1):
            continue
        game.SPEC.kernels.redeal(views, 0, streams, 0, dealt, 0)
        open_position(views, 0, positions, 0)
        trump, card = int(views[0]["trump"]), members_of(legal)[k % legal.bit_count()]
        for seat in range(4):
            positions[0]["hands"][seat] = worlds.to_slots(int(dealt[0]["hands"][seat]), trump, slots.slot)
        first = int(slots.slot[trump, card])
        fast_tricks(PLAYOUTS[agent], positions, first, slots.same_suit, slots.same_rank, hands, streams, fast)
        slow_tricks(game.SPEC, PLAYOUTS[agent], dealt, card, int(positions[0]["taken"]), streams, slow)
        error = np.sqrt((fast.var() + slow.var()) / n) + 1e-9
        assert abs(fast.mean() - slow.mean()) < 5 * error, game.SPEC.text(dealt[0])
        assert set(fast) <= set(range(int(positions[0]["tricks"]) + 1))
        tried += 1
        if tried == 12:
            break
    assert tried == 12


@pytest.mark.parametrize("agent", PLAYOUTS)
@pytest.mark.parametrize("name", GAMES)
def test_every_agent_plays_deals_out(name, agent):
    spec = get_game(name)
    player = policy.make(name, "monte-carlo", worlds=2, playout=agent)
    for k, games in enumerate(testing.random_positions(spec, 2, seed=9)):
        if games[0]["over"] == RUNNING and k % 3 == 0:
            rows, masks = rows_of(name, games)
            scores = player.scores(rows, masks, seed_streams(k, 1))[0]
            assert (np.isfinite(scores) == (masks[0] == 1)).all()
            assert masks[0, player.choose(rows, masks, seed_streams(k, 1))[0]]


# --- scores --------------------------------------------------------------------------------------------------------


def moments(spec, games):
    """Mean and mean square of side 0's points less the other's, and of its tricks less theirs, by random play from here."""
    if games[0]["over"] != RUNNING:
        points, tricks = np.zeros((1, 2), np.int64), np.zeros((1, 4), np.int64)
        spec.kernels.outcome(games, 0, points, tricks)
        made = np.array([points[0, 0] - points[0, 1], tricks[0, ::2].sum() - tricks[0, 1::2].sum()], float)
        return np.stack([made, made**2])
    parts = []
    for action in members_of(int(spec.kernels.legal(games, 0))):
        after = games.copy()
        spec.kernels.step(after, 0, action)
        parts.append(moments(spec, after))
    return np.mean(parts, axis=0)


@functools.cache
def endings(name, number, **options):
    """Positions with two cards left and a choice, few enough deals to list: text, and each action's `moments`."""
    game = GAMES[name][0]
    spec = game.SPEC
    examples = []
    for games, views in positions_with_views(name, 400, seed=12, **options):
        legal = int(spec.kernels.legal(games, 0))
        unseen = game.DECK.size - int(np.bitwise_or.reduce(views[0]["played"])).bit_count() - 2
        if int(views[0]["hands"][0]).bit_count() != 2 or not legal & (legal - 1) or views[0]["winner"] < 0:
            continue
        # In Euchre the last hand to play, with as few deals as can be.
        if name == "euchre" and unseen > 9:
            continue
        hands = list(consistent_hands(name, games, views))
        if len(hands) < 20 or len(hands) > 1_000:
            continue
        after, values = spec.new_games(1), {}
        for action in members_of(legal):
            parts = []
            for world in hands:
                after[0] = views[0]
                after[0]["hands"] = world
                spec.kernels.step(after, 0, action)
                parts.append(moments(spec, after))
            values[action] = np.mean(parts, axis=0)
        examples.append((spec.text(games[0]), values))
        if len(examples) == number:
            break
    return examples


@pytest.mark.parametrize(("name", "options"), [("euchre", {}), ("euchre", FORCED), ("whist", {})])
@pytest.mark.parametrize("goal", ["points", "tricks"])
@pytest.mark.parametrize("fast", [True, False])
def test_scores_are_the_exact_means_at_the_end(name, options, goal, fast, monkeypatch):
    """Every deal listed and every continuation weighed; 5 standard errors, fewer than 150 scores: 1 in 10,000 to fail."""
    if not fast:
        monkeypatch.setattr(monte_carlo, "FAST_AGENTS", ())
    drawn = 10_000
    player = MonteCarlo(name, worlds=drawn, playout="random", goal=goal)
    known = endings(name, 4, **options)
    assert len(known) == 4
    for k, (line, values) in enumerate(known):
        rows, masks = rows_of(name, get_game(name).parse(line))
        scores = player.scores(rows, masks, seed_streams(k, 1))[0]
        assert set(np.flatnonzero(masks[0])) == set(values)
        for action, (mean, square) in values.items():
            column = 0 if goal == "points" else 1
            error = np.sqrt(max(square[column] - mean[column] ** 2, 0) / drawn)
            assert scores[action] == pytest.approx(mean[column], abs=5 * error + 1e-9), line


def test_equivalent_cards_are_worth_the_same():
    """The king and queen of clubs, with nothing between them: searched apart, random play-outs would part them."""
    line = "bidding=forced-spades dealer=3 hands=9cQcKc9dTd/TcJcQdKdAd/9hThJhQhKh/AcAhTsQsKs turned=Js"
    for playout in ("random", "coop-high-low"):
        explained = MonteCarlo("euchre", playout=playout, worlds=99).explain(observed("euchre", line), seed_streams(1, 1))
        assert dict(explained)["Qc"] == dict(explained)["Kc"]


@pytest.mark.parametrize("goals", [("points", "tricks"), ("tricks", "points")])
def test_the_choice_is_the_best_score_and_the_lowest_of_equals(goals):
    for name in GAMES:
        slots = GAMES[name][1]
        player, other = (MonteCarlo(name, worlds=4, goal=goal) for goal in goals)
        for k, (games, views) in enumerate(positions_with_views(name, 6, seed=1)):
            rows, masks = rows_of(name, games)
            scores, trump = player.scores(rows, masks, seed_streams(k, 1))[0], int(views[0]["trump"])
            # The same deals and play-outs, counted the other way.
            ties = other.scores(rows, masks, seed_streams(k, 1))[0]
            order = {c: (-scores[c], -ties[c], slots.slot[trump, c]) for c in np.flatnonzero(masks[0])}
            lowest = min(order, key=order.__getitem__)
            explained = player.explain({"observation": rows[0], "action_mask": masks[0]}, seed_streams(k, 1))
            assert explained[0] == (get_game(name).actions[lowest], scores[lowest])
            assert [score for _, score in explained] == sorted((score for _, score in explained), reverse=True)
            if masks.sum() > 1:
                assert player.choose(rows, masks, seed_streams(k, 1))[0] == lowest


# --- bids ----------------------------------------------------------------------------------------------------------


def test_bids_by_tricks_on_request():
    explained = MonteCarlo("euchre", worlds=200, goal="tricks").explain(observed("euchre", STRONG), seed_streams(0, 1))
    assert dict(explained)["order-up"] == dict(explained)["order-up-alone"] == 5


@pytest.mark.parametrize("calling", CALLERS)
def test_leaves_the_calls_to_a_caller_on_request(calling):
    spec = get_game("euchre")
    player, other = policy.make("euchre", "monte-carlo", calling=calling), policy.make("euchre", "low", calling=calling)
    for k, games in enumerate(testing.random_positions(spec, 6, seed=2)):
        if games[0]["over"] == RUNNING and games[0]["phase"] != euchre.PLAYING:
            rows, masks = rows_of("euchre", games)
            bid = other.choose(rows, masks, seed_streams(k, 1))[0]
            if masks.sum() > 1:
                assert player.choose(rows, masks, seed_streams(k, 1))[0] == bid
            scores = player.scores(rows, masks, seed_streams(k, 1))[0]
            assert scores[bid] == 1 and np.nansum(scores) == 1


def test_split_bids_as_one_and_plays_as_another():
    spec = get_game("euchre")
    player = policy.make("euchre", "split:calls=monte-carlo:worlds=5,plays=high")
    calls, plays = policy.make("euchre", "monte-carlo", worlds=5), policy.make("euchre", "high")
    batch_rows, batch_masks, expected, streams = [], [], [], []
    for k, games in enumerate(testing.random_positions(spec, 4, seed=3)):
        if games[0]["over"] == RUNNING:
            rows, masks = rows_of("euchre", games)
            one = plays if games[0]["phase"] == euchre.PLAYING else calls
            expected.append(one.choose(rows, masks, seed_streams(0, 1, k))[0])
            batch_rows.append(rows)
            batch_masks.append(masks)
            streams.append(k)
    assert min(expected) < euchre.PASS <= max(expected)
    numbers = np.concatenate([seed_streams(0, 1, k) for k in streams])
    assert player.choose(np.concatenate(batch_rows), np.concatenate(batch_masks), numbers).tolist() == expected


# --- strength ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("playout", "drawn", "rate"),
    [("random", 10, 0.628), ("random", 30, 0.671), ("coop-high-low", 10, 0.648), ("coop-high-low", 30, 0.695)],
)
def test_wins_as_many_games_as_the_prototype(playout, drawn, rate):
    """Within the prototype's interval of 0.9 points and four standard errors of our own."""
    name = f"monte-carlo:worlds={drawn},playout={playout}"
    result = play_match("euchre", name, "coop-high-low", deals=10_000, seed=8, protocol="published")
    assert result.win_rate.mean > rate - 0.009 - 4 * np.sqrt(0.25 / 10_000)

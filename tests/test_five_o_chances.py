"""Chances in Five-O against plain enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from baselines.search import five_o_chances
from baselines.search.five_o_chances import PUT, WAIT, WIN, exact_chances, game_chances, sampled_chances, win_probability
from cardenvs import get_game, policy, testing
from cardenvs.cards import members_of, seed_streams
from cardenvs.drivers import RUNNING
from cardenvs.poker import hand_value

SPEC = get_game("five-o")
ALL = (1 << 52) - 1


def rows_of(games):
    observation = SPEC.observation(games, int(games[0]["to_act"]))[None]
    mask = int(SPEC.kernels.legal(games, 0))
    return observation, np.array([[mask >> k & 1 for k in range(5)]], np.int8)


def late_positions(deals, least, seed=0, **options):
    """Positions of random play in which a seat has placed at least so many cards, with their views."""
    for games in testing.random_positions(SPEC, deals, seed, **options):
        if games[0]["over"] == RUNNING and games[0]["moves"] >= least:
            view = SPEC.new_games(1)
            SPEC.kernels.view(games, 0, int(games[0]["to_act"]), view, 0)
            yield games, view[0]


def unseen_of(view):
    seen = int(view["card"])
    for column in range(5):
        seen |= int(view["columns"][0, column]) | int(view["columns"][1, column])
    return members_of(ALL & ~seen)


def naive_chance(own, other, unseen):
    """How often a column beats the opposing one, over every way to draw what both lack from the unseen cards."""
    mine, theirs = 5 - own.bit_count(), 5 - other.bit_count()
    won = total = 0
    for drawn in itertools.permutations(unseen, mine + theirs):
        first = own | sum(1 << card for card in drawn[:mine])
        second = other | sum(1 << card for card in drawn[mine:])
        won += hand_value(first) > hand_value(second)
        total += 1
    return won / total


def test_equation_3_is_the_sum_over_all_outcomes():
    rng = np.random.default_rng(0)
    chances = np.vstack([rng.random((20, 5)), np.eye(5), np.ones((1, 5)), np.zeros((1, 5))])
    for p, found in zip(chances, win_probability(chances), strict=True):
        expected = 0.0
        for outcome in itertools.product((0, 1), repeat=5):
            if sum(outcome) >= 3:
                expected += float(np.prod([q if won else 1 - q for q, won in zip(p, outcome, strict=True)]))
        assert found == pytest.approx(expected, abs=1e-12)
    assert win_probability([1, 1, 1, 0, 0]) == 1.0
    assert isinstance(win_probability([0.5] * 5), float)


@pytest.mark.parametrize("options", [{}, {"hidden_rows": 0}])
def test_exact_chances_count_every_completion(options):
    checked = hidden = 0
    for games, view in late_positions(3, 34, **options):
        rows, masks = rows_of(games)
        unseen = unseen_of(view)
        chances = exact_chances(rows, masks)[0]
        hidden += any(int(view["covered"][1, k]) for k in range(5))
        for column in range(5):
            own, other = int(view["columns"][0, column]), int(view["columns"][1, column])
            if 10 - own.bit_count() - other.bit_count() <= 2:
                assert chances[column, WAIT] == pytest.approx(naive_chance(own, other, unseen), abs=1e-12)
                if masks[0, column]:
                    put = naive_chance(own | int(view["card"]), other, unseen)
                    assert chances[column, PUT] == pytest.approx(put, abs=1e-12)
                else:
                    assert np.isnan(chances[column, PUT])
                checked += 1
    assert checked > 30
    assert bool(hidden) == (not options)


def test_sampled_chances_are_the_exact_ones_but_for_chance():
    """40 positions of the last three rows, 10 chances each: beyond 4.5 standard errors once in 300 runs."""
    samples = 20_000
    for k, (games, _) in enumerate(itertools.islice(late_positions(4, 15, seed=2), 0, None, 3)):
        rows, masks = rows_of(games)
        exact = exact_chances(rows, masks)
        found = sampled_chances(rows, masks, samples, seed_streams(k, 1))
        assert (np.isnan(exact) == np.isnan(found)).all()
        error = np.sqrt(np.maximum(exact * (1 - exact), 1 / samples) / samples)
        assert not (np.abs(found - exact) > 4.5 * error).any()


def test_game_chances_of_the_last_row_count_every_order():
    """The last column of each side open: every pair of cards, the columns drawn together."""
    checked = 0
    for games, view in late_positions(12, 38, seed=3, hidden_rows=0):
        rows, masks = rows_of(games)
        unseen = unseen_of(view)
        found = game_chances(rows, masks)[0]
        own = [int(c) for c in view["columns"][0]]
        other = [int(c) for c in view["columns"][1]]
        for action in np.flatnonzero(masks[0]):
            mine = [c | int(view["card"]) if k == action else c for k, c in enumerate(own)]
            open_seats = [(side, k) for side, cs in enumerate((mine, other)) for k, c in enumerate(cs) if c.bit_count() < 5]
            wins = total = 0
            for drawn in itertools.permutations(unseen, len(open_seats)):
                hands = [list(mine), list(other)]
                for (side, k), card in zip(open_seats, drawn, strict=True):
                    hands[side][k] |= 1 << card
                won = sum(hand_value(a) > hand_value(b) for a, b in zip(*hands, strict=True))
                wins += won >= 3
                total += 1
            assert found[action, WIN] == pytest.approx(wins / total, abs=1e-9)
            assert found[action].sum() == pytest.approx(1)
            checked += 1
    assert checked > 12


def test_agents_play_for_the_greatest_chance():
    exact, sampled = policy.make("five-o", "exact", row=2), policy.make("five-o", "monte-carlo", samples=500)
    for k, (games, _) in enumerate(late_positions(2, 20, seed=4)):
        rows, masks = rows_of(games)
        for player in (exact, sampled):
            scores = player.scores(rows, masks, seed_streams(k, 1))[0]
            chosen = player.act(rows, masks, seed_streams(k, 1))[0]
            if masks.sum() > 1:
                assert scores[chosen] == np.nanmax(scores)
            observation = {"observation": rows[0], "action_mask": masks[0]}
            chances = player.column_chances(observation, seed_streams(k, 1))
            placed = np.where(np.arange(5) == chosen, chances[:, PUT], chances[:, WAIT])
            assert scores[chosen] == pytest.approx(win_probability(placed))
        assert np.isfinite(exact.scores(rows, masks)[masks != 0]).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: win_probability([0.5] * 4), r"chances must have the shape \(..., 5\), not \(4,\)"),
        (lambda: win_probability([0.5, 0.5, 0.5, 0.5, 1.5]), "chances must be 0 to 1, not 1.5"),
        (lambda: win_probability([0.5, 0.5, 0.5, 0.5, float("nan")]), "chances must be 0 to 1, not nan"),
        (lambda: policy.make("five-o", "monte-carlo:samples=0"), "samples must be an int of at least 1, not 0"),
        (lambda: policy.make("five-o", "monte-carlo:seconds=0"), "seconds must be a number above 0, not 0"),
        (lambda: policy.make("five-o", "monte-carlo:worlds=3"), "unknown parameter 'worlds'"),
        (lambda: policy.make("five-o", "exact:row=1"), "row must be an int of 2 to 5, not 1"),
        (lambda: five_o_chances.exact_chances(np.zeros((1, 3)), np.ones((1, 5))), "have the shape"),
    ],
)
def test_wrong_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()

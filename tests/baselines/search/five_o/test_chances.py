"""Chances in Five-O against plain enumeration."""

import itertools

import numpy as np
import pytest

from cardenvs import get_game, policy, testing
from cardenvs.baselines.search.five_o.chances import PUT, WAIT, WIN, placement_scores, win_probability
from cardenvs.baselines.search.five_o.exact_chances import exact_chances
from cardenvs.baselines.search.five_o.independence import independence_cost, joint_chances
from cardenvs.baselines.search.five_o.sampled_chances import sampled_chances
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.cards import FULL_DECK, members_of
from cardenvs.contract.loops import RUNNING
from cardenvs.games.poker import hand_value
from tests.helpers.positions import rows_of

pytestmark = pytest.mark.compiled

SPEC = get_game("five-o")
ALL = (1 << 52) - 1


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
    for p, probability in zip(chances, win_probability(chances), strict=True):
        expected = 0.0
        for outcome in itertools.product((0, 1), repeat=5):
            if sum(outcome) >= 3:
                expected += float(np.prod([q if won else 1 - q for q, won in zip(p, outcome, strict=True)]))
        assert probability == pytest.approx(expected, abs=1e-12)
    assert win_probability([1, 1, 1, 0, 0]) == 1.0
    assert isinstance(win_probability([0.5] * 5), float)


@pytest.mark.parametrize("options", [{}, {"hidden_rows": 0}])
def test_exact_chances_count_every_completion(options):
    checked = hidden = 0
    for games, view in late_positions(3, 34, **options):
        rows, masks = rows_of(SPEC, games)
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
        rows, masks = rows_of(SPEC, games)
        exact = exact_chances(rows, masks)
        sampled = sampled_chances(rows, masks, samples, seed_streams(k, 1))
        assert (np.isnan(exact) == np.isnan(sampled)).all()
        error = np.sqrt(np.maximum(exact * (1 - exact), 1 / samples) / samples)
        assert not (np.abs(sampled - exact) > 4.5 * error).any()


def game_chances(rows, masks):
    """The chances of games, exact in the last row."""
    return joint_chances(rows, masks, 100, seed_streams(0, len(rows)))[1]


def test_game_chances_of_the_last_row_count_every_order():
    """The last column of each side open: every pair of cards, the columns drawn together."""
    checked = 0
    for games, view in late_positions(12, 38, seed=3, hidden_rows=0):
        rows, masks = rows_of(SPEC, games)
        unseen = unseen_of(view)
        counted = game_chances(rows, masks)[0]
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
            assert counted[action, WIN] == pytest.approx(wins / total, abs=1e-9)
            assert counted[action].sum() == pytest.approx(1)
            checked += 1
    assert checked > 12


def last_two(own, other, card):
    """Player 0 is to place ``card``, all cards face up, with four cards in the last two columns of either side."""
    sides = [[FULL_DECK.parse(column) for column in columns.split()] for columns in (own, other)]
    dealt = [column[0] for columns in sides for column in columns]
    in_turn = [column for pair in zip(*sides, strict=True) for column in pair]
    drawn = [column[row] for row in range(1, 5) for column in in_turn if row < len(column)] + [FULL_DECK.card(card)]
    rest = [k for k in range(52) if k not in {*dealt, *drawn}]
    columns = "/".join(FULL_DECK.format(dealt[start : start + 5]) for start in (0, 5))
    actions = ",".join(f"column-{k // 2 % 5 + 1}" for k in range(36))
    line = f"five-o hidden_rows=0 columns={columns} deck={FULL_DECK.format(drawn + rest)} actions={actions}"
    return rows_of(SPEC, SPEC.parse(line))


def test_independence_costs_nothing_where_one_column_is_open():
    """Of 9h 2c 2d 3c 3s the nine gives the other side a flush in column 4; column 5 is lost whatever comes, two are won."""
    rows, masks = last_two(
        own="4c5c6c7c8c 9cTcJcQcKh 5d6dTdQdAh KcKdQhJd 3h5h8hQs",
        other="2s4s5s7d9d 3d4d6h8dTh 7s9sJsKsAs 2h4h7hJh AcAd6sTs",
        card="8s",
    )
    scores = [np.nan, np.nan, np.nan, 0.8, 0.8]
    assert placement_scores(exact_chances(rows, masks))[0] == pytest.approx(scores, nan_ok=True)
    assert game_chances(rows, masks)[0, :, WIN] == pytest.approx(scores, nan_ok=True)
    cost = independence_cost(rows, masks)
    assert cost.positions == 1
    assert cost.mean_absolute_difference == pytest.approx(0, abs=1e-12)
    assert cost.mean_difference == pytest.approx(0, abs=1e-12)
    assert (cost.choices_differ, cost.mean_loss) == (0, 0)


def test_columns_that_wait_for_the_same_card_are_not_independent():
    """Of 9h 2c 2d 3c 3s the nine wins column 5 for this side, or column 4 for the other; both are needed.

    Who draws it in column 5 has won in column 4 as well: one chance in five, which equation 3 takes for 1/5 of 4/5.
    """
    rows, masks = last_two(
        own="4c5c6c7c8c 3d4d6h8dTh 5d6dTdQdAh KcKdQsJd 3h5h8hQh",
        other="2s4s5s7d9d 9cTcJcQcKh 7s9sJsKsAs 2h4h7hJh AcAd6sTs",
        card="8s",
    )
    apart, together = [np.nan, np.nan, np.nan, 0.16, 0.0], [np.nan, np.nan, np.nan, 0.2, 0.0]
    assert placement_scores(exact_chances(rows, masks))[0] == pytest.approx(apart, nan_ok=True)
    assert game_chances(rows, masks)[0, :, WIN] == pytest.approx(together, nan_ok=True)
    cost = independence_cost(rows, masks)
    assert cost.mean_absolute_difference == pytest.approx(0.02)
    assert cost.mean_difference == pytest.approx(-0.02)
    assert (cost.choices_differ, cost.mean_loss) == (0, 0)


@pytest.mark.slow
def test_independence_cost_is_the_mean_over_all_placements():
    """In the last row, where both sides of the comparison are exact; positions without a choice are left out."""
    batches = [rows_of(SPEC, games) for games, _ in late_positions(60, 30, seed=5)]
    rows, masks = (np.concatenate(parts) for parts in zip(*batches, strict=True))
    differences, losses, differ = [], [], 0
    for row, mask in batches:
        if mask.sum() > 1:
            apart = placement_scores(exact_chances(row, mask))[0]
            together = game_chances(row, mask)[0, :, WIN]
            differences += (apart - together)[mask[0] == 1].tolist()
            losses.append(np.nanmax(together) - together[np.nanargmax(apart)])
            differ += losses[-1] > 0
    cost = independence_cost(rows, masks)
    assert cost.positions == len(losses) == 480
    assert cost.mean_absolute_difference == pytest.approx(np.abs(differences).mean())
    assert cost.mean_difference == pytest.approx(np.mean(differences))
    assert cost.choices_differ == differ / len(losses) > 0
    assert cost.mean_loss == pytest.approx(np.mean(losses))
    with pytest.raises(ValueError, match="action_masks must have a row with two legal actions"):
        independence_cost(rows[:1], np.array([[0, 0, 1, 0, 0]]))


def test_agents_play_for_the_greatest_chance():
    exact, sampled = policy.make("five-o", "exact", row=2), policy.make("five-o", "monte-carlo", samples=500)
    for k, (games, _) in enumerate(late_positions(2, 20, seed=4)):
        rows, masks = rows_of(SPEC, games)
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

"""The last row of Five-O against ``exact``: its play, the best answer against trying everything, the bound on two rows."""

import itertools
from collections import defaultdict

import numpy as np
import pytest

from cardenvs import get_game, policy
from cardenvs.baselines.ceiling import five_o as wall
from cardenvs.baselines.match import match_deals
from cardenvs.baselines.search.five_o import last_row_answer as last_row
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.cards import members_of
from cardenvs.games import five_o
from cardenvs.games.poker import hand_value
from cardenvs.worlds import observed, play_on

SPEC = get_game("five-o")
pytestmark = pytest.mark.compiled


def positions(count, placed, seed, player="reflex3"):
    """Deals in which so many cards have been placed."""
    games, _ = match_deals(SPEC, 0, count, seed, {})
    players = [policy.make(SPEC, player)] * 2
    play_on(SPEC, games, players, seed_streams(seed, count), placed)
    return games


def face_up(game):
    """The columns before the last row, five of each seat, and the twelve other cards, each a set."""
    columns = np.array([[int(game["columns"][s][k]) & ~int(game["down"][s]) for k in range(5)] for s in range(2)], np.int64)
    unseen = int(five_o.DECK.all) & ~int(np.bitwise_or.reduce(columns, axis=None))
    return columns, np.array([1 << card for card in members_of(unseen)], np.int64)


@pytest.mark.parametrize("placed", [30, 31, 34, 37, 39])
def test_the_play_of_exact_in_the_last_row(placed):
    """`exact_column` is what the policy does, whatever the other side has placed."""
    games = positions(8, placed, 5)
    exact = policy.make(SPEC, "exact:row=5")
    rows = np.arange(len(games))
    chosen = exact.choose(*observed(SPEC, games, rows), seed_streams(0, len(games)))
    for game, column in zip(games, chosen, strict=True):
        seat = int(game["to_act"])
        columns, cards = face_up(game)
        numbers = {int(card): number for number, card in enumerate(cards)}
        values = [last_row.column_values(columns[s], cards) for s in (seat, 1 - seat)]
        own = [int(game["columns"][seat][k]) & int(game["down"][seat]) for k in range(5)]
        in_place = np.array([numbers[card] if card else -1 for card in own])
        assert last_row.exact_column(*values, in_place, numbers[int(game["card"])]) == column


def naive_column(own, other, in_place, hand, cards):
    """The column of greatest chance by equation 3, from all completions of each column by itself."""
    unseen = [c for c in cards if c != hand and c not in in_place.values()]

    def chance(k, kept):
        pairs = [(kept, y) for y in unseen] if kept is not None else list(itertools.permutations(unseen, 2))
        return sum(own[k][x] > other[k][y] for x, y in pairs) / len(pairs)

    def score(k):
        p = [chance(j, hand if j == k else in_place.get(j)) for j in range(5)]
        won = 0.0
        for outcome in itertools.product((0, 1), repeat=5):
            if sum(outcome) >= 3:
                won += np.prod([x if w else 1 - x for x, w in zip(p, outcome, strict=True)])
        return round(won, 12)

    return max((k for k in range(5) if k not in in_place), key=lambda k: (score(k), -k))


def naive_ends(own, other, among, cards):
    """Every order in which ``exact`` can get five of the cards ``among``: the columns it fills, and what lies in them."""
    known = {}

    def follow(in_place, order):
        if len(order) == 5:
            yield tuple(order), dict(in_place)
            return
        for hand in among:
            if hand not in in_place.values():
                key = frozenset(in_place.items()), hand
                if key not in known:
                    known[key] = naive_column(own, other, in_place, hand, cards)
                yield from follow({**in_place, known[key]: hand}, [*order, known[key]])

    return follow({}, [])


@pytest.mark.parametrize("second", [pytest.param(False, marks=pytest.mark.slow), True], ids=["first", "second"])
def test_the_best_answer_is_what_trying_everything_gives(second):
    """With three own cards in place, for every order of columns that has been seen: games, and columns."""
    columns, cards = face_up(positions(1, 30, 3)[0])
    own, other = last_row.column_values(columns[0], cards), last_row.column_values(columns[1], cards)
    seen = np.arange(5) + second
    ends, orders = last_row.exact_ends(other, own)
    counts, weights = np.empty(792, np.int64), np.empty((792, 120), np.int16)
    games, margins = (np.empty((13**5, 120 if second else 60), np.int32) for _ in range(2))
    last_row.merge_ends(ends, orders, int(seen[3]), counts, weights)
    assert weights[:, 0].min() > 0
    last_row.sum_results(own, other, ends, orders, counts, weights, last_row.ORDERS, games, margins)
    last_row.best_answer_sum(seen, games)
    last_row.best_answer_sum(seen, margins)

    mine = {0: 4, 2: 9, 3: 1}
    left = [c for c in range(12) if c not in mine.values()]
    by_order = defaultdict(list)
    for order, in_place in naive_ends(other.tolist(), own.tolist(), left, range(12)):
        by_order[order[: seen[3]]].append([in_place[k] for k in range(5)])
    assert sum(map(len, by_order.values())) == 9 * 8 * 7 * 6 * 5

    def worth(placed, theirs):
        columns = np.arange(5)
        signs = np.sign(own[columns, [placed[k] for k in range(5)]] - other[columns, theirs])
        won, lost = (signs > 0).sum(1), (signs < 0).sum(1)
        return [np.where(won >= 3, 2, np.where(lost >= 3, 0, 1)).sum(), (won - lost).sum()]

    expected = defaultdict(lambda: [0, 0])
    for order, theirs in by_order.items():
        theirs = np.array(theirs)
        for fourth in left:
            sums = {1: np.zeros(2, np.int64), 4: np.zeros(2, np.int64)}
            for column, total in sums.items():
                for fifth in left:
                    if fifth != fourth:
                        placed = {**mine, column: fourth, 5 - column: fifth}
                        total += worth(placed, theirs[((theirs != fourth) & (theirs != fifth)).all(1)])
            for kind in range(2):
                expected[order[: seen[2]]][kind] += int(max(total[kind] for total in sums.values()))
    at = sum(mine.get(k, 12) * 13**k for k in range(5))
    numbers = {
        order: int(last_row.ORDERS[sum((column + 1) * 6**k for k, column in enumerate(order))])
        for order in itertools.permutations(range(5), int(seen[2]))
    }
    assert len(expected) > 3
    for order, number in numbers.items():
        assert [games[at, number], margins[at, number]] == expected.get(order, [0, 0])


@pytest.mark.slow
def test_what_both_sides_win():
    """Of `exact` against itself all games are shared; who knows more wins no less."""
    game = positions(1, 30, 8, "monte-carlo:samples=200")
    first, second = (last_row.solve_last_row(game, seat) for seat in range(2))
    assert first.exact + second.exact == pytest.approx(1, abs=1e-12)
    assert first.exact_columns == pytest.approx(-second.exact_columns, abs=1e-12)
    for one in (first, second):
        assert 0 <= one.exact <= one.blind <= one.best <= 1
        assert -5 <= one.exact_columns <= one.best_columns <= 5
    blind = last_row.solve_last_row(game, 1, reads=False)
    assert (blind.exact, blind.best, blind.blind) == (second.exact, second.blind, second.blind)


def test_wrong_states_are_told():
    early, before = positions(1, 29, 1), positions(1, 30, 1)
    with pytest.raises(ValueError, match="four full rows, no card in the last"):
        last_row.solve_last_row(early, 0)
    with pytest.raises(ValueError, match="seat must be"):
        last_row.solve_last_row(before, 2)
    with pytest.raises(ValueError, match="one state of five-o"):
        last_row.solve_last_row(get_game("whist").new_games(1), 0)
    with pytest.raises(ValueError, match="three full rows, no card in the fourth"):
        wall.two_rows(early, 0)
    with pytest.raises(ValueError, match="one state of five-o"):
        wall.two_rows(np.concatenate([before, before]), 0)
    with pytest.raises(ValueError, match="solved must be"):
        wall.two_rows(positions(1, 20, 1), 0, solved=0)


# --- the last two rows ---------------------------------------------------------------------------------------------


def test_the_appraisal_is_what_exact_thinks():
    games = positions(6, 23, 2)
    seat = int(games[0]["to_act"])
    scores, cards, of = wall.drawn_scores(games, seat)
    in_hand = cards == np.asarray(games["card"])[of]
    assert np.bincount(of).tolist() == [52 - 10 - 23] * 6
    observations, masks = observed(SPEC, games, np.arange(6))
    expected, _ = policy.make(SPEC, "exact:row=2").evaluate(observations, masks, seed_streams(0, 6), False)
    np.testing.assert_allclose(scores[in_hand], expected, atol=1e-12)


@pytest.mark.slow
def test_charges_are_nothing_on_average():
    """Over all cards that can be drawn; and the bound is no less than what is won in the last row alone."""
    game = positions(1, 20, 4)
    for seat in range(2):
        few, more = wall.two_rows(game, seat, solved=1), wall.two_rows(game, seat, solved=2)
        assert 0 <= few.last_row <= few.gain <= more.gain
        assert few.last_row == more.last_row
    nodes = positions(1, 21, 4)
    scores, cards, of = wall.drawn_scores(nodes, int(nodes[0]["to_act"]))
    charges = []
    for card in cards:
        nodes["card"] = card
        charges.append(wall.card_luck(nodes, scores, cards, of)[0])
    assert np.ptp(charges) > 0
    assert np.mean(charges) == pytest.approx(0, abs=1e-12)


def test_values_of_columns():
    columns, cards = face_up(positions(1, 30, 6)[0])
    values = last_row.column_values(columns[1], cards)
    assert values.tolist() == [[hand_value(int(column | card)) for card in cards] for column in columns[1]]

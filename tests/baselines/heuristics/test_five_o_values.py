"""The evaluation functions of the Five-O paper, against the slow versions in `naive.five_o_agents`."""

import math
import random

import pytest

from cardenvs import get_game, testing
from cardenvs.baselines.heuristics import five_o_values as values
from cardenvs.contract.cards import FULL_DECK
from cardenvs.contract.loops import RUNNING
from cardenvs.games import five_o
from cardenvs.games.poker import evaluate, flush_chance, flush_value, lowest_completion, straight_chance, straight_value
from tests.naive import five_o_agents as naive

pytestmark = pytest.mark.compiled

SPEC = get_game("five-o")


def hands(n, seed):
    """One to five cards, often of one suit, of neighbouring or of equal ranks; some unseen ones; a number of draws."""
    rng = random.Random(seed)
    for k in range(n):
        size = rng.randint(1, 5)
        start = rng.randrange(-1, 9)
        pool = [
            list(range(52)),
            [13 * rng.randrange(4) + rank for rank in range(13)],
            list(range(13 * (k % 4), 13 * (k % 4) + 13)),
            [13 * suit + rank % 13 for rank in range(start, start + 5) for suit in range(4)],
            [13 * suit + rank for rank in rng.sample(range(13), 3) for suit in range(4)],
        ][k % 5]
        cards = rng.sample(pool, size)
        rest = [card for card in range(52) if card not in cards]
        unseen = rng.sample(rest, rng.choice((2, 5, 12, 20, 41)))
        yield cards, unseen, rng.randint(0, min(20, len(unseen)))


def test_column_values_are_those_of_the_naive_version():
    flushes = straights = 0
    for cards, unseen, draws in hands(2_000, seed=1):
        held, left = (sum(1 << card for card in some) for some in (cards, unseen))
        value = evaluate(held, left, draws)
        assert value == pytest.approx(naive.evaluate(cards, unseen, draws), rel=1e-12)
        fast = values.fast_evaluate(held, left)
        assert fast == pytest.approx(naive.fast_evaluate(cards, unseen), rel=1e-12)
        assert min(value, fast) >= 1
        assert values.pack_expect(held) == pytest.approx(naive.pack_expect(cards, True), rel=1e-12)
        assert values.published_pack_expect(held) == pytest.approx(naive.pack_expect(cards, False), rel=1e-12)
        if len(cards) < 5:
            chances = naive.flush_chance(cards, unseen, draws), naive.straight_chance(cards, unseen, draws)
            counted = flush_chance(held, left, draws), straight_chance(held, left, draws)
            assert counted == pytest.approx(chances, rel=1e-12)
            flushes += chances[0] > 0
            straights += chances[1] > 0
    assert min(flushes, straights) > 200


def text(cards):
    return FULL_DECK.parse_set(cards)


def test_fast_eval_by_hand():
    """An ace: 12 of 51 unseen cards are spades; it may end the lowest straight or the highest."""
    ace = text("As")
    rest = FULL_DECK.all & ~ace
    p, q = 12 / 51, 2 * (4 / 51) ** 4
    expected = (1 - p - q) * lowest_completion(ace) + (p * flush_value(ace) + q * straight_value(ace)) / 5
    assert values.fast_evaluate(ace, rest) == pytest.approx(expected, rel=1e-12)
    # Three to the lowest straight: nothing but it will do.
    wheel = text("As2h4d")
    unseen = text("3c3h5c5d5h9c9dTc")
    q = 2 / 8 * 3 / 8
    expected = (1 - q) * lowest_completion(wheel) + q * 5854 * 3 / 5
    assert values.fast_evaluate(wheel, unseen) == pytest.approx(expected, rel=1e-12)
    # Of 8 unseen cards 2 threes and 3 fives: both with one of 5 draws, C(3, 3) ways for the rest.
    q = 2 * 3 * math.comb(3, 3) / math.comb(8, 5)
    assert flush_chance(wheel, unseen, 5) == 0
    assert straight_chance(wheel, unseen, 5) == pytest.approx(q, rel=1e-12)


@pytest.mark.parametrize(
    ("cards", "value", "published"),
    [
        ("2c", 0.8, 0.8),
        ("As", 1.8, 1.8),
        ("As2h", 1.0, 1.0),  # in this count the ace is high only
        ("4h8d", 0.5 + 0.8, 0.5 + 0.8),
        ("3h8d", 0.5, 0.5),
        ("3h8h", 0.5 + 0.8, 0.5 + 0.8),
        ("AcAd", 5.0, 1.8),
        ("AcAd2s", 5.0, 1.0),
        ("AcAdAh", 7.0, 2.2),
        ("AcAdKhKs", 17.0, 2.6),
        ("2c2dAhAsKs", 17.0, 1.0),
        ("2c2d2h2sAs", 9.0, 1.0),
        ("AcAdAhKcKd", 25.0, 3.0),
        ("2c4c6c8cAc", 3.0, 3.0),
        ("9dTcJcQcKc", 2 + 11 / 12, 2 + 11 / 12),
        ("9cTcJcQcKc", 4 + 11 / 12, 4 + 11 / 12),
        ("TcJcQcKcAc", 9.0, 9.0),
        ("TcJcQcKcAd", 3.0, 3.0),
    ],
)
def test_pack_expect_by_hand(cards, value, published):
    held = text(cards)
    assert values.pack_expect(held) == pytest.approx(value, rel=1e-12)
    assert values.published_pack_expect(held) == pytest.approx(published, rel=1e-12)


def state_value(games, evaluation, seat):
    """The value of a position for a seat: the sum of its columns' terms."""
    views = SPEC.new_games(1)
    five_o.view(games, 0, seat, views, 0)
    view, unseen = views[0], int(five_o.unseen_cards(views, 0))
    draws = int(values.draws_left(int(view["drawn"]) - 10 - (view["to_act"] >= 0)))
    own, other = (
        [values.column_worth(evaluation, int(cards), unseen, draws) for cards in view["columns"][side]] for side in (0, 1)
    )
    return sum(map(values.column_term, [evaluation] * 5, own, other))


@pytest.mark.parametrize("hidden_rows", [0, 1, 3])
def test_state_values_are_those_of_the_naive_version(hidden_rows):
    k = 0
    for games in testing.random_positions(SPEC, 2, seed=4, hidden_rows=hidden_rows):
        deal = naive.deal_of(games[0])
        k += 1
        for seat in range(2):
            seen = naive.seen_by(deal, seat)
            if games[0]["over"] != RUNNING:
                expected = naive.terminal_value(*seen[:2])
                assert state_value(games, values.TERMINAL, seat) == pytest.approx(expected, rel=1e-12)
            for name, number in values.EVALUATIONS.items():
                expected = naive.state_value(name, *seen, 5 * (4 - -(-len(deal.placed) // 10)))
                assert state_value(games, number, seat) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert k == 82


def test_a_face_down_card_counts_as_unseen():
    """Neither its column nor the chances know it."""
    line = one_card_down()
    state = SPEC.parse(line)
    other = state.copy()
    card = int(state[0]["down"][1])
    assert card and not int(state[0]["down"][0])
    last = 1 << (int(state[0]["deck"][51]) - 1)
    column = next(k for k in range(5) if int(state[0]["columns"][1, k]) & card)
    other[0]["columns"][1, column] ^= card | last
    other[0]["down"][1] = last
    for number in values.EVALUATIONS.values():
        assert state_value(state, number, 0) == state_value(other, number, 0)
        assert state_value(state, number, 1) != state_value(other, number, 1)


def one_card_down():
    """A deal in which player 1 alone has placed a card of the last row, moved first by the text's own means."""
    games = SPEC.deal(3)
    while int(games[0]["moves"]) < 30:
        legal = SPEC.legal(games)
        SPEC.kernels.step(games, 0, (legal & -legal).bit_length() - 1)
    line = SPEC.text(games[0]).replace("five-o ", "five-o first=1 ", 1)
    games = SPEC.parse(line)
    SPEC.kernels.step(games, 0, 2)
    return SPEC.text(games[0])

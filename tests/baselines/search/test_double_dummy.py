"""Exact play with open cards: against a search of every play, against itself a card later, and its bad input."""

import functools
import itertools

import numpy as np
import pytest

from cardenvs import get_game, testing
from cardenvs.baselines.search.trick import trick_minimax
from cardenvs.baselines.search.trick.double_dummy import MAX_CARDS, deal_points, solve, solve_cards
from cardenvs.contract.cards import members_of
from cardenvs.contract.loops import RUNNING
from cardenvs.games import euchre
from tests.helpers.trick_positions import FORCED, GAMES, cards_left, check_each_card, in_play, positions
from tests.naive import double_dummy as naive
from tests.naive import euchre as naive_euchre
from tests.naive import whist as naive_whist

pytestmark = pytest.mark.compiled


def opening_leads(name, n, seed, cards):
    """Positions of random deals at the first lead with at most so many cards a hand: a structured array (n,)."""
    games = positions(name, 3 * n if name == "euchre" else n, seed, [cards])
    games = games[(games["winner"] < 0)]
    assert len(games) >= n
    return games[:n].copy()


@functools.cache
def rules_under(name, trump):
    return naive.remembering(GAMES[name][3]("cdhs"[trump]))


def naively(name, game, known):
    """The tricks that side 0 takes after each legal card of a game, by card; ``known`` is kept by trump."""
    deck = GAMES[name][0].DECK
    absent = (int(game["maker"]) + 2) % 4 if name == "euchre" and game["alone"] else None
    hands = [
        set() if seat == absent else {deck.text(card) for card in members_of(game["hands"][seat])} for seat in range(4)
    ]
    order = [(int(game["leader"]) + k) % 4 for k in range(4)]
    trick = tuple((seat, deck.format(int(game["trick"][seat]))) for seat in order if game["trick"][seat])
    position = naive.Position(tuple(map(frozenset, hands)), trick, int(game["to_act"]), absent)
    trump = int(game["trump"])
    values = naive.after_cards(position, rules_under(name, trump), known.setdefault(trump, {}))
    return {deck.card(card): tricks for card, tricks in values.items()}


def check_against_naive(name, games):
    """`solve` and `solve_cards` of all games at once are what trying every play gives."""
    spec = get_game(name)
    tricks, by_card, left = solve(games), solve_cards(games), cards_left(games)
    known = {}
    assert tricks.dtype == by_card.dtype == np.int64
    assert tricks.shape == (len(games), 2) and by_card.shape == (len(games), spec.num_actions if name == "whist" else 24)
    for i, game in enumerate(games):
        side = int(game["to_act"]) % 2
        expected = {card: int(left[i]) - value if side else value for card, value in naively(name, game, known).items()}
        line = str(game)
        assert {card: int(by_card[i, card]) for card in np.flatnonzero(by_card[i] >= 0)} == expected, line
        assert (by_card[i] >= -1).all()
        assert tricks[i, side] == max(expected.values()), line
        assert tricks[i].sum() == left[i], line


# --- against every play tried --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "options"), [("euchre", {}), ("euchre", FORCED), pytest.param("whist", {}, marks=pytest.mark.slow)]
)
def test_endings_are_those_of_the_naive_search(name, options):
    """Up to four tricks left, tricks under way and lone hands among them, all seats and all trumps."""
    deals = (8 if options else 16) if name == "euchre" else 12
    games = positions(name, deals, 1, range(1, 5), **options)
    assert len(games) > 120
    for left, plies in itertools.product(range(1, 5), range(4)):
        plays = np.bitwise_count(games["trick"]).astype(bool).sum(1)
        assert ((cards_left(games) == left) & (plays == plies)).sum() >= 5
    assert len(np.unique(games["to_act"])) == 4
    assert len(np.unique(games["trump"])) == (1 if options else 4)
    if name == "euchre" and not options:
        lone = games[games["alone"] == 1]
        assert len(lone) > 40 and len(np.unique(lone["maker"])) == 4
        assert len(lone) < len(games) - 40
    check_against_naive(name, games)


@pytest.mark.parametrize("name", ["euchre", pytest.param("whist", marks=pytest.mark.slow)])
def test_five_cards_are_those_of_the_naive_search(name):
    """In Euchre the whole play of a deal."""
    check_against_naive(name, positions(name, 4 if name == "euchre" else 1, 2, [5], every=4 if name == "euchre" else 10))


def skewed(n, seed, most):
    """Whist at the lead of a trick with two to ``most`` cards a hand, of two or three suits, each seat long in one."""
    rng = np.random.default_rng(seed)
    games = get_game("whist").new_games(n)
    games["over"] = RUNNING
    games["winner"] = -1
    for game in games:
        left, suits = int(rng.integers(2, most + 1)), rng.permutation(4)[: rng.integers(2, 4)]
        free = [int(card) for suit in suits for card in 13 * suit + rng.permutation(13)[:9]]
        rng.shuffle(free)
        game["trump"] = suits[0]
        game["leader"] = game["to_act"] = rng.integers(4)
        for seat in rng.permutation(4):
            long = rng.choice(suits)
            # Most of its cards are of its long suit.
            free.sort(key=lambda card, long=long: (card // 13 == long) + 0.7 * rng.random())
            game["hands"][seat] = sum(1 << free.pop() for _ in range(left))
    return games


def test_skewed_deals_are_those_of_the_naive_search():
    """Ruffs, voids and long trumps, which random play seldom leaves."""
    check_against_naive("whist", skewed(80, 17, 3))


@pytest.mark.slow
def test_many_skewed_deals_are_those_of_the_naive_search():
    check_against_naive("whist", skewed(3_000, 18, 3))
    check_against_naive("whist", skewed(60, 19, 4))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options"), [("euchre", {}), ("euchre", FORCED), pytest.param("whist", {}, marks=pytest.mark.slow)]
)
def test_many_more_positions_are_those_of_the_naive_search(name, options):
    check_against_naive(name, positions(name, 100 if name == "euchre" else 30, 3, range(1, 5), **options))
    check_against_naive(name, positions(name, 12 if name == "euchre" else 2, 4, [5], every=3, **options))


# --- against itself ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_every_card_is_worth_what_it_leads_to(name):
    """Whole deals in Euchre, up to `MAX_CARDS` - 2 cards a hand in Whist."""
    if name == "euchre":
        check_each_card(name, positions(name, 100, 5))
    else:
        check_each_card(name, positions(name, 12, 5, range(1, MAX_CARDS - 1), every=3))


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_every_card_of_many_deals_is_worth_what_it_leads_to(name):
    if name == "euchre":
        check_each_card(name, positions(name, 3_000, 6))
    else:
        check_each_card(name, positions(name, 8, 6, range(1, MAX_CARDS + 1), every=3))


def test_the_best_cards_take_what_was_promised():
    """Played out by its own choices, a deal of Euchre ends with the tricks and points that were said at its start."""
    spec = get_game("euchre")
    games = opening_leads("euchre", 200, 7, 5)
    tricks = solve(games)
    promised = deal_points(games, tricks)
    assert np.unique(tricks[:, 0]).tolist() == [0, 1, 2, 3, 4, 5]
    while (running := games["over"] == RUNNING).any():
        for i, cards in zip(np.flatnonzero(running), solve_cards(games[running]), strict=True):
            spec.kernels.step(games, i, int(np.argmax(cards)))
    assert np.stack([games["tricks"][:, ::2].sum(1), games["tricks"][:, 1::2].sum(1)], 1).tolist() == tricks.tolist()
    points, seats = np.zeros((len(games), 2), np.int64), np.zeros((len(games), 4), np.int64)
    for i in range(len(games)):
        spec.kernels.outcome(games, i, points, seats)
    assert points.tolist() == promised.tolist()


# --- what must not matter ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_threads_and_company_do_not_matter(name):
    """Games solved alone, together or shared among threads: the same values."""
    games = positions(name, 10, 8, range(1, 8), every=2)
    tricks, by_card = solve(games), solve_cards(games)
    assert (solve(games, threads=2) == tricks).all() and (solve_cards(games, threads=2) == by_card).all()
    assert (solve(games[::-1], threads=3) == tricks[::-1]).all()
    for i in range(0, len(games), 7):
        one = games[i : i + 1]
        assert (solve(one, threads=8) == tricks[i]).all() and (solve_cards(one)[0] == by_card[i]).all()


def test_games_are_left_as_they_are():
    for name in GAMES:
        games = positions(name, 2, 9, range(1, 8))
        before = games.copy()
        solve(games)
        solve_cards(games)
        assert (games == before).all()


@pytest.mark.parametrize("name", GAMES)
def test_names_of_suits_and_seats_do_not_matter(name):
    """Suits renamed, in Euchre so that colours stay together, and the table turned."""
    module = GAMES[name][0]
    width = len(module.DECK.ranks)
    games = positions(name, 6, 10, range(2, 8), every=4)
    tricks, by_card = solve(games), solve_cards(games)
    colours = ({0, 3}, {1, 2})
    tried = 0
    for order in itertools.permutations(range(4)):
        if name == "euchre" and {order[0], order[3]} not in colours:
            continue
        for turn in range(4):
            moved = games.copy()
            for field in ("hands", "trick", "played", "tricks"):
                moved[field] = np.roll(games[field], turn, axis=1)
            for field in ("hands", "trick", "played"):
                old = moved[field].copy()
                moved[field] = 0
                for suit in range(4):
                    moved[field] |= (old >> width * suit & (1 << width) - 1) << width * order[suit]
            moved["trump"] = np.array(order)[games["trump"]]
            for field in ("to_act", "leader", "maker", "dealer"):
                if field in games.dtype.names:
                    moved[field] = np.where(games[field] < 0, -1, (games[field] + turn) % 4)
            again, cards = solve(moved), solve_cards(moved)
            assert (again == (tricks[:, ::-1] if turn % 2 else tricks)).all()
            for suit in range(4):
                old, new = (slice(width * s, width * (s + 1)) for s in (suit, order[suit]))
                assert (cards[:, new] == by_card[:, old]).all()
            tried += 1
    assert tried == (32 if name == "euchre" else 96)


# --- points --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_points_are_those_of_the_rules(name):
    """Every number of tricks still to come, in positions of all kinds."""
    games = positions(name, 60 if name == "euchre" else 6, 11)
    seen = set()
    for taken in range(14):
        fits = games[cards_left(games) >= taken]
        left = cards_left(fits)
        tricks = np.stack([np.full(len(fits), taken), left - taken], 1)
        points = deal_points(fits, tricks)
        assert points.dtype == np.int64 and points.shape == (len(fits), 2)
        for game, line in zip(fits, np.concatenate([tricks, points], 1).tolist(), strict=True):
            total = [int(game["tricks"][side::2].sum()) + line[side] for side in (0, 1)]
            if name == "whist":
                expected = naive_whist.points([total[0], total[1], 0, 0])
            else:
                makers = int(game["maker"]) % 2
                made, other = naive_euchre.points_of(total[makers], bool(game["alone"]))
                expected = [other, made] if makers else [made, other]
            assert line[2:] == expected, get_game(name).text(game)
            seen.add(tuple(expected))
    if name == "euchre":
        assert seen == {(1, 0), (0, 1), (2, 0), (0, 2), (4, 0), (0, 4)}
    else:
        assert len(seen) == 14


# --- bad input -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_no_games_are_no_trouble(name):
    none = get_game(name).new_games(0)
    assert solve(none).shape == (0, 2)
    assert solve_cards(none).shape == (0, 24 if name == "euchre" else 52)
    assert solve(none, threads=4).dtype == np.int64
    assert deal_points(none, solve(none)).shape == (0, 2)


FUNCTIONS = pytest.mark.parametrize("function", [solve, solve_cards])


@FUNCTIONS
def test_games_in_which_no_card_is_to_be_played(function):
    good = positions("euchre", 3, 12, [3])[:2]
    seen = set()
    for games in testing.random_positions(get_game("euchre"), 60, 13):
        if in_play("euchre", games)[0]:
            continue
        seen.add(int(games[0]["phase"]))
        with pytest.raises(ValueError, match="game 2 of euchre: no card is being played in it"):
            function(np.concatenate([good, games, games]))
    assert seen == {euchre.ORDERING, euchre.CALLING, euchre.DISCARDING, euchre.FINISHED}
    *_, over = testing.random_positions(get_game("whist"), 1, 13)
    with pytest.raises(ValueError, match="game 1 of whist: no card is being played in it"):
        function(np.concatenate([positions("whist", 1, 13, [3])[:1], over]))


@FUNCTIONS
@pytest.mark.parametrize("name", GAMES)
def test_views(name, function):
    """A seat's own cards alone, at every stage; the last seat of the last trick does see all."""
    spec = get_game(name)
    views = spec.new_games(1)
    good = positions(name, 2, 14, [2])[:1]
    tried = 0
    for game in positions(name, 4, 14, range(1, 6), every=3):
        for seat in range(4):
            spec.kernels.view(game.reshape(1), 0, seat, views, 0)
            if views[0]["hands"][0] == 0 or (cards_left(game.reshape(1))[0] == 1 and views[0]["to_act"] == 0):
                continue
            with pytest.raises(ValueError, match=f"game 1 of {name}: its hands differ in size; a full state is needed"):
                function(np.concatenate([good, views]))
            tried += 1
    assert tried > 50


@FUNCTIONS
def test_too_many_cards(function):
    games = positions("whist", 1, 15)
    left = cards_left(games)
    first = int(np.argmax(left <= MAX_CARDS))
    assert left[first] == MAX_CARDS
    wrong = np.concatenate([games[first:][-2:], games[first - 1 : first]])
    with pytest.raises(
        ValueError, match=f"game 2 of whist: {MAX_CARDS + 1} cards a hand are too many, at most {MAX_CARDS}"
    ):
        function(wrong)


# --- parts ---------------------------------------------------------------------------------------------------------


def test_gaps_are_closed_in_every_lane():
    """Of four hands with gaps anywhere, the order of each lane's cards stays and nothing else."""
    streams = np.random.default_rng(16)
    bits = [16 * lane + rank for lane in range(4) for rank in range(1, 14)]
    for _ in range(300):
        n = int(streams.integers(0, 14))
        drawn = streams.permutation(bits)[: 4 * n].reshape(4, n)
        hands = [sum(1 << int(bit) for bit in hand) for hand in drawn]
        expected = [0, 0, 0, 0]
        for lane in range(4):
            held = sorted(bit for bit in drawn.ravel().tolist() if bit // 16 == lane)
            for rank, bit in enumerate(held):
                holder = next(k for k in range(4) if hands[k] >> bit & 1)
                expected[holder] |= 1 << 16 * lane + 1 + rank
        assert list(trick_minimax.close_gaps(*map(np.int64, hands))) == expected

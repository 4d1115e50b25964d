"""Matches: pairing, exchange of sides, statistics."""

import math

import numpy as np
import pytest

from cardenvs import GameSpec, get_game
from cardenvs.baselines import DealResults, play_deals, play_match, summarise
from cardenvs.baselines.match.play import Observers
from cardenvs.baselines.match.results import Margins
from cardenvs.baselines.reports.statistics import interval, share_interval
from tests.helpers.matches import watch
from tests.helpers.players import Cheat, First, Last

pytestmark = pytest.mark.compiled


@pytest.mark.parametrize("episode", ["deal", "game"])
def test_deals_that_are_passed_out_are_counted(episode):
    sides = "hybrid:calling=three-trumps", "low:calling=three-trumps"
    result, games, _ = watch(play_match, "euchre", *sides, deals=30, seed=1, episode=episode)
    assert result.passed_out == result.as_dict()["passed_out"] == (games["tricks"].sum(1) == 0).sum() > 0


@pytest.mark.parametrize(
    ("game", "rules"),
    [("euchre", {"stick_the_dealer": True}), ("euchre", {"bidding": "forced-spades"}), ("whist", {}), ("five-o", {})],
)
def test_nothing_is_said_of_it_where_no_deal_can_be_passed_out(game, rules):
    result = play_match(game, "random", "random", deals=2, **rules)
    assert result.passed_out is None and "passed_out" not in result.as_dict()


def test_sides_mirror_each_other():
    """Exchanging the arguments negates the result but for the agents' own random choices, of which these have none."""

    one = play_match("whist", First("whist"), Last("whist"), deals=40, seed=2)
    two = play_match("whist", Last("whist"), First("whist"), deals=40, seed=2)
    assert one.points_margin == -two.points_margin
    assert one.tricks_won == two.tricks_won[::-1]
    assert one.win_rate.mean == pytest.approx(two.win_rate_of(1).mean)


def test_published_protocol_plays_whole_games():
    result = play_match("euchre", "high-low", "random", deals=200, seed=0, protocol="published")
    assert result.options["bidding"] == "forced-spades"
    assert result.options["episode"] == "game"
    assert result.games == 200
    assert sum(result.games_won) == 200
    assert result.deals > 200 * 5
    assert sum(result.tricks_won) == 5 * result.deals
    # The reference's 69.1% of 100,000 games; five standard errors of 200 games are 16 points.
    assert abs(result.win_rate.mean - 0.691) < 0.165


def test_margins_are_bounded_where_a_game_says_so():
    """A described game's greatest loss comes from hundreds of random games: it is no bound, and nobody waits for it."""
    assert Margins.of_game(get_game("euchre"), {})[:2] == (4, 5)
    assert Margins.of_game(get_game("five-o"), {})[:2] == (1, 5)
    assert Margins.of_game(get_game("agram"), {})[:2] == (math.inf, math.inf)


@pytest.mark.parametrize(("protocol", "copies"), [("duplicate", 2), ("published", 1)])
def test_a_match_is_the_summary_of_its_deals(protocol, copies):
    """However they are cut into runs; a summary of the mirrored results is that of the other side."""
    parts = [
        play_deals("euchre", "high-low", "low", deals, seed=3, protocol=protocol) for deals in (range(7), range(7, 20))
    ]
    results = DealResults.joined(parts)
    assert (results.deals, results.won.shape) == (20, (20, copies))
    match = play_match("euchre", "high-low", "low", deals=20, seed=3, protocol=protocol)
    most = Margins.of_game(get_game("euchre"), match.options)
    summary, other = summarise(results, most), summarise(results.mirrored(), most)
    for name in ("games_won", "tricks_won", "points", "decisions"):
        assert getattr(summary, name) == getattr(match, name) == getattr(other, name)[::-1]
    for name in ("win_rate", "points_margin", "tricks_margin"):
        assert getattr(summary, name) == getattr(match, name)
    assert other.points_margin == -match.points_margin
    assert other.tricks_margin == -match.tricks_margin
    assert other.win_rate.mean == pytest.approx(match.win_rate_of(1).mean)
    # A duplicate deal counts once; whole games have many deals.
    assert results.dealt == (40 if protocol == "duplicate" else match.deals)
    assert match.deals == 20 if protocol == "duplicate" else match.deals > 100


def test_the_first_sides_share_and_margins_by_deal():
    points = np.array([[[2, 0], [0, 1]], [[1, 1], [4, 0]]])
    results = DealResults(points, 10 * points, np.array([3, 5]), np.array([1.5, 0.0]), dealt=4)
    assert results.won.tolist() == [[1, 0], [0.5, 1]]
    assert results.wins.tolist() == [0.5, 0.75]
    assert results.points_margins.tolist() == [0.5, 2.0]
    assert results.tricks_margins.tolist() == [5.0, 20.0]
    summary = summarise(results)
    assert (summary.games_won, summary.points, summary.tricks_won) == ([2, 1], [7, 2], [70, 20])
    assert summary.win_rate == share_interval(np.array([0.5, 0.75]))
    assert summary.points_margin == interval(np.array([0.5, 2.0]))
    assert summary.decisions_per_s == [2.0, 0.0]
    assert list(summary.figures()) == [
        "games_won", "win_rate", "ci95", "tricks_won", "points", "mean_points", "mean_points_ci95", "mean_tricks",
        "mean_tricks_ci95", "decisions", "decisions_per_s",
    ]  # fmt: skip
    # Several pairings at once, the pairing first.
    both = DealResults(*(np.stack([array, array[..., ::-1]]) for array in (points, 10 * points)), *np.zeros((2, 2, 2)))
    assert both.deals == 2
    assert both.wins.tolist() == [[0.5, 0.75], [0.5, 0.25]]
    assert both.of_pairing(1).points_margins.tolist() == [-0.5, -2.0]


def test_several_observers_see_every_deal_and_progress_counts_it():
    one, two, counted = [], [], []
    both = Observers(one=lambda games, owner: one.append(len(games)), two=lambda games, owner: two.append(len(owner)))
    play_match("euchre", "low", "random", deals=50, batch_size=32, observer=both, progress=counted.append)
    assert sum(one) == sum(two) == 100
    assert sum(counted) == 50 and len(counted) > 1


def test_an_illegal_choice_names_policy_seat_and_position():
    with pytest.raises(
        ValueError, match=r"policy 'Cheat': illegal action .* for player_\d in whist: .*; deal \d, position: whist "
    ):
        play_match("whist", Cheat("whist"), "random", deals=3)


@pytest.mark.parametrize("protocol", ["duplicate", "published"])
def test_an_observer_is_shown_every_deal_of_whole_games(protocol):
    rules = {"episode": "game"} if protocol == "duplicate" else {}
    result, states, _ = watch(play_match, "euchre", "high-low", "low", deals=20, protocol=protocol, **rules)
    games = 40 if protocol == "duplicate" else 20
    assert (states["over"] == 2).sum() == games
    assert (states["phase"] == 4).all()
    assert len(states) > 5 * games
    if protocol == "published":
        assert len(states) == result.deals
    # Game by game: a score starts again only behind a finished game.
    totals = states["score"].sum(1)
    assert ((np.diff(totals) >= 0) | (states["over"][:-1] == 2)).all()


def test_what_a_match_deals_itself_is_not_checked(monkeypatch):
    """To compile that check would be a third of the wait for the first match."""

    def check_state(*_):
        raise AssertionError("checked")

    monkeypatch.setattr(GameSpec, "check_state", check_state)
    assert play_match("five-o", "reflex2", "random", deals=3).deals == 3

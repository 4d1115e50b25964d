"""Matches of all kinds of games: three sides, sides that are dealt and of different sizes, episodes cut off, recall."""

import numpy as np
import pytest

from cardenvs import Policy, get_game
from cardenvs.baselines.match import Recorder, Side, play_deals, play_match
from cardenvs.baselines.match.side import has_like_sides, indices_in_side
from cardenvs.contract.loops import EPISODE_OVER, RUNNING
from cardenvs.contract.record import parse_record
from tests.helpers.command_line import figures_of, run
from tests.helpers.matches import watch
from tests.helpers.players import First, Last
from tests.helpers.reports import untimed
from tests.helpers.toys import toy

pytestmark = pytest.mark.usefixtures("toys")

NAMES = ["kuhn", pytest.param("ladder", marks=pytest.mark.slow), "wolves"]
ALL_NAMES = [*NAMES, "euchre", "whist", "five-o"]


class Watching(Policy):
    """Plays the first legal action, and keeps the rows that it is shown; with ``recall`` it wants the order of play."""

    def __init__(self, game, recall):
        super().__init__(game.with_recall(recall))
        self.rows = []

    def choose(self, observations, action_masks, streams):
        assert observations.flags["C_CONTIGUOUS"]
        self.rows.append(observations.copy())
        return action_masks.argmax(1)


@pytest.mark.parametrize("name", ALL_NAMES)
def test_a_deal_is_played_with_the_first_on_every_side(name):
    spec, deals = get_game(name), 6
    _, games, owner = watch(play_match, spec, "random", First(spec), deals=deals, seed=3)
    sides = spec.seat_sides(games)
    starts = [spec.text(games[i], actions=False) for i in range(len(games))]
    # Deals of whole games come one behind the other; the first of each is the deal that all copies share.
    over = (games["over"] == EPISODE_OVER) | (games["over"] == RUNNING)
    firsts = np.flatnonzero(np.concatenate([[True], over[:-1]]))
    assert len(firsts) == spec.num_sides * deals
    for copy in range(spec.num_sides):
        rows = firsts[deals * copy : deals * (copy + 1)]
        assert [starts[row] for row in rows] == [starts[row] for row in firsts[:deals]]
        assert ((sides[rows] == copy) == (owner[rows] == 0)).all()
    for k in range(len(games)):
        held = set(sides[k, owner[k] == 0].tolist())
        assert len(held) == 1
        assert (owner[k] == 0).sum() == len(spec.sides[held.pop()])


@pytest.mark.parametrize("name", ALL_NAMES)
@pytest.mark.parametrize("kind", [First, Last])
def test_without_randomness_a_policy_against_itself_scores_nothing(name, kind):
    spec = get_game(name)
    result = play_match(spec, kind(spec), kind(spec), deals=20, seed=1)
    assert result.games == 20 * spec.num_sides
    assert result.points_margin.mean == pytest.approx(0, abs=1e-12)
    assert result.points_margin.low == pytest.approx(-result.points_margin.high)
    for totals in (result.points, result.tricks_won):
        assert totals[0] == pytest.approx(totals[1])
    assert result.win_rate.mean == pytest.approx(1 / spec.num_sides)
    assert result.rank.mean == pytest.approx((1 + spec.num_sides) / 2)


@pytest.mark.parametrize("protocol", ["duplicate", "published"])
@pytest.mark.parametrize("name", ["kuhn", "wolves", "euchre", "five-o"])
def test_figures_do_not_depend_on_the_batch_size(name, protocol):
    spec = get_game(name)
    if protocol == "published" and not has_like_sides(spec):
        return
    one, two = (
        untimed(play_match(spec, "random", First(spec), deals=8, seed=3, protocol=protocol, batch_size=size).as_dict())
        for size in (4096, 7)
    )
    assert one == two


@pytest.mark.parametrize("name", ALL_NAMES)
def test_results_are_those_of_the_games_that_were_played(name):
    """Points, tricks and winners once more, from the final states that an observer is shown."""
    spec = get_game(name)
    played, games, owner = watch(play_deals, spec, "random", Last(spec), range(8), seed=5)
    n, sides = played.deals * spec.num_sides, spec.num_sides
    points, tricks, winners = np.zeros((n, sides), int), np.zeros((n, sides), int), np.ones((n, sides), bool)
    number, cut_off, seat_side = 0, 0, spec.seat_sides(games)
    for k in range(len(games)):
        if games[k]["over"] == RUNNING:
            cut_off += 1
            points[number] = tricks[number] = 0
        else:
            outcome = spec.outcome(games[k : k + 1])
            points[number] += outcome.points
            for seat in range(spec.seats):
                tricks[number, seat_side[k, seat]] += outcome.tricks[seat]
            if outcome.winners:
                winners[number] = [side in outcome.winners for side in range(sides)]
        if games[k]["over"] in (RUNNING, EPISODE_OVER):
            number += 1
    assert number == n
    for copy in range(sides):
        rows = slice(copy * played.deals, (copy + 1) * played.deals)
        for told, counted in ((played.points, points), (played.tricks, tricks), (played.winners, winners)):
            assert (told[:, copy] == np.roll(counted[rows], -copy, 1)).all()
    assert played.truncated is None if spec.max_decisions is None else played.truncated == cut_off
    assert (owner[:, 0] <= 1).all()


def test_a_game_is_won_by_its_winners_and_not_by_points():
    """Wolves win when they cannot all be sent away any more, whoever has sent away more of the others."""
    spec = toy("wolves")
    played = play_deals(spec, "random", "random", range(200), seed=0)
    assert (played.winners.sum(-1) == 1).all()
    assert (played.winners != (played.points == played.points.max(-1, keepdims=True))).any()
    assert (played.ahead == played.won).all()


@pytest.mark.slow
def test_games_cut_off_are_counted_and_won_by_nobody():
    spec = toy("ladder")
    played = play_deals(spec, Last(spec), "random", range(20), seed=2)  # who always draws a card comes to no end
    assert 0 < played.truncated <= 60
    nobody = played.winners.all(-1)
    assert nobody.sum() >= played.truncated
    assert (played.points[nobody] == 0).all()
    assert played.won[nobody] == pytest.approx(1 / 3)


@pytest.mark.parametrize("name", ["kuhn", *(pytest.param(name, marks=pytest.mark.slow) for name in ("ladder", "wolves"))])
def test_each_policy_is_shown_what_it_wants(name):
    spec = toy(name)
    plain, recalling = Watching(spec, False), Watching(spec, True)
    play_match(spec, plain, recalling, deals=3, seed=1)
    assert {rows.shape[1] for rows in plain.rows} == {spec.observation_size}
    assert {rows.shape[1] for rows in recalling.rows} == {spec.recalling.observation_size}
    moves = [int(view["moves"]) for rows in recalling.rows for view in spec.recalling.decode(rows)]
    assert max(moves) > 0
    alone, again = Watching(spec, False), Watching(spec, False)
    play_match(spec, alone, again, deals=3, seed=1)
    for one, two in zip(plain.rows[1:], alone.rows[1:], strict=True):
        assert (one == two).all()


def test_sides_of_different_sizes():
    spec = toy("wolves")
    one, three = Side(spec, "random"), Side(spec, [First(spec), Last(spec), First(spec)])
    assert len(one.policies) == len(three.policies) == 3
    assert play_match(spec, three, "random", deals=2).sides == ["First+Last+First", "random"]
    with pytest.raises(ValueError, match=r"one policy or 3 joined by \+ \(where it has 2 seats, the first 2 play\), not 2"):
        Side(spec, "random+random")
    with pytest.raises(ValueError, match=r"a side of ladder is one policy or 1 joined by \+, not 3"):
        Side(toy("ladder"), "random+random+random")


def test_a_record_names_who_sat_where():
    spec = toy("wolves")
    sides = Side(spec, [First(spec), Last(spec), Last(spec)]), Side(spec, "random")
    recorder = Recorder(spec, sides)
    play_match(spec, *sides, deals=5, seed=1, observer=recorder)
    deals = parse_record(recorder.text())
    assert len(deals) == 10
    for deal in deals:
        seated = spec.seat_sides(deal.state)
        index = indices_in_side(seated)[0]
        first = {seated[0, seat] for seat in range(5) if deal.players[seat] != "random"}
        assert len(first) == 1
        for seat in range(5):
            if seated[0, seat] in first:
                assert deal.players[seat] == ("First" if index[seat] == 0 else "Last")


def test_the_published_protocol_is_for_two_like_sides():
    for name in ("ladder", "wolves"):
        with pytest.raises(ValueError, match="the published protocol is for games of two like sides"):
            play_match(toy(name), "random", "random", deals=2, protocol="published")
    assert play_match(toy("kuhn"), "random", "random", deals=4, protocol="published").games == 4


@pytest.mark.slow
def test_the_command(capsys):
    arguments = ["match", "ladder", "random", "random", "--deals", "4", "--seed", "2"]
    figures = figures_of(capsys, *arguments)
    assert figures["games"] == 12
    assert {"chance", "rank", "rank_ci95", "truncated"} <= set(figures)
    out = run(capsys, *arguments)[1]
    assert all(words in out for words in ("rank, 1 to 3", "33.3 for equals", "games cut off"))
    assert "tricks" not in out

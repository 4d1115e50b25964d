"""A game at a table: its score sheet, what was played, decisions taken back, and a finished deal looked at again."""

import json
import random

import pytest

from cardenvs.contract.loops import DEAL_OVER, EPISODE_OVER
from cardenvs.contract.registry import get_game
from cardenvs.play import Table, seat_view
from cardenvs.play.seatview import replay_views
from cardenvs.play.table_record import read_table
from tests.helpers.tables import GAMES, HEURISTIC, cards_in, human_turn, knows, old_text, people, played
from tests.refusals import check_refused

pytestmark = pytest.mark.compiled

TRICK_GAMES = ("euchre", "whist")


def to_the_end(table, choose=None):
    """Plays the deal to its end: policies by themselves, people at random."""
    choose = choose or random.Random(1)
    while human_turn(table):
        table.act(table.to_act, choose.choice(table.legal()))


def alone(game, seat=0, seed=1, **options):
    """A table with one person."""
    seats = [HEURISTIC[game]] * get_game(game).seats
    seats[seat] = "human"
    return Table(game, seats, seed=seed, repeatable=True, **options)


@pytest.mark.parametrize("game", TRICK_GAMES)
def test_a_table_of_single_deals_has_no_sheet(game):
    table = played(game, 3)
    assert seat_view(table, 0)["sheet"] is None and not seat_view(table, 0)["can"]["game_running"]


@pytest.mark.parametrize("game", TRICK_GAMES)
def test_the_sheet_of_a_game_has_every_deal_and_how_it_stands(game):
    table = alone(game, seat=1, seed=3, episode="game", target=5)
    dealers, points = [], []
    while True:
        sheet = seat_view(table, 1)["sheet"]
        assert [deal["points"] for deal in sheet["deals"]] == points
        assert sheet["total"] == [sum(side) for side in zip(*points, strict=True)] or not points
        dealers.append(int(table.state["dealer"][0]))
        assert sheet["next_dealer"] == (dealers[-1] + 1) % 4
        table = Table.from_text(table.to_text())
        to_the_end(table)
        table = Table.from_text(table.to_text())
        points.append(list(table.game.outcome(table.state).points))
        sheet = seat_view(table, 1)["sheet"]
        assert [deal["points"] for deal in sheet["deals"]] == points
        assert [deal["dealer"] for deal in sheet["deals"]] == dealers
        assert [deal["number"] for deal in sheet["deals"]] == list(range(1, len(points) + 1))
        assert sheet["deals"][-1]["score"] == sheet["total"] == table.state["score"][0].tolist()
        assert {*sheet["sides"][0].split(" and ")} == {"hybrid (right)", "hybrid (left)"}
        assert sheet["sides"][1] == "You and hybrid (across)"
        assert (sheet["brought"], sheet["target"]) == ([0, 0], 5)
        for deal in sheet["deals"]:
            assert deal["text"] == "all passed" or " : " in deal["text"]
        if table.over == EPISODE_OVER:
            break
        table.next_deal()
    assert len(points) > 1 and seat_view(table, 1)["sheet"]["next_dealer"] is None
    table.next_deal()
    sheet = seat_view(table, 1)["sheet"]
    assert (sheet["deals"], sheet["total"]) == ([], [0, 0])


def test_a_deal_played_again_counts_once():
    table = alone("whist", seed=3, episode="game", target=10)
    to_the_end(table)
    table.next_deal()
    to_the_end(table)
    before = seat_view(table, 0)["sheet"]
    assert len(before["deals"]) == 2
    table.same_deal()
    assert seat_view(table, 0)["sheet"]["deals"] == before["deals"][:1]
    copy = Table.from_text(table.to_text())
    assert seat_view(copy, 0)["sheet"] == seat_view(table, 0)["sheet"]
    to_the_end(table, random.Random(9))
    assert len(seat_view(table, 0)["sheet"]["deals"]) == 2
    assert len(table.earlier) == 2, "the record has all of them"


def test_a_new_deal_in_a_game_is_a_new_game():
    table = alone("whist", seed=3, episode="game", target=10)
    assert not table.game_running
    to_the_end(table)
    assert table.over == DEAL_OVER and table.game_running
    assert not table.deal_running
    table.new_deal()
    assert not table.game_running and seat_view(table, 0)["sheet"]["deals"] == []


def test_a_deal_with_a_score_brings_the_points_to_the_sheet():
    table = alone("euchre", seed=4, episode="game")
    line = table.line.replace("score=0-0", "score=3-6")
    table.new_deal(line=line)
    sheet = seat_view(table, 0)["sheet"]
    assert (sheet["brought"], sheet["total"], sheet["deals"]) == ([3, 6], [3, 6], [])
    assert table.game_running
    to_the_end(table)
    sheet = seat_view(table, 0)["sheet"]
    assert sheet["deals"][0]["score"] == sheet["total"] == table.state["score"][0].tolist()


def test_five_o_counts_the_deals_won_as_long_as_the_table_stays():
    table = alone("five-o", seed=2)
    won = [0, 0]
    for number in range(4):
        assert seat_view(table, 0)["sheet"]["total"] == won
        to_the_end(table, random.Random(number))
        best = table.game.outcome(table.state).best
        if best is not None:
            won[best] += 1
        table = Table.from_text(table.to_text())
        sheet = seat_view(table, 0)["sheet"]
        assert sheet["total"] == won and len(sheet["deals"]) == number + 1
        assert sheet["deals"][-1]["text"].startswith("columns ")
        assert (sheet["target"], sheet["next_dealer"], sheet["deals"][-1]["dealer"]) == (None, None, None)
        table.next_deal() if number % 2 else table.new_deal()
    decide(table)
    table.act(0, table.legal()[0])
    table.new_deal()
    assert seat_view(table, 0)["sheet"]["total"] == won, "a deal that was left does not count"
    assert not table.game_running


def test_a_sheet_in_a_record_that_names_no_such_deals_is_passed_over():
    table = alone("whist", seed=3, episode="game", target=10)
    to_the_end(table)
    table.next_deal()
    text = table.to_text()
    assert '"sheet": [1]' in text and "# score sheet, deals: 1\n" in old_text(text)
    wrong = [text.replace('"sheet": [1]', f'"sheet": [{numbers}]', 1) for numbers in ("7, 8", "", "1, 1, -3", "9" * 50)]
    wrong += [old_text(text).replace("deals: 1\n", f"deals: {words}\n", 1) for words in ("7 8", "x", "1 1 1 -3", "9" * 50)]
    for text in wrong:
        copy = Table.from_text(text)
        sheet = seat_view(copy, 0)["sheet"]
        assert sheet["total"] == table.state["score"][0].tolist()


@pytest.mark.parametrize("game", TRICK_GAMES)
def test_all_tricks_of_the_deal_are_shown_by_leader_and_winner(game):
    table = Table(game, people(game), seed=6)
    choose = random.Random(6)
    while table.to_act is not None:
        tricks = seat_view(table, None)["tricks"]
        assert len(tricks) == int(table.state["tricks"][0].sum())
        cards = [play["card"] for trick in tricks for play in trick["cards"]]
        assert len(set(cards)) == len(cards)
        table.act(table.to_act, choose.choice(table.legal()))
    view = seat_view(table, 0)
    assert len(view["tricks"]) in (13, 5, 0)
    assert view["last_trick"] == (view["tricks"][-1] if view["tricks"] else None)
    for trick, following in zip(view["tricks"], view["tricks"][1:], strict=False):
        assert trick["leader"] == trick["cards"][0]["seat"]
        assert following["leader"] == trick["winner"]
    won = [sum(trick["winner"] == seat for trick in view["tricks"]) for seat in range(4)]
    assert won == table.state["tricks"][0].tolist()
    assert seat_view(played("five-o", 3), 0)["tricks"] is None


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seat", [0, 1])
def test_a_decision_is_taken_back_with_all_that_followed(game, seat):
    table, choose = alone(game, seat, seed=12), random.Random(12)
    before = []  # the positions in which the person decided
    while human_turn(table):
        assert table.may_undo(seat) == bool(before) == seat_view(table, seat)["can"]["undo"]
        if len(table.legal()) > 1:
            before.append((table.line, list(table.events)))
        table.act(seat, choose.choice(table.legal()))
        if before and choose.random() < 0.4:
            if choose.random() < 0.5:
                human_turn(table)
            if table.to_act is None:
                break
            version, opening, undone = table.version, table.opening.copy(), table.undone
            table.undo(seat)
            line, events = before.pop()
            assert (table.line, table.events, table.to_act) == (line, events, seat)
            assert (table.opening == opening).all(), "the cards stay as they were dealt"
            assert (table.version, table.undone) == (version + 1, undone + 1)
            assert Table.from_text(table.to_text()).undone == table.undone
    assert table.undone > 1 and not seat_view(table, seat)["can"]["undo"]
    check_refused("the deal is over", table.undo, seat)
    text = table.to_text()
    assert f"# decisions taken back: {table.undone}\n" in table.public_text("here")
    assert read_table(text, "record")[1]["deals"][-1].undone == table.undone
    assert seat_view(table, None)["undone"] == table.undone
    undone = table.undone
    table.same_deal()
    assert (table.undone, table.earlier[-1].undone) == (0, undone)


def decide(table, seat=0, forced=False):
    """Plays until the person is to decide, or with ``forced`` to make a move that leaves no choice."""
    while human_turn(table) and (len(table.legal()) == 1) != forced:
        table.act(seat, table.legal()[0])
    assert table.to_act == seat


def test_policies_answer_a_decision_that_was_taken_back_as_before():
    table = alone("whist", seed=5)
    decide(table)
    card = table.legal()[0]
    table.act(0, card)
    human_turn(table)
    after = table.line
    table.undo(0)
    copy = Table.from_text(table.to_text())
    for again in (table, copy):
        again.act(0, card)
        human_turn(again)
        assert again.line == after


def test_where_nothing_is_taken_back():
    table = alone("euchre", seed=3)
    assert not any(table.may_undo(seat) for seat in range(4))
    check_refused("no decision of yours", table.undo, 0)
    decide(table)
    table.act(0, table.legal()[0])
    assert [table.may_undo(seat) for seat in range(4)] == [True, False, False, False]
    table.set_seat(2, "human")
    check_refused("where one person plays", table.undo, 0)
    for seat in (0, 1, 7, -1):
        check_refused("where one person plays", table.undo, seat)
    assert table.undone == 0
    assert [seat_view(table, you)["can"]["undo"] for you in (0, 1, 2, 3, None)] == [False] * 5


def test_nothing_is_taken_back_in_a_deal_in_which_somebody_else_has_sat():
    table = alone("euchre", seed=3)
    decide(table)
    table.act(0, table.legal()[0])
    table.set_seat(2, "human")
    table.set_seat(2, "hybrid")
    for same in (table, Table.from_text(table.to_text())):
        assert not same.may_undo(0)
        check_refused("somebody else has sat in this deal", same.undo, 0)
    table.new_deal(seed=4)
    decide(table)
    table.act(0, table.legal()[0])
    assert table.may_undo(0) == (table.to_act is not None)


def test_a_move_that_left_no_choice_is_no_decision():
    table = alone("whist", seed=6)
    decide(table)
    before = table.line
    table.act(0, table.legal()[0])
    decide(table, forced=True)
    table.act(0, table.legal()[0])
    human_turn(table)
    own = [event for event in table.events if event.seat == 0]
    assert own[-1].forced and not own[0].forced
    while table.may_undo(0):
        table.undo(0)
        assert len(table.legal()) > 1
    assert table.line == before


@pytest.mark.parametrize("game", GAMES)
def test_a_position_gone_back_to_shows_no_more_than_before(game):
    table, choose = alone(game, seed=7), random.Random(7)
    while human_turn(table):
        view = seat_view(table, 0)
        if table.may_undo(0) and choose.random() < 0.5:
            table.undo(0)
            view = seat_view(table, 0)
        view.pop("readouts")
        assert cards_in(game, json.dumps(view)) <= knows(table, 0)
        assert seat_view(table, None)["hands"] is None
        table.act(0, choose.choice(table.legal()))


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("you", [0, 1, None])
def test_a_finished_deal_is_looked_at_again_with_open_hands(game, you):
    table = alone(game, seed=9)
    check_refused("not over yet", replay_views, table, you)
    to_the_end(table)
    text, version = table.to_text(), table.version
    views = replay_views(table, you)
    assert (table.to_text(), table.version) == (text, version)
    final = seat_view(table, you)
    assert len(views) == len(table.events) + 1
    assert views[-1]["deal_over"] and views[-1]["result"] == final["result"]
    for move, view in enumerate(views):
        assert view["move"] == move and set(final) <= set(view)
        assert view["to_act"] == (table.events[move].seat if move < len(table.events) else None)
        assert (view["legal"], view["log"], any(view["can"].values())) == ([], [], False)
        assert len(view["hands"]) == len(table.seats)
        if game != "five-o" and move < len(table.events):
            assert sum(map(len, view["hands"].values())) == sum(seat["cards"] for seat in view["seats"])
    assert views[0]["told"] is None
    told = [line for view in views[1:] for line in view["told"].split("; ")]
    assert told == [line for line in final["log"] for line in line.split("; ")]
    assert json.dumps(views)

"""The reviews of deals played at a table, by the installed reviewers."""

import pytest

from cardenvs.contract.record import parse_record
from cardenvs.play import reviewers
from cardenvs.play.reviewers import ReviewedDeal, ReviewedMove, can_review, review_deal
from cardenvs.play.seatview import review_view
from tests.helpers.players import Named
from tests.helpers.tables import GAMES, played
from tests.refusals import check_refused

pytestmark = pytest.mark.compiled


def test_every_game_has_a_reviewer_and_nothing_is_loaded_to_know_that(monkeypatch):
    assert all(can_review(game) for game in (*GAMES, "somebody's own"))
    monkeypatch.setattr(reviewers.REVIEWERS, "entries", {"whist": None})
    assert not can_review("euchre")


def test_a_games_own_reviewer_goes_first(monkeypatch):
    deal = parse_record(played("whist", 5).line)[0]
    known = {name: Named(lambda deal, progress, name=name: name) for name in ("*", "euchre")}
    monkeypatch.setattr(reviewers.REVIEWERS, "entries", known)
    assert review_deal(deal, print) == "*"
    known["whist"] = Named(lambda deal, progress: "whist's own")
    assert review_deal(deal, print) == "whist's own"


@pytest.mark.parametrize("game", GAMES)
def test_a_deal_played_at_random_is_reviewed_move_by_move(game):
    table = played(game, 5)
    seen = []
    reviewed = review_deal(parse_record(table.line)[0], lambda done, total: seen.append((done, total)))
    free = [not event.forced for event in table.events]
    assert seen == [(k, sum(free)) for k in range(sum(free))]
    assert [move.seat for move in reviewed.moves] == [event.seat for event in table.events]
    assert [not move.forced for move in reviewed.moves] == free
    assert reviewed.unit == {"euchre": "points", "whist": "tricks", "five-o": "chance to win"}[game]
    assert ":worlds=" in reviewed.by
    dear = [move for move in reviewed.moves if move.cost > 0]
    assert dear, "at random"
    for move in reviewed.moves:
        assert (move.label == move.best) == (move.cost == 0)
        assert move.said == ("forced" if move.forced else "0") if not move.cost else move.said[0].isdigit()
        assert (reviewed.unit in move.said or "%" in move.said) == (move.cost > 0)
    you = dear[-1].seat
    view = review_view(table, you, reviewed)
    assert len(view["moves"]) == len(table.events)
    mine = [view["moves"][index]["seat"] == you for index in view["dearest"]]
    assert mine == sorted(mine, reverse=True) and 1 <= sum(mine) <= 3
    assert [player["name"] for player in view["players"]].count("You") == 1
    assert sum(player["cost"] for player in view["players"]) == pytest.approx(sum(move.cost for move in dear))


def test_a_review_is_stopped_by_an_error_of_whoever_is_told():
    class Enough(Exception):
        pass

    def stop(done, total):
        if done == 2:
            raise Enough

    with pytest.raises(Enough):
        review_deal(parse_record(played("whist", 5).line)[0], stop)


def test_deals_that_are_not_reviewed(monkeypatch):
    check_refused("not over yet", review_deal, parse_record(played("whist", 5, moves=9).line)[0], lambda done, total: None)
    monkeypatch.setattr(reviewers.REVIEWERS, "entries", {})
    check_refused("no reviewer for whist", review_deal, parse_record(played("whist", 5).line)[0], lambda done, total: None)


def test_the_dearest_moves_are_those_of_whoever_looks_first_and_few_a_seat():
    costs = [(0, 0.1), (1, 0.9), (0, 0.5), (1, 0.2), (0, 0.3), (0, 0.4), (2, 0.0)]
    moves = tuple(ReviewedMove(seat, "a", "b", cost, None, None, False, "") for seat, cost in costs)
    reviewed = ReviewedDeal("x", "points", moves, ("",) * 3)
    assert reviewed.dearest() == [1, 2, 5, 4, 3] and reviewed.dearest(0) == [2, 5, 4, 1, 3]
    assert reviewed.dearest(2, most=1) == [1, 2]

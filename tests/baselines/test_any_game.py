"""Evaluation, cross-play and reviews of toy games: three sides, dealt sides of different sizes, episodes cut off."""

import numpy as np
import pytest

from cardenvs.baselines.crossplay import adhoc_settings, crossplay_settings, play_adhoc, play_crossplay
from cardenvs.baselines.evaluation import check_against_itself, evaluate
from cardenvs.baselines.match import Side, play_deals, play_match
from cardenvs.baselines.reports.markdown import markdown
from cardenvs.baselines.review.replay import result_of
from cardenvs.cli import main
from cardenvs.contract.record import read_record
from cardenvs.play.reviewers import review_deal
from cardenvs.policy.registry import POLICIES
from tests.helpers.command_line import figures_of
from tests.helpers.players import First, Last, Named
from tests.helpers.toys import toy

pytestmark = pytest.mark.usefixtures("toys")

NAMES = ["kuhn", pytest.param("ladder", marks=pytest.mark.slow), "wolves"]


@pytest.fixture(autouse=True)
def more_policies(monkeypatch):
    """``first`` and ``last`` are policies by name, in this process."""
    known = dict(POLICIES.entries) | {"first": Named(First), "last": Named(Last)}
    monkeypatch.setattr(POLICIES, "entries", known)


# --- evaluation ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_policy_is_evaluated_in_any_game(name):
    spec = toy(name)
    evaluation = evaluate(spec, "first", ["random", "last"], deals=30, seed=1)
    for result, other in zip(evaluation.results, ("random", "last"), strict=True):
        match = play_match(spec, "first", other, deals=30, seed=1)
        assert result.win_rate == match.win_rate
        assert result.match.rank == match.rank
        assert result.cooperation is None
        assert result.bidding is None
    check = evaluation.self_check
    assert check.passed
    assert check.sides.margin.mean == pytest.approx(0, abs=1e-12)
    assert check.seats.passed is None  # in none of them are the sides alike
    text = markdown(evaluation.document("c"), {})
    assert ("rank, 1 to 3" in text) == (spec.num_sides == 3)
    assert ("cut off" in text) == (spec.max_decisions is not None)


def test_the_self_check_finds_what_the_first_side_is_worth():
    spec = toy("wolves")
    check = check_against_itself(spec, Side(spec, "random"), deals=200)
    played = play_deals(spec, "random", "random", range(200))
    wolves = np.stack([played.points[:, 0, 0], played.points[:, 1, 1]], 1)
    village = np.stack([played.points[:, 0, 1], played.points[:, 1, 0]], 1)
    assert check.seats.margin.mean == pytest.approx((wolves - village).mean())


def test_cooperation_is_counted_in_games_that_are_known():
    with pytest.raises(ValueError, match="cooperation must be None or False in wolves, it is counted in"):
        evaluate(toy("wolves"), "random", ["first"], deals=2, cooperation=True)
    with pytest.raises(ValueError, match="cooperation must be None or False in ladder, which has no partners"):
        evaluate(toy("ladder"), "random", ["first"], deals=2, cooperation=True)


# --- cross-play ----------------------------------------------------------------------------------------------------


def test_partners_on_sides_of_different_sizes(tmp_path):
    """The row's policy sits first on its side, the column's on all its other seats, and the other way round."""
    spec = toy("wolves")
    settings = crossplay_settings(spec, ["first", "last"], deals=10, seed=2)
    assert settings.opponents == ["random"]
    assert settings.sides[:3] == [["first", "first", "first"], ["first", "last", "last"], ["last", "first", "first"]]
    result = play_crossplay(settings, tmp_path, workers=1)
    by_hand = [play_deals(spec, side, "random", range(10), seed=2) for side in ("first+last+last", "last+first+first")]
    mixed = result.cell("first", "last")
    assert mixed.points_margin.mean == pytest.approx(np.mean([played.points_margins for played in by_hand]))
    assert mixed.win_rate.mean == pytest.approx(np.mean([played.wins for played in by_hand]))
    assert mixed.games == 40
    assert mixed.cooperation == {}
    text = result.markdown("c")
    assert "first + last" in text
    assert "overtook" not in text


def test_adhoc_teamwork_with_partners_that_are_given(tmp_path):
    result = play_adhoc(adhoc_settings("wolves", ["first"], more_partners=["last"], deals=5), tmp_path, workers=1)
    assert not result.standard
    assert "overtook" not in result.markdown("c")
    with pytest.raises(ValueError, match="partners must name at least one policy"):
        adhoc_settings("wolves", ["first"])
    with pytest.raises(ValueError, match=r"costs are computed for .*, not for wolves"):
        crossplay_settings("wolves", ["first", "last"], costs=True)
    with pytest.raises(ValueError, match="ladder has no partners"):
        crossplay_settings(toy("ladder"), ["first", "last"])


# --- reviews -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_results_of_any_game_are_told(name):
    spec, seen = toy(name), []
    play_match(spec, "random", "first", deals=4, observer=lambda games, _: seen.append(games))
    (games,) = seen
    for k in range(len(games)):
        told = result_of(spec, games[k : k + 1])
        if games[k]["over"] == 0:
            assert told is None
            continue
        outcome = spec.outcome(games[k : k + 1])
        assert told["points"] == list(outcome.points)
        assert told["winner"] == outcome.best
        for seat in range(spec.seats):
            assert f"player_{seat}" in told["text"]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_records_of_any_game_are_reviewed(name, tmp_path, capsys):
    file, page = tmp_path / "deals.txt", tmp_path / "page.html"
    rules = ["-o", "episode=deal"] if name == "ladder" else []
    assert main(["match", name, "random", "last", "--deals", "2", "--record", str(file), *rules]) == 0
    capsys.readouterr()
    arguments = ["review", str(file), "--worlds", "20", "--policy", "first", "--deal", "1"]
    review = figures_of(capsys, *arguments, "--html", str(page))
    (deal,) = review["deals"]
    assert review["unit"] == "points"
    assert all(move["cost"] >= 0 for move in deal["moves"])
    assert "player_0" in page.read_text()
    assert main(arguments) == 0
    deal = read_record(file)[0]
    if deal.state["over"][0]:
        told = review_deal(deal, lambda done, total: None)  # at a table
        assert len(told.moves) == int(deal.state["moves"][0])

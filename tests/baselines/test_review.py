"""Reviews: bad moves are found, forced ones cost nothing, and moves are judged by what their players could know."""

import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from cardenvs import get_game, policy
from cardenvs.baselines import Review, Reviewer, Side, play_match
from cardenvs.baselines.match.recording import Recorder
from cardenvs.baselines.review.page import html_page
from cardenvs.baselines.review.replay import moves_of
from cardenvs.baselines.review.truth import open_values
from cardenvs.baselines.search.trick import dds, double_dummy
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.record import parse_record
from tests.helpers.command_line import figures_of, run

pytestmark = pytest.mark.compiled

STRONG = {"euchre": "hybrid", "whist": "coop-high-low", "five-o": "reflex2"}
WORLDS = {"euchre": 40, "whist": 20, "five-o": 80}


def record_of(game, deals=2, **options):
    spec = get_game(game)
    sides = Side(spec, STRONG[game]), Side(spec, "random")
    recorder = Recorder(spec, sides)
    play_match(spec, *sides, deals=deals, seed=9, observer=recorder, **options)
    return recorder.text()


def review_of(reviewer, deals):
    return Review.of(reviewer, game=reviewer.game.name, reviewer=reviewer.name, deals=deals)


@pytest.fixture(scope="module", params=["euchre", "whist", "five-o"])
def reviewed(request):
    """The reviewer, the deals and the review of a record of each game."""
    game = request.param
    deals = parse_record(record_of(game))
    reviewer = Reviewer(game, [STRONG[game], "random"], WORLDS[game], seed=3)
    return reviewer, deals, review_of(reviewer, [reviewer.review(deal, k) for k, deal in enumerate(deals, 1)])


# Spades are trump and player_3 has made them; with player_1 it has won two tricks, player_2 the third. Now player_2 has
# led, player_3 has put the left bower on it, and player_0 holds the right bower and the nine of spades. All other spades
# have been seen: the bower wins now and the nine then, three tricks in all and 2 points. With the nine first the bower
# alone is left: two tricks, and 1 point for the makers. So the nine costs 3 points, wherever the hidden cards lie.
FIVE_O = (
    "five-o hidden_rows=1 columns=QhKsQd5sTd/7s7c8d3dQc deck=2hKd8h3hJs4d5dKcTc3cAh9s6c8c2s9h9dAc5cJd4c6s4s2d5h7h6h9c6dJc"
    "Qs7d4h3sTh8sJhAsTs2cKhAd actions="
)
ENDING = (
    "euchre bidding=forced-spades dealer=3 hands=Ah9d9cJs9s/KhQsAcQcTc/QhKdTsThTd/KsAdKcJcQd turned=As "
    "actions=Ah,Kh,Qh,Ks,Ad,9d,Qs,Kd,Ac,Ts,Kc,9c,Th,Jc"
)


@pytest.mark.parametrize("worlds", [1, 7, 60])
def test_throwing_the_winner_away_costs_what_the_truth_says(worlds):
    reviewer = Reviewer("euchre", worlds=worlds)
    bad = reviewer.review(parse_record(ENDING + ",9s")[0])
    move = bad.moves[-1]
    assert (move.seat, move.player, move.action, move.best) == (0, "player_0", "9s", "Js")
    assert move.cost == 3
    assert move.truth == {"9s": -1.0, "Js": 2.0} == move.scores
    assert move.lost == 3
    assert move.error == (None if worlds == 1 else 0)
    assert bad.expensive[0][0] is move
    assert bad.result is None
    assert "not over" in bad.remarks[0]
    good = reviewer.review(parse_record(ENDING + ",Js")[0]).moves[-1]
    assert (good.best, good.cost, good.lost, good.error) == ("Js", 0, 0, None)


def test_costs_are_never_negative_and_forced_moves_are_free(reviewed):
    _, _, review = reviewed
    forced = 0
    for deal in review.deals:
        for k, move in enumerate(deal.moves, 1):
            assert move.move == k
            assert move.cost >= 0
            assert move.action in move.legal and move.best in move.legal
            assert move.forced == (len(move.legal) == 1)
            if move.forced:
                forced += 1
                assert (move.cost, move.error, move.best, move.scores) == (0, None, move.action, {})
                assert set(move.policies.values()) == {move.action}
            else:
                assert set(move.scores) == set(move.legal)
                assert move.scores[move.best] == pytest.approx(max(move.scores.values()))
                assert move.cost == pytest.approx(max(move.scores.values()) - move.scores[move.action])
            if move.truth is not None:
                assert set(move.truth) == set(move.legal)
                assert move.lost is not None and move.lost >= 0
            assert list(move.policies) == review.policies
    assert forced > 0


def test_policies_say_what_they_did(reviewed):
    """A policy that draws among equals alone is asked about its own moves, and makes nearly all of them again."""
    _, _, review = reviewed
    own = [move for deal in review.deals for move in deal.moves if move.player == STRONG[review.game]]
    assert sum(move.policies[move.player] == move.action for move in own) >= 0.9 * len(own) > 20
    random = [move for deal in review.deals for move in deal.moves if move.player == "random" and not move.forced]
    assert any(move.policies["random"] != move.action for move in random)


def test_the_random_player_pays_more(reviewed):
    totals = reviewed[2].totals
    assert set(totals) == {STRONG[reviewed[2].game], "random"}
    assert totals["random"]["cost"] > totals[STRONG[reviewed[2].game]]["cost"]
    assert totals["random"]["hands"] == len(reviewed[2].deals) * get_game(reviewed[2].game).seats // 2


def test_the_same_seed_gives_the_same_review(reviewed):
    """Whichever deals are reviewed beside it, and by whichever reviewer of that seed."""
    reviewer, deals, review = reviewed
    again = Reviewer(review.game, [STRONG[review.game], "random"], WORLDS[review.game], seed=3)
    assert again.review(deals[2], 3) == review.deals[2]
    assert reviewer.review(deals[2], 3) == review.deals[2]
    other = Reviewer(review.game, [], WORLDS[review.game], seed=4).review(deals[2], 3)
    assert [move.scores for move in other.moves] != [move.scores for move in review.deals[2].moves]


def test_a_move_is_judged_by_what_its_player_could_know(reviewed):
    """Where the hidden cards lie otherwise, the same view gets the same scores; the truth alone may differ."""
    reviewer, deals, review = reviewed
    spec, deal = reviewer.game, deals[0]
    states, actions, _ = moves_of(spec, deal.state)
    # A re-deal has the view's seats: only seat 0 keeps its number.
    own = [move.move - 1 for move in review.deals[0].moves if move.seat == 0 and not move.forced]
    differ = False
    for k in own[:: max(1, len(own) // 4)]:
        views, other = spec.new_games(1), spec.new_games(1)
        spec.kernels.view(states, k, 0, views, 0)
        spec.kernels.redeal(views, 0, seed_streams(k, 1), 0, other, 0)
        spec.kernels.step(other, 0, actions[k])
        moved = reviewer.review(parse_record(spec.text(other[0]))[0], 1).moves[k]
        move = review.deals[0].moves[k]
        assert moved.scores == move.scores
        assert (moved.best, moved.cost, moved.hand) == (move.best, move.cost, move.hand)
        if spec.name != "five-o":  # where a re-deal puts the cards of a column in another order
            assert moved.drawing == move.drawing
        differ |= spec.text(other[0], actions=False) != spec.text(states[k], actions=False)
    assert differ


def test_the_truth_is_the_double_dummy_solvers(reviewed):
    _, deals, review = reviewed
    spec = get_game(review.game)
    if spec.name == "five-o":
        assert all(move.truth is None for deal in review.deals for move in deal.moves)
        assert len(review.deals[0].result["columns"]) == 5
        return
    states, _, _ = moves_of(spec, deals[0].state)
    known = [move for move in review.deals[0].moves if move.truth is not None]
    assert known[0].move == review.deals[0].truth_from
    for move in known[-8:]:
        cards = double_dummy.solve_cards(states[move.move - 1 : move.move])[0]
        tricks = {spec.actions[card]: cards[card] for card in np.flatnonzero(cards >= 0)}
        order = sorted(tricks, key=lambda card: (tricks[card], card))
        values = [move.truth[card] for card in order]
        if spec.name == "whist":
            assert values == [tricks[card] for card in order]
        else:
            assert values == sorted(values)  # points go up with tricks


def test_without_dds_whist_is_solved_from_ten_cards_on(monkeypatch):
    spec = get_game("whist")
    deal = parse_record(record_of("whist", 1))[0]
    states = moves_of(spec, deal.state)[0]
    whole = open_values(spec, states)
    monkeypatch.setattr(dds, "is_available", lambda: False)
    short = Reviewer("whist", worlds=2).review(deal)
    assert short.truth_from == 13
    assert "from trick 4 on" in short.remarks[0]
    if whole[0] is not None:
        assert [move.truth is None for move in short.moves] == [k < 12 for k in range(52)]
    part = open_values(spec, states[30:])
    assert part == whole[30:] or whole[30] is None
    begun = Reviewer("whist", worlds=2).review(parse_record(deal.line[: deal.line.index("actions=")])[0])
    assert begun.moves == [] and "of none of these moves" not in begun.remarks[0]


@pytest.mark.parametrize("game", ["euchre", "whist"])
def test_games_of_several_deals(game):
    deals = parse_record(record_of(game, 1, episode="game", target=5))
    reviewer = Reviewer(game, worlds=4)
    results = [reviewer.review(deal, k).result for k, deal in enumerate(deals, 1)]
    assert results[-1]["text"].endswith("which ends the game")
    assert max(results[-1]["score"]) >= 5


def parse_page(review):
    """The text of a page, its words, and its elements by tag; it must be well-formed and refer to nothing outside."""
    text = html_page(review)
    root = ElementTree.fromstring(re.sub(r"<meta[^>]*>", "", text))
    by_tag = {}
    for element in root.iter():
        by_tag.setdefault(element.tag, []).append(element)
        assert not set(element.attrib) & {"src", "srcset", "action", "data", "onclick"}
    assert not set(by_tag) & {"script", "link", "img", "iframe", "object"}
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    refers = {element.get("href") for element in root.iter() if element.get("href")}
    assert refers <= {f"#{one}" for one in ids}
    for picture in by_tag.get("svg", []):
        assert picture.get("aria-hidden") == "true" or (picture.get("role") == "img" and picture.get("aria-label"))
    return text, "".join(root.itertext()), by_tag


SEARCH = "learned-search:worlds=8"


@pytest.fixture(scope="module")
def explained():
    deal = parse_record(record_of("euchre", deals=1))[0]
    reviewer = Reviewer("euchre", ["low", "learned", SEARCH], worlds=20, seed=3)
    return review_of(reviewer, [reviewer.review(deal)])


def test_policies_that_are_asked_explain_themselves(explained):
    free = [move for move in explained.deals[0].moves if not move.forced]
    assert free
    assert not any(move.explained for move in explained.deals[0].moves if move.forced)
    for move in free:
        assert list(move.explained) == ["learned", SEARCH], "low has no numbers"
        for name, explanation in move.explained.items():
            assert sorted(action for action, _ in explanation) == sorted(move.legal)
            assert explanation[0][0] == move.policies[name]
        net, search = move.explained.values()
        assert (net.kind, search.kind) == ("probability", "value")
        assert sum(number for _, number in net) == pytest.approx(1)
        assert not net.visits
        assert 1 <= max(search.visits) <= 8
        plain = move.as_dict()["explained"][SEARCH]["actions"]
        assert [entry["visits"] for entry in plain] == list(search.visits)
        assert [entry["error"] for entry in plain] == list(search.errors)
        assert move.as_dict()["explained"]["learned"]["actions"][0]["error"] is None


def test_explanations_stand_on_the_page_and_in_the_terminal(explained):
    dear = explained.deals[0].pointed_out
    _, words, _ = parse_page(explained)
    assert words.count(f"What {SEARCH} makes of it") == len(dear) > 0
    assert words.count("tried") >= len(dear)
    assert str(explained).count("makes of it:") == 2 * len(dear)


def test_the_page_stands_alone_and_is_well_formed(reviewed):
    _, _, review = reviewed
    text, _, elements = parse_page(review)
    dear = sum(len(moves) for deal in review.deals for moves in deal.expensive.values())
    assert len(elements["figure"]) == dear > 0
    assert len(elements["svg"]) == 2 * dear + 1
    assert not re.search(r"https?:|url\(|@import", text)
    assert "prefers-color-scheme: dark" in text


def test_names_in_a_page_are_not_markup():
    deal = parse_record('# seats: <b>a</b>; b&c; "d"; e\'f\n' + ENDING + ",9s")[0]
    reviewer = Reviewer("euchre", worlds=2)
    _, words, elements = parse_page(review_of(reviewer, [reviewer.review(deal)]))
    assert "b" not in elements
    assert "<b>a</b>" in words


def test_the_terminal_shows_moves_or_in_long_records_the_dearest(reviewed):
    _, _, review = reviewed
    text = str(review)
    assert "The most expensive moves of each seat" in text
    assert review.deals[0].result["text"] in text
    many = review.but(deals=review.deals * 8)
    text = str(many)
    assert "The most expensive moves of each seat" not in text
    assert f"{len(many.deals)} deals" in text


# --- the command ---------------------------------------------------------------------------------------------------

MOVE_KEYS = {
    "move", "seat", "player", "action", "legal", "hand", "table", "forced", "best", "cost", "error", "worlds", "scores",
    "policies", "explained", "truth", "lost",
}  # fmt: skip


def test_the_command_prints_json_and_writes_a_page(capsys, tmp_path):
    path, page = tmp_path / "games.txt", tmp_path / "review.html"
    path.write_text(record_of("euchre"))
    words = ["review", str(path), "--policy", "low", "--policy", "pimc:worlds=3", "--worlds", "20"]
    status, out, err = run(capsys, *words, "--json", "--html", str(page))
    review = json.loads(out)
    assert status == 0
    assert page.name in err.replace("\n", "")
    assert page.read_text().startswith("<!DOCTYPE html>")
    assert {"game", "reviewer", "policies", "unit", "worlds", "seed", "deals", "totals"} == set(review)
    assert review["policies"] == ["pimc:worlds=20", "low", "pimc:worlds=3"]
    assert len(review["deals"]) == 4
    for deal in review["deals"]:
        assert {"number", "line", "players", "moves", "result", "expensive", "truth_from", "remarks"} == set(deal)
        assert all(set(move) == MOVE_KEYS for move in deal["moves"])
        assert set(deal["expensive"]) == {"0", "1", "2", "3"}
        costs = {move["move"]: move["cost"] for move in deal["moves"]}
        for seat, numbers in deal["expensive"].items():
            own = sorted((m["cost"] for m in deal["moves"] if m["seat"] == int(seat) and m["cost"] > 0), reverse=True)
            assert [costs[k] for k in numbers] == own[:3]
    assert figures_of(capsys, *words, "--deal", "3")["deals"] == review["deals"][2:3]
    status, out, _ = run(capsys, "review", str(path), "--worlds", "5", "--deal", "1")
    assert status == 0
    assert "by pimc:worlds=5" in out


@pytest.mark.parametrize(
    ("text", "words", "message"),
    [
        ("chess e4", [], "a deal begins with the name of its game: unknown game 'chess': the games are euchre, "),
        ("# only a remark\n", [], "no deals in"),
        (ENDING, ["--deal", "2"], "--deal 2: "),
        (ENDING, ["--deal", "0"], "0 is not in the range"),
        (ENDING, ["--policy", "nobody"], "unknown policy 'nobody' for euchre"),
        (ENDING, ["--policy", "rollout"], "unknown policy 'rollout' for euchre"),
        (ENDING, ["--worlds", "0"], "0 is not in the range"),
        (f"{ENDING}\n{FIVE_O}", [], "deals of euchre and five-o"),
        (None, [], "no record there"),
    ],
)
def test_wrong_input_is_refused_in_one_line(capsys, tmp_path, text, words, message):
    path = tmp_path / "games.txt"
    if text is not None:
        path.write_text(text)
    status, out, err = run(capsys, "review", str(path), *words)
    assert (status, out, len(err.splitlines())) == (2, "", 1)
    assert message in err


def test_a_policy_is_asked_once():
    asked = Reviewer("euchre", [policy.make("euchre", "low"), "low"], worlds=1)
    assert asked.policies == ["pimc:worlds=1", "low"]

"""Described games of tricks: known by the places where a trick lies, shown as tricks on pages and in terminals."""

import json
import re
from pathlib import Path

import pytest

from cardenvs import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.play import HUMAN, Table
from cardenvs.play.seatview import replay_views, seat_view, trick_is_done
from cardenvs.recycle import RecycleError, parse, shipped, shipped_names
from cardenvs.recycle.game import compiled
from tests.helpers.boards import kuhn, typed
from tests.helpers.browser_pages import TALL_PHONE, WIDE, change, laid_out, my_turn, no_faults
from tests.helpers.tables import play_on

SIX = """;; Six cards: each of three plays one, the highest takes them and leads; who has taken more wins.
;;! tricks LAID
(game
 (setup (create players 3)
  (create deck (game iloc STOCK) (deck (RANK (NINE, TEN, JACK, QUEEN, KING, ACE)) (SUIT (HEARTS)))))
 (do ((set (game points HEIGHT) (((RANK : NINE) 1) ((RANK : TEN) 2) ((RANK : JACK) 3) ((RANK : QUEEN) 4)
                                 ((RANK : KING) 5) ((RANK : ACE) 6)))
      (shuffle (game iloc STOCK))
      (all player 'P (repeat 2 (move (top (game iloc STOCK)) (top ('P iloc HELD)))))))
 (stage player (end (all player 'P (== (size ('P iloc HELD)) 0)))
  (stage player (end (all player 'P (== (size ('P vloc LAID)) 1)))
   (choice ((any ((current player) iloc HELD) 'C (move 'C (top ((current player) vloc LAID)))))))
  (do ((cycle next (owner (max (union (all player 'P ('P vloc LAID))) using (game points HEIGHT))))
       (all player 'P (move (top ('P vloc LAID)) (top ((next player) vloc HEAP)))))))
 (scoring max (size ((current player) vloc HEAP))))
"""
TRICKS = {
    "agram", "beacon-relay", "beacon-relay-4", "beacon-relay-5", "beacon-relay-mini", "black-maria", "briscola",
    "euchre", "hearts", "hearts-7q", "hearts-no-moon", "hearts-omnibus", "knaves", "polignac",
    "slobberhannes", "whist",
}  # fmt: skip


@pytest.fixture(scope="module")
def six(tmp_path_factory: pytest.TempPathFactory) -> GameSpec:
    """A small game of tricks, of a file."""
    path = tmp_path_factory.mktemp("described") / "six.rcy"
    path.write_text(SIX)
    return get_game(str(path))


def finished(spec: GameSpec, moves: int) -> Table:
    """A table with people at all seats, some moves into a deal."""
    return play_on(Table(spec, [HUMAN] * spec.seats, seed=1), moves)


def trick_places(spec: GameSpec) -> set[tuple[str, str]]:
    """Owners and names of the piles where a trick lies."""
    assert spec.board is not None
    return {(pile.owner, pile.name) for pile in spec.board(spec.deal(1)[0], None).piles if pile.trick}


@pytest.mark.parametrize("name", shipped_names())
def test_games_of_tricks_say_where_a_trick_lies(name: str) -> None:
    places = trick_places(compiled(shipped(name), name))
    assert places == ({("player", "played" if name == "briscola" else "trick")} if name in TRICKS else set())


SHARED = (
    SIX.replace("(end (all player 'P (== (size ('P vloc LAID)) 1)))", "(end (== (size (game vloc LAID)) 3))")
    .replace("((current player) vloc LAID)", "(game vloc LAID)")
    .replace("(owner (max (union (all player 'P ('P vloc LAID))) using (game points HEIGHT)))", "(0 player)")
    .replace("('P vloc LAID)", "(game vloc LAID)")
)
"""All play to one place of the game."""


@pytest.mark.parametrize(
    ("text", "places"),
    [
        (SIX, {("player", "laid")}),
        (SHARED, {("game", "laid")}),
        (SIX.replace(";;! tricks LAID\n", ""), set()),
        (SIX.replace(";;! tricks LAID\n", "").replace("LAID", "TRICK"), {("player", "trick")}),  # a name that needs no mark
        (SIX.replace(";;! tricks LAID\n", "").replace("vloc LAID", "iloc TRICK"), set()),  # bids that are covered
    ],
)
def test_where_a_trick_lies(text: str, places: set[tuple[str, str]]) -> None:
    assert trick_places(compiled(parse(text, "six"), "six")) == places


@pytest.mark.parametrize(
    ("mark", "words"),
    [
        ("tricks LAND", "no place is called vloc LAND"),
        ("tricks HELD", "no place is called vloc HELD"),
        ("tricks", "written ;;! tricks NAME"),
        ("tricks LAID\n;;! tricks LAID", "given twice"),
    ],
)
def test_marks_of_tricks_are_checked(mark: str, words: str) -> None:
    with pytest.raises(RecycleError, match=words):
        parse(SIX.replace("tricks LAID", mark), "six")


def test_a_trick_from_its_first_card_to_its_end(six: GameSpec) -> None:
    table = finished(six, 2)
    for seat in (0, 1, 2, None):
        view = json.loads(json.dumps(seat_view(table, seat)))
        assert view["board"]["tricks"] and view["last_trick"] is None and view["tricks"] == []
        assert [one["seat"] for one in view["trick"]] == [0, 1] and all(one["card"][1] == "h" for one in view["trick"])
    assert not trick_is_done(table)
    played = [one["card"] for one in seat_view(table, 2)["trick"]]
    last = seat_view(table, 2)["board"]["piles"][seat_view(table, 2)["legal"][0]["at"][0]]["cards"]
    card = last[seat_view(table, 2)["legal"][0]["at"][1]]["card"]
    table.act(2, table.legal()[0])
    assert trick_is_done(table)
    best = max(range(3), key=lambda k: "9TJQKA".index([*played, card][k][0]))
    for seat in (0, 1, 2, None):
        view = seat_view(table, seat)
        assert view["trick"] == [] and view["last_trick"] == view["tricks"][-1]
        assert view["last_trick"]["winner"] == best == view["to_act"]
        assert [one["card"] for one in view["last_trick"]["cards"]] == [*played, card]
        assert [one["tricks"] for one in view["seats"]] == [int(k == best) for k in range(3)]
        assert {pile["name"]: pile["shown"] for pile in view["board"]["piles"]} == {
            "stock": "cards", "held": "cards", "laid": "trick", "heap": "number",
        }  # fmt: skip
    table.act(best, table.legal()[0])
    assert len(seat_view(table, 0)["trick"]) == 1 and not trick_is_done(table)


def test_a_finished_deal_is_gone_through_trick_by_trick(six: GameSpec) -> None:
    table = finished(six, 6)
    views = replay_views(table, 0)
    assert [len(view["trick"]) for view in views] == [0, 1, 2, 0, 1, 2, 0]
    assert [len(view["tricks"]) for view in views] == [0, 0, 0, 1, 1, 1, 2]
    assert None not in [trick["winner"] for trick in views[-1]["tricks"]]


def test_other_games_stay_plain_tables() -> None:
    view = seat_view(Table(kuhn(), [HUMAN] * 2, seed=1), 0)
    assert not view["board"]["tricks"] and view["tricks"] is None
    assert {pile["shown"] for pile in view["board"]["piles"]} == {"cards"}


def test_tricks_in_a_terminal(six: GameSpec, tmp_path: Path) -> None:
    table = Table(six, [HUMAN] * 3, seed=1, names=["Anna", "Ben", "Cleo"])
    text = typed(table, tmp_path, iter(["", "1", "", "1", "", "1", "", "tricks", "quit"]), width=120)
    assert re.search(r"  last trick: (You|Anna) \S+♥  (You|Ben) \S+♥  (You|Cleo) \S+♥  won by ", text)
    assert "heap  3 cards" in text and "No: " not in text and re.search(r"^   1  ", text, re.MULTILINE)


@pytest.mark.parametrize("size", [WIDE, TALL_PHONE], ids=["wide", "phone"])
def test_a_trick_on_the_page(served, open_page, six, size) -> None:  # type: ignore[no-untyped-def]
    """The trick lies in the middle, each card before its player, and stays until the next; what was won is a number."""
    page = open_page(served(finished(six, 2)).link(2), size)
    assert my_turn(page) and page.locator("#plain").inner_text() == ""
    assert sorted(one.get_attribute("class") for one in page.locator("#trick li").all()) == ["at-1", "at-3"]
    laid_out(page)
    no_faults(page)
    assert page.locator("#hand [data-pick]").last.bounding_box()["y"] < size["height"] - 50
    with change(page):
        page.locator("#hand [data-pick]").first.click()
    assert page.locator("#trick.done li").count() == 3 and page.locator("#trick .best").count() == 1
    assert "heap: 3 cards" in page.locator(".owner", has_text="heap").inner_text().replace("\n", " ")
    assert page.locator("#tricks tbody td.won").count() == 1


def test_the_hand_is_in_the_first_screen_of_a_phone(served, open_page) -> None:  # type: ignore[no-untyped-def]
    """At a plain table that is longer than the screen, too."""
    short = TALL_PHONE | {"height": 480}  # two players have little on the table
    page = open_page(served(Table(kuhn(), [HUMAN] * 2, seed=3)).link(0), short, is_mobile=True, has_touch=True)
    assert my_turn(page)
    box = page.locator("#hand .lies").bounding_box()
    assert page.evaluate("document.documentElement.scrollHeight") > short["height"]
    assert box["y"] >= 0 and box["y"] + box["height"] <= short["height"]

"""Tables at which described games are played: what is shown to whom, by typing, over the wire, on the page; rules."""

import io
import json
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest

from cardenvs import get_game
from cardenvs.cli import main
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.registry import address
from cardenvs.contract.spec import GameSpec
from cardenvs.play import HUMAN, Table
from cardenvs.play.seatview import replay_views, seat_view
from cardenvs.play.terminal.board import ranking_rows
from cardenvs.play.web import Room
from cardenvs.play.web.room import read_room
from cardenvs.recycle.library import FOLDER
from tests.helpers.boards import kuhn, people, typed
from tests.helpers.browser_pages import PHONE, TALL_PHONE, WIDE, attached, change, menu, my_turn
from tests.helpers.pages import room_of, serving
from tests.refusals import check_refused


def renamed(spec: GameSpec, name: str, path: str, digest: str = "") -> GameSpec:
    """The game as if a file described it."""
    return replace(spec, name=name, path=path, digest=digest)


def test_what_a_seat_is_sent_depends_on_nothing_that_it_cannot_see() -> None:
    """Over deals and plays of Kuhn poker: who has the same card and has seen the same is sent the same, to the letter."""
    sent: dict[tuple[object, ...], set[str]] = {}
    compared = 0
    for seed in range(30):
        table = people(kuhn())
        table.new_deal(seed=seed)
        hands = {seat: seat_view(table, seat)["board"]["piles"][1 + 2 * seat]["cards"][0]["name"] for seat in (0, 1)}
        choose, history = random.Random(seed % 5), ""
        while table.to_act is not None:
            for seat in (0, 1, None):
                view = seat_view(table, seat)
                assert view["text"] is None and view["hands"] is None
                view["version"] = 0
                key = (seat, None if seat is None else hands[seat], history)
                sent.setdefault(key, set()).add(json.dumps(view))
                compared += 1
            action = choose.choice(table.legal())
            history += f"{action},"
            table.act(table.to_act, action)
    assert len(sent) < compared / 2 and {len(texts) for texts in sent.values()} == {1}


def test_a_view_of_kuhn_poker() -> None:
    table = people(kuhn(), names=["Anna", "Ben"])
    view = seat_view(table, 0)
    piles = {(pile["owner"], pile["number"], pile["name"]): pile["cards"] for pile in view["board"]["piles"]}
    assert piles["game", 0, "stock"] == [None] and piles["player", 1, "hand"] == [None]
    [own] = piles["player", 0, "hand"]
    assert own["name"] in ("jack", "queen", "king") and own["card"] is None
    assert [(move["label"], move["at"]) for move in view["legal"]] == [("check", None), ("bet", None)]
    assert not seat_view(table, 1)["legal"] and not seat_view(table, None)["legal"]
    drawing = table.game.drawing(table.state[0], 0)
    assert drawing.startswith("Kuhn poker\ntable\n  stock  1 face down\n") and drawing.count("face down") == 2
    table.act(0, view["legal"][1]["action"])
    assert seat_view(table, 0)["log"][-1] == "You: bet, your paid 2"
    assert seat_view(table, 1)["log"][-1] == "Anna: own paid 2"
    looks_on = seat_view(table, None)
    assert looks_on["log"][-1] == "Anna: own paid 2"
    assert all(card is None for pile in looks_on["board"]["piles"] for card in pile["cards"])
    values = [(one["name"], one["value"]) for one in looks_on["board"]["tallies"] if one["owner"] == "player"]
    assert values == [("paid", 2), ("folded", 0), ("net", 0), ("paid", 1), ("folded", 0), ("net", 0)]


def test_the_end_of_deals() -> None:
    table = people(kuhn(), names=["Anna", "Ben"])
    for _ in range(2):
        table.act(0, "choice0.option1")
        table.act(1, "choice0.option2")
        before = seat_view(table, 1)["log"]
        view = seat_view(table, 0)
        assert view["phase"] == "finished" and view["result"]["text"] == "You win: points You 1, Ben -1"
        ranking = [[one[key] for key in ("name", "points", "rank", "place")] for one in view["result"]["ranking"]]
        assert ranking == [["You", 1, 1, "1st of 2"], ["Ben", -1, 2, "2nd of 2"]]
        texts = [[row.plain for row in ranking_rows(seat_view(table, you))] for you in (0, 1, None)]
        assert [rows[0] for rows in texts] == ["Points:", "You come 2nd of 2.", "Points:"]
        assert before[:-1] == ["Anna: own paid 2", *[line for line in before[:-1] if line.startswith("You: fold")]]
        assert all(None not in pile["cards"] for pile in view["board"]["piles"])
        assert [position["told"] for position in replay_views(table, 0)][1] == "You: bet, your paid 2"
        table.next_deal()
    assert seat_view(table, 0)["sheet"]["total"] == [2, -2]


def test_a_decision_is_taken_back() -> None:
    table = Table(kuhn(), [HUMAN, "random"], seed=4)
    first = seat_view(table, 0)
    table.act(0, table.legal()[0])
    assert len(seat_view(table, 0)["log"]) == 1
    table.undo(0)
    assert seat_view(table, 0)["board"] == first["board"] and seat_view(table, 0)["log"] == []


def test_deals_by_typing(tmp_path: Path) -> None:
    table = people(kuhn())
    words = ["", "2", "", "nonsense", "last", "voids", "fold", "", "", "ch", "", "choice0.option0"]
    text = typed(table, tmp_path, iter(words))
    assert "1: check   2: bet" in text and "1: fold   2: call" in text
    assert "No: 'nonsense' is no option now; the options are fold, call." in text
    assert "No: the table does not know the tricks of Kuhn poker." in text
    assert "No: what has been seen is worked out for" in text
    assert "Points:\n  1. player 0: 1\n  2. player 1: -1\n" in text
    assert len(table.earlier) == 1 and table.over != RUNNING
    assert "Traceback" not in text and "> 0: You" in text
    # The hand waits until only its owner looks.
    for part in text.split("press Enter when only you look at the screen.")[1:]:
        assert part.split("which action?")[0].count(" queen") + part.count(" king") + part.count(" jack") >= 1
    kept = Table.from_text((tmp_path / "kept.txt").read_text(), game=kuhn())
    assert kept.line == table.line


def test_a_table_does_not_go_on_under_other_rules() -> None:
    spec = renamed(kuhn(), "poker.rcy", "/x/poker.rcy", "rules")
    text = people(spec).to_text()
    assert Table.from_text(text, game=spec).game is spec
    with pytest.raises(ValueError, match=r"^record: poker\.rcy was edited since"):
        Table.from_text(text, game=renamed(kuhn(), "poker.rcy", "/x/poker.rcy", "other rules"))


def test_a_file_with_blanks_in_its_name_is_kept(tmp_path: Path) -> None:
    spec = kuhn()
    other = renamed(spec, "#my [b]poker.rcy", "/x/#my [b]poker.rcy")
    assert spec.word == "kuhn-poker" and other.word == "%23my%20[b]poker.rcy"
    assert address(other).endswith("/x/#my [b]poker.rcy") and address(spec) == "kuhn-poker"
    table = people(other)
    table.act(0, "choice0.option1")
    room = Room(table, tmp_path)
    (tmp_path / "table.txt").write_text(room.file_text())
    again = read_room(tmp_path / "table.txt", other)
    assert again.table.line == table.line and again.tokens == room.tokens
    check_refused("a deal begins with", read_room, tmp_path / "table.txt")
    table.load(table.public_text("key"), key="key")
    assert table.line.startswith("%23my%20[b]poker.rcy chance=")


def test_a_text_from_a_page_has_no_file_read() -> None:
    table = people(kuhn())
    for word in ("hearts", "x.rcy", "/x/y.rcy", "%2e%2e/x.rcy"):
        check_refused("is not played here", table.load, f"{word} chance=0000000000000000 actions=\n")


async def test_no_message_names_a_card_that_its_seat_cannot_know() -> None:
    """All traffic of a table with wrong messages and saving in between, until the deal is nearly over."""
    table = people(kuhn())
    names = {seat: seat_view(table, seat)["board"]["piles"][1 + 2 * seat]["cards"][0]["name"] for seat in (0, 1)}
    async with serving(Room(table, pause=0)) as house:
        pages = {seat: await house.page(seat) for seat in (0, 1, None)}
        for seat, action in ((0, "choice0.option0"), (1, "choice0.option1")):
            await pages[seat].turn()
            for page in pages.values():
                await page.refused(type="act", action="king", version=-1)
                await page.refused(type="new", line="kuhn-poker chance=zz")
                if page is not pages[None]:
                    await page.ask("saved", type="save")
            await pages[seat].send(type="act", action=action)
        await pages[0].turn()
        traffic = {seat: list(page.raw) for seat, page in pages.items()}
    for seat, raw in traffic.items():
        text = "\n".join(line for line in raw if '"error"' not in line)
        assert len(raw) > 6 and "chance=" not in text
        for card in ("jack", "queen", "king"):
            assert bool(re.search(rf"\b{card}\b", text)) == (seat is not None and card == names[seat]), (seat, card)


async def test_every_page_is_told_the_rules() -> None:
    async with serving(room_of("euchre")) as house:
        for seat in (0, None):
            assert (await (await house.page(seat)).reply("welcome"))["rules"] == get_game("euchre").rules


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_a_deal_on_the_page(served, open_page, size) -> None:  # type: ignore[no-untyped-def]
    """By clicks on the wide page and by keys on the phone's, then another deal; nothing is wider than the window."""
    Table(kuhn(), ["random"] * 2, seed=1).policy_move()  # compiled before the page waits for it
    page = open_page(served(Table(kuhn(), [HUMAN, "random"], seed=3)).link(0), size)
    for deal in range(2):
        while my_turn(page):
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            assert page.locator("#hand .worded").count() == 1 and page.locator("#plain .worded").count() == 0
            with change(page):
                page.locator("#actions button").first.click() if size is WIDE else page.keyboard.press("1")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.locator("#result tbody tr").count() == 2
        assert page.locator("#plain .worded").count() + page.locator("#hand .worded").count() == 3
        page.locator("#result [data-do=replay]").click()
        attached(page, "html[data-stepping=yes]")
        page.keyboard.press("Escape")
        if deal == 0:
            page.locator("#result [data-do=new]").click()
            attached(page, "html[data-over=no]")


def test_a_game_that_cannot_go_on_says_where(tmp_path: Path) -> None:
    bet, wrong = "(inc ((current player) sto PAID) 1)", "(move (top (game vloc NONE)) (top (game iloc STOCK)))"
    (tmp_path / "kuhn.rcy").write_text((FOLDER / "kuhn-poker.rcy").read_text().replace(bet, wrong, 1))
    broken = get_game(str(tmp_path / "kuhn.rcy"))
    table = Table(broken, [HUMAN, "random"], seed=1)
    before = table.line
    with pytest.raises(ValueError, match=r"kuhn\.rcy:\d+:\d+: there is no card"):
        table.act(0, 1)
    assert table.line == before and table.to_act == 0
    said = typed(table, tmp_path, iter(["2", "1"]))
    assert "No: " in said and "there is no card" in said


def test_the_command_plays_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    Path("my kuhn.rcy").write_text((FOLDER / "kuhn-poker.rcy").read_text())
    monkeypatch.setattr("sys.stdin", io.StringIO("hint random\nbet\nquit\n"))
    assert main(["play", "my kuhn.rcy", "--terminal", "--seats", "human,random", "--seed", "1"]) == 0
    out = capsys.readouterr().out
    assert "2: bet" in out and "my kuhn.rcy' --terminal --load" in out
    [kept] = tmp_path.rglob("my%20kuhn.rcy-*.json")
    monkeypatch.setattr("sys.stdin", io.StringIO("quit\n"))
    assert main(["play", "my kuhn.rcy", "--terminal", "--load", str(kept)]) == 0
    for picture in ("deal.gif", "end.png"):
        assert main(["render", "my kuhn.rcy", "--out", picture, "--view", "1"]) == 0
        assert Path(picture).stat().st_size > 1000
    assert main(["advise", "my kuhn.rcy"]) == 2


@pytest.mark.parametrize("seat", [0, None])
def test_the_menu_has_the_rules(served, open_page, seat) -> None:  # type: ignore[no-untyped-def]
    """Also for those who look on; of a described game what its file says of itself."""
    page = open_page(served(Table(kuhn(), [HUMAN] * 2, seed=1)).link(seat), TALL_PHONE)
    menu(page, "rules")
    assert page.locator("#rules-title").inner_text() == "Rules of Kuhn poker"
    assert page.locator("#rules-text").inner_text() == kuhn().rules and "\n" in kuhn().rules


@pytest.mark.parametrize("rules", ["Five cards each.\nWho takes three tricks scores.", ""])
def test_rules_in_a_terminal(rules: str, tmp_path: Path) -> None:
    spec = replace(get_game("euchre"), rules=rules)
    text = typed(Table(spec, [HUMAN, *["random"] * 3], seed=1), tmp_path, iter(["rules", "quit"]))
    assert (rules or "No: nobody has written down the rules of Euchre.") in text

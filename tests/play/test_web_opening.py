"""Tables that are opened while their pages wait: links first, what is prepared, then the table by itself."""

import asyncio
import json
import threading

import pytest

from cardenvs.cli import main
from cardenvs.compiled import waiting as compiling
from cardenvs.play import HUMAN, Table
from cardenvs.play import web as play_web
from cardenvs.play.web import Room, preparation, serve
from cardenvs.play.web.server import links
from tests.helpers.browser_pages import attached
from tests.helpers.pages import Page, serving


@pytest.fixture
def held(monkeypatch):
    """Holds the first deals of all tables back until the event is set; says meanwhile that a search is compiled."""
    go = threading.Event()
    opened = Table.open

    def wait(table):
        assert go.wait(60)
        opened(table)

    monkeypatch.setattr(Table, "open", wait)
    monkeypatch.setattr(compiling, "at_work", lambda: None if go.is_set() else compiling.Work("ismcts", 30))
    yield go
    go.set()


def waiting(seats=None, **options):
    """A table that is not open."""
    return Table("euchre", seats or [HUMAN, "high", "high", "high"], deal=False, **options)


def test_a_table_that_is_not_open_checks_all_that_it_is_given():
    table = waiting(seed=3)
    assert not table.is_open and table.display_name(1, 0) == "high (left)"
    table.open()
    assert table.is_open and table.line == Table("euchre", table.seats, seed=3).line
    table.open()
    assert len(table.earlier) == 0
    for wrong in ({"seed": -1}, {"nonsense": 1}, {"target": "x"}, {"names": ["You"] * 4}, {"seats": ["nobody"] * 4}):
        with pytest.raises(ValueError, match=r"must|unknown|You|nobody"):
            waiting(**wrong)


async def test_pages_wait_are_told_what_for_and_get_the_table(held, tmp_path):
    room = Room(waiting(seed=3), tmp_path, pause=0)
    assert links(room, "http://here")["seats"][0]["url"] == f"http://here{room.path(0)}"
    async with serving(room) as house:
        assert await house.status(room.path(0)) == 200 and await house.status("/t/none/x") == 403
        page = Page(await house.session.ws_connect(house.url(room.path(0) + "/ws")))
        assert (await page.reply("welcome"))["you"] == 0
        await page.until(lambda page: page.preparing)
        assert page.preparing == [{"type": "preparing", "what": "ismcts (compiled)", "seconds": 30}]
        assert "prepared" in await page.refused(type="act", action="pass")
        assert "prepared" in await page.refused(type="new")
        assert page.state is None and not any(tmp_path.iterdir())
        held.set()
        await page.until(lambda page: page.state is not None)
        await page.until(lambda page: page.preparing[-1]["what"] is None)
        assert any("asked for by its seed" in line for line in page.state["log"])
        await page.turn()
    assert room.file.read_text().count('"cards"') == 1


async def test_a_server_ends_before_its_table_is_open(held, tmp_path):
    room = Room(waiting(), tmp_path)
    async with serving(room):
        pass
    assert room.file is not None and not room.file.exists() and not room.loss_sentence


async def test_a_table_that_cannot_be_opened_ends_the_server(monkeypatch):
    def fails(table):
        raise ValueError("there is no card in the stock")

    monkeypatch.setattr(Table, "open", fails)
    told = asyncio.get_running_loop().create_future()
    with pytest.raises(ValueError, match="no card in the stock"):
        async with asyncio.timeout(30):
            await serve([Room(waiting())], "127.0.0.1", 0, browser=False, started=told.set_result)
    assert told.result()["seats"][0]["url"]


def test_links_come_before_the_deal(monkeypatch, tmp_path, capsys):
    async def served(rooms, host, port, *, started, **settings):
        assert not rooms[0].table.is_open
        started(links(rooms[0], "http://127.0.0.1:1"))

    monkeypatch.setattr(play_web, "serve", served)
    assert main(["play", "euchre", "--folder", str(tmp_path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["seats"][0]["kind"] == "human"


def test_what_is_prepared(monkeypatch):
    monkeypatch.setattr(compiling, "at_work", lambda: None)
    monkeypatch.setattr(preparation, "getting_ready", lambda: [])
    assert preparation.preparation_under_way() is None
    monkeypatch.setattr(preparation, "getting_ready", lambda: [("a program: its book", 9)])
    assert preparation.preparation_under_way() == ("a program: its book", 9)
    monkeypatch.setattr(compiling, "at_work", lambda: compiling.Work("recall", None))
    assert preparation.preparation_under_way() == ("recall (compiled)", None)


def test_the_page_waits_and_opens_by_itself(browser, served, held):
    page = browser.new_page()
    page.goto(served(waiting(seed=3)).link(0))
    attached(page, "html[data-preparing=yes]")
    text = page.locator("#preparing").inner_text()
    assert text.startswith("Being prepared: ismcts (compiled), about 30 s.") and "opens by itself" in text
    assert page.locator("#prompt").inner_text() == "The table is being prepared"
    held.set()
    attached(page, "html[data-version]")
    attached(page, "html[data-preparing=no]")
    assert page.locator("#preparing").inner_text() == "" and page.locator("#hand button").count() == 5

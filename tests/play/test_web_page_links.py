"""In a browser: what a page shows when its link has ended."""

import asyncio
import contextlib

import pytest

from tests.helpers.browser_pages import CHROMIUM
from tests.helpers.pages import room_of, serving

async_api = pytest.importorskip("playwright.async_api", reason="the tests in a browser need playwright")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")


@contextlib.asynccontextmanager
async def page_of_a_table():
    """A browser's page of the first seat of a table, and the table's room."""
    room = room_of("euchre", "human human high high", pause=60)
    async with serving(room) as house, async_api.async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = await browser.new_page()
        page.set_default_timeout(20_000)
        await page.goto(house.url(room.path(0)))
        await page.wait_for_selector("html[data-version][data-connected=yes]")
        yield page, room
        await browser.close()


@pytest.mark.slow
async def test_a_page_whose_seat_was_given_away_says_so_and_leads_to_looking_on():
    async with page_of_a_table() as (page, room):
        connections = []
        page.on("websocket", lambda socket: connections.append(socket))
        await page.click("[data-open=menu]")
        await page.click("#menu [data-open=seats]")
        await page.fill("#policy-0", "high")
        await page.click("form[data-seat='0'] button")
        await page.wait_for_selector("#alert >> text=changed hands")
        await asyncio.sleep(2)
        assert not connections, "there is nothing to connect to again"
        assert "changed hands" in await page.inner_text("#alert")
        await page.click("#alert a")
        await page.wait_for_selector("html[data-watching=yes][data-connected=yes]")
        assert page.url.endswith(room.path(None))


async def test_a_page_whose_link_ended_while_it_was_away_says_so():
    async with page_of_a_table() as (page, room):
        room.tokens[0] = "another"
        for connection in list(room.connections):
            await connection._socket.close(code=1001)
        await page.wait_for_selector("#alert >> text=link ends when the seat changes hands")
        text = await page.inner_text("#alert")
        await asyncio.sleep(2)
        assert await page.inner_text("#alert") == text


async def test_a_link_for_another_person_is_shown_though_the_own_one_ends():
    async with page_of_a_table() as (page, room):
        await page.click("[data-open=menu]")
        await page.click("#menu [data-open=seats]")
        await page.click("form[data-seat='0'] button")
        await page.wait_for_selector("#invite[open]")
        assert (await page.input_value("#link")).endswith(room.path(0))
        assert "changed hands" in await page.inner_text("#alert")

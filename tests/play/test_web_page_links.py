"""In a browser: what a page shows when its link has ended."""

import asyncio
import shutil

import pytest

from tests.helpers.pages import room_of, run, serving

async_api = pytest.importorskip("playwright.async_api", reason="the tests in a browser need playwright")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")


def in_browser(work):
    """Runs a coroutine function with a browser's window, a table and a server of it."""

    async def begin():
        room = room_of("euchre", ["human", "human", "high", "high"], pause=60)
        async with serving(room) as house, async_api.async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            page = await browser.new_page()
            page.set_default_timeout(20_000)
            await page.goto(house.url(room.path(0)))
            await page.wait_for_selector("html[data-version][data-connected=yes]")
            await work(page, house, room)
            await browser.close()

    run(begin())


@pytest.mark.slow
def test_a_page_whose_seat_was_given_away_says_so_and_leads_to_looking_on():
    async def work(page, house, room):
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

    in_browser(work)


def test_a_page_whose_link_ended_while_it_was_away_says_so():
    async def work(page, house, room):
        room.tokens[0] = "another"
        for connection in list(room.connections):
            await connection._socket.close(code=1001)
        await page.wait_for_selector("#alert >> text=link ends when the seat changes hands")
        text = await page.inner_text("#alert")
        await asyncio.sleep(2)
        assert await page.inner_text("#alert") == text

    in_browser(work)


def test_a_link_for_another_person_is_shown_though_the_own_one_ends():
    async def work(page, house, room):
        await page.click("[data-open=menu]")
        await page.click("#menu [data-open=seats]")
        await page.click("form[data-seat='0'] button")
        await page.wait_for_selector("#invite[open]")
        assert (await page.input_value("#link")).endswith(room.path(0))
        assert "changed hands" in await page.inner_text("#alert")

    in_browser(work)

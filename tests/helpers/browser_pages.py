"""The page of a table in a real browser, for tests: tables that are served, and what a test does on a page."""

import asyncio
import contextlib
import shutil
import threading

import pytest
from aiohttp import web

from cardenvs import get_game
from cardenvs.play import Table
from cardenvs.play.web import Room, create_app

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
WIDE = {"width": 1280, "height": 800}
MIDDLE = {"width": 800, "height": 1000}
PHONE = {"width": 360, "height": 740}
TALL_PHONE = {"width": 390, "height": 844}
RIVALS = {
    "euchre": ["human", "hybrid", "hybrid", "hybrid"],
    "whist": ["human", "hybrid", "hybrid", "hybrid"],
    "five-o": ["human", "reflex3"],
}
ADVISER = {"euchre": "pimc", "whist": "pimc", "five-o": "monte-carlo", "hanabi:players=3": "smartbot"}
TURN = "#actions button, #hand button.legal, #board-0 button.legal"  # what can be clicked when it is one's turn


class Served:
    """A table on a server of its own, in a thread."""

    def __init__(self, table, folder=None, pause=0.0):
        self.room = Room(table, folder, pause=pause)
        self._loop = asyncio.new_event_loop()
        ready = threading.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._serve(ready),), daemon=True)
        self._thread.start()
        assert ready.wait(20)

    async def _serve(self, ready):
        self._end = asyncio.Event()
        runner = web.AppRunner(create_app([self.room]))
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self.port = runner.addresses[0][1]
        ready.set()
        await self._end.wait()
        await runner.cleanup()

    def stop(self):
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(20)

    def link(self, seat):
        """The link of a seat, or with None that for looking on."""
        return f"http://127.0.0.1:{self.port}{self.room.path(seat)}"

    def history(self):
        """The deal's actions so far."""
        table = self.room.table
        return table.game.history(table.state[0])

    def to_act(self):
        return self.room.table.to_act


def compile_for(game, names):
    """Has all that some policies play a game with compiled, before a page waits for it."""
    for name in names:
        table = Table(game, [name] * get_game(game).seats, seed=1)
        table.hint(table.to_act, name)
        table.act(*table.policy_move())


def attached(page, selector):
    """Waits for an element; the page's security policy forbids waiting for an expression."""
    page.wait_for_selector(selector, state="attached")


def data(page, name):
    return page.locator("html").get_attribute(f"data-{name}")


def my_turn(page):
    """Waits until it is this page's turn, True, or the deal is over, False."""
    attached(page, 'html[data-turn="yes"], html[data-over="yes"]')
    return data(page, "over") != "yes"


def changed(page, version):
    attached(page, f'html:not([data-version="{version}"])')


@contextlib.contextmanager
def change(page):
    """Waits until what is done has changed the position."""
    version = data(page, "version")
    yield
    changed(page, version)


def menu(page, name):
    """Opens what an entry of the menu opens."""
    page.click("[data-open=menu]")
    page.click(f"#menu [data-open={name}], #menu [data-do={name}]")


def ask_hint(page, policy):
    """Asks a policy for a hint, and waits for it."""
    page.select_option("#hint-policy", policy)
    page.click("[data-do=hint]")
    page.locator("#hint-list tr").first.wait_for()


def play(page, moves=None):
    """Clicks through the deal, or ``moves`` moves of it; returns the actions."""
    done = []
    while (moves is None or len(done) < moves) and my_turn(page):
        version = data(page, "version")
        button = page.locator(TURN).first
        done.append(button.get_attribute("data-action"))
        button.click()
        changed(page, version)
    return done


def no_faults(page):
    """The accessibility checker finds nothing serious in light, nor in dark, where only contrasts differ."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page.evaluate(axe.axe_script)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        asked = {"resultTypes": ["violations"], **({"runOnly": ["color-contrast"]} if scheme == "dark" else {})}
        violations = page.evaluate("(asked) => axe.run(document, asked).then((found) => found.violations)", asked)
        faults = [fault for fault in violations if fault["impact"] in ("serious", "critical")]
        assert not faults, (scheme, [(fault["id"], fault["nodes"][0]["html"][:200]) for fault in faults])
    page.emulate_media(color_scheme="light")


def fits(page):
    """Nothing to scroll sideways, and all that one acts with is in sight and big enough for a finger."""
    wide = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert wide[0] <= wide[1]
    for button in page.locator("button:visible, select:visible, summary:visible").all():
        box = button.bounding_box()
        assert box["width"] >= 44 and box["height"] >= 44, (button.get_attribute("data-key"), box)
        assert box["x"] >= 0 and box["x"] + box["width"] <= wide[1]


def switch_all_on(page):
    for switch in page.locator("#switches input").all():
        switch.check()


def sure(page):
    """Says that the running deal may be given up, if the page asks."""
    page.wait_for_timeout(50)
    if page.locator("#ask").is_visible():
        page.click("#ask-yes")


SIZES = {390: TALL_PHONE, 800: MIDDLE, 1280: WIDE}  # the windows that the page is laid out for, by their width
QUICK = {("whist", 390), ("five-o", 1280)}
EVERYWHERE = [
    pytest.param(game, width, marks=() if (game, width) in QUICK else pytest.mark.slow)
    for game in RIVALS
    for width in SIZES
]
"""Each game in each window; in the quick tests the most cards in the narrowest, the other kind of table in the widest."""
WIDTHS = [pytest.param(width, marks=() if width == 390 else pytest.mark.slow) for width in SIZES]
"""Each window, for what is the same in all games; the narrowest, in which things go wrong first, in the quick tests."""


def opened(open_page, link, width, **options):
    """A window of that width; the narrow one is a phone."""
    phone = {"has_touch": True, "is_mobile": True} if width < 500 else {}
    return open_page(link, size=SIZES[width], **phone, **options)


REGIONS = (
    "#score .box, header nav button, html:not([data-plain=tricks]) #info .item, "
    "#corner button, .plate, #trick, .turned, .inhand, #result .panel, "
    ".board, #prompt, #actions .pair, .fan, #stepper .said, #stepper .row, #controls, aside > section:not(#record)"
)  # what must not lie on each other


def overlaps(page):
    """The pairs of regions of the page that lie on each other, by their names."""
    return page.evaluate(
        """(selector) => {
            const box = (e) => e.getBoundingClientRect();
            const shown = [...document.querySelectorAll(selector)].filter((e) => e.checkVisibility() && box(e).width > 1);
            const named = shown.map((e) => [e.id || e.dataset.seat || e.className || e.tagName, box(e)]);
            const found = [];
            named.forEach(([a, p], k) => named.slice(k + 1).forEach(([b, q]) => {
                const wide = Math.min(p.right, q.right) - Math.max(p.left, q.left);
                const high = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
                if (wide > 1.5 && high > 1.5) found.push([a, b, wide, high]);
            }));
            return found;
        }""",
        REGIONS,
    )


def spills(page):
    """By how many pixels the page is wider than its window, and the texts that do not fit into their boxes."""
    return page.evaluate(
        """() => {
            const texts = document.querySelectorAll(".name b, .name .small, .tag, .rank, #prompt, .box, button:not(.held)");
            const cut = [...texts].filter((e) => e.checkVisibility() && e.clientWidth && e.scrollWidth > e.clientWidth + 1);
            const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
            return [Math.max(0, wide), cut.map((e) => e.outerHTML.slice(0, 120))];
        }"""
    )


def places(page, selector):
    """Where on the page the elements are that a selector finds: left, top, width and height in pixels."""
    return page.evaluate(
        """(selector) => [...document.querySelectorAll(selector)].map((e) => {
            const box = e.getBoundingClientRect();
            return [box.x + scrollX, box.y + scrollY, box.width, box.height].map((size) => Math.round(10 * size) / 10);
        })""",
        selector,
    )


def widths(page, selector):
    """The widths of the pictures that a selector finds, in pixels."""
    return [card.bounding_box()["width"] for card in page.locator(selector).all()]


def laid_out(page):
    """Nothing to scroll sideways, no text cut off, nothing on anything else."""
    spilt, covered = spills(page), overlaps(page)
    assert spilt == [0, []], spilt
    assert covered == [], covered

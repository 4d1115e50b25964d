"""What the tests of the table share: a browser, tables that are served, windows."""

import inspect
import threading

import pytest

from cardenvs.compiled.jit import DISABLED
from cardenvs.play import Table
from tests.helpers.browser_pages import ADVISER, CHROMIUM, RIVALS, WIDE, Served, compile_for
from tests.helpers.pages import Command, begin_command, run
from tests.helpers.players import Hangs, failing, maker


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """Runs a test that is a coroutine function."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True


@pytest.fixture(scope="module")
def browser():
    """A headless Chromium; without one, or without playwright, the tests are skipped."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="the tests in a browser need playwright")
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"], headless=True)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def compiled(browser):
    """Has all that plays here compiled before a page waits for it."""
    for game, seats in () if DISABLED else RIVALS.items():
        compile_for(game, {*seats[1:], ADVISER[game]})


@pytest.fixture
def served(tmp_path):
    """Serves a table until the test is over."""
    running = []

    def serve(table, pause=0.0):
        running.append(Served(table, tmp_path, pause))
        return running[-1]

    yield serve
    for one in running:
        one.stop()


@pytest.fixture
def serve(served, compiled):
    """Serves a table of a shipped game, which knows a policy that is broken."""
    make = maker(broken=failing(RuntimeError("lost its mind")))
    return lambda game, seats, pause=0.0, **options: served(Table(game, seats, make=make, **options), pause)


@pytest.fixture
def start():
    """Starts ``cardenvs play``; what still runs when the test ends, however it ends, is killed."""
    running = []

    def begin(*arguments):
        running.append(begin_command(*arguments))
        return Command(running[-1])

    yield begin
    for process in running:
        if process.poll() is None:
            process.kill()
            process.communicate(timeout=30)


@pytest.fixture
def hanging():
    """A policy that hangs until the test ends, or sets its event ``release``."""
    Hangs.release = threading.Event()
    yield Hangs
    Hangs.release.set()


@pytest.fixture
def open_page(browser):
    """Opens a link in a window of its own; any error on the page fails the test."""
    contexts, errors = [], []

    def opened(link, size=WIDE, scheme="light", motion="reduce", prepare="", **options):
        context = browser.new_context(viewport=size, color_scheme=scheme, reduced_motion=motion, **options)
        context.set_default_timeout(10_000)
        contexts.append(context)
        if prepare:
            context.add_init_script(prepare)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
        page.goto(link)
        page.wait_for_selector("html[data-version]", state="attached")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not errors

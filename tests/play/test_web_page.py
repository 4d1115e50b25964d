"""The page of a table in a real browser: whole deals by clicks and by keys, two windows, a phone, accessibility.

All tests share one headless Chromium. With ``CARDENVS_SCREENSHOTS=1`` the pictures of the README are written anew.
"""

import os
import re
from pathlib import Path

import pytest

from cardenvs import get_game
from tests.helpers.browser_pages import (
    ADVISER,
    PHONE,
    RIVALS,
    TURN,
    ask_hint,
    attached,
    change,
    changed,
    compile_for,
    data,
    menu,
    my_turn,
    no_faults,
    play,
    sure,
    switch_all_on,
)  # fmt: skip
from tests.helpers.paths import ROOT

PICTURES = ROOT / "docs" / "screenshots"
GAMES = [pytest.param(game, marks=() if game == "euchre" else pytest.mark.slow) for game in RIVALS]
HANDS = "9cTcJcQcKc/AcTdJdQdKd/AdThJhQhKh/AhTsJsQsKs"
"""Of Euchre: the person has clubs alone."""

# --- whole deals ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_deal_by_clicking(serve, open_page, game):
    table = serve(game, RIVALS[game], seed=4)
    page = open_page(table.link(0))
    assert my_turn(page) and get_game(game).title in page.inner_text("h1")
    switch_all_on(page)
    ask_hint(page, ADVISER[game])
    assert page.locator(f":is({TURN}) .hint, #hint-list .hint").count() >= 2
    no_faults(page)

    done = play(page)
    assert len(done) >= {"euchre": 5, "whist": 13, "five-o": 20}[game]
    assert table.history()[-1]  # the server has seen them
    assert set(done) - {"pass"} <= set(table.history())
    result = page.inner_text("#result")
    assert re.search({"five-o": r"wins|draw", "euchre": r"win \d point|passed", "whist": r"win \d point"}[game], result)
    assert page.locator("#log li").count() > len(done)
    no_faults(page)
    page.click("#result [data-do=same]")
    attached(page, 'html[data-over="no"]')
    assert my_turn(page)


def test_bidding_and_the_discard_by_clicking(serve, open_page):
    line = f"euchre dealer=0 hands={HANDS} turned=9h actions=pass,pass,pass"
    table = serve("euchre", ["human", "high", "high", "high"], line=line)
    page = open_page(table.link(0))
    assert "9h" in page.locator("#middle use").get_attribute("href")
    assert page.locator("#actions button").count() == 3
    no_faults(page)
    page.click("[data-action=order-up]")
    attached(page, 'html[data-phase="discarding"]')
    assert page.locator("#hand button.legal").count() == 6
    assert "nine of hearts, taken up" in page.locator('[data-card="9h"]').get_attribute("aria-label")
    page.click('#hand [data-action="9c"]')
    attached(page, 'html[data-phase="playing"]')
    assert page.locator("#hand button").count() == 5 and "you discarded" in page.inner_text("#info")
    assert "Hearts" in page.inner_text("#info")


@pytest.mark.slow
def test_calling_a_suit(serve, open_page):
    line = f"euchre dealer=3 hands={HANDS} turned=9h actions=pass,pass,pass,pass"
    table = serve("euchre", ["human", "high", "high", "high"], line=line)
    page = open_page(table.link(0))
    assert page.locator("#actions button").count() == 7
    assert page.locator("[data-action^=call-hearts]").count() == 0
    no_faults(page)
    page.click("[data-action=call-clubs-alone]")
    attached(page, 'html[data-phase="playing"]')
    assert "alone" in page.inner_text("#info") and page.locator(".plate.out").count() == 1
    play(page)
    assert "5 tricks to 0" in page.inner_text("#result")


def test_an_illegal_card_is_explained_and_nothing_happens(serve, open_page):
    table = serve("whist", RIVALS["whist"], seed=4)
    page = open_page(table.link(0))
    while my_turn(page) and not page.locator("#hand .dim").count():
        play(page, 1)
    version, before = data(page, "version"), table.history()
    page.locator("#hand .dim").first.click(force=True)
    page.locator("#why", has_text="must follow suit").wait_for()
    assert data(page, "version") == version and table.history() == before
    assert "not playable" in page.locator("#hand .dim").first.get_attribute("aria-label")


def test_what_happens_is_said_and_the_last_trick_is_shown_on_request(serve, open_page):
    page = open_page(serve("whist", RIVALS["whist"], seed=4).link(0))
    play(page, 2)
    my_turn(page)
    said = page.inner_text("#say")
    assert re.search(r"plays the \w+ of \w+", said) and "Your turn" in said
    page.keyboard.press("w")
    assert "trump is" in page.inner_text("#say")
    page.click("[data-do=last]")
    assert page.locator("#last-cards li").count() == 4
    assert page.locator("#last-cards .best").count() == 1
    page.keyboard.press("l")
    assert page.locator("#last-cards").count() == 0


def test_two_people_in_two_windows(serve, open_page):
    table = serve("euchre", ["human", "hybrid", "human", "hybrid"], seed=8, repeatable=True)
    pages = {seat: open_page(table.link(seat)) for seat in (0, 2)}
    watcher = open_page(table.link(None))
    held = {}
    for seat, page in pages.items():
        held[seat] = {card.get_attribute("data-card") for card in page.locator("#hand button").all()}
        assert len(held[seat]) == 5
    assert held[0].isdisjoint(held[2]) and watcher.locator("#hand .held").count() == 0
    while True:
        attached(pages[0], 'html[data-phase="finished"], html[data-phase]')
        if data(pages[0], "over") == "yes":
            break
        seat = table.to_act()
        if seat is None:
            attached(pages[0], 'html[data-over="yes"]')
            continue
        if seat not in pages:
            continue
        page, other = pages[seat], pages[2 - seat]
        assert my_turn(page) and data(other, "turn") == "no"
        with change(page), change(other):
            page.locator(TURN).first.click()
    attached(pages[2], 'html[data-over="yes"]')
    results = [pages[seat].inner_text("#result p") for seat in (0, 2)]  # each names the players as it sees them
    assert results[0].partition(" win")[2] == results[1].partition(" win")[2]
    attached(watcher, 'html[data-over="yes"]')
    going_on = watcher.locator("#result :is([data-do=new], [data-do=same], [data-do=next], [data-do=save])")
    assert going_on.count() == 0  # the people decide how it goes on
    pages[2].click("#result [data-do=new]")
    attached(pages[0], 'html[data-over="no"]')


def test_a_seat_is_given_to_a_person(serve, open_page):
    table = serve("five-o", RIVALS["five-o"], seed=8)
    page = open_page(table.link(0))
    play(page, 2)
    my_turn(page)
    menu(page, "seats")
    no_faults(page)
    page.fill("#policy-1", "human")
    page.click('form[data-seat="1"] button')
    page.locator("#invite").wait_for()
    link = page.input_value("#link")
    assert link == table.link(1)
    page.keyboard.press("Escape")
    other = open_page(link)
    page.locator('#seat-2 :text("player 1")').wait_for()
    with change(other):
        page.click("#board-0 .legal >> nth=0")
    assert my_turn(other)
    play(other, 1)
    assert my_turn(page)


def test_hints_on_each_turn(serve, open_page):
    page = open_page(serve("whist", RIVALS["whist"], seed=8).link(0))
    page.select_option("#hint-policy", "pimc")
    page.check("#hint-auto")
    for _ in range(3):
        assert my_turn(page)
        legal = page.locator("#hand .legal").count()
        page.wait_for_selector(f"#hint-list tr:nth-child({legal})")
        assert page.locator("#hand .legal .hint").count() == legal
        assert "pimc: " in page.locator("#hand .legal").first.get_attribute("aria-label")
        play(page, 1)


@pytest.mark.parametrize("game", GAMES)
def test_a_reload_in_the_middle(serve, open_page, game):
    table = serve(game, RIVALS[game], seed=5)
    page = open_page(table.link(0))
    play(page, 3)
    my_turn(page)
    before, version = page.inner_text("#felt"), data(page, "version")
    page.reload()
    attached(page, "html[data-version]")
    assert data(page, "version") >= version and page.inner_text("#felt") == before
    play(page, 2)


def test_a_lost_connection_comes_back(serve, open_page, browser):
    table = serve("euchre", RIVALS["euchre"], seed=5)
    page = open_page(table.link(0))
    routes = []

    def through(route):
        routes.append(route)
        route.connect_to_server()

    page.route_web_socket(re.compile("/ws$"), through)
    page.reload()
    assert my_turn(page)
    routes[-1].close()
    page.locator("#alert", has_text="connection").wait_for()
    attached(page, 'html[data-connected="yes"]')
    page.locator("#alert .banner").wait_for(state="detached")
    assert len(routes) == 2
    play(page)


def test_a_failed_policy_is_named_and_replaced(serve, open_page):
    table = serve("euchre", ["human", "broken", "hybrid", "hybrid"], seed=3)
    page = open_page(table.link(0))
    while not page.locator("#failures .banner").count():
        attached(page, '#failures .banner, html[data-turn="yes"]')
        if data(page, "turn") == "yes":
            play(page, 1)
    assert "broken" in page.inner_text("#failures")
    assert "lost its mind" in page.inner_text("#failures")
    no_faults(page)
    version = int(data(page, "version"))
    page.click("#failures [data-do=retry]")
    attached(page, f'html[data-version="{version + 2}"]')  # it was let try, and has failed again
    page.locator("#failures .banner").wait_for()
    page.select_option("#failures select", "hybrid")
    page.click("#failures [data-do=replace]")
    page.locator("#failures .banner").wait_for(state="detached")
    play(page)
    assert "win" in page.inner_text("#result")


def test_a_whole_deal_of_euchre_by_keyboard_alone(serve, open_page):
    page = open_page(serve("euchre", RIVALS["euchre"], seed=4).link(0))
    assert my_turn(page)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    while my_turn(page):
        version = data(page, "version")
        assert page.evaluate("Boolean(document.activeElement.closest('#actions, #hand'))")
        if page.evaluate("Boolean(document.activeElement.closest('#hand'))"):
            page.keyboard.press("ArrowRight")
            page.keyboard.press("ArrowLeft")
        page.keyboard.press("Enter")
        changed(page, version)
    assert page.evaluate("document.activeElement.dataset.do") in ("next", "new")
    page.keyboard.press("Space")
    attached(page, 'html[data-over="no"]')


@pytest.mark.slow
@pytest.mark.parametrize("game", ["whist", "five-o"])
def test_a_whole_deal_by_typed_cards_or_digits(serve, open_page, game):
    page = open_page(serve(game, RIVALS[game], seed=4).link(0))
    while my_turn(page):
        with change(page):
            last = page.locator("#hand .legal, #board-0 .legal").last
            for key in last.get_attribute("data-card") if game == "whist" else last.get_attribute("id")[-1]:
                page.keyboard.press(key.lower())
    assert game == "whist" or page.locator("#board-0 .rank").count() == 5
    page.keyboard.press("n")
    attached(page, 'html[data-over="no"]')


@pytest.mark.slow
def test_help_and_keys_that_can_be_switched_off(serve, open_page):
    table = serve("five-o", RIVALS["five-o"], seed=4)
    page = open_page(table.link(0))
    assert my_turn(page)
    page.keyboard.press("?")
    assert page.locator("#help").is_visible()
    no_faults(page)
    page.keyboard.press("3")  # not for the table while a dialog is open
    page.keyboard.press("Escape")
    assert not page.locator("#help").is_visible()
    page.keyboard.press("m")
    page.locator("#keys").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("3")
    assert not table.history()
    page.reload()
    assert my_turn(page)
    page.keyboard.press("3")
    page.keyboard.press("?")
    assert not page.locator("#help").is_visible()
    assert not table.history()  # it is remembered


def test_deals_by_seed_and_line_save_and_load(serve, open_page):
    game = get_game("whist")
    page = open_page(serve("whist", RIVALS["whist"], seed=1).link(0))
    my_turn(page)

    def hand():
        return {card.get_attribute("data-card") for card in page.locator("#hand button").all()}

    with change(page):
        menu(page, "deal")
        page.fill("#seed", "77")
        page.click("#seed-form button")
        sure(page)
    my_turn(page)
    dealt = game.text(game.deal(77)[0])
    mine = re.search(r"hands=(\w+)/", dealt)[1]
    all_mine = {mine[k : k + 2] for k in range(0, 26, 2)}
    assert len(hand()) in (12, 13) and hand() <= all_mine

    version = data(page, "version")
    menu(page, "deal")
    page.fill("#line", "whist what=ever")
    page.click("#line-form button")
    sure(page)
    page.locator("#alert .banner", has_text="what").wait_for()
    no_faults(page)
    page.click("#alert [data-do=dismiss]")
    assert data(page, "version") == version and hand() <= all_mine

    play(page)
    menu(page, "save")
    page.locator("#save").wait_for()
    with page.expect_download() as download:
        page.click("#download")
    text = Path(download.value.path()).read_text()
    assert text == page.input_value("#saved") and text.splitlines()[-1].startswith("whist ")
    page.keyboard.press("Escape")
    ended = page.inner_text("#result p")
    page.click("#result [data-do=new]")
    attached(page, 'html[data-over="no"]')
    menu(page, "load")
    page.fill("#loaded", text)
    page.click("#load-form .row button")
    sure(page)
    attached(page, 'html[data-over="yes"]')
    assert page.inner_text("#result p") == ended


@pytest.mark.slow
def test_a_spectator_has_the_speed_in_hand(serve, open_page):
    page = open_page(serve("euchre", ["hybrid", "high", "hybrid", "high"], seed=2, pause=3).link(None))
    assert page.locator("#hand .held").count() == 5
    page.click("[data-do=pause]")
    page.locator("[data-do=step]:not([aria-disabled])").wait_for()
    no_faults(page)
    for _ in range(3):
        before = page.locator("#log li").count()
        page.click("[data-do=step]")
        page.wait_for_selector(f"#log li:nth-child({before + 1})", state="attached")
        page.wait_for_timeout(60)
        assert before < page.locator("#log li").count() <= before + 2  # a play, and perhaps the trick that it wins
    page.locator("#speed").fill("0")
    page.click("[data-do=pause]")
    attached(page, 'html[data-over="yes"]')
    assert page.locator("#result [data-do=new]").count() == 1


def test_switches_are_remembered(serve, open_page):
    page = open_page(serve("whist", RIVALS["whist"], seed=2).link(0))
    my_turn(page)
    switch_all_on(page)
    page.reload()
    assert my_turn(page) and page.locator("#switches input:checked").count() == 4
    for title in ("Seen cards", "Can hold", "Shown voids", "Remaining trumps"):
        assert page.locator("#readouts h3", has_text=title).count() == 1
    page.locator("[data-readout=voids]").uncheck()
    assert page.locator("#readouts h3", has_text="Shown voids").count() == 0


def test_the_page_is_small_and_asks_nobody_else(serve, browser):
    context = browser.new_context()
    sizes, hosts = [], set()
    page = context.new_page()

    def came(answer):
        sizes.append(len(answer.body()))
        hosts.add(re.match(r"\w+://[^/]+", answer.url)[0])

    page.on("response", came)
    link = serve("euchre", RIVALS["euchre"], seed=2).link(0)
    page.goto(link)
    attached(page, "html[data-version]")
    page.wait_for_load_state("networkidle")
    context.close()
    assert hosts == {re.match(r"\w+://[^/]+", link)[0]} and 20_000 < sum(sizes) < 170_000


def advised(page, *readouts):
    """Switches readouts and a hint on."""
    for name in readouts:
        page.check(f"[data-readout={name}]")
    ask_hint(page, ADVISER[data(page, "game")])
    page.evaluate("document.activeElement.blur()")


def pictured(page, path):
    """Takes a picture with few colours, so that the repository stays small."""
    image = pytest.importorskip("PIL.Image", reason="the pictures need pillow")
    page.screenshot(path=path, animations="disabled")
    few = image.open(path).convert("RGB").quantize(256, image.Quantize.FASTOCTREE, dither=image.Dither.NONE)
    few.save(path, optimize=True)
    assert 10_000 < path.stat().st_size < 150_000


@pytest.mark.slow
def test_the_pictures_of_the_readme(serve, open_page, tmp_path):
    """Written to docs/screenshots with CARDENVS_SCREENSHOTS=1, as `make screenshots` does."""
    folder = PICTURES if os.environ.get("CARDENVS_SCREENSHOTS") == "1" else tmp_path
    folder.mkdir(parents=True, exist_ok=True)

    for name, game, seed, moves, readouts, scheme in (
        ("euchre", "euchre", 50, 2, ("seen", "voids", "trumps"), "light"),
        ("whist", "whist", 21, 4, ("seen", "trumps"), "dark"),
        ("five_o", "five-o", 21, 15, ("seen",), "light"),
    ):
        page = open_page(serve(game, RIVALS[game], seed=seed).link(0), scheme=scheme)
        play(page, moves)
        my_turn(page)
        advised(page, *readouts)
        if game == "whist":
            page.click("[data-do=last]")
        pictured(page, folder / f"{name}.png")

    compile_for("hanabi:players=3", ["smartbot"])
    page = open_page(serve("hanabi:players=3", ["human", "smartbot", "smartbot"], seed=3).link(0))
    for spots in (["4 0", "tell-2-W"], ["3 4", "tell-1-1"], ["discard-1"], ["play-4"], ["play-4"]):
        assert my_turn(page)
        with change(page):
            for spot in spots:
                page.click(f'[data-card-at="{spot}"], [data-action="{spot}"]')
    assert my_turn(page)
    advised(page)
    page.click('[data-card-at="3 0"]')
    page.evaluate("document.activeElement.blur()")
    pictured(page, folder / "hanabi.png")

    page = open_page(serve("euchre", RIVALS["euchre"], seed=4).link(0), size=PHONE, is_mobile=True, has_touch=True)
    play(page, 2)
    my_turn(page)
    pictured(page, folder / "phone.png")

    served = serve("euchre", ["hybrid", "high-low", "hybrid", "high-low"], seed=33, pause=1.5)
    page = open_page(served.link(None))
    page.click("[data-do=pause]")
    page.locator("[data-do=step]:not([aria-disabled])").wait_for()
    while len(served.history()) < 11:
        with change(page):
            page.click("[data-do=step]")
    page.check("[data-readout=seen]")
    page.check("[data-readout=trumps]")
    page.evaluate("document.activeElement.blur()")
    pictured(page, folder / "spectator.png")

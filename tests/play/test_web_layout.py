"""The page at 390, 800 and 1,280 pixels: everything in its place, cards and words big enough, hands that stay put."""

from itertools import pairwise

import pytest

from tests.helpers.browser_pages import (
    ADVISER,
    EVERYWHERE,
    RIVALS,
    SIZES,
    TURN,
    WIDTHS,
    ask_hint,
    attached,
    data,
    fits,
    laid_out,
    menu,
    my_turn,
    no_faults,
    opened,
    places,
    play,
    spills,
    switch_all_on,
    widths,
)

GAMES = [pytest.param(game, marks=() if game == "whist" else pytest.mark.slow) for game in RIVALS]
CARD = 56
"""The least width of a card on a phone, in pixels."""
THIRTEEN = (
    "whist dealer=3 shown=2h hands=2c3c4c5c6c7c8c9cTcJcQcKcAc/2d3d4d5d6d7d8d9dTdJdQdKdAd/"
    "3h4h5h6h7h8h9hThJhQhKhAh2s/2h3s4s5s6s7s8s9sTsJsQsKsAs"
)


@pytest.mark.parametrize(("game", "width"), EVERYWHERE)
def test_a_deal_at_every_width(serve, open_page, game, width):
    options = {} if game == "five-o" else {"episode": "game"}
    page = opened(open_page, serve(game, RIVALS[game], seed=6, **options).link(0), width)

    def check():
        laid_out(page)
        if width == 390:
            fits(page)

    assert my_turn(page)
    check()
    box = page.locator(TURN).last.bounding_box()
    assert width > 390 or box["y"] + box["height"] <= SIZES[width]["height"]  # the own hand is in the first view
    play(page, 3)
    my_turn(page)
    check()
    ask_hint(page, ADVISER[game])
    switch_all_on(page)
    check()
    play(page)
    check()
    no_faults(page)
    page.click("[data-open=menu]")
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_cards_on_a_phone_are_wide_with_large_indices(serve, open_page, game):
    page = opened(open_page, serve(game, RIVALS[game], seed=6).link(0), 390)
    assert my_turn(page)
    where = {
        "whist": "#hand .card, #trick .card",
        "euchre": "#hand .card, #trick .card, .turned .card",
        "five-o": ".board .card, .inhand .card",
    }
    for moves in (0, 3):
        play(page, moves)
        my_turn(page)
        found = widths(page, where[game])
        assert found and min(found) >= CARD
    cards = page.locator("#hand use, .inhand use").all()
    assert {card.get_attribute("href").split("-")[0] for card in cards} == {"#jumbo"}
    # The rank of such a card is 44 of 140 parts of its height.
    assert page.evaluate("document.querySelector('#jumbo-9c text').getAttribute('font-size')") == "44"


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
def test_thirteen_cards_are_fanned(serve, open_page, width):
    page = opened(open_page, serve("whist", ["human", "human", "human", "human"], line=THIRTEEN).link(0), width)
    assert my_turn(page)
    cards = [card.bounding_box() for card in page.locator("#hand .card").all()]
    assert len(cards) == 13
    assert {round(card["width"]) for card in cards} == {round(cards[0]["width"])}
    assert cards[0]["width"] >= CARD
    rows = sorted({round(card["y"]) for card in cards})
    assert len(rows) == (2 if width == 390 else 1)
    overlapping = 0
    for left, right in pairwise(cards):
        if round(left["y"]) == round(right["y"]):
            step = right["x"] - left["x"]
            overlapping += step < left["width"]
            assert step >= 44  # as much of each card is seen, and can be touched
    assert overlapping >= 10
    laid_out(page)
    for button in page.locator("#hand button").all():
        assert button.bounding_box()["width"] >= 44


@pytest.mark.slow
@pytest.mark.parametrize(("game", "width"), EVERYWHERE)
def test_hints_do_not_move_the_hand(serve, open_page, game, width):
    page = opened(open_page, serve(game, RIVALS[game], seed=6).link(0), width)
    turns = 0
    page.select_option("#hint-policy", ADVISER[game])
    while my_turn(page) and turns < 3:
        turns += 1
        page.mouse.move(0, 0)
        played_from = "#hand button, #actions button, #board-0 .column"
        before = places(page, played_from)
        page.click("[data-do=hint]")
        page.locator("#hint-list tr").first.wait_for()
        assert page.locator("#felt .hint").count() >= 1
        page.mouse.move(0, 0)
        assert places(page, played_from) == before
        for mark in page.locator("#felt .hint").all():
            inner, outer = mark.bounding_box(), mark.locator("xpath=..").bounding_box()
            assert inner["y"] >= outer["y"] and inner["y"] + inner["height"] <= outer["y"] + outer["height"] + 1
        play(page, 1)


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
def test_the_result_of_five_o_keeps_the_columns_in_sight(serve, open_page, width):
    page = opened(open_page, serve("five-o", RIVALS["five-o"], seed=6).link(0), width)
    play(page)
    assert page.locator("#result .panel").is_visible()
    page.evaluate("scrollTo(0, 0)")
    own = page.locator("#board-0").bounding_box()
    assert own["y"] >= 0 and own["y"] + own["height"] <= SIZES[width]["height"]
    assert page.locator("#result h2").bounding_box()["y"] < SIZES[width]["height"]


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
def test_columns_in_progress_are_named(serve, open_page, width):
    page = opened(open_page, serve("five-o", ["human", "human"], seed=1).link(0), width)
    my_turn(page)
    assert page.locator("#board-0 .rank:not(:empty)").count() == 0
    play(page, 1)
    other = opened(open_page, page.url, width)  # the same seat, in another window
    state = other.locator("#board-0 .rank:not(:empty)")
    assert state.count() == 1
    name = state.inner_text()
    assert name == "pair" or name.endswith(" high")
    assert name in other.locator("#board-0 .column:has(.rank:not(:empty))").get_attribute("aria-label")


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
def test_a_watcher_sees_whole_names(serve, open_page, width):
    seats = ["learned-search:worlds=30", "card-counting", "coop-high-low", "high-low-corrected"]
    page = opened(open_page, serve("whist", seats, seed=2, pause=3).link(None), width)
    page.click("[data-do=pause]")
    for number, name in enumerate(seats):
        plate = page.locator(f'.plate[data-seat="{number}"]')
        shown = plate.locator("b")
        assert shown.inner_text() == name.partition(":")[0]
        assert shown.evaluate("(e) => e.scrollWidth <= e.clientWidth + 1 || getComputedStyle(e).display === 'inline'")
        inner, outer = shown.bounding_box(), plate.bounding_box()
        assert inner["x"] >= outer["x"] and inner["x"] + inner["width"] <= outer["x"] + outer["width"]
        assert inner["y"] + inner["height"] <= outer["y"] + outer["height"]
    laid_out(page)


@pytest.mark.parametrize("width", WIDTHS)
def test_people_have_names_which_are_text(serve, open_page, width):
    """In the plate, in the history, in the log, in labels; also after a reload."""
    table, name = serve("euchre", ["human", "hybrid", "human", "hybrid"], seed=6), '<img src=x id="pwned">'
    anna, other = opened(open_page, table.link(0), 390), opened(open_page, table.link(2), width)
    menu(anna, "name")
    no_faults(anna)
    anna.fill("#own-name", name)
    anna.keyboard.press("Enter")
    other.locator('.plate[data-seat="0"] b', has_text="<img").wait_for()
    assert other.locator('.plate[data-seat="0"] b').inner_text() == name and f"({name})" in anna.inner_text("#seat-0")
    assert "hybrid (left)" in other.inner_text("#seat-1").replace("\n", " ")
    assert other.locator("#pwned").count() == 0 and name in other.locator("#tricks thead").text_content()
    laid_out(other)
    anna.reload()
    attached(anna, "html[data-version]")
    assert f"({name})" in anna.inner_text("#seat-0")
    laid_out(anna)


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
def test_the_longest_names_fit(serve, open_page, width):
    names = [letter * 24 for letter in "WMGQ"]
    table = serve("euchre", ["human"] * 4, seed=6, episode="game")
    for action in ("pass", "pass", "order-up"):
        table.room.table.act(table.to_act(), action)
    for seat, name in enumerate(names):
        table.room.table.set_name(seat, name)
    for seat in (0, None):
        page = opened(open_page, table.link(seat), width)
        laid_out(page)
        shown = [page.inner_text(f'.plate[data-seat="{number}"] b') for number in range(4)]
        assert shown[1:] == names[1:]
        if width < 1280:
            page.click("header [data-do=record]")
            assert spills(page) == [0, []]
            page.keyboard.press("Escape")


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_a_very_small_window(serve, open_page, game):
    page = open_page(serve(game, RIVALS[game], seed=6).link(0), size={"width": 320, "height": 640})
    play(page, 2)
    my_turn(page)
    assert spills(page)[0] == 0
    play(page)
    assert spills(page)[0] == 0


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
def test_light_and_dark(serve, open_page, width):
    page = opened(open_page, serve("whist", RIVALS["whist"], seed=6).link(0), width, scheme="dark")
    play(page, 2)
    my_turn(page)
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == "rgb(20, 25, 26)"
    if width < 1280:
        page.click("header [data-do=record]")
        attached(page, 'html[data-record="open"]')
    no_faults(page)
    assert data(page, "deck") == "four"

"""Hands that their owners see from behind, on the page: Hanabi by clicks, by keys and on a phone."""

import pytest

from cardenvs.games.hanabi import hanabi
from tests.helpers.browser_pages import SIZES, attached, change, fits, laid_out, my_turn, no_faults, opened
from tests.helpers.hanabi_tables import line_of


def placed(serve, **parameters):
    """A table of persons; without parameters with the deal of `tests.helpers.hanabi_tables`."""
    game = hanabi(**parameters)
    return serve(game, ["human"] * game.seats, **{"seed": 5} if parameters else {"line": line_of()})


def hand(page, number):
    """The cards of a seat's hand on a page, oldest first."""
    return page.locator(f'[data-key="pile-{number + 2}"] .noted')


def choose(page, selector):
    """Clicks on what acts, and waits for the next position."""
    with change(page):
        page.click(selector)


def test_a_card_offers_its_colour_and_its_rank(serve, open_page):
    table = placed(serve)
    page = open_page(table.link(0))
    assert my_turn(page) and page.locator("#actions button").count() == 0
    card = hand(page, 1).nth(1)
    assert "R2" in card.inner_text()
    card.locator("button").click()
    told = page.locator(".behind-hand .calls button")
    assert told.all_inner_texts()[0].split("\n")[0].startswith("Tell red")
    assert told.nth(0).get_attribute("aria-label") == "tell red, cards 1, 2"
    assert told.nth(1).get_attribute("aria-label") == "tell 2s, card 2"
    no_faults(page)
    card.locator("button").click()
    assert told.count() == 0, "a second click closes them"
    card.locator("button").click()
    choose(page, ".behind-hand .calls button >> nth=0")
    assert table.history() == ["tell-1-R"] and page.locator(".behind-hand .calls").count() == 0
    assert [one.get_attribute("class") for one in hand(page, 1).all()] == ["noted touched"] * 2 + ["noted"] * 3
    assert "You: tell red, player 1's cards 1, 2" in page.inner_text(".latest")
    assert "YGWB 12345" in hand(page, 1).nth(2).inner_text()


def test_what_was_told_stands_on_the_own_cards_and_nothing_else(serve, open_page):
    table = placed(serve)
    mine, theirs = open_page(table.link(1)), open_page(table.link(0))
    assert my_turn(theirs)
    theirs.click('[data-key="pile-3"] .noted >> nth=0 >> button')
    choose(theirs, '[data-action="tell-1-R"]')
    assert my_turn(mine)
    assert [one.inner_text() for one in hand(mine, 1).locator(".behind").all()] == ["R", "R", "?", "?", "?"]
    assert mine.locator('[data-key="pile-3"] .face:not(.behind)').count() == 0
    label = hand(mine, 1).nth(0).locator(".sr").inner_text()
    assert label == "card 1, told red, can be red 1 to 5, touched by the last hint"
    assert not [face for face in ("R2", "B1", "Y1", "G1") if face in mine.content()]
    no_faults(mine)
    choose(mine, '[data-action="play-1"]')
    assert table.history() == ["tell-1-R", "play-1"]
    assert "R1" in mine.inner_text('[data-key="pile-0"]')
    assert "the red 1, which fits" in mine.inner_text(".latest")


def test_the_partners_view_turns_the_cards_and_keys_do_all(serve, open_page):
    table = placed(serve)
    page = open_page(table.link(0))
    assert my_turn(page)
    turn = page.locator('[data-key="pile-3"] .turn')
    assert turn.get_attribute("aria-label") == "Show the hand as player 1 sees it"
    assert page.locator('[data-key="pile-3"] .behind').count() == 0
    turn.click()
    assert turn.get_attribute("aria-pressed") == "true"
    assert page.locator('[data-key="pile-3"] .behind').count() == 5
    assert "red 2" not in hand(page, 1).nth(1).inner_html()
    turn.click()
    assert page.locator('[data-key="pile-3"] .behind').count() == 0

    page.locator('[data-key="pile-3"] .noted >> nth=0 >> button').focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.getAttribute('aria-expanded')") == "true"
    with change(page):
        page.keyboard.press("2")
    assert table.history() == ["tell-1-2"]
    page.keyboard.press("w")
    attached(page, "#why:not(:empty)")
    assert "player 1, hand: card 1 red 1, nothing told, can be red" in page.inner_text("#why")
    page.click("nav [data-do=new]")
    assert page.locator("#ask").is_visible()


@pytest.mark.parametrize("width", [pytest.param(size, marks=() if size == 390 else pytest.mark.slow) for size in SIZES])
@pytest.mark.parametrize("players", [2, pytest.param(5, marks=pytest.mark.slow)])
def test_it_fits_at_every_width(serve, open_page, players, width):
    table = placed(serve, players=players) if players > 2 else placed(serve)
    page = opened(open_page, table.link(0), width)
    assert my_turn(page)
    laid_out(page)
    page.locator("#plain .pick").first.click()
    laid_out(page)
    if width == 390:
        fits(page)
        hint = page.locator(".behind-hand .calls button").first.bounding_box()
        own = page.locator("#own").bounding_box()
        assert hint["y"] + hint["height"] <= own["y"], "one's own cards lie on the hints"
    no_faults(page)


def test_the_end_is_told_and_all_cards_are_turned_up(serve, open_page):
    table = placed(serve)
    page, partner = open_page(table.link(0)), open_page(table.link(1))
    for acting, card in ((page, 4), (partner, 2), (page, 2)):
        assert my_turn(acting)
        choose(acting, f'[data-action="play-{card}"]')
    attached(page, 'html[data-over="yes"]')
    assert page.locator("#result .panel").is_visible()
    assert page.locator(".noted .behind").count() == 0
    page.click("#result [data-do=replay]")
    attached(page, 'html[data-stepping="yes"]')
    assert page.locator(".noted").count() == 10


def test_who_looks_on_sees_no_hand(serve, open_page):
    table = placed(serve)
    seated, page = open_page(table.link(0)), open_page(table.link(None))
    assert my_turn(seated)
    choose(seated, '[data-action="play-1"]')
    attached(page, ".latest")
    assert page.locator(".noted .face:not(.behind)").count() == 0
    assert page.locator(".turn, .act").count() == 0

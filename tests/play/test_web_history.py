"""What has been, on the page: tricks, score sheet, replay, review; what asks before it is lost; moves taken back."""

import re

import pytest

from tests.helpers.browser_pages import (
    EVERYWHERE,
    RIVALS,
    WIDTHS,
    attached,
    change,
    data,
    fits,
    laid_out,
    menu,
    my_turn,
    no_faults,
    opened,
    play,
    sure,
)


def cards_of(page):
    """The cards of the history's rows: (suit, led, won) by row and column."""
    rows = []
    for row in page.locator("#tricks tbody tr.full").all():
        rows.append([])
        for cell in row.locator("td").all():
            sign, told = cell.locator(".sign use"), cell.text_content()
            suit = sign.get_attribute("href")[-1] if sign.count() else ""
            rows[-1].append((suit, ", led" in told, ", won" in told))
    return rows


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
def test_all_tricks_stand_beside_the_table(serve, open_page, width):
    table = serve("whist", RIVALS["whist"], seed=4)
    page = opened(open_page, table.link(0), width)
    play(page, 3)
    my_turn(page)
    record, button = page.locator("#record"), page.locator("header [data-do=record]")
    if width == 1280:
        assert record.is_visible() and not button.is_visible()
    else:
        assert not record.is_visible()
        button.click()
        assert record.is_visible() and button.get_attribute("aria-expanded") == "true"
        if width == 390:
            fits(page)
        no_faults(page)
    rows = cards_of(page)
    tricks = len(rows)
    assert tricks >= 2
    for row in rows:
        assert len(row) == 4 and {suit for suit, _, _ in row} <= set("cdhs")
        assert sum(led for _, led, _ in row) == sum(won for _, _, won in row) == 1
    assert page.locator("#tricks thead th").all_inner_texts() == ["You", "Left", "Across", "Right"]
    won = sum(row[0][2] for row in rows)
    assert f"{won} trick" in page.inner_text("#seat-0")
    assert page.locator("#tricks tbody tr").count() == 13  # the rows to come are there: nothing moves later
    if width < 1280:
        page.keyboard.press("Escape")
        assert not record.is_visible()
        assert page.evaluate("document.activeElement.dataset.do") == "record"
        button.click()
        page.click("#record [data-do=record]")
        assert not record.is_visible()
    play(page)
    assert len(cards_of(page)) == 13 and spoken(page)


def spoken(page):
    """Whether the log in words opens and tells the deal."""
    if not page.locator("#record").is_visible():
        page.click("header [data-do=record]")
    page.locator("#words summary").click()
    lines = page.locator("#log li").all_inner_texts()
    page.locator("#words summary").click()
    assert not any(re.search(r"player \d", line) for line in lines), lines
    return any("hybrid (left) plays the" in line for line in lines) and any("You play the" in line for line in lines)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_score_sheet(serve, open_page, width):
    table = serve("euchre", RIVALS["euchre"], seed=8, repeatable=True, episode="game", target=10)
    page = opened(open_page, table.link(0), width)
    for deal in range(1, 3):
        play(page)
        if width < 1280:
            page.keyboard.press("h")
        rows = page.locator("#score-sheet tbody tr")
        assert rows.count() == deal
        total = [int(figure) for figure in page.locator("#score-sheet tfoot td").all_inner_texts()]
        assert total == table.room.table.state["score"][0].tolist()
        assert [int(figure) for figure in page.locator("#score b").all_inner_texts()] == total
        assert width < 1280 or "to 10" in page.inner_text("#score")
        ended = page.locator("#result tbody tr:last-child td").all_inner_texts()
        assert [int(figure) for figure in ended] == total
        last = rows.last.locator("td:not(.dealer)").all_inner_texts()
        assert [int(cell.split()[0]) for cell in last] == total
        named = page.inner_text("#next-dealer")
        if width < 1280:
            page.keyboard.press("Escape")
        laid_out(page)
        page.click("#result [data-do=next]")
        attached(page, 'html[data-over="no"]')
        dealer = int(page.locator(".plate:has(.dealer)").get_attribute("data-seat"))
        assert named == "Next to deal: " + ["You", "hybrid (left)", "hybrid (across)", "hybrid (right)"][dealer]


@pytest.mark.slow
@pytest.mark.parametrize(("game", "width"), EVERYWHERE)
def test_stepping_through_a_finished_deal(serve, open_page, game, width):
    table = serve(game, RIVALS[game], seed=4, repeatable=True)
    page = opened(open_page, table.link(0), width)
    play(page)
    moves = len(table.room.table.events)
    page.click("#result [data-do=replay]")
    attached(page, 'html[data-stepping="yes"]')
    assert not page.locator("#result .panel").is_visible()
    assert page.inner_text(".where") == f"1 of {moves}"
    laid_out(page)
    if width == 390:
        fits(page)
    told = set()
    for _ in range(6):
        told.add(page.inner_text("#stepper .said"))
        page.click("[data-step=on]")
    assert len(told) == 6
    laid_out(page)
    assert page.inner_text(".where") == f"7 of {moves}"
    page.keyboard.press("ArrowLeft")
    assert page.inner_text(".where") == f"6 of {moves}"
    page.keyboard.press("End")
    assert page.inner_text(".where") == f"end of {moves}"
    page.keyboard.press("Home")
    if game != "five-o":
        page.click("[data-step=trickOn]")
        page.click("[data-step=trickOn]")
        assert page.locator("#tricks tr.full").count() >= 1
        assert page.locator("#trick.done, #middle .turned").count() == 1
    no_faults(page)
    page.keyboard.press("Escape")
    attached(page, 'html[data-over="yes"]')
    assert page.locator("#result .panel").is_visible()
    page.click("#result [data-do=new]")
    sure(page)
    attached(page, 'html[data-over="no"]')
    assert data(page, "stepping") == "no"


@pytest.mark.parametrize(("game", "width"), EVERYWHERE)
@pytest.mark.compiled
def test_the_review_of_a_deal(serve, open_page, game, width):
    table = serve(game, RIVALS[game], seed=4)
    page = opened(open_page, table.link(0), width)
    play(page)
    page.click("#result [data-do=review]")
    page.locator("#result .review h3").wait_for(timeout=120_000)
    assert "decision" in page.inner_text("#result .review .small >> nth=0")
    laid_out(page)
    no_faults(page)
    page.click("#result summary:text('Every move')")
    assert page.locator("#result .every tbody tr").count() == len(table.room.table.events)
    if width == 390:
        fits(page)
    dear = page.locator("#result .cost")
    assert 1 <= dear.count() <= 3
    move = int(dear.first.get_attribute("data-goto"))
    label = dear.first.locator("b").inner_text()
    dear.first.click()
    attached(page, 'html[data-stepping="yes"]')
    assert page.inner_text(".where").startswith(f"{move + 1} of")
    assert "was better by" in page.inner_text("#stepper .said")
    assert page.locator(".plate.acting").get_attribute("data-seat") == "0"
    if game == "five-o":
        assert page.locator("#board-0 .column.played").count() == page.locator("#board-0 .column.better").count() == 1
    elif page.locator("#hand .better").count():
        played = page.locator("#hand .played").get_attribute("data-card")
        assert label.startswith(played[0].replace("T", "10"))
    laid_out(page)
    page.click("[data-do=leave]")
    assert page.locator("#result .review h3").is_visible()


@pytest.mark.parametrize("width", WIDTHS)
def test_a_running_deal_is_not_given_up_by_a_slip(serve, open_page, width):
    table = serve("euchre", RIVALS["euchre"], seed=4)
    page = opened(open_page, table.link(0), width)
    play(page, 2)
    my_turn(page)
    before = table.history()

    def press(what):
        if width == 1280:
            page.click(f"header [data-do={what}]")
        else:
            menu(page, what)

    for what in ("new", "same"):
        press(what)
        ask = page.locator("#ask")
        assert ask.is_visible() and ask.get_attribute("role") == "alertdialog"
        assert page.evaluate("document.activeElement.value") == "no"  # the harmless answer has the focus
        if what == "new" and width == 390:
            no_faults(page)
        page.keyboard.press("Enter")
        assert not ask.is_visible()
        press(what)
        page.keyboard.press("Escape")
        assert not ask.is_visible()
    assert table.history() == before
    with change(page):
        press("same")
        page.click("#ask-yes")
    my_turn(page)
    assert len(table.history()) < len(before) or table.history() != before


@pytest.mark.slow
def test_nothing_is_asked_where_nothing_is_lost(serve, open_page):
    page = open_page(serve("five-o", RIVALS["five-o"], seed=4).link(0))
    my_turn(page)
    with change(page):
        page.click("header [data-do=same]")
    assert not page.locator("#ask").is_visible()


@pytest.mark.slow
def test_a_new_game_asks_between_deals(serve, open_page):
    table = serve("whist", RIVALS["whist"], seed=8, episode="game", target=10)
    page = open_page(table.link(0))
    play(page)
    score = table.room.table.state["score"][0].tolist()
    page.click("#result [data-do=new]")
    assert page.locator("#ask").is_visible()
    assert f"{score[0]} to {score[1]}" in page.inner_text("#ask-text")
    page.keyboard.press("Escape")
    page.click("#result [data-do=next]")
    attached(page, 'html[data-over="no"]')
    assert table.room.table.state["score"][0].tolist() == score


@pytest.mark.slow
@pytest.mark.parametrize(("game", "width"), EVERYWHERE)
def test_a_move_is_taken_back(serve, open_page, game, width):
    table = serve(game, RIVALS[game], seed=4)
    page = opened(open_page, table.link(0), width)
    assert my_turn(page) and page.locator("#undo button").count() == 0
    before = table.history()
    play(page, 1)
    assert my_turn(page)
    button = page.locator("#undo button")
    laid_out(page)
    with change(page):
        if width == 1280:
            page.keyboard.press("u")
        else:
            button.click()
    my_turn(page)
    assert table.history() == before
    if game != "five-o":
        assert "1 move taken back" in page.inner_text("#info")


@pytest.mark.slow
def test_another_deal_ends_the_replay(serve, open_page):
    table = serve("five-o", ["human", "human"], seed=4)
    pages = [open_page(table.link(seat)) for seat in (0, 1)]
    while table.to_act() is not None:
        play(pages[table.to_act()], 1)
    pages[0].click("#result [data-do=replay]")
    attached(pages[0], 'html[data-stepping="yes"]')
    pages[0].keyboard.press("ArrowRight")
    pages[1].click("#result [data-do=new]")
    attached(pages[0], 'html[data-stepping="no"][data-over="no"]')
    assert pages[0].locator("#stepper p").count() == 0

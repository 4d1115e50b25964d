"""Cards of any deck, results and score sheets at 390, 800 and 1,280 pixels: nothing broken, covered or out of sight."""

import functools
import tempfile
from pathlib import Path

import pytest

from cardenvs import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.play import HUMAN, Table
from cardenvs.play.seatview import seat_view
from cardenvs.recycle import parse
from cardenvs.recycle.game import compiled
from tests.helpers.boards import people
from tests.helpers.browser_pages import SIZES, WIDTHS, attached, change, laid_out, my_turn, opened
from tests.helpers.tables import play_on

TRICKS = """(game
 (setup (create players 4) (create deck (game iloc STOCK) (deck {deck})))
 (do ((shuffle (game iloc STOCK)) (move (top (game iloc STOCK)) (top (game vloc UPCARD)))
  (all player 'P (repeat 3 (move (top (game iloc STOCK)) (top ('P iloc HAND)))))))
 (stage player (end (== (size (game iloc STOCK)) {left}))
  (stage player (end (all player 'P (== (size ('P vloc TRICK)) 1)))
   (choice ((any ((current player) iloc HAND) 'C (move 'C (top ((current player) vloc TRICK)))))))
  (do ((cycle next current)
   (all player 'P (do ((move (top ('P vloc TRICK)) (top ((next player) vloc WON)))
                       (move (top (game iloc STOCK)) (top ('P iloc HAND)))))))))
 (do ((all player 'P (set ('P sto SCORE) (size ('P vloc WON))))))
 (scoring max ((current player) sto SCORE)))"""
"""A card each for a trick, and another one drawn after each trick, twice."""
DECKS = {
    "latin": ("ONE, TWO, THREE, FOUR, FIVE, SIX, SEVEN, JACK, KNIGHT, KING", "(SUIT (CUPS, COINS, SWORDS, CLUBS))", 40),
    "long": (", ".join(f"INCOMPREHENSIBILITY{letter}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWX"), "", 24),
    "four": ("I, WWWWW", "(SUIT (MOONS, HEARTS)) (SIZE (LITTLE, ENORMOUSLYBIG)) (COPY (LEFT, MIDDLE, RIGHT))", 24),
    "french": ("QUEEN, KING, ACE, TEN, TWO, SIX", "(SUIT (CLUBS, DIAMONDS, HEARTS, SPADES))", 24),
}
"""The ranks of a deck, what else it is made of, and how many cards it has."""
FAULTS = """() => {
    const faults = [], cards = ".card, .face";
    const within = (box, of) => box.top >= of.top - 1 && box.bottom <= of.bottom + 1;
    const beside = (box, of) => box.left < of.left || box.right > of.right || !within(box, of);
    /* What is scrolled out of sight is nowhere. */
    const scrolled = (box, of) => {
        if (!of || of === document.documentElement) return false;
        const clips = getComputedStyle(of).overflowY !== "visible" && !within(box, of.getBoundingClientRect());
        return clips || scrolled(box, of.parentElement);
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const of = node.parentElement, card = of.closest(cards);
        if (!node.data.trim() || of.closest(".sr, .sprite, script, option") || !of.checkVisibility()) continue;
        for (const word of node.data.matchAll(/\\S+/g)) {
            const range = document.createRange();
            range.setStart(node, word.index);
            range.setEnd(node, word.index + word[0].length);
            const boxes = [...range.getClientRects()];
            if (boxes.length > 1 && of.closest(`${cards}, .tricks, .sheet`)) faults.push(["broken", word[0]]);
            for (const box of boxes.filter((one) => !scrolled(one, of))) {
                if (card && beside(box, card.getBoundingClientRect())) faults.push(["cut", word[0]]);
                const hit = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)?.closest(cards);
                if (hit && !hit.contains(of)) faults.push(["covered", word[0]]);
            }
        }
    }
    return faults;
}"""
"""Words on cards, in the history and on the score sheet that are broken or cut, and words anywhere on which a card lies."""


@functools.cache
def tricks(deck: str, laid_out_as: str) -> GameSpec:
    """Tricks with one of the `DECKS`; without a file they are laid out as any game, with piles."""
    ranks, more, size = DECKS[deck]
    text = TRICKS.format(deck=f"({'SORT' if deck == 'long' else 'RANK'} ({ranks})) {more}", left=size - 21)
    if laid_out_as == "piles":
        return compiled(parse(text, deck), deck)
    path = Path(tempfile.mkdtemp()) / f"{deck}.rcy"
    path.write_text(text)
    return get_game(str(path))


def check_page(page) -> None:  # type: ignore[no-untyped-def]
    """No fault at the top of the page nor at its end, nothing on anything else, one button for a new deal."""
    for end in (0, 9999):
        page.evaluate(f"scrollTo(0, {end})")
        assert page.evaluate(FAULTS) == []
    page.evaluate("scrollTo(0, 0)")
    laid_out(page)
    assert page.locator("[data-do=new]:visible").count() <= 1


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(("deck", "layout"), [
    ("long", "tricks"), ("four", "tricks"), ("french", "tricks"),
    *(pytest.param(*one, marks=pytest.mark.slow) for one in (("latin", "tricks"), ("long", "piles"))),
])  # fmt: skip
def test_a_deal_with_any_deck(served, open_page, deck, layout, width) -> None:  # type: ignore[no-untyped-def]
    link = served(Table(tricks(deck, layout), [HUMAN, "random", "random", "random"], seed=3)).link(0)
    page = opened(open_page, link, width)
    while my_turn(page):
        check_page(page)
        with change(page):
            page.locator("#hand button").first.click()
    check_page(page)
    assert page.locator("[data-do=new]:visible").count() == 1
    styles = {card.get_attribute("class") for card in page.locator(".card:not(:has([href='#card-back'])):visible").all()}
    assert styles == ({"card"} if deck == "french" else {"card worded"})
    assert page.locator("#hand .card").count() >= 3
    for card in page.locator("#hand .card").all():
        box = card.bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= SIZES[width]["height"]
    if width < 1280:
        page.click("header [data-do=record]")
        attached(page, 'html[data-record="open"]')
    assert page.locator(".sheet thead th").all_inner_texts() == ["Deal", "You", "Left", "Across", "Right"]
    assert page.evaluate(FAULTS) == []
    heads = [head.bounding_box() for head in page.locator(".sheet thead th").all()]
    assert all(head["width"] > 20 and head["height"] < 40 for head in heads)


def test_the_log_speaks_of_cards_and_seats() -> None:
    table = people(tricks("latin", "tricks"), names=["Anna", "Ben", "Cleo", "Dora"])
    play_on(table)
    log, other = (seat_view(table, seat)["log"] for seat in (0, 1))
    assert log[0].startswith("You play ") and other[0] == log[0].replace("You play", "Anna plays")
    assert log[3].startswith("Dora plays ") and "; Anna wins the trick; " in other[3] and "; You win the trick; " in log[3]
    assert log[3].endswith(" to your hand") and other[3].endswith(" to your hand")
    assert not any("own " in line or "trick to" in line for line in log)

"""What each person sets for himself: colours and order of the cards, motion, sound; kept on the device."""

import itertools

import pytest

from tests.helpers.browser_pages import RIVALS, WIDTHS, attached, change, data, fits, menu, my_turn, no_faults, opened, play

COUNT_MOTION = """
window.flown = [];
const animate = Element.prototype.animate;
Element.prototype.animate = function (frames, timing) {
    const where = this.closest("#hand, #trick, .board, .ghost");
    window.flown.push([where?.id ?? this.className, timing.duration + (timing.delay ?? 0)]);
    return animate.call(this, frames, timing);
};
"""
COUNT_SOUND = """
window.sounds = [];
const Real = window.AudioContext;
window.AudioContext = class extends Real {
    constructor() { super(); window.sounds.push("context"); }
    createOscillator() { window.sounds.push("tone"); return super.createOscillator(); }
    createBufferSource() { window.sounds.push("rustle"); return super.createBufferSource(); }
};
"""
HELD = "euchre dealer=3 hands=9cJcAdKhAs/AcTdJdQdKd/9dThJhQhAh/KsTsJsQs9s turned=9h actions=order-up"
"""The person holds all suits; hearts are trump."""


def choose(page, **settings):
    """Opens the settings and chooses; radio buttons by their value, boxes by yes or no."""
    menu(page, "settings")
    for name, value in settings.items():
        if isinstance(value, bool):
            page.locator(f"#settings [name={name}]").set_checked(value)
        else:
            page.check(f"#settings [name={name}][value={value}]")
    page.keyboard.press("Escape")


def hand(page):
    return [card.get_attribute("data-card") for card in page.locator("#hand button").all()]


def flown(page):
    """What has been seen to move since the last time: (where, milliseconds until it lies)."""
    return page.evaluate("window.flown.splice(0)")


@pytest.mark.parametrize("width", WIDTHS)
def test_the_settings_can_be_reached_and_used(serve, open_page, width):
    page = opened(open_page, serve("whist", RIVALS["whist"], seed=4).link(0), width)
    my_turn(page)
    menu(page, "settings")
    no_faults(page)
    assert page.locator("#settings [name=sound]").is_checked() is False
    assert page.locator("#settings [name=motion]").is_checked() is True
    if width == 390:
        fits(page)
    page.keyboard.press("Escape")
    assert not page.locator("#settings").is_visible()


@pytest.mark.slow
def test_two_or_four_colours(serve, open_page):
    page = open_page(serve("whist", RIVALS["whist"], seed=4).link(0))
    colours = """() => ["c", "d", "h", "s"].map((suit) => {
        const probe = document.createElementNS("http://www.w3.org/2000/svg", "svg");
        probe.setAttribute("class", `suit-${suit}`);
        document.body.append(probe);
        const { fill } = getComputedStyle(probe);
        probe.remove();
        return fill;
    })"""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        choose(page, deck="four")
        assert len(set(page.evaluate(colours))) == 4
        choose(page, deck="two")
        clubs, diamonds, hearts, spades = page.evaluate(colours)
        assert clubs == spades and diamonds == hearts and clubs != hearts
    page.reload()
    attached(page, "html[data-version]")
    assert data(page, "deck") == "two"  # it is remembered
    no_faults(page)


@pytest.mark.slow
def test_the_order_of_the_hand(serve, open_page):
    page = open_page(serve("euchre", ["human"] * 4, line=HELD + ",9s").link(0))
    attached(page, "#hand button")
    assert hand(page)[0] == "Kh"  # a trump
    choose(page, sort="suit")
    black = [card[1] in "cs" for card in hand(page)]
    changes = sum(a != b for a, b in itertools.pairwise(black))
    assert changes == len({card[1] for card in hand(page)}) - 1  # each suit once, black and red in turn
    choose(page, sort="rank")
    ranks = ["9TJQKA".index(card[0]) for card in hand(page)]
    assert ranks == sorted(ranks, reverse=True)
    held = hand(page)
    page.reload()
    attached(page, "#hand button")
    assert hand(page) == held


@pytest.mark.slow
def test_the_left_bower_lies_with_the_trumps(serve, open_page):
    line = "euchre dealer=3 hands=JdJhKcAsQd/AcTdJcAdKd/9dThJsQhAh/KsTs9cQs9s turned=9h actions=order-up,Ks"
    page = open_page(serve("euchre", ["human"] * 4, line=line).link(0))
    attached(page, "#hand button")
    choose(page, sort="suit")
    cards = hand(page)
    assert abs(cards.index("Jd") - cards.index("Jh")) == 1
    assert abs(cards.index("Jd") - cards.index("Qd")) > 1


@pytest.mark.slow
@pytest.mark.parametrize("game", list(RIVALS))
def test_cards_are_seen_to_move_shortly(serve, open_page, game):
    table = serve(game, RIVALS[game], seed=4, repeatable=True)
    page = open_page(table.link(0), motion="no-preference", prepare=COUNT_MOTION)
    assert my_turn(page)
    flown(page)
    with change(page):
        page.click("header [data-do=new]")
        if page.locator("#ask").is_visible():
            page.click("#ask-yes")
    my_turn(page)
    dealt = flown(page)
    assert len(dealt) >= {"whist": 13, "euchre": 5, "five-o": 10}[game]
    while game == "euchre" and data(page, "phase") != "playing":
        play(page, 1)
    flown(page)
    play(page, 1)
    my_turn(page)
    moved = flown(page)
    assert moved
    if game != "five-o":
        assert any(where == "trick" for where, _ in moved)
    assert max(time for _, time in dealt + moved) <= 700
    page.wait_for_timeout(700)
    assert page.locator(".ghost").count() == 0


@pytest.mark.slow
@pytest.mark.parametrize("how", ["system", "setting"])
def test_nothing_moves_where_stillness_is_asked_for(serve, open_page, how):
    motion = "reduce" if how == "system" else "no-preference"
    page = open_page(serve("whist", RIVALS["whist"], seed=4).link(0), motion=motion, prepare=COUNT_MOTION)
    my_turn(page)
    if how == "setting":
        choose(page, motion=False)
        page.reload()
        attached(page, "html[data-version]")
    play(page, 3)
    my_turn(page)
    assert flown(page) == []


@pytest.mark.slow
def test_sound_is_off_until_it_is_asked_for(serve, open_page):
    page = open_page(serve("whist", RIVALS["whist"], seed=4).link(0), prepare=COUNT_SOUND)
    play(page, 2)
    my_turn(page)
    assert page.evaluate("window.sounds") == []  # not even made ready
    choose(page, sound=True)
    assert "tone" in page.evaluate("window.sounds.splice(0)")  # a sample at once
    play(page, 1)
    my_turn(page)
    assert "rustle" in page.evaluate("window.sounds.splice(0)")
    page.reload()
    assert my_turn(page)
    play(page, 1)
    my_turn(page)
    assert page.evaluate("window.sounds").count("context") == 1
    choose(page, sound=False)
    page.evaluate("window.sounds.splice(0)")
    play(page, 1)
    my_turn(page)
    assert page.evaluate("window.sounds") == []

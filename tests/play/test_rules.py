"""The rules of the game at its table: in the menu of a page, by a word in a terminal."""

import dataclasses
from pathlib import Path

import pytest

from cardenvs import get_game
from cardenvs.play import HUMAN, Table
from tests.helpers.boards import kuhn, typed
from tests.helpers.browser_pages import TALL_PHONE, menu
from tests.helpers.pages import room_of, serving


async def test_every_page_is_told_the_rules() -> None:
    async with serving(room_of("euchre")) as house:
        for seat in (0, None):
            assert (await (await house.page(seat)).reply("welcome"))["rules"] == get_game("euchre").rules


@pytest.mark.parametrize("seat", [0, None])
def test_the_menu_has_the_rules(served, open_page, seat) -> None:  # type: ignore[no-untyped-def]
    """Also for those who look on; of a described game what its file says of itself."""
    page = open_page(served(Table(kuhn(), [HUMAN] * 2, seed=1)).link(seat), TALL_PHONE)
    menu(page, "rules")
    assert page.locator("#rules-title").inner_text() == "Rules of Kuhn poker"
    assert page.locator("#rules-text").inner_text() == kuhn().rules and "\n" in kuhn().rules


@pytest.mark.parametrize("rules", ["Five cards each.\nWho takes three tricks scores.", ""])
def test_rules_in_a_terminal(rules: str, tmp_path: Path) -> None:
    spec = dataclasses.replace(get_game("euchre"), rules=rules)
    text = typed(Table(spec, [HUMAN, *["random"] * 3], seed=1), tmp_path, iter(["rules", "quit"]))
    assert (rules or "No: nobody has written down the rules of Euchre.") in text

"""The rules of the game at its table: in the menu of a page, by a word in a terminal."""

from __future__ import annotations

import asyncio
import dataclasses
import io
from pathlib import Path

import pytest
from rich.console import Console

from cardenvs import get_game
from cardenvs.play import HUMAN, Table, run_terminal
from cardenvs.play.web import Room
from tests.helpers.boards import kuhn
from tests.helpers.browser_pages import TALL_PHONE, Served
from tests.helpers.pages import serving


def test_every_page_is_told_the_rules() -> None:
    async def told() -> list[str]:
        async with serving(Room(Table("euchre", [HUMAN] * 4, seed=1), pause=0)) as house:
            return [(await (await house.page(seat)).reply("welcome"))["rules"] for seat in (0, None)]

    assert asyncio.run(told()) == [get_game("euchre").rules] * 2


@pytest.mark.parametrize("seat", [0, None])
def test_the_menu_has_the_rules(browser, seat) -> None:  # type: ignore[no-untyped-def]
    served = Served(Table(kuhn(), [HUMAN] * 2, seed=1))
    try:
        page = browser.new_context(viewport=TALL_PHONE, reduced_motion="reduce").new_page()
        page.goto(served.link(seat))
        page.wait_for_selector("html[data-version]", state="attached")
        page.click("[data-open=menu]")
        page.click("#menu [data-open=rules]")
        assert page.locator("#rules-title").inner_text() == "Rules of Kuhn poker"
        assert page.locator("#rules-text").inner_text() == kuhn().rules and "\n" in kuhn().rules
    finally:
        served.stop()


@pytest.mark.parametrize("rules", ["Five cards each.\nWho takes three tricks scores.", ""])
def test_rules_in_a_terminal(rules: str, tmp_path: Path) -> None:
    spec = dataclasses.replace(get_game("euchre"), rules=rules)
    out, words = io.StringIO(), iter(["rules", "quit"])
    table = Table(spec, [HUMAN, *["random"] * 3], seed=1)
    console = Console(file=out, width=100)
    run_terminal(table, pause=0, path=tmp_path / "kept.txt", console=console, read=lambda: next(words, "quit"))
    assert (rules or "No: nobody has written down the rules of Euchre.") in out.getvalue()

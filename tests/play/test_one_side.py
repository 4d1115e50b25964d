"""Tables at which all are on one side: what is told at the end is what they have made together."""

from pathlib import Path
from typing import Any

import pytest

from cardenvs.contract.loops import RUNNING
from cardenvs.games.hanabi import hanabi
from cardenvs.play import HUMAN, Table
from cardenvs.play.score_sheet import sheet_row
from cardenvs.play.seatview import seat_view
from cardenvs.play.terminal.board import ranking_rows
from tests.helpers.boards import typed
from tests.helpers.browser_pages import PHONE, attached, change, my_turn
from tests.helpers.one_sided import one_sided


def finished(name: str, seats: list[str]) -> tuple[Table, int]:
    """A table whose deal is over, at which the lowest card was shown always, and the points that were made."""
    table, made = Table(one_sided(name), seats, seed=1), 0
    while table.over == RUNNING:
        action = min(table.legal())
        made += action + 1
        table.act(table.to_act, action)
    return table, made


def test_the_result_is_the_points_of_all() -> None:
    table, made = finished("team", [HUMAN] * 4)
    for you in (0, 2, None):
        view = seat_view(table, you)
        assert view["result"]["text"].endswith(f" make {made} points")
        assert view["result"]["points"] == [made] and view["result"]["ranking"] == []
        assert ranking_rows(view) == [] and view["sheet"]["total"] == [made]
        assert view["log"][-1] == view["result"]["text"] and "draw" not in view["result"]["text"]
    table, made = finished("patience", [HUMAN])
    assert seat_view(table, 0)["result"]["text"] == f"You make {made} points"


def test_the_sheet_has_points_of_games_without_a_plain_table() -> None:
    spec = hanabi()
    table = Table(spec, [HUMAN, HUMAN], seed=1, score="built")
    while table.over == RUNNING:
        table.act(table.to_act, table.legal()[-1 if table.decisions % 3 else 0])
    outcome = spec.outcome(table.state)
    assert sheet_row(spec, 1, table.state).points == outcome.points
    assert seat_view(table, 0)["result"]["text"].endswith(f"make {outcome.points[0]} points")


def test_the_terminal_tells_it(tmp_path: Path) -> None:
    table = Table(one_sided("team"), [HUMAN, "random", "random", "random"], seed=1)
    text = typed(table, tmp_path, iter(["1", "sheet"]))
    [made] = seat_view(table, 0)["result"]["points"]
    assert f"make {made} points" in text and "You come" not in text
    assert "Points:" not in text


@pytest.mark.parametrize("name", ["trust", pytest.param("patience", marks=pytest.mark.slow)])
def test_the_page_tells_it(served: Any, open_page: Any, name: str) -> None:
    """Two seats of one side, and one seat alone: the end of the deal is drawn, for who looks on, too."""
    spec = one_sided(name)
    table = Table(spec, [HUMAN, *["random"] * (spec.seats - 1)], seed=3)
    shown = served(table)
    page = open_page(shown.link(0), PHONE)
    while my_turn(page):
        with change(page):
            page.locator("#actions button, #hand button.pick").first.click()
    [made] = seat_view(table, 0)["result"]["points"]
    assert page.locator("#result h2").inner_text() == f"{made} points"
    assert f"make {made} points" in page.locator("#result p").first.inner_text()
    assert page.locator("#result tbody tr").count() == 0
    page.goto(shown.link(None))
    attached(page, "html[data-over=yes]")
    assert f"make {made} points" in page.locator("#result").inner_text().replace("makes", "make")

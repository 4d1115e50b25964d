"""Tables in a terminal of 80 columns: no name is cut, and files are called by what tells them apart."""

import io
import json
import math
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from cardenvs.baselines.reports.document import Code, Document, Estimate, Name, Strong, Table, marked, said
from cardenvs.baselines.reports.files import write_document
from cardenvs.baselines.reports.pictures import reach
from cardenvs.baselines.reports.statistics import Interval
from cardenvs.baselines.reports.terminal import printed_table, text_of
from cardenvs.baselines.reports.text import short_names
from cardenvs.cli import main
from cardenvs.contract.registry import full_title, get_game
from cardenvs.train.inference.shipped import FOLDER

pytestmark = pytest.mark.compiled

LONG = "a-policy-of-a-very-long-name:worlds=30,sample=yes"


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["hybrid", "card-counting"], ["hybrid", "card-counting"]),
        (["runs/a/policy.zip", "hybrid"], ["policy.zip", "hybrid"]),
        (["runs/ts1-seed0/policy.zip", "runs/ts1-seed1/policy.zip"], ["ts1-seed0", "ts1-seed1"]),
        (["runs/a/policy.zip", "runs/a/other.zip"], ["policy.zip", "other.zip"]),
        (["a/x/policy.zip", "b/x/policy.zip", "c/a/b/policy.zip"], ["a/x/policy.zip", "b/x/policy.zip", "c"]),
        (["a/policy.zip+low", "b/policy.zip+a/policy.zip"], ["a+low", "b+a"]),
        (["runs/low/policy.zip", "runs/b/policy.zip", "low"], ["runs/low/policy.zip", "b", "low"]),
        (
            ["mine=runs/a/policy.zip", "runs/a/policy.zip", "other=runs/a/policy.zip+low"],
            ["mine", "policy.zip", "other+low"],
        ),
        (["hybrid=runs/a/policy.zip", "hybrid"], ["hybrid=runs/a/policy.zip", "hybrid"]),
        (["runs/a/policy.zip", "runs/a/policy.zip:sample=yes"], ["policy.zip", "policy.zip:sample=yes"]),
        (["pimc:player=runs/a/policy.zip"], ["pimc:player=runs/a/policy.zip"]),
        (["a/one.safetensors:sample=no", "a/two.safetensors", "two"], ["one:sample=no", "two.safetensors", "two"]),
    ],
)
def test_files_are_called_by_what_tells_them_apart(names: list[str], expected: list[str]) -> None:
    called = short_names(names)
    assert list(map(called, names)) == expected
    assert called("another text") == "another text"


def test_a_file_is_called_as_the_user_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "policy.safetensors"
    shutil.copy(FOLDER / "generation-1" / "euchre.safetensors", path)
    assert main(["match", "euchre", f"mine={path}:sample=no", "low", "--deals", "2"]) == 0
    assert re.search(r"┃ +mine ┃ +low ┃", capsys.readouterr().out)
    assert main(["match", "euchre", f"mine={path}", "low", "--deals", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sides"] == [f"mine={path}", "low"]
    assert main(["match", "euchre", "mine=nothing.zip", "low", "--deals", "2"]) == 2
    assert "no policy file 'nothing.zip'" in capsys.readouterr().err


def test_a_table_too_narrow_breaks_names_and_cuts_none() -> None:
    shown = io.StringIO()
    rows = [[str(k), LONG, "+123 ±45", "57.3 ±12.1", "+0.123 ±0.445", "+0.111 ±0.345", "1,234,567"] for k in range(2)]
    head = ["", "policy", "rating", "wins, %", "points a deal", "tricks a deal", "decisions/s"]
    Console(file=shown, width=80).print(printed_table(head, rows, 2, 80))
    lines = shown.getvalue().splitlines()
    assert max(map(len, lines)) <= 80 and "…" not in shown.getvalue()
    assert "".join(line.split("│")[2].strip() for line in lines if "│" in line) == 2 * LONG
    for number in ("+0.123", "±0.445", "1,234,567"):
        assert shown.getvalue().count(number) == 2


@pytest.mark.parametrize("width", [80, 60, 40])
def test_no_width_hides_a_figure_of_columns_that_are_not_spare(width: int) -> None:
    half = Interval(0.5, 0.25, 0.75)
    names = [f"runs/experiment-number-one/self-play-of-a-policy-seed-{k}.safetensors" for k in range(2)]
    cells = [Estimate(half), Estimate(half, percent=True), "1,234", "5,678"]
    table = Table(
        ["policy", "points a deal", "wins, %", "deals", "seconds"], [[Name(n), *cells] for n in names], 1, ["seconds"]
    )
    command = "exec:python /a/path/that-is/longer-than-a-line/of-the/terminal_and_more.py --option 3"
    shown = text_of(Document((Name(command), ", in Whist, with a heading, of words, and commas"), [table]), width)
    assert max(map(len, shown.splitlines())) <= width and shown.count("+0.500 ±0.250") == shown.count("50.0 ±25.0") == 2
    assert shown.count("1,234") == 2 and ("5,678" in shown) != ("left out for want of room: seconds" in shown)
    assert not any(line.startswith(" ") for line in shown.splitlines())
    assert "--option" in shown and "seed-0" in shown and "at most" not in shown


@pytest.mark.parametrize("width", [20, 80])
def test_a_column_may_be_empty(width: int) -> None:
    shown = io.StringIO()
    Console(file=shown, width=width).print(printed_table(["game", "", "points"], [["agram", "", "0.25"]], 1, width))
    assert "0.25" in shown.getvalue() and max(map(len, shown.getvalue().splitlines())) <= width


def test_cards_in_a_table_have_the_colours_of_their_suits() -> None:
    shown = io.StringIO()
    console = Console(file=shown, width=80, force_terminal=True, color_system="standard")
    console.print(printed_table(["hand", "best"], [["♠AK ♥109", "10♦"]], 2, 80))
    assert "♠AK \x1b[31m♥109\x1b[0m" in shown.getvalue() and "\x1b[34m10♦\x1b[0m" in shown.getvalue()


def test_an_interval_without_ends_has_no_error_bar() -> None:
    bars = reach([Interval(0.5, 0.25, 1.0), Interval(0.5, -math.inf, math.inf)])
    assert bars[:, 0].tolist() == [0.25, 0.5] and np.isnan(bars[:, 1]).all() and reach([]).shape == (2, 0)


def test_no_interval_is_written_with_the_width_0() -> None:
    written = [Estimate(Interval(0.5, 0.5 - half, 0.5 + half)).text() for half in (0.0, 1e-9, 0.0021, math.inf)]
    assert written == ["+0.500", "+0.500 ±0.001", "+0.500 ±0.002", "+0.500"]
    assert str(Interval(0.5, 0.5, 0.5)) == "+0.500" and str(Interval(0.5, 0.4999, 0.5)) == "+0.500 ±0.001"


def test_titles_say_the_form_of_a_game_by_its_short_name() -> None:
    titles = {name: full_title(get_game(name)) for name in ("whist", "hanabi", "hanabi:tiny", "hanabi:players=3")}
    assert list(titles.values()) == ["Whist", "Hanabi", "Hanabi (hanabi:tiny)", "Hanabi (hanabi:players=3)"]


def test_words_of_our_own_are_marked() -> None:
    assert marked("the `a*b` of\n    **x_y**, 2 * 3") == ("the ", Code("a*b"), " of ", Strong("x_y"), ", 2 * 3")
    assert marked("`a`") == (Code("a"),)
    assert marked("") == ()


def test_a_report_may_have_no_json_beside_it(tmp_path: Path) -> None:
    document = Document("Title", [said("A `b`.")])
    assert write_document(document, None, None, tmp_path / "a.md") == [tmp_path / "a.md"]
    assert write_document(document, {"c": 1}, None, tmp_path / "a.md") == [tmp_path / "a.json", tmp_path / "a.md"]
    assert (tmp_path / "a.md").read_text() == "# Title\n\nA `b`.\n"

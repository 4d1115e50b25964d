"""A document says a result once: as Markdown in which texts mean nothing, and in terminals of any width."""

import json
from pathlib import Path

import numpy as np
import pytest

from cardenvs import get_game
from cardenvs.baselines.reports.columns import Column, Columns, Row, computed_column, count_column, points_column
from cardenvs.baselines.reports.document import (
    Code,
    Command,
    Document,
    Estimate,
    Heading,
    Items,
    Name,
    Picture,
    Strong,
    Table,
    Words,
    in_file,
    in_terminal,
    joined,
)
from cardenvs.baselines.reports.files import write_document
from cardenvs.baselines.reports.markdown import markdown
from cardenvs.baselines.reports.statistics import Interval
from cardenvs.baselines.reports.terminal import text_of

LEVEL, AHEAD = Interval(0.5, 0.45, 0.55), Interval(0.625, 0.6, 0.65)
FILES = ["runs/seed0/policy.zip", "runs/seed1/policy.zip"]


def cross_table(names: list[str]) -> Document:
    """A cross-table in which all who stand first win."""
    rows = [
        [(f"{k} ", Name(a)), *(Estimate(AHEAD if a < b else LEVEL, percent=True, even=0.5) for b in names)]
        for k, a in enumerate(names, 1)
    ]
    return Document("a cross-table", [Heading("Wins"), Table(["", *map(Name, names)], rows, note=", of games")])


def test_markdown_has_everything_and_no_text_means_anything_in_it() -> None:
    document = Document(
        ("*all* of ", Name("a|b")),
        [
            Words(("Written by ", Code("cardenvs match"), " for <you>.")),
            Command("cardenvs match euchre a b"),
            Command(""),
            Heading("[Wins]", 3),
            Table(["who", "won"], [[Name("x_y*"), Estimate(Interval(0.25, 0.0, 0.5))], ["", Estimate(None)]]),
            Picture("a picture", "wins", bytes),
            Items(["one", ("two ", Strong("three"))]),
            in_terminal(Words("unseen")),
            in_file(Words("seen")),
        ],
    )
    assert markdown(document, {"wins": "my wins.png"}).splitlines() == [
        "# \\*all\\* of a&#124;b", "",
        "Written by `cardenvs match` for &lt;you&gt;.", "",
        "    cardenvs match euchre a b", "",
        "### \\[Wins\\]", "",
        "| who | won |", "| --- | ---: |", "| x_y\\* | +0.250 ±0.250 |", "|  |  |", "",
        "![a picture](my%20wins.png)", "",
        "- one", "- two **three**", "",
        "seen",
    ]  # fmt: skip
    assert "![" not in markdown(document, {"wins": None})


def test_a_terminal_has_headings_above_tables_and_names_that_are_short() -> None:
    shown = text_of(cross_table(FILES), 80)
    assert shown.splitlines()[0] == "a cross-table"
    assert "Wins" in shown and "62.5 ±2.5" in shown
    assert "seed0" in shown and "policy.zip" not in shown


def test_a_table_gives_up_columns_then_intervals_then_names_above_columns() -> None:
    table = Table(["who", "won", "speed"], [[Name("hybrid"), Estimate(AHEAD), "1,234,567"]], spare=["speed"])
    document = Document("", [Heading("speeds"), table])
    assert "1,234,567" in text_of(document, 80)
    assert "1,234,567" not in text_of(document, 30) and "+0.625 ±0.025" in text_of(document, 30)
    names = [f"abc-{k}" for k in range(6)]
    assert "±5.0 │" in text_of(cross_table(names), 100)
    narrow = text_of(cross_table(names), 80)
    assert "in brackets: not significant; 95% intervals: at most ±5.0, of games" in narrow
    assert "(50.0)" in narrow and " 62.5 " in narrow and "abc-5 ┃" in narrow and "1 abc-0, 2" not in narrow
    names = [f"a-policy-{k}" for k in range(6)]
    numbered = text_of(cross_table(names), 80)
    assert "1 a-policy-0, 2 a-policy-1" in numbered and "┃      6 ┃" in numbered
    narrow = text_of(cross_table(names), 40)
    assert narrow.count("Wins") > 1 and narrow.count("Wins (continued)") == narrow.count("Wins") - 1
    assert all(f"┃      {k} ┃" in narrow for k in range(1, 7)), "in parts, and every column is in one"
    for width in (40, 80, 100, 120, 200):
        assert max(map(len, text_of(cross_table(names), width).splitlines())) <= width


@pytest.mark.parametrize("width", [40, 60, 80])
@pytest.mark.parametrize("left", [1, 2])
def test_a_main_figure_is_shown_whatever_else_is_long(left: int, width: int) -> None:
    """Names of 70 characters everywhere; the columns are those of scores, with names and texts among the numbers."""
    names = [f"runs/{k}-{'x' * 50}/policy-{k}.zip" for k in range(3)]
    score = Estimate(Interval(-1.25, -1.75, -0.5))
    head = ["policy", *["with"] * (left - 1), "score", ("above ", Name(names[0])), "worst", "ahead", "checksum"]
    row = [score, score, (Name(names[1]), " (itself)"), "+1.234 ±0.567, not significant", Code("f" * 70)]
    table = Table(head, [[*map(Name, names[:left]), *row]], left, spare=["checksum", "ahead"])
    shown = text_of(Document(Name("y" * 70), [Heading(Name("z" * 70)), table]), width)
    assert max(map(len, shown.splitlines())) <= width and "…" not in shown
    assert shown.count("-1.250 ±0.750") == 2 and "left out for want of room: ahead, checksum" in " ".join(shown.split())


def test_texts_are_joined() -> None:
    assert joined([Name("a"), ("b", "c")]) == (Name("a"), ", ", "b", "c")
    assert joined([]) == ()


def whole_document(result: Row, command: str = "") -> Document:
    return Document("whole", [Words(("by ", Code(command))), Picture("p", "p", lambda: b"png")])


Part = Columns("Part", points_column("points_margin"), points_column("none"), count_column("count"))
Whole = Columns(
    "Whole",
    Column("spec"),
    Column("parts"),
    Column("unseen", json=""),
    Column("missing", optional=True, default=None),
    Column("empty", optional=True, default=()),
    computed_column("best", lambda whole: whole.parts[0].points_margin, json=None, interval=True),
    document=whole_document,
)


def test_json_follows_from_columns() -> None:
    whole = Whole(get_game("euchre"), [Part(Interval(1.0, -np.inf, np.inf), None, np.int64(3))], 5)
    assert json.loads(json.dumps(whole.as_dict())) == {
        "game": "euchre",
        "parts": [{"mean_points": 1.0, "mean_points_ci95": [None, None], "none": None, "none_ci95": None, "count": 3}],
        "best": 1.0,
        "best_ci95": [None, None],
    }
    assert Whole(whole.spec, [whole.parts[0]], 5, 7, (1,)).as_dict()["missing"] == 7


def test_a_result_is_printed_as_its_report_and_one_without_by_its_values() -> None:
    whole = Whole(get_game("euchre"), [Part(AHEAD, None, np.int64(3))], 5)
    assert str(whole).splitlines() == ["whole", "by"]
    assert "\n" not in repr(whole)
    assert whole.markdown("a command") == "# whole\n\nby `a command`\n"
    assert "points_margin" in str(whole.parts[0])
    with pytest.raises(TypeError, match="Part has no report"):
        whole.parts[0].markdown()


def test_a_report_and_its_copy_name_their_own_pictures(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    whole = Whole(get_game("euchre"), [Part(AHEAD, None, np.int64(3))], 5)
    copy = tmp_path / "docs" / "copy.md"
    written = write_document(whole.document(), whole.as_dict(), tmp_path / "run", copy)
    names = ["run/results.json", "run/report.md", "run/p.png", "docs/copy.json", "docs/copy.md", "docs/copy_p.png"]
    assert [path.relative_to(tmp_path).as_posix() for path in written] == names
    assert "](copy_p.png)" in copy.read_text() and (tmp_path / "run" / "p.png").read_bytes() == b"png"

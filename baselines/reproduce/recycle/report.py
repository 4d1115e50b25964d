"""The report of the published statistics of described games, and its plots."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from cardenvs.baselines.game_statistics import EXPERIMENTS, STATISTICS
from cardenvs.baselines.game_statistics.report import draw_radar
from cardenvs.baselines.reports.document import (
    Block,
    Document,
    Heading,
    Only,
    Picture,
    Strong,
    Table,
    Text,
    Words,
    in_file,
    said,
)
from cardenvs.baselines.reports.pictures import new_figure, png
from cardenvs.baselines.reproduce.papers import written_by
from cardenvs.baselines.reproduce.recycle.published import GAMES_PUBLISHED, LIMIT, TABLES, published

if TYPE_CHECKING:
    from cardenvs.baselines.reproduce.recycle.measure import Comparison, Reproduction

_HEAD = ("published", "ours", "error", "differs by")
_COLUMNS = 3
"""Number of radar plots side by side."""


def document(result: Reproduction, command: str = "") -> Document:
    """The report.

    Args:
        result: all that was played and compared.
        command: the command line that plays it again.
    """
    sources = " ".join(f"{table['title']}: {table['origin']}." for table in published()["statistics"])
    parts: list[Block | Only] = [
        in_file(
            written_by(command),
            Words(f"Source: {published()['source']}. {sources}"),
            said(
                f"""Published are {GAMES_PUBLISHED} games an experiment, ours are {result.games:,}. The games are described
                here from the same rules; the AI is `pipmc` with ten worlds an option, and options that are merged into one
                action count one by one."""
            ),
        ),
        Words(
            "Differences are in joint standard errors, the published figure being taken to scatter as much as ours would "
            f"with as few games; what rounding can be is taken off first. A figure agrees that is within {LIMIT:g}."
        ),
        Words(summary(result)),
    ]
    if any(row.figure.table == next(iter(TABLES)) for row in result.statistics):
        parts.append(Picture("the six statistics, published and ours", "radar", functools.partial(radar_png, result)))
    for name, meaning in STATISTICS.items():
        rows = [row for row in result.statistics if row.figure.of == name]
        if rows:
            cells = [[row.figure.game, *_cells(row), _verdict(row)] for row in rows]
            parts += [Heading(name.capitalize()), in_file(Words(f"{meaning[0].upper()}{meaning[1:]}."))]
            parts += [Table(["game", *_HEAD, ""], cells), *_doubts(rows)]
    if result.decisions:
        cells = [[_seated(row), EXPERIMENTS[row.figure.of], *_cells(row), _verdict(row)] for row in result.decisions]
        head = ["game, seats", "players", *_HEAD, ""]
        parts += [Heading("Decisions a game"), Table(head, cells, left=2, spare=["error"]), *_doubts(result.decisions)]
    if result.options:
        pairs = enumerate(result.options, 1)
        parts += [
            Heading("Options by trick"),
            Words(
                "Options of a decision in random games of Hearts: published, then ours with its standard error, of who "
                "leads the trick and of the others."
            ),
            Picture("options by trick", "options", functools.partial(options_png, result)),
            Table(
                ["trick", "leader", *_HEAD[1:], "others", *_HEAD[1:]],
                [[str(trick), *_cells(leader), *_cells(others)] for trick, (leader, others) in pairs],
                spare=["error"],
            ),
        ]
    return Document("Described games: the published statistics again", parts)


def summary(result: Reproduction) -> str:
    """The number of trusted figures that agree, and those that do not, in words."""
    agree = sum(row.agrees is True for row in result.judged)
    words = [f"{agree} of the {len(result.judged)} published figures that can be trusted agree"]
    words += [
        f"{row.figure.game}, {row.figure.of}: {_number(row.ours, 3)}, not {row.figure.value:g}"
        for row in result.judged
        if not row.agrees
    ]
    return "; ".join(words) + "."


def _number(value: float, digits: int) -> str:
    """A number as text; a dash where there is none."""
    return f"{value:z.{digits}f}" if math.isfinite(value) else "-"


def _digits(row: Comparison) -> int:
    """Number of digits of a figure behind its point, by its rounding."""
    return max(0, round(-math.log10(2 * row.figure.rounding)))


def _difference(row: Comparison) -> str:
    """The difference in joint standard errors."""
    if math.isnan(row.z):
        return "-"
    return "0" if row.z == 0 else f"{row.z:+z.1f}" if math.isfinite(row.z) else "beyond all errors"


def _verdict(row: Comparison) -> Text:
    """Whether a figure agrees; empty where that is not judged."""
    if row.agrees is None:
        return ""
    return "agrees" if row.agrees else Strong("differs")


def _doubts(rows: Iterable[Comparison]) -> list[Words]:
    """The reasons why some figures are not judged; empty if all are."""
    games: dict[str, list[str]] = {}
    for row in rows:
        if row.figure.doubt:
            games.setdefault(row.figure.doubt, []).append(row.figure.game)
    doubts = "; ".join(f"{', '.join(names)} ({doubt})" for doubt, names in games.items())
    return [Words(f"Not judged: {doubts}.")] if games else []


def _cells(row: Comparison) -> list[Text]:
    """A comparison under `_HEAD`."""
    digits = _digits(row)
    printed = _number(row.figure.value, digits)
    if float(printed) != row.figure.value:
        printed = f"{row.figure.value:g}"
    return [printed, _number(row.ours, max(3, digits)), _number(row.error, max(4, digits)), _difference(row)]


def _seated(row: Comparison) -> str:
    """A game with its number of players."""
    return f"{row.figure.game}, {row.figure.seats}"


def radar_png(result: Reproduction) -> bytes:
    """The games of the first published table that were played, a radar plot each: published and ours; a PNG's content."""
    played = {row.figure.game for row in result.statistics}
    games = [game for game in next(iter(TABLES.values())) if game in played]
    rows = -(-len(games) // _COLUMNS)
    figure = new_figure(9.6, 3.6 * rows)
    for number, game in enumerate(games, 1):
        axes = figure.add_subplot(rows, _COLUMNS, number, projection="polar")
        of_game = [row for row in result.statistics if row.figure.game == game]
        printed = {row.figure.of: row.figure.value for row in of_game}
        draw_radar(axes, printed, label="published", color="0.45", linestyle="--")
        draw_radar(axes, {row.figure.of: row.ours for row in of_game}, label="ours", color="tab:blue")
        axes.set_xticks(axes.get_xticks(), list(printed), fontsize=8)
        axes.set_title(game, fontsize=10)
        if number == 1:
            axes.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(-0.35, 1.2))
    return png(figure)


def options_png(result: Reproduction) -> bytes:
    """The options of a decision by trick, published and ours; a PNG's content."""
    figure = new_figure(7.0, 4.0)
    axes = figure.add_subplot()
    tricks = range(1, len(result.options) + 1)
    for number, (who, colour) in enumerate((("leader", "tab:blue"), ("others", "tab:orange"))):
        rows = [pair[number] for pair in result.options]
        axes.errorbar(
            tricks,
            [row.ours for row in rows],
            yerr=[row.error for row in rows],
            fmt="-",
            color=colour,
            label=f"{who}, ours",
        )
        axes.plot(tricks, [row.figure.value for row in rows], "x", color=colour, label=f"{who}, published")
    axes.set_xticks(list(tricks))
    axes.set_xlabel("trick")
    axes.set_ylabel("options of a decision")
    axes.legend(frameon=False)
    axes.grid(color="0.92")
    axes.set_axisbelow(True)
    return png(figure)

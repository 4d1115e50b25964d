"""The report of the published statistics of described games, and its plots."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from cardenvs.baselines.game_statistics import EXPERIMENTS, STATISTICS
from cardenvs.baselines.game_statistics.report import draw_radar
from cardenvs.baselines.reports.columns import Row
from cardenvs.baselines.reports.document import Block, Document, Heading, Only, Picture, Table, Words, in_file
from cardenvs.baselines.reports.pictures import new_figure, png
from cardenvs.baselines.reports.template import fill_report
from cardenvs.baselines.reproduce.papers import describe_differences, paper_data, verdict

_PUBLISHED = paper_data("recycle_statistics")
_HEAD = ("published", "ours", "error", "differs by")
_RADARS = 3  # number of radar plots side by side


def document(result: Row, command: str = "") -> Document:
    """Returns the report of a `Reproduction`."""
    tables = _PUBLISHED["tables"]
    radar = Picture("the six statistics, published and ours", "radar", functools.partial(radar_png, result))
    decisions = [
        [f"{row.game}, {row.seats}", EXPERIMENTS[row.of], *_cells(row), verdict(row.agrees)] for row in result.decisions
    ]
    options = [
        [str(trick), *_cells(pair["leader"]), *_cells(pair["others"])] for trick, pair in enumerate(result.options, 1)
    ]
    return fill_report(
        Path(__file__).with_name("report.md"),
        result=result,
        command=command,
        source=_PUBLISHED["source"],
        origins=" ".join(f"{table['title']}: {table['origin']}." for table in tables),
        differences=describe_differences(result.comparisons, lambda row: f"{row.game}, {row.of}"),
        radar=radar if any(row.table == tables[0]["title"] for row in result.statistics) else None,
        statistics=_list_statistics(result.statistics),
        decisions=Table(["game, seats", "players", *_HEAD, ""], decisions, left=2, spare=["error"]),
        doubts=_describe_doubts(result.decisions),
        options_plot=Picture("options by trick", "options", functools.partial(options_png, result)),
        options=Table(["trick", "leader", *_HEAD[1:], "others", *_HEAD[1:]], options, spare=["error"]),
    )


def _list_statistics(statistics: list[Row]) -> list[Block | Only]:
    """A section for each statistic."""
    parts: list[Block | Only] = []
    for name, meaning in STATISTICS.items():
        rows = [row for row in statistics if row.of == name]
        if rows:
            cells = [[row.game, *_cells(row), verdict(row.agrees)] for row in rows]
            parts += [Heading(name.capitalize()), in_file(Words(f"{meaning[0].upper()}{meaning[1:]}."))]
            parts += [Table(["game", *_HEAD, ""], cells), *_describe_doubts(rows)]
    return parts


def _describe_doubts(rows: Iterable[Row]) -> list[Words]:
    """The reasons why some figures are not judged; empty if all are."""
    games: dict[str, list[str]] = {}
    for row in rows:
        if row.doubt:
            games.setdefault(row.doubt, []).append(row.game)
    doubts = "; ".join(f"{', '.join(names)} ({doubt})" for doubt, names in games.items())
    return [Words(f"Not judged: {doubts}.")] if games else []


def _number(value: float, digits: int) -> str:
    return f"{value:z.{digits}f}" if math.isfinite(value) else "-"


def _cells(row: Row) -> list[str]:
    """A comparison under `_HEAD`, with the digits that rounding has left."""
    digits = max(0, round(-math.log10(2 * row.rounding)))
    printed = _number(row.published, digits)
    if float(printed) != row.published:
        printed = f"{row.published:g}"
    difference = "-" if math.isnan(row.z) else f"{row.z:+z.1f}" if math.isfinite(row.z) else "beyond all errors"
    shown = "0" if row.z == 0 else difference
    return [printed, _number(row.ours, max(3, digits)), _number(row.error, max(4, digits)), shown]


def radar_png(result: Row) -> bytes:
    """Draws the games of the first published table that were played, a radar plot each: published and ours."""
    played = {row.game for row in result.statistics}
    games = [game for game in _PUBLISHED["tables"][0]["games"] if game in played]
    lines = -(-len(games) // _RADARS)
    figure = new_figure(9.6, 3.6 * lines)
    for number, game in enumerate(games, 1):
        axes = figure.add_subplot(lines, _RADARS, number, projection="polar")
        of_game = [row for row in result.statistics if row.game == game]
        printed = {row.of: row.published for row in of_game}
        draw_radar(axes, printed, label="published", color="0.45", linestyle="--")
        draw_radar(axes, {row.of: row.ours for row in of_game}, label="ours", color="tab:blue")
        axes.set_xticks(axes.get_xticks(), list(printed), fontsize=8)
        axes.set_title(game, fontsize=10)
        if number == 1:
            axes.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(-0.35, 1.2))
    return png(figure)


def options_png(result: Row) -> bytes:
    """Draws the options of a decision by trick, published and ours."""
    figure = new_figure(7.0, 4.0)
    axes = figure.add_subplot()
    tricks = range(1, len(result.options) + 1)
    for who, colour in (("leader", "tab:blue"), ("others", "tab:orange")):
        rows = [pair[who] for pair in result.options]
        style: dict[str, Any] = {"fmt": "-", "color": colour, "label": f"{who}, ours"}
        axes.errorbar(tricks, [row.ours for row in rows], yerr=[row.error for row in rows], **style)
        axes.plot(tricks, [row.published for row in rows], "x", color=colour, label=f"{who}, published")
    axes.set_xticks(list(tricks))
    axes.set_xlabel("trick")
    axes.set_ylabel("options of a decision")
    axes.legend(frameon=False)
    axes.grid(color="0.92")
    axes.set_axisbelow(True)
    return png(figure)

"""Output of ``cardenvs reproduce recycle``: the report with its plots, and tables on the terminal."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable
from pathlib import Path

from cardenvs.baselines.game_statistics import EXPERIMENTS, STATISTICS
from cardenvs.baselines.reports.files import write_report
from cardenvs.baselines.reports.pictures import picture_lines
from cardenvs.baselines.reproduce.recycle.measure import LIMIT, Comparison, Reproduction
from cardenvs.baselines.reproduce.recycle.plots import options_png, radar_png
from cardenvs.baselines.reproduce.recycle.published import GAMES_PUBLISHED, TABLES, published
from cardenvs.baselines.reproduce.shared import print_table, written_by
from cardenvs.printing import PlainConsole, table_lines

_HEAD = ["game", "published", "ours", "standard error", "difference"]
_NOTE = (
    "Differences are in joint standard errors, the published figure being taken to scatter as much as ours would with as "
    f"few games; what rounding can be is taken off first. A figure agrees that is within {LIMIT:g}."
)


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


def _verdict(row: Comparison, mark: str = "**") -> str:
    """Whether a figure agrees; empty where that is not judged."""
    return {True: "agrees", False: f"{mark}differs{mark}", None: ""}[row.agrees]


def _doubts(rows: Iterable[Comparison]) -> str:
    """The reasons why some figures are not judged; empty if all are."""
    games: dict[str, list[str]] = {}
    for row in rows:
        if row.figure.doubt:
            games.setdefault(row.figure.doubt, []).append(row.figure.game)
    if not games:
        return ""
    return "Not judged: " + "; ".join(f"{', '.join(names)} ({doubt})" for doubt, names in games.items()) + "."


def _cells(row: Comparison) -> list[str]:
    """A comparison under `_HEAD`, without the game."""
    digits = _digits(row)
    printed = _number(row.figure.value, digits)
    if float(printed) != row.figure.value:
        printed = f"{row.figure.value:g}"
    return [printed, _number(row.ours, max(3, digits)), _number(row.error, max(4, digits)), _difference(row)]


def _seated(row: Comparison) -> str:
    """A game with its number of players."""
    return f"{row.figure.game}, {row.figure.seats}"


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


def _by_statistic(result: Reproduction) -> dict[str, list[Comparison]]:
    """The comparisons of each statistic that is published of the games that were played."""
    found = {name: [row for row in result.statistics if row.figure.of == name] for name in STATISTICS}
    return {name: rows for name, rows in found.items() if rows}


def _statistic_rows(rows: Iterable[Comparison], mark: str = "**") -> list[list[str]]:
    """The comparisons of a statistic under `_HEAD` and a verdict."""
    return [[row.figure.game, *_cells(row), _verdict(row, mark)] for row in rows]


def _decision_rows(result: Reproduction, mark: str = "**") -> list[list[str]]:
    """The numbers of decisions under `_HEAD`, the players behind the game, and a verdict."""
    return [[_seated(row), EXPERIMENTS[row.figure.of], *_cells(row), _verdict(row, mark)] for row in result.decisions]


def _option_rows(result: Reproduction) -> list[list[str]]:
    """The options by trick: of the leader, then of the others."""
    return [[str(trick), *_cells(leader), *_cells(others)] for trick, (leader, others) in enumerate(result.options, 1)]


_DECISION_HEAD = ["game, seats", "players", "published", "ours", "error", "differs by", ""]
_OPTION_HEAD = ["trick", "leader", "ours", "error", "differs by", "others", "ours", "error", "differs by"]


def markdown(result: Reproduction, command: str, radar: str | None, options: str | None) -> str:
    """The report.

    Args:
        result: all that was played and compared.
        command: the command that plays it again.
        radar: the file name of the radar plots; None: there are none.
        options: the file name of the plot of the options by trick; None: there is none.
    """
    sources = [f"{table['title']}: {table['origin']}." for table in published()["statistics"]]
    lines = [
        "# Described games: the published statistics again",
        "",
        f"{written_by(command)}.",
        "",
        f"Source: {published()['source']}. {' '.join(sources)}",
        "",
        f"Published are {GAMES_PUBLISHED} games an experiment, ours are {result.games:,}. The games are described here",
        "from the same rules; the AI is `pipmc` with ten worlds an option, and options that are merged into one action",
        f"count one by one. {_NOTE}",
        "",
        summary(result),
        "",
        *picture_lines("the six statistics, published and ours", radar),
    ]
    for name, rows in _by_statistic(result).items():
        meaning = STATISTICS[name]
        lines += [f"## {name.capitalize()}", "", f"{meaning[0].upper()}{meaning[1:]}.", ""]
        lines += [*table_lines([*_HEAD, ""], _statistic_rows(rows)), *filter(None, [_doubts(rows)]), ""]
    if result.decisions:
        lines += ["## Decisions a game", "", *table_lines(_DECISION_HEAD, _decision_rows(result), left=2)]
        lines += [*filter(None, [_doubts(result.decisions)]), ""]
    if result.options:
        lines += [
            "## Options by trick",
            "",
            "Options of a decision in random games of Hearts: published, then ours with its standard error, of who leads",
            "the trick and of the others.",
            "",
            *picture_lines("options by trick", options),
            *table_lines(_OPTION_HEAD, _option_rows(result)),
        ]
    return "\n".join(lines).rstrip() + "\n"


def write_figures(result: Reproduction, path: Path, command: str) -> list[Path]:
    """Writes the report, its plots (without matplotlib there are none) and a JSON file beside it, each whole or not at all.

    Args:
        result: all that was played and compared.
        path: the report's file; plots and JSON file are named after it.
        command: the command that plays it again.

    Raises:
        OSError: a file cannot be written.
    """
    pictures = {}
    if any(row.figure.table == next(iter(TABLES)) for row in result.statistics):
        pictures["radar"] = functools.partial(radar_png, result)
    if result.options:
        pictures["options"] = functools.partial(options_png, result)

    def text(*names: str | None) -> str:
        """The Markdown, by the pictures' file names."""
        files = dict(zip(pictures, names, strict=True))
        return markdown(result, command, files.get("radar"), files.get("options"))

    return write_report(path, path.with_suffix(".json"), f"{path.stem}_", result.as_dict(), text, pictures)


def show(result: Reproduction) -> None:
    """Prints the report's figures on the terminal."""
    console = PlainConsole()
    for name, rows in _by_statistic(result).items():
        print_table(name.capitalize(), [*_HEAD, ""], _statistic_rows(rows, ""), text_columns=(0, 5), wrapped=True)
        if doubts := _doubts(rows):
            console.print(doubts)
    if result.decisions:
        print_table("Decisions a game", _DECISION_HEAD, _decision_rows(result, ""), text_columns=(0, 1, 6), wrapped=True)
        if doubts := _doubts(result.decisions):
            console.print(doubts)
    if result.options:
        print_table("Options by trick in Hearts", _OPTION_HEAD, _option_rows(result), wrapped=True)
    console.print(_NOTE)
    console.print(summary(result))

"""Output of ``cardenvs reproduce euchre``: the report, and tables on the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from cardenvs.baselines.reproduce.euchre.measure import FIGURES, LIMIT, MISPRINT_REMARK, Comparison, Drift, drift
from cardenvs.baselines.reproduce.euchre.paper import MARKOV2_CAUSE, MISPRINT, Figures
from cardenvs.baselines.reproduce.shared import console_for, print_table, written_by
from cardenvs.printing import PlainConsole, table_lines

_WIDTH = 180
"""Characters that all columns take."""
_NARROW = (0, 1, 2, 3, 4, 7, 10, 11)
"""Indices of the columns for which there is always room: the games won and the z-scores."""
_NARROW_NAMES = {7: "z tricks", 10: "z points"}


def _rate(figures: Figures | None) -> str:
    """The first side's games won, in percent."""
    return "" if figures is None else f"{100 * figures.games_won[0] / figures.games:.2f}"


def _tricks(figures: Figures | None) -> str:
    """Tricks a game of both sides."""
    return "" if figures is None else " : ".join(f"{mean:.2f}" for mean in figures.per_game(figures.tricks_won))


def _points(figures: Figures | None) -> str:
    """Points a game of both sides."""
    return "" if figures is None else " : ".join(f"{mean:.2f}" for mean in figures.per_game(figures.points))


def _scores(row: Comparison, first: int, last: int) -> str:
    """The z-scores of `FIGURES` from ``first`` up to but without ``last``."""
    return "" if row.z is None else "/".join(f"{z:+z.1f}" for z in row.z[first:last])


def _verdict(row: Comparison) -> str:
    """Whether a pairing agrees with its reference, or why that is not judged."""
    return {True: "agrees", False: "**differs**", None: row.short_remark}[row.agrees]


def _head(reference: str) -> list[str]:
    """The names of the columns; ``reference`` names the figures compared with."""
    head = ["table", "sides", f"won, %, {reference}", "ours", "z"]
    for what in ("tricks a game", "points a game"):
        head += [f"{what}, {reference}", "ours", "z"]
    return [*head, ""]


def _cells(row: Comparison) -> list[str]:
    """A pairing as the cells of a row, under `_head`."""
    cells = ["" if row.paper_table is None else str(row.paper_table), " - ".join(row.sides)]
    cells += [_rate(row.reference), _rate(row.ours), _scores(row, 0, 1)]
    cells += [_tricks(row.reference), _tricks(row.ours), _scores(row, 1, 3)]
    cells += [_points(row.reference), _points(row.ours), _scores(row, 3, 5)]
    return [*cells, _verdict(row)]


def _pairings_lines(rows: Sequence[Comparison], reference: str) -> list[str]:
    """Pairings as a Markdown table, without a column of numbers where none is a table of the paper."""
    start = 0 if any(row.paper_table is not None for row in rows) else 1
    return table_lines(_head(reference)[start:], [_cells(row)[start:] for row in rows], left=2 - start)


def _drift_lines(lean: Drift) -> list[str]:
    """Drift of the judged pairings to one side, as Markdown."""
    rows = [
        [name, f"{largest:+z.2f}", f"{mean:+z.2f}"]
        for name, largest, mean in zip(FIGURES, lean.largest, lean.mean, strict=True)
    ]
    return [
        f"Over the {lean.pairings} pairings that are judged (without any drift a mean z-score is 0 ± {lean.error:.2f}):",
        "",
        *table_lines(["figure", "largest z", "mean z"], rows),
    ]


def markdown(
    tables: Sequence[Comparison], precise: Sequence[Comparison], pairings: Sequence[Comparison], command: str
) -> str:
    """The report.

    Args:
        tables: the paper's tables, empty if they were not played.
        precise: the pairings of the precise reference, empty if they were not played.
        pairings: other pairings.
        command: the command that plays all of them again.
    """
    lines = [
        "# Euchre: the paper's tables again",
        "",
        f"{written_by(command)}.",
        "",
        'Source: T. Mychaskiw, "Cooperative Agents in Euchre", 2015. The protocol: spades are always trump, nobody bids,',
        "the dealer's side is the calling side, games to 10 points with a random first dealer; a side is two seats. Every",
        "figure is the first side's, or both sides' as first : second. z: the difference to the reference in standard",
        f"errors of both samples; a pairing agrees if none of its five z-scores is beyond ±{LIMIT:g}.",
        "",
    ]
    if tables:
        games = tables[0].ours.games
        lines += ["## The printed tables", "", f"{games:,} games a table here, 10,001 in the paper.", ""]
        lines += _pairings_lines(tables, "print")
        lines += _drift_lines(drift(tables))
        lines += [f"Table {MISPRINT} is a {MISPRINT_REMARK}.", "", MARKOV2_CAUSE, ""]
    if precise:
        lines += ["## The precise reference", ""]
        lines += [f"The same pairings: {precise[0].ours.games:,} games each here, 100,000 in the reference.", ""]
        lines += _pairings_lines(precise, "reference")
        lines += _drift_lines(drift(precise))
    if pairings:
        lines += ["## Pairings", "", f"{pairings[0].ours.games:,} games each; the reference has 100,000.", ""]
        lines += _pairings_lines(pairings, "reference")
    return "\n".join(lines)


def _show_rows(title: str, rows: Sequence[Comparison], reference: str) -> None:
    """Prints every column where there is room for it, else those of the games won and the z-scores."""
    console, wide = console_for(_WIDTH)
    head = _head(reference)
    columns = range(len(head)) if wide else _NARROW
    if not wide:
        head = [_NARROW_NAMES.get(k, name) for k, name in enumerate(head)]
    text = [n for n, k in enumerate(columns) if k in (1, 11)]
    cells = ([_cells(row)[k].replace("**", "") for k in columns] for row in rows)
    print_table(title, [head[k] for k in columns], cells, text_columns=text, console=console)


def _show_drift(lean: Drift) -> None:
    """Prints the drift of the judged pairings to one side."""
    means = ", ".join(f"{name} {mean:+z.2f}" for name, mean in zip(FIGURES, lean.mean, strict=True))
    PlainConsole().print(
        f"{lean.pairings} pairings, largest |z| {max(map(abs, lean.largest)):.2f}; mean z (0 ± {lean.error:.2f}): {means}"
    )


def show(tables: Sequence[Comparison], precise: Sequence[Comparison], pairings: Sequence[Comparison]) -> None:
    """Prints the report's figures on the terminal."""
    for title, rows, reference in (
        ("The paper's tables", tables, "print"),
        ("The precise reference", precise, "reference"),
        ("Pairings", pairings, "reference"),
    ):
        if rows:
            _show_rows(title, rows, reference)
        if any(row.agrees is not None for row in rows):
            _show_drift(drift(rows))
    if tables:
        PlainConsole().print(f"Table {MISPRINT} is a {MISPRINT_REMARK}.\n{MARKOV2_CAUSE}")

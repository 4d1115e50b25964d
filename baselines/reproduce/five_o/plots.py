"""The plots of the Five-O report, as PNG files."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cardenvs.baselines.reports.columns import Row
from cardenvs.baselines.reports.pictures import new_figure, png
from cardenvs.baselines.reproduce.five_o.settings import DEPTH, EVALUATIONS, SAMPLES


def _finish(axes: Any, xlabel: str, ylabel: str = "", **legend: Any) -> None:
    """Labels axes, and gives them a legend and a light grid without the frame's upper and right lines."""
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    axes.legend(frameon=False, **legend)
    axes.grid(color="0.92")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _table2_png(result: Row) -> bytes:
    """Errors of simulated chances by the number of samples, for each row."""
    rows, figure = result.table2["rows"], new_figure(6.5, 4.0)
    axes = figure.add_subplot()
    for row in rows:
        axes.plot(SAMPLES, [of["deviation"] for of in row["samples"]], "o-", label=f"row {row['row']}")
    expected = [of["expected_deviation"] for of in rows[0]["samples"]]
    axes.plot(SAMPLES, expected, ":", color="0.4", label="binomial, row 2")
    axes.plot(SAMPLES, [of["deviation"] for of in result.table2["paper"]], "kx", markersize=9, label="paper")
    axes.set_xscale("log")
    axes.set_yscale("log")
    _finish(axes, "samples", "standard deviation of a column's chance")
    return png(figure)


def _figure2_png(result: Row) -> bytes:
    """Win rates of expectiminimax by its depth and by its decks."""
    figure = new_figure(9.0, 4.0)
    for panel, (series, label) in enumerate((("depth", "depth"), ("decks", f"decks, at depth {DEPTH}")), 1):
        axes = figure.add_subplot(1, 2, panel)
        for evaluation in EVALUATIONS:
            rows = [row for row in result.figure2[series] if row.evaluation == evaluation]
            rows.sort(key=lambda row: float(getattr(row, series)))
            rates = np.array([row.win_rate.mean for row in rows])
            reach = np.abs(np.array([row.win_rate.ci95 for row in rows]) - rates[:, None]).T
            counts = [getattr(row, series) for row in rows]
            axes.errorbar(counts, 100 * rates, yerr=100 * reach, fmt="o-", capsize=3, label=evaluation)
        axes.axhline(50, color="0.7", linewidth=1)
        if series == "decks":
            axes.set_xscale("log")
        else:
            axes.set_xticks(sorted({row.depth for row in result.figure2[series]}))
        _finish(axes, label, "won against greedy2, %")
    return png(figure)


def _figure3_png(result: Row) -> bytes:
    """Mean column values of each agent, from the highest column to the lowest."""
    figure = new_figure(7.5, 4.8)
    axes = figure.add_subplot()
    colours = [*(f"C{k}" for k in range(10)), "black"]
    for row, colour, marker in zip(result.figure3, colours, "osv^D<>phP*", strict=True):
        axes.plot(range(1, 6), row["values"], marker=marker, color=colour, markersize=5, linewidth=1.2, label=row["agent"])
    axes.set_xticks(range(1, 6))
    _finish(axes, "column, the highest first", "mean value (1 to 7,462)", fontsize=8)
    return png(figure)


def _figure4_png(result: Row) -> bytes:
    """Wins for each loss of each agent, ours and the paper's."""
    table = result.table3
    totals = {row["agent"]: row["paper"] for row in table["comparison"]["totals"]}
    rows = [*table["standings"], *table["extra"]]
    figure = new_figure(7.5, 4.5)
    axes = figure.add_subplot()
    heights = np.arange(len(rows))
    ratios = [row.win_loss_ratio if math.isfinite(row.win_loss_ratio) else 0 for row in rows]
    axes.barh(heights - 0.2, ratios, 0.38, label="ours")
    known = [(k, totals[row.agent]) for k, row in enumerate(rows) if row.agent in totals]
    axes.barh([k + 0.2 for k, _ in known], [won / lost for _, (won, lost) in known], 0.38, color="0.7", label="paper")
    axes.axvline(1.0, color="0.5", linewidth=1)
    axes.set_yticks(heights, [row.agent for row in rows])
    axes.invert_yaxis()
    _finish(axes, "wins for each loss, against the paper's eight")
    return png(figure)


PLOTS = {
    "table2": ("Errors of simulated chances", _table2_png),
    "figure2": ("Strength by depth and decks", _figure2_png),
    "figure3": ("Mean column values", _figure3_png),
    "figure4": ("Win-loss ratios", _figure4_png),
}
"""The plots by name: the title, and a function from all figures to the content of a PNG file."""

"""The plots of the Five-O report, as PNG files."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cardenvs.baselines.reports.pictures import new_figure, png
from cardenvs.baselines.reproduce.five_o.settings import DEPTH, EVALUATIONS, SAMPLES

Figures = dict[str, Any]
"""Figures by name, as JSON has them."""


def _tidy(axes: Any) -> None:
    """Gives axes a light grid and takes the frame's upper and right lines away."""
    axes.grid(color="0.92")
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _table2_png(figures: Figures) -> bytes:
    """Errors of simulated chances by the number of samples, for each row."""
    figure = new_figure(6.5, 4.0)
    axes = figure.add_subplot()
    for row in figures["table2"]["rows"]:
        axes.plot(SAMPLES, [of["deviation"] for of in row["samples"]], "o-", label=f"row {row['row']}")
    expected = [of["expected_deviation"] for of in figures["table2"]["rows"][0]["samples"]]
    axes.plot(SAMPLES, expected, ":", color="0.4", label="binomial, row 2")
    axes.plot(SAMPLES, [of["deviation"] for of in figures["table2"]["paper"]], "kx", markersize=9, label="paper")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("samples")
    axes.set_ylabel("standard deviation of a column's chance")
    axes.legend(frameon=False)
    _tidy(axes)
    return png(figure)


def _figure2_png(figures: Figures) -> bytes:
    """Win rates of expectiminimax by its depth and by its decks."""
    figure = new_figure(9.0, 4.0)
    for panel, (what, label) in enumerate((("depth", "depth"), ("decks", f"decks, at depth {DEPTH}")), 1):
        axes = figure.add_subplot(1, 2, panel)
        for evaluation in EVALUATIONS:
            rows = sorted((r for r in figures["figure2"][what] if r["evaluation"] == evaluation), key=lambda r: r[what])
            rates = np.array([row["win_rate"] for row in rows])
            ends = np.array([row["ci95"] for row in rows])
            reach = np.abs(ends - rates[:, None]).T
            axes.errorbar([r[what] for r in rows], 100 * rates, yerr=100 * reach, fmt="o-", capsize=3, label=evaluation)
        axes.axhline(50, color="0.7", linewidth=1)
        axes.set_xlabel(label)
        axes.set_ylabel("won against greedy2, %")
        if what == "decks":
            axes.set_xscale("log")
        else:
            axes.set_xticks(sorted({row[what] for row in figures["figure2"][what]}))
        axes.legend(frameon=False)
        _tidy(axes)
    return png(figure)


def _figure3_png(figures: Figures) -> bytes:
    """Mean column values of each agent, from the highest column to the lowest."""
    figure = new_figure(7.5, 4.8)
    axes = figure.add_subplot()
    colours = [*(f"C{k}" for k in range(10)), "black"]
    for row, colour, marker in zip(figures["figure3"], colours, "osv^D<>phP*", strict=True):
        axes.plot(range(1, 6), row["values"], marker=marker, color=colour, markersize=5, linewidth=1.2, label=row["agent"])
    axes.set_xticks(range(1, 6))
    axes.set_xlabel("column, the highest first")
    axes.set_ylabel("mean value (1 to 7,462)")
    axes.legend(frameon=False, fontsize=8)
    _tidy(axes)
    return png(figure)


def _figure4_png(figures: Figures) -> bytes:
    """Wins for each loss of each agent, ours and the paper's."""
    table = figures["table3"]
    totals = {row["agent"]: row["paper"] for row in table["comparison"]["totals"]}
    rows = [*table["standings"], *table["extra"]]
    figure = new_figure(7.5, 4.5)
    axes = figure.add_subplot()
    heights = np.arange(len(rows))
    ratios = [row["win_loss_ratio"] for row in rows]
    axes.barh(heights - 0.2, [x if x is not None and math.isfinite(x) else 0 for x in ratios], 0.38, label="ours")
    known = [(k, totals[row["agent"]]) for k, row in enumerate(rows) if row["agent"] in totals]
    axes.barh([k + 0.2 for k, _ in known], [won / lost for _, (won, lost) in known], 0.38, color="0.7", label="paper")
    axes.axvline(1.0, color="0.5", linewidth=1)
    axes.set_yticks(heights, [row["agent"] for row in rows])
    axes.invert_yaxis()
    axes.set_xlabel("wins for each loss, against the paper's eight")
    axes.legend(frameon=False)
    _tidy(axes)
    return png(figure)


PLOTS = {"table2": _table2_png, "figure2": _figure2_png, "figure3": _figure3_png, "figure4": _figure4_png}
"""The plots by name, each a function from all figures to the content of a PNG file."""

"""The plot of a sweep; needs matplotlib."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from cardenvs.baselines.reports.pictures import new_figure, png
from cardenvs.baselines.reports.text import short_label
from cardenvs.printing import printable
from cardenvs.train.sweep.report import by_opponent
from cardenvs.train.sweep.results import Figure, SweepResult, VariantResult, estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MAP, _COLOURS = "tab10", 10
"""The name of matplotlib's map of the colours, and their number; they come again after the last."""


def picture_png(result: SweepResult) -> bytes:
    """The plot, as the content of a PNG file.

    On the left the learning curves: means over the seeds of each variant with the band of their 95% interval. Beside them a
    panel for each opponent: points a deal of each variant with their interval, and each seed as a dot.
    """
    panels = list(by_opponent(result))
    figure = new_figure(6.0 + 4.2 * len(panels), max(4.0, 1.6 + 0.32 * len(result.variants)))
    axes = figure.subplots(1, 1 + len(panels), squeeze=False, width_ratios=[1.3, *[1.0] * len(panels)])[0]
    _draw_curves(axes[0], result)
    for k, (title, rows) in enumerate(panels):
        _draw_points(axes[k + 1], rows, named=k == 0)
        axes[k + 1].set_title(_title(title), fontsize=10)
    return png(figure)


def _title(text: str) -> str:
    """The title of a panel, in lines that fit."""
    return "\n".join(map(short_label, textwrap.wrap(printable(text), 32)))


def _colour(number: int) -> tuple[float, ...]:
    """The colour of a variant, by its number."""
    from matplotlib import colormaps

    return tuple(colormaps[_MAP](number % _COLOURS))


def _draw_curves(axes: Axes, result: SweepResult) -> None:
    """Draws the learning curves; bands that go far beyond what any seed has made are cut off."""
    for number, variant in enumerate(result.variants):
        steps = [point["steps"] for point in variant.curves[0]]
        means = [estimate([curve[k]["mean"] for curve in variant.curves]) for k in range(len(steps))]
        line = [each.mean or 0.0 for each in means]
        axes.plot(steps, line, marker=".", markersize=4, color=_colour(number), label=short_label(variant.name))
        bands = [each.ci95 for each in means if each.ci95 is not None]
        if len(bands) == len(steps):
            low, high = zip(*bands, strict=True)
            axes.fill_between(steps, low, high, color=_colour(number), alpha=0.15, linewidth=0)
    made = [point["mean"] for variant in result.variants for curve in variant.curves for point in curve]
    margin = 0.25 * (max(made) - min(made)) or 1.0
    axes.set_ylim(min(made) - margin, max(made) + margin)
    axes.axhline(0, color="black", linewidth=0.6)
    opponent = short_label(result.settings["training"].get("eval_opponent", "eval_opponent"))
    axes.set(xlabel="moves trained on", ylabel=f"points a deal above {opponent}")
    axes.set_title("learning curves", fontsize=10)
    axes.grid(color="0.92")
    axes.set_axisbelow(True)
    axes.legend(fontsize=7)


def _draw_points(axes: Axes, rows: list[tuple[VariantResult, Figure | None]], named: bool) -> None:
    """Draws the points of each variant, from the top down.

    Args:
        axes: the axes to draw in.
        rows: the variants with their figures.
        named: whether the variants' names stand beside.
    """
    for number, (_, figure) in enumerate(rows):
        if figure is None or figure.points.mean is None:
            continue
        ends = figure.points.ci95 or figure.points_ci95_deals
        axes.errorbar(
            [figure.points.mean], [number], xerr=None if ends is None else [[(ends[1] - ends[0]) / 2]], marker="o",
            markersize=4, capsize=3, color=_colour(number),
        )  # fmt: skip
        values = [value for value in figure.points.by_seed if value is not None]
        axes.plot(values, [number] * len(values), "|", color=_colour(number), markersize=9)
    axes.set_yticks(range(len(rows)), [short_label(variant.name) if named else "" for variant, _ in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlabel("points a deal")
    axes.grid(axis="x", color="0.92")
    axes.set_axisbelow(True)

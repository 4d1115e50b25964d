"""Plots, with matplotlib, which the extra ``[plots]`` brings."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from cardenvs import plugins
from cardenvs.baselines.reports.statistics import Interval
from cardenvs.baselines.reports.text import short_label
from cardenvs.printing import remark

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def can_draw() -> bool:
    """Whether pictures can be drawn: matplotlib, which the extra ``[plots]`` brings, is installed."""
    return plugins.installed("matplotlib")


def tell_left_out(what: str) -> None:
    """Reports on standard error ``what`` is left out, and the extra to install, if matplotlib is missing."""
    try:
        plugins.require("matplotlib", "plots", what)
    except plugins.MissingPackageError as error:
        remark(f"cardenvs: {error}")


def new_figure(width: float, height: float) -> Figure:
    """An empty figure, ``width`` by ``height`` inches, that needs no display."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def png(figure: Figure) -> bytes:
    """The figure as a PNG file's content."""
    content = io.BytesIO()
    figure.savefig(content, format="png")
    return content.getvalue()


def reach(values: Sequence[Interval]) -> npt.NDArray[np.float64]:
    """The distances of intervals' ends from their means, float64 (2, n), as error bars have them; nan: it has no bar."""
    ends = np.array([(value.mean - value.low, value.high - value.mean) for value in values]).reshape(-1, 2).T
    return np.where(np.isfinite(ends), ends, np.nan)


def draw_heatmap(
    axes: Axes,
    values: npt.ArrayLike,
    rows: Sequence[str],
    columns: Sequence[str],
    number: str = "{:+z.2f}",
    colours: str = "viridis",
    limits: tuple[float, float] | None = None,
) -> None:
    """Draws numbers as a heat map, each number written in its cell.

    Args:
        values: float (rows, columns); cells that are nan stay grey and empty.
        number: the format of a cell's number, as `str.format` takes it.
        colours: name of matplotlib's colour map.
        limits: the numbers that get the first and the last colour; None: the least and the greatest of ``values``.
    """
    cells = np.ma.masked_invalid(np.asarray(values, np.float64))
    low, high = limits or (None, None)
    image = axes.imshow(cells, cmap=colours, vmin=low, vmax=high, aspect="auto")
    axes.set_facecolor("0.85")
    for row, column in np.ndindex(*cells.shape):
        if cells[row, column] is np.ma.masked:
            continue
        red, green, blue, _ = image.cmap(image.norm(cells[row, column]))
        colour = "white" if 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.5 else "black"
        text = number.format(cells[row, column])
        axes.text(column, row, text, ha="center", va="center", fontsize=7.5, color=colour)
    axes.set_yticks(range(len(rows)), [short_label(name) for name in rows])
    below = [short_label(name) for name in columns]
    axes.set_xticks(range(len(columns)), below, rotation=45, ha="right", rotation_mode="anchor")
    axes.figure.colorbar(image, ax=axes, shrink=0.8)


def heatmap_png(title: str, values: npt.ArrayLike, rows: Sequence[str], columns: Sequence[str], **settings: Any) -> bytes:
    """A heat map with a title as a picture of its own, a PNG file's content; ``settings`` are those of `draw_heatmap`."""
    figure = new_figure(3.4 + 0.55 * len(columns), 2.2 + 0.45 * len(rows))
    axes = figure.add_subplot()
    draw_heatmap(axes, values, rows, columns, **settings)
    axes.set_title(title, fontsize=9, wrap=True)
    return png(figure)

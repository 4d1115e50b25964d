"""Pieces that reports share: Markdown tables and pictures."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def table_lines(head: list[str], rows: Iterable[list[str]]) -> list[str]:
    """A Markdown table, its first column to the left and the others to the right; an empty line behind."""

    def line(cells: list[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    return [line(head), line(["---", *["---:"] * (len(head) - 1)]), *map(line, rows), ""]


def short_label(name: str) -> str:
    """A policy's name, the beginning of a long one left out."""
    return name if len(name) <= 32 else "…" + name[-31:]


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of so many inches that needs no display."""
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

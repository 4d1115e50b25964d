"""Pieces that reports share: Markdown tables and pictures."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from cardenvs.markdown import table_lines as table_lines  # reports take it from here

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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

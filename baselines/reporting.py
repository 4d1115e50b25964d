"""Numbers as text, plots and files that all reports share."""

from __future__ import annotations

import functools
import io
import itertools
import math
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np
import numpy.typing as npt
from rich.table import Table

from cardenvs import plugins
from cardenvs.baselines.statistics import Interval
from cardenvs.contract.options import show
from cardenvs.files import json_text, write_whole
from cardenvs.policy.registry import path_of, split_called, split_names
from cardenvs.printing import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# --- text ----------------------------------------------------------------------------------------------------------


def plus_minus(value: Interval | None, digits: int = 3, percent: bool = False) -> str:
    """A mean with half the width of its 95% interval, such as ``+0.120 ±0.031``.

    Args:
        value: the interval; of one without finite ends only the mean is written; None: an empty text.
        digits: how many digits stand behind the decimal point.
        percent: whether the values are shares (0 to 1), to be written in percent, without a sign and with one digit behind
            the decimal point: ``53.1 ±0.8``.
    """
    if value is None:
        return ""
    mean, half = value.mean, value.half_width
    if percent:
        mean, half, digits = 100 * mean, 100 * half, 1
    sign = "" if percent else "+"
    return f"{mean:{sign}z.{digits}f} ±{half:.{digits}f}" if math.isfinite(half) else f"{mean:{sign}z.{digits}f}"


def options_text(options: Mapping[str, Any]) -> str:
    """Rule options in words: ``bidding full, target 10``."""
    return ", ".join(f"{name} {show(value)}" for name, value in options.items())


def short_label(name: str) -> str:
    """A policy's name as a label of at most 32 characters for a picture; a longer name loses its beginning."""
    shown = printable(name)
    return (shown if len(shown) <= 32 else "…" + shown[-31:]).replace("$", r"\$")  # a bare one would begin a formula


def short_names(names: Iterable[str]) -> Callable[[str], str]:
    """Names of sides as tables in a terminal have them: a file by the part of its path that tells it from the others.

    That is what it is called (``mine=runs/a/policy.zip``), or its last part, or the last folder that no other of the files
    has, or the whole path.

    Args:
        names: all names of the table: policies, files, or several of these joined by ``+``.

    Returns:
        The short form of any of them; of another text that text.
    """
    pieces = {name: split_names(name) for name in names}
    parts = list(dict.fromkeys(itertools.chain(*pieces.values())))
    paths = {part: path for part in parts if (path := path_of(part)) is not None}
    called = {part: split_called(part)[0] for part in parts}
    taken = Counter([*filter(None, called.values()), *(part for part in parts if part not in paths)])

    def short(part: str) -> str:
        if called[part] and taken[called[part]] == 1:
            return called[part]
        if part not in paths or called[part]:
            return part
        path = paths[part]
        own, others = Path(path).parts, [Path(other).parts for other in set(paths.values()) - {path}]
        for word in (*own[-1:], *own[-2::-1]):
            if word not in taken and not any(word in other for other in others):
                return word + part[len(path) :]
        return part

    shown = {name: "+".join(map(short, those)) for name, those in pieces.items()}
    return lambda name: shown.get(name, name)


def terminal_table(head: Sequence[str], rows: Sequence[Sequence[str]], names: int = 1, **settings: Any) -> Table:
    """A table for a terminal, in which no name is cut and no number is broken: names that are too long go on below.

    Args:
        head: the columns' heads.
        rows: the cells.
        names: how many of the first columns hold names.
        settings: more for `rich.table.Table`, such as ``title``.
    """
    table = Table(**settings)
    for k, name in enumerate(head):
        words = [len(word) for row in rows for word in row[k].split()] if k >= names else []
        table.add_column(
            name, justify="left" if k < names else "right", overflow="fold", min_width=max(words, default=None)
        )
    for row in rows:
        table.add_row(*row)
    return table


# --- pictures ------------------------------------------------------------------------------------------------------


def can_draw() -> bool:
    """Whether pictures can be drawn: matplotlib, which the extra ``[plots]`` brings, is installed."""
    return plugins.installed("matplotlib")


def picture_lines(title: str, file: str | None) -> list[str]:
    """A picture in a Markdown report, with an empty line behind it.

    Args:
        title: what is shown instead where pictures are not.
        file: the picture's file name; None: there is no picture, and no line.
    """
    return [] if file is None else [f"![{title}]({quote(file, errors='backslashreplace')})", ""]


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
        axes: the axes to draw on.
        values: float (rows, columns); cells that are nan stay grey and empty.
        rows: names of the rows.
        columns: names of the columns.
        number: how a cell's number is written, as `str.format` takes it.
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


# --- files ---------------------------------------------------------------------------------------------------------


def write_report(
    report: Path,
    results: Path,
    prefix: str,
    figures: Mapping[str, Any],
    text: Callable[..., str],
    pictures: Mapping[str, Callable[[], bytes]],
) -> list[Path]:
    """Writes a report, the results that it shows and its pictures, which are left out without matplotlib.

    Args:
        report: the Markdown file; the pictures lie beside it.
        results: the JSON file.
        prefix: what the names of the pictures' files begin with.
        figures: the results for JSON.
        text: makes the Markdown from the pictures' file names, one argument each; None for a picture that is left out.
        pictures: by name, ``.png`` left out, what draws the picture: it returns the content of a PNG file.

    Returns:
        The files: JSON, Markdown, pictures.

    Raises:
        OSError: a file cannot be written.
    """
    names = [f"{prefix}{name}.png" if can_draw() else None for name in pictures]
    files: list[tuple[Path, bytes | str]] = [(results, json_text(figures)), (report, text(*names))]
    files += [
        (report.parent / name, draw()) for name, draw in zip(names, pictures.values(), strict=True) if name is not None
    ]
    for path, content in files:
        write_whole(path, content)
    return [path for path, _ in files]


def write_reports(
    folder: str | os.PathLike[str],
    copy: str | os.PathLike[str] | None,
    figures: Mapping[str, Any],
    text: Callable[..., str],
    pictures: Mapping[str, Callable[[], bytes]],
) -> list[Path]:
    """Writes results.json, report.md and pictures to a folder, and a copy of them elsewhere.

    Args:
        folder: the folder to write to.
        copy: path of a second Markdown file; its JSON and pictures go beside it, under names that begin with its stem.
            None: no copy.
        figures: the results for JSON.
        text: makes the Markdown from the pictures' file names, one argument for each; None for a picture that is left out.
        pictures: functions that draw the pictures, by file name without ``.png``; each returns the content of a PNG file.
            Without matplotlib the pictures are left out.

    Returns:
        The files: the folder's JSON, Markdown and pictures, then those of the copy.

    Raises:
        OSError: a file cannot be written.
    """
    drawn = {name: functools.cache(draw) for name, draw in pictures.items()}
    written = write_report(Path(folder) / "report.md", Path(folder) / "results.json", "", figures, text, drawn)
    if copy is not None:
        path = Path(copy)
        written += write_report(path, path.with_suffix(".json"), f"{path.stem}_", figures, text, drawn)
    return written

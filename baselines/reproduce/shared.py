"""Data of the papers, quoted command lines and printed tables that all reproductions share."""

from __future__ import annotations

import json
import shlex
from collections.abc import Collection, Iterable, Sequence
from importlib import resources
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from cardenvs.printing import PlainConsole


def paper_data(name: str) -> dict[str, Any]:
    """The figures that a paper prints, from ``data/NAME.json``; notes on the data are in the file."""
    text = resources.files("cardenvs.baselines.reproduce").joinpath(f"data/{name}.json").read_text("utf-8")
    return dict(json.loads(text))


def command_line(name: str, words: Iterable[str] = ()) -> str:
    """The command that plays a reproduction again, as people type it.

    Args:
        name: the reproduction, as it stands behind ``cardenvs reproduce``.
        words: its options and their values, a word each.
    """
    return shlex.join(["cardenvs", "reproduce", name, *words])


def written_by(command: str) -> str:
    """The sentence in which a report names the command that wrote it, without a full stop."""
    return f"Written by `{command} --report FILE`"


def console_for(width: int) -> tuple[Console, bool]:
    """The console for a table of many columns.

    Args:
        width: characters that all columns take.

    Returns:
        The console, and whether all columns have room there: in a file or a pipe they always have.
    """
    console = PlainConsole()
    if not console.is_terminal:
        console = PlainConsole(width=width)
    return console, console.width >= width


def print_table(
    title: str,
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    text_columns: Collection[int] = (0,),
    framed: bool = False,
    wrapped: bool = False,
    console: Console | None = None,
) -> None:
    """Prints a table on the terminal.

    Args:
        title: what the table shows.
        head: names of the columns.
        rows: the cells of each row.
        text_columns: indices of the columns that hold text, written from the left; all others hold numbers.
        framed: whether lines are drawn around the cells.
        wrapped: whether the columns of numbers may have heads of several lines.
        console: where to print; None takes standard output.
    """
    table = Table(title=title, box=box.HEAVY_HEAD if framed else None)
    for k, name in enumerate(head):
        text = k in text_columns
        table.add_column(name, justify="left" if text else "right", no_wrap=text or not wrapped)
    for row in rows:
        table.add_row(*row)
    (console or PlainConsole()).print(table)

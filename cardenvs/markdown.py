"""Markdown: tables, and text that is not ours, such as names of players and policies, made to stand for itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from cardenvs.printing import printable

_MARKS = re.compile(r"[\\`*\[\]]|(?<!\w)_|_(?!\w)")
_ENTITIES = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;", ord("|"): "&#124;", ord("~"): "&#126;"}


def escaped(text: str) -> str:
    """Text that is not ours for running text, headings and cells: it is shown as it is and means nothing in Markdown.

    Args:
        text: any text; control characters are spelled out (`cardenvs.printing.printable`).
    """
    return _MARKS.sub(r"\\\g<0>", printable(text)).translate(_ENTITIES)


def code(text: str) -> str:
    """Text that is not ours as code, in backticks; text with a backtick or a ``|`` in it is `escaped` instead."""
    shown = printable(text)
    return escaped(text) if not shown.strip() or set("`|") & set(shown) else f"`{shown}`"


def table_lines(head: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1, *, foreign: bool = False) -> list[str]:
    """A table as lines of Markdown, with an empty line behind it.

    Args:
        head: the columns' titles.
        rows: the cells of each row, as many as there are titles; a ``|`` in a cell is escaped.
        left: how many columns, from the first on, are aligned to the left; the others are aligned to the right.
        foreign: whether the cells are text that is not ours, not Markdown: each is `escaped`.
    """

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    rule = [*["---"] * left, *["---:"] * (len(head) - left)]
    body = (map(escaped, row) for row in rows) if foreign else rows
    return [line(head), line(rule), *(line([*row]) for row in body), ""]

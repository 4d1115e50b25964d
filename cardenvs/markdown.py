"""Tables in Markdown documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table_lines(head: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> list[str]:
    """A table as lines of Markdown, with an empty line behind it.

    Args:
        head: the columns' titles.
        rows: the cells of each row, as many as there are titles; a ``|`` in a cell is escaped.
        left: how many columns, from the first on, are aligned to the left; the others are aligned to the right.
    """

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    rule = [*["---"] * left, *["---:"] * (len(head) - left)]
    return [line(head), line(rule), *map(line, rows), ""]

"""Documents in a terminal.

No name is cut, however narrow the terminal: names of files are called by what tells them apart, and what is still too long
goes on below, behind a space or a mark if it can. A table for which there is no room loses spare columns, the last first,
before a number and its interval stand on two lines; a matrix, whose figures are all of one kind, then loses its intervals,
of which the widest is told; names above columns become numbers with a legend.
What is still too wide is printed in parts, below each other: no figure but those of spare columns is left out.
"""

import io
import math
import re
from collections.abc import Callable, Iterator, Sequence

from rich.console import Console
from rich.table import Table as Printed
from rich.text import Text as Styled

from cardenvs.baselines.reports.document import (
    Command,
    Document,
    Estimate,
    Heading,
    Items,
    Name,
    Span,
    Table,
    Text,
    Words,
    spans,
)
from cardenvs.baselines.reports.text import short_names
from cardenvs.printing import PlainConsole, printable

_NAME = 16  # width of a column of names below which other columns give way first
_NUMBER = re.compile(r"[-+(]?[\d.,:]+[%)]?( ±[\d.,]+)?[,)]*")  # a number with its interval, which is not broken
_BREAK = r"(?:(?<=\w[-/_:=+,])(?![-\d ])| (?!±))"  # places of line ends: behind a mark that no digit follows, or a space
_COLOURS = {"♣": "green", "♦": "blue", "♥": "red"}  # of cards, by the signs of their suits; spades are as other text


def text_of(document: Document, width: int = 100) -> str:
    """A document as plain text, in lines of a number of characters."""
    shown = io.StringIO()
    show(document, PlainConsole(file=shown, width=width))
    return shown.getvalue().rstrip("\n")


def show(document: Document, console: Console) -> None:
    """Prints a document to a console."""
    for part in parts(document, console):
        console.print(_folded(part, console.width) if isinstance(part, str) else part)


def parts(document: Document, console: Console) -> Iterator[Printed | str]:
    """The tables and lines of a document for a console."""
    called = short_names(document.names())

    def text(text: Text, short: bool = False) -> str:
        """A text in a terminal; ``short``: without intervals."""
        return "".join(_span(span, called, short) for span in spans(text))

    yield text(document.title)
    title = ""
    for block in document.blocks(terminal=True):
        if isinstance(block, Heading):
            title = text(block.text)
        elif isinstance(block, Table):
            yield from _table(block, title, text, console)
            title = ""
        elif isinstance(block, Words):
            yield text(block.text)
        elif isinstance(block, Items):
            yield from (f"- {text(item)}" for item in block.items)
        elif isinstance(block, Command):
            yield f"    {block.text}"


def _span(span: Span, called: Callable[[str], str], short: bool) -> str:
    if isinstance(span, str):
        return span
    if isinstance(span, Estimate):
        return span.short() if short else span.text()
    return called(span.text) if isinstance(span, Name) else span.text


def _table(table: Table, title: str, text: Callable[..., str], console: Console) -> Iterator[Printed | str]:
    """A table as wide as the console at most, in several parts if need be, and lines on what was left out."""
    left, spare = table.left, [k for head in table.spare for k, one in enumerate(table.head) if one == head]
    fewer = [[k for k in range(len(table.head)) if k not in spare[kept:]] for kept in range(len(spare), -1, -1)]
    kept = fewer[-1]
    cells = [row[k] for row in table.rows for k in kept[left:] if row[k] != ""]
    kinds = {(cell.digits, cell.percent) if isinstance(cell, Estimate) else None for cell in cells}
    matrix = len(kept) > left + 2 and len(kinds) == 1 and None not in kinds
    narrow = [(True, False, kept), (True, True, kept)] if matrix else [(False, True, kept)]
    for short, numbered, columns in (*((False, False, columns) for columns in fewer), *narrow):
        head = [printable(text(table.head[k])) for k in columns]
        legend = []
        if numbered:
            named = [k for k in columns[left:] if any(isinstance(span, Name) for span in spans(table.head[k]))]
            legend = [f"{number} {text(table.head[k])}" for number, k in enumerate(named, 1)]
            head = [str(named.index(k) + 1) if k in named else name for k, name in zip(columns, head, strict=True)]
        rows = [[printable(text(row[k], short)) for k in columns] for row in table.rows]
        least = _least_widths(head, rows, left, names=_NAME if columns is kept else 2 * _NAME)
        if sum(least) + 3 * len(head) + 1 <= console.width:
            break
    for number, part in enumerate(_parts(head, rows, left, console.width)):
        shown = [[cells[k] for k in part] for cells in (head, *rows)]
        name = f"{title} (continued)" if title and number else title
        yield printed_table(shown[0], shown[1:], left, console.width, title=name)
    if short:
        yield from _on_intervals(table, columns)
    if legend:
        yield ", ".join(legend)
    if lost := [text(head) for k, head in enumerate(table.head) if k not in columns]:
        yield f"left out for want of room: {', '.join(lost)}"


def _parts(head: Sequence[str], rows: Sequence[Sequence[str]], left: int, width: int) -> Iterator[list[int]]:
    """The columns of the parts in which a table is printed: the first ``left`` and as many others as there is room for."""
    least = _least_widths(head, rows, left, width)
    part = names = list(range(left))
    for k in range(left, len(head)):
        if len(part) > left and sum(least[j] + 3 for j in (*part, k)) + 1 > width:
            yield part
            part = names
        part = [*part, k]
    yield part


def _on_intervals(table: Table, columns: Sequence[int]) -> Iterator[str]:
    """A line on the intervals that a table has lost, if it had any."""
    lost = [
        span
        for row in table.rows
        for k in columns
        for span in spans(row[k])
        if isinstance(span, Estimate) and span.value is not None and math.isfinite(span.value.half_width)
    ]
    if lost:
        widest = max(lost, key=lambda one: one.value.half_width)  # type: ignore[union-attr]
        brackets = "in brackets: not significant; " if any(one.even is not None for one in lost) else ""
        yield f"{brackets}95% intervals: at most ±{widest.text().partition('±')[2]}{table.note}"


def _least_widths(
    head: Sequence[str], rows: Sequence[Sequence[str]], left: int, width: int = 0, names: int = _NAME
) -> list[int]:
    """Numbers of characters that columns take at least: names and long words go on below, a number keeps its interval."""
    space = re.compile(" (?!±)")
    words, numbers = [0] * len(head), [0] * len(head)
    for k, title in enumerate(head):
        for cell in (title, *(row[k] for row in rows)):
            for piece in [cell] if k < left else space.split(cell):
                of = numbers if k >= left and _NUMBER.fullmatch(piece) else words
                of[k] = max(of[k], len(piece))
    found: list[int] = []
    for most in (names, names // 2, names // 4):
        found = [max(number, min(most, longest)) for number, longest in zip(numbers, words, strict=True)]
        if not width or sum(found[:left]) + max(found[left:], default=0) + 3 * (left + 1) + 1 <= width:
            break
    return found


def printed_table(head: Sequence[str], rows: Sequence[Sequence[str]], left: int, width: int, **settings: object) -> Printed:
    """A table in lines of a ``width``, in which no name of the ``left`` columns is cut and no number is broken.

    Names that are too long go on below. ``settings`` are for `rich.table.Table`.
    """
    least = _least_widths(head, rows, left, width)
    whole = [max(1, *map(len, cells)) for cells in zip(head, *rows, strict=True)]
    room = width - 3 * len(head) - 1

    def widths(share: int) -> list[int]:
        return [min(most, max(few, share, 1)) for few, most in zip(least, whole, strict=True)]

    share = max((share for share in range(max(whole) + 1) if sum(widths(share)) <= room), default=0)
    table, taken = Printed(**settings), widths(share)  # type: ignore[arg-type]
    for k, (name, most) in enumerate(zip(head, taken, strict=True)):
        table.add_column(_folded(name, most), justify="left" if k < left else "right", overflow="fold", width=most)
    for row in rows:
        table.add_row(*(_coloured(_folded(cell, most)) for cell, most in zip(row, taken, strict=True)))
    return table


def _folded(text: str, width: int) -> str:
    """A text in lines of a number of characters at most; a word is cut only where it has no mark in half a line."""
    half = (width + 1) // 2
    lines = re.compile(rf".{{1,{width}}}$|.{{{half},{width}}}{_BREAK}|.{{1,{half}}} (?!±)|.{{1,{width}}}|^$", re.MULTILINE)
    return "\n".join(line.rstrip() for line in lines.findall(text))


def _coloured(cell: str) -> Styled:
    """A cell with the cards in it in the colours of their suits."""
    text = Styled(cell)
    for sign, colour in _COLOURS.items():
        text.highlight_regex(f"[0-9JQKA]*{sign}[0-9JQKA]*", colour)
    return text

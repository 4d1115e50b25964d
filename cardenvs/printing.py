"""Printing: all output to a terminal goes through here, because much of it is foreign text.

Names of players are in records that strangers wrote, names of policies are names of files. In such text square brackets are
no markup, and control characters (escape sequences, carriage returns, marks that turn the direction of writing) are
escaped, so that they can neither end a finished command nor take over the terminal.
"""

import html
import multiprocessing
import os
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.errors import LiveError
from rich.live import Live
from rich.progress import Task, TextColumn
from rich.segment import Segment
from rich.spinner import Spinner
from rich.status import Status
from rich.table import Column
from rich.text import Text

# Everything of Unicode's categories Cc, Cf, Cs, Zl and Zp but the two joiners, which emoji and some scripts need.
_UNSAFE = (
    "\x00-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0001-\U000e007f"
)
_ANYWHERE = re.compile(f"[{_UNSAFE}]")
_IN_LINES = re.compile(f"(?!\n)[{_UNSAFE}]")


def _escape_character(match: re.Match[str]) -> str:
    """Escapes a character as Python does in a string: ``\\x1b``."""
    return match[0].encode("unicode_escape").decode()


def printable(text: str) -> str:
    r"""Returns text on one line that is safe to print: control characters are escaped, such as ``\x1b``."""
    return _ANYWHERE.sub(_escape_character, text)


def printable_lines(text: str) -> str:
    """Returns text of several lines that is safe to print: `printable`, but line feeds stay."""
    return _IN_LINES.sub(_escape_character, text)


def error_text(error: BaseException) -> str:
    """Returns an error's message on one line; the name of its class where it has none."""
    return " ".join(str(error).split()) or type(error).__name__


def html_text(text: str) -> str:
    """Returns foreign text for HTML or SVG: `printable`, and without tags and quotes."""
    return html.escape(printable(text))


class PlainConsole(Console):
    """A rich console that prints text unchanged, without markup, emoji names or highlighting, but safely."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"markup": False, "emoji": False, "highlight": False} | settings)

    def render_str(self, text: str, **settings: Any) -> Text:
        """As `rich.console.Console.render_str`, control characters escaped."""
        return super().render_str(printable_lines(text), **settings)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """As `rich.console.Console.render`, control characters escaped."""
        for segment in super().render(renderable, options):
            if segment.control or not _IN_LINES.search(segment.text):
                yield segment
            else:
                yield Segment(printable_lines(segment.text), segment.style)

    def status(self, status: RenderableType, **settings: Any) -> Status:
        """As `rich.console.Console.status`, but the text is no markup."""
        return super().status(Text(printable(status)) if isinstance(status, str) else status, **settings)


class PlainColumn(TextColumn):
    """A column of a progress bar whose text is no markup; one that ``shrinks`` is cut where the line has no room for it."""

    def __init__(self, text_format: str, *, shrinks: bool = False) -> None:
        super().__init__(text_format, markup=False, table_column=Column(no_wrap=not shrinks))

    def render(self, task: Task) -> Text:
        """Returns the column's text for a task, control characters escaped."""
        return Text(
            printable(self.text_format.format(task=task)),
            style=self.style,
            justify=self.justify,
            no_wrap=True,
            overflow="ellipsis",
        )


stderr = PlainConsole(stderr=True)
"""The console on standard error, for progress and remarks."""


def say(text: str = "", end: str = "\n") -> None:
    """Prints lines of text on standard output, and ``end`` behind them."""
    print(printable_lines(text), end=end, flush=True)


def remark(text: str) -> None:
    """Prints lines of text on standard error, without a last line end."""
    print(printable_lines(text), file=sys.stderr, flush=True)


# --- what was not asked for: remarks and a spinner on standard error --------------------------------------------------

QUIET = "CARDENVS_QUIET"
"""The environment variable that silences `announce`, unless it is empty or 0."""


def silent() -> bool:
    """Returns whether unrequested remarks are left out: in worker processes, under pytest, or with `QUIET`."""
    if os.environ.get(QUIET, "0") not in ("", "0") or sys.stderr is None:
        return True
    return multiprocessing.parent_process() is not None or "pytest" in sys.modules


def announce(text: str) -> None:
    """Prints a line on standard error, above a progress bar if there is one; nothing if `silent`."""
    if silent():
        return
    line = f"cardenvs: {text}"
    try:
        if stderr.is_terminal and not stderr.is_jupyter:
            stderr.print(line, soft_wrap=True)
        else:
            remark(line)
    except (OSError, ValueError):
        pass  # standard error is closed


def spinner(text: str) -> Live | None:
    """Starts a spinner with a text on standard error; ``stop()`` ends it.

    None if `silent`, beside a progress bar, and where standard error is no terminal.
    """
    if silent() or not stderr.is_terminal or stderr.is_jupyter:
        return None
    # Nothing is redirected: what other threads print meanwhile must go where it belongs.
    live = Live(Spinner("dots", text), console=stderr, transient=True, redirect_stdout=False, redirect_stderr=False)
    try:
        live.start()
    except LiveError:
        return None
    return live


# --- Markdown -------------------------------------------------------------------------------------------------------

_MARKS = re.compile(r"[\\`*\[\]]|(?<!\w)_|_(?!\w)")
_ENTITIES = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;", ord("|"): "&#124;", ord("~"): "&#126;"}


def escaped(text: str) -> str:
    """Returns foreign text for Markdown's running text, headings and cells, where it means nothing; it is `printable`."""
    return _MARKS.sub(r"\\\g<0>", printable(text)).translate(_ENTITIES)


def code(text: str) -> str:
    """Returns foreign text as code, in backticks; text with a backtick or a ``|`` in it is `escaped` instead."""
    shown = printable(text)
    return escaped(text) if not shown.strip() or set("`|") & set(shown) else f"`{shown}`"


def table_lines(head: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1, *, foreign: bool = False) -> list[str]:
    """Returns a table as lines of Markdown, with an empty line behind it.

    Args:
        head: the columns' titles.
        rows: the cells of each row, as many as there are titles; a ``|`` in a cell is escaped.
        left: how many columns, from the first on, are aligned to the left; the others are aligned to the right.
        foreign: whether the cells are foreign text, not Markdown: each is `escaped`.
    """

    def row_line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    rule = [*["---"] * left, *["---:"] * (len(head) - left)]
    body = (map(escaped, row) for row in rows) if foreign else rows
    return [row_line(head), row_line(rule), *(row_line([*row]) for row in body), ""]

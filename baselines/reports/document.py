"""Reports as documents: headings, words, tables and pictures, written once for Markdown and for the terminal.

Texts are plain: whatever renders them sees to it that names of others mean nothing there. Within words and cells stand
spans: `Code`, `Strong`, the `Name` of a policy, which a narrow terminal shortens, and `Estimate`, a mean with its interval.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from cardenvs.baselines.reports.statistics import Interval
from cardenvs.baselines.reports.text import plus_minus


@dataclass(frozen=True)
class Code:
    """Text to be typed or read letter by letter, such as a command."""

    text: str


@dataclass(frozen=True)
class Strong:
    """Text that stands out."""

    text: str


@dataclass(frozen=True)
class Name:
    """The name of a policy or of a side, which may be the path of a file."""

    text: str


@dataclass(frozen=True)
class Estimate:
    """A mean with half the width of its 95% interval.

    Attributes:
        value: the mean with its interval; None: an empty text.
        digits: number of digits behind the decimal point.
        percent: whether the value is a share, to be written in percent, without a sign and with one digit.
        signed: whether a value above 0 has a sign.
        even: the value of equals: where there is no room for intervals, means that do not differ from it significantly are
            in brackets. None: nothing is in brackets.
    """

    value: Interval | None
    digits: int = 3
    percent: bool = False
    signed: bool = True
    even: float | None = None

    def text(self) -> str:
        """The mean with half the width of its interval: ``+0.120 ±0.031``."""
        text = plus_minus(self.value, self.digits, self.percent)
        return text if self.signed else text.removeprefix("+")

    def short(self) -> str:
        """The mean alone."""
        text = self.text().partition(" ±")[0]
        rounding = 1e-9
        if self.value is None or self.even is None:
            return text
        return f"({text})" if self.value.low - rounding <= self.even <= self.value.high + rounding else text


Span = str | Code | Strong | Name | Estimate
Text = Span | Sequence[Span]
"""A text: a span, or several in a row."""


def spans(text: Text) -> tuple[Span, ...]:
    """The spans of a text."""
    return (text,) if isinstance(text, (str, Code, Strong, Name, Estimate)) else tuple(text)


_MARKS = re.compile(r"(`[^`]+`|\*\*[^*]+\*\*)")


def marked(text: str) -> tuple[Span, ...]:
    """The spans of words of our own: what stands between backticks is `Code`, between pairs of asterisks `Strong`.

    Args:
        text: the words; a line's end, like any white space, is one space.
    """
    parts = filter(None, _MARKS.split(" ".join(text.split())))
    return tuple(
        Code(part[1:-1]) if part[0] == "`" else Strong(part[2:-2]) if part.startswith("**") else part for part in parts
    )


@dataclass(frozen=True)
class Heading:
    """A heading; in a terminal that of a table stands above it, and others are left out.

    Attributes:
        text: the heading.
        level: 2 for a section, 3 for one within it.
    """

    text: Text
    level: int = 2


@dataclass(frozen=True)
class Words:
    """A paragraph."""

    text: Text


def said(text: str) -> Words:
    """A paragraph of words of our own, see `marked`."""
    return Words(marked(text))


@dataclass(frozen=True)
class Items:
    """A list."""

    items: Sequence[Text]


@dataclass(frozen=True)
class Command:
    """A command line on a line of its own."""

    text: str


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        head: the columns' heads.
        rows: the cells of each row, as many as there are heads.
        left: number of the first columns that hold text; the others hold numbers.
        spare: the heads of columns that are left out where a terminal has no room for them.
        note: what follows the table in a terminal where its intervals are left out, behind the widest of them.
    """

    head: Sequence[Text]
    rows: Sequence[Sequence[Text]]
    left: int = 1
    spare: Sequence[str] = ()
    note: str = ""


@dataclass(frozen=True)
class Picture:
    """A picture, in a file beside the report.

    Attributes:
        title: what it shows, in words.
        name: its file's name, ``.png`` left out.
        draw: draws it: returns the content of a PNG file.
        as_report: whether a copy of the report has it under its own name, not under that and the picture's.
    """

    title: str
    name: str
    draw: Callable[[], bytes]
    as_report: bool = False


Block = Heading | Words | Items | Command | Table | Picture


@dataclass(frozen=True)
class Only:
    """Blocks that only one of the renderings has.

    Attributes:
        blocks: the blocks.
        terminal: whether it is the terminal that has them; else it is the file.
    """

    blocks: tuple[Block, ...]
    terminal: bool


def in_file(*blocks: Block) -> Only:
    """Blocks that a report in a file has alone, such as long explanations."""
    return Only(blocks, terminal=False)


def in_terminal(*blocks: Block) -> Only:
    """Blocks that a terminal has alone."""
    return Only(blocks, terminal=True)


@dataclass(frozen=True)
class Document:
    """A report.

    Attributes:
        title: the title.
        parts: the blocks, in order.
    """

    title: Text
    parts: Sequence[Block | Only]

    def blocks(self, *, terminal: bool) -> list[Block]:
        """The blocks that a file or a terminal has."""
        found: list[Block] = []
        for part in self.parts:
            if isinstance(part, Only):
                found += part.blocks if part.terminal == terminal else ()
            else:
                found.append(part)
        return found

    def pictures(self) -> dict[str, Callable[[], bytes]]:
        """Functions that draw the pictures, by their files' names without ``.png``."""
        return {picture.name: picture.draw for picture in self._pictures()}

    def picture_files(self, copy: str = "") -> dict[str, str]:
        """The names of the pictures' files, by the pictures' names.

        Args:
            copy: the name of the copy of the report that they are beside, ``.md`` left out; empty: it is no copy.
        """

        def stem(picture: Picture) -> str:
            """The name of a picture's file, ``.png`` left out."""
            return copy if copy and picture.as_report else f"{copy}_{picture.name}" if copy else picture.name

        return {picture.name: f"{stem(picture)}.png" for picture in self._pictures()}

    def _pictures(self) -> list[Picture]:
        """The pictures, in order."""
        return [block for block in self.blocks(terminal=False) if isinstance(block, Picture)]

    def names(self) -> list[str]:
        """All names in the document, each once."""
        texts: list[Text] = [self.title]
        for terminal in (False, True):
            for block in self.blocks(terminal=terminal):
                texts += _texts(block)
        return list(dict.fromkeys(span.text for text in texts for span in spans(text) if isinstance(span, Name)))


def _texts(block: Block) -> Iterable[Text]:
    """The texts in a block."""
    if isinstance(block, Table):
        return [*block.head, *(cell for row in block.rows for cell in row)]
    if isinstance(block, Items):
        return block.items
    return [block.text] if isinstance(block, (Heading, Words)) else []


def joined(texts: Iterable[Text], between: str = ", ") -> tuple[Span, ...]:
    """Several texts as one, with something between them."""
    found: list[Span] = []
    for k, text in enumerate(texts):
        found += ([between] if k else []) + list(spans(text))
    return tuple(found)

"""Reports as documents: headings, words, tables and pictures, written once for Markdown and for the terminal.

Texts are plain: whatever renders them sees to it that names of others mean nothing there. Within words and cells stand
spans: `Code`, `Strong`, the `Name` of a policy, which a narrow terminal shortens, and `Estimate`, a mean with its interval.
"""

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

    Where there is no room for intervals, means that do not differ significantly from ``even`` are in brackets.
    """

    value: Interval | None  # None: an empty text
    digits: int = 3  # number of digits behind the decimal point
    percent: bool = False  # whether the value is a share, to be written in percent, without a sign and with one digit
    signed: bool = True  # whether a value above 0 has a sign
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
    return (text,) if isinstance(text, Span) else tuple(text)


_MARKS = re.compile(r"(`[^`]+`|\*\*[^*]+\*\*)")


def marked(text: str) -> tuple[Span, ...]:
    """The spans of trusted words: `Code` between backticks, `Strong` between `**`; white space is one space."""
    parts = filter(None, _MARKS.split(" ".join(text.split())))
    return tuple(
        Code(part[1:-1]) if part[0] == "`" else Strong(part[2:-2]) if part.startswith("**") else part for part in parts
    )


@dataclass(frozen=True)
class Heading:
    """A heading; in a terminal that of a table stands above it, and others are left out."""

    text: Text
    level: int = 2  # 2 for a section, 3 for one within it


@dataclass(frozen=True)
class Words:
    """A paragraph."""

    text: Text


def said(text: str) -> Words:
    """A paragraph of trusted words, see `marked`."""
    return Words(marked(text))


@dataclass(frozen=True)
class Items:
    """A list."""

    items: Sequence[Text]


@dataclass(frozen=True)
class Command:
    """A command line, or lines of Python, on lines of their own."""

    text: str


@dataclass(frozen=True)
class Table:
    """A table."""

    head: Sequence[Text]
    rows: Sequence[Sequence[Text]]
    left: int = 1  # number of the first columns that hold text; the others hold numbers
    spare: Sequence[str] = ()  # the heads of columns that are left out where a terminal has no room for them
    note: str = ""  # the words behind the widest interval, in a terminal where intervals are left out


@dataclass(frozen=True)
class Picture:
    """A picture, in a file beside the report."""

    title: str
    name: str  # its file's name, ``.png`` left out
    draw: Callable[[], bytes]  # returns the content of a PNG file
    as_report: bool = False  # whether a copy of the report has it under its own name, not under that and the picture's


Block = Heading | Words | Items | Command | Table | Picture


@dataclass(frozen=True)
class Only:
    """Blocks that only one of the renderings has, the terminal or the file."""

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
    """A report."""

    title: Text
    parts: Sequence[Block | Only]

    def blocks(self, *, terminal: bool) -> list[Block]:
        """The blocks that a file or a terminal has."""
        found: list[Block] = []
        for part in self.parts:
            if not isinstance(part, Only):
                found.append(part)
            elif part.terminal == terminal:
                found += part.blocks
        return found

    def pictures(self) -> dict[str, Callable[[], bytes]]:
        """Functions that draw the pictures, by their files' names without ``.png``."""
        return {picture.name: picture.draw for picture in self._pictures()}

    def picture_files(self, copy: str = "") -> dict[str, str]:
        """The names of the pictures' files beside a report, or beside a copy of it of a name, by the pictures' names."""
        names = {picture.name: f"{copy}_{picture.name}" if copy else picture.name for picture in self._pictures()}
        names |= {picture.name: copy for picture in self._pictures() if copy and picture.as_report}
        return {name: f"{file}.png" for name, file in names.items()}

    def _pictures(self) -> list[Picture]:
        return [block for block in self.blocks(terminal=False) if isinstance(block, Picture)]

    def names(self) -> list[str]:
        """All names in the document, each once."""
        texts: list[Text] = [self.title]
        for terminal in (False, True):
            for block in self.blocks(terminal=terminal):
                texts += _texts(block)
        return list(dict.fromkeys(span.text for text in texts for span in spans(text) if isinstance(span, Name)))


def _texts(block: Block) -> Iterable[Text]:
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

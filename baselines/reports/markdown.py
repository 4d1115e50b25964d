"""Documents as Markdown."""

from collections.abc import Mapping
from urllib.parse import quote

from cardenvs.baselines.reports.document import (
    Block,
    Code,
    Command,
    Document,
    Estimate,
    Heading,
    Items,
    Picture,
    Span,
    Strong,
    Table,
    Text,
    Words,
    spans,
)
from cardenvs.printing import code, escaped, printable, table_lines


def markdown(document: Document, pictures: Mapping[str, str | None]) -> str:
    """A document as Markdown, with the file of each picture by its name; None for one that is left out."""
    lines = [f"# {text_of(document.title)}", ""]
    for block in document.blocks(terminal=False):
        lines += _lines(block, pictures)
    return "\n".join(lines).rstrip() + "\n"


def text_of(text: Text) -> str:
    """A text as Markdown."""
    return "".join(map(_span, spans(text)))


def _span(span: Span) -> str:
    if isinstance(span, Code):
        return code(span.text)
    if isinstance(span, Strong):
        return f"**{escaped(span.text)}**"
    return escaped(span.text() if isinstance(span, Estimate) else span if isinstance(span, str) else span.text)


def _lines(block: Block, pictures: Mapping[str, str | None]) -> list[str]:
    """The lines of a block, with an empty one behind them."""
    if isinstance(block, Heading):
        return [f"{'#' * block.level} {text_of(block.text)}", ""]
    if isinstance(block, Words):
        return [text_of(block.text), ""]
    if isinstance(block, Items):
        return [*(f"- {text_of(item)}" for item in block.items), ""]
    if isinstance(block, Command):
        return [*(f"    {printable(line)}" for line in block.text.split("\n")), ""] if block.text else []
    if isinstance(block, Table):
        return table_lines(list(map(text_of, block.head)), ([*map(text_of, row)] for row in block.rows), block.left)
    assert isinstance(block, Picture)
    file = pictures[block.name]
    return [] if file is None else [f"![{escaped(block.title)}]({quote(file, errors='backslashreplace')})", ""]

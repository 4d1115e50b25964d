"""Reports written as text with placeholders, in a file beside the module that measures."""

import re
import string
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cardenvs.baselines.reports.document import (
    Block,
    Code,
    Document,
    Estimate,
    Heading,
    Items,
    Name,
    Only,
    Span,
    Strong,
    Words,
    marked,
)

_FORMATTER = string.Formatter()
_CONDITION = re.compile(r"\[(file|terminal|if|unless)(?: ([\w.]+))?\]\s+")
_INSERTED = re.compile(r"\{([\w.]+)\}")


def fill_report(path: Path, **values: Any) -> Document:
    """The report that a text with placeholders makes, filled with values.

    The text is paragraphs with empty lines between them: first ``# `` and the title, then words, lists whose lines begin
    with ``- ``, and ``## `` and ``### `` for headings, with `Code` and `Strong` between marks as in `marked`. A placeholder
    is written as in `str.format`, with the name of a value, or of an attribute or a key behind a dot:
    ``{result.deals:,}``; values may be spans, such as a `Name`. A placeholder that is a paragraph inserts blocks: one,
    several, or none for None or an empty text. A paragraph begins with ``[file]`` or ``[terminal]`` if only that rendering
    has it, with ``[if name]`` or ``[unless name]`` if it depends on a value's truth.

    Raises:
        KeyError, AttributeError: a placeholder or a condition names no value.
    """
    title, *paragraphs = filter(None, map(str.strip, path.read_text("utf-8").split("\n\n")))
    return Document(_fill_text(title.removeprefix("# "), values), [
        block for paragraph in paragraphs for block in _fill_paragraph(paragraph, values)
    ])  # fmt: skip


def _fill_paragraph(paragraph: str, values: Mapping[str, Any]) -> Iterator[Block | Only]:
    rendering = ""
    while (found := _CONDITION.match(paragraph)) is not None:
        kind, name = found.groups()
        paragraph = paragraph[found.end() :]
        if name is None:
            rendering = kind
        elif bool(_look_up(name, values)) != (kind == "if"):
            return
    for block in _read_blocks(paragraph, values):
        yield block if isinstance(block, Only) or not rendering else Only((block,), rendering == "terminal")


def _read_blocks(paragraph: str, values: Mapping[str, Any]) -> Sequence[Block | Only]:
    inserted = _INSERTED.fullmatch(paragraph)
    if inserted is not None:
        value = _look_up(inserted[1], values)
        if not value:
            return []
        if isinstance(value, Span):
            return [Words(value)]
        return [value] if isinstance(value, Block | Only) else list(value)
    marks, _, text = paragraph.partition(" ")
    if marks == "-":
        return [Items([_fill_text(item, values) for item in text.split("\n- ")])]
    if marks in ("##", "###"):
        return [Heading(_fill_text(text, values), len(marks))]
    return [Words(_fill_text(paragraph, values))]


def _fill_text(text: str, values: Mapping[str, Any]) -> tuple[Span, ...]:
    filled: list[Span] = []
    for span in marked(text):
        assert isinstance(span, (str, Code, Strong))
        for piece in _fill_words(span if isinstance(span, str) else span.text, values):
            filled.append(type(span)(piece) if isinstance(piece, str) else piece)
    return tuple(filled)


def _fill_words(text: str, values: Mapping[str, Any]) -> Iterator[Span]:
    """The words, with runs of text as one span, and the values that are spans between them."""
    run = ""
    for literal, name, form, _ in _FORMATTER.parse(text):
        run += literal
        if name is None:
            continue
        value = _look_up(name, values)
        if not isinstance(value, (Code, Strong, Name, Estimate, tuple)):
            run += format(value, form or "")
            continue
        if run:
            yield run
        run = ""
        yield from value if isinstance(value, tuple) else (value,)
    if run:
        yield run


def _look_up(name: str, values: Mapping[str, Any]) -> Any:
    first, *attributes = name.split(".")
    value = values[first]
    for attribute in attributes:
        value = value[attribute] if isinstance(value, Mapping) else getattr(value, attribute)
    return value

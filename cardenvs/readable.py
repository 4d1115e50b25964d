"""Objects as a person can read them: how results, batches and environments say what they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, ClassVar

import numpy as np

_MANY = 6
"""Of more entries than so many only the number is told."""


def brief(value: Any) -> str:
    """A value in a few words: numbers to four digits, of arrays dtype and shape, of much else how much of it there is."""
    if isinstance(value, np.ndarray):
        return f"<{value.dtype} {value.shape}>"
    if isinstance(value, float):
        return f"{value:z.4g}"
    if isinstance(value, Mapping) and len(value) <= _MANY:
        return "{" + ", ".join(f"{key!r}: {brief(one)}" for key, one in value.items()) + "}"
    if type(value) in (list, tuple) and len(value) <= _MANY:
        inside = ", ".join(map(brief, value))
        return f"[{inside}]" if type(value) is list else f"({inside})"
    if isinstance(value, (Mapping, list, tuple)):
        return f"<{len(value)} entries>"
    text = " ".join(repr(value).split())
    return text if len(text) <= 200 else f"{text[:196]} ..."


def call_text(name: str, *arguments: Any, **named: Any) -> str:
    """A call as it would be written, such as ``Batch('euchre', n=4)``."""
    return f"{name}({', '.join([*map(brief, arguments), *(f'{key}={brief(value)}' for key, value in named.items())])})"


class Readable:
    """Mixed into dataclasses (``repr=False``) that hold more than a person wants to see: one line, or a line a field."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    def __repr__(self) -> str:
        return call_text(type(self).__name__, **{field.name: getattr(self, field.name) for field in fields(self)})

    def __str__(self) -> str:
        told = {field.name: brief(getattr(self, field.name)) for field in fields(self)}
        width = max(map(len, told))
        return "\n".join([type(self).__name__, *(f"  {name:<{width}}  {text}" for name, text in told.items())])

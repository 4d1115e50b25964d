"""Sources of an observation's parts: which numbers of a view a part tells, and how its zeros and ones stand for them.

A source tells some *elements*: a field of the STATE, or those numbers of a field of several that ``at`` picks, each in as
many entries of the part as any other. `cardenvs.contract.layout` writes the kernels `observe` and `decode` from them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cardenvs.compiled.bits import lowest, popcount
from cardenvs.compiled.jit import helper

WORD = 64
"""The most entries that are written and read at once."""
_CHUNK = 32
"""The most entries of a number that are worked out at once."""

Chunk = tuple[str, int]
"""Entries of a part: an expression for them as bits of an int64, and how many there are."""


@helper
def hot_bit(value: int, first: int, width: int) -> int:
    """The set of the entry that stands for ``value``; empty where none of the ``width`` entries from ``first`` on does."""
    entry = np.int64(value) - first
    return np.int64(1) << entry if 0 <= entry < width else np.int64(0)


@helper
def hot_value(bits: int, first: int, none: int) -> int:
    """The value that the lowest entry of a set stands for; ``none`` of an empty set."""
    return first + lowest(bits) if bits != 0 else np.int64(none)


@helper
def bits_up_to(value: int, first: int, width: int) -> int:
    """The set of the entries that stand for ``first`` to ``value``."""
    count = np.int64(value) - first + 1
    if count <= 0:
        return np.int64(0)
    return (np.int64(1) << (count if count < width else width)) - 1


NAMES: dict[str, Any] = {
    "np": np, "hot_bit": hot_bit, "hot_value": hot_value, "bits_up_to": bits_up_to, "popcount": popcount,
}  # fmt: skip
"""Functions that the expressions of sources call."""


@dataclass(frozen=True)
class FieldSource(ABC):
    """A source that tells numbers of a field as they are."""

    field: str
    at: int | tuple[int, ...] | None = None

    @abstractmethod
    def chunks(self, element: str, width: int) -> list[Chunk]:
        """The entries for an element, an expression, ``width`` in all."""

    @abstractmethod
    def value(self, bits: list[str], widths: list[int]) -> str:
        """The expression for an element's value, of those for the bits of its chunks and of their widths."""

    @abstractmethod
    def allowed(self, element: str, width: int) -> str:
        """The condition that an element's value can be told in ``width`` entries."""

    def elements(self, dtype: np.dtype[Any]) -> list[str]:
        """The elements of a record of the STATE, such as ``cards[0]``, in order.

        Raises:
            ValueError: the STATE has no such field, or no such place in it.
        """
        if self.field not in (dtype.names or ()):
            raise ValueError(f"the STATE has no field {self.field!r}: its fields are {', '.join(dtype.names or ())}")
        shape = dtype[self.field].shape
        at = () if self.at is None else self.at if isinstance(self.at, tuple) else (self.at,)
        if len(at) > len(shape) or not all(0 <= k < size for k, size in zip(at, shape, strict=False)):
            raise ValueError(f"at={self.at!r} is no place in the field {self.field!r}, whose shape is {shape}")
        places = [at + rest for rest in np.ndindex(*shape[len(at) :])]
        return [f"{self.field}[{', '.join(map(str, place))}]" if place else self.field for place in places]


def _parts_of(width: int, most: int) -> list[tuple[int, int]]:
    """The first entry and the number of entries of each chunk."""
    return [(start, min(most, width - start)) for start in range(0, width, most)]


@dataclass(frozen=True)
class OneHot(FieldSource):
    """A source that tells a number by the one entry that stands for it.

    Attributes:
        field: the field of the STATE.
        at: where the numbers stand in a field of several: an index, or the first indices; None for all of them, in order.
        first: the number that the first entry stands for; the following entries stand for those that follow.
        none: the number of which all entries are 0; None where one entry is always 1.
    """

    first: int = 0
    none: int | None = None

    def chunks(self, element: str, width: int) -> list[Chunk]:
        """The entry of the number."""
        return [(f"hot_bit({element}, {self.first + start}, {size})", size) for start, size in _parts_of(width, _CHUNK)]

    def value(self, bits: list[str], widths: list[int]) -> str:
        """The number of the first entry that is 1."""
        text = str(self.first - 1 if self.none is None else self.none)
        start = sum(widths)
        for chunk, size in reversed(list(zip(bits, widths, strict=True))):
            start -= size
            text = f"hot_value({chunk}, {self.first + start}, {text})"
        return text

    def allowed(self, element: str, width: int) -> str:
        """Whether an entry stands for the number, or no entry has to."""
        told = f"{self.first} <= {element} < {self.first + width}"
        return told if self.none is None else f"({told} or {element} == {self.none})"


@dataclass(frozen=True)
class OneOf(FieldSource):
    """A source that tells a number, one of a few, by the one entry that stands for it.

    Attributes:
        field: the field of the STATE.
        at: where the numbers stand in a field of several: an index, or the first indices; None for all of them, in order.
        values: the number that each entry stands for.
    """

    values: tuple[int, ...] = ()

    def chunks(self, element: str, width: int) -> list[Chunk]:
        """The entry of the number."""
        told = (f"np.int64({element} == {value}) << {k}" for k, value in enumerate(self.values))
        return [(f"({' | '.join(told)})", width)]

    def value(self, bits: list[str], widths: list[int]) -> str:
        """The number of the first entry that is 1."""
        chosen = [f"{value} if {bits[0]} & {1 << k} else " for k, value in enumerate(self.values)]
        return "".join([*chosen, str(min(self.values) - 1)])

    def allowed(self, element: str, width: int) -> str:
        """Whether it is one of the numbers."""
        return f"{element} in {self.values}"


@dataclass(frozen=True)
class UpTo(FieldSource):
    """A source that tells a count by an entry for each number up to it.

    Attributes:
        field: the field of the STATE.
        at: where the numbers stand in a field of several: an index, or the first indices; None for all of them, in order.
        first: the number that the first entry stands for; of the number before it all entries are 0.
    """

    first: int = 1

    def chunks(self, element: str, width: int) -> list[Chunk]:
        """The entries of all numbers up to the count."""
        return [(f"bits_up_to({element}, {self.first + start}, {size})", size) for start, size in _parts_of(width, _CHUNK)]

    def value(self, bits: list[str], widths: list[int]) -> str:
        """The number of entries that are 1, from the number before the first."""
        return " + ".join([str(self.first - 1), *(f"popcount({chunk})" for chunk in bits)])

    def allowed(self, element: str, width: int) -> str:
        """Whether there are as many entries as the count needs."""
        return f"{self.first - 1} <= {element} < {self.first + width}"


@dataclass(frozen=True)
class BitSet(FieldSource):
    """A source that tells a set, a bit for each member, by an entry for each bit from the lowest on.

    Attributes:
        field: the field of the STATE.
        at: where the sets stand in a field of several: an index, or the first indices; None for all of them, in order.
    """

    def chunks(self, element: str, width: int) -> list[Chunk]:
        """The bits of the set."""
        return [(f"np.int64({element})", width)]

    def value(self, bits: list[str], widths: list[int]) -> str:
        """The set itself."""
        return bits[0]

    def allowed(self, element: str, width: int) -> str:
        """Whether the set has other members than those that have entries."""
        return f"np.int64({element}) & {~((1 << width) - 1)} == 0" if width < WORD else "True"


@dataclass(frozen=True)
class Derived:
    """A source that works a set out from the view, in which no field has it: it follows from what other parts tell.

    Attributes:
        function: ``(views, i) -> int64``, compiled: the set, a bit for each entry from the lowest on.
    """

    function: Callable[..., Any]


Source = FieldSource | Derived
"""A source of a part."""

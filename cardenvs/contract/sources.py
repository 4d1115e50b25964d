"""Sources of an observation's parts: the numbers of a view that a part shows, and their encoding as zeros and ones.

A source shows *elements*: a field of the STATE, or those numbers of an array field that ``at`` picks, each in equally
many entries of the part. `cardenvs.contract.layout` generates the kernels `observe` and `decode` from them.
"""

from __future__ import annotations

import itertools
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import numpy as np

from cardenvs.checks import is_int, short
from cardenvs.compiled.bits import lowest, popcount
from cardenvs.compiled.jit import DISABLED, helper

WORD = 64
"""Maximum number of entries that are written and read at once."""
_CHUNK = 32
"""Maximum number of entries of a number in one expression."""

Chunk = tuple[str, int]
"""Entries of a part: an expression for them as bits of an int64, and their number."""


@helper
def hot_bit(value: int, first: int, width: int) -> int:
    """Returns the set of the entry of ``value``; empty where none of the ``width`` entries from ``first`` on has it."""
    entry = np.int64(value) - first
    return np.int64(1) << entry if 0 <= entry < width else np.int64(0)


@helper
def hot_value(bits: int, first: int, none: int) -> int:
    """Returns the value of the lowest entry of a set; ``none`` for an empty set."""
    return first + lowest(bits) if bits != 0 else np.int64(none)


@helper
def bits_up_to(value: int, first: int, width: int) -> int:
    """Returns the set of the entries for ``first`` to ``value``."""
    count = np.int64(value) - first + 1
    if count <= 0:
        return np.int64(0)
    return (np.int64(1) << (count if count < width else width)) - 1


NAMES: dict[str, Any] = {
    "np": np, "AT": np.int64(0), "hot_bit": hot_bit, "hot_value": hot_value, "bits_up_to": bits_up_to, "popcount": popcount,
}  # fmt: skip
"""Names in the text of kernels; ``AT``, added to a column, makes it one for which no call is compiled apart."""


@dataclass(frozen=True)
class FieldSource(ABC):
    """A source that shows numbers of a field.

    Attributes:
        field: the field of the STATE.
        at: place of the numbers in an array field: an index or a range, or the first ones; None for all, in order.
    """

    field: str
    at: int | range | tuple[int | range, ...] | None = None

    @abstractmethod
    def chunks(self, element: str, width: int) -> list[Chunk]:
        """Returns expressions for the ``width`` entries of an element, an expression."""

    @abstractmethod
    def value(self, bits: list[str], widths: list[int]) -> str:
        """Returns the expression for an element's value from the bits of its chunks and their widths."""

    @abstractmethod
    def allowed(self, element: str, width: int) -> str:
        """Returns the condition that ``width`` entries can show an element's value."""

    def widths(self, entries: int, elements: int) -> list[int]:
        """Returns the number of entries of each element; an empty list if they cannot share so many."""
        width, rest = divmod(entries, elements)
        return [] if rest or not width else [width] * elements

    def elements(self, dtype: np.dtype[Any]) -> list[str]:
        """Returns the elements of a STATE, such as ``cards[0]``, in order; raises ValueError for a wrong field or place."""
        if self.field not in (dtype.names or ()):
            raise ValueError(f"the STATE has no field {self.field!r}: its fields are {', '.join(dtype.names or ())}")
        shape = dtype[self.field].shape
        at = () if self.at is None else self.at if isinstance(self.at, tuple) else (self.at,)
        picked = [place if isinstance(place, range) else (place,) for place in at]
        if len(at) > len(shape) or any(not 0 <= k < size for ks, size in zip(picked, shape, strict=False) for k in ks):
            raise ValueError(f"at={self.at!r} is no place in the field {self.field!r}, whose shape is {shape}")
        places = itertools.product(*picked, *map(range, shape[len(at) :]))
        return [f"{self.field}[{', '.join(map(str, place))}]" if place else self.field for place in places]

    def shown(self, dtype: np.dtype[Any]) -> list[str]:
        """Returns all elements that are read from the entries."""
        return self.elements(dtype)

    def assignments(self, element: str, bits: list[str], widths: list[int]) -> list[tuple[str, str]]:
        """Returns the elements that are read from the entries of ``element``, with the expressions for their values."""
        return [(element, self.value(bits, widths))]

    @property
    def functions(self) -> dict[str, Any]:
        """Functions in the expressions, by name."""
        return {}


def _parts_of(width: int, most: int) -> list[tuple[int, int]]:
    """Returns the first entry and the number of entries of each chunk."""
    return [(start, min(most, width - start)) for start in range(0, width, most)]


@dataclass(frozen=True)
class OneHot(FieldSource):
    """A number shown by a single entry of 1.

    Attributes:
        first: the number of the first entry; the following entries stand for the following numbers.
        none: the number shown by zeros alone; None where one entry is always 1, without which the last one is read.
    """

    first: int = 0
    none: int | None = None

    def chunks(self, element: str, width: int) -> list[Chunk]:
        # Without a branch where each number that the part can show has its bit.
        if width <= _CHUNK and self.none is None:
            return [(f"(np.int64(1) << ({element} - {self.first}))", width)]
        if width <= _CHUNK and self.none == self.first - 1:
            return [(f"(np.int64(1) << ({element} - {self.none}) >> 1)", width)]
        return [(f"hot_bit({element}, {self.first + start}, {size})", size) for start, size in _parts_of(width, _CHUNK)]

    def value(self, bits: list[str], widths: list[int]) -> str:
        start = sum(widths)
        text = str(self.first + start - 1 if self.none is None else self.none)
        for chunk, size in reversed(list(zip(bits, widths, strict=True))):
            start -= size
            text = f"hot_value({chunk}, {self.first + start}, {text})"
        return text

    def allowed(self, element: str, width: int) -> str:
        told = f"{self.first} <= {element} < {self.first + width}"
        return told if self.none is None else f"({told} or {element} == {self.none})"


@dataclass(frozen=True)
class OneOf(FieldSource):
    """One of a few numbers, shown by a single entry of 1.

    Attributes:
        values: the number of each entry; without an entry of 1 the last one is read.
    """

    values: tuple[int, ...] = ()

    def chunks(self, element: str, width: int) -> list[Chunk]:
        told = (f"np.int64({element} == {value}) << {k}" for k, value in enumerate(self.values))
        return [(f"({' | '.join(told)})", width)]

    def value(self, bits: list[str], widths: list[int]) -> str:
        *others, last = self.values
        chosen = [f"{value} if {bits[0]} & {1 << k} else " for k, value in enumerate(others)]
        return "".join([*chosen, str(last)])

    def allowed(self, element: str, width: int) -> str:
        return f"{element} in {self.values}"


@dataclass(frozen=True)
class UpTo(FieldSource):
    """A count, shown by an entry of 1 for each number up to it.

    Attributes:
        first: the number of the first entry; the number before it is shown by zeros alone.
        counts: number of entries of each number, where they differ.
    """

    first: int = 1
    counts: tuple[int, ...] = ()

    def widths(self, entries: int, elements: int) -> list[int]:
        if self.counts:
            return list(self.counts) if (len(self.counts), sum(self.counts)) == (elements, entries) else []
        return super().widths(entries, elements) if entries else [0] * elements

    def chunks(self, element: str, width: int) -> list[Chunk]:
        if width <= _CHUNK:
            return [(f"((np.int64(1) << ({element} - {self.first - 1})) - 1)", width)]
        return [(f"bits_up_to({element}, {self.first + start}, {size})", size) for start, size in _parts_of(width, _CHUNK)]

    def value(self, bits: list[str], widths: list[int]) -> str:
        return " + ".join([str(self.first - 1), *(f"popcount({chunk})" for chunk in bits)])

    def allowed(self, element: str, width: int) -> str:
        return f"{self.first - 1} <= {element} < {self.first + width}"


@dataclass(frozen=True)
class BitSet(FieldSource):
    """A set, a bit for each member, shown by an entry for each bit from the lowest on."""

    def chunks(self, element: str, width: int) -> list[Chunk]:
        return [(f"np.int64({element})", width)]

    def value(self, bits: list[str], widths: list[int]) -> str:
        return bits[0]

    def allowed(self, element: str, width: int) -> str:
        return f"np.int64({element}) & {~((1 << width) - 1)} == 0" if width < WORD else "True"


@dataclass(frozen=True, kw_only=True)
class Coded(FieldSource):
    """A number, or several, that functions of the game write and read.

    Attributes:
        write: ``(views, i, *arguments) -> int64``, compiled: the entries, a bit for each from the lowest on.
        read: ``(bits, *arguments) -> int64``, compiled: the number by its entries.
        least: the least number.
        greatest: the greatest number.
        further: other numbers that are read from the same entries: each an element, such as ``"cards[0, 1]"``, its
            ``read``, and the greatest number; the least is 0.
        arguments: ints for the functions.
    """

    write: Callable[..., Any]
    read: Callable[..., Any]
    least: int = 0
    greatest: int
    further: tuple[tuple[str, Callable[..., Any], int], ...] = ()
    arguments: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        _check_compiled(self.write, self.read, *(read for _, read, _ in self.further))

    def widths(self, entries: int, elements: int) -> list[int]:
        return super().widths(entries, elements) if entries else [0] * elements

    def chunks(self, element: str, width: int) -> list[Chunk]:
        return [(f"np.int64({_name_of('write', self.field, self.write)}({self._call('views, i')}))", width)]

    def value(self, bits: list[str], widths: list[int]) -> str:
        return self._reading(self.field, self.read, bits)

    def allowed(self, element: str, width: int) -> str:
        told = [f"0 <= v.{other} <= {greatest}" for other, _, greatest in self.further]
        return " and ".join([f"{self.least} <= {element} <= {self.greatest}", *told])

    def shown(self, dtype: np.dtype[Any]) -> list[str]:
        return [*self.elements(dtype), *(other for other, _, _ in self.further)]

    def assignments(self, element: str, bits: list[str], widths: list[int]) -> list[tuple[str, str]]:
        found = [(other, self._reading(other, read, bits)) for other, read, _ in self.further]
        return [*super().assignments(element, bits, widths), *found]

    @property
    def functions(self) -> dict[str, Any]:
        readers = [(self.field, self.read), *((other, read) for other, read, _ in self.further)]
        own = {_name_of("write", self.field, self.write): self.write}
        return own | {_name_of("read", element, read): read for element, read in readers}

    def _reading(self, element: str, read: Callable[..., Any], bits: list[str]) -> str:
        return f"{_name_of('read', element, read)}({self._call(bits[0] if bits else '0')})"

    def _call(self, first: str) -> str:
        return ", ".join([first, *map(str, self.arguments)])


def _check_compiled(*functions: Any) -> None:
    for function in functions:
        if not callable(function) or (isinstance(function, FunctionType) and not DISABLED):
            raise ValueError(f"a source takes compiled functions, not {short(function)}: put @kernel before it")


def _name_of(use: str, element: str, function: Callable[..., Any]) -> str:
    """Returns the name of a function that writes or reads an element, in the text of kernels."""
    return f"{use}_{element.partition('[')[0]}_{function.__name__}"


@dataclass(frozen=True)
class Derived:
    """A set that is computed from what other parts of the view show.

    Attributes:
        function: ``(views, i, *arguments) -> int64``, compiled: the set, a bit for each entry from the lowest on.
        arguments: ints, or other sets, each of which is computed once for all parts.
    """

    function: Callable[..., Any]
    arguments: tuple[int | Derived, ...] = ()

    def __post_init__(self) -> None:
        _check_compiled(self.function)

    @property
    def shared(self) -> list[Derived]:
        """Sets among the arguments, after those that they need themselves."""
        others = [other for other in self.arguments if isinstance(other, Derived)]
        return [one for other in others for one in (*other.shared, other)]

    def call(self, name: str) -> str:
        """Returns the expression for the set; ``name`` is that of the function."""
        told = (other.variable if isinstance(other, Derived) else str(other) for other in self.arguments)
        return f"np.int64({name}({', '.join(['views, i', *told])}))"

    @property
    def name(self) -> str:
        """Name of the function."""
        return str(self.function.__name__)

    @property
    def variable(self) -> str:
        """Variable of the set where parts share it, in the text of kernels."""
        return re.sub(r"\W", "_", f"shared_{self.call(self.name)}")


@dataclass(frozen=True)
class SideBySide:
    """Several sources in one part.

    Attributes:
        sources: sources in order, each with its number of entries.
    """

    sources: tuple[tuple[FieldSource | Derived, int], ...]

    def __post_init__(self) -> None:
        for one in self.sources:
            if not (
                isinstance(one, tuple) and len(one) == 2 and isinstance(one[0], FieldSource | Derived) and is_int(one[1])
            ):
                raise ValueError(f"SideBySide takes pairs of a source and its number of entries, not {short(one)}")


Source = FieldSource | Derived | SideBySide
"""The source of a part."""

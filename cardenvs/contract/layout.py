"""Kernels that write and read observations, generated from parts with sources."""

import functools
import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cardenvs.compiled.bits import read_bits, write_bits
from cardenvs.compiled.jit import closure
from cardenvs.contract.fields import Part
from cardenvs.contract.kernels import Kernel
from cardenvs.contract.sources import NAMES, WORD, BitSet, Chunk, Coded, Derived, FieldSource, OneOf, SideBySide

HISTORY_FIELDS = ("moves", "history")
"""Fields of a STATE that an observation without recall leaves out."""


@dataclass(frozen=True)
class Layout:
    """The parts of a game's observations, and the numbers of a view that they show.

    Neighbouring parts of one source share its entries: its numbers are shown by all of them together.

    With ``ranges`` None it is the declared piece of a layout: parts without a source, and numbers that no part shows, are
    written, read and checked by kernels of the game.

    Raises:
        ValueError: a part without a source or with the wrong number of labels, a field or a place that the STATE does not
            have, or a field whose range neither a part nor ``ranges`` gives.
    """

    game: str  # name, for messages
    dtype: np.dtype[Any]
    parts: tuple[Part, ...]  # in order, each with a source
    ranges: Mapping[str, tuple[int, int]] | None = field(default_factory=dict)  # bounds of fields that no part shows
    untold: tuple[str, ...] = ()  # fields that views have though no part shows them, or not all; the game checks them
    functions: Mapping[str, Any] = field(default_factory=dict)  # what expressions of the game's own sources call

    def __post_init__(self) -> None:
        names = self.dtype.names or ()
        for part in self.parts:
            if isinstance(part.source, SideBySide) and sum(size for _, size in part.source.sources) != part.size:
                raise ValueError(f"part {part.name!r} of {self.game} has {part.size} labels, its sources others")
        for part in _joined(self.parts):
            list(self._elements_of(part))
        if self.ranges is None:
            return
        for name in (*self.ranges, *self.untold):
            if name not in names:
                where = "ranges" if name in self.ranges else "untold"
                raise ValueError(
                    f"{where} of {self.game}: the STATE has no field {name!r}: its fields are {', '.join(names)}"
                )
        for name, bounds in self.ranges.items():
            if not (isinstance(bounds, tuple) and len(bounds) == 2 and bounds[0] <= bounds[1]):
                raise ValueError(f"ranges of {self.game}: {name!r} must have two ints, the least first, not {bounds!r}")
        for name in names:
            bounded = name in (*self.ranges, *HISTORY_FIELDS, *self.untold) or self.dtype[name].base == np.uint64
            if not bounded and not set(_all_of(self.dtype, name)) <= self._shown_elements:
                raise ValueError(
                    f"no part of an observation of {self.game} tells the field {name!r}, or not all of it: give it a part, "
                    f"or say in ranges what a state has there, as ranges={{{name!r}: (0, 51)}} does: views have 0 there"
                )

    @property
    def _own_fields(self) -> tuple[str, ...]:
        """Fields whose numbers are set and checked here, whether or not a part shows them."""
        return () if self.ranges is None else self.dtype.names or ()

    @functools.cached_property
    def _numbers(self) -> set[str]:
        """All numbers of a record, as elements of sources."""
        return {element for name in self.dtype.names or () for element in _all_of(self.dtype, name)}

    @functools.cached_property
    def _shown_elements(self) -> set[str]:
        """Numbers of a view that parts show."""
        sources = (part.source for part in _joined(self.parts))
        return {element for source in sources if isinstance(source, FieldSource) for element in source.shown(self.dtype)}

    def _elements_of(self, part: Part) -> Iterator[tuple[str, int]]:
        """Yields the numbers of a record that a part shows, each with its number of entries; none of a derived part."""
        where = f"part {part.name!r} of {self.game}"
        if part.source is None and self.ranges is None:
            return
        if isinstance(part.source, Derived):
            if not 0 < part.size <= WORD:
                raise ValueError(f"{where}: what is worked out has 1 to {WORD} labels, not {part.size}")
            return
        if not isinstance(part.source, FieldSource):
            raise ValueError(f"{where} must have a source, such as OneHot, UpTo, BitSet or Derived, not {part.source!r}")
        try:
            elements = part.source.elements(self.dtype)
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None
        for element in part.source.shown(self.dtype):
            if element not in self._numbers:
                raise ValueError(f"{where}: the STATE has no number {element!r}")
        widths = part.source.widths(part.size, len(elements))
        if not widths:
            raise ValueError(f"{where}: {len(elements)} numbers of {part.source.field!r} cannot share {part.size} labels")
        if isinstance(part.source, BitSet) and widths[0] > WORD:
            raise ValueError(f"{where}: a set has at most {WORD} labels, not {widths[0]}")
        if isinstance(part.source, Coded) and (len(elements) > 1 or widths[0] > WORD):
            raise ValueError(
                f"{where}: functions write one number to 1 to {WORD} labels, not {len(elements)} to {part.size}"
            )
        if isinstance(part.source, OneOf) and not widths[0] == len(part.source.values) <= WORD:
            raise ValueError(f"{where}: {len(part.source.values)} values of {part.source.field!r} have {widths[0]} labels")
        yield from zip(elements, widths, strict=True)

    def _runs(self) -> Iterator[tuple[int, list[Part]]]:
        """Yields the parts with sources that stand side by side, each time with the column of the first one."""
        column = 0
        for has_source, run in itertools.groupby(self.parts, lambda part: part.source is not None):
            parts = _joined(list(run))
            if has_source:
                yield column, parts
            column += sum(part.size for part in parts)

    # --- the text of the kernels ---

    def _chunks_of(self, part: Part) -> list[Chunk]:
        """Returns expressions for the entries of a part, each with its number of entries."""
        if isinstance(part.source, Derived):
            return [(part.source.call(_derived_name(part)), part.size)]
        return [chunk for element, width in self._elements_of(part) for chunk in _chunks(part, f"v.{element}", width)]

    def _write_lines(self, parts: Sequence[Part], column: str) -> list[str]:
        """Returns the lines that write parts of the record ``v`` to ``out[row, column:]``, up to 64 entries at once. Where
        there is room, more is written than a word has, which is faster; the next word overwrites it."""
        joined = _joined(parts)
        shared = {one: None for part in joined if isinstance(part.source, Derived) for one in part.source.shared}
        lines = [f"{one.variable} = {one.call(one.name)}" for one in shared]
        at, size_of_all = 0, sum(part.size for part in parts)
        for word in _pack_words([chunk for part in joined for chunk in self._chunks_of(part)]):
            terms, width = [], 0
            for text, size in word:
                terms.append(f"{text} << {width}" if width else text)
                width += size
            lines.append(
                f"write_bits(out, row, {column} + {at}, {' | '.join(terms)}, {_rounded_width(width, size_of_all - at)})"
            )
            at += width
        return lines

    def _read_lines(self) -> list[str]:
        """Returns the lines that set the record ``v`` to 0 where no part shows it, and read it from an observation."""
        lines, bits = [], []
        for at, parts in self._runs():
            end = at + sum(part.size for part in parts)
            for word in _pack_words([chunk for part in parts for chunk in self._chunks_of(part)]):
                name, width = f"word_{at}", 0
                for _, size in word:
                    bits.append((f"{name} >> {width} & {(1 << size) - 1}" if size < WORD else name, size))
                    width += size
                lines.append(f"{name} = read_bits(observations, row, {at}, {_rounded_width(width, end - at)})")
                at += width
        left = iter(bits)
        for part in (part for _, parts in self._runs() for part in parts):
            if isinstance(part.source, Derived):
                next(left)
                continue
            assert isinstance(part.source, FieldSource)
            for element, width in self._elements_of(part):
                own = [next(left) for _ in _chunks(part, "", width)]
                found = part.source.assignments(element, [text for text, _ in own], [size for _, size in own])
                lines += [f"v.{name} = {text}" for name, text in found]
        return self._clear_lines() + lines

    def _clear_lines(self) -> list[str]:
        """Returns the lines that set to 0 the fields of the record ``v`` that no part shows, or not all of them."""
        lines: list[str] = []
        for name in self._own_fields:
            if not set(_all_of(self.dtype, name)) <= self._shown_elements:
                lines += _loops(self.dtype[name].shape, f"v.{name}{{0}} = 0")
        return lines

    def _range_lines(self) -> list[str]:
        """Returns the lines that return the first part with an impossible number in the record ``v``."""
        lines, numbers = [], {part.name: number for number, part in enumerate(self.parts)}
        for part in _joined(self.parts):
            if not isinstance(part.source, FieldSource) or part.source.field in self.untold:
                continue
            name, number = part.source.field, numbers[part.name]
            for element, width in self._elements_of(part):
                told = part.source.allowed(f"v.{element}", width)
                if self.ranges and name in self.ranges:
                    told = f"({self._in_range(name, element)} if whole else {told})"
                lines += [f"if not ({told}):", f"    return {number}"]
        for name in self._own_fields:
            for element in _all_of(self.dtype, name):
                if name in (*HISTORY_FIELDS, *self.untold) or element in self._shown_elements:
                    continue
                told = self._in_range(name, element) if self.ranges and name in self.ranges else "True"
                allowed = f"{told} if whole else v.{element} == 0"
                lines += [f"if not ({allowed}):", f"    return {len(self.parts) + 1}"]
        return lines

    def _in_range(self, name: str, element: str) -> str:
        assert self.ranges is not None
        least, greatest = self.ranges[name]
        return f"{least} <= v.{element} <= {greatest}"

    # --- the kernels ---

    def _compile(self, module: str, head: str, lines: Sequence[str], record: str, parts: Sequence[Part]) -> Kernel:
        """Compiles a function; it is counted to the module of the game's kernels."""
        names: dict[str, Any] = NAMES | dict(self.functions) | {"write_bits": write_bits, "read_bits": read_bits}
        for part in _joined(parts):
            called: dict[str, Any] = {}
            if isinstance(part.source, Derived):
                called = {_derived_name(part): part.source.function}
                called |= {one.name: one.function for one in part.source.shared}
            elif isinstance(part.source, FieldSource):
                called = part.source.functions
            for own_name, function in called.items():
                if names.setdefault(own_name, function) is not function:
                    raise ValueError(f"part {part.name!r} of {self.game}: two functions are called {function.__name__}")
        return _compile(f"{module}:{self.game}.layout", head, [f"v = {record}", *lines], names)

    def observe_kernel(self, module: str) -> Kernel:
        """Returns the kernel `cardenvs.contract.kernels.Kernels.observe`."""
        lines = [line for column, parts in self._runs() for line in self._write_lines(parts, f"AT + {column}")]
        return self._compile(module, "observe(views, i, out, row)", lines, "views[i]", self.parts)

    def decode_kernel(self, module: str) -> Kernel:
        """Returns the kernel `cardenvs.contract.kernels.Kernels.decode`."""
        return self._compile(module, "decode(observations, row, views, j)", self._read_lines(), "views[j]", self.parts)

    def range_kernel(self, module: str) -> Kernel:
        """Returns a kernel ``bounds(games, i, whole) -> int``: as `Kernels.flaw`, by single numbers."""
        return self._compile(module, "bounds(games, i, whole)", [*self._range_lines(), "return -1"], "games[i]", ())

    def writer_kernel(self, module: str, name: str, parts: Sequence[Part]) -> Kernel:
        """Returns a kernel ``(views, i, out, row, column)`` that writes some parts to ``out[row, column:]``."""
        lines = self._write_lines(parts, "column")
        return self._compile(module, f"{name}(views, i, out, row, column)", lines, "views[i]", parts)


def comparison_kernel(name: str, dtype: np.dtype[Any]) -> Kernel:
    """Returns a kernel ``same(games, i, others, j) -> bool``: whether two records are equal in all fields. ``name`` begins
    with the module that it is counted to, and a colon."""
    lines = ["v, w = games[i], others[j]"]
    for one in dtype.names or ():
        lines += _loops(dtype[one].shape, f"if v.{one}{{0}} != w.{one}{{0}}:", "  return False")
    return _compile(name, "same(games, i, others, j)", [*lines, "return True"], {})


def _loops(shape: tuple[int, ...], *lines: str) -> list[str]:
    """Returns lines within loops over the places of an array; ``{0}`` stands for a place, nothing where there are none."""
    heads = [f"{' ' * axis}for k{axis} in range({size}):" for axis, size in enumerate(shape)]
    place = f"[{', '.join(f'k{axis}' for axis in range(len(shape)))}]" if shape else ""
    return [*heads, *(" " * len(shape) + line.format(place) for line in lines)]


def _compile(name: str, head: str, lines: Sequence[str], names: dict[str, Any]) -> Kernel:
    own_name = head.partition("(")[0]
    text = "\n    ".join([f"def {head}:", *lines, ""])
    exec(compile(text, f"<{own_name} of {name}>", "exec"), names)
    made: Callable[..., Any] = names[own_name]
    return closure(f"{name}.{own_name}")(made)


def _joined(parts: Sequence[Part]) -> list[Part]:
    """Returns the parts, neighbours of one source as one part with the name of the first, and a part for each source of
    those that have several."""
    runs = (list(run) for _, run in itertools.groupby(parts, key=lambda part: part.source))
    joined = (replace(run[0], labels=tuple(label for part in run for label in part.labels)) for run in runs)
    return [one for part in joined for one in _pieces(part)]


def _pieces(part: Part) -> Iterator[Part]:
    """Yields a part for each of the sources of one."""
    if not isinstance(part.source, SideBySide):
        yield part
        return
    start = 0
    for source, size in part.source.sources:
        yield replace(part, labels=part.labels[start : start + size], source=source)
        start += size


def _chunks(part: Part, element: str, width: int) -> list[Chunk]:
    """Returns the chunks of an element of a part; none where it has no entries."""
    assert isinstance(part.source, FieldSource)
    return part.source.chunks(element, width) if width else []


def _all_of(dtype: np.dtype[Any], name: str) -> list[str]:
    return BitSet(name).elements(dtype)


def _rounded_width(width: int, room: int) -> int:
    """Returns the number of entries to write or read at once: a power of two, if there is room for it."""
    return next((size for size in (8, 16, 32, WORD) if width <= size <= room), width)


def _derived_name(part: Part) -> str:
    assert isinstance(part.source, Derived)
    return re.sub(r"\W", "_", f"derived_{part.name}_{part.source.name}")


def _pack_words(chunks: Sequence[tuple[str, int]]) -> list[list[tuple[str, int]]]:
    """Groups chunks into words of at most 64 entries."""
    words: list[list[tuple[str, int]]] = []
    room = 0
    for text, size in chunks:
        if size > room:
            words.append([])
            room = WORD
        words[-1].append((text, size))
        room -= size
    return words

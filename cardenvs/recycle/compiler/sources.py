"""Sources of a described game's observation parts beside those of `cardenvs.contract.sources`."""

from collections.abc import Iterator
from dataclasses import dataclass

from cardenvs.contract.sources import BitSet, Chunk, FieldSource

_MOST_TOGETHER = 32  # the most entries of a number in one expression


@dataclass(frozen=True)
class Signed(BitSet):
    """A number in binary, an entry for each bit from the lowest on, the last one for numbers below 0."""

    def chunks(self, element: str, width: int) -> list[Chunk]:
        return [(f"(np.int64({element}) & {(1 << width) - 1})", width)]

    def value(self, bits: list[str], widths: list[int]) -> str:
        sign = 1 << (widths[0] - 1)
        return f"(({bits[0]}) ^ {sign}) - {sign}"

    def allowed(self, element: str, width: int) -> str:
        return f"{-(1 << (width - 1))} <= {element} < {1 << (width - 1)}"


@dataclass(frozen=True)
class Words(BitSet):
    """A set in several numbers of ``bits`` bits, an entry for each member from the lowest bit of the first number on."""

    bits: int = 64

    def widths(self, entries: int, elements: int) -> list[int]:
        return [min(self.bits, entries - self.bits * k) for k in range(elements)]


@dataclass(frozen=True)
class Listed(FieldSource):
    """One of ``values``, ascending, shown by a single entry of 1; the number ``none`` by zeros alone."""

    values: tuple[int, ...] = ()
    none: int | None = None

    @property
    def _runs(self) -> Iterator[tuple[int, int]]:
        """Yields the first number and the length of each run of consecutive values."""
        start = 0
        for k in range(1, len(self.values) + 1):
            if k == len(self.values) or self.values[k] != self.values[k - 1] + 1 or k - start == _MOST_TOGETHER:
                yield self.values[start], k - start
                start = k

    def chunks(self, element: str, width: int) -> list[Chunk]:
        return [(f"hot_bit({element}, {first}, {size})", size) for first, size in self._runs]

    def value(self, bits: list[str], widths: list[int]) -> str:
        text = str(self.values[0] - 1 if self.none is None else self.none)
        for chunk, (first, _) in reversed(list(zip(bits, self._runs, strict=True))):
            text = f"hot_value({chunk}, {first}, {text})"
        return text

    def allowed(self, element: str, width: int) -> str:
        told = [f"{first} <= {element} < {first + size}" for first, size in self._runs]
        return f"({' or '.join([*told, *([] if self.none is None else [f'{element} == {self.none}'])])})"


@dataclass(frozen=True)
class PrivateValue(Listed):
    """A private bin: its value, or in the last entry that it is hidden. ``veiled(views, i, secret)`` tells which."""

    secret: int = 0  # the bin's number among the private ones

    def chunks(self, element: str, width: int) -> list[Chunk]:
        hidden = f"veiled(views, i, {self.secret})"
        shown = [(f"(np.int64(0) if {hidden} else {text})", size) for text, size in super().chunks(element, width)]
        return [*shown, (f"np.int64({hidden})", 1)]

    def value(self, bits: list[str], widths: list[int]) -> str:
        return super().value(bits[:-1], widths[:-1])

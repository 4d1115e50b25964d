"""Finished pieces of a study, as arrays, and the chunks of them that workers hand over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, Protocol, Self, TypeVar

import numpy as np

from cardenvs.baselines.reports.columns import Row


class Rows(Protocol):
    """Finished pieces: an object of arrays, most of them with a row for each piece."""

    BY_PIECE: ClassVar[tuple[str, ...]]  # the names of the arrays with a row for each piece

    @property
    def size(self) -> int:
        """Number of pieces."""

    def sums(self) -> list[str]:
        """The names of the other arrays, which are sums over the pieces."""

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """The pieces of several objects as one, in the order given."""


RowsType = TypeVar("RowsType", bound=Rows)


class Pieces:
    """Mixed into frozen dataclasses whose fields are arrays with a row for each piece, and that are `Rows` by it."""

    BY_PIECE: ClassVar[tuple[str, ...]]

    @property
    def size(self) -> int:
        """Number of pieces."""
        return len(getattr(self, self.BY_PIECE[0]))

    def sums(self) -> list[str]:
        """The names of the arrays that are sums over the pieces: none."""
        return []

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Pieces one behind the other; ints of any size as int64."""
        arrays = (np.concatenate([getattr(part, name) for part in parts]) for name in cls.BY_PIECE)
        return cls(*(array.astype(np.int64) if array.dtype.kind == "i" else array for array in arrays))


@dataclass(frozen=True)
class Chunk(Generic[RowsType]):
    """The pieces with which a task begins, as far as a worker finished them, and what stopped it, if anything did."""

    rows: RowsType | None  # the finished pieces; None if there are none
    error: str = ""  # the message of the error that stopped the worker; empty if none did
    bug: bool = False  # whether the error is a failure of the program, not wrong input
    forfeit: Row | None = None  # how the unit was forfeited (`Forfeited`); None if it was not

    @property
    def size(self) -> int:
        """Number of finished pieces."""
        return 0 if self.rows is None else self.rows.size

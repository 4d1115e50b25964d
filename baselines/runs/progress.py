"""Progress of work, told as it goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Count = Callable[[float, str | None], None]
"""A function that moves a progress bar on: the pieces finished since the last call, parts of long ones, and what to call it
from now on."""


@contextmanager
def part_of(progress: Count | None, what: str, pieces: int, total: int = 1) -> Iterator[Callable[[int], None]]:
    """A part of some work, at whose end all its pieces count as finished, however many were counted.

    Args:
        progress: is told how far the work is; None: nobody is.
        what: what the part is called.
        pieces: the most pieces that it has.
        total: the number of pieces whose share is told; 1: their number is.

    Yields:
        The function that is called with the number of pieces finished since the last call.
    """
    left = pieces

    def count(more: int) -> None:
        """Counts finished pieces."""
        nonlocal left
        left -= more
        if progress is not None:
            progress(more / total, what)

    count(0)
    yield count
    count(left)

"""Progress of work, told as it goes on."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Count = Callable[[float, str | None], None]
"""A function that moves a progress bar on, by pieces (or parts of a piece) finished since the last call, and names it."""


@contextmanager
def part_of(progress: Count | None, what: str, pieces: int, total: int = 1) -> Iterator[Callable[[int], None]]:
    """A part of some work, at whose end all its pieces count as finished, however many were counted.

    Args:
        what: the name of the part.
        pieces: the most pieces that it has.
        total: the number that counts are divided by, such as all pieces of the work.

    Yields:
        The function that is called with the number of pieces finished since the last call.
    """
    left = pieces

    def count(more: int) -> None:
        nonlocal left
        left -= more
        if progress is not None:
            progress(more / total, what)

    count(0)
    yield count
    count(left)

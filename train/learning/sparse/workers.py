"""Threads among which the decisions of a rollout or a minibatch are divided, each computing its part from end to end.

Torch divides every single operation among its threads and waits for all of them after it; with networks this small the
waiting takes as long as the work. Here each thread takes a share of the rows through all layers and back.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

import torch

T = TypeVar("T")


class Workers:
    """A group of as many threads as torch was given, the calling thread among them.

    Attributes:
        count: how many there are.

    Args:
        pool: runs all parts but the first; None if there is one thread only.
        count: how many threads there are.
    """

    def __init__(self, pool: ThreadPoolExecutor | None, count: int) -> None:
        self._pool, self.count = pool, count

    def run(self, part: Callable[[slice], T], n: int) -> list[T]:
        """Calls a function with each thread's share of ``n`` rows; returns the results in their order.

        Args:
            part: called with the rows of a share; it lets the others run while it computes (kernels and torch do).
            n: how many rows there are, at least 1; fewer than threads are divided among as many threads.

        Raises:
            Exception: whatever ``part`` raises, after all parts have ended.
        """
        shares = min(self.count, n)
        borders = [n * k // shares for k in range(shares + 1)]
        slices = [slice(*border) for border in itertools.pairwise(borders)]
        if self._pool is None:
            return [part(rows) for rows in slices]
        others = [self._pool.submit(part, rows) for rows in slices[1:]]
        try:
            first = part(slices[0])
        finally:
            for other in others:
                other.exception()
        return [first, *(other.result() for other in others)]


@contextmanager
def workers(device: torch.device) -> Iterator[Workers]:
    """Takes torch's threads for `Workers`, and gives them back to torch at the end.

    Args:
        device: where the networks are; another device than the processor is busy with the work of one thread.
    """
    threads = torch.get_num_threads()
    count = threads if device.type == "cpu" else 1
    if count == 1:
        yield Workers(None, 1)
        return
    torch.set_num_threads(1)
    try:
        # A new thread would give the libraries under torch as many threads as there are cores.
        with ThreadPoolExecutor(count - 1, "learning", lambda: torch.set_num_threads(1)) as pool:
            yield Workers(pool, count)
    finally:
        torch.set_num_threads(threads)

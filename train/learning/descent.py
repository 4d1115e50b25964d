"""Steps down a gradient, with the rows of a minibatch divided among threads, each computing its part from end to end.

Torch divides every single operation among its threads and waits for all of them after it; with networks this small the
waiting takes as long as the work. Here each thread takes a share of the rows through all layers and back.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from typing import TypeVar

import torch
from torch import Tensor, nn

T = TypeVar("T")

Loss = Callable[[slice], tuple[Tensor, Tensor]]
"""A function from a share of a minibatch's rows to its part of the loss and figures that add up over shares, float (k,)."""


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


def reduced(device: torch.device, bfloat16: bool) -> AbstractContextManager[object]:
    """Has layers multiply in bfloat16, in the calling thread; the weights themselves and running sums stay float32.

    Args:
        device: where the networks are.
        bfloat16: whether to; if not nothing changes.
    """
    return torch.autocast(device.type, torch.bfloat16, enabled=bfloat16)


def descend(
    parameters: Sequence[nn.Parameter],
    optimizer: torch.optim.Optimizer,
    loss: Loss,
    n: int,
    threads: Workers,
    max_grad_norm: float,
) -> Tensor:
    """Takes one step of an optimizer.

    Args:
        parameters: what the loss depends on.
        optimizer: takes the step.
        loss: the loss of a share of the rows.
        n: how many rows the minibatch has.
        threads: divide the rows among themselves.
        max_grad_norm: longest gradient; a longer one is shortened to this.

    Returns:
        The further figures of all rows, float (k,).
    """

    def gradients(rows: slice) -> tuple[tuple[Tensor, ...], Tensor]:
        """The gradients of a share of the rows, and its further figures."""
        value, figures = loss(rows)
        return torch.autograd.grad(value, parameters), figures.detach()

    (total, figures), *others = threads.run(gradients, n)
    for part, more in others:
        torch._foreach_add_(list(total), list(part))
        figures = figures + more
    for parameter, gradient in zip(parameters, total, strict=True):
        parameter.grad = gradient
    nn.utils.clip_grad_norm_(parameters, max_grad_norm)
    optimizer.step()
    return figures

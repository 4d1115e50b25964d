"""Gradient steps, with the rows of a minibatch divided among threads, each computing its part from end to end.

Torch waits for all its threads after every operation, which takes as long as the work with networks this small.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from typing import TypeVar

import torch
from torch import Tensor, nn

T = TypeVar("T")

# From a share of a minibatch's rows to its part of the loss and figures that add up over shares, float (k,).
Loss = Callable[[slice], tuple[Tensor, Tensor]]


class Workers:
    """A group of ``count`` threads, the calling one included; ``pool`` runs all parts but the first (None for one)."""

    def __init__(self, pool: ThreadPoolExecutor | None, count: int) -> None:
        self._pool, self.count = pool, count

    def run_shares(self, part: Callable[[slice], T], n: int) -> list[T]:
        """Calls a function with each thread's share of ``n`` rows, at least 1; returns the results in their order. ``part``
        should release the interpreter while it computes, as kernels and torch do. What it raises comes after all parts have
        ended."""
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
def use_workers(device: torch.device) -> Iterator[Workers]:
    """Takes torch's threads for `Workers`, and gives them back at the end; a device other than the processor takes one."""
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


def reduced_precision(device: torch.device, bfloat16: bool) -> AbstractContextManager[object]:
    """Has layers multiply in bfloat16 in the calling thread, if ``bfloat16``; weights and running sums stay float32."""
    return torch.autocast(device.type, torch.bfloat16, enabled=bfloat16)


def take_gradient_step(
    parameters: Sequence[nn.Parameter],
    optimizer: torch.optim.Optimizer,
    loss: Loss,
    n: int,
    threads: Workers,
    max_grad_norm: float,
) -> Tensor:
    """Takes one step of an optimizer down the loss of ``n`` rows, divided among threads, with gradients clipped. Returns
    the further figures of all rows, float (k,)."""

    def share_gradients(rows: slice) -> tuple[tuple[Tensor, ...], Tensor]:
        value, figures = loss(rows)
        return torch.autograd.grad(value, parameters), figures.detach()

    (total, figures), *others = threads.run_shares(share_gradients, n)
    for part, more in others:
        torch._foreach_add_(list(total), list(part))
        figures = figures + more
    for parameter, gradient in zip(parameters, total, strict=True):
        parameter.grad = gradient
    nn.utils.clip_grad_norm_(parameters, max_grad_norm)
    optimizer.step()
    return figures

"""One step down a gradient, whose rows several threads share, in bfloat16 where the settings and the device have it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

import torch
from torch import Tensor, nn

from cardenvs.train.learning.sparse.workers import Workers

Loss = Callable[[slice], tuple[Tensor, Tensor]]
"""A function from a share of a minibatch's rows to its part of the loss and figures that add up over shares, float (k,)."""


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

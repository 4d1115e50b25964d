"""The compiled loss beside torch's own operations, which it is made of on other devices."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
import torch

from cardenvs.train.learning.loss import FIGURES, Decisions, ppo_loss

pytestmark = pytest.mark.nojit


def some_decisions(n: int, actions: int) -> tuple[torch.Tensor, torch.Tensor, Decisions]:
    """Logits, values, and decisions in which every case of the loss comes up, float64."""
    rng = np.random.default_rng(n)
    legal = rng.random((n, actions)) < 0.3
    taken = rng.integers(0, actions, n)
    legal[np.arange(n), taken] = True
    legal[0] = False
    legal[0, taken[0]] = True  # no choice
    logits = rng.normal(0, 2, (n, actions))
    logits[-1] *= 100  # chances that are nearly 0
    chosen = torch.log_softmax(torch.where(torch.from_numpy(legal), torch.from_numpy(logits), -1e8), 1)
    before = chosen[np.arange(n), taken] + torch.from_numpy(rng.normal(0, 0.3, n))
    advantages = rng.normal(0, 1, n)
    advantages[::7] = 0.0
    returns, values = (torch.from_numpy(rng.normal(0, 2, n)) for _ in range(2))
    decisions = Decisions(
        torch.from_numpy(taken), torch.from_numpy(legal), before, torch.from_numpy(advantages), returns
    )  # fmt: skip
    return torch.from_numpy(logits), values, decisions


@pytest.mark.parametrize("n", [1, 400])
@pytest.mark.parametrize(("ent_coef", "vf_coef"), [(0.0, 0.5), (0.5, 0.05), (0.015, 0.0)])
def test_the_compiled_loss_is_torchs(n: int, ent_coef: float, vf_coef: float) -> None:
    logits, values, decisions = some_decisions(n, 35)
    told: list[Any] = []
    for kind in (torch.float64, torch.float32):
        given = [tensor.to(kind).requires_grad_() for tensor in (logits, values)]
        cast = {field.name: getattr(decisions, field.name) for field in fields(decisions)}
        cast |= {name: tensor.to(kind) for name, tensor in cast.items() if tensor.is_floating_point()}
        loss, figures = ppo_loss(*given, Decisions(**cast), 2 * n, 0.2, ent_coef, vf_coef)
        assert loss.dtype == figures.dtype == kind and not loss.isnan()
        told.append((loss.detach(), figures.detach(), *torch.autograd.grad(3 * loss, given)))
    for theirs, mine in zip(*told, strict=True):
        torch.testing.assert_close(mine.double(), theirs, rtol=1e-4, atol=1e-4 * float(theirs.abs().max()))
    if n > 1:
        assert 0.1 < told[1][1][FIGURES.index("clip_fraction")] < 0.9 / 2
        assert (told[1][2][~decisions.legal] == 0).all()


def test_decisions_are_copied() -> None:
    *_, decisions = some_decisions(20, 5)
    some = decisions.take(np.array([3, 3, 1]))
    some.advantages.fill_(7.0)
    assert (decisions.advantages != 7.0).all()
    assert torch.equal(some.actions, decisions.actions[[3, 3, 1]])

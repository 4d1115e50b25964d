"""The compiled loss beside torch's own operations, which it is made of on other devices; draws beside torch's softmax."""

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
import torch

from cardenvs.train.learning.loss import FIGURES, Decisions, draw_actions, masked_log_softmax, ppo_loss

pytestmark = pytest.mark.compiled


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
    some = decisions.select_decisions(np.array([3, 3, 1]))
    some.advantages.fill_(7.0)
    assert (decisions.advantages != 7.0).all()
    assert torch.equal(some.actions, decisions.actions[[3, 3, 1]])


def test_actions_are_drawn_by_the_softmax() -> None:
    """Draws spread evenly give every action as often as its chance says, to one draw."""
    rng = np.random.default_rng(1)
    n = 2000
    for logits in (rng.normal(0, 3, 9), np.zeros(9), np.array([80.0, -80, 0, 80, 1, 2, 3, 4, 5])):
        legal = np.array([1, 0, 1, 1, 0, 1, 1, 0, 1], bool)
        rows, masks = np.tile(logits.astype(np.float32), (n, 1)), np.tile(legal, (n, 1))
        actions, log_probs = draw_actions(rows, masks, (np.arange(n) + 0.5) / n)
        expected = masked_log_softmax(torch.from_numpy(rows), torch.from_numpy(masks))
        counts = np.bincount(actions, minlength=9)
        assert (np.abs(counts - n * expected[0].exp().numpy()) <= 1).all()
        assert (counts[~legal] == 0).all()
        chosen = expected.gather(1, torch.from_numpy(actions)[:, None])[:, 0].numpy()
        np.testing.assert_allclose(log_probs, chosen, rtol=1e-5, atol=1e-6)


def test_the_ends_of_the_range() -> None:
    logits, masks = np.zeros((2, 3), np.float32), np.array([[0, 1, 1], [0, 1, 1]], bool)
    actions, log_probs = draw_actions(logits, masks, np.array([0.0, np.nextafter(1.0, 0.0)]))
    assert actions.tolist() == [1, 2]
    np.testing.assert_allclose(log_probs, np.log([0.5, 0.5]), rtol=1e-6)
    alone = draw_actions(np.full((1, 3), -7, np.float32), np.array([[0, 0, 1]], bool), np.array([0.999]))
    assert alone[0].tolist() == [2] and alone[1].tolist() == [0.0]

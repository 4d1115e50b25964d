"""Rows as lists of their entries, beside torch's own layers."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from cardenvs.train import Config, Training
from cardenvs.train.learning.descent import Workers, reduced_precision
from cardenvs.train.learning.rows import DenseRows, SparseRows

pytestmark = pytest.mark.compiled

ALONE = Workers(None, 1)
CPU = torch.device("cpu")


def some_rows(n: int, inputs: int) -> np.ndarray:
    """Mostly zeros; the others not all 1, as the entries of described games."""
    rng = np.random.default_rng(3)
    rows = np.where(rng.random((n, inputs)) < 0.15, rng.integers(-128, 128, (n, inputs)), 0).astype(np.int8)
    rows[5] = 0
    rows[:, 7] = 1
    return rows


def check_layer(layer: nn.Linear, listed: Any, rows: np.ndarray, near: float) -> None:
    """Listed rows come to what the layer makes of dense ones, and to the same gradients of a weighted sum of that."""
    found, expected = listed.apply_linear(layer), layer(torch.from_numpy(rows).float())
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)
    weights = torch.randn(expected.shape)
    mine, theirs = (torch.autograd.grad((one * weights).sum(), list(layer.parameters())) for one in (found, expected))
    for gradient, wanted in zip(mine, theirs, strict=True):
        torch.testing.assert_close(gradient, wanted, rtol=1e-4, atol=near)
        assert gradient.is_contiguous()


@pytest.mark.parametrize(("inputs", "outputs"), [(200, 64), (200, 70), (90, 16), (20, 128)])
def test_layers_and_gradients_are_torchs(inputs: int, outputs: int) -> None:
    rows = some_rows(50, 200)
    chosen = np.random.default_rng(0).permutation(50)[:40]
    for listed in (SparseRows.from_rows(rows, ALONE), DenseRows(torch.from_numpy(rows))):
        check_layer(nn.Linear(inputs, outputs), listed.select_rows(chosen), rows[chosen, :inputs], 1e-3)


@pytest.mark.parametrize("inputs", [150, 100])
def test_sets_of_holders_are_seen_at_a_time(inputs: int) -> None:
    """As one entry for each card, but in rows with other entries than 0 and 1."""
    first, cards = 11, 24
    rng = np.random.default_rng(2)
    rows = (rng.random((60, 150)) < 0.5).astype(np.int8)
    rows[40:, first + 5] = -3
    rows[50:, first + cards + 5] = 2
    sparse = SparseRows.from_rows(rows, ALONE, first, cards)
    could = rows[:, first : first + 3 * cards].reshape(60, 3, cards)
    saved = np.where(np.isin(could, (0, 1)).all((1, 2)), could.sum((1, 2)) - could.any(1).sum(1), 0)
    assert saved.sum() > 500 and sparse.ends[-1] == len(rows) + (rows != 0).sum() - saved.sum()
    chosen = rng.permutation(60)
    check_layer(nn.Linear(inputs, 40), sparse.select_rows(chosen), rows[chosen, :inputs], 1e-4)


def test_rows_of_rows() -> None:
    rows = some_rows(20, 100)
    sparse = SparseRows.from_rows(rows, ALONE)
    assert len(sparse) == 20 and len(sparse.select_rows(np.array([3, 3, 1]))) == 3
    layer = nn.Linear(100, 8)
    twice = sparse.select_rows(np.arange(10, 20)).select_rows(np.array([9, 0]))
    torch.testing.assert_close(twice.apply_linear(layer), sparse.apply_linear(layer)[[19, 10]])


def assert_near(mine: Any, theirs: Any, share: float) -> None:
    """Whether two lists of gradients differ by no more than a share of the largest in each tensor."""
    for found, expected in zip(mine, theirs, strict=True):
        assert found.is_contiguous() and found.dtype == expected.dtype == torch.float32
        torch.testing.assert_close(found, expected, rtol=0, atol=share * float(expected.abs().max()) + 1e-9)


@pytest.mark.parametrize(
    "settings",
    [
        {"game": "euchre", "net": (24, 16)},
        {"game": "euchre", "net": (24,), "activation": "tanh", "recall": True},
        {"game": "whist", "net": (70, 40, 20), "critic": "seat"},
        {"game": "five-o", "net": (16, 12)},
        pytest.param({"game": "kuhn-poker", "net": (40, 30)}, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("bfloat16", [False, True])
def test_policies_learn_the_same_from_dense_rows(settings: dict[str, Any], bfloat16: bool, tmp_path: Path) -> None:
    """Dense rows go through torch's modules, in bfloat16 through those of its autocast."""
    config: Any = {"games": 64, "rollout": 8, "threads": 1, "eval_deals": 5, "device": "cpu"} | settings
    training = Training(Config(**config), tmp_path)
    policy: Any = training.model.policy
    with torch.no_grad():
        for parameter in policy.parameters():
            parameter.add_(0.05 * torch.randn(parameter.shape))
    observations = training.env.reset()
    rng = np.random.default_rng(0)
    for _ in range(9):
        masks = training.env.action_masks()
        observations = training.env.step((rng.random(masks.shape) * masks).argmax(1))[0]
    outputs, found = [], []
    for rows in (policy.prepare_rows(observations, ALONE), DenseRows(torch.from_numpy(observations))):
        with reduced_precision(CPU, bfloat16):
            logits, values = policy.logits(rows), policy.critic_values(rows)
        assert logits.dtype == values.dtype == torch.float32
        loss = (logits * torch.linspace(-1, 1, logits.numel()).reshape(logits.shape)).sum() + values.square().sum()
        outputs.append((logits.detach(), values.detach()))
        found.append(torch.autograd.grad(loss, list(policy.parameters())))
    if bfloat16:  # which rounds here and there differently, and some units lie on the other side of 0
        mine, theirs = (torch.cat([each.flatten() for each in listed]) for listed in found)
        assert torch.cosine_similarity(mine, theirs, dim=0) > 0.99
        return
    for mine, theirs in zip(*outputs, strict=True):
        torch.testing.assert_close(mine, theirs, rtol=0, atol=1e-4 * float(theirs.abs().max()))
    assert_near(*found, 1e-4)

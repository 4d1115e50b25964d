"""Networks whose outputs and gradients are written out by hand, beside torch's own way through the same layers."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium import spaces
from torch import nn

from cardenvs.train.config import Config
from cardenvs.train.learning.descent import reduced
from cardenvs.train.learning.network import FullCriticPolicy
from cardenvs.train.learning.self_play import Training
from cardenvs.train.learning.sparse.perceptron import layers_of, outputs_by_hand
from cardenvs.train.learning.sparse.rows import DenseRows, SparseRows
from cardenvs.train.learning.sparse.spaces import Spaces
from cardenvs.train.learning.sparse.workers import Workers

ALONE = Workers(None, 1)
CPU = torch.device("cpu")
FIRST, CARDS = 30, 24
"""Where the rows of `some_rows` say which cards the other seats could hold."""


def some_rows(n: int, inputs: int = 150) -> np.ndarray:
    """Zeros and ones, and a few other entries, as those of described games."""
    rng = np.random.default_rng(3)
    rows = (rng.random((n, inputs)) < 0.3).astype(np.int8)
    rows[: n // 2, :FIRST] *= rng.integers(-128, 128, (n // 2, FIRST), dtype=np.int8)
    rows[: n // 4, FIRST] = 2
    return rows


def network(widths: list[int], activation: type[nn.Module]) -> list[nn.Module]:
    modules: list[nn.Module] = []
    for wide, next_wide in itertools.pairwise(widths):
        modules += [nn.Linear(wide, next_wide), activation()]
    return modules[:-1]


def assert_near(mine: Any, theirs: Any, share: float) -> None:
    """Whether two lists of gradients differ by no more than a share of the largest in each tensor."""
    for found, expected in zip(mine, theirs, strict=True):
        assert found.is_contiguous() and found.dtype == expected.dtype == torch.float32
        torch.testing.assert_close(found, expected, rtol=0, atol=share * float(expected.abs().max()) + 1e-9)


@pytest.mark.parametrize("activation", [nn.ReLU, nn.Tanh])
@pytest.mark.parametrize("widths", [[150, 64, 35], [150, 70, 1], [110, 16, 24, 5], [120, 128, 64, 40, 35]])
@pytest.mark.parametrize("n", [1, 2, 90])
def test_outputs_and_gradients_are_torchs(widths: list[int], activation: type[nn.Module], n: int) -> None:
    torch.manual_seed(0)
    modules = network(widths, activation)
    rows, chosen = some_rows(100), np.random.default_rng(1).permutation(100)[:n]
    expected = nn.Sequential(*modules)(torch.from_numpy(rows[chosen, : widths[0]]).float())
    weights, parameters = torch.randn(expected.shape), [p for module in modules for p in module.parameters()]
    theirs = torch.autograd.grad((expected * weights).sum(), parameters)
    layers, sparse = layers_of(modules), SparseRows.of(rows, ALONE, FIRST, CARDS).take(chosen)
    assert layers is not None
    for _ in range(2):  # the second time in memory that was used before
        found = outputs_by_hand(layers, activation, sparse.entries, sparse.spaces)
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)
        assert_near(torch.autograd.grad((found * weights).sum(), parameters), theirs, 1e-4)
        with torch.no_grad():
            assert torch.equal(outputs_by_hand(layers, activation, sparse.entries, sparse.spaces), found)


@pytest.mark.parametrize(
    "settings",
    [
        {"game": "euchre", "net": (24, 16)},
        {"game": "euchre", "net": (24,), "activation": "tanh", "recall": True},
        {"game": "whist", "net": (70, 40, 20), "critic": "seat"},
        {"game": "five-o", "net": (16, 12)},
        {"game": "kuhn-poker", "net": (40, 30)},
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
    for rows in (policy.rows(observations, ALONE), DenseRows(torch.from_numpy(observations))):
        with reduced(CPU, bfloat16):
            logits, values = policy.logits(rows), policy.values(rows)
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


def test_other_networks_go_the_general_way() -> None:
    assert layers_of(network([150, 8, 2], nn.ELU)) is None
    assert layers_of([nn.Linear(4, 4)]) is None
    assert layers_of([nn.Linear(4, 4, bias=False), nn.ReLU(), nn.Linear(4, 1)]) is None
    assert layers_of([nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1)]) is None
    assert layers_of([nn.Linear(4, 4), nn.ReLU(), nn.Dropout(), nn.Linear(4, 1)]) is None
    space, actions = spaces.Box(-128, 127, (150,), np.int8), spaces.Discrete(5)
    shape: dict[str, Any] = {"net_arch": {"pi": [8], "vf": [8]}, "actor_inputs": 120, "could_hold": (FIRST, CARDS)}
    policy = FullCriticPolicy(space, actions, lambda _: 1e-3, **shape, activation_fn=nn.ELU)
    rows, found = some_rows(40), []
    for seen in (policy.rows(rows, ALONE), DenseRows(torch.from_numpy(rows))):
        outputs = policy.logits(seen).sum() + policy.values(seen).sum()
        found.append(torch.autograd.grad(outputs, list(policy.parameters())))
    assert_near(*found, 1e-4)


def test_gradients_can_be_had_once_and_in_any_order() -> None:
    """Memory that is used again belongs to one way through the network until its gradients are made."""
    modules = network([150, 64, 16, 3], nn.ReLU)
    layers, rows = layers_of(modules), SparseRows.of(some_rows(100), ALONE)
    assert layers is not None
    parameters = [p for module in modules for p in module.parameters()]
    halves = [rows.take(np.arange(50 * k, 50 * k + 50)) for k in range(2)]
    apart = [torch.autograd.grad(outputs_by_hand(layers, nn.ReLU, h.entries, h.spaces).sum(), parameters) for h in halves]
    both = [outputs_by_hand(layers, nn.ReLU, half.entries, half.spaces) for half in halves]
    for k in (1, 0):
        for mine, theirs in zip(torch.autograd.grad(both[k].sum(), parameters, retain_graph=True), apart[k], strict=True):
            assert torch.equal(mine, theirs)
    with pytest.raises(RuntimeError, match="once only"):
        torch.autograd.grad(both[0].sum(), parameters)


def test_memory_is_used_again() -> None:
    memory = Spaces()
    first, other = memory.take(10, 3), memory.take(10, 3)
    places = {first.data_ptr(), other.data_ptr()}
    assert len(places) == 2
    memory.give_back(first[:, :2], other)
    with torch.inference_mode():
        again = [memory.take(29, dtype=torch.bfloat16), memory.take(2, 5)]
    assert {tensor.data_ptr() for tensor in again} == places
    assert again[0].shape == (29,) and again[0].dtype == torch.bfloat16
    memory.give_back(*again)
    memory.take(10, 3).requires_grad_()  # what was used in inference mode is as good as new

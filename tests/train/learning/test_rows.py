"""Rows as lists of their entries, beside torch's own layers; threads that share them."""

from __future__ import annotations

import itertools
import threading

import numpy as np
import pytest
import torch
from torch import nn

from cardenvs.train.learning.sparse.rows import DenseRows, SparseRows
from cardenvs.train.learning.sparse.workers import Workers, workers

pytestmark = pytest.mark.nojit
ALONE = Workers(None, 1)


def some_rows(n: int, inputs: int) -> np.ndarray:
    """Mostly zeros; the others not all 1, as the entries of described games."""
    rng = np.random.default_rng(3)
    rows = np.where(rng.random((n, inputs)) < 0.15, rng.integers(-128, 128, (n, inputs)), 0).astype(np.int8)
    rows[5] = 0
    rows[:, 7] = 1
    return rows


@pytest.mark.parametrize(("inputs", "outputs"), [(200, 64), (200, 70), (90, 16), (20, 128)])
def test_layers_and_gradients_are_torchs(inputs: int, outputs: int) -> None:
    rows = some_rows(50, 200)
    chosen = np.random.default_rng(0).permutation(50)[:40]
    layer = nn.Linear(inputs, outputs)
    weights = torch.randn(40, outputs)
    expected = layer(torch.from_numpy(rows[chosen, :inputs]).float())
    gradients = torch.autograd.grad((expected * weights).sum(), list(layer.parameters()))
    for found in (
        SparseRows.of(rows, ALONE).take(chosen).linear(layer),
        DenseRows(torch.from_numpy(rows)).take(chosen).linear(layer),
    ):
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)
        for mine, theirs in zip(
            torch.autograd.grad((found * weights).sum(), list(layer.parameters())), gradients, strict=True
        ):
            torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-3)
            assert mine.is_contiguous()


@pytest.mark.parametrize("inputs", [150, 100])
def test_sets_of_holders_are_seen_at_a_time(inputs: int) -> None:
    """As one entry for each card, but in rows with other entries than 0 and 1."""
    first, cards = 11, 24
    rng = np.random.default_rng(2)
    rows = (rng.random((60, 150)) < 0.5).astype(np.int8)
    rows[40:, first + 5] = -3
    rows[50:, first + cards + 5] = 2
    sparse = SparseRows.of(rows, ALONE, first, cards)
    could = rows[:, first : first + 3 * cards].reshape(60, 3, cards)
    saved = np.where(np.isin(could, (0, 1)).all((1, 2)), could.sum((1, 2)) - could.any(1).sum(1), 0)
    assert saved.sum() > 500 and sparse.lists[0][-1] == (rows != 0).sum() - saved.sum()
    layer, chosen = nn.Linear(inputs, 40), rng.permutation(60)
    expected = layer(torch.from_numpy(rows[chosen, :inputs]).float())
    found = sparse.take(chosen).linear(layer)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)
    weights = torch.randn(60, 40)
    for mine, theirs in zip(
        torch.autograd.grad((found * weights).sum(), list(layer.parameters())),
        torch.autograd.grad((expected * weights).sum(), list(layer.parameters())),
        strict=True,
    ):
        torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-4)


def test_rows_of_rows() -> None:
    rows = some_rows(20, 100)
    sparse = SparseRows.of(rows, ALONE)
    assert len(sparse) == 20 and len(sparse.take(np.array([3, 3, 1]))) == 3
    layer = nn.Linear(100, 8)
    twice = sparse.take(np.arange(10, 20)).take(np.array([9, 0]))
    torch.testing.assert_close(twice.linear(layer), sparse.linear(layer)[[19, 10]])


@pytest.mark.parametrize("count", [1, 2, 3])
def test_threads_share_rows(count: int) -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        with workers(torch.device("cpu")) as threads:
            assert threads.count == count
            seen = threads.run(lambda part: (part, threading.get_ident(), torch.get_num_threads()), 10)
            assert [k for part, _, _ in seen for k in range(10)[part]] == list(range(10))
            assert len(seen) == count and all(used == 1 for *_, used in seen)
            assert seen[0][1] == threading.get_ident()
            assert len(threads.run(lambda part: part, 1)) == 1
            rows = some_rows(31, 150)
            mine, alone = SparseRows.of(rows, threads), SparseRows.of(rows, ALONE)
            for ours, theirs in itertools.chain(zip(mine.lists, alone.lists, strict=True)):
                assert (ours == theirs).all()
            with pytest.raises(ZeroDivisionError):
                threads.run(lambda part: 1 // 0, 10)
        assert torch.get_num_threads() == count
    finally:
        torch.set_num_threads(before)


def test_a_gpu_keeps_one_thread_busy() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with workers(torch.device("cuda")) as threads:
            assert threads.count == 1 and torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)

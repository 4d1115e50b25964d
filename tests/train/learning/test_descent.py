"""Threads that share the rows of a minibatch."""

import threading

import numpy as np
import pytest
import torch

from cardenvs.train.learning.descent import Workers, use_workers
from cardenvs.train.learning.rows import SparseRows

pytestmark = pytest.mark.compiled


@pytest.mark.parametrize("count", [1, 2, 3])
def test_threads_share_rows(count: int) -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        with use_workers(torch.device("cpu")) as threads:
            assert threads.count == count
            seen = threads.run_shares(lambda part: (part, threading.get_ident(), torch.get_num_threads()), 10)
            assert [k for part, _, _ in seen for k in range(10)[part]] == list(range(10))
            assert len(seen) == count and all(used == 1 for *_, used in seen)
            assert seen[0][1] == threading.get_ident()
            assert len(threads.run_shares(lambda part: part, 1)) == 1
            rows = np.random.default_rng(3).integers(-2, 2, (31, 150), np.int8)
            mine, alone = SparseRows.from_rows(rows, threads), SparseRows.from_rows(rows, Workers(None, 1))
            assert (mine.ends == alone.ends).all() and (mine.listed == alone.listed).all()
            with pytest.raises(ZeroDivisionError):
                threads.run_shares(lambda part: 1 // 0, 10)
        assert torch.get_num_threads() == count
    finally:
        torch.set_num_threads(before)


def test_a_gpu_keeps_one_thread_busy() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with use_workers(torch.device("cuda")) as threads:
            assert threads.count == 1 and torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)

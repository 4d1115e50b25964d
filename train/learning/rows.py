"""Rows of observations as networks learn from them: on the processor as lists of the entries that are not 0, else dense."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from cardenvs.compiled.bits import Bytes, Ints, lowest, nonzero, read_bits
from cardenvs.compiled.jit import kernel
from cardenvs.train.inference.plain_actor import OTHERS
from cardenvs.train.learning.descent import Workers
from cardenvs.train.learning.first_layer import Entries, FirstLayer


class Rows(Protocol):
    def __len__(self) -> int:
        """Number of rows."""

    def select_rows(self, numbers: Ints) -> Rows:
        """Returns the rows with some numbers, int64 (k,), in their order."""


class DenseRows:
    """Rows as a tensor, int8 (n, d), on the device that learns."""

    def __init__(self, entries: Tensor) -> None:
        self._entries = entries

    def __len__(self) -> int:
        return len(self._entries)

    def select_rows(self, numbers: Ints) -> DenseRows:
        return DenseRows(self._entries[torch.from_numpy(numbers).to(self._entries.device)])

    def apply_linear(self, layer: nn.Linear) -> Tensor:
        """Returns a layer's outputs, float (n, outputs), for as many first entries of each row as the layer takes."""
        outputs: Tensor = layer(self._entries[:, : layer.in_features].float())
        return outputs


@kernel
def _list_entries(rows: Bytes, first: int, cards: int, counting: bool, ends: Ints, listed: Any) -> None:
    """Lists the entries that are not 0 as 256 times column plus factor, or counts them in ``ends``."""
    seen, ahead = np.empty(rows.shape[1], np.int64), 1 + (cards << OTHERS)
    behind = first + OTHERS * cards
    for row in range(len(rows)):
        count, odd = 1, 0
        for column in range(first, behind):
            odd |= rows[row, column] & ~1
        own = nonzero(rows, row, 0, first if odd == 0 else behind, seen, 0)
        start = 0 if counting else ends[row]
        if not counting:
            listed[start] = 1
        if cards > 0 and odd == 0:
            left = read_bits(rows, row, first, cards)
            partner = read_bits(rows, row, first + cards, cards)
            right = read_bits(rows, row, first + 2 * cards, cards)
            some = left | partner | right
            while some != 0:
                if not counting:
                    card = lowest(some)
                    who = left >> card & 1 | (partner >> card & 1) << 1 | (right >> card & 1) << 2
                    listed[start + count] = 256 * (1 + who * cards + card) + 1
                some &= some - 1
                count += 1
        own = nonzero(rows, row, behind, rows.shape[1], seen, own)
        if counting:
            ends[row + 1] = count + own
        else:
            for k in range(own):
                listed[start + count + k] = 256 * (ahead + seen[k]) + rows[row, seen[k]]


@dataclass(frozen=True, eq=False)
class SparseRows:
    """Rows as a list of their entries that are not 0, in this machine's memory."""

    chosen: Ints  # (n,), numbers of the rows in the list
    ends: Ints  # where each row's entries begin in the list, and at last where they end
    listed: npt.NDArray[np.int32]  # from `_list_entries`
    could_hold: tuple[int, int]  # as in `Entries`

    @classmethod
    def from_rows(cls, rows: Bytes, threads: Workers, first: int = 0, cards: int = 0) -> SparseRows:
        """Lists the entries of rows, int8 (n, d), that are not 0; n is at least 1. From entry ``first`` on, half of them
        may say which of three other seats could hold each of ``cards`` (0: none): these are listed as one entry a card,
        whose weights are the sum of up to three. (Not in a row with other entries there than 0 and 1.)"""
        n = len(rows)
        ends = np.zeros(n + 1, np.int64)

        def list_share(part: slice, counting: bool, listed: npt.NDArray[np.int32]) -> None:
            _list_entries(rows[part], first, cards, counting, ends[part.start : part.stop + 1], listed)

        threads.run_shares(lambda part: list_share(part, True, np.empty(0, np.int32)), n)
        np.cumsum(ends, out=ends)
        listed = np.empty(ends[-1], np.int32)
        threads.run_shares(lambda part: list_share(part, False, listed), n)
        return cls(np.arange(n), ends, listed, (first, cards))

    def __len__(self) -> int:
        return len(self.chosen)

    def select_rows(self, numbers: Ints) -> SparseRows:
        return SparseRows(self.chosen[numbers], self.ends, self.listed, self.could_hold)

    @cached_property
    def entries(self) -> Entries:
        """The entries that are not 0, as first layers take them."""
        begins, starts = self.ends[self.chosen], np.zeros(len(self) + 1, np.int64)
        lengths = self.ends[self.chosen + 1] - begins
        np.cumsum(lengths, out=starts[1:])
        copied = self.listed[np.arange(starts[-1]) + np.repeat(begins - starts[:-1], lengths)]
        return Entries(starts, (copied + 128) >> 8, copied.astype(np.int8).astype(np.float32), self.could_hold)

    def apply_linear(self, layer: nn.Linear) -> Tensor:
        outputs: Tensor = FirstLayer.apply(layer.weight, layer.bias, self.entries)
        return outputs

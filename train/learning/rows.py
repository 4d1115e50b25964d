"""Rows of observations as networks learn from them: on the processor as lists of the entries that are not 0.

An observation is mostly zeros, which a first layer need not multiply: its outputs are the sum of the weights of the inputs
that are not 0, and the gradient of an input's weights is the sum of the gradients of the rows in which it is not 0. Both
sums are those that networks play with (`cardenvs.train.inference.layers.add_rows`). On other devices, which multiply faster
than they gather, rows stay as they are.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from cardenvs.cards import Bytes, Floats, Ints, lowest, nonzero, read_bits
from cardenvs.jit import kernel
from cardenvs.train.inference.layers import add_rows
from cardenvs.train.inference.plain_actor import OTHERS
from cardenvs.train.learning.workers import Workers

_BLOCK = 64
"""Outputs that `add_rows` sums at a time."""


class Rows(Protocol):
    """What networks learn from, row by row."""

    def __len__(self) -> int:
        """How many rows there are."""

    def take(self, numbers: Ints) -> Rows:
        """Some of the rows, in the order in which they are named.

        Args:
            numbers: int64 (k,), their numbers.
        """


class DenseRows:
    """Rows as a tensor.

    Args:
        entries: int8 (n, d), on the device that learns.
    """

    def __init__(self, entries: Tensor) -> None:
        self._entries = entries

    def __len__(self) -> int:
        return len(self._entries)

    def take(self, numbers: Ints) -> DenseRows:
        """Some of the rows, as `Rows.take` returns them."""
        return DenseRows(self._entries[torch.from_numpy(numbers).to(self._entries.device)])

    def linear(self, layer: nn.Linear) -> Tensor:
        """A layer's outputs, float (n, outputs), for the first entries of each row, as many as the layer takes."""
        outputs: Tensor = layer(self._entries[:, : layer.in_features].float())
        return outputs


@kernel
def _list(
    rows: Bytes, first: int, cards: int, counting: bool, ends: Ints, columns: npt.NDArray[np.int32], values: Bytes
) -> None:
    """Lists the entries that are not 0, or counts them.

    Args:
        rows: int8 (n, d).
        first: where the sets of cards begin that the other seats could hold.
        cards: how many cards each of these sets has.
        counting: whether to write how many entries each row has to ``ends[1:]``, and nothing else.
        ends: int64 (n + 1,), else where each row's entries begin in the lists, and at last where they end.
        columns: int32 (k,), written to: their columns, ascending in each row. Ahead of the row's own come, for each set of
            other seats, one for every card that just these could hold, in any order.
        values: int8 (k,), written to: the entries.
    """
    seen, ahead = np.empty(rows.shape[1], np.int64), cards << OTHERS
    behind = first + OTHERS * cards
    for row in range(len(rows)):
        count = odd = 0
        for column in range(first, behind):
            odd |= rows[row, column] & ~1
        listed = nonzero(rows, row, 0, first if odd == 0 else behind, seen, 0)
        start = 0 if counting else ends[row]
        if cards > 0 and odd == 0:
            left = read_bits(rows, row, first, cards)
            partner = read_bits(rows, row, first + cards, cards)
            right = read_bits(rows, row, first + 2 * cards, cards)
            some = left | partner | right
            while some != 0:
                if not counting:
                    card = lowest(some)
                    who = left >> card & 1 | (partner >> card & 1) << 1 | (right >> card & 1) << 2
                    columns[start + count] = who * cards + card
                    values[start + count] = 1
                some &= some - 1
                count += 1
        listed = nonzero(rows, row, behind, rows.shape[1], seen, listed)
        if counting:
            ends[row + 1] = count + listed
        else:
            for k in range(listed):
                columns[start + count + k] = ahead + seen[k]
                values[start + count + k] = rows[row, seen[k]]


@kernel
def _sum_inputs(
    table: Floats, chosen: Ints, ends: Ints, columns: Any, values: Bytes, inputs: int, out: npt.NDArray[np.float32]
) -> None:
    """Writes a layer's outputs for the chosen rows to ``out``.

    Args:
        table: float32 ((inputs + 1) * width,), the weights of each column, and at last the biases.
        chosen: int64 (n,), numbers of rows.
        ends: int64, from `_list`.
        columns: int32, from `_list`.
        values: int8, from `_list`.
        inputs: how many columns the layer takes, from the first on.
        out: float32 (n, width), written to; the width is a multiple of 64.
    """
    listed, factors = np.empty(inputs + 1, np.int64), np.empty(inputs + 1, np.float32)
    for k in range(len(chosen)):
        count = 0
        for entry in range(ends[chosen[k]], ends[chosen[k] + 1]):
            if columns[entry] >= inputs:
                break
            listed[count] = columns[entry]
            factors[count] = values[entry]
            count += 1
        listed[count] = inputs
        factors[count] = 1.0
        add_rows(table, 0, listed, factors, count + 1, False, out[k : k + 1], out.shape[1])


@kernel
def _turn(
    chosen: Ints, ends: Ints, columns: Any, values: Bytes, inputs: int, starts: Ints, rows: Ints, factors: Floats
) -> None:
    """Lists, input by input, the rows in which it is not 0.

    Args:
        chosen: int64 (n,), numbers of rows.
        ends: int64, from `_list`.
        columns: int32, from `_list`.
        values: int8, from `_list`.
        inputs: how many columns there are.
        starts: int64 (inputs + 2,), zeros, written to: where each input's rows begin in the lists, then where they end.
        rows: int64 (k,), written to: places in ``chosen``, ascending for each input.
        factors: float32 (k,), written to: the entries.
    """
    for row in chosen:
        for entry in range(ends[row], ends[row + 1]):
            starts[columns[entry] + 2] += 1
    for k in range(2, inputs + 2):
        starts[k] += starts[k - 1]
    for k in range(len(chosen)):
        for entry in range(ends[chosen[k]], ends[chosen[k] + 1]):
            place = starts[columns[entry] + 1]
            starts[columns[entry] + 1] = place + 1
            rows[place] = k
            factors[place] = values[entry]


@kernel
def _sum_rows(
    gradients: npt.NDArray[np.float32], inputs: int, starts: Ints, rows: Ints, factors: Floats, block: Floats,
    out: npt.NDArray[np.float32],
) -> None:  # fmt: skip
    """Writes the gradient of each input's weights to ``out``.

    Args:
        gradients: float32 (n, outputs), those of a layer's outputs.
        inputs: how many inputs the layer takes.
        starts: int64, from `_turn`.
        rows: int64, from `_turn`.
        factors: float32, from `_turn`.
        block: float32 (n * 64,), work space: some columns of ``gradients``, so that they stay in the cache.
        out: float32 (inputs, width), written to; the width is a multiple of 64.
    """
    n, outputs = gradients.shape
    for first in range(0, out.shape[1], _BLOCK):
        wide = min(_BLOCK, outputs - first)
        for row in range(n):
            for k in range(wide):
                block[row * _BLOCK + k] = gradients[row, first + k]
            for k in range(wide, _BLOCK):
                block[row * _BLOCK + k] = 0.0
        for k in range(inputs):
            start, end = starts[k], starts[k + 1]
            there = out[k : k + 1, first : first + _BLOCK]
            add_rows(block, 0, rows[start:end], factors[start:end], end - start, False, there, _BLOCK)


_SEATS = torch.tensor([[float(who >> seat & 1) for seat in range(OTHERS)] for who in range(1 << OTHERS)])
"""Which of the other seats are in a set of them, float32 (8, 3)."""


class _Summed(torch.autograd.Function):
    """A layer's outputs for sparse rows, and the gradients of its weights and biases."""

    @staticmethod
    def forward(ctx: Any, weight: Tensor, bias: Tensor, rows: SparseRows) -> Tensor:
        """The outputs, float32 (n, outputs)."""
        outputs, inputs = weight.shape
        first, cards = rows.could_hold
        ctx.rows, ahead = rows, cards << OTHERS
        ctx.columns = columns = ahead + inputs
        width = -(-outputs // _BLOCK) * _BLOCK
        table = torch.empty(columns + 1, width)
        table[:, outputs:] = 0.0
        table[ahead:columns, :outputs] = weight.t()
        table[columns, :outputs] = bias
        could = table[ahead + first : ahead + first + OTHERS * cards].reshape(OTHERS, cards * width)
        torch.mm(_SEATS, could, out=table[:ahead].reshape(1 << OTHERS, cards * width))
        out = torch.empty(len(rows), width)
        _sum_inputs(table.numpy().ravel(), rows.chosen, *rows.lists, columns, out.numpy())
        return out[:, :outputs]

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        """The gradients of the weights, float32 (outputs, inputs), and of the biases, float32 (outputs,)."""
        gradient = gradients[0].contiguous()
        n, outputs = gradient.shape
        first, cards = ctx.rows.could_hold
        ahead = cards << OTHERS
        out = torch.empty(ctx.columns, -(-outputs // _BLOCK) * _BLOCK)
        block = torch.empty(n * _BLOCK)
        starts, rows, factors = ctx.rows.turned()
        _sum_rows(gradient.numpy(), ctx.columns, starts, rows, factors, block.numpy(), out.numpy())
        holders = out[:ahead].reshape(1 << OTHERS, cards * out.shape[1])
        could = out[ahead + first : ahead + first + OTHERS * cards].reshape(OTHERS, cards * out.shape[1])
        could.addmm_(_SEATS.t(), holders)
        # Contiguous, as the weights are: Adam's fused steps go through both side by side.
        return out[ahead:, :outputs].t().contiguous(), gradient.sum(0), None


class SparseRows:
    """Rows as lists of their entries that are not 0, in this machine's memory.

    Attributes:
        chosen: int64 (n,), numbers of the rows in the lists.
        lists: where each row's entries begin (int64), their columns (int32), the entries (int8), as `_list` writes them.
        could_hold: where the rows say which cards the other seats could hold, and how many cards there are.

    Args:
        chosen: as the attribute.
        lists: as the attribute.
        could_hold: as the attribute.
        columns: how many columns there are in the lists.
    """

    def __init__(
        self,
        chosen: Ints,
        lists: tuple[Ints, npt.NDArray[np.int32], Bytes],
        could_hold: tuple[int, int],
        columns: int,
    ) -> None:
        self.chosen, self.lists, self.could_hold = chosen, lists, could_hold
        self._columns = columns
        self._turned: tuple[Ints, Ints, Floats] | None = None

    @classmethod
    def of(cls, rows: Bytes, threads: Workers, first: int = 0, cards: int = 0) -> SparseRows:
        """Lists the entries of rows that are not 0.

        Half of them may say which of three other seats could hold a card, mostly several seats at a time: these are listed
        as one entry a card, whose weights are the sum of up to three. (Not in a row with other entries there than 0 and 1.)

        Args:
            rows: int8 (n, d), n at least 1.
            threads: divide the work among themselves.
            first: where the rows say for the three seats in turn which cards they could hold.
            cards: how many cards there are, 0 if the rows say no such thing.
        """
        n, none = len(rows), np.empty(0, np.int8)
        ends = np.zeros(n + 1, np.int64)

        def listed(part: slice, counting: bool, columns: npt.NDArray[np.int32], values: Bytes) -> None:
            """Counts or lists the entries of a share of the rows."""
            _list(rows[part], first, cards, counting, ends[part.start : part.stop + 1], columns, values)

        threads.run(lambda part: listed(part, True, none.astype(np.int32), none), n)
        np.cumsum(ends, out=ends)
        columns, values = np.empty(ends[-1], np.int32), np.empty(ends[-1], np.int8)
        threads.run(lambda part: listed(part, False, columns, values), n)
        return cls(np.arange(n), (ends, columns, values), (first, cards), (cards << OTHERS) + rows.shape[1])

    def __len__(self) -> int:
        return len(self.chosen)

    def take(self, numbers: Ints) -> SparseRows:
        """Some of the rows, as `Rows.take` returns them."""
        return SparseRows(self.chosen[numbers], self.lists, self.could_hold, self._columns)

    def linear(self, layer: nn.Linear) -> Tensor:
        """A layer's outputs, float32 (n, outputs), for the first entries of each row, as many as the layer takes."""
        outputs: Tensor = _Summed.apply(layer.weight, layer.bias, self)
        return outputs

    def turned(self) -> tuple[Ints, Ints, Floats]:
        """Input by input the rows in which it is not 0, as `_turn` lists them; made once for all layers that need it."""
        if self._turned is None:
            ends = self.lists[0]
            size = int((ends[self.chosen + 1] - ends[self.chosen]).sum())
            turned = np.zeros(self._columns + 2, np.int64), np.empty(size, np.int64), np.empty(size, np.float32)
            _turn(self.chosen, *self.lists, self._columns, *turned)
            self._turned = turned
        return self._turned

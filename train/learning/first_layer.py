"""First layers over rows that are mostly zeros: outputs and gradients of their weights, in compiled code.

Both are sums over the inputs that are not 0, block by block of the outputs: one block of all weights stays in the cache.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from cardenvs.compiled.bits import Floats, Ints
from cardenvs.compiled.jit import kernel
from cardenvs.train.inference.layers import BLOCK, add_rows
from cardenvs.train.inference.plain_actor import OTHERS


@kernel
def _transpose_entries(starts: Ints, columns: Any, factors: Floats, begins: Ints, rows: Any, turned: Floats) -> None:
    """Lists, column by column, the rows in which it has an entry."""
    for entry in range(len(columns)):
        begins[columns[entry] + 2] += 1
    for k in range(2, len(begins)):
        begins[k] += begins[k - 1]
    for row in range(len(starts) - 1):
        for entry in range(starts[row], starts[row + 1]):
            place = begins[columns[entry] + 1]
            begins[columns[entry] + 1] = place + 1
            rows[place] = row
            turned[place] = factors[entry]


@dataclass(frozen=True, eq=False)
class Entries:
    """The entries of n rows that are not 0, as first layers take them. An entry's column is a row of the layer's table of
    weights: first the biases, with an entry of 1 in each row; then, for each set of other seats, the cards that exactly
    these could hold; then the inputs, ascending."""

    starts: Ints  # (n + 1,), where each row's entries begin in the lists, and at last where they end
    columns: npt.NDArray[np.int32]  # (k,)
    factors: Floats  # (k,), the entries
    could_hold: tuple[int, int]  # first of the inputs that say which cards the other seats could hold; number of cards

    def __len__(self) -> int:
        return len(self.starts) - 1

    def table_rows(self, inputs: int) -> int:
        """Returns the number of rows in the table of a layer."""
        return 1 + (self.could_hold[1] << OTHERS) + inputs

    @cached_property
    def by_column(self) -> tuple[Ints, npt.NDArray[np.int32], Floats]:
        """By column the rows in which it has an entry, as `_transpose_entries` lists them; computed once for all layers."""
        begins, k = np.zeros(int(self.columns.max()) + 3, np.int64), len(self.columns)
        turned = begins, np.empty(k, np.int32), np.empty(k, np.float32)
        _transpose_entries(self.starts, self.columns, self.factors, *turned)
        return turned


@kernel
def _sum_inputs(
    table: Floats, starts: Ints, columns: Any, factors: Floats, stops: Ints, out: npt.NDArray[Any]
) -> None:  # fmt: skip
    """Writes a layer's outputs to ``out``."""
    rows = len(table) // out.shape[1]
    for k in range(len(out)):
        stop = starts[k + 1]
        while columns[stop - 1] >= rows:  # inputs that this layer does not take
            stop -= 1
        stops[k] = stop
    for first in range(0, out.shape[1], BLOCK):
        for k in range(len(out)):
            start, stop = starts[k], stops[k]
            there = out[k : k + 1, first : first + BLOCK]
            add_rows(table, first * rows, columns[start:stop], factors[start:stop], stop - start, False, there, BLOCK)


@kernel
def _sum_rows(
    gradients: Floats, begins: Ints, rows: Any, factors: Floats, n: int, table: npt.NDArray[Any]
) -> None:  # fmt: skip
    """Writes the gradients of a layer's weights to ``table``."""
    blocks = len(gradients) // (n * BLOCK)
    columns = len(table) // blocks
    for block in range(blocks):
        for column in range(columns):
            there = table[block * columns + column : block * columns + column + 1]
            first = last = 0
            if column < len(begins) - 1:
                first, last = begins[column], begins[column + 1]
            add_rows(gradients, block * n * BLOCK, rows[first:last], factors[first:last], last - first, False, there, BLOCK)


@kernel
def _fill_table(weight: npt.NDArray[Any], bias: Floats, first: int, cards: int, table: Floats) -> None:
    """Writes a layer's weights to ``table``, block by block of 64 outputs, in the order of `Entries`."""
    (outputs, inputs), ahead = weight.shape, 1 + (cards << OTHERS)
    rows, could = ahead + inputs, ahead + first
    for block in range(len(table) // (rows * BLOCK)):
        part = table[block * rows * BLOCK : (block + 1) * rows * BLOCK].reshape((rows, BLOCK))
        wide = min(BLOCK, outputs - block * BLOCK)
        if wide < BLOCK:
            part[:, wide:] = 0.0
        for j in range(wide):
            part[0, j] = bias[block * BLOCK + j]
        for k in range(inputs):
            for j in range(wide):
                part[ahead + k, j] = weight[block * BLOCK + j, k]
        for card in range(cards):
            for j in range(BLOCK):
                part[1 + card, j] = 0.0
        for who in range(1, 1 << OTHERS):
            seat = 0
            while who >> seat & 1 == 0:
                seat += 1
            others = who & (who - 1)
            for card in range(cards):
                own, rest = could + seat * cards + card, 1 + others * cards + card
                for j in range(BLOCK):
                    part[1 + who * cards + card, j] = part[own, j] + part[rest, j]


@kernel
def _read_table(table: Floats, first: int, cards: int, weight: npt.NDArray[Any], bias: Floats) -> None:
    """Reads the gradients of a layer's weights from a table of `_fill_table`."""
    (outputs, inputs), ahead = weight.shape, 1 + (cards << OTHERS)
    rows, could = ahead + inputs, ahead + first
    for block in range(len(table) // (rows * BLOCK)):
        part = table[block * rows * BLOCK : (block + 1) * rows * BLOCK].reshape((rows, BLOCK))
        wide = min(BLOCK, outputs - block * BLOCK)
        for who in range(1, 1 << OTHERS):
            for seat in range(OTHERS):
                if who >> seat & 1 == 1:
                    for card in range(cards):
                        for j in range(BLOCK):
                            part[could + seat * cards + card, j] += part[1 + who * cards + card, j]
        for j in range(wide):
            bias[block * BLOCK + j] = part[0, j]
        for k in range(inputs):
            for j in range(wide):
                weight[block * BLOCK + j, k] = part[ahead + k, j]


def _padded_width(outputs: int) -> int:
    """Returns a number of outputs, rounded up to a multiple of `BLOCK`."""
    return -(-outputs // BLOCK) * BLOCK


class FirstLayer(torch.autograd.Function):
    """A layer's outputs for sparse rows, and the gradients of its weights and biases."""

    @staticmethod
    def forward(ctx: Any, weight: Tensor, bias: Tensor, entries: Entries) -> Tensor:
        """Returns the outputs (n, outputs), in float32 or the type of the caller's `torch.autocast`; sums are float32."""
        outputs, inputs = weight.shape
        ctx.given = inputs, entries
        table = np.empty(_padded_width(outputs) * entries.table_rows(inputs), np.float32)
        _fill_table(weight.detach().numpy(), bias.detach().numpy(), *entries.could_hold, table)
        out = torch.empty(len(entries), _padded_width(outputs))
        stops = np.empty(len(entries), np.int64)
        _sum_inputs(table, entries.starts, entries.columns, entries.factors, stops, out.numpy())
        kind = torch.get_autocast_dtype("cpu") if torch.is_autocast_enabled("cpu") else torch.float32
        return out[:, :outputs].to(kind)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *gradients: Any) -> Any:
        """Returns the gradients of the weights, float32 (outputs, inputs), and of the biases, float32 (outputs,)."""
        inputs: int = ctx.given[0]
        entries: Entries = ctx.given[1]
        n, outputs = gradients[0].shape
        blocks = _padded_width(outputs) // BLOCK
        padded = nn.functional.pad(gradients[0], (0, -outputs % BLOCK)) if outputs % BLOCK else gradients[0]
        apart = torch.empty(blocks, n, BLOCK).copy_(padded.unflatten(1, (blocks, BLOCK)).transpose(0, 1))
        table = np.empty((blocks * entries.table_rows(inputs), BLOCK), np.float32)
        _sum_rows(apart.view(-1).numpy(), *entries.by_column, n, table)
        weight, bias = torch.empty(outputs, inputs), torch.empty(outputs)
        _read_table(table.reshape(-1), *entries.could_hold, weight.numpy(), bias.numpy())
        return weight, bias, None

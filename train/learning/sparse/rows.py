"""Rows of observations as networks learn from them: on the processor as lists of the entries that are not 0.

An observation is mostly zeros, which a first layer need not multiply (`cardenvs.train.learning.sparse.first_layer`). On
other devices, which multiply faster than they gather, rows stay as they are.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import torch
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from torch import Tensor, nn

from cardenvs.compiled.bits import Bytes, Floats, Ints, lowest, nonzero, read_bits
from cardenvs.compiled.jit import DISABLED, kernel
from cardenvs.train.inference.plain_actor import OTHERS
from cardenvs.train.learning.sparse.first_layer import Entries, FirstLayer
from cardenvs.train.learning.sparse.spaces import Spaces
from cardenvs.train.learning.sparse.workers import Workers


class Rows(Protocol):
    """Rows of observations that networks learn from."""

    def __len__(self) -> int:
        """Number of rows."""

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


_AHEAD = 8
"""Number of rows by which fetching is ahead of reading, as rows lie anywhere in memory."""

if DISABLED:

    def _fetch(array: Any, k: int) -> None:
        """Has the processor fetch an entry of an array, without waiting for it; compiled only.

        Args:
            array: any array of one dimension.
            k: the entry, which there need not be.
        """

else:

    @intrinsic
    def _fetch(typing: Any, array: Any, k: Any) -> Any:
        """Has the processor fetch an entry of an array, without waiting for it.

        Arguments as for `_fetch` in plain Python above, which does nothing.
        """
        del typing
        byte, word = ir.IntType(8), ir.IntType(32)

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            kinds = [byte.as_pointer(), word, word, word]
            prefetch = builder.module.declare_intrinsic(
                "llvm.prefetch", (byte.as_pointer(),), ir.FunctionType(ir.VoidType(), kinds)
            )
            place = builder.gep(context.make_array(signature.args[0])(context, builder, args[0]).data, [args[1]])
            reading, soon, data = (ir.Constant(word, number) for number in (0, 3, 1))
            builder.call(prefetch, [builder.bitcast(place, byte.as_pointer()), reading, soon, data])
            return context.get_dummy_value()

        return types.void(array, types.int64), generate


@kernel
def _pick(chosen: Ints, ends: Ints, columns: Any, values: Bytes, starts: Ints, picked: Any, factors: Floats) -> None:
    """Copies the lists of chosen rows, one behind the other, each with an entry of 1 ahead of it.

    Args:
        chosen: int64 (n,), numbers of rows.
        ends: int64, from `_list`.
        columns: int32, from `_list`.
        values: int8, from `_list`.
        starts: int64 (n + 1,), written to: where each row's entries begin in the copies, and at last where they end.
        picked: int32 (n + k,), written to: 0 for the entry of 1, and for the others one more than their columns.
        factors: float32 (n + k,), written to: the entries.
    """
    count = 0
    for k in range(len(chosen)):
        if k + 2 * _AHEAD < len(chosen):
            _fetch(ends, chosen[k + 2 * _AHEAD])
            following = ends[chosen[k + _AHEAD]]
            _fetch(values, following)
            for entry in range(following, following + 64, 16):  # as many as lie in a line of the cache
                _fetch(columns, entry)
        starts[k] = count
        picked[count] = 0
        factors[count] = 1.0
        count += 1
        for entry in range(ends[chosen[k]], ends[chosen[k] + 1]):
            picked[count] = columns[entry] + 1
            factors[count] = values[entry]
            count += 1
    starts[len(chosen)] = count


class SparseRows:
    """Rows as lists of their entries that are not 0, in this machine's memory.

    Attributes:
        chosen: int64 (n,), numbers of the rows in the lists.
        lists: where each row's entries begin (int64), their columns (int32), the entries (int8), as `_list` writes them.
        could_hold: where the rows say which cards the other seats could hold, and how many cards there are.
        spaces: memory to work in, for these rows and those that are taken of them.

    Args:
        chosen: as the attribute.
        lists: as the attribute.
        could_hold: as the attribute.
        spaces: as the attribute.
    """

    def __init__(
        self,
        chosen: Ints,
        lists: tuple[Ints, npt.NDArray[np.int32], Bytes],
        could_hold: tuple[int, int],
        spaces: Spaces,
    ) -> None:
        self.chosen, self.lists, self.could_hold = chosen, lists, could_hold
        self.spaces = spaces

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
        return cls(np.arange(n), (ends, columns, values), (first, cards), Spaces())

    def __len__(self) -> int:
        return len(self.chosen)

    def take(self, numbers: Ints) -> SparseRows:
        """Some of the rows, as `Rows.take` returns them."""
        return SparseRows(self.chosen[numbers], self.lists, self.could_hold, self.spaces)

    @cached_property
    def entries(self) -> Entries:
        """The entries that are not 0, as first layers take them."""
        ends, n = self.lists[0], len(self)
        k = n + int((ends[self.chosen + 1] - ends[self.chosen]).sum())
        starts, columns, factors = np.empty(n + 1, np.int64), np.empty(k, np.int32), np.empty(k, np.float32)
        _pick(self.chosen, *self.lists, starts, columns, factors)
        return Entries(starts, columns, factors, self.could_hold)

    def linear(self, layer: nn.Linear) -> Tensor:
        """A layer's outputs, float32 (n, outputs), for the first entries of each row, as many as the layer takes."""
        outputs: Tensor = FirstLayer.apply(layer.weight, layer.bias, self.entries, self.spaces)
        return outputs

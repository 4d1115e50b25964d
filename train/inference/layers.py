"""Fully connected layers in compiled code: a small network decides a million positions a second on one core.

A layer sums the rows of its weights whose input is not 0, each times its input; observations, and what a rectifier leaves,
are mostly zeros. Sums stay in vector registers, a few dozen outputs at a time.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from cardenvs.compiled.bits import Bytes, Floats, Ints, nonzero
from cardenvs.compiled.jit import DISABLED, helper, kernel
from cardenvs.train.models.weights import ACTIVATIONS

_LANES, _VECTORS = 16, 4
BLOCK = _LANES * _VECTORS  # outputs summed at a time; layers are padded to a multiple of it

if DISABLED:

    def add_rows(
        weights: Floats, start: int, rows: Ints, values: Floats, count: int, rectified: bool, out: Floats, width: int
    ) -> None:
        """Writes the sum of ``count`` rows of a matrix, each times its value, to ``out[0, :width]``; with ``rectified``
        negative sums become 0. The matrix is in ``weights`` from ``start`` on, by rows of ``width``, a multiple of 64."""
        out[0, :width] = 0.0
        for k in range(count):
            first = start + int(rows[k]) * width
            out[0, :width] += values[k] * weights[first : first + width]
        if rectified:
            out[0, :width] = np.maximum(out[0, :width], 0.0)

else:

    @intrinsic
    def add_rows(
        typing: Any, weights: Any, start: Any, rows: Any, values: Any, count: Any, rectified: Any, out: Any, width: Any
    ) -> Any:
        """Does the same as `add_rows` in plain Python above."""
        del typing
        real, index = ir.FloatType(), ir.IntType(64)
        vector = ir.VectorType(real, _LANES)

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            def data_pointer(k: int) -> Any:
                return context.make_array(signature.args[k])(context, builder, args[k]).data

            matrix = builder.gep(data_pointer(0), [args[1]])
            indices, factors, sums = data_pointer(2), data_pointer(3), data_pointer(6)
            number, size = args[4], args[7]
            nothing = ir.Constant(vector, [0.0] * _LANES)
            zero, one = ir.Constant(index, 0), ir.Constant(index, 1)

            def vector_at(base: Any, first: Any, k: int) -> Any:
                at = builder.add(first, ir.Constant(index, k * _LANES))
                return builder.bitcast(builder.gep(base, [at]), vector.as_pointer())

            with cgutils.for_range_slice(builder, zero, size, ir.Constant(index, BLOCK), index) as (first, _):
                before = builder.basic_block
                head, body, end = (builder.append_basic_block(name) for name in ("head", "body", "end"))
                builder.branch(head)
                builder.position_at_end(head)
                k = builder.phi(index)
                k.add_incoming(zero, before)
                totals = [builder.phi(vector) for _ in range(_VECTORS)]
                for total in totals:
                    total.add_incoming(nothing, before)
                builder.cbranch(builder.icmp_signed("<", k, number), body, end)
                builder.position_at_end(body)
                row = builder.sext(builder.load(builder.gep(indices, [k])), index)
                column = builder.add(builder.mul(row, size), first)
                factor = builder.load(builder.gep(factors, [k]))
                lane = builder.insert_element(ir.Constant(vector, ir.Undefined), factor, ir.Constant(ir.IntType(32), 0))
                same = ir.Constant(ir.VectorType(ir.IntType(32), _LANES), [0] * _LANES)
                spread = builder.shuffle_vector(lane, lane, same)
                for j, total in enumerate(totals):
                    weight = builder.load(vector_at(matrix, column, j), align=4)
                    product = builder.fmul(weight, spread, flags=("contract",))
                    total.add_incoming(builder.fadd(total, product, flags=("contract",)), body)
                k.add_incoming(builder.add(k, one), body)
                builder.branch(head)
                builder.position_at_end(end)
                for j, total in enumerate(totals):
                    above = builder.select(builder.fcmp_ordered(">", total, nothing), total, nothing)
                    builder.store(builder.select(args[5], above, total), vector_at(sums, first, j), align=4)
            return context.get_dummy_value()

        signature = types.void(weights, types.int64, rows, values, types.int64, types.boolean, out, types.int64)
        return signature, generate


@helper
def list_inputs(rows: Any, row: int, inputs: Ints, values: Floats) -> int:
    """Lists the entries of a row that are not 0, ascending, as columns ``inputs`` and ``values``; returns their number."""
    count = nonzero(rows, row, 0, rows.shape[1], inputs, 0)
    for k in range(count):
        values[k] = rows[row, inputs[k]]
    return count


@helper
def run_layers(weights: Floats, shapes: Ints, tanh: bool, inputs: Ints, values: Floats, count: int, out: Floats) -> None:
    """Writes the layers' outputs for the first ``count`` inputs to ``out[0]``, overwriting ``inputs`` and ``values``.
    ``weights``, ``shapes`` and ``tanh`` are those of `Layers`; the arrays have the sizes of `Layers.work_space`."""
    last = len(shapes) - 1
    for k in range(last + 1):
        # The bias is one more row, of an input that is always 1.
        inputs[count] = shapes[k, 0]
        values[count] = 1.0
        add_rows(weights, shapes[k, 2], inputs, values, count + 1, k < last and not tanh, out, shapes[k, 1])
        if k < last:
            if tanh:
                for j in range(shapes[k, 1]):
                    out[0, j] = math.tanh(out[0, j])
            count = list_inputs(out[:, : shapes[k, 1]], 0, inputs, values)


@kernel
def _run_layers_on_rows(
    rows: Any, weights: Floats, shapes: Ints, tanh: bool, inputs: Ints, values: Floats, hidden: Floats, out: Floats
) -> None:
    """Writes the layers' outputs for each of the ``rows`` to ``out``; other arguments as in `run_layers`."""
    for row in range(len(rows)):
        count = list_inputs(rows, row, inputs, values)
        run_layers(weights, shapes, tanh, inputs, values, count, hidden)
        out[row] = hidden[0, : out.shape[1]]


class Layers:
    """Fully connected layers with an activation function between them; ``layers`` are weights and biases of each."""

    def __init__(self, layers: Sequence[tuple[Floats, Floats]], activation: str = "relu") -> None:
        if activation not in ACTIVATIONS:
            raise ValueError(f"activation must be one of {', '.join(ACTIVATIONS)}, not {activation!r}")
        self.tanh = activation == "tanh"
        self.inputs = size = layers[0][0].shape[-1]
        shapes, wide, end = [], size, 0
        for weight, bias in layers:
            if weight.ndim != 2 or weight.shape != (len(bias), size):
                raise ValueError(f"the weights do not fit together: a layer of {tuple(weight.shape)} after {size} values")
            size = len(bias)
            width = -(-size // BLOCK) * BLOCK
            shapes.append((wide, width, end))
            end += (wide + 1) * width
            wide = width
        self.outputs = size
        # Of each layer: inputs (padded outputs of the layer before), outputs, padded, and first entry in `weights`.
        self.shapes = np.array(shapes, np.int64)
        self.weights = _aligned_zeros(end)  # layer after layer, with a row for every input and one for the bias
        for (weight, bias), (wide, width, start) in zip(layers, shapes, strict=True):
            matrix = self.weights[start : start + (wide + 1) * width].reshape(wide + 1, width)
            matrix[: weight.shape[1], : len(bias)] = weight.T
            matrix[wide, : len(bias)] = bias

    def work_space(self) -> tuple[Ints, Floats, Floats]:
        """Returns arrays for `run_layers`: int64 and float32 (k,) for a layer's inputs, float32 (1, k) for its outputs."""
        widest = int(self.shapes[:, :2].max()) + 1
        return np.empty(widest, np.int64), np.empty(widest, np.float32), _aligned_zeros(int(self.shapes[:, 1].max()))[None]

    def __call__(self, rows: Bytes | Floats) -> Floats:
        """Returns the outputs, float32 (n, outputs), of rows of inputs, int8 or float32 (n, inputs)."""
        if rows.ndim != 2 or rows.shape[1] != self.inputs:
            raise ValueError(f"rows must be of shape (n, {self.inputs}), not {rows.shape}")
        out = np.empty((len(rows), self.outputs), np.float32)
        _run_layers_on_rows(np.ascontiguousarray(rows), self.weights, self.shapes, self.tanh, *self.work_space(), out)
        return out


def _aligned_zeros(size: int) -> Floats:
    """Returns float32 zeros that begin at a cache line, so that no vector load crosses one."""
    line = 64
    room = np.zeros(size * 4 + line, np.uint8)
    first = -room.ctypes.data % line
    return np.asarray(room[first : first + size * 4].view(np.float32))


def softmax(logits: npt.NDArray[Any]) -> Floats:
    """Returns probabilities, float32 (n, k), over the last axis; logits of minus infinity get 0, each row needs another."""
    powers = np.exp(logits - logits.max(-1, keepdims=True))
    return np.asarray(powers / powers.sum(-1, keepdims=True), np.float32)

"""Arrays of kernels, and bits of ``int64`` sets: counted, found, written as zeros and ones, and read."""

from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from cardenvs.compiled.jit import DISABLED, helper, kernel, unrolled

# The types of the arrays that kernels take.
Bytes = npt.NDArray[np.int8]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]
Streams = npt.NDArray[np.uint64]


if DISABLED:

    def popcount(bits: int) -> int:
        """Returns the number of set bits of a non-negative int64."""
        return int(bits).bit_count()

    def lowest(bits: int) -> int:
        """Returns the index of the lowest set bit of an int64 that is not 0."""
        return (int(bits) & -int(bits)).bit_length() - 1

    def highest(bits: int) -> int:
        """Returns the index of the highest set bit of a positive int64."""
        return int(bits).bit_length() - 1

    _ENTRIES = np.unpackbits(np.arange(1 << 16, dtype="<u2").view("u1"), bitorder="little").view("i1").reshape(-1, 16)

    def _storer(width: int) -> Any:
        def store(out: Any, row: int, column: int, bits: int) -> None:
            for k in range(0, width, 16):
                out[row, column + k : column + min(k + 16, width)] = _ENTRIES[int(bits) >> k & 0xFFFF, : width - k]

        return store

    def _packed(entries: Any) -> int:
        return int.from_bytes(np.packbits(entries != 0, bitorder="little").tobytes(), "little")

    def _loader(width: int) -> Any:  # of int64, so that shifting one up to the sign bit wraps around as in compiled code
        return lambda rows, row, column: np.int64(_packed(rows[row, column : column + width]))

    def _nonzero64(rows: Any, row: int, column: int) -> int:
        return _packed(rows[row, column : column + 64])

    def write_octets(out: Any, row: int, column: int, octets: int) -> None:
        """Writes the eight bytes of an int64, the lowest first, to ``out[row, column:]``, see `octets_of`."""
        out[row, column : column + 8] = np.array([octets], np.int64).view(np.int8)

    def read_octets(rows: Any, row: int, column: int) -> Any:
        """Returns the int64 whose eight bytes begin ``rows[row, column:]``, the lowest first."""
        return rows[row, column : column + 8].copy().view(np.int64)[0]

    def borrowed(array: Any) -> Any:
        """Returns the array without reference counting, which is slow in small kernels; the caller must hold it."""
        return array

else:

    def _bit_intrinsic(name: str) -> Any:
        """Returns an intrinsic for one of LLVM's bit counts: ``ctpop``, ``cttz``, or the highest bit by ``ctlz``."""

        def typer(context: Any, bits: Any) -> Any:
            if not isinstance(bits, types.Integer):
                return None

            def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
                value = context.cast(builder, args[0], signature.args[0], types.int64)
                if name == "ctpop":
                    return builder.ctpop(value)
                if name == "cttz":
                    return builder.cttz(value, ir.Constant(ir.IntType(1), 1))
                leading = builder.ctlz(value, ir.Constant(ir.IntType(1), 1))
                return builder.sub(ir.Constant(ir.IntType(64), 63), leading)

            return types.int64(bits), generate

        return intrinsic(typer)

    popcount, lowest, highest = map(_bit_intrinsic, ("ctpop", "cttz", "ctlz"))

    def _pointer(context: Any, builder: Any, signature: Any, args: Any, to: Any) -> Any:
        """Returns the address of ``args[0][args[1], args[2]]`` in contiguous rows, as a pointer to ``to``."""
        view = context.make_array(signature.args[0])(context, builder, args[0])
        size = context.get_abi_sizeof(context.get_data_type(signature.args[0].dtype))
        column = builder.mul(args[2], ir.Constant(ir.IntType(64), size))
        offset = builder.add(builder.mul(args[1], builder.extract_value(view.strides, 0)), column)
        base = builder.ptrtoint(view.data, ir.IntType(64))
        return builder.inttoptr(builder.add(base, offset), to.as_pointer())

    def _storer(width: int) -> Any:
        """Returns an intrinsic that stores ``width`` bits as int8 zeros and ones at once: a few vector instructions."""

        def typer(context: Any, out: Any, row: Any, column: Any, bits: Any) -> Any:
            def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
                mask = builder.bitcast(builder.trunc(args[3], ir.IntType(width)), ir.VectorType(ir.IntType(1), width))
                octets = ir.VectorType(ir.IntType(8), width)
                pointer = _pointer(context, builder, signature, args, octets)
                builder.store(builder.zext(mask, octets), pointer, align=1)
                return context.get_dummy_value()

            return types.void(out, types.int64, types.int64, types.int64), generate

        return intrinsic(typer)

    def _loader(width: int) -> Any:
        """Returns an intrinsic that gathers ``width`` int8 zeros and ones into the bits of an int64."""

        def typer(context: Any, rows: Any, row: Any, column: Any) -> Any:
            def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
                octets = ir.VectorType(ir.IntType(8), width)
                loaded = builder.load(_pointer(context, builder, signature, args, octets), align=1)
                mask = builder.icmp_unsigned("!=", loaded, ir.Constant(octets, [0] * width))
                return builder.zext(builder.bitcast(mask, ir.IntType(width)), ir.IntType(64))

            return types.int64(rows, types.int64, types.int64), generate

        return intrinsic(typer)

    @intrinsic
    def write_octets(typing: Any, out: Any, row: Any, column: Any, octets: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            builder.store(args[3], _pointer(context, builder, signature, args, ir.IntType(64)), align=1)
            return context.get_dummy_value()

        return types.void(out, types.int64, types.int64, types.int64), generate

    @intrinsic
    def read_octets(typing: Any, rows: Any, row: Any, column: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.load(_pointer(context, builder, signature, args, ir.IntType(64)), align=1)

        return types.int64(rows, types.int64, types.int64), generate

    @intrinsic
    def borrowed(typing: Any, array: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            view = context.make_array(signature.return_type)(context, builder, args[0])
            view.meminfo, view.parent = (ir.Constant(ir.IntType(8).as_pointer(), None) for _ in range(2))
            return view._getvalue()

        return array(array), generate

    @intrinsic
    def _nonzero64(typing: Any, rows: Any, row: Any, column: Any) -> Any:
        """Gathers which of 64 numbers are not 0 into the bits of an int64."""
        is_real = isinstance(rows.dtype, types.Float)

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            vector = ir.VectorType(context.get_data_type(rows.dtype), 64)
            loaded = builder.load(_pointer(context, builder, signature, args, vector), align=1)
            zero = ir.Constant(vector, [0] * 64)
            mask = builder.fcmp_unordered("!=", loaded, zero) if is_real else builder.icmp_unsigned("!=", loaded, zero)
            return builder.bitcast(mask, ir.IntType(64))

        return types.int64(rows, types.int64, types.int64), generate


_store32, _store16, _store8 = _storer(32), _storer(16), _storer(8)
_load32, _load16, _load8 = _loader(32), _loader(16), _loader(8)


@kernel
def nth(bits: int, n: int) -> int:
    """Returns the index of the ``n``-th set bit (from 0, lowest first) of an int64 with more than ``n`` set bits."""
    for _ in range(n):
        bits &= bits - 1
    return lowest(bits)


@helper
def overwrite(target: npt.NDArray[Any], source: npt.NDArray[Any]) -> None:
    """Copies an array of one axis, entry by entry: ``target[:] = source`` compiles for seconds, with its error messages."""
    for k in range(len(target)):
        target[k] = source[k]


@unrolled
def write_bits(out: npt.NDArray[np.int8], row: int, column: int, bits: int, width: int) -> int:
    """Writes the ``width`` lowest bits as int8 zeros and ones to ``out[row, column:]``; returns the next column. ``out`` is
    int8 of shape (rows, columns) with contiguous rows."""
    while width >= 32:
        _store32(out, row, column, bits)
        bits >>= 32
        column += 32
        width -= 32
    if width >= 16:
        _store16(out, row, column, bits)
        bits >>= 16
        column += 16
        width -= 16
    if width >= 8:
        _store8(out, row, column, bits)
        bits >>= 8
        column += 8
        width -= 8
    for _ in range(width):
        out[row, column] = bits & 1
        bits >>= 1
        column += 1
    return column


def octets_of(bits: int) -> int:
    """Returns the eight lowest bits as the bytes of an int64, for lookups of `write_octets`: bit k is byte k."""
    return sum(1 << 8 * k for k in range(8) if bits >> k & 1)


@helper
def read_bits(rows: npt.NDArray[np.int8], row: int, column: int, width: int) -> int:
    """Returns the int64 that `write_bits` wrote to ``rows[row, column:column + width]``."""
    bits = np.int64(0)
    done = 0
    while width - done >= 32:
        bits |= _load32(rows, row, column + done) << done
        done += 32
    if width - done >= 16:
        bits |= _load16(rows, row, column + done) << done
        done += 16
    if width - done >= 8:
        bits |= _load8(rows, row, column + done) << done
        done += 8
    while done < width:
        bits |= np.int64(rows[row, column + done]) << done
        done += 1
    return bits


@helper
def nonzero(rows: Any, row: int, start: int, stop: int, columns: npt.NDArray[np.int64], count: int) -> int:
    """Appends the columns from ``start`` to ``stop - 1`` in which a row is not 0 to the list ``columns``, ascending.
    ``rows`` has contiguous rows; ``columns`` is int64 with ``count`` entries before the call. Returns the new count."""
    column = start
    while column < stop and stop >= 64:
        # The last 64 columns may have been looked at in part.
        first = min(column, stop - 64)
        past = int(column - first)  # in plain Python a NumPy int would want the bits in one, too
        bits = _nonzero64(rows, row, first) >> past << past
        while bits != 0:
            columns[count] = first + lowest(bits)
            count += 1
            bits &= bits - 1
        column = first + 64
    while column < stop:
        if rows[row, column] != 0:
            columns[count] = column
            count += 1
        column += 1
    return count

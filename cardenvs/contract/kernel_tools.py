"""Tools for writing a game's kernels: decorators, types of arrays, bits of sets, random numbers."""

from cardenvs.compiled.bits import Bytes, Ints, Streams, highest, lowest, nth, popcount, read_bits, write_bits
from cardenvs.compiled.jit import helper, kernel
from cardenvs.compiled.streams import below, drawn, new_stream, random_member

__all__ = [
    "Bytes",
    "Ints",
    "Streams",
    "below",
    "drawn",
    "helper",
    "highest",
    "kernel",
    "lowest",
    "new_stream",
    "nth",
    "popcount",
    "random_member",
    "read_bits",
    "write_bits",
]

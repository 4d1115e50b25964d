"""Seedable random numbers for kernels, in *streams*: one ``uint64`` each, advanced in place.

The generator is SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014). With one
stream for each game, a game depends on its seed and number only, not on the size of the batch.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.checks import check_seed, short
from cardenvs.compiled.bits import nth, popcount
from cardenvs.compiled.jit import helper, kernel
from cardenvs.randomness import hashed_streams

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_U27, _U30, _U31, _U32 = (np.uint64(k) for k in (27, 30, 31, 32))


@helper
def _mix(z: np.uint64) -> np.uint64:
    z = (z ^ (z >> _U30)) * _MIX1
    z = (z ^ (z >> _U27)) * _MIX2
    return z ^ (z >> _U31)


@helper
def below(streams: npt.NDArray[np.uint64], s: int, n: int) -> int:
    """Draws an int64 from ``0 .. n - 1`` with stream ``s``, for 1 <= n < 2**31. The highest 32 bits are scaled to the
    range, so each value's chance is off by less than ``n / 2**32`` of itself."""
    state = streams[s] = streams[s] + _GOLDEN
    return np.int64(((_mix(state) >> _U32) * np.uint64(n)) >> _U32)


@helper
def drawn(games: Any, i: int, n: int) -> int:
    """Draws an int64 from ``0 .. n - 1`` with game ``i``'s own stream, its field ``stream``, for 1 <= n < 2**31."""
    g = games[i]
    state = g.stream = g.stream + _GOLDEN
    return np.int64(((_mix(state) >> _U32) * np.uint64(n)) >> _U32)


@helper
def new_stream(streams: npt.NDArray[np.uint64], s: int) -> np.uint64:
    """Draws a new random stream from stream ``s``."""
    state = streams[s] = streams[s] + _GOLDEN
    return _mix(state ^ _MIX1)


@kernel
def fork(streams: npt.NDArray[np.uint64], s: int, n: int) -> npt.NDArray[np.uint64]:
    """Returns ``n`` new random streams, drawn from stream ``s``: uint64 (n,)."""
    out = np.empty(n, np.uint64)
    for k in range(n):
        out[k] = new_stream(streams, s)
    return out


@kernel
def random_member(streams: npt.NDArray[np.uint64], s: int, bits: int) -> int:
    """Draws the index of a set bit of ``bits``, which is not 0."""
    return nth(bits, below(streams, s, popcount(bits)))


@kernel
def _fill_streams(seed: np.uint64, first: int, out: npt.NDArray[np.uint64]) -> None:
    """Writes the streams of ``seed`` from number ``first`` on to ``out``."""
    base = _mix(seed + _GOLDEN)
    for k in range(len(out)):
        out[k] = _mix(base + np.uint64(first + k + 1) * _GOLDEN)


def seed_streams(seed: int, n: int, first: int = 0) -> npt.NDArray[np.uint64]:
    """Returns the random streams number ``first .. first + n - 1`` of ``seed``, 0 to 2**256 - 1, for dealing: uint64 (n,).
    Stream ``k`` of a seed does not depend on ``n`` and ``first``. Streams are for the game alone: of a seed below 2**64 all
    follow from any one of them. Players' streams come from `cardenvs.randomness`."""
    if check_seed(seed) >= 1 << 64:
        return hashed_streams(seed, "deals", n, first)
    out = np.empty(n, np.uint64)
    _fill_streams(np.uint64(seed), first, out)
    return out


RandomSource = np.random.Generator | npt.NDArray[np.uint64]
"""Source of policies' random numbers: a NumPy generator, or uint64 streams (n,), one for each row, advanced in place."""


def as_streams(rng: RandomSource | None, n: int) -> npt.NDArray[np.uint64]:
    """Returns ``n`` random streams, uint64 (n,): checked ones as they are, else drawn from a generator, or unseeded."""
    if isinstance(rng, np.ndarray):
        if rng.dtype != np.uint64 or rng.shape != (n,):
            raise ValueError(f"rng must be uint64 streams of shape ({n},), not {rng.dtype} of shape {rng.shape}")
        if not rng.flags.writeable or not rng.flags.c_contiguous or not rng.flags.aligned:
            raise ValueError("rng must be an array that can be advanced in place: writable, contiguous and aligned")
        return rng
    if rng is not None and not isinstance(rng, np.random.Generator):
        raise ValueError(
            f"rng must be None, a NumPy generator such as numpy.random.default_rng(3), or uint64 streams, not {short(rng)}"
        )
    return (np.random.default_rng() if rng is None else rng).integers(0, 2**64, n, dtype=np.uint64)

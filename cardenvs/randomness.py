"""Seeds, and the random streams of players.

A random stream of `cardenvs.contract.cards` is one number and invertible: from the state of one stream of a seed all others
follow. So every stream given to a policy or a program is derived here, by BLAKE2 (Aumasson et al., RFC 7693), from the
seed, a purpose and a number: each seat of each game has its own stream, which reveals neither the deals nor another seat's
draws.
"""

import hashlib
import secrets

import numpy as np
import numpy.typing as npt

from cardenvs.checks import SEED_BITS, check_seed

DRAWN_BITS = 128  # number of bits in a drawn seed

RANDOM = "random"  # value of a seed argument that asks for a drawn seed, which the report has when all is played

_WORDS = 8  # streams in a digest of 64 bytes


def drawn_seed(bits: int = DRAWN_BITS) -> int:
    """Draws a seed from the operating system, from 0 to 2**bits - 1; with 128 bits it cannot be guessed."""
    return secrets.randbits(bits)


def given_seed(seed: int | str) -> int:
    """Returns the seed of an argument, an int from 0 to 2**256 - 1, or ``"random"`` for a drawn one."""
    return drawn_seed() if isinstance(seed, str) and seed == RANDOM else check_seed(seed, also=f" or {RANDOM!r}")


def hashed_streams(seed: int, purpose: str, n: int, first: int = 0) -> npt.NDArray[np.uint64]:
    """Returns the streams number ``first .. first + n - 1`` of a seed for a purpose of at most 16 bytes: uint64 (n,).

    Stream ``k`` is the same for every ``n`` and ``first``, and on every machine; without the seed the streams are
    unrelated.
    """
    key = hashlib.blake2b(check_seed(seed).to_bytes(SEED_BITS // 8, "little"), person=purpose.encode()).digest()
    blocks = range(first // _WORDS, -(-(first + n) // _WORDS))
    digests = b"".join(hashlib.blake2b(key + block.to_bytes(8, "little")).digest() for block in blocks)
    skipped = first % _WORDS
    return np.frombuffer(digests, "<u8")[skipped : skipped + n].astype(np.uint64)


def player_streams(seed: int, purpose: str, n: int, seats: int, first: int = 0) -> npt.NDArray[np.uint64]:
    """Returns the streams of the players in the games number ``first .. first + n - 1`` of a seed: uint64 (n, seats)."""
    return hashed_streams(seed, purpose, n * seats, first * seats).reshape(n, seats)


def seat_streams(streams: npt.NDArray[np.uint64], seats: int) -> npt.NDArray[np.uint64]:
    """Returns a stream for each seat of each game, uint64 (n, seats), from a stream for each game, which is not advanced.

    The games' streams do not follow from them.
    """
    blocks = range(-(-seats // _WORDS))
    keys = [int(stream).to_bytes(8, "little") for stream in streams]
    hashed = (hashlib.blake2b(key + block.to_bytes(8, "little"), person=b"seats") for key in keys for block in blocks)
    words = np.frombuffer(b"".join(one.digest() for one in hashed), "<u8").astype(np.uint64)
    return np.ascontiguousarray(words.reshape(len(streams), _WORDS * len(blocks))[:, :seats])

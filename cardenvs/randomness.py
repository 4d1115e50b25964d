"""Randomness that is handed out: seeds, and the streams that players draw from.

A random stream of `cardenvs.contract.cards` is one number, and can be computed back: from the state of one stream of a seed
all others follow. So whatever a policy or a program is given is derived here, by BLAKE2 (Aumasson et al., RFC 7693), from
the seed, a purpose and a number: each seat of each game has a stream of its own, and neither the deals nor what another
seat draws follow from it.
"""

from __future__ import annotations

import hashlib
import secrets

import numpy as np
import numpy.typing as npt

from cardenvs.checks import SEED_BITS, check_seed

DRAWN_BITS = 128
"""Number of bits in a drawn seed, one that nobody has chosen."""

RANDOM = "random"
"""Value of a seed argument that asks for a drawn seed, where the report tells that seed when all is played."""

_WORDS = 8
"""Streams in a digest of 64 bytes."""


def drawn_seed(bits: int = DRAWN_BITS) -> int:
    """A seed from the operating system, from 0 to 2**bits - 1: of 128 bits none can be guessed."""
    return secrets.randbits(bits)


def given_seed(seed: int | str) -> int:
    """A seed as an argument may give it.

    Args:
        seed: an int from 0 to 2**256 - 1, or ``"random"``, for which `drawn_seed` is asked.

    Raises:
        ValueError: something else.
    """
    return drawn_seed() if isinstance(seed, str) and seed == RANDOM else check_seed(seed, also=f" or {RANDOM!r}")


def hashed_streams(seed: int, purpose: str, n: int, first: int = 0) -> npt.NDArray[np.uint64]:
    """The random streams number ``first .. first + n - 1`` of a seed for a purpose.

    Nothing but the seed tells one of them from the others, or from those of another purpose.

    Args:
        seed: an int from 0 to 2**256 - 1.
        purpose: what they are for, at most 16 bytes.
        n: how many streams.
        first: the number of the first stream.

    Returns:
        uint64 of shape (n,). Stream ``k`` is the same whatever ``n`` and ``first``, and on every machine.

    Raises:
        ValueError: another seed.
    """
    key = hashlib.blake2b(check_seed(seed).to_bytes(SEED_BITS // 8, "little"), person=purpose.encode()).digest()
    blocks = range(first // _WORDS, -(-(first + n) // _WORDS))
    digests = b"".join(hashlib.blake2b(key + block.to_bytes(8, "little")).digest() for block in blocks)
    skipped = first % _WORDS
    return np.frombuffer(digests, "<u8")[skipped : skipped + n].astype(np.uint64)


def player_streams(seed: int, purpose: str, n: int, seats: int, first: int = 0) -> npt.NDArray[np.uint64]:
    """The random streams of the players in the games number ``first .. first + n - 1`` of a seed.

    Args:
        seed: an int from 0 to 2**256 - 1.
        purpose: what is played, at most 16 bytes; the same for another purpose are other streams.
        n: how many games.
        seats: how many seats a game has.
        first: the number of the first game.

    Returns:
        uint64 of shape (n, seats), a stream for each seat of each game.

    Raises:
        ValueError: another seed.
    """
    return hashed_streams(seed, purpose, n * seats, first * seats).reshape(n, seats)


def seat_streams(streams: npt.NDArray[np.uint64], seats: int) -> npt.NDArray[np.uint64]:
    """A random stream for each seat of each game, from a stream for each game.

    Args:
        streams: uint64 (n,), which are not advanced.
        seats: how many seats a game has.

    Returns:
        uint64 of shape (n, seats), from which ``streams`` do not follow.
    """
    blocks = range(-(-seats // _WORDS))
    keys = [int(stream).to_bytes(8, "little") for stream in streams]
    hashed = (hashlib.blake2b(key + block.to_bytes(8, "little"), person=b"seats") for key in keys for block in blocks)
    words = np.frombuffer(b"".join(one.digest() for one in hashed), "<u8").astype(np.uint64)
    return np.ascontiguousarray(words.reshape(len(streams), _WORDS * len(blocks))[:, :seats])

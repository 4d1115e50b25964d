"""Sets of faces, counts of copies and numbers of hints, for the memories and rules of agents for Hanabi.

A face is a card's colour and rank, as a number ``colour * ranks + rank`` or as the bit of that number; a set is an int64.
Copies are counted in two sets: ``odd``, the faces of which one or three copies are left, and ``several``, those of which
two or three are.
"""

from typing import Any, NamedTuple

import numpy as np

from cardenvs.compiled.bits import lowest, popcount
from cardenvs.compiled.jit import helper, kernel
from cardenvs.games import hanabi


@helper
def is_known(faces: int) -> bool:
    """Whether a set of faces has one member."""
    return faces != 0 and faces & (faces - 1) == 0


@helper
def is_open(members: int) -> bool:
    """Whether a set, of faces, colours or ranks, has several members."""
    return members & (members - 1) != 0


@helper
def all_in(faces: int, kind: int) -> bool:
    """Whether all faces are of a kind, and there are any."""
    return faces != 0 and faces & ~kind == 0


@helper
def less_one(odd: int, several: int, face: int) -> tuple[int, int]:
    """Counts of copies with one copy less of a face, given as its bit; none stays none."""
    borrowed = several & ~odd & face
    return (odd & ~face) | borrowed, several ^ borrowed


@helper
def copies_in(faces: int, odd: int, several: int) -> int:
    return popcount(faces & odd) + 2 * popcount(faces & several)


@helper
def of_colour(games: Any, j: int, colour: int) -> int:
    ranks = games[j].ranks
    return ((np.int64(1) << ranks) - 1) << colour * ranks


@helper
def of_rank(games: Any, j: int, rank: int) -> int:
    faces, one = 0, np.int64(1) << rank
    for _ in range(games[j].colours):
        faces = faces << games[j].ranks | one
    return faces


@helper
def rank_of(games: Any, j: int, faces: int) -> int:
    """The rank that all faces have, from 0 on; -1 where there is none."""
    if faces == 0:
        return -1
    rank = lowest(faces) % games[j].ranks
    return rank if faces & ~of_rank(games, j, rank) == 0 else -1


@helper
def face_of(games: Any, j: int, seat: int, slot: int) -> int:
    """The bit of a card in a hand."""
    return np.int64(1) << (np.int64(games[j].hands[seat, slot]) - 1)


@helper
def tell_colour(g: Any, offset: int, colour: int) -> int:
    """The action that tells a colour to the seat that follows by ``offset`` seats the one to act in the record ``g``."""
    return 2 * g.hand_size + (offset - 1) * g.colours + colour


@helper
def tell_rank(g: Any, offset: int, rank: int) -> int:
    """The action that tells a rank, as `tell_colour`."""
    return 2 * g.hand_size + (g.players - 1) * g.colours + (offset - 1) * g.ranks + rank


@kernel
def all_copies(games: Any, j: int) -> tuple[int, int]:
    odd, several = 0, 0
    for rank in range(games[j].ranks):
        many = hanabi.copies(rank, games[j].ranks)
        if many & 1:
            odd |= of_rank(games, j, rank)
        if many & 2:
            several |= of_rank(games, j, rank)
    return odd, several


@helper
def all_faces(games: Any, j: int) -> int:
    return (np.int64(1) << games[j].colours * games[j].ranks) - 1


@kernel
def playable_faces(games: Any, j: int) -> int:
    g = games[j]
    playable = 0
    for colour in range(g.colours):
        if g.fireworks[colour] < g.ranks:
            playable |= np.int64(1) << (colour * g.ranks + g.fireworks[colour])
    return playable


@kernel
def worthless_faces(games: Any, j: int, left: int) -> int:
    """The faces that can never be played: played already, or a lower one is lost; ``left``: faces with copies left."""
    g = games[j]
    whole = (np.int64(1) << g.ranks) - 1
    worthless = 0
    for colour in range(g.colours):
        useless = (np.int64(1) << g.fireworks[colour]) - 1
        lost = ~left >> colour * g.ranks & whole & ~useless
        if lost != 0:
            useless |= whole & ~(lost ^ (lost - 1))
        worthless |= useless << colour * g.ranks
    return worthless


class Facts(NamedTuple):
    """Sets of faces in a view, a bit each, and the lowest firework."""

    playable: int  # the faces that are playable
    useless: int  # the faces that are useless
    beyond: int  # of these the faces that their fireworks can no longer come to
    odd: int  # faces with 1 or 3 cards that seat 0 has not seen
    several: int  # faces with 2 or 3 such cards
    lowest: int  # the least height of a firework


@kernel
def facts_of(views: Any, i: int) -> Facts:
    v = views[i]
    odd: Any = 0
    several: Any = 0
    played, least, face, bit = np.int64(0), v.ranks, 0, np.int64(1)
    for colour in range(v.colours):
        height = v.fireworks[colour]
        least = min(least, height)
        for rank in range(v.ranks):
            left = hanabi.copies(rank, v.ranks) - np.int64(v.discards[face])
            if rank < height:
                played |= bit
                left -= 1
            odd |= bit * (left & 1)
            several |= bit * (left >> 1)
            face += 1
            bit <<= 1
    useless = worthless_faces(views, i, odd | several)
    playable = playable_faces(views, i) & ~useless
    for seat in range(1, v.players):
        for slot in range(v.sizes[seat]):
            odd, several = less_one(odd, several, face_of(views, i, seat, slot))
    return Facts(playable, useless, useless & ~played, odd, several, least)

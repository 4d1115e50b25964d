"""The memory of SmartBot, an agent for Hanabi, and what it learns from moves.

A seat's memory holds the faces that each card may have by the common knowledge of SmartBots, and the number of copies of
each face that are left. Where all seats play SmartBot, their memories are the same, so that they can share one.

Source: that of `hanabi_smart`.
"""

from typing import Any

import numpy as np

from cardenvs.baselines.heuristics.hanabi_agents import ALL, lay_down, mark_faces
from cardenvs.baselines.heuristics.hanabi_agents import MEMORY as SHARED
from cardenvs.baselines.heuristics.hanabi_faces import all_in, face_of, is_known, less_one, of_colour, of_rank
from cardenvs.compiled.bits import popcount
from cardenvs.compiled.jit import helper, kernel
from cardenvs.games import hanabi

MEMORY = np.dtype(
    [
        *SHARED,
        ("valuable", np.int64),  # faces of which the last copy is still needed, as `before_move` finds them
    ],
    align=True,
)


@helper
def some_in(faces: int, kind: int) -> bool:
    """Whether some faces are of a kind and others are not; True where there are none."""
    return faces == 0 or (faces & kind != 0 and faces & ~kind != 0)


@helper
def count_faces(faces: int) -> int:
    """Number of faces; 10 where there are none, as after moves by other conventions."""
    return popcount(faces) if faces != 0 else 10


@helper
def share_of_kind(faces: int, kind: int) -> float:
    """The share of the faces that are of a kind, each counted once; a half where there are none."""
    return popcount(faces & kind) / popcount(faces) if faces != 0 else 0.5


@kernel
def before_move(memories: Any, i: int, games: Any, j: int) -> None:
    """Prepares a memory for `choose` and `learn`, once a move: removes the faces whose copies are gone or lie elsewhere."""
    m, g = memories[i], games[j]
    mark_faces(m, games, j)
    m.valuable = m.odd & ~m.several & ~m.worthless
    while True:
        odd, several = m.odd, m.several
        for seat in range(g.players):
            for slot in range(g.sizes[seat]):
                faces = m.may_be[seat, slot]
                if is_known(faces):
                    odd, several = less_one(odd, several, faces)
        found = False
        for seat in range(g.players):
            for slot in range(g.sizes[seat]):
                faces = m.may_be[seat, slot]
                left = faces & (odd | several)
                if left != faces and not is_known(faces):
                    m.may_be[seat, slot] = left
                    found |= is_known(left)
        if not found:
            return


@kernel
def next_discard(memories: Any, i: int, games: Any, j: int, seat: int) -> int:
    """The slot that a seat is expected to discard next; -1 where it has something else to do, or nothing to spare."""
    m = memories[i]
    chosen = -1
    most = -1.0
    for slot in range(games[j].sizes[seat]):
        faces = m.may_be[seat, slot]
        if all_in(faces, m.playable) or all_in(faces, m.worthless):
            return -1
        if not all_in(faces, m.valuable):
            part = share_of_kind(faces, m.worthless)
            if part > most:
                chosen, most = slot, part
    return chosen


@helper
def could_be_valuable(faces: int, of_rank: int, valuable: int) -> bool:
    """Whether a rank hint could warn that the card must be kept."""
    return faces & of_rank & valuable != 0 and faces & ~valuable != 0


@kernel
def _no_warning(memories: Any, i: int, games: Any, j: int) -> None:
    """Learns from no warning: the card that the next seat is taken to discard can be spared."""
    m, g = memories[i], games[j]
    if g.information > 0 and g.drawn < hanabi.deck_size(games, j):
        warned = (g.to_act + 1) % g.players
        slot = next_discard(memories, i, games, j, warned)
        if slot >= 0:
            m.may_be[warned, slot] &= ~m.valuable


@kernel
def _learn_finesse(memories: Any, i: int, games: Any, j: int, me: int, card: int) -> None:
    """Learns from the discard of a card that was known to be playable: the newest card of another seat is a copy."""
    m, g = memories[i], games[j]
    for k in range(g.players):
        seat = (g.first + k) % g.players
        newest = g.sizes[seat] - 1
        if seat != g.to_act and seat != me and face_of(games, j, seat, newest) == card:
            m.may_be[seat, newest] = card
            return
    if me != ALL:
        m.may_be[me, g.sizes[me] - 1] = card


@kernel
def _learn_card(memories: Any, i: int, games: Any, j: int, me: int, action: int) -> None:
    m, g = memories[i], games[j]
    seat, slot = g.to_act, action % g.hand_size
    card = face_of(games, j, seat, slot)
    _no_warning(memories, i, games, j)
    faces = m.may_be[seat, slot]
    if action < g.hand_size and is_known(faces) and all_in(faces, m.playable):
        _learn_finesse(memories, i, games, j, me, card)
    lay_down(memories, i, games, j, slot)


@kernel
def _learn_hint(memories: Any, i: int, games: Any, j: int, action: int) -> None:
    m, g = memories[i], games[j]
    playable, valuable = m.playable, m.valuable
    offset, by_rank, value = hanabi.hint_of(games, j, action)
    told = of_rank(games, j, value) if by_rank else of_colour(games, j, value)
    seat = (g.to_act + offset) % g.players
    infer = True
    if by_rank:
        if g.information == g.most_information and offset == g.players - 1:
            infer = face_of(games, j, seat, 0) & told == 0
        if infer and offset == 1:
            slot = next_discard(memories, i, games, j, seat)
            if slot >= 0 and face_of(games, j, seat, slot) & told != 0:
                faces = m.may_be[seat, slot]
                if could_be_valuable(faces, told, valuable):
                    infer = False
                    m.may_be[seat, slot] = faces & valuable
    inferred = -1
    for slot in range(g.sizes[seat] - 1, -1, -1):
        faces = m.may_be[seat, slot]
        touched = face_of(games, j, seat, slot) & told != 0
        left = faces & told if touched else faces & ~told
        m.may_be[seat, slot] = left
        if some_in(faces, playable):
            if all_in(left, playable):
                infer = False
            elif touched and inferred < 0 and some_in(left, playable):
                inferred = slot
    if infer and inferred >= 0:
        m.may_be[seat, inferred] &= playable
    if offset != 1:
        _no_warning(memories, i, games, j)


@kernel
def learn(memories: Any, i: int, games: Any, j: int, me: int, action: int) -> None:
    if action < 2 * games[j].hand_size:
        _learn_card(memories, i, games, j, me, action)
    else:
        _learn_hint(memories, i, games, j, action)

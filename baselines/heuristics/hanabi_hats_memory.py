"""The memory of ``hat-information``, an agent for Hanabi, and the numbers that moves carry.

All seats keep the same memory, which holds the common knowledge of each card: its possible faces. Hints and discards
carry a number: the sum of one number for each of the other hands, as in puzzles on the colours of hats. Each seat sees all
of these hands but its own, subtracts their numbers, and the rest is the answer about its own hand.

Source: that of `hanabi_hats`.
"""

from typing import Any

import numpy as np

from cardenvs.baselines.heuristics.hanabi_agents import ALL, lay_down, mark_faces
from cardenvs.baselines.heuristics.hanabi_faces import all_in, copies_in, face_of, is_known, of_colour, of_rank
from cardenvs.compiled.bits import Ints, popcount
from cardenvs.compiled.jit import kernel
from cardenvs.games import hanabi

MOST_ENTRIES = hanabi.MOST_FACES  # the most sets of faces in a question


@kernel
def knows_a_play(memories: Any, i: int, games: Any, j: int, seat: int) -> bool:
    """Whether a seat has a card that is commonly known to be playable."""
    knows = False
    for slot in range(games[j].sizes[seat]):
        knows |= all_in(memories[i].may_be[seat, slot], memories[i].playable)
    return knows


@kernel
def _first_question(memories: Any, i: int, games: Any, j: int, seat: int, most: int, slots: Ints, sets: Ints) -> int:
    """As `_next_question`, where no card is known to be playable: which is the first that is playable, or dead?"""
    m = memories[i]
    odd, several = m.odd, m.several
    weights = np.empty(MOST_ENTRIES, np.float64)
    known_dead = False
    for slot in range(games[j].sizes[seat]):
        known_dead |= all_in(m.may_be[seat, slot], m.worthless)
    count = 0
    for of_dead in range(1 if known_dead else 2):
        kind = m.worthless if of_dead else m.playable
        start = count
        for slot in range(games[j].sizes[seat]):
            faces = m.may_be[seat, slot]
            if not is_known(faces) and faces & ~m.worthless != 0 and faces & kind != 0:
                part = copies_in(faces & kind, odd, several) / copies_in(faces, odd, several)
                k = count
                while k > start and weights[k - 1] < part:
                    slots[k], sets[k], weights[k] = slots[k - 1], sets[k - 1], weights[k - 1]
                    k -= 1
                slots[k], sets[k], weights[k] = slot, faces & kind, part
                count += 1
        count = min(count, most)
        # The likelier ones are kept, and come last; of equals the first slot comes first.
        for k in range(start + 1, count):
            slot, faces, part, at = slots[k], sets[k], weights[k], k
            while at > start and (weights[at - 1] > part or (weights[at - 1] == part and slots[at - 1] > slot)):
                slots[at], sets[at], weights[at] = slots[at - 1], sets[at - 1], weights[at - 1]
                at -= 1
            slots[at], sets[at], weights[at] = slot, faces, part
    return count


@kernel
def _next_question(memories: Any, i: int, games: Any, j: int, seat: int, room: int, slots: Ints, sets: Ints) -> int:
    """The next question on a hand, with at most ``room`` answers.

    Returns the number n of its sets of faces, written to ``slots`` and ``sets``, int64 (25,) each: answer k from 1 to n is
    that the k-th set is the first that has its card, and answer 0 that none has. 0 for no question.
    """
    m = memories[i]
    odd, several = m.odd, m.several
    if not knows_a_play(memories, i, games, j, seat):
        count = _first_question(memories, i, games, j, seat, room - 1, slots, sets)
        if count > 0:
            return count
    near, asked, least, split = 0.2, -1, 2.0, -1
    for slot in range(games[j].sizes[seat]):
        faces = m.may_be[seat, slot]
        if not is_known(faces) and faces & ~m.worthless != 0:
            whole = copies_in(faces, odd, several)
            off = abs(10 * copies_in(faces & m.playable, odd, several) - 7 * whole) / (10 * whole)
            if off < near:
                near, asked = off, slot
            part = copies_in(faces & m.worthless, odd, several) / whole
            if part < least:
                least, split = part, slot
    if asked >= 0:
        slots[0], sets[0] = asked, m.may_be[seat, asked] & m.playable
        return 1
    if split < 0:
        return 0
    # The faces that are not dead are dealt round into blocks, of which the first is answer 0; the dead are the last block.
    faces = m.may_be[seat, split]
    dead, useful = faces & m.worthless, faces & ~m.worthless
    blocks = min(room - 1 if dead != 0 else room, popcount(useful))
    for k in range(blocks):
        slots[k], sets[k] = split, 0
    k = 0
    while useful != 0:
        if k > 0:
            sets[k - 1] |= useful & -useful
        useful &= useful - 1
        k = k + 1 if k + 1 < blocks else 0
    if dead != 0:
        slots[blocks - 1], sets[blocks - 1] = split, dead
        blocks += 1
    return blocks - 1


@kernel
def _ask_questions(memories: Any, i: int, games: Any, j: int, seat: int, size: int, said: int) -> int:
    """Asks all questions on a hand, keeps the answers and returns their number; ``said`` below 0: the hand is seen."""
    m = memories[i]
    slots, sets = np.empty(MOST_ENTRIES, np.int64), np.empty(MOST_ENTRIES, np.int64)
    room, number, factor, rest = size, 0, 1, said
    while room > 1:
        count = _next_question(memories, i, games, j, seat, room, slots, sets)
        if count == 0:
            break
        answer = 0
        if said >= 0:
            answer, rest = rest % (count + 1), rest // (count + 1)
        else:
            for k in range(count):
                if face_of(games, j, seat, slots[k]) & sets[k] != 0:
                    answer = k + 1
                    break
        for k in range(answer - 1 if answer > 0 else count):
            m.may_be[seat, slots[k]] &= ~sets[k]
        if answer > 0:
            m.may_be[seat, slots[answer - 1]] &= sets[answer - 1]
        number += factor * answer
        factor *= count + 1
        room = (room - answer - 1) // (count + 1) + 1
    return number


@kernel
def encode_hats(memories: Any, i: int, games: Any, j: int, size: int) -> int:
    """Keeps the answers of all hands but that of the seat to act; returns their number, below ``size``."""
    g = games[j]
    total = 0
    for k in range(1, g.players):
        total += _ask_questions(memories, i, games, j, (g.to_act + k) % g.players, size, -1)
    return total % size


@kernel
def _decode_hats(memories: Any, i: int, games: Any, j: int, me: int, size: int, told: int) -> None:
    """Keeps the answers of all hands but that of the seat to act; ``me`` gets its own from the number ``told``."""
    g = games[j]
    for k in range(1, g.players):
        seat = (g.to_act + k) % g.players
        if seat != me:
            told -= _ask_questions(memories, i, games, j, seat, size, -1)
    if me != ALL and me != g.to_act:
        _ask_questions(memories, i, games, j, me, size, told % size)


@kernel
def hint_capacity(memories: Any, i: int, games: Any, j: int, seat: int) -> int:
    """Number of messages of a hint to a seat: 4 where it must hold two colours and two ranks, else 3."""
    m, g = memories[i], games[j]
    for by_rank in range(2):
        for value in range(g.ranks if by_rank else g.colours):
            kind = of_rank(games, j, value) if by_rank else of_colour(games, j, value)
            everywhere = True
            for slot in range(g.sizes[seat]):
                everywhere = everywhere and m.may_be[seat, slot] & kind != 0
            if everywhere:
                return 3
    return 4


@kernel
def total_hint_capacity(memories: Any, i: int, games: Any, j: int) -> int:
    """Number of messages of a hint of the seat to act."""
    g = games[j]
    total = 0
    for k in range(1, g.players):
        total += hint_capacity(memories, i, games, j, (g.to_act + k) % g.players)
    return total


@kernel
def index_card(memories: Any, i: int, games: Any, j: int, seat: int) -> int:
    """The slot of a seat that its hints are about: the one of which least is known."""
    m, g = memories[i], games[j]
    chosen, most = 0, -1
    for slot in range(g.sizes[seat]):
        faces = m.may_be[seat, slot]
        score = 0
        if not is_known(faces) and faces & ~m.worthless != 0:
            score = 3
            for colour in range(g.colours):
                score -= all_in(faces, of_colour(games, j, colour))
            for rank in range(g.ranks):
                score -= all_in(faces, of_rank(games, j, rank))
        if score > most:
            chosen, most = slot, score
    return chosen


@kernel
def faces_of_hint(games: Any, j: int, hint: tuple[int, int, int]) -> int:
    """The faces that a hint of `hanabi.hint_of` names."""
    return of_rank(games, j, hint[2]) if hint[1] else of_colour(games, j, hint[2])


@kernel
def hint_message(memories: Any, i: int, games: Any, j: int, seat: int, index: int, hint: tuple[int, int, int]) -> int:
    """The message of a hint to its seat: 0 for the rank of the index card, 1 for its colour, 2 or 3 for neither."""
    if face_of(games, j, seat, index) & faces_of_hint(games, j, hint) != 0:
        return 0 if hint[1] else 1
    return 2 if hint[1] or hint_capacity(memories, i, games, j, seat) == 3 else 3


@kernel
def useless_cards(memories: Any, i: int, games: Any, j: int, seat: int, left: int) -> int:
    """The slots, a bit each, of a seat's cards that are dead, or known and there twice; ``left``: possible faces."""
    m = memories[i]
    found = np.int64(0)
    for slot in range(games[j].sizes[seat]):
        faces = m.may_be[seat, slot] & left
        if faces & ~m.worthless == 0:
            found |= np.int64(1) << slot
        elif is_known(faces):
            for other in range(games[j].sizes[seat]):
                if other != slot and m.may_be[seat, other] & left == faces:
                    found |= np.int64(1) << slot
    return found


@kernel
def learn_no_hint(memories: Any, i: int, games: Any, j: int) -> None:
    """Keeps what a discard shows while there are tokens: a seat that knows of no playable card of its own has none."""
    m, g = memories[i], games[j]
    if g.information == 0:
        return
    for k in range(1, g.players):
        seat = (g.to_act + k) % g.players
        if not knows_a_play(memories, i, games, j, seat):
            for slot in range(g.sizes[seat]):
                m.may_be[seat, slot] &= ~m.playable


@kernel
def before_move(memories: Any, i: int, games: Any, j: int) -> None:
    """Prepares a memory for `hanabi_hats.choose` and `learn`, once a move: removes faces whose copies are all gone."""
    m, g = memories[i], games[j]
    left = m.odd | m.several
    mark_faces(m, games, j)
    for seat in range(g.players):
        for slot in range(g.sizes[seat]):
            m.may_be[seat, slot] &= left


@kernel
def _learn_hint(memories: Any, i: int, games: Any, j: int, me: int, action: int) -> None:
    """Keeps what follows from a hint, first by its number, then by its content."""
    m, g = memories[i], games[j]
    hint = hanabi.hint_of(games, j, action)
    seat = (g.to_act + hint[0]) % g.players
    told = hint_message(memories, i, games, j, seat, index_card(memories, i, games, j, seat), hint)
    for k in range(1, hint[0]):
        told += hint_capacity(memories, i, games, j, (g.to_act + k) % g.players)
    _decode_hats(memories, i, games, j, me, total_hint_capacity(memories, i, games, j), told)
    named = faces_of_hint(games, j, hint)
    for slot in range(g.sizes[seat]):
        m.may_be[seat, slot] &= named if face_of(games, j, seat, slot) & named != 0 else ~named


@kernel
def _learn_discard(memories: Any, i: int, games: Any, j: int, me: int, slot: int) -> None:
    """Keeps what follows from a discard, by its number where it has one."""
    m, seat = memories[i], games[j].to_act
    learn_no_hint(memories, i, games, j)
    useless = useless_cards(memories, i, games, j, seat, m.odd | m.several)
    if useless >> slot & 1 and popcount(useless) > 1:
        told = popcount(useless & ((np.int64(1) << slot) - 1))
        _decode_hats(memories, i, games, j, me, popcount(useless), told)


@kernel
def learn(memories: Any, i: int, games: Any, j: int, me: int, action: int) -> None:
    """Adds to the memory of ``me``, a seat or ALL, after `before_move`, what follows from a move in a state before it."""
    g = games[j]
    slot = action % g.hand_size
    if action >= 2 * g.hand_size:
        _learn_hint(memories, i, games, j, me, action)
        return
    if action < g.hand_size:
        _learn_discard(memories, i, games, j, me, slot)
    lay_down(memories, i, games, j, slot)

"""``hat-information``, an agent for Hanabi whose hints and discards inform all other players about their own hands.

Source: the information strategy of C. Cox, J. De Silva, P. Deorsey, F. Kenter, T. Retter and J. Tobin, "How to Make the
Perfect Fireworks Display: Two Strategies for Hanabi" (2015), as J. Wu's program "hanabi.rs" (WTFWThat) carries it on.
"""

from typing import Any

import numpy as np

from cardenvs.baselines.heuristics.hanabi_agents import MEMORY, Blueprint, HanabiAgent
from cardenvs.baselines.heuristics.hanabi_faces import all_in, copies_in, face_of, is_known, less_one, of_rank
from cardenvs.baselines.heuristics.hanabi_hats_memory import (
    before_move,
    encode_hats,
    faces_of_hint,
    hint_capacity,
    hint_message,
    index_card,
    knows_a_play,
    learn,
    learn_no_hint,
    total_hint_capacity,
    useless_cards,
)
from cardenvs.compiled.bits import lowest, nth, popcount
from cardenvs.compiled.jit import kernel
from cardenvs.games import hanabi


@kernel
def _unseen_copies(memories: Any, i: int, games: Any, j: int) -> tuple[int, int]:
    """Counts of the copies that the seat to act does not see."""
    m, g = memories[i], games[j]
    odd, several = m.odd, m.several
    for k in range(1, g.players):
        seat = (g.to_act + k) % g.players
        for slot in range(g.sizes[seat]):
            odd, several = less_one(odd, several, face_of(games, j, seat, slot))
    return odd, several


@kernel
def _seats_with(games: Any, j: int, face: int) -> int:
    """Number of other seats that hold a face, given as its bit."""
    g = games[j]
    count = 0
    for k in range(1, g.players):
        seat = (g.to_act + k) % g.players
        for slot in range(g.sizes[seat]):
            if face_of(games, j, seat, slot) == face:
                count += 1
                break
    return count


@kernel
def _play_worth(games: Any, j: int, faces: int, odd: int, several: int) -> float:
    """The mean worth of a play: low ranks more; as long as there is a deck, faces that others hold, too, less."""
    ends = games[j].drawn == hanabi.deck_size(games, j)
    total, whole = 0, copies_in(faces, odd, several)
    while faces != 0:
        face = faces & -faces
        holders = 0 if ends else _seats_with(games, j, face)
        total += copies_in(face, odd, several) * (9 - lowest(face) % games[j].ranks) * (60 // (1 + holders))
        faces ^= face
    return total / whole


@kernel
def _sure_play(memories: Any, i: int, games: Any, j: int, odd: int, several: int) -> int:
    """The best play of a card that must be playable; -1 for none. The copies are of `_unseen_copies`."""
    m, g = memories[i], games[j]
    chosen, most = -1, -1.0
    for slot in range(g.sizes[g.to_act]):
        faces = m.may_be[g.to_act, slot] & (odd | several)
        if all_in(faces, m.playable):
            worth = _play_worth(games, j, faces, odd, several)
            if worth > most:
                chosen, most = g.hand_size + slot, worth
    return chosen


@kernel
def _bold_play(memories: Any, i: int, games: Any, j: int, odd: int, several: int) -> int:
    """The play of a card that is playable with a chance above 3 in 4, and else useless; -1 for none."""
    m, g = memories[i], games[j]
    chosen, most = -1, 0.75
    for slot in range(g.sizes[g.to_act]):
        faces = m.may_be[g.to_act, slot] & (odd | several)
        if all_in(faces, m.playable | m.worthless):
            part = copies_in(faces & m.playable, odd, several) / copies_in(faces, odd, several)
            if part > most:
                chosen, most = g.hand_size + slot, part
    return chosen


@kernel
def _can_spare(games: Any, j: int) -> bool:
    """Whether all fireworks could still be completed before the deck is empty, by the number of discards."""
    g = games[j]
    spare = hanabi.deck_size(games, j) - g.colours * g.ranks - g.players * g.hand_size
    for face in range(g.colours * g.ranks):
        spare -= g.discards[face]
    return spare >= 0


@kernel
def _should_hint(memories: Any, i: int, games: Any, j: int, has_useless: bool) -> bool:
    """Whether the seat to act, which cannot play, hints; ``has_useless``: it knows a card to discard."""
    m, g = memories[i], games[j]
    if g.information == g.most_information or g.information == 0:
        return g.information > 0
    plays, needs = False, False
    for k in range(1, g.players):
        seat = (g.to_act + k) % g.players
        holds = False
        for slot in range(g.sizes[seat]):
            holds |= face_of(games, j, seat, slot) & m.playable != 0
        plays |= holds
        needs |= holds and not knows_a_play(memories, i, games, j, seat)
    if needs:
        return True
    if has_useless and _can_spare(games, j):
        return False
    return plays or g.information > 4


@kernel
def _hint_worth(memories: Any, i: int, games: Any, j: int, seat: int, named: int) -> float:
    """The worth of a hint: the candidates that it rules out; 0 where the hand has none of the faces ``named``."""
    m = memories[i]
    odd, several = m.odd, m.several
    before, after = 1.0, 1.0
    touches = False
    for slot in range(games[j].sizes[seat]):
        faces = m.may_be[seat, slot]
        touched = face_of(games, j, seat, slot) & named != 0
        touches |= touched
        if not is_known(faces) and faces & ~m.worthless != 0:
            left = faces & named if touched else faces & ~named
            before *= copies_in(faces, odd, several) * (2 if is_known(left) or left & ~m.worthless == 0 else 1)
            after *= max(copies_in(left, odd, several), 1)
    return before / after if touches else 0.0


@kernel
def _choose_hint(memories: Any, i: int, games: Any, j: int) -> int:
    """The hint that carries the numbers of all other hands."""
    g = games[j]
    scratch = memories[i : i + 1].copy()
    number = encode_hats(scratch, 0, games, j, total_hint_capacity(memories, i, games, j))
    offset = 1
    while number >= hint_capacity(memories, i, games, j, (g.to_act + offset) % g.players):
        number -= hint_capacity(memories, i, games, j, (g.to_act + offset) % g.players)
        offset += 1
    seat = (g.to_act + offset) % g.players
    index = index_card(memories, i, games, j, seat)
    chosen, most, right = -1, 0.0, False
    for action in range(2 * g.hand_size, 2 * g.hand_size + (g.players - 1) * (g.colours + g.ranks)):
        hint = hanabi.hint_of(games, j, action)
        if hint[0] == offset:
            worth = _hint_worth(memories, i, games, j, seat, faces_of_hint(games, j, hint))
            # Some hint says it, but in a hand of equal cards.
            says = hint_message(memories, i, games, j, seat, index, hint) == number
            if worth > 0.0 and (says > right or (says == right and worth > most)):
                chosen, most, right = action, worth, says
    return chosen


@kernel
def _choose_discard(memories: Any, i: int, games: Any, j: int, odd: int, several: int) -> int:
    """The discard of the card that others likely hold, too, that can likely be spared and is of a high rank."""
    m, g = memories[i], games[j]
    seen, spared = np.int64(0), m.worthless
    for face in range(g.colours * g.ranks):
        bit = np.int64(1) << face
        if hanabi.copies(face % g.ranks, g.ranks) - g.discards[face] > 1:
            spared |= bit
        if _seats_with(games, j, bit) > 0:
            seen |= bit
    chosen, most = 0, -1.0
    for slot in range(g.sizes[g.to_act]):
        faces = m.may_be[g.to_act, slot] & (odd | several)
        total = 20 * copies_in(faces & seen, odd, several) + 10 * copies_in(faces & spared, odd, several)
        for rank in range(g.ranks):
            total += (rank + 1) * copies_in(faces & of_rank(games, j, rank), odd, several)
        worth = total / copies_in(faces, odd, several)
        if worth > most:
            chosen, most = slot, worth
    return chosen


@kernel
def choose(memories: Any, i: int, games: Any, j: int) -> int:
    m, g = memories[i], games[j]
    odd, several = _unseen_copies(memories, i, games, j)
    action = _sure_play(memories, i, games, j, odd, several)
    if action < 0 and g.lives > 1 and _can_spare(games, j):
        action = _bold_play(memories, i, games, j, odd, several)
    if action >= 0:
        return action
    useless = useless_cards(memories, i, games, j, g.to_act, odd | several)
    if _should_hint(memories, i, games, j, useless != 0):
        return _choose_hint(memories, i, games, j)
    told = useless_cards(memories, i, games, j, g.to_act, m.odd | m.several)
    if popcount(told) > 1:
        scratch = memories[i : i + 1].copy()
        learn_no_hint(scratch, 0, games, j)
        return nth(told, encode_hats(scratch, 0, games, j, popcount(told)))
    return lowest(useless) if useless != 0 else _choose_discard(memories, i, games, j, odd, several)


class HatInformation(HanabiAgent):
    """``hat-information``: by the number of a hint or a discard, tells all other players of their own hands at once.

    With partners that do the same it loses no deal and builds nearly all; with others it is worthless. Where a mask lacks
    its move, the agent takes the first action that the mask has. It needs a token and hands of two cards.

    Source: the information strategy of C. Cox et al., "How to Make the Perfect Fireworks Display: Two Strategies for
    Hanabi" (2015), as J. Wu's program "hanabi.rs" (WTFWThat) carries it on.
    """

    blueprint = Blueprint("hat-information", np.dtype(MEMORY, align=True), before_move, choose, learn)

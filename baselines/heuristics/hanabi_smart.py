"""SmartBot, an agent for Hanabi: it infers what its partners know from their moves, and hints, plays and discards by that.

Source: A. O'Dwyer's SmartBot, as used by N. Bard et al., "The Hanabi Challenge: A New Frontier for AI Research" (2020), and
by A. Lerer et al., "Improving Policies via Search in Cooperative Partially Observable Games" (2020). For other numbers of
ranks and tokens than theirs, what it does with the fifth rank and with eight tokens it does with the highest and with all.
"""

from typing import Any

import numpy as np

from cardenvs.baselines.heuristics.hanabi_agents import Blueprint, HanabiAgent
from cardenvs.baselines.heuristics.hanabi_faces import (
    all_in,
    face_of,
    is_known,
    less_one,
    of_colour,
    of_rank,
    rank_of,
    tell_colour,
    tell_rank,
)
from cardenvs.baselines.heuristics.hanabi_smart_memory import (
    MEMORY,
    before_move,
    could_be_valuable,
    count_faces,
    learn,
    next_discard,
    share_of_kind,
    some_in,
)
from cardenvs.compiled.bits import lowest
from cardenvs.compiled.jit import helper, kernel
from cardenvs.games import hanabi


@helper
def _hint_worth(memories: Any, i: int, games: Any, j: int, seat: int, told: int) -> int:
    """Number of faces that a hint, which names ``told``, rules out for its seat; 0 where it shows no playable card."""
    m, g = memories[i], games[j]
    playable = m.playable
    reveals, misleads, inferred = False, False, False
    worth = 0
    for slot in range(g.sizes[seat] - 1, -1, -1):
        faces = m.may_be[seat, slot]
        card = face_of(games, j, seat, slot)
        left = faces & told if card & told != 0 else faces & ~told
        worth += count_faces(faces) - count_faces(left)
        if some_in(faces, playable):
            if all_in(left, playable):
                reveals = True
            elif not inferred and card & told != 0 and some_in(left, playable):
                inferred = True
                misleads = card & playable == 0
    return worth if reveals or (inferred and not misleads) else 0


@kernel
def _best_hint(memories: Any, i: int, games: Any, j: int, seat: int, avoided: int) -> tuple[int, int]:
    """The best hint for a seat, without the rank ``avoided`` (-1 for none), and its worth: 0 where there is none."""
    g = games[j]
    offset = (seat - g.to_act) % g.players
    hand = 0
    for slot in range(g.sizes[seat]):
        hand |= face_of(games, j, seat, slot)
    chosen, most = -1, 0
    for by_rank in range(2):
        column, told, step = tell_colour(g, offset, 0), of_colour(games, j, 0), g.ranks
        if by_rank:
            column, told, step = tell_rank(g, offset, 0), of_rank(games, j, 0), 1
        for value in range(g.ranks if by_rank else g.colours):
            if hand & told != 0 and not (by_rank and value == avoided):
                worth = _hint_worth(memories, i, games, j, seat, told)
                if worth > most:
                    chosen, most = column + value, worth
            told <<= step
    return chosen, most


@kernel
def _rank_hint(games: Any, j: int, seat: int, slot: int) -> int:
    g = games[j]
    return tell_rank(g, (seat - g.to_act) % g.players, (np.int64(g.hands[seat, slot]) - 1) % g.ranks)


@kernel
def _unlocated_faces(memories: Any, i: int, games: Any, j: int) -> int:
    """The faces with copies besides those that the seat to act sees in other hands or knows in its own."""
    m, g = memories[i], games[j]
    odd, several = m.odd, m.several
    for seat in range(g.players):
        for slot in range(g.sizes[seat]):
            if seat != g.to_act:
                odd, several = less_one(odd, several, face_of(games, j, seat, slot))
            else:
                faces = m.may_be[seat, slot]
                if is_known(faces):
                    odd, several = less_one(odd, several, faces)
    return odd | several


@helper
def _possible_faces(memories: Any, i: int, seat: int, slot: int, left: int) -> int:
    """The faces that an own card may have by all that the seat sees; ``left`` is of `_unlocated_faces`."""
    faces = memories[i].may_be[seat, slot]
    return faces if is_known(faces) else faces & left


@kernel
def _finesse_discard(memories: Any, i: int, games: Any, j: int) -> int:
    """The discard of a known playable card of which one other seat has just drawn a copy; -1 for none."""
    m, g = memories[i], games[j]
    for slot in range(g.sizes[g.to_act]):
        faces = m.may_be[g.to_act, slot]
        if is_known(faces) and faces & m.playable != 0 and faces & m.valuable == 0:
            holders = 0
            for seat in range(g.players):
                if seat != g.to_act:
                    holders += face_of(games, j, seat, g.sizes[seat] - 1) == faces
            if holders == 1:
                return slot
    return -1


@kernel
def _known_play(memories: Any, i: int, games: Any, j: int, left: int) -> int:
    """The play of a card that must be playable: those that others do not expect, then low ranks first; -1 for none."""
    m, g = memories[i], games[j]
    chosen, most = -1, -1
    for slot in range(g.sizes[g.to_act]):
        faces = m.may_be[g.to_act, slot]
        eyed = _possible_faces(memories, i, g.to_act, slot, left)
        if all_in(eyed, m.playable):
            rank = rank_of(games, j, eyed)
            worth = 5 - rank if rank >= 0 else 7
            if not all_in(faces, m.playable):
                worth += 100
            if worth > most:
                chosen, most = g.hand_size + slot, worth
    return chosen


@kernel
def _mystery_play(memories: Any, i: int, games: Any, j: int, left: int) -> int:
    """The play of the card that is likeliest to be playable, if the end is near and lives can be risked; -1 for none."""
    m, g = memories[i], games[j]
    if hanabi.deck_size(games, j) - g.drawn > (3 if g.lives > 2 else 1):
        return -1
    chosen, most = -1, -1.0
    for slot in range(g.sizes[g.to_act] - 1, -1, -1):
        eyed = _possible_faces(memories, i, g.to_act, slot, left)
        if some_in(eyed, m.playable):
            part = share_of_kind(eyed, m.playable)
            if part > most:
                chosen, most = g.hand_size + slot, part
    return chosen


@kernel
def _choose_discard(memories: Any, i: int, games: Any, j: int, left: int) -> int:
    """The discard of a useless card, else of the one to be discarded next, else of the highest rank."""
    m, g = memories[i], games[j]
    chosen, least = -1, 2.0
    for slot in range(g.sizes[g.to_act]):
        faces = m.may_be[g.to_act, slot]
        if all_in(faces, m.worthless) or (
            some_in(faces, m.worthless) and all_in(_possible_faces(memories, i, g.to_act, slot, left), m.worthless)
        ):
            part = share_of_kind(faces, m.worthless)
            if part < least:
                chosen, least = slot, part
    if chosen >= 0:
        return chosen
    chosen = next_discard(memories, i, games, j, g.to_act)
    if chosen >= 0:
        return chosen
    highest = -2
    for slot in range(g.sizes[g.to_act]):
        rank = rank_of(games, j, m.may_be[g.to_act, slot])
        if rank > highest:
            chosen, highest = slot, rank
    return chosen


@kernel
def choose(memories: Any, i: int, games: Any, j: int) -> int:
    m, g = memories[i], games[j]
    left = _unlocated_faces(memories, i, games, j)
    if g.drawn == hanabi.deck_size(games, j):
        action = _known_play(memories, i, games, j, left)
        if action < 0:
            action = _mystery_play(memories, i, games, j, left)
        if action >= 0:
            return action
    following = (g.to_act + 1) % g.players
    avoided = -1
    if g.information > 0:
        slot = next_discard(memories, i, games, j, following)
        if slot >= 0:
            card = face_of(games, j, following, slot)
            rank = lowest(card) % g.ranks
            if could_be_valuable(m.may_be[following, slot], of_rank(games, j, rank), m.valuable):
                avoided = rank
            if card & m.valuable != 0:
                action, worth = _best_hint(memories, i, games, j, following, avoided)
                return action if worth > 0 else _rank_hint(games, j, following, slot)
    if g.information < g.most_information:
        action = _finesse_discard(memories, i, games, j)
        if action >= 0:
            return action
    action = _known_play(memories, i, games, j, left)
    if action >= 0:
        return action
    if g.information > 0:
        most = 0
        for k in range(1, g.players):
            seat = (g.to_act + k) % g.players
            hint, worth = _best_hint(memories, i, games, j, seat, avoided if k == 1 else -1)
            if worth > most:
                action, most = hint, worth
        if most > 0:
            return action
    action = _mystery_play(memories, i, games, j, left)
    if action >= 0:
        return action
    if g.information == g.most_information:
        return _rank_hint(games, j, (g.to_act + g.players - 1) % g.players, 0)
    return _choose_discard(memories, i, games, j, left)


class SmartBot(HanabiAgent):
    """``smartbot``: plays, hints and discards by what its partners must know if they are SmartBots, too.

    A hint tells of a card that can be played, or warns of the loss of a last copy. Where a mask lacks its move, the agent
    takes the first action that the mask has. It needs a token and hands of two cards.

    Source: A. O'Dwyer's SmartBot, as used by N. Bard et al., "The Hanabi Challenge: A New Frontier for AI Research" (2020),
    and by A. Lerer et al., "Improving Policies via Search in Cooperative Partially Observable Games" (2020).
    """

    blueprint = Blueprint("smartbot", MEMORY, before_move, choose, learn)

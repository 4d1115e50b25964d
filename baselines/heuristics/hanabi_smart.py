"""SmartBot for Hanabi: it infers what partners know from their moves, and hints, plays and discards by that.

A seat's memory holds the faces that each card may be for all that its holder is taken to know, and how many copies of each
face are left. All else follows from that and the table. Each seat carries its memory along from move to move (`begin`,
`before_move`, `learn`), or makes it anew from a view that recalls the order of play (`replay`). Where all seats play
SmartBot, their memories are the same, so that they can share one.

Source: A. O'Dwyer's SmartBot, as N. Bard et al., "The Hanabi Challenge: A New Frontier for AI Research" (2020), and A. Lerer
et al., "Improving Policies via Search in Cooperative Partially Observable Games" (2020), use it. For other numbers of
colours, ranks and tokens than the source's: the highest rank, all tokens.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardenvs.compiled.bits import Bytes, Ints, Streams, lowest, popcount
from cardenvs.compiled.jit import helper, kernel
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.games import hanabi
from cardenvs.policy.contract import Policy

MEMORY = np.dtype(
    [
        ("may_be", np.int32, (hanabi.MOST_SEATS, hanabi.MOST_HELD)),  # faces that each card may be, a bit each
        ("odd", np.int32),  # faces of which one or three copies are neither discarded nor played
        ("several", np.int32),  # faces of which two or three are
    ],
    align=True,
)
"""What a seat keeps of a deal. Seats are numbered as in the states or views that it goes with."""

ALL = -1
"""In place of a seat, for a memory that all seats share: it goes by what any of them sees."""

# --- sets of faces -------------------------------------------------------------------------------------------------


@helper
def _is_known(faces: int) -> bool:
    """Whether a set of faces has one member."""
    return faces != 0 and faces & (faces - 1) == 0


@helper
def _all_in(faces: int, kind: int) -> bool:
    """Whether all faces are of a kind, and there are any."""
    return faces != 0 and faces & ~kind == 0


@helper
def _some_in(faces: int, kind: int) -> bool:
    """Whether some faces are of a kind and others are not; so it is taken to be where there are none at all."""
    return faces == 0 or (faces & kind != 0 and faces & ~kind != 0)


@helper
def _size(faces: int) -> int:
    """Number of faces; 10 where there are none, as after moves by other conventions."""
    return popcount(faces) if faces != 0 else np.int64(10)


@helper
def _share(faces: int, kind: int) -> float:
    """The share of the faces that are of a kind, each counted once; a half where there are none."""
    return popcount(faces & kind) / popcount(faces) if faces != 0 else 0.5


@helper
def _less_one(odd: int, several: int, face: int) -> tuple[int, int]:
    """Copies, as MEMORY counts them, with one copy less of a face, given as its bit; none stays none."""
    borrowed = several & ~odd & face
    return (odd & ~face) | borrowed, several ^ borrowed


@helper
def _of_colour(games: Any, j: int, colour: int) -> int:
    """The faces of a colour."""
    ranks = games[j].ranks
    return ((np.int64(1) << ranks) - 1) << colour * ranks


@helper
def _of_rank(games: Any, j: int, rank: int) -> int:
    """The faces of a rank."""
    faces, one = np.int64(0), np.int64(1) << rank
    for _ in range(games[j].colours):
        faces = faces << games[j].ranks | one
    return faces


@helper
def _rank_of(games: Any, j: int, faces: int) -> int:
    """The rank that all faces have, from 0 on; -1 where there is none."""
    if faces == 0:
        return -1
    rank = lowest(faces) % games[j].ranks
    return rank if faces & ~_of_rank(games, j, rank) == 0 else -1


@helper
def _face(games: Any, j: int, seat: int, slot: int) -> int:
    """The bit of a card in a hand."""
    return np.int64(1) << (np.int64(games[j].hands[seat, slot]) - 1)


@kernel
def _kinds(memories: Any, i: int, games: Any, j: int) -> tuple[int, int, int]:
    """The faces that can be played now, those of which the last copy is still needed, and those that are of no use."""
    m, g = memories[i], games[j]
    odd, several = np.int64(m.odd), np.int64(m.several)
    whole = (np.int64(1) << g.ranks) - 1
    playable, worthless = np.int64(0), np.int64(0)
    for colour in range(g.colours):
        height = g.fireworks[colour]
        first = colour * g.ranks
        useless = (np.int64(1) << height) - 1
        lost = ~(odd | several) >> first & whole & ~useless
        if lost != 0:
            useless |= whole & ~(lost ^ (lost - 1))
        worthless |= useless << first
        if height < g.ranks:
            playable |= np.int64(1) << (first + height)
    return playable, odd & ~several & ~worthless, worthless


# --- memory --------------------------------------------------------------------------------------------------------


@kernel
def begin(memories: Any, i: int, games: Any, j: int) -> None:
    """Sets ``memories[i]`` for the start of the deal ``games[j]``."""
    m, g = memories[i], games[j]
    one = np.int64(1)
    odd, several = np.int64(0), np.int64(0)
    for rank in range(g.ranks):
        many = hanabi.copies(rank, g.ranks)
        if many & 1:
            odd |= _of_rank(games, j, rank)
        if many & 2:
            several |= _of_rank(games, j, rank)
    m.odd = odd
    m.several = several
    for seat in range(g.players):
        for slot in range(g.sizes[seat]):
            m.may_be[seat, slot] = (one << g.colours * g.ranks) - 1


@kernel
def before_move(memories: Any, i: int, games: Any, j: int) -> None:
    """Takes from all cards the faces of which all copies are gone or known to lie elsewhere; to be called before each move.

    Args:
        memories: the memories, a structured array of MEMORY.
        i: the number of the memory.
        games: states or views.
        j: the number of the game that the memory is of.
    """
    m, g = memories[i], games[j]
    while True:
        odd, several = np.int64(m.odd), np.int64(m.several)
        for seat in range(g.players):
            for slot in range(g.sizes[seat]):
                faces = np.int64(m.may_be[seat, slot])
                if _is_known(faces):
                    odd, several = _less_one(odd, several, faces)
        found = False
        for seat in range(g.players):
            for slot in range(g.sizes[seat]):
                faces = np.int64(m.may_be[seat, slot])
                left = faces & (odd | several)
                if left != faces and not _is_known(faces):
                    m.may_be[seat, slot] = left
                    found |= _is_known(left)
        if not found:
            return


@kernel
def _next_discard(memories: Any, i: int, games: Any, j: int, seat: int, kinds: tuple[int, int, int]) -> int:
    """The slot that a seat is taken to discard next; -1 where it has something else to do, or nothing to spare."""
    m = memories[i]
    playable, valuable, worthless = kinds
    chosen = np.int64(-1)
    most = -1.0
    for slot in range(games[j].sizes[seat]):
        faces = np.int64(m.may_be[seat, slot])
        if _all_in(faces, playable) or _all_in(faces, worthless):
            return np.int64(-1)
        if not _all_in(faces, valuable):
            share = _share(faces, worthless)
            if share > most:
                chosen, most = np.int64(slot), share
    return chosen


@helper
def _could_be_valuable(faces: int, of_rank: int, valuable: int) -> bool:
    """Whether a rank hint to the card at stake could say that it must be kept."""
    return faces & of_rank & valuable != 0 and faces & ~valuable != 0


@kernel
def _no_warning(memories: Any, i: int, games: Any, j: int, kinds: tuple[int, int, int]) -> None:
    """What follows from no warning: the card that the next seat is taken to discard can be spared."""
    m, g = memories[i], games[j]
    if g.information > 0 and g.drawn < hanabi.deck_size(games, j):
        warned = (g.to_act + 1) % g.players
        slot = _next_discard(memories, i, games, j, warned, kinds)
        if slot >= 0:
            m.may_be[warned, slot] &= ~kinds[1]


@kernel
def _learn_finesse(memories: Any, i: int, games: Any, j: int, me: int, card: int) -> None:
    """What follows from the discard of a card that was known to be playable: somebody's newest card is another copy."""
    m, g = memories[i], games[j]
    for k in range(g.players):
        seat = (g.first + k) % g.players
        newest = g.sizes[seat] - 1
        if seat != g.to_act and seat != me and newest >= 0 and _face(games, j, seat, newest) == card:
            m.may_be[seat, newest] = card
            return
    if me != ALL:
        m.may_be[me, max(g.sizes[me] - 1, 0)] = card


@kernel
def _learn_card(memories: Any, i: int, games: Any, j: int, me: int, action: int, kinds: tuple[int, int, int]) -> None:
    """What follows from a discard or a play."""
    m, g = memories[i], games[j]
    seat, slot = g.to_act, action % g.hand_size
    card = _face(games, j, seat, slot)
    _no_warning(memories, i, games, j, kinds)
    faces = np.int64(m.may_be[seat, slot])
    if action < g.hand_size and _is_known(faces) and _all_in(faces, kinds[0]):
        _learn_finesse(memories, i, games, j, me, card)
    odd, several = _less_one(np.int64(m.odd), np.int64(m.several), card)
    m.odd = odd
    m.several = several
    last = g.sizes[seat] - 1
    for k in range(slot, last):
        m.may_be[seat, k] = m.may_be[seat, k + 1]
    m.may_be[seat, last] = (np.int64(1) << g.colours * g.ranks) - 1


@kernel
def _learn_hint(memories: Any, i: int, games: Any, j: int, action: int, kinds: tuple[int, int, int]) -> None:
    """What follows from a hint."""
    m, g = memories[i], games[j]
    playable, valuable, _ = kinds
    number, colours = action - 2 * g.hand_size, (g.players - 1) * g.colours
    by_rank = number >= colours
    if by_rank:
        number -= colours
        offset, told = 1 + number // g.ranks, _of_rank(games, j, number % g.ranks)
    else:
        offset, told = 1 + number // g.colours, _of_colour(games, j, number % g.colours)
    seat = (g.to_act + offset) % g.players
    infer = True
    if by_rank:
        if g.information == g.most_information and offset == g.players - 1:
            infer = _face(games, j, seat, 0) & told == 0
        if infer and offset == 1:
            slot = _next_discard(memories, i, games, j, seat, kinds)
            if slot >= 0 and _face(games, j, seat, slot) & told != 0:
                faces = np.int64(m.may_be[seat, slot])
                if _could_be_valuable(faces, told, valuable):
                    infer = False
                    m.may_be[seat, slot] = faces & valuable
    inferred = np.int64(-1)
    for slot in range(g.sizes[seat] - 1, -1, -1):
        faces = np.int64(m.may_be[seat, slot])
        touched = _face(games, j, seat, slot) & told != 0
        left = faces & told if touched else faces & ~told
        m.may_be[seat, slot] = left
        if _some_in(faces, playable):
            if _all_in(left, playable):
                infer = False
            elif touched and inferred < 0 and _some_in(left, playable):
                inferred = np.int64(slot)
    if infer and inferred >= 0:
        m.may_be[seat, inferred] &= playable
    if offset != 1:
        _no_warning(memories, i, games, j, kinds)


@kernel
def learn(memories: Any, i: int, games: Any, j: int, me: int, action: int) -> None:
    """Adds to a memory what follows from a move.

    Args:
        memories: the memories, a structured array of MEMORY.
        i: the number of the memory.
        games: states; of the hand of ``me`` it matters only what hints say and what is played or discarded.
        j: the number of the game, as it stands before the move.
        me: the seat whose memory it is, or ALL.
        action: the move of the seat to act.
    """
    kinds = _kinds(memories, i, games, j)
    if action < 2 * games[j].hand_size:
        _learn_card(memories, i, games, j, me, action, kinds)
    else:
        _learn_hint(memories, i, games, j, action, kinds)


@kernel
def replay(views: Any, v: int, memories: Any, i: int, games: Any, j: int) -> None:
    """Makes the memory of seat 0 of a view anew from the order of play.

    Args:
        views: views with recall, of which number ``v`` is replayed.
        v: the number of the view.
        memories: the memories, a structured array of MEMORY, of which number ``i`` is written.
        i: the number of the memory.
        games: states, of which number ``j`` is overwritten.
        j: the number of the state.
    """
    games[j] = views[v]
    g = games[j]
    for slot in range(g.sizes[0]):
        # Any face that hints have left open is touched by the same hints as the card.
        colour, rank = lowest(np.int64(g.may_colours[0, slot])), lowest(np.int64(g.may_ranks[0, slot]))
        g.deck[g.places[0, slot] - 1] = colour * g.ranks + rank + 1
    hanabi.open_deal(games, j)
    begin(memories, i, games, j)
    for k in range(views[v].moves):
        action = np.int64(views[v].history[k])
        before_move(memories, i, games, j)
        learn(memories, i, games, j, 0, action)
        hanabi.step(games, j, action)


# --- the move ------------------------------------------------------------------------------------------------------


@kernel
def _hint_worth(memories: Any, i: int, games: Any, j: int, seat: int, told: int, playable: int) -> int:
    """How many faces a hint rules out for its seat, 0 where it tells of no playable card; ``told`` are the faces named."""
    m, g = memories[i], games[j]
    reveals, misleads, inferred = False, False, False
    worth = np.int64(0)
    for slot in range(g.sizes[seat] - 1, -1, -1):
        faces = np.int64(m.may_be[seat, slot])
        card = _face(games, j, seat, slot)
        left = faces & told if card & told != 0 else faces & ~told
        worth += _size(faces) - _size(left)
        if _some_in(faces, playable):
            if _all_in(left, playable):
                reveals = True
            elif not inferred and card & told != 0 and _some_in(left, playable):
                inferred = True
                misleads = card & playable == 0
    return worth if reveals or (inferred and not misleads) else np.int64(0)


@kernel
def _best_hint(memories: Any, i: int, games: Any, j: int, seat: int, avoided: int, playable: int) -> tuple[int, int]:
    """The best hint for a seat, but for the rank ``avoided`` (-1 for none), and what it is worth: 0 where there is none."""
    g = games[j]
    offset = (seat - g.to_act) % g.players
    hand = np.int64(0)
    for slot in range(g.sizes[seat]):
        hand |= _face(games, j, seat, slot)
    chosen, most = np.int64(-1), np.int64(0)
    column = 2 * g.hand_size + (offset - 1) * g.colours
    for colour in range(g.colours):
        told = _of_colour(games, j, colour)
        if hand & told != 0:
            worth = _hint_worth(memories, i, games, j, seat, told, playable)
            if worth > most:
                chosen, most = column + colour, worth
    column = 2 * g.hand_size + (g.players - 1) * g.colours + (offset - 1) * g.ranks
    for rank in range(g.ranks):
        told = _of_rank(games, j, rank)
        if hand & told != 0 and rank != avoided:
            worth = _hint_worth(memories, i, games, j, seat, told, playable)
            if worth > most:
                chosen, most = column + rank, worth
    return chosen, most


@kernel
def _rank_hint(games: Any, j: int, seat: int, slot: int) -> int:
    """The hint to a seat that names the rank of one of its cards."""
    g = games[j]
    offset = (seat - g.to_act) % g.players
    column = 2 * g.hand_size + (g.players - 1) * g.colours + (offset - 1) * g.ranks
    return column + (np.int64(g.hands[seat, slot]) - 1) % g.ranks


@kernel
def _in_sight(memories: Any, i: int, games: Any, j: int) -> int:
    """The faces of which the seat to act has not located all copies: gone, in the others' hands or known in its own."""
    m, g = memories[i], games[j]
    odd, several = np.int64(m.odd), np.int64(m.several)
    for seat in range(g.players):
        for slot in range(g.sizes[seat]):
            if seat != g.to_act:
                odd, several = _less_one(odd, several, _face(games, j, seat, slot))
            else:
                faces = np.int64(m.may_be[seat, slot])
                if _is_known(faces):
                    odd, several = _less_one(odd, several, faces)
    return odd | several


@helper
def _eyed(memories: Any, i: int, seat: int, slot: int, left: int) -> int:
    """The faces that an own card may be by all that the seat sees; ``left`` is of `_in_sight`."""
    faces = np.int64(memories[i].may_be[seat, slot])
    return faces if _is_known(faces) else faces & left


@kernel
def _finesse(memories: Any, i: int, games: Any, j: int, kinds: tuple[int, int, int]) -> int:
    """The discard of a known playable card of which one other seat has just drawn a copy; -1 for none."""
    m, g = memories[i], games[j]
    for slot in range(g.sizes[g.to_act]):
        faces = np.int64(m.may_be[g.to_act, slot])
        if _is_known(faces) and faces & kinds[0] != 0 and faces & kinds[1] == 0:
            holders = 0
            for seat in range(g.players):
                if seat != g.to_act and g.sizes[seat] > 0:
                    holders += _face(games, j, seat, g.sizes[seat] - 1) == faces
            if holders == 1:
                return np.int64(slot)
    return np.int64(-1)


@kernel
def _known_play(memories: Any, i: int, games: Any, j: int, left: int, playable: int) -> int:
    """The play of a card that must be playable, the lowest rank first and before all what others do not expect; or -1."""
    m, g = memories[i], games[j]
    chosen, most = np.int64(-1), np.int64(-1)
    for slot in range(g.sizes[g.to_act]):
        faces = np.int64(m.may_be[g.to_act, slot])
        eyed = _eyed(memories, i, g.to_act, slot, left)
        if (faces == 0 or faces & playable != 0) and _all_in(eyed, playable):
            rank = _rank_of(games, j, eyed)
            worth = 5 - rank if rank >= 0 else np.int64(7)
            if not _all_in(faces, playable):
                worth += 100
            if worth > most:
                chosen, most = g.hand_size + slot, worth
    return chosen


@kernel
def _mystery_play(memories: Any, i: int, games: Any, j: int, left: int, playable: int) -> int:
    """The play of the card that is likeliest to be playable, if the end is near and lives can be risked; -1 for none."""
    g = games[j]
    if hanabi.deck_size(games, j) - g.drawn > (3 if g.lives > 2 else 1):
        return np.int64(-1)
    chosen, most = np.int64(-1), -1.0
    for slot in range(g.sizes[g.to_act] - 1, -1, -1):
        eyed = _eyed(memories, i, g.to_act, slot, left)
        if _some_in(eyed, playable):
            share = _share(eyed, playable)
            if share > most:
                chosen, most = g.hand_size + slot, share
    return chosen


@kernel
def _discard(memories: Any, i: int, games: Any, j: int, left: int, kinds: tuple[int, int, int]) -> int:
    """The discard of a card of no use, else of the one to be discarded next, else of the highest rank."""
    m, g = memories[i], games[j]
    chosen, least = np.int64(-1), 2.0
    for slot in range(g.sizes[g.to_act]):
        faces = np.int64(m.may_be[g.to_act, slot])
        if _all_in(faces, kinds[2]) or (
            _some_in(faces, kinds[2]) and _all_in(_eyed(memories, i, g.to_act, slot, left), kinds[2])
        ):
            share = _share(faces, kinds[2])
            if share < least:
                chosen, least = np.int64(slot), share
    if chosen >= 0:
        return chosen
    chosen = _next_discard(memories, i, games, j, g.to_act, kinds)
    if chosen >= 0:
        return chosen
    highest = np.int64(-2)
    for slot in range(g.sizes[g.to_act]):
        rank = _rank_of(games, j, np.int64(m.may_be[g.to_act, slot]))
        if rank > highest:
            chosen, highest = np.int64(slot), rank
    return chosen


@kernel
def choose(memories: Any, i: int, games: Any, j: int) -> int:
    """The move of the seat to act, by its memory after `before_move`.

    Args:
        memories: the memories, a structured array of MEMORY.
        i: the number of the memory.
        games: states or views; the hand of the seat to act is not looked at.
        j: the number of the game.

    Returns:
        A legal action, in a game with a token or more and with hands of two cards or more.
    """
    g = games[j]
    kinds = _kinds(memories, i, games, j)
    playable = kinds[0]
    left = _in_sight(memories, i, games, j)
    if g.drawn == hanabi.deck_size(games, j):
        action = _known_play(memories, i, games, j, left, playable)
        if action < 0:
            action = _mystery_play(memories, i, games, j, left, playable)
        if action >= 0:
            return action
    following = (g.to_act + 1) % g.players
    avoided = np.int64(-1)
    if g.information > 0:
        slot = _next_discard(memories, i, games, j, following, kinds)
        if slot >= 0:
            card = _face(games, j, following, slot)
            rank = lowest(card) % g.ranks
            if _could_be_valuable(np.int64(memories[i].may_be[following, slot]), _of_rank(games, j, rank), kinds[1]):
                avoided = rank
            if card & kinds[1] != 0:
                action, worth = _best_hint(memories, i, games, j, following, avoided, playable)
                return action if worth > 0 else _rank_hint(games, j, following, slot)
    if g.information < g.most_information:
        action = _finesse(memories, i, games, j, kinds)
        if action >= 0:
            return action
    action = _known_play(memories, i, games, j, left, playable)
    if action >= 0:
        return action
    if g.information > 0:
        most = np.int64(0)
        for k in range(1, g.players):
            seat = (g.to_act + k) % g.players
            hint, worth = _best_hint(memories, i, games, j, seat, avoided if k == 1 else np.int64(-1), playable)
            if worth > most:
                action, most = hint, worth
        if most > 0:
            return action
    action = _mystery_play(memories, i, games, j, left, playable)
    if action >= 0:
        return action
    if g.information == g.most_information:
        return _rank_hint(games, j, (g.to_act + g.players - 1) % g.players, 0)
    return _discard(memories, i, games, j, left, kinds)


@kernel
def play_out(memories: Any, i: int, games: Any, j: int) -> None:
    """Plays a deal to its end by SmartBot in all seats, which share the memory ``memories[i]`` of the state ``games[j]``."""
    g = games[j]
    while g.over == RUNNING:
        before_move(memories, i, games, j)
        action = choose(memories, i, games, j)
        learn(memories, i, games, j, ALL, action)
        hanabi.step(games, j, action)

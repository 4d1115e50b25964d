"""Wolves: five seats, two of which are wolves and the other three the village; who is who is dealt, and hidden.

The two wolves know each other, the villagers only themselves. In each of three rounds all seats still in vote, in turn, for
another seat that is to go. The votes of a round are hidden until the last of them is cast; then they are opened, and the
seat with the most votes goes and shows who it is; nobody goes if several have the most. The village wins once both wolves
are out, the wolves as soon as more of them are left than rounds. An episode is one deal.

Votes need not tell anything of who is who, so to a villager any two of the seats that are not known are as likely wolves as
any others.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cardenvs.compiled.bits import Bytes, Ints, Streams, lowest, popcount, read_bits, write_bits
from cardenvs.compiled.jit import helper, kernel
from cardenvs.compiled.streams import below, random_member
from cardenvs.contract import loops
from cardenvs.contract.cards import members_of
from cardenvs.contract.fields import Games, Part
from cardenvs.contract.kernels import Kernels
from cardenvs.contract.spec import GameSpec

ACTIONS = ("left-1", "left-2", "left-3", "left-4")
"""Action k votes against the seat that is k + 1 to the left of the voter."""
WOLVES, VILLAGE = 0, 1
ROUNDS = 3
MAX_STEPS = 15

STATE = np.dtype(
    [
        ("first", np.int64),  # the seat that votes first in each round, if it is in
        ("wolves", np.int64),  # the seats that are wolves, a bit each; in views those of them that are known
        ("known", np.int64),  # the seats of which it is known who they are: in states all of them
        ("out", np.int64),  # the seats that had to go
        ("rounds", np.int64),  # rounds that are over
        ("votes", np.int64, (5,)),  # action + 1 of each seat in this round, 0 before its vote; in views only seat 0's
        ("cast", np.int64, (5, 4)),  # how often each seat has taken each action in the rounds that are over
        ("to_act", np.int64),  # seat, -1 when the deal is over
        ("over", np.int64),  # loops.RUNNING or EPISODE_OVER
        ("moves", np.int64),  # actions so far
        ("history", np.int8, (MAX_STEPS,)),  # these actions, in order; in views -1 for votes of others in this round
    ],
    align=True,
)
_ALL = 0b11111

_SEATS = ("self", *ACTIONS)
OBSERVATION = (
    Part("wolves", _SEATS, "the seats that are known to be wolves"),
    Part("village", _SEATS, "the seats that are known to be villagers"),
    Part("out", _SEATS, "the seats that had to go"),
    Part("vote", ACTIONS, "the own vote in this round"),
    *(
        Part(f"cast_{seat}", tuple(f"{action}:{k}" for action in ACTIONS for k in (1, 2, 3)), f"votes of {seat}, up to it")
        for seat in _SEATS
    ),
    Part("rounds", ("1", "2", "3"), "rounds that are over, up to it"),
    Part("first", _SEATS, "who votes first"),
    Part("to_act", _SEATS, "whose turn it is"),
    Part("episode_over", ("yes",), "the episode is over"),
)
RECALL = tuple(Part(f"vote_{k + 1}", (*ACTIONS, "hidden"), f"vote {k + 1} of the deal") for k in range(MAX_STEPS))
HIDDEN = (
    Part("all_wolves", _SEATS, "the seats that are wolves"),
    *(Part(f"vote_{seat}", ACTIONS, f"the vote in this round of {seat}") for seat in ACTIONS),
)
_NAMES = [part.name for part in OBSERVATION]
_HISTORY = len(_NAMES)
_WOLVES, _KNOWN, _OUT, _VOTE, _CAST, _ROUND, _FIRST, _TO_ACT, _OVER = (
    _NAMES.index(name)
    for name in ("wolves", "village", "out", "vote", "cast_self", "rounds", "first", "to_act", "episode_over")
)


@helper
def _turned(seats: int, by: int) -> int:
    """A set of seats as the seat ``by`` sees it, which is seat 0 there."""
    return (seats >> by | seats << (5 - by)) & _ALL


@helper
def _next(first: int, out: int, place: int) -> int:
    """The next voter's place from ``place`` on, counted from the seat ``first``; 5 if there is none."""
    while place < 5 and out >> (first + place) % 5 & 1:
        place += 1
    return place


@kernel
def _open_deal(games: Any, i: int) -> None:
    """Sets all fields but the wolves and the first seat for the start of a deal."""
    g = games[i]
    g.known = _ALL
    g.out = 0
    g.rounds = 0
    g.to_act = g.first
    g.over = loops.RUNNING
    g.moves = 0
    for seat in range(5):
        g.votes[seat] = 0
        for action in range(4):
            g.cast[seat, action] = 0
    for k in range(MAX_STEPS):
        g.history[k] = 0


@kernel
def deal(games: Any, i: int, streams: Streams, s: int) -> None:
    """Deals who is who, and who votes first."""
    g = games[i]
    g.first = below(streams, s, 5)
    wolf = below(streams, s, 5)
    g.wolves = np.int64(1) << wolf | np.int64(1) << (wolf + 1 + below(streams, s, 4)) % 5
    _open_deal(games, i)


@kernel
def legal(games: Any, i: int, word: int = 0) -> int:
    """Votes against the seats that are in."""
    g = games[i]
    if g.over != loops.RUNNING:
        return np.int64(0)
    return ~_turned(g.out, g.to_act) >> 1 & 0b1111


@kernel
def step(games: Any, i: int, action: int) -> None:
    """Casts a vote; after a round's last vote the votes are opened."""
    g = games[i]
    g.history[g.moves] = action
    g.moves += 1
    g.votes[g.to_act] = action + 1
    place = _next(g.first, g.out, (g.to_act - g.first + 5) % 5 + 1)
    if place < 5:
        g.to_act = (g.first + place) % 5
        return
    against = np.zeros(5, np.int64)
    for seat in range(5):
        if g.votes[seat] > 0:
            against[(seat + g.votes[seat]) % 5] += 1
            g.cast[seat, g.votes[seat] - 1] += 1
            g.votes[seat] = 0
    g.out |= _goes(against)
    g.rounds += 1
    left = popcount(g.wolves & ~g.out)
    if left == 0 or left > ROUNDS - g.rounds:
        g.over = loops.EPISODE_OVER
        g.to_act = -1
    else:
        g.to_act = (g.first + _next(g.first, g.out, 0)) % 5


@kernel
def _goes(against: Ints) -> int:
    """The seat with the most votes against it, as a set; the empty set if there are several."""
    seat = int(np.argmax(against))
    for other in range(5):
        if other != seat and against[other] == against[seat]:
            return np.int64(0)
    return np.int64(1) << seat


@kernel
def side(games: Any, i: int, seat: int) -> int:
    """WOLVES or VILLAGE."""
    return WOLVES if games[i].wolves >> seat & 1 else VILLAGE


@kernel
def outcome(games: Any, i: int, points: Ints, tricks: Ints) -> int:
    """Writes how many of the others each side has sent away, and as tricks each seat's votes against the other side."""
    g = games[i]
    points[i, WOLVES] = popcount(g.out & ~g.wolves)
    points[i, VILLAGE] = popcount(g.out & g.wolves)
    for seat in range(5):
        tricks[i, seat] = 0
        for action in range(4):
            if side(games, i, (seat + 1 + action) % 5) != side(games, i, seat):
                tricks[i, seat] += g.cast[seat, action]
    if g.over != loops.EPISODE_OVER:
        return np.int64(0)
    return np.int64(1) << (VILLAGE if points[i, VILLAGE] == 2 else WOLVES)


@kernel
def view(games: Any, i: int, seat: int, views: Any, j: int) -> None:
    """Writes what ``seat`` knows to ``views[j]``, where ``seat`` is seat 0."""
    g = games[i]
    v = views[j]
    knows_all = g.over != loops.RUNNING or g.wolves >> seat & 1
    v.first = (g.first - seat + 5) % 5
    v.out = _turned(g.out, seat)
    v.known = _ALL if knows_all else v.out | 1
    v.wolves = _turned(g.wolves, seat) & v.known
    v.rounds = g.rounds
    v.to_act = (g.to_act - seat + 5) % 5 if g.to_act >= 0 else -1
    v.over = g.over
    v.moves = g.moves
    for k in range(5):
        v.votes[k] = g.votes[seat] if k == 0 else 0
        for action in range(4):
            v.cast[k, action] = g.cast[(seat + k) % 5, action]
    for k in range(MAX_STEPS):
        v.history[k] = g.history[k]
    # The votes of this round stand at the end of the history, in turn.
    move = g.moves
    for place in range(4, -1, -1):
        voter = (g.first + place) % 5
        if g.votes[voter] > 0 and move > 0:
            move -= 1
            if voter != seat:
                v.history[move] = -1


@kernel
def seen(games: Any, i: int, seat: int, action: int) -> int:
    """A vote is seen by its voter at once, and by the others if it is the last of a round; else -1."""
    g = games[i]
    last = _next(g.first, g.out, (g.to_act - g.first + 5) % 5 + 1) == 5
    return action if last or seat == g.to_act else -1


@kernel
def _history_flaw(games: Any, i: int, whole: bool) -> bool:
    """Whether the history of a record does not lead to the rest of it."""
    g = games[i]
    cast = np.zeros((5, 4), np.int64)
    against = np.zeros(5, np.int64)
    out, rounds, place = np.int64(0), 0, 0
    for k in range(g.moves):
        place = _next(g.first, out, place)
        voter = (g.first + place) % 5
        action = g.history[k]
        hidden = rounds == g.rounds and not whole and voter != 0
        if action < (-1 if hidden else 0) or action > (-1 if hidden else 3) or rounds > g.rounds:
            return True
        if rounds == g.rounds:
            if (whole or voter == 0) and g.votes[voter] != action + 1:
                return True
        else:
            target = (voter + 1 + action) % 5
            if out >> target & 1:
                return True
            cast[voter, action] += 1
            against[target] += 1
        place += 1
        if _next(g.first, out, place) == 5:
            out |= _goes(against)
            against[:] = 0
            rounds += 1
            place = 0
    if rounds != g.rounds or out != g.out:
        return True
    for seat in range(5):
        for action in range(4):
            if cast[seat, action] != g.cast[seat, action]:
                return True
    return g.over == loops.RUNNING and g.to_act != (g.first + _next(g.first, out, place)) % 5


@kernel
def flaw(games: Any, i: int, whole: bool) -> int:
    """What in a record of any content is not so in any position, see `cardenvs.contract.kernels.Kernels.flaw`."""
    g = games[i]
    if g.first < 0 or g.first > 4:
        return _FIRST
    if g.over != loops.RUNNING and g.over != loops.EPISODE_OVER:
        return _OVER
    running = g.over == loops.RUNNING
    if g.rounds < 0 or g.rounds > ROUNDS:
        return _ROUND
    if g.out & ~_ALL or popcount(g.out) > g.rounds:
        return _OUT
    if g.wolves & ~_ALL or popcount(g.wolves) > 2:
        return _WOLVES
    knows_all = whole or not running or g.wolves & 1
    if g.known != (_ALL if knows_all else g.out | 1) or popcount(g.known & ~g.wolves) > 3:
        return _KNOWN
    if g.wolves & ~g.known or (knows_all and popcount(g.wolves) != 2):
        return _WOLVES
    left = 2 - popcount(g.wolves & g.out)
    if running != (left > 0 and left <= ROUNDS - g.rounds):
        return _OVER
    if g.to_act < (0 if running else -1) or g.to_act > (4 if running else -1) or (running and g.out >> g.to_act & 1):
        return _TO_ACT
    # Each seat has voted once in each round until it went, and no two seats went in the same round.
    went = np.zeros(ROUNDS + 1, np.int64)  # by the number of rounds that are over, the seat that went in the last of them
    for seat in range(5):
        total = np.int64(0)
        for action in range(4):
            if g.cast[seat, action] < 0 or g.cast[seat, action] > ROUNDS:
                return _CAST + seat
            total += g.cast[seat, action]
        is_out = g.out >> seat & 1
        if total > g.rounds or (total != g.rounds and not is_out) or (is_out and (total < 1 or went[total] != 0)):
            return _CAST + seat
        if is_out:
            went[total] = np.int64(1) << seat
        voted = running and not is_out and (seat - g.first + 5) % 5 < (g.to_act - g.first + 5) % 5
        vote = g.votes[seat]
        if (
            vote < 0
            or vote > 4
            or (vote > 0) != (voted and (whole or seat == 0))
            or (vote and g.out >> (seat + vote) % 5 & 1)
        ):
            return _VOTE
    # Nor was the deal over before.
    left = 2
    for k in range(g.rounds):
        left -= popcount(went[k] & g.wolves)
        if left == 0 or left > ROUNDS - k:
            return _OVER
    if g.moves < 0 or g.moves > MAX_STEPS or (g.moves > 0 and _history_flaw(games, i, whole)):
        return _HISTORY
    return -1


@kernel
def redeal(views: Any, i: int, streams: Streams, s: int, games: Any, j: int) -> None:
    """Writes to ``games[j]`` a full state drawn uniformly from all that are consistent with a view: wolves and votes."""
    games[j] = views[i]
    g = games[j]
    for _ in range(2 - popcount(g.wolves)):
        wolf = random_member(streams, s, _ALL & ~(g.known | g.wolves))
        g.wolves |= np.int64(1) << wolf
    g.known = _ALL
    if g.over != loops.RUNNING:
        return
    move = g.moves
    for place in range((g.to_act - g.first + 5) % 5 - 1, -1, -1):
        voter = (g.first + place) % 5
        if not g.out >> voter & 1:
            if voter != 0:
                g.votes[voter] = 1 + random_member(streams, s, ~_turned(g.out, voter) >> 1 & 0b1111)
            if move > 0:
                move -= 1
                g.history[move] = g.votes[voter] - 1


@kernel
def observe(views: Any, i: int, out: Bytes, row: int) -> None:
    """Writes a view as int8 zeros and ones to ``out[row]``, part by part as listed in OBSERVATION."""
    v = views[i]
    one = np.int64(1)
    word = v.wolves | (v.known & ~v.wolves) << 5 | v.out << 10 | one << v.votes[0] >> 1 << 15
    at = write_bits(out, row, 0, word, 19)
    for seat in range(5):
        for action in range(4):
            at = write_bits(out, row, at, (one << v.cast[seat, action]) - 1, 3)
    word = ((one << v.rounds) - 1) | one << (3 + v.first)
    word |= one << (8 + v.to_act) if v.over == loops.RUNNING else one << 13
    write_bits(out, row, at, word, 14)


@kernel
def decode(observations: Bytes, row: int, views: Any, j: int) -> None:
    """Writes the view behind an observation to ``views[j]``, without the history."""
    v = views[j]
    word = read_bits(observations, row, 0, 19)
    v.wolves = word & _ALL
    v.known = (word | word >> 5) & _ALL
    v.out = word >> 10 & _ALL
    for seat in range(5):
        v.votes[seat] = 0
        for action in range(4):
            v.cast[seat, action] = popcount(read_bits(observations, row, 19 + 12 * seat + 3 * action, 3))
    if word >> 15 != 0:
        v.votes[0] = 1 + lowest(word >> 15)
    word = read_bits(observations, row, 79, 14)
    v.rounds = popcount(word & 7)
    v.first = lowest(word >> 3 & _ALL | 16)
    turn = word >> 8 & _ALL
    v.to_act = lowest(turn) if turn != 0 else -1
    v.over = loops.EPISODE_OVER if word >> 13 & 1 else loops.RUNNING
    v.moves = 0
    for k in range(MAX_STEPS):
        v.history[k] = 0


@kernel
def recall(views: Any, i: int, out: Bytes, row: int, column: int) -> None:
    """Writes the votes of a view in order to ``out[row, column:]``, part by part as listed in RECALL."""
    v = views[i]
    for k in range(MAX_STEPS):
        code = v.history[k] if v.history[k] >= 0 else 4
        column = write_bits(out, row, column, np.int64(1) << code if k < v.moves else np.int64(0), 5)


@kernel
def recollect(observations: Bytes, row: int, column: int, views: Any, j: int) -> None:
    """Writes the votes that `recall` has written to ``views[j]``."""
    v = views[j]
    for k in range(MAX_STEPS):
        bits = read_bits(observations, row, column + 5 * k, 5)
        if bits != 0:
            v.history[k] = lowest(bits) if bits != 16 else -1
            v.moves = k + 1


@kernel
def reveal(games: Any, i: int, seat: int, out: Bytes, row: int, column: int) -> None:
    """Writes what ``seat`` cannot see, part by part as listed in HIDDEN, to ``out[row, column:]``."""
    g = games[i]
    column = write_bits(out, row, column, _turned(g.wolves, seat), 5)
    for k in range(1, 5):
        column = write_bits(out, row, column, np.int64(1) << g.votes[(seat + k) % 5] >> 1, 4)


def deal_text(state: Any) -> dict[str, str]:
    """A deal's start in text, by key."""
    return {"first": str(int(state["first"])), "wolves": "".join(map(str, members_of(int(state["wolves"]))))}


def set_deal(games: Games, i: int, fields: Mapping[str, str]) -> None:
    """Sets game ``i`` to the start of the deal that `deal_text` wrote; ``first`` may be left out.

    Raises:
        ValueError: an unknown key, no two different seats as wolves in order, or no such first seat.
    """
    if not {"wolves"} <= set(fields) <= {"first", "wolves"}:
        raise ValueError(f"a deal of wolves has wolves= and optionally first=, not {' '.join(sorted(fields)) or 'nothing'}")
    wolves, first = fields["wolves"], fields.get("first", "0")
    if len(wolves) != 2 or not set(wolves) <= set("01234") or wolves[0] >= wolves[1]:
        raise ValueError(f"wolves={wolves}: must be two of the seats 0 to 4 in order, such as 03")
    if len(first) != 1 or first not in "01234":
        raise ValueError(f"first={first}: must be a seat, 0 to 4")
    g = games[i]
    g["first"], g["wolves"] = int(first), 1 << int(wolves[0]) | 1 << int(wolves[1])
    _open_deal(games, i)


def drawing(state: Any, seat: int | None = None) -> str:
    """The position drawn in text for a person; with ``seat``, only what that seat may see."""
    known, wolves, out, over = (int(state[name]) for name in ("known", "wolves", "out", "over"))
    if seat is not None and over == loops.RUNNING and not wolves >> seat & 1:
        known &= out | 1 << seat
    lines = ["Wolves: finished" if over != loops.RUNNING else f"Wolves: round {int(state['rounds']) + 1}"]
    for k in range(5):
        who = ("wolf" if wolves >> k & 1 else "villager") if known >> k & 1 else "?"
        vote = int(state["votes"][k]) if seat in (None, k) else 0
        told = f"votes {ACTIONS[vote - 1]}" if vote else ""
        lines.append(
            f"{'>' if k == state['to_act'] else ' '} player_{k}  {who:<8} {'out' if out >> k & 1 else told}".rstrip()
        )
    return "\n".join(lines)


def history_text(state: Any) -> list[str]:
    """The names of the actions so far, ``?`` for votes that are hidden."""
    return [ACTIONS[int(action)] if action >= 0 else "?" for action in state["history"][: int(state["moves"])]]


def worst_loss(options: Mapping[str, Any], reward: str) -> float:
    """The greatest loss that an episode can bring a side, see `cardenvs.contract.spec.GameSpec.worst_loss`."""
    return {"win": 1.0, "points": 2.0, "tricks": 7.0}[reward]


SPEC = GameSpec(
    name="wolves",
    title="Wolves",
    module="wolves_v0",
    sides=((0, 1), (2, 3, 4)),
    actions=ACTIONS,
    dtype=STATE,
    options=(),
    rewards=("win", "points", "tricks"),
    parts=OBSERVATION,
    hidden=HIDDEN,
    kernels=Kernels(
        deal=deal,
        legal=legal,
        step=step,
        outcome=outcome,
        view=view,
        redeal=redeal,
        observe=observe,
        decode=decode,
        reveal=reveal,
        flaw=flaw,
        side=side,
        seen=seen,
        recall=recall,
        recollect=recollect,
    ),
    max_steps=MAX_STEPS,
    worst_loss=worst_loss,
    deal_text=deal_text,
    set_deal=set_deal,
    drawing=drawing,
    history_text=history_text,
    recall_parts=RECALL,
)

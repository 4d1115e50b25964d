"""Wolves: five seats, two of which are wolves and the other three the village; who is who is dealt, and hidden.

The two wolves know each other, the villagers only themselves. In each of three rounds all seats still in vote, in turn, for
another seat that is to go. The votes of a round are hidden until the last of them is cast; then they are opened, and the
seat with the most votes goes and shows who it is; nobody goes if several have the most. The village wins once both wolves
are out, the wolves as soon as more of them are left than rounds. An episode is one deal.

Votes need not tell anything of who is who, so to a villager any two of the seats that are not known are as likely wolves as
any others.
"""

from typing import Any

import numpy as np

from cardenvs.compiled.jit import helper
from cardenvs.contract import (
    EPISODE_OVER,
    RUNNING,
    BitSet,
    Dealt,
    Ints,
    OneHot,
    Part,
    Streams,
    UpTo,
    below,
    define_game,
    kernel,
    random_member,
    seat_names,
)

ACTIONS = ("left-1", "left-2", "left-3", "left-4")
"""Action k votes against the seat that is k + 1 to the left of the voter."""
WOLVES, VILLAGE = 0, 1
WOLF, VILLAGER = 1, 2
SEATS = seat_names(5)
ROUNDS, MAX_STEPS = 3, 15

STATE = np.dtype(
    [
        ("first", np.int64),  # the seat that votes first in each round, if it is in
        ("who", np.int64, (5,)),  # WOLF or VILLAGER, in views 0 for seats of which it is not known
        ("out", np.int64),  # the seats that had to go, as a set
        ("rounds", np.int64),  # rounds that are over
        ("votes", np.int64, (5,)),  # action + 1 of each seat in this round, 0 before its vote; in views only seat 0's
        ("cast", np.int64, (5, 4)),  # how often each seat has taken each action in the rounds that are over
        ("to_act", np.int64),
        ("over", np.int64),
        ("moves", np.int64),
        ("history", np.int8, (MAX_STEPS,)),  # in views -1 for votes of others in this round
    ],
    align=True,
)
OBSERVATION = (
    Part("who", tuple(f"{seat}:{who}" for seat in SEATS for who in ("wolf", "villager")), "who is who, as far as known",
         source=OneHot("who", first=WOLF, none=0), private=True),
    Part("out", SEATS, "the seats that had to go", source=BitSet("out")),
    Part("vote", ACTIONS, "the own vote in this round", source=OneHot("votes", 0, first=1, none=0), private=True),
    *(
        Part(f"cast_{seat}", tuple(f"{action}:{k}" for action in ACTIONS for k in (1, 2, 3)), f"votes of {seat}, up to it",
             source=UpTo("cast", number))
        for number, seat in enumerate(SEATS)
    ),
    Part("rounds", ("1", "2", "3"), "rounds that are over, up to it", source=UpTo("rounds")),
    Part("first", SEATS, "who votes first", source=OneHot("first")),
)  # fmt: skip


@helper
def _next(first: int, out: int, place: int) -> int:
    """The next voter's place from ``place`` on, counted from the seat ``first``; 5 if there is none."""
    while place < 5 and out >> (first + place) % 5 & 1:
        place += 1
    return place


@helper
def _targets(voter: int, out: int) -> int:
    """The votes of a seat against seats that are in, as a set."""
    return ~(out >> voter | out << (5 - voter)) >> 1 & 0b1111


@kernel
def begin(games: Any, i: int) -> None:
    """Sets all fields but who is who and the first seat for the start of a deal."""
    g = games[i]
    g.out = 0
    g.rounds = 0
    g.to_act = g.first
    g.over = RUNNING
    g.moves = 0
    g.votes[:] = 0
    g.cast[:] = 0
    g.history[:] = 0


@kernel
def deal(games: Any, i: int, streams: Streams, s: int) -> None:
    """Deals who is who, and who votes first."""
    g = games[i]
    g.first = below(streams, s, 5)
    g.who[:] = VILLAGER
    wolf = below(streams, s, 5)
    g.who[wolf] = WOLF
    g.who[(wolf + 1 + below(streams, s, 4)) % 5] = WOLF
    begin(games, i)


@kernel
def legal(games: Any, i: int, word: int = 0) -> int:
    """Votes against the seats that are in."""
    g = games[i]
    return _targets(g.to_act, g.out) if g.over == RUNNING else np.int64(0)


@kernel
def step(games: Any, i: int, action: int) -> None:
    """Casts a vote; after a round's last vote the votes are opened."""
    g = games[i]
    g.history[g.moves] = action
    g.moves += 1
    g.votes[g.to_act] = action + 1
    place = _next(g.first, g.out, (g.to_act - g.first) % 5 + 1)
    if place < 5:
        g.to_act = (g.first + place) % 5
        return
    against = np.zeros(5, np.int64)
    for seat in range(5):
        if g.votes[seat] > 0:
            against[(seat + g.votes[seat]) % 5] += 1
            g.cast[seat, g.votes[seat] - 1] += 1
    g.votes[:] = 0
    if (against == against.max()).sum() == 1:
        g.out |= np.int64(1) << np.argmax(against)
    g.rounds += 1
    left = 0
    for seat in range(5):
        left += 1 if g.who[seat] == WOLF and not g.out >> seat & 1 else 0
    if left == 0 or left > ROUNDS - g.rounds:
        g.over = EPISODE_OVER
        g.to_act = -1
    else:
        g.to_act = (g.first + _next(g.first, g.out, 0)) % 5


@kernel
def side(games: Any, i: int, seat: int) -> int:
    """WOLVES or VILLAGE."""
    return WOLVES if games[i].who[seat] == WOLF else VILLAGE


@kernel
def outcome(games: Any, i: int, points: Ints, tricks: Ints) -> int:
    """Writes how many of the others each side has sent away, and as tricks each seat's votes against the other side."""
    g = games[i]
    points[i, :] = 0
    tricks[i, :] = 0
    for seat in range(5):
        if g.out >> seat & 1:
            points[i, 1 - side(games, i, seat)] += 1
        for action in range(4):
            if side(games, i, (seat + 1 + action) % 5) != side(games, i, seat):
                tricks[i, seat] += g.cast[seat, action]
    if g.over != EPISODE_OVER:
        return np.int64(0)
    return np.int64(1) << (VILLAGE if points[i, VILLAGE] == 2 else WOLVES)


@kernel
def view(games: Any, i: int, seat: int, views: Any, j: int) -> None:
    """Writes what ``seat`` knows to ``views[j]``, where ``seat`` is seat 0."""
    views[j] = games[i]
    g, v = games[i], views[j]
    knows_all = g.over != RUNNING or g.who[seat] == WOLF
    v.first = (g.first - seat) % 5
    v.out = (g.out >> seat | g.out << (5 - seat)) & 0b11111
    v.to_act = (g.to_act - seat) % 5 if g.to_act >= 0 else -1
    for k in range(5):
        other = (seat + k) % 5
        v.who[k] = g.who[other] if knows_all or k == 0 or g.out >> other & 1 else 0
        v.votes[k] = g.votes[seat] if k == 0 else 0
        for action in range(4):
            v.cast[k, action] = g.cast[other, action]
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
    last = _next(g.first, g.out, (g.to_act - g.first) % 5 + 1) == 5
    return action if last or seat == g.to_act else -1


@kernel
def redeal(views: Any, i: int, streams: Streams, s: int, games: Any, j: int) -> None:
    """Writes to ``games[j]`` a full state drawn uniformly from all that are consistent with a view: wolves and votes."""
    games[j] = views[i]
    g = games[j]
    unknown, wolves = np.int64(0), 0
    for seat in range(5):
        unknown |= np.int64(g.who[seat] == 0) << seat
        wolves += g.who[seat] == WOLF
    for _ in range(2 - wolves):
        seat = random_member(streams, s, unknown)
        unknown ^= np.int64(1) << seat
        g.who[seat] = WOLF
    for seat in range(5):
        if g.who[seat] == 0:
            g.who[seat] = VILLAGER
    if g.over != RUNNING:
        return
    move = g.moves
    for place in range((g.to_act - g.first) % 5 - 1, -1, -1):
        voter = (g.first + place) % 5
        if not g.out >> voter & 1:
            if voter != 0:
                g.votes[voter] = 1 + random_member(streams, s, _targets(voter, g.out))
            if move > 0:
                move -= 1
                g.history[move] = g.votes[voter] - 1


def history_text(state: Any) -> list[str]:
    """The names of the actions so far, ``?`` for votes that are hidden."""
    return [ACTIONS[int(action)] if action >= 0 else "?" for action in state["history"][: int(state["moves"])]]


SPEC = define_game(
    "wolves", seats=5, sides=((0, 1), (2, 3, 4)), actions=ACTIONS, state=STATE, observation=OBSERVATION,
    rewards=("win", "points", "tricks"), ranges={"who": (WOLF, VILLAGER), "votes": (0, 4)},
    deal=deal, legal=legal, step=step, outcome=outcome, view=view, redeal=redeal, side=side, seen=seen,
    begin=begin, dealt=(Dealt("first"), Dealt("who", ("w", "v"), first=WOLF)), history_text=history_text,
    worst_loss={"win": 1.0, "points": 2.0, "tricks": 7.0}, recall_history=True,
)  # fmt: skip

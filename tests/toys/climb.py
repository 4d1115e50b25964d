"""Climb: three seats, nine cards, and five kernels: no re-deals, no text, no drawing of its own.

Each seat is dealt three of the cards 1 to 9. A seat plays a card above the one on top, or passes; whoever leads plays any
card. When both others have passed, whoever played last leads. The first to have no card left wins a point for each card
that the others hold. An episode is one deal.
"""

from typing import Any

import numpy as np

from cardenvs.contract import (
    EPISODE_OVER,
    RUNNING,
    BitSet,
    Ints,
    OneHot,
    Part,
    Streams,
    define_game,
    kernel,
    popcount,
    random_member,
    seat_names,
)

CARDS = tuple("123456789")
SIZES = tuple(f"{seat}:{size}" for seat in seat_names(3) for size in range(4))
PASS = 9

STATE = np.dtype(
    [
        ("hands", np.int64, (3,)),  # the cards that each seat holds, as a set; in views the own ones alone
        ("sizes", np.int64, (3,)),  # how many they are
        ("played", np.int64),  # all cards that have been played
        ("top", np.int64),  # the card on top, -1 for a lead
        ("passes", np.int64),  # passes since that was played
        ("to_act", np.int64),
        ("over", np.int64),
        ("moves", np.int64),
        ("history", np.int8, (27,)),
    ],
    align=True,
)


@kernel
def deal(games: Any, i: int, streams: Streams, s: int) -> None:
    """Deals three cards to each seat; seat 0 leads."""
    g = games[i]
    left = np.int64(0b111111111)
    g.hands[:] = 0
    for k in range(9):
        card = random_member(streams, s, left)
        left ^= np.int64(1) << card
        g.hands[k % 3] |= np.int64(1) << card
    g.sizes[:] = 3
    g.played = 0
    g.top = -1
    g.passes = 0
    g.to_act = 0
    g.over = RUNNING
    g.moves = 0
    g.history[:] = 0


@kernel
def legal(games: Any, i: int, word: int = 0) -> int:
    """The cards above the one on top, and to pass; of a lead all cards."""
    g = games[i]
    if g.over != RUNNING:
        return np.int64(0)
    own = g.hands[g.to_act]
    return own if g.top < 0 else own >> (g.top + 1) << (g.top + 1) | np.int64(1) << PASS


@kernel
def step(games: Any, i: int, action: int) -> None:
    """Plays a card or passes."""
    g = games[i]
    seat = g.to_act
    if g.moves < len(g.history):
        g.history[g.moves] = action
    g.moves += 1
    g.to_act = (seat + 1) % 3
    if action == PASS:
        g.passes += 1
        if g.passes == 2:
            g.passes = 0
            g.top = -1
        return
    g.hands[seat] ^= np.int64(1) << action
    g.sizes[seat] -= 1
    g.played |= np.int64(1) << action
    g.top = action
    g.passes = 0
    if g.sizes[seat] == 0:
        g.to_act = -1
        g.over = EPISODE_OVER


@kernel
def outcome(games: Any, i: int, points: Ints, tricks: Ints) -> int:
    """The seat without a card wins what the others hold."""
    g = games[i]
    winners = np.int64(0)
    for seat in range(3):
        tricks[i, seat] = 0
        points[i, seat] = 0
        if g.sizes[seat] == 0:
            points[i, seat] = 9 - popcount(g.played)
            winners |= np.int64(1) << seat
    return winners


@kernel
def view(games: Any, i: int, seat: int, views: Any, j: int) -> None:
    """All but the hands of the others, turned so that the seat is seat 0."""
    views[j] = games[i]
    g, v = games[i], views[j]
    for k in range(3):
        v.hands[k] = g.hands[seat] if k == 0 else 0
        v.sizes[k] = g.sizes[(seat + k) % 3]
    v.to_act = (g.to_act - seat) % 3 if g.to_act >= 0 else -1


SPEC = define_game(
    "climb", seats=3, actions=(*CARDS, "pass"), state=STATE, ranges={"hands": (0, 0b111111111)},
    observation=(
        Part("hand", CARDS, "the own cards", source=BitSet("hands", 0), private=True),
        Part("sizes", SIZES, "the numbers of cards that all hold", source=OneHot("sizes")),
        Part("played", CARDS, "cards that have been played", source=BitSet("played")),
        Part("top", CARDS, "the card on top", source=OneHot("top", none=-1)),
        Part("passes", ("1",), "somebody has passed", source=OneHot("passes", first=1, none=0)),
    ),
    deal=deal, legal=legal, step=step, outcome=outcome, view=view,
)  # fmt: skip

"""Kuhn poker: two seats, three cards, one bet.

Source: H. W. Kuhn, "A simplified two-person poker" (1950). Each seat antes a chip and is dealt one of jack, queen and king.
Seat 0 acts first. A seat passes or bets a chip; after a bet the other seat bets, too (calls), or passes (folds). After two
passes or two bets the better card wins what the other has put in. An episode is one deal.
"""

from typing import Any

import numpy as np

from cardenvs.contract import EPISODE_OVER, RUNNING, Dealt, Ints, OneHot, Part, Streams, below, define_game, highest, kernel

ACTIONS = ("pass", "bet")
PASS, BET = 0, 1
CARDS = ("J", "Q", "K")
SEATS = ("self", "seat+1")

STATE = np.dtype(
    [
        ("first", np.int64),  # the seat that acts first: 0, or 1 in the other seat's view
        ("cards", np.int64, (2,)),  # each seat's card, 1 to 3; in views 0 for the other's while it is hidden
        ("chips", np.int64, (2,)),  # what each seat has put in, 1 or 2
        ("passed", np.int64),  # 1 once the first seat has passed, while the deal is on
        ("to_act", np.int64),  # seat, -1 when the deal is over
        ("over", np.int64),  # RUNNING or EPISODE_OVER
        ("moves", np.int64),  # actions so far
        ("history", np.int8, (3,)),  # these actions, in order
    ],
    align=True,
)

OBSERVATION = (
    Part("card", CARDS, "the own card", source=OneHot("cards", 0, first=1), private=True),
    Part("card_other", CARDS, "the other's card, once it is shown", source=OneHot("cards", 1, first=1, none=0)),
    Part("bet", SEATS, "who has put in a second chip", source=OneHot("chips", first=2, none=1)),
    Part("passed", ("yes",), "the first seat has passed, and the deal is on", source=OneHot("passed", first=1, none=0)),
    Part("first", SEATS, "who acts first", source=OneHot("first")),
)


@kernel
def begin(games: Any, i: int) -> None:
    """Sets all fields but the cards and the first seat for the start of a deal."""
    g = games[i]
    g.to_act = g.first
    g.over = RUNNING
    g.passed = 0
    g.moves = 0
    g.chips[:] = 1
    g.history[:] = 0


@kernel
def deal(games: Any, i: int, streams: Streams, s: int) -> None:
    """Deals each seat a card; seat 0 acts first."""
    g = games[i]
    g.first = 0
    g.cards[0] = 1 + below(streams, s, 3)
    g.cards[1] = 1 + (g.cards[0] + below(streams, s, 2)) % 3
    begin(games, i)


@kernel
def legal(games: Any, i: int, word: int = 0) -> int:
    """Both actions while the deal is on."""
    return np.int64(0b11) if games[i].over == RUNNING else np.int64(0)


@kernel
def step(games: Any, i: int, action: int) -> None:
    """Passes or bets for the seat to act."""
    g = games[i]
    seat = g.to_act
    g.history[g.moves] = action
    g.moves += 1
    ends = g.chips[1 - seat] == 2 or (action == PASS and seat != g.first)
    if action == BET:
        g.chips[seat] = 2
    g.passed = 0 if ends else max(g.passed, 1 - action)
    g.to_act = -1 if ends else 1 - seat
    g.over = EPISODE_OVER if ends else RUNNING


@kernel
def outcome(games: Any, i: int, points: Ints, tricks: Ints) -> int:
    """Writes the chips that the winner takes from the other seat; returns the winner as a set of sides."""
    g = games[i]
    lead = g.chips[0] - g.chips[1] if g.chips[0] != g.chips[1] else g.cards[0] - g.cards[1]
    winner = 0 if lead > 0 else 1
    points[i, winner] = g.chips[1 - winner]
    points[i, 1 - winner] = 0
    tricks[i, :] = 0
    return np.int64(1) << winner


@kernel
def view(games: Any, i: int, seat: int, views: Any, j: int) -> None:
    """Writes what ``seat`` knows to ``views[j]``, where ``seat`` is seat 0: the other's card only after a showdown."""
    views[j] = games[i]
    g, v = games[i], views[j]
    for k in range(2):
        v.cards[k] = g.cards[seat ^ k]
        v.chips[k] = g.chips[seat ^ k]
    if g.over == RUNNING or g.chips[0] != g.chips[1]:
        v.cards[1] = 0
    v.first = g.first ^ seat
    v.to_act = g.to_act ^ seat if g.to_act >= 0 else -1


@kernel
def redeal(views: Any, i: int, streams: Streams, s: int, games: Any, j: int) -> None:
    """Writes to ``games[j]`` a full state in which the other seat has either of the cards that it can have."""
    games[j] = views[i]
    g = games[j]
    if g.cards[1] == 0:
        g.cards[1] = 1 + (g.cards[0] + below(streams, s, 2)) % 3


@kernel
def flaw(games: Any, i: int, whole: bool) -> int:
    """The part of a record that cannot be so: the cards, or a position that no betting leads to; -1 for none."""
    g, tried = games[i], np.empty_like(games[i : i + 1])
    hidden = not whole and (g.over == RUNNING or g.chips[0] != g.chips[1])
    if g.cards[0] == g.cards[1] or (g.cards[1] == 0) != hidden:
        return np.int64(1)
    for betting in range(1, 16):  # the actions stand below the highest bit
        length = highest(betting)
        tried[0] = g
        begin(tried, 0)
        t = tried[0]
        for k in range(length):
            if t.over == RUNNING:
                step(tried, 0, betting >> k & 1)
        same = t.moves == length and (t.over, t.to_act, t.passed) == (g.over, g.to_act, g.passed)
        same = same and (t.chips[0], t.chips[1]) == (g.chips[0], g.chips[1]) and g.moves in (0, length)
        for k in range(g.moves):
            same = same and g.history[k] == t.history[k]
        if same:
            return np.int64(-1)
    return np.int64(2)


SPEC = define_game(
    "kuhn", title="Kuhn poker", seats=2, actions=ACTIONS, state=STATE, observation=OBSERVATION,
    deal=deal, legal=legal, step=step, outcome=outcome, view=view, redeal=redeal, flaw=flaw,
    begin=begin, dealt=(Dealt("first"), Dealt("cards", CARDS, first=1)), worst_loss={"points": 2}, recall_history=True,
)  # fmt: skip

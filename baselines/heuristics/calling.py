"""Bidding and discarding in Euchre, apart from the play of the cards.

A *caller* decides in every phase but the play; agents name theirs with the parameter ``calling``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from baselines.heuristics.cardplay import worst
from cardenvs.cards import Streams, below, lowest, popcount
from cardenvs.games import euchre
from cardenvs.jit import helper, kernel
from cardenvs.tricks import NO_TRUMP_YET


@helper
def _trumps(hand: int, suit: int) -> int:
    """How many trumps ``hand`` has if ``suit`` is trump, both bowers counted."""
    return popcount(hand & euchre.SUIT_SETS[suit, suit])


@kernel
def three_trumps(views: Any, i: int, actions: int, streams: Streams, s: int) -> int:
    """Calls with three or more trumps in hand, never alone; discards the worst card.

    The turned card counts for the dealer, who would pick it up. In the second round the longest suit is called (one at
    random among equals), by a dealer who must call whatever its length.
    """
    v = views[i]
    hand = v.hands[0]
    if v.phase == euchre.DISCARDING:
        return worst(actions, v.trump, euchre.STRENGTH, streams, s)
    if v.phase == euchre.ORDERING:
        suit = euchre.SUIT_OF[NO_TRUMP_YET, lowest(v.turned)]
        if v.dealer == 0:
            hand |= v.turned
        return euchre.ORDER_UP if _trumps(hand, suit) >= 3 else euchre.PASS
    best = -1
    length = 0
    ties = 0
    for suit in range(4):
        if actions >> (euchre.CALL + suit) & 1:
            trumps = _trumps(hand, suit)
            if trumps > length or best < 0:
                best, length, ties = suit, trumps, 1
            elif trumps == length:
                ties += 1
                if below(streams, s, ties) == 0:
                    best = suit
    if length >= 3 or not actions >> euchre.PASS & 1:
        return euchre.CALL + best
    return np.int64(euchre.PASS)


THREE_TRUMPS = 0
CALLERS = {"three-trumps": THREE_TRUMPS}
"""Callers by name."""


def caller(name: str) -> int:
    """The number of the caller of that name, which `call` takes.

    Raises:
        ValueError: no such caller; names the known ones.
    """
    if name not in CALLERS:
        raise ValueError(f"calling must be one of {', '.join(map(repr, CALLERS))}, not {name!r}")
    return CALLERS[name]


@kernel
def call(number: int, views: Any, i: int, actions: int, streams: Streams, s: int) -> int:
    """What caller ``number`` does in a view in which seat 0 is to bid or to discard."""
    return three_trumps(views, i, actions, streams, s)

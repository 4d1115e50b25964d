"""Bidding and discarding in Euchre, apart from the play of the cards.

A *caller* decides in every phase before the play; agents name theirs with the parameter ``calling``. Callers take a view or
a full state alike and decide for the seat to act from what that seat may know.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from cardenvs.baselines.heuristics.cardplay import WORST, extreme_card
from cardenvs.baselines.heuristics.standard_calling import standard_call
from cardenvs.checks import check_choice
from cardenvs.compiled.bits import Streams, lowest, popcount
from cardenvs.compiled.jit import helper, kernel
from cardenvs.compiled.streams import below, random_member
from cardenvs.contract.kinds import TrickGame
from cardenvs.games import euchre
from cardenvs.games.tricks import NO_TRUMP_YET


@helper
def _count_trumps(hand: int, suit: int) -> int:
    """Number of trumps in ``hand`` if ``suit`` is trump, both bowers counted."""
    return popcount(hand & euchre.SUIT_SETS[suit, suit])


@kernel
def three_trumps(views: Any, i: int, actions: int, streams: Streams, s: int) -> int:
    """The caller ``three-trumps``: calls with three or more trumps in hand, never alone, and discards the worst card.

    The dealer counts the turned card. In the second round the longest suit is called (one at random among equals).
    """
    v = views[i]
    hand = v.hands[v.to_act]
    if v.phase == euchre.DISCARDING:
        return extreme_card(WORST, actions, v.trump, euchre.STRENGTH, streams, s)
    if v.phase == euchre.ORDERING:
        suit = euchre.SUIT_OF[NO_TRUMP_YET, lowest(v.turned)]
        if v.dealer == v.to_act:
            hand |= v.turned
        return euchre.ORDER_UP if _count_trumps(hand, suit) >= 3 else euchre.PASS
    best = -1
    length = 0
    ties = 0
    for suit in range(4):
        if actions >> (euchre.CALL + suit) & 1:
            trumps = _count_trumps(hand, suit)
            if trumps > length or best < 0:
                best, length, ties = suit, trumps, 1
            elif trumps == length:
                ties += 1
                if below(streams, s, ties) == 0:
                    best = suit
    if length >= 3 or not actions >> euchre.PASS & 1:
        return euchre.CALL + best
    return np.int64(euchre.PASS)


STANDARD, STANDARD_BY_DEAL, THREE_TRUMPS, RANDOM = range(4)  # the callers' numbers, as `choose_call` takes them
CALLERS = {"standard": STANDARD, "standard-by-deal": STANDARD_BY_DEAL, "three-trumps": THREE_TRUMPS, "random": RANDOM}
"""Callers by name.

- ``standard``: calls by the hand's value, the seat, the turned card and the score (`standard_calling`);
- ``standard-by-deal``: as ``standard``, but never by the score: in whole games, too, it goes for the points of the deal;
- ``three-trumps``: calls with three or more trumps (`three_trumps`);
- ``random``: any legal bid or discard, every one equally likely, going alone included.
"""

DEFAULT_CALLER = "standard"  # the name of the caller that agents use if they are given none


def caller_number(name: str) -> int:
    """The number of a caller, as `choose_call` takes it. Raises ValueError for an unknown name."""
    check_choice("calling", name, CALLERS)
    return CALLERS[name]


@kernel
def choose_call(number: int, views: Any, i: int, actions: int, streams: Streams, s: int) -> int:
    """The legal action of caller ``number`` for the seat that bids or discards; ``standard`` draws no random number."""
    if number == STANDARD:
        return standard_call(views, i, actions, True)
    if number == STANDARD_BY_DEAL:
        return standard_call(views, i, actions, False)
    if number == THREE_TRUMPS:
        return three_trumps(views, i, actions, streams, s)
    return random_member(streams, s, actions)


@kernel
def _never_called(number: int, views: Any, i: int, actions: int, streams: Streams, s: int) -> int:
    """The lowest legal action; never called."""
    return lowest(actions)


def call_kernel(kind: TrickGame) -> Callable[..., int]:
    """The kernel `choose_call`; without bids a substitute, as `choose_call` cannot be compiled for such a game's states."""
    return choose_call if kind.bids else _never_called

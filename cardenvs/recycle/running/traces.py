"""Traces of cards that a seat has seen and lost sight of: the places of a described game in which each may lie by now.

A card is lost where it was known in a place that its seat does not see, and it may have been the one that went on from
there. A game's record has in ``traces`` the places of each such card for each seat, a bit each, and 0 for all others.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardenvs.compiled.bits import Ints
from cardenvs.compiled.jit import helper, kernel


@helper
def forget_traces(games: Any, i: Any) -> None:
    """Blanks where cards may lie of which seats have lost sight."""
    g = games[i]
    for seat in range(len(g.traces)):
        for card in range(g.traces.shape[1]):
            g.traces[seat, card] = 0


@helper
def lose(games: Any, i: Any, home: Any, k: Any, seats: Any, places: Any) -> None:
    """Notes the places, a bit each, in which a card that seats have seen may lie for them from now on."""
    g = games[i]
    for seat in range(len(g.traces) if g.traces.shape[1] > 1 else 0):
        if seats >> seat & 1:
            g.traces[seat, g.cards[home, k] - 1] = places


@kernel
def trace(games: Any, i: Any, card: Any, home: Any, place: Any, known: Any, found: Any, faces: Ints) -> None:
    """Brings up to date where cards may lie of which seats have lost sight, behind a card's move.

    ``known`` are the seats that know the card where it has gone, a bit each, ``found`` those that did not know it before.
    Who finds a card may have lost sight of it or of another one of its face: of one fewer it is not sure then.
    """
    g = games[i]
    for seat in range(len(g.traces)):
        row, lost, places = g.traces[seat], np.int64(card), np.int64(0)
        for other in range(len(row)):
            if known >> seat & 1 == 0:
                row[other] |= (row[other] >> home & 1) << place
            elif found >> seat & 1 and faces[other] == faces[card] and row[other] >> home & 1:
                places |= row[other]
                lost = np.int64(other) if row[card] == 0 else lost
        for other in range(len(row) if places else 0):
            row[other] = places if faces[other] == faces[card] and row[other] >> home & 1 else row[other]
        if found >> seat & 1:
            row[lost] = 0
        for other in range(len(row) if g.sizes[home] == 0 else 0):
            row[other] &= ~(np.int64(1) << home)

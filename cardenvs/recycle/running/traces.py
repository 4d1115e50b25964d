"""Places where cards may lie that a seat has seen and lost sight of.

A card is lost if it was known in a place that its seat does not see, and may have left it. ``traces`` of a record has the
possible places of each lost card for each seat, as bits, and 0 for all other cards.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardenvs.compiled.bits import Ints
from cardenvs.compiled.jit import helper, kernel


@helper
def note_lost(games: Any, i: Any, home: Any, k: Any, seats: Any, places: Any) -> None:
    """Sets the possible places, as bits, of a card that seats lose sight of."""
    g = games[i]
    for seat in range(len(g.traces) if g.traces.shape[1] > 1 else 0):
        if seats >> seat & 1:
            g.traces[seat, g.cards[home, k] - 1] = places


@kernel
def update_traces(games: Any, i: Any, card: Any, home: Any, place: Any, known: Any, found: Any, faces: Ints) -> None:
    """Updates the possible places of lost cards behind a card's move.

    ``known`` are the seats that know the card at its new place, as bits, ``found`` those that did not know it before. A
    seat that finds a card may have lost this one or another of its face: it is no longer sure of one of them.
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

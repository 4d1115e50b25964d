"""Moving cards, as `cardenvs.recycle.runtime` does it, in records that keep a trace of it: for checks.

A record has in ``tracks`` a row for each card that was moved or remembered since ``traced`` was set to 0: the card's
number, where it lay and where it, or its copy, went.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardenvs.cards import Ints
from cardenvs.jit import kernel
from cardenvs.recycle import runtime

MOST_TRACED = 2048
"""The most rows of a trace; what is moved after that is not in it."""
FIELDS = [("traced", np.int64), ("tracks", np.int16, (MOST_TRACED, 3))]
"""The fields of a record that keeps a trace, behind the STATE's."""
_moved, _copied = runtime.move_card, runtime.put_copy


@kernel
def _note(games: Any, i: Any, card: Any, home: Any, place: Any) -> None:
    """Adds a row."""
    g = games[i]
    if g.traced < len(g.tracks):
        g.tracks[g.traced, 0] = card
        g.tracks[g.traced, 1] = home
        g.tracks[g.traced, 2] = place
    g.traced += 1


@kernel
def move_card(
    games: Any,
    i: Any,
    card: Any,
    place: Any,
    kind: Any,
    index: Any,
    public: Any,
    seen_by: Ints,
    ordered: Ints,
    faces: Ints,
) -> Any:
    """As `cardenvs.recycle.runtime.move_card`."""
    _note(games, i, card, np.int64(games[i].where[card]), place)
    return _moved(games, i, card, place, kind, index, public, seen_by, ordered, faces)


@kernel
def put_copy(
    games: Any, i: Any, card: Any, place: Any, kind: Any, index: Any, told: Any, seen_by: Ints, ordered: Ints, faces: Ints
) -> Any:
    """As `cardenvs.recycle.runtime.put_copy`."""
    _note(games, i, card, np.int64(games[i].where[card]), place)
    return _copied(games, i, card, place, kind, index, told, seen_by, ordered, faces)

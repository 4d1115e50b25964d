"""Claims of what places have: of some faces at least one, as all were told (`cardenvs.recycle.compiler.tells`).

A claim is an act that tells and a place of which it may tell that. A game's record has in ``some`` the faces of each, a bit
each, and none where nothing of the kind is known any longer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardenvs.compiled.bits import Ints
from cardenvs.compiled.jit import helper, kernel


@kernel
def claim(games: Any, i: Any, number: Any, place: Any, heap: Ints, faces: Any, claims: Ints) -> None:
    """Notes the faces of which a place has at least one, as all are told, in place of what the act told of it before.

    Args:
        games: the games' states.
        i: the number of the game.
        number: the number of the act among those that tell.
        place: the place.
        heap: the array ``H``.
        faces: where in it the faces begin, a bit each; none where the act tells nothing of the kind.
        claims: int64 (claims, 2), of each claim the act and the place.
    """
    g = games[i]
    some = np.int64(0)
    for word in range(g.some.shape[1]):
        some |= heap[faces + word]
    for k in range(len(claims) if some else 0):
        if claims[k, 0] == number and claims[k, 1] == place:
            for word in range(g.some.shape[1]):
                g.some[k, word] = heap[faces + word]


@kernel
def drop_claims(games: Any, i: Any, card: Any, home: Any, claims: Ints, seen_by: Ints, faces: Ints) -> None:
    """Drops the claims of a place that a card has left if it may have been the one that they speak of.

    Args:
        games: the games' states.
        i: the number of the game.
        card: the card's number.
        home: the place.
        claims: int64 (claims, 2), of each claim the act and the place.
        seen_by: int64 (places + 1,), the seats that see the cards of each place, a bit each; all seats in the end.
        faces: int64 (cards,), the face of each card.
    """
    g = games[i]
    place, at = np.int64(g.where[card]), np.int64(0)
    while g.cards[place, at] != card + 1:
        at += 1
    seen, face = g.known[place, at] == seen_by[-1], faces[card]
    for k in range(len(claims)):
        if claims[k, 1] == home and not (seen and g.some[k, face // 63] >> (face % 63) & 1 == 0):
            for word in range(g.some.shape[1]):
                g.some[k, word] = 0


@helper
def is_claimed(v: Any, claim: Any, face: Any) -> Any:
    """Whether a face is one of those of which a claim says that one is there."""
    return v.some[claim, face // 63] >> (face % 63) & 1 != 0


@kernel
def open_claims(views: Any, i: Any, claims: Ints, back: Any, faces: Ints, backs: Ints, wanted: Ints) -> None:
    """Writes which claims no known card meets, as `fill` takes them.

    Args:
        views: the views, or worlds in the making.
        i: the number of the view.
        claims: int64 (claims, 2), of each claim the act and the place.
        back: the back of all cards that a claim may speak of, or it is left out; -1 for any.
        faces: int64 (cards,), the face of each card.
        backs: int64 (cards,), the back of each card.
        wanted: int64 (claims, 2), the numbers of these claims, -1 for the others, and the places of all.
    """
    v = views[i]
    for n in range(len(wanted)):
        place, wants = claims[n, 1], False
        for card in range(len(faces)):
            wants = wants or is_claimed(v, n, faces[card])
        for card in range(len(faces)):
            wants = wants and (back < 0 or backs[card] == back or not is_claimed(v, n, faces[card]))
        for k in range(v.sizes[place]):
            held = np.int64(v.cards[place, k])
            wants = wants and not (held > 0 and is_claimed(v, n, faces[held - 1]))
        wanted[n, 0], wanted[n, 1] = n if wants else -1, place


@kernel
def leave_out_elsewhere(views: Any, i: Any, wanted: Ints, count: Any, places: Ints) -> None:
    """Leaves out of the claims that are wanted those that an unseen card of a slot that is not filled may meet.

    Args:
        views: the views, or worlds in the making.
        i: the number of the view.
        wanted: int64 (claims, 2), see `open_claims`.
        count: how many slots are filled.
        places: int64 (at least count,), the place of each of these.
    """
    for n in range(len(wanted)):
        unseen = np.int64(0)
        for k in range(views[i].sizes[wanted[n, 1]]):
            unseen += views[i].cards[wanted[n, 1], k] <= 0
        for k in range(count):
            unseen -= places[k] == wanted[n, 1]
        wanted[n, 0] = wanted[n, 0] if unseen == 0 else -1


@kernel
def are_met(v: Any, wanted: Ints, count: Any, places: Ints, faces: Ints, cards: Ints) -> Any:
    """Whether slots with some cards meet all claims that are wanted."""
    for n in range(len(wanted)):
        met = wanted[n, 0] < 0
        for k in range(count):
            met = met or (places[k] == wanted[n, 1] and is_claimed(v, wanted[n, 0], faces[cards[k]]))
        if not met:
            return False
    return True

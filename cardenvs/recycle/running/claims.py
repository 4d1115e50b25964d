"""Claims that places have at least one of some faces, as all were told (`cardenvs.recycle.compiler.tells`).

A claim belongs to an act that tells, and a place. ``some`` of a record has the faces of each claim, as bits; none if it
does not hold any longer. ``claims`` is int64 (claims, 2): the act and the place of each.
"""

from typing import Any

import numpy as np

from cardenvs.compiled.bits import Ints
from cardenvs.compiled.jit import helper, kernel


@kernel
def note_claim(games: Any, i: Any, number: Any, place: Any, heap: Ints, faces: Any, claims: Ints) -> None:
    """Replaces an act's claim of a place by the faces in ``heap`` from index ``faces`` on; no faces change nothing."""
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
    """Drops the claims of a place that a card has left if it may be the claimed card."""
    g = games[i]
    place, at = np.int64(g.where[card]), np.int64(0)
    while g.cards[place, at] != card + 1:
        at += 1
    seen, face = g.known[place, at] == seen_by[-1], faces[card]
    for k in range(len(claims)):
        if claims[k, 1] == home and not (seen and g.some[k, face // 63] >> (face % 63) & 1 == 0):
            g.some[k].fill(0)


@helper
def is_claimed(v: Any, claim: Any, face: Any) -> Any:
    """Whether a face is one of a claim's faces."""
    return v.some[claim, face // 63] >> (face % 63) & 1 != 0


@kernel
def open_claims(views: Any, i: Any, claims: Ints, back: Any, faces: Ints, backs: Ints, wanted: Ints) -> None:
    """Writes the claims that no known card meets, and their places, to ``wanted``, int64 (claims, 2); -1 for the others.

    Claims that may be about cards with another back than ``back`` (-1 for any) are left out.
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
    """Removes wanted claims that an unseen card outside of the first ``count`` slots may meet."""
    for n in range(len(wanted)):
        unseen = np.int64(0)
        for k in range(views[i].sizes[wanted[n, 1]]):
            unseen += views[i].cards[wanted[n, 1], k] <= 0
        for k in range(count):
            unseen -= places[k] == wanted[n, 1]
        wanted[n, 0] = wanted[n, 0] if unseen == 0 else -1


@kernel
def are_claims_met(v: Any, wanted: Ints, count: Any, places: Ints, faces: Ints, cards: Ints) -> Any:
    """Whether slots with some cards meet all wanted claims."""
    for n in range(len(wanted)):
        met = wanted[n, 0] < 0
        for k in range(count):
            met = met or (places[k] == wanted[n, 1] and is_claimed(v, wanted[n, 0], faces[cards[k]]))
        if not met:
            return False
    return True

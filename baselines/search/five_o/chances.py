"""Chances in Five-O: of a column against the opposing one, and of a game, if both players placed their cards blindly.

As in the Five-O paper (S. Aharon and M. Mandel, "Five-O Poker", I.B and II.B.4 to 5), a *random completion* fills the
columns with cards that a seat has not seen, the opponent's face-down cards among them. ``put`` is a column's chance to beat
the opposing one with the card in hand, ``wait`` its chance without it. A tie is no win, by the rules; the paper's look-up
table, unlike its text, counts ties as won. The paper multiplies the chances of columns as if they were independent
(`win_probability`), although the columns share a deck; `independence` measures what that costs.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.compiled.bits import Bytes
from cardenvs.compiled.jit import helper

Chances = npt.NDArray[np.float64]

PUT, WAIT = 0, 1  # last index of a column's chances: with the card in hand in it, and without
WIN, DRAW, LOSS = 0, 1, 2  # last index of a game's chances

SAMPLES = 10_000  # default number of random completions; the paper draws 100,000

MOST_UNSEEN = 47  # most cards that a seat to act has not seen


@helper
def three_of_five(p0: float, p1: float, p2: float, p3: float, p4: float) -> float:
    """The chance that three or more of five independent events happen."""
    # Of the first four: a none, b one, c two, d three or more.
    none, both = (1.0 - p0) * (1.0 - p1), p0 * p1
    one = 1.0 - none - both
    none2, both2 = (1.0 - p2) * (1.0 - p3), p2 * p3
    one2 = 1.0 - none2 - both2
    two = both * none2 + one * one2 + none * both2
    more = both * (one2 + both2) + one * both2
    return more + two * p4


def win_probability(chances: npt.ArrayLike) -> Any:
    """The chance to win three or more of five columns, taken as independent: equation 3 of the paper (I.B).

    ``chances``, (..., 5), a tie no win; returns (...,). Raises ValueError for another shape or a chance outside 0 to 1.
    """
    p = np.asarray(chances, np.float64)
    if p.ndim == 0 or p.shape[-1] != 5:
        raise ValueError(f"chances must have the shape (..., 5), not {p.shape}")
    outside = ~((p >= 0) & (p <= 1))
    if outside.any():
        raise ValueError(f"chances must be 0 to 1, not {p[outside][0]}")
    won = three_of_five(*np.moveaxis(p, -1, 0))
    return np.clip(won, 0.0, 1.0)[()]


def mask_illegal(chances: Chances, action_masks: Bytes) -> Chances:
    """Columns' chances, float64 (n, 5, 2), with nan as the ``PUT`` of illegal columns; changed in place and returned."""
    chances[:, :, PUT][action_masks == 0] = np.nan
    return chances


def placement_chances(chances: Chances) -> Chances:
    """The columns' chances after each placement, (..., 5, 5): ``PUT`` of the chosen column, ``WAIT`` of the others."""
    placements = np.repeat(chances[..., None, :, WAIT], 5, axis=-2)
    for column in range(5):
        placements[..., column, column] = chances[..., column, PUT]
    return placements


def placement_scores(chances: Chances) -> Chances:
    """The chance to win three columns after each placement by equation 3, float64 (..., 5), nan where illegal."""
    placements = placement_chances(chances)
    illegal = np.isnan(chances[..., PUT])
    scores = np.asarray(win_probability(np.where(np.isnan(placements), 0.0, placements)))
    return np.where(illegal, np.nan, scores)

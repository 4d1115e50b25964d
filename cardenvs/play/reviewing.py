"""Reviews of finished deals at a table: the cost of each move, by a reviewer that an installed package announces.

A reviewer is found through the entry-point group ``cardenvs.reviewers``: an entry's name is a game's, its object a function
that takes a deal of a record and a function to report progress to, and returns a `ReviewedDeal`. An entry named ``*`` is
for all games that have none of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cardenvs.contract.record import Deal
from cardenvs.plugins import Registry

Progress = Callable[[int, int], None]
"""A function that is told the number of moves searched and the number of all; an error that it raises ends the review."""


@dataclass(frozen=True)
class ReviewedMove:
    """A move of a finished deal with its cost.

    Attributes:
        seat: the seat that moved.
        label: the action in short, as ``Q♥`` or ``order up``.
        best: the best action in short; the action itself if none was better.
        cost: how much less the action was worth than the best one by what its player could know, at least 0.
        error: standard error of the cost; None where it is not known.
        lost: how much less the action was worth with all hands open; None where it is not known.
        forced: whether there was one legal action only.
        said: the cost in words, its unit included.
    """

    seat: int
    label: str
    best: str
    cost: float
    error: float | None
    lost: float | None
    forced: bool
    said: str


@dataclass(frozen=True)
class ReviewedDeal:
    """A finished deal, move by move.

    Attributes:
        by: the name of the policy that reviewed the deal, with its parameters.
        unit: the unit of costs: points, tricks or chance to win.
        moves: all moves of the deal in order.
        totals: by seat, the sum of the costs in words.
        remarks: sentences about what could not be reviewed.
    """

    by: str
    unit: str
    moves: tuple[ReviewedMove, ...]
    totals: tuple[str, ...]
    remarks: tuple[str, ...] = ()

    def dearest(self, first: int | None = None, most: int = 3) -> list[int]:
        """The numbers, from 0, of the moves that cost most, the costliest first.

        Args:
            first: the seat whose moves come before those of the others; None for no seat.
            most: the most moves of a seat.
        """
        ranked = sorted(range(len(self.moves)), key=lambda k: (self.moves[k].seat != first, -self.moves[k].cost))
        counts: dict[int, int] = {}
        chosen = []
        for k in ranked:
            seat = self.moves[k].seat
            if self.moves[k].cost > 0 and counts.get(seat, 0) < most:
                counts[seat] = counts.get(seat, 0) + 1
                chosen.append(k)
        return chosen


REVIEWERS: Registry[Callable[[Deal, Progress], ReviewedDeal]] = Registry("cardenvs.reviewers")
"""The reviewers of deals, by the game's name."""


def can_review(game: str) -> bool:
    """Whether there is a reviewer for the deals of a game, by the game's name; loads nothing."""
    return game in REVIEWERS or "*" in REVIEWERS


def review_deal(deal: Deal, progress: Progress) -> ReviewedDeal:
    """Reviews a finished deal, which takes seconds.

    Args:
        deal: the deal.
        progress: is told how far the review is; an error that it raises ends the review and is raised again.

    Raises:
        ValueError: there is no reviewer for the game, or the deal is not over.
    """
    review = REVIEWERS.find(deal.game.name) or REVIEWERS.find("*")
    if review is None:
        raise ValueError(f"no reviewer for {deal.game.name} is installed")
    if not deal.state["over"][0]:
        raise ValueError("the deal is not over yet; then it can be reviewed")
    return review(deal, progress)

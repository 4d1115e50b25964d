"""Reviews of finished deals at a table: the cost of each move, by a reviewer that an installed package announces.

An entry point in the group ``cardenvs.reviewers`` has the name of a game, or ``*`` for all others. Its object is a function
that takes a deal of a record and a progress function, and returns a `ReviewedDeal`.
"""

from collections.abc import Callable
from dataclasses import dataclass

from cardenvs.contract.record import Deal
from cardenvs.plugins import Registry

Progress = Callable[[int, int], None]  # called with the moves searched and their total; its errors end the review


@dataclass(frozen=True)
class ReviewedMove:
    """A move of a finished deal with its cost; errors and losses are None if unknown."""

    seat: int
    label: str  # the action in short, as ``Q♥`` or ``order up``
    best: str  # the best action in short; the action itself if none was better
    cost: float  # loss against the best action by the player's own knowledge, at least 0
    error: float | None  # standard error of the cost
    lost: float | None  # loss against the best action with all hands open
    forced: bool  # whether there was one legal action only
    said: str  # the cost in words with its unit


@dataclass(frozen=True)
class ReviewedDeal:
    """A finished deal, move by move."""

    by: str  # name of the reviewing policy, with its parameters
    unit: str  # of costs: points, tricks or chance to win
    moves: tuple[ReviewedMove, ...]
    totals: tuple[str, ...]  # by seat, the sum of the costs in words
    remarks: tuple[str, ...] = ()  # about moves that could not be reviewed

    def dearest(self, first: int | None = None, most: int = 3) -> list[int]:
        """Returns the numbers, from 0, of the costliest moves, at most ``most`` of a seat, the costliest first.

        The moves of the seat ``first``, if any, come before the others.
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
    """Whether there is a reviewer for the deals of a game; loads nothing."""
    return game in REVIEWERS or "*" in REVIEWERS


def review_deal(deal: Deal, progress: Progress) -> ReviewedDeal:
    """Reviews a finished deal, which takes seconds; an error that ``progress`` raises ends the review and is raised again.

    Raises:
        ValueError: there is no reviewer for the game, or the deal is not over.
    """
    review = REVIEWERS.find(deal.game.name) or REVIEWERS.find("*")
    if review is None:
        raise ValueError(f"no reviewer for {deal.game.name} is installed")
    if not deal.state["over"][0]:
        raise ValueError("the deal is not over yet; then it can be reviewed")
    return review(deal, progress)

"""Reviews of the deals that people play at a table, for the entry points ``cardenvs.reviewers``."""

from __future__ import annotations

from dataclasses import replace

from cardenvs.baselines.review.result import MoveReview
from cardenvs.baselines.review.reviewer import Reviewer
from cardenvs.baselines.review.texts import CHANCE, action_text, cost_text
from cardenvs.contract.record import Deal
from cardenvs.play.reviewers import Progress, ReviewedDeal, ReviewedMove


def review_deal(deal: Deal, progress: Progress) -> ReviewedDeal:
    """Reviews a finished deal as `Reviewer` does, with its default worlds.

    An error that ``progress`` (decisions searched, decisions in all) raises ends the review and is raised again.
    """
    reviewer = Reviewer(deal.game)
    reviewed = reviewer.review(deal, progress=progress)
    unit = reviewer.unit
    totals = []
    for seat in range(deal.game.seats):
        own = [move for move in reviewed.moves if move.seat == seat]
        # The sum is said as a cost is; its error is not known, as the searches of a deal are not independent.
        whole = replace(own[0], cost=sum(move.cost for move in own), error=None, forced=False) if own else None
        totals.append("0" if whole is None else _cost_with_unit(whole, unit))
    moves = tuple(_table_move(move, unit, deal.game.column_game is not None) for move in reviewed.moves)
    return ReviewedDeal(reviewer.name, unit, moves, tuple(totals), tuple(reviewed.remarks))


def _table_move(move: MoveReview, unit: str, columns: bool) -> ReviewedMove:
    """Returns a move's review for a table; ``columns`` says whether a card is put into a column."""
    label = (
        f"{action_text(move.hand[0])} in {action_text(move.action)}" if columns and move.hand else action_text(move.action)
    )
    return ReviewedMove(
        seat=move.seat,
        label=label,
        best=label if move.best == move.action else action_text(move.best),
        cost=move.cost,
        error=move.error,
        lost=move.lost,
        forced=move.forced,
        said=_cost_with_unit(move, unit),
    )


def _cost_with_unit(move: MoveReview, unit: str) -> str:
    text = cost_text(move, unit)
    return text if move.forced or not move.cost or unit == CHANCE else f"{text} {unit}"

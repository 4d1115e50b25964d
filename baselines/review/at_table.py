"""Reviews of the deals that people play at a table, for the entry points ``cardenvs.reviewers``."""

from cardenvs.baselines.reports.columns import Row
from cardenvs.baselines.review.reviewer import Reviewer
from cardenvs.baselines.review.texts import action_text, cost_with_unit
from cardenvs.contract.record import Deal
from cardenvs.play.reviewers import Progress, ReviewedDeal, ReviewedMove


def review_deal(deal: Deal, progress: Progress) -> ReviewedDeal:
    """Reviews a finished deal as `Reviewer` does, with its default worlds.

    An error that ``progress`` (decisions searched, decisions in all) raises ends the review and is raised again.
    """
    reviewer = Reviewer(deal.game)
    reviewed = reviewer.review(deal, progress=progress)
    totals = []
    for seat in range(deal.game.seats):
        own = [move for move in reviewed.moves if move.seat == seat]
        # The sum is written as a cost is; its error is not known, as the searches of a deal are not independent.
        cost = sum(move.cost for move in own)
        totals.append(cost_with_unit(own[0].but(cost=cost, error=None, forced=False), reviewer.unit) if own else "0")
    moves = tuple(_table_move(move, reviewer.unit, deal.game.column_game is not None) for move in reviewed.moves)
    return ReviewedDeal(reviewer.name, reviewer.unit, moves, tuple(totals), tuple(reviewed.remarks))


def _table_move(move: Row, unit: str, columns: bool) -> ReviewedMove:
    """A move's review for a table; ``columns`` says whether a card is put into a column."""
    label = action_text(move.action)
    if columns and move.hand:
        label = f"{action_text(move.hand[0])} in {label}"
    best = label if move.best == move.action else action_text(move.best)
    said = cost_with_unit(move, unit)
    return ReviewedMove(move.seat, label, best, move.cost, move.error, move.lost, move.forced, said)

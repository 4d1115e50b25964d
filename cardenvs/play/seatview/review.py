"""The review of a finished deal for a viewer: plain data for JSON."""

from dataclasses import asdict
from typing import Any

from cardenvs.play.reviewers import ReviewedDeal
from cardenvs.play.table import Table


def review_view(table: Table, you: int | None, reviewed: ReviewedDeal) -> dict[str, Any]:
    """Returns the review of the table's current deal for a viewer, a seat or None.

    Its keys are ``by``, ``unit``, ``text`` (a sentence), ``moves``, ``dearest`` (numbers of moves, the viewer's first) and
    ``players``; a move's ``index`` is its number in the deal, from 0.
    """
    names = [table.display_name(seat, you) for seat in range(table.game.seats)]
    moves = [
        {"index": k, "seat": move.seat, "name": names[move.seat], **asdict(move), "unit": reviewed.unit}
        for k, move in enumerate(reviewed.moves)
    ]
    players = []
    for seat, name in enumerate(names):
        free = [move for move in reviewed.moves if move.seat == seat and not move.forced]
        players.append(
            {
                "seat": seat,
                "name": name,
                "cost": sum(move.cost for move in free),
                "said": reviewed.totals[seat],
                "decisions": len(free),
                "without_cost": sum(not move.cost for move in free),
            }
        )
    text = (
        f"Reviewed by {reviewed.by}. A cost is how much less a move was worth than the best one by what its player could "
        "know, with its standard error: one of less than twice its error may be none."
    )
    return {
        "by": reviewed.by,
        "unit": reviewed.unit,
        "text": " ".join([text, *reviewed.remarks]),
        "moves": moves,
        "dearest": reviewed.dearest(you),
        "players": players,
    }

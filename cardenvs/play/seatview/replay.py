"""Replay of a finished deal: its positions from the first move to the last, with all cards open."""

from typing import Any

from cardenvs.contract.loops import RUNNING
from cardenvs.play.seatview.view import seat_view
from cardenvs.play.table import Table


def replay_views(table: Table, you: int | None) -> list[dict[str, Any]]:
    """Returns the positions of a finished deal, from before its first move on, as messages "state" with open hands.

    ``legal``, ``log``, ``readouts``, ``sheet`` and ``text`` are empty. ``move`` is the number of moves before the position,
    ``told`` the last one in words, None at the beginning. The last position has the hands as dealt. Raises ValueError if
    the deal is not over.
    """
    if table.over == RUNNING:
        raise ValueError("the deal is not over yet; then it can be looked at again")
    views = []
    read = 0
    for move, past in enumerate(table.positions()):
        view = seat_view(past, you, thinking=-1, opened=True)
        log = view["log"]
        # A trick that is won has a line of its own, and the last move is followed by the result.
        told = "; ".join(log[read:]) if move else None
        read = len(log)
        view |= {"legal": [], "log": [], "readouts": None, "sheet": None, "text": None, "move": move, "told": told}
        view["can"] = dict.fromkeys(view["can"], False)
        views.append(view)
    return views

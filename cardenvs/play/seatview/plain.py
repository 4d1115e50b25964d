"""A seat's view of a game that has no picture of its own: its drawing in text."""

from __future__ import annotations

from typing import Any

from cardenvs.contract.loops import RUNNING
from cardenvs.play.seatview.sight import Sight


def show_plain(sight: Sight, state: dict[str, Any]) -> None:
    """Fills in ``phase`` and ``drawing`` of the message "state" for a game without a picture of its own."""
    table = sight.table
    state["phase"] = "playing" if table.over == RUNNING else "finished"
    if sight.open or sight.you is not None:
        state["drawing"] = table.game.drawing(table.state[0], None if sight.open else sight.you)
    else:
        state["drawing"] = "What the players hold is not shown while people play."

"""Preparations before a move is possible, for which a table's pages wait: compiling kernels, starting programs."""

from cardenvs.compiled import waiting as compiling
from cardenvs.play.seatview import seat_view
from cardenvs.play.table import Table
from cardenvs.programs.program import getting_ready


def preparation_under_way() -> tuple[str, int | None] | None:
    """Returns the preparation under way in this process, in words, and its total seconds, None if unknown; else None."""
    work = compiling.at_work()
    return (f"{work.what} (compiled)", work.seconds) if work is not None else next(iter(getting_ready()), None)


def prepare_views(table: Table) -> None:
    """Deals a table's first deal and makes all its views, which compiles all that its pages need."""
    table.open()
    for viewer in (None, *range(table.game.seats)):
        seat_view(table, viewer)
    if table.to_act is not None:
        table.snapshot()

"""The report of games played beside OpenSpiel's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cardenvs.baselines.reports.document import Block, Document, Name, Only, Table, Text, Words, in_file, said
from cardenvs.baselines.reproduce.papers import written_by

if TYPE_CHECKING:
    from cardenvs.baselines.reproduce.openspiel.measure import Comparison, Reproduction


def document(result: Reproduction, command: str = "") -> Document:
    """The report.

    Args:
        result: all games that were played.
        command: the command line that plays them again.
    """
    rows = result.comparisons
    parts: list[Block | Only] = [
        in_file(
            written_by(command),
            said(
                """The same cards and moves in both programs. After each move these are compared: the reward, the number of
                cards drawn, the canonical vector of every seat, the points, the end, whose turn it is, and the legal
                actions. Moves are made at random, well by somebody who sees the own cards, by SmartBot, and so that games
                last as long as they can."""
            ),
        ),
        Words(
            f"{result.games:,} games of {result.moves:,} moves beside OpenSpiel {result.openspiel}; "
            f"{result.different or 'none'} {'differs' if result.different == 1 else 'differ'}."
        ),
        _table("game", {row.form: [other for other in rows if other.form == row.form] for row in rows}),
        _table("moves", {row.driver: [other for other in rows if other.driver == row.driver] for row in rows}),
    ]
    parts += [Words(f"Game {row.different[0]} of {row.form}, {row.driver}: {row.first}") for row in rows if row.different]
    return Document("Hanabi beside OpenSpiel's", parts)


def _table(head: str, groups: dict[str, Sequence[Comparison]]) -> Table:
    """The figures of some groups of comparisons, by name."""
    cells: list[list[Text]] = []
    for name, rows in groups.items():
        games, different = sum(row.games for row in rows), sum(len(row.different) for row in rows)
        moves = f"{sum(row.moves for row in rows) / games:.1f}"
        cells.append([Name(name), f"{games:,}", moves, str(max(row.longest for row in rows)), str(different)])
    return Table([head, "games", "moves a game", "longest", "different"], cells)

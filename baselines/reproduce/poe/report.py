"""The report of POE's agent in Whist against the simple agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cardenvs.baselines.reports.document import Block, Document, Estimate, Name, Only, Table, Text, in_file, said
from cardenvs.baselines.reproduce.papers import written_by

if TYPE_CHECKING:
    from cardenvs.baselines.reproduce.poe.matches import PoeMatch, Reproduction


def document(result: Reproduction, command: str = "") -> Document:
    """The report.

    Args:
        result: the matches.
        command: the command line that plays them again.
    """
    parts: list[Block | Only] = [
        in_file(
            written_by(command),
            said(
                f"""Source: J. Diamond, POE, a Whist engine for MATLAB, version 1.0.6, 2019. Its author publishes no
                results; these are the first. The agent is `poe`: for each card it plays it deals the unseen cards
                {result.worlds} times, solves the current trick in each deal with all cards open, and plays the card with
                the most points. (POE repairs a deal by swaps until it fits the suits shown out; here all fitting deals are
                equally likely.) Two seats of it face two of the opponent."""
            ),
        ),
        said(
            f"""{result.deals:,} deals a pairing, the same ones for all, each played twice with the sides exchanged. POE's
            figures are the first of two. ± is half of a 95% confidence interval, reckoned from deals with both their games.
            A deal is won with seven tricks or more, and each trick above six is a point; the lead is in points."""
        ),
        Table(["opponent", "tricks a deal", "won, %", "points a deal", "lead"], [_cells(row) for row in result.results]),
    ]
    return Document("Whist: POE against the simple agents", parts)


def _cells(row: PoeMatch) -> list[Text]:
    """The cells of a match."""
    ours, theirs = row.tricks_per_deal
    return [
        Name(row.opponent),
        f"{ours:.2f} : {theirs:.2f} ±{row.tricks.half_width:.2f}",
        Estimate(row.win_rate, percent=True),
        " : ".join(f"{points:.2f}" for points in row.points_per_deal),
        Estimate(row.points_margin),
    ]

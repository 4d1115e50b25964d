"""Output of ``cardenvs reproduce poe``: the report, and a table on the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from cardenvs import cli
from cardenvs.baselines.match import MatchResult
from cardenvs.baselines.reports.text import plus_minus
from cardenvs.baselines.reproduce.poe.matches import TRICKS, points_per_deal, tricks_per_deal
from cardenvs.baselines.reproduce.shared import print_table, written_by
from cardenvs.printing import table_lines

HEAD = ["opponent", "tricks a deal", "won, %", "points a deal", "lead"]
NOTE = (
    "POE's figures are the first of two. ± is half of a 95% confidence interval, reckoned from deals with both their "
    "games. A deal is won with seven tricks or more, and each trick above six is a point; the lead is in points."
)


def _cells(result: MatchResult) -> list[str]:
    """A match as the cells of a row, under `HEAD`."""
    tricks = tricks_per_deal(result)
    return [
        result.sides[1],
        f"{tricks.mean:.2f} : {TRICKS - tricks.mean:.2f} ±{tricks.half_width:.2f}",
        plus_minus(result.win_rate, percent=True),
        " : ".join(f"{points:.2f}" for points in points_per_deal(result)),
        plus_minus(result.points_margin),
    ]


def markdown(results: Sequence[MatchResult], deals: int, worlds: int, command: str) -> str:
    """The report.

    Args:
        results: a match for each opponent, POE's side first.
        deals: number of deals of a pairing.
        worlds: how many deals the agent drew for a decision.
        command: the command that plays the matches again.
    """
    lines = [
        "# Whist: POE against the simple agents",
        "",
        f"{written_by(command)}.",
        "",
        "Source: J. Diamond, POE, a Whist engine for MATLAB, version 1.0.6, 2019. Its author publishes no results; these",
        f"are the first. The agent is `poe`: for each card it plays it deals the unseen cards {worlds} times, solves the",
        "current trick in each deal with all cards open, and plays the card with the most points. (POE repairs a deal by",
        "swaps until it fits the suits shown out; here all fitting deals are equally likely.) Two seats of it face two of",
        "the opponent.",
        "",
        f"{deals:,} deals a pairing, the same ones for all, each played twice with the sides exchanged. {NOTE}",
        "",
        *table_lines(HEAD, map(_cells, results)),
    ]
    return "\n".join(lines)


def show(results: Sequence[MatchResult], deals: int) -> None:
    """Prints the matches on the terminal, and how to read them on standard error."""
    title = f"POE's agent in Whist: {deals:,} deals a pairing, each played twice"
    print_table(title, HEAD, map(_cells, results), framed=True)
    cli.stderr.print(NOTE)

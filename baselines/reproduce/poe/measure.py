"""POE's agent in Whist against the simple agents, over duplicate deals.

POE's author publishes no results; these are the first.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from cardenvs.baselines.match import Side, match_result
from cardenvs.baselines.reports import columns
from cardenvs.baselines.reports.columns import Column, Columns, Row, computed_column
from cardenvs.baselines.reports.document import Document
from cardenvs.baselines.reports.statistics import Interval
from cardenvs.baselines.reports.template import fill_report
from cardenvs.baselines.runs.series import Match, series
from cardenvs.contract.registry import get_game

OPPONENTS = ("random", "low", "high-low", "coop-high-low")  # the opponents of POE's agent by default
TRICKS = 13  # tricks of a deal


def _both_sides(tricks: Interval) -> str:
    return f"{tricks.mean:.2f} : {TRICKS - tricks.mean:.2f} ±{tricks.half_width:.2f}"


PoeMatch = Columns(
    "PoeMatch",
    columns.name_column("opponent", "the other side", "opponent"),
    Column("deals", "number of deals, each played twice"),
    Column("tricks", "the agent's tricks a deal", "tricks a deal", _both_sides, json=""),
    columns.share_column("win_rate", "the agent's share of the games won", "won, %"),
    Column("points_per_deal", "points of both sides, the agent's first", "points a deal",
           lambda both: " : ".join(f"{points:.2f}" for points in both)),
    columns.points_column("points_margin", "the agent's lead in points", "lead"),
    Column("decisions_per_s", "decisions a second of the agent"),
    computed_column("tricks_per_deal", lambda row: [row.tricks.mean, TRICKS - row.tricks.mean], json=None,
                    meaning="tricks of both sides, the agent's first"),
    computed_column("tricks_per_deal_ci95", lambda row: row.tricks.ci95, json=None,
                    meaning="the ends of the interval of the agent's tricks"),
)  # fmt: skip
"""A match of POE's agent, by the deal."""


def document(result: Row, command: str = "") -> Document:
    """Returns the report of a `Reproduction`."""
    matches = PoeMatch.table(result.results)
    return fill_report(Path(__file__).with_name("report.md"), result=result, command=command, matches=matches)


Reproduction = Columns(
    "Reproduction",
    computed_column("game", lambda row: "whist", json=None),
    computed_column("policy", lambda row: "poe", json=None),
    Column("worlds", "number of deals that the agent draws for a decision"),
    Column("deals", "number of deals of a pairing"),
    Column("seed", "the seed"),
    Column("results", "a match for each opponent (`PoeMatch`)"),
    document=document,
)
"""The matches of POE's agent."""


def _match_row(result: Row) -> Row:
    """The match whose first side is the agent's."""
    low, high = ((TRICKS + lead) / 2 for lead in result.tricks_margin.ci95)  # both sides' tricks add up to 13
    return PoeMatch(
        result.sides[1],
        result.deals,
        Interval((TRICKS + result.tricks_margin.mean) / 2, low, high),
        result.win_rate,
        [points / result.games for points in result.points],
        result.points_margin,
        result.decisions_per_s[0],
    )


def reproduce(
    deals: int, seed: int, worlds: int, opponents: Sequence[str], progress: Callable[[int, str], None], **engine: Any
) -> Row:
    """Plays POE's agent against each opponent over the same duplicate deals of Whist, and returns a `Reproduction`.

    Args:
        worlds: number of deals that the agent draws for a decision.
        progress: called with the number of deals finished since the last call, and the pairing that is played.
        engine: where the matches are played, as of `series`.

    Raises:
        ValueError: an unknown opponent, before anything is played; ``deals``, ``worlds`` or ``workers`` below 1; a
            cluster that cannot be used.
    """
    whist, poe = get_game("whist"), f"poe:worlds={worlds}"
    pairs = [(Side(whist, poe), Side(whist, name)) for name in opponents]
    results = []
    with series(whist, [Match(poe, name, deals, seed) for name in opponents], **engine) as play_next:
        for pair in pairs:

            def count(done: int, title: str = " - ".join(side.name for side in pair)) -> None:
                progress(done, title)

            played = play_next(count)
            of_match = match_result(
                whist, pair, played.finished(), protocol="duplicate", options={}, seed=seed, seconds=played.seconds
            )
            results.append(_match_row(of_match))
    return Reproduction(worlds, deals, seed, results)

"""The report of a measured ceiling."""

from __future__ import annotations

from pathlib import Path

from cardenvs.baselines.reports.columns import Column, Row
from cardenvs.baselines.reports.document import Document, Estimate, Name, Table, Text
from cardenvs.baselines.reports.statistics import Interval
from cardenvs.baselines.reports.template import fill_report
from cardenvs.baselines.reports.text import options_text
from cardenvs.contract.registry import full_title, named_game


def document(result: Row, command: str = "") -> Document:
    """The report of a measured ceiling; ``command``, the command line that repeats it, is quoted if it is not empty."""
    game = named_game(result.game)
    wins = [_wins_column(result, one.policy) for one in result.policies]
    games = {f"{kind}_games": f"{kind} games for {result.effect:g}" for kind in ("single", "duplicate")}
    begun = game.bids_trump or result.open_cards == 13
    return fill_report(
        Path(__file__).with_name("report.md"),
        result=result,
        command=command,
        title=full_title(game),
        options=options_text(result.options),
        opened=result.policies[0].columns.table(
            result.policies, after=wins, titles={"tricks": f"{game.tricks_word} a deal above"}
        ),
        never="it never loses a duplicate deal, " if begun else "",
        begun=begun,
        most=any(one.most is not None for one in result.policies),
        lucky=result.matches[0].columns.table(result.matches, titles=games),
    )


def _wins_column(ceiling: Row, policy: str) -> Column:
    return Column("", title=(Name(policy), " wins"), cell=lambda row: Estimate(_won_from(ceiling, policy, row.policy)))


def _won_from(ceiling: Row, first: str, second: str) -> Interval | None:
    """Margin of a policy over another, in points a deal; None for one against itself."""
    for match in ceiling.matches:
        if first != second and {*match.sides} == {first, second}:
            margin: Interval = match.margin
            return margin if match.sides[0] == first else -margin
    return None


def team_document(result: Row, command: str = "") -> Document:
    """The report of a measured ceiling of a game of one side; ``command`` as for `document`."""
    title = full_title(named_game(result.game))
    heads = ["", "points a deal"]
    rows: list[list[Text]] = [["open hands", Estimate(result.points, signed=False)]]
    rows += [[Name(one.policy), Estimate(one.points, signed=False)] for one in result.policies]
    if result.best is not None:
        heads += ["perfect, %", "of those that can be, %"]
        rows[0] += [Estimate(result.perfect, percent=True), ""]
        for row, one in zip(rows[1:], result.policies, strict=True):
            row += [Estimate(one.perfect, percent=True), Estimate(one.of_possible, percent=True)]
    return fill_report(
        Path(__file__).with_name("team_report.md"),
        result=result,
        command=command,
        title=title,
        rules=f" ({options_text(result.options)})" if result.options else "",
        scores=Table(heads, rows),
    )

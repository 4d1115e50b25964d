"""The reports of suites and of scores with their partners, and their picture."""

import functools
from pathlib import Path
from typing import Any

import numpy as np

from cardenvs.baselines.crossplay.report import describe_lead, fill_scores_report
from cardenvs.baselines.reports.columns import Cell, Column, Row
from cardenvs.baselines.reports.document import Command, Document, Estimate, Name, Picture, Table, Text, joined
from cardenvs.baselines.reports.pictures import heatmap_png
from cardenvs.baselines.reports.template import fill_report
from cardenvs.baselines.reports.text import options_text
from cardenvs.contract.registry import full_title
from cardenvs.contract.spec import GameSpec

HERE = Path(__file__).parent


def suite_document(suite: Any, command: str = "") -> Document:
    """The report on a `Suite`; ``command``, the command line that makes it again, is quoted if it is not empty."""
    members = suite.partners
    checksum = Column("", title="checksum", cell=lambda member: member.checksum, spare=True)
    against = ("against ", *joined(map(Name, suite.opponents)), ", ") if suite.opponents else ""
    return fill_report(
        HERE / "report.md",
        suite=suite,
        command=Command(command),
        title=full_title(suite.spec),
        number=len(members),
        against=against,
        options=options_text(suite.options) or "none",
        floors=any(member.floor is not None for member in members),
        partners=members[0].columns.table(members, after=[checksum], cells=_point_cells(suite.spec)),
        tried=_list_tried(suite),
    )


def _point_cells(game: GameSpec) -> dict[str, Cell]:
    """Writers of points a deal, by columns: a team's own ones have no sign."""
    cell = functools.partial(Estimate, signed=not game.one_sided)
    return dict.fromkeys(("points_margin", "bound_points", "floor_points"), cell)


def _list_tried(suite: Any) -> Table:
    """A table of what was found with each partner: a row for each who was tried, the best in the mean first."""
    found = [{one.policy: one.points_margin for one in (member.bound, *member.tried)} for member in suite.partners]
    means = {
        name: float(np.mean([of_member[name].mean for of_member in found if name in of_member]))
        for of_member in found
        for name in of_member
    }
    points = _point_cells(suite.spec)["points_margin"]
    rows: list[list[Text]] = [
        [Name(name), *(points(of_member.get(name)) for of_member in found)]
        for name in sorted(means, key=lambda name: -means[name])
    ]
    return Table(["with", *(Name(member.policy) for member in suite.partners)], rows)


def scores_document(result: Row, command: str = "") -> Document:
    """The report on scores with a suite's partners, a `SuiteResult`; ``command`` as for `suite_document`."""
    cells = _point_cells(result.spec)
    by_policy = [
        Column("", title=Name(score.policy), cell=functools.partial(_share_cell, score)) for score in result.scores
    ]
    partners = result.members[0].columns.table(result.members, after=by_policy, titles={"floor_points": ""}, cells=cells)
    heatmap = Picture("Scores by partner", "heatmap", functools.partial(scores_png, result))
    leads = Column("", title="ahead of the next", cell=lambda score: describe_lead(score.lead), spare=True)
    settings = {"after": [leads], "cells": cells}
    return fill_scores_report(HERE / "scores_report.md", result, command, settings, heatmap=heatmap, partners=partners)


def _share_cell(score: Row, member: Row) -> Estimate:
    return Estimate(next(one.normalised for one in score.partners if one.partner == member.policy), signed=False)


def scores_png(result: Row) -> bytes:
    """The scores by policy and partner as a heat map, best policy first; a PNG file's content."""
    shares = [[one.normalised.mean for one in score.partners] for score in result.scores]
    return heatmap_png(
        f"{full_title(result.spec)}: shares of the bounds of suite {result.suite}",
        shares,
        [score.policy for score in result.scores],
        [member.policy for member in result.members],
        number="{:.2f}",
        limits=(min(0.0, np.min(shares)), max(1.0, np.max(shares))),
    )

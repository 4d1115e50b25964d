"""The reports of cross-play, of the ad-hoc benchmark and of other scores with partners, and their plots."""

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cardenvs.baselines.observers.taking import GAMES, METRICS
from cardenvs.baselines.reports.columns import Column, Row
from cardenvs.baselines.reports.document import Command, Document, Estimate, Heading, Name, Picture, Table, Text, joined
from cardenvs.baselines.reports.pictures import heatmap_png
from cardenvs.baselines.reports.statistics import Interval
from cardenvs.baselines.reports.template import fill_report
from cardenvs.baselines.reports.text import options_text, plus_minus, short_label
from cardenvs.baselines.runs.forfeits import forfeit_parts
from cardenvs.contract.registry import full_title

SHOWN = ("overtakes", "ruffs", "void_leads")
"""The metrics of cooperation that have a column in tables; the JSON has all metrics."""


def fill_partners_report(text: Path, result: Row, command: str, **values: Any) -> Document:
    """The report on partnerships that a text makes; each has ``introduction``, on the deals, and ``forfeits``."""
    sides, several = result.spec.num_sides, len(result.opponents) > 1
    shared = {
        "result": result,
        "command": Command(command),
        "title": full_title(result.spec),
        "options": options_text(result.options),
        "one_sided": sides == 1,
        "opponents": joined(map(Name, result.opponents)),
        "means": ", all figures means over them" if several else "",
        "times": "twice with the sides exchanged" if sides == 2 else f"{sides} times, once on every side",
    }
    introduction = fill_report(Path(__file__).with_name("deals_report.md"), **shared).parts
    forfeits = forfeit_parts(result.forfeits, "Whoever has forfeited anything is left out of all figures above.")
    return fill_report(text, **shared, introduction=introduction, forfeits=forfeits, **values)


def fill_scores_report(text: Path, result: Row, command: str, settings: Mapping[str, Any] = {}, **values: Any) -> Document:
    """The same with ``scores``, a table with ``settings`` of `Columns.table`, stars behind policies that are partners."""
    ranks = {score.policy: k for k, score in enumerate(result.scores, 1)}

    def policy(score: Row) -> Text:
        return (f"{ranks[score.policy]} ", Name(score.policy), *([] if score.held_out else [" *"]))

    names = Column("", title="policy", cell=policy)
    scores = result.scores[0].columns.table(result.scores, before=[names], **settings)
    starred = not all(score.held_out for score in result.scores)
    return fill_partners_report(text, result, command, scores=scores, starred=starred, **values)


def crossplay_document(result: Row, command: str = "") -> Document:
    """The report on a `CrossplayResult`."""
    numbers = [str(k) for k in range(1, len(result.policies) + 1)]
    rows = zip(numbers, result.policies, result.points_margins, strict=True)
    return fill_partners_report(
        Path(__file__).with_name("report.md"),
        result,
        command,
        number=len(result.policies),
        heatmap=Picture("Points a deal", "heatmap", functools.partial(crossplay_png, result)),
        matrix=Table(["", *numbers], [[(f"{k} ", Name(policy)), *map(Estimate, points)] for k, policy, points in rows]),
        gaps=result.gap.columns.table([result.gap, *result.groups]),
        between=result.between and result.between[0].columns.table(result.between),
        best_partners=Table(
            ["policy", "best partner", "points a deal", "runner-up", "lead"],
            [*map(_best_cells, result.best_partners)],
            spare=["runner-up"],
        ),
        cooperation=_explain_cooperation(result.cells, result.spec.name),
        partnerships=_list_partnerships(result.cells),
    )


def adhoc_document(result: Row, command: str = "") -> Document:
    """The report on an `AdHocResult`."""
    cells = [cell for score in result.scores for cell in score.partners]
    partners = [Name(partner) for partner in result.partners]
    partner = Column("", title="partner", cell=lambda cell: Name(cell.policies[1]))
    tables = ((score.policy, _list_partnerships(score.partners, [partner], {"policies": ""})) for score in result.scores)
    means = [[cell.points_margin.mean for cell in score.partners] for score in result.scores]
    drawn = means, [score.policy for score in result.scores], result.partners
    matrix: list[list[Text]] = [
        [Name(score.policy), *(Estimate(cell.points_margin) for cell in score.partners)] for score in result.scores
    ]
    return fill_scores_report(
        Path(__file__).with_name("adhoc_report.md"),
        result,
        command,
        partners=joined(partners),
        matrix=Table(["", *partners], matrix),
        heatmap=Picture("Points a deal", "heatmap", functools.partial(_points_png, result, "by partner", *drawn)),
        cooperation=_explain_cooperation(cells, result.spec.name),
        partnerships=[block for policy, table in tables for block in (Heading(Name(policy), 3), table)],
    )


def _list_partnerships(cells: Sequence[Row], before: Sequence[Column] = (), titles: Mapping[str, Text] = {}) -> Table:
    """A table of partnerships with the metrics of cooperation that are counted."""
    counted = [
        Column("", title=METRICS[metric], cell=functools.partial(_describe_rate, metric))
        for metric in SHOWN
        if metric in cells[0].cooperation
    ]
    return cells[0].columns.table(cells, before=before, after=counted, titles=titles)


def _describe_rate(metric: str, cell: Row) -> str:
    """A metric's rate in percent and, where it is known, the points a deal that it cost; "-" without opportunities."""
    rate, lost = (cell.cooperation[metric][key] for key in ("rate", "points_lost_per_deal"))
    if rate is None:
        return "-"
    return f"{100 * rate:.1f}%" if lost is None else f"{100 * rate:.1f}%, {-lost:+z.3f}"


def _explain_cooperation(cells: Sequence[Row], game: str) -> str:
    """The paragraph that explains the columns of cooperation; empty where the game has none."""
    if game not in GAMES:
        return ""
    judged = any(cell.cooperation[metric]["points_lost_per_deal"] is not None for cell in cells for metric in SHOWN)
    return (
        "The last columns say how often the side overtook the partner who was winning the trick, how often it did so "
        "by ruffing, and how often it led a suit of which the partner had shown out, of the times it could have left it"
        + ("; behind it the points a deal that this cost with all cards open." if judged else ".")
    )


def describe_lead(lead: Interval | None) -> str:
    """A lead over the next in a ranking, marked if it is not significant."""
    return plus_minus(lead) + ("" if lead is None or lead.low > 0 else ", not significant")


def _best_cells(best: Row) -> list[Text]:
    partner, runner_up = (
        (Name(name), " (itself)") if name == best.policy else Name(name) for name in (best.partner, best.runner_up)
    )
    return [Name(best.policy), partner, f"{best.points_margin.mean:+z.3f}", runner_up, describe_lead(best.lead)]


def _points_png(result: Row, what: str, points: Sequence[Sequence[float]], rows: list[str], columns: list[str]) -> bytes:
    """Points a deal as a heat map, a PNG file's content."""
    against = f" against {', '.join(map(short_label, result.opponents))}" if result.opponents else ""
    return heatmap_png(f"{full_title(result.spec)}: points a deal {what}{against}", points, rows, columns)


def crossplay_png(result: Row) -> bytes:
    """The matrix of points a deal as a heat map, a PNG file's content."""
    return _points_png(result, "as partners", result.points, result.policies, result.policies)

"""The reports of cross-play and of the ad-hoc benchmark, and their plots."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from cardenvs.baselines.observers.taking import GAMES as COOPERATION_GAMES
from cardenvs.baselines.observers.taking import METRICS
from cardenvs.baselines.reports.columns import Column, Row
from cardenvs.baselines.reports.document import (
    Block,
    Command,
    Document,
    Estimate,
    Heading,
    Name,
    Only,
    Picture,
    Table,
    Text,
    Words,
    in_file,
    in_terminal,
    joined,
)
from cardenvs.baselines.reports.pictures import draw_heatmap, new_figure, png
from cardenvs.baselines.reports.statistics import Interval
from cardenvs.baselines.reports.text import options_text, plus_minus, short_label
from cardenvs.baselines.runs.forfeits import forfeit_parts
from cardenvs.contract.registry import full_title

SHOWN = ("overtakes", "ruffs", "void_leads")
"""The metrics of cooperation that have a column in tables; the JSON has all metrics."""
LEFT_OUT = "Whoever has forfeited anything is left out of all figures above."
"""The words on forfeits in a report."""


def crossplay_document(result: Row, command: str = "") -> Document:
    """The report on a `CrossplayResult`."""
    numbers = ["", *map(str, range(1, len(result.policies) + 1))]
    matrix: list[list[Text]] = [
        [(f"{k} ", Name(a)), *(Estimate(result.cell(a, b).points_margin) for b in result.policies)]
        for k, a in enumerate(result.policies, 1)
    ]
    parts: list[Block | Only] = [
        *introduction(result, command),
        Heading("Points a deal"),
        Words("The row's policy with the column's as its partner."),
        Picture("Points a deal", "heatmap", functools.partial(crossplay_png, result)),
        Table(numbers, matrix),
        Heading("Self-play against cross-play"),
        in_file(Words("The mean of the diagonal, the mean of the rest, and the first less the second.")),
        result.gap.columns.table([result.gap, *result.groups]),
    ]
    if result.between:
        parts += [
            in_file(Words("Policies of one group with those of another:")),
            Heading("Groups with each other", 3),
            result.between[0].columns.table(result.between),
        ]
    parts += [
        Heading("Best partners"),
        in_file(
            Words(
                "Of all policies, itself included. The lead over the runner-up is not corrected for picking the best of "
                "several."
            )
        ),
        Table(
            ["policy", "best partner", "points a deal", "runner-up", "lead"],
            list(map(_best_row, result.best_partners)),
            spare=["runner-up"],
        ),
        in_file(
            Heading("Partnerships"),
            *_explain_cooperation(result.cells, result.spec.name),
            _partnerships("partnership", [(joined(map(Name, cell.policies), " + "), cell) for cell in result.cells]),
        ),
        *forfeit_parts(result.forfeits, LEFT_OUT),
    ]
    return Document(f"{full_title(result.spec)}: cross-play of {len(result.policies)} policies", parts)


def adhoc_document(result: Row, command: str = "") -> Document:
    """The report on an `AdHocResult`."""
    own = "" if result.standard else " This is not the standard set: the scores compare with each other only."
    partners = joined(map(Name, result.partners))
    ranks = {score.policy: k for k, score in enumerate(result.scores, 1)}

    def rank(score: Row) -> Text:
        """A policy with its rank, and a star if it is a partner itself."""
        return (f"{ranks[score.policy]} ", Name(score.policy), *([] if score.held_out else [" *"]))

    parts: list[Block | Only] = [
        in_file(
            Words(("Each policy with each of these partners: ", *partners, f". The score is the mean over them.{own}"))
        ),
        *introduction(result, command),
        Heading("Scores"),
        result.scores[0].columns.table(result.scores, before=[Column("policy", title="policy", cell=rank)]),
    ]
    if not all(score.held_out for score in result.scores):
        parts.append(Words("* is itself one of the partners, so that one of them is no stranger to it."))
    by_partner: list[list[Text]] = [
        [Name(score.policy), *(Estimate(cell.points_margin) for cell in score.partners)] for score in result.scores
    ]
    cells = [cell for score in result.scores for cell in score.partners]
    parts += [
        in_terminal(Heading("Points a deal by partner"), Table(["", *map(Name, result.partners)], by_partner)),
        in_file(
            Heading("By partner"),
            Picture("Points a deal", "heatmap", functools.partial(adhoc_png, result)),
            *_explain_cooperation(cells, result.spec.name),
        ),
    ]
    for score in result.scores:
        rows = [(Name(cell.policies[1]), cell) for cell in score.partners]
        parts.append(in_file(Heading(Name(score.policy), 3), _partnerships("partner", rows)))
    parts += forfeit_parts(result.forfeits, LEFT_OUT)
    return Document(f"{full_title(result.spec)}: ad-hoc teamwork", parts)


def introduction(result: Row, command: str) -> Iterator[Block | Only]:
    """The opponents, deals, options and seed of partnerships, and the command line that plays them again."""
    sides = result.spec.num_sides
    settings = f"Options: {options_text(result.options)}. Seed {result.seed}. Written by"
    intervals = (
        "Intervals are 95% confidence intervals over deals, paired where two {} are compared; the policies are taken as "
        "they are."
    )
    if sides == 1:
        yield in_terminal(Words("The team's points; 95% intervals over deals."))
        yield in_file(
            Words(
                f"The same {result.deals:,} deals for all teams, in both orders of the seats: one policy at the first seat "
                f"and the other at the rest, and the other way round. {settings}"
            ),
            Command(command),
            Words(f"Points are the team's, a deal. {intervals.format('teams')}"),
        )
        return
    opponents = joined(map(Name, result.opponents))
    means = "" if len(result.opponents) == 1 else ", all figures means over them"
    times = "twice with the sides exchanged" if sides == 2 else f"{sides} times, once on every side"
    yield in_terminal(Words(("Against ", *opponents, f"{means}; 95% intervals over deals.")))
    yield in_file(
        Words(
            (
                "Opponents: ", *opponents, f"{means}. The same {result.deals:,} deals for all partnerships, in both orders "
                f"of the seats, each played {times}. {settings}",
            )
        ),
        Command(command),
        Words(f"Points are the side's less the opponents', a deal. {intervals.format('partnerships')}"),
    )  # fmt: skip


def rate_text(metric: dict[str, Any]) -> str:
    """A metric's rate in percent and, where it is known, the points a deal that it cost; "-" without opportunities."""
    if metric["rate"] is None:
        return "-"
    text = f"{100 * metric['rate']:.1f}%"
    lost = metric["points_lost_per_deal"]
    return text if lost is None else f"{text}, {-lost:+z.3f}"


def _partnerships(first: str, rows: Sequence[tuple[Text, Row]]) -> Table:
    """A table of partnerships, each with what stands in the first column, whose head is ``first``."""
    texts = dict(zip(map(id, (cell for _, cell in rows)), (text for text, _ in rows), strict=True))
    cells = [cell for _, cell in rows]
    table = cells[0].columns.table(cells, before=[Column("", title=first, cell=lambda cell: texts[id(cell)])])
    counted = [metric for metric in SHOWN if metric in cells[0].cooperation]
    return Table(
        [*table.head, *(METRICS[metric] for metric in counted)],
        [
            [*row, *(rate_text(cell.cooperation[metric]) for metric in counted)]
            for row, cell in zip(table.rows, cells, strict=True)
        ],
    )


def _explain_cooperation(cells: Iterable[Row], game: str) -> list[Block]:
    """The paragraph that explains the columns of cooperation, none where the game has none."""
    if game not in COOPERATION_GAMES:
        return []
    judged = any(cell.cooperation[metric]["points_lost_per_deal"] is not None for cell in cells for metric in SHOWN)
    return [
        Words(
            "The last columns say how often the side overtook the partner who was winning the trick, how often it did so "
            "by ruffing, and how often it led a suit of which the partner had shown out, of the times it could have left it"
            + ("; behind it the points a deal that this cost with all cards open." if judged else ".")
        )
    ]


def lead_text(lead: Interval | None) -> str:
    """A lead over the next in a ranking; says so if it is not significant."""
    return plus_minus(lead) + ("" if lead is None or lead.low > 0 else ", not significant")


def _best_row(best: Row) -> list[Text]:
    """A policy's best partner, as the cells of a row."""

    def partner(name: str) -> Text:
        """A partner's name, marked if it is the policy itself."""
        return (Name(name), " (itself)") if name == best.policy else Name(name)

    points = f"{best.points_margin.mean:+z.3f}"
    return [Name(best.policy), partner(best.partner), points, partner(best.runner_up), lead_text(best.lead)]


# --- plots ---------------------------------------------------------------------------------------------------------


def _heatmap_png(result: Row, what: str, points: Sequence[Sequence[float]], rows: list[str], columns: list[str]) -> bytes:
    """Points a deal by row and column as a heat map, a PNG file's content."""
    against = ", ".join(map(short_label, result.opponents))
    figure = new_figure(3.4 + 0.55 * len(columns), 2.2 + 0.45 * len(rows))
    axes = figure.add_subplot()
    draw_heatmap(axes, points, rows, columns)
    title = f"{full_title(result.spec)}: points a deal {what}{f' against {against}' if against else ''}"
    axes.set_title(title, fontsize=9, wrap=True)
    return png(figure)


def crossplay_png(result: Row) -> bytes:
    """The matrix of points a deal as a heat map, a PNG file's content."""
    return _heatmap_png(result, "as partners", result.points, result.policies, result.policies)


def adhoc_png(result: Row) -> bytes:
    """Points a deal by policy and partner as a heat map, best score first; a PNG file's content."""
    points = [[cell.points_margin.mean for cell in score.partners] for score in result.scores]
    return _heatmap_png(result, "by partner", points, [score.policy for score in result.scores], result.partners)

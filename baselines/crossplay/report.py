"""The reports of cross-play and of the ad-hoc benchmark, and their plots."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from cardenvs.baselines.observers.taking import GAMES as COOPERATION_GAMES
from cardenvs.baselines.observers.taking import METRICS
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
from cardenvs.contract.spec import GameSpec

if TYPE_CHECKING:
    from cardenvs.baselines.crossplay.adhoc import AdHocResult, AdHocScore
    from cardenvs.baselines.crossplay.partnerships import Cell
    from cardenvs.baselines.crossplay.results import BestPartner, CrossplayResult, Gap

SHOWN = ("overtakes", "ruffs", "void_leads")
"""The metrics of cooperation that have a column in tables; the JSON has all metrics."""
LEFT_OUT = "Whoever has forfeited anything is left out of all figures above."
"""The words on forfeits in a report."""


class Partnered(Protocol):
    """Results of partnerships, as far as the beginning of their reports needs them; `AdHocResult` describes the fields."""

    @property
    def spec(self) -> GameSpec: ...
    @property
    def opponents(self) -> list[str]: ...
    @property
    def deals(self) -> int: ...
    @property
    def options(self) -> dict[str, Any]: ...
    @property
    def seed(self) -> int: ...


def crossplay_document(result: CrossplayResult, command: str = "") -> Document:
    """The report on cross-play.

    Args:
        result: the results of cross-play.
        command: the command line that makes the results again; empty: none is quoted.
    """
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
        gap_table([result.gap, *result.groups]),
    ]
    if result.between:
        rows: list[list[Text]] = [
            [joined(map(Name, b.groups), " with "), Estimate(b.points_margin)] for b in result.between
        ]
        parts += [
            in_file(Words("Policies of one group with those of another:")),
            Heading("Groups with each other", 3),
            Table(["groups", "points a deal"], rows),
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
            *_counted(result.cells, result.game),
            _partnerships("partnership", result.game, [(joined(map(Name, c.policies), " + "), c) for c in result.cells]),
        ),
        *forfeit_parts(result.forfeits, LEFT_OUT),
    ]
    return Document(f"{full_title(result.spec)}: cross-play of {len(result.policies)} policies", parts)


def adhoc_document(result: AdHocResult, command: str = "") -> Document:
    """The report on the ad-hoc benchmark.

    Args:
        result: the results of the benchmark.
        command: the command line that makes the results again; empty: none is quoted.
    """
    own = "" if result.standard else " This is not the standard set: the scores compare with each other only."
    partners = joined(map(Name, result.partners))
    head = ["policy", "score", *(["wins, %"] if not result.spec.one_sided else []), "ahead of the next"]
    parts: list[Block | Only] = [
        in_file(
            Words(("Each policy with each of these partners: ", *partners, f". The score is the mean over them.{own}"))
        ),
        *introduction(result, command),
        Heading("Scores"),
        Table(head, [_score_row(k, score) for k, score in enumerate(result.scores, 1)]),
    ]
    if not all(score.held_out for score in result.scores):
        parts.append(Words("* is itself one of the partners, so that one of them is no stranger to it."))
    by_partner: list[list[Text]] = [
        [Name(s.policy), *(Estimate(cell.points_margin) for cell in s.partners)] for s in result.scores
    ]
    parts += [
        in_terminal(Heading("Points a deal by partner"), Table(["", *map(Name, result.partners)], by_partner)),
        in_file(
            Heading("By partner"),
            Picture("Points a deal", "heatmap", functools.partial(adhoc_png, result)),
            *_counted((cell for score in result.scores for cell in score.partners), result.game),
        ),
    ]
    for score in result.scores:
        cells = [(Name(cell.policies[1]), cell) for cell in score.partners]
        parts.append(in_file(Heading(Name(score.policy), 3), _partnerships("partner", result.game, cells)))
    parts += forfeit_parts(result.forfeits, LEFT_OUT)
    return Document(f"{full_title(result.spec)}: ad-hoc teamwork", parts)


def introduction(result: Partnered, command: str) -> Iterator[Block | Only]:
    """The opponents, deals, options and seed, and the command line that plays them again.

    Args:
        result: what is reported.
        command: the command line; empty: none is quoted.
    """
    sides = result.spec.num_sides
    if sides == 1:
        yield in_terminal(Words("The team's points; 95% intervals over deals."))
        yield in_file(
            Words(
                f"The same {result.deals:,} deals for all teams, in both orders of the seats: one policy at the first seat "
                "and the other at the rest, and the other way round. Options: "
                f"{options_text(result.options)}. Seed {result.seed}. "
                "Written by"
            ),
            Command(command),
            Words(
                "Points are the team's, a deal. Intervals are 95% confidence intervals over deals, paired where two teams "
                "are compared; the policies are taken as they are."
            ),
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
                f"of the seats, each played {times}. Options: {options_text(result.options)}. Seed {result.seed}. "
                "Written by",
            )
        ),
        Command(command),
        Words(
            "Points are the side's less the opponents', a deal. Intervals are 95% confidence intervals over deals, paired "
            "where two partnerships are compared; the policies are taken as they are."
        ),
    )  # fmt: skip


def rate_text(metric: dict[str, Any]) -> str:
    """A metric's rate in percent and, where it is known, the points a deal that it cost; "-" without opportunities.

    Args:
        metric: an entry of `Cell.cooperation`.
    """
    if metric["rate"] is None:
        return "-"
    text = f"{100 * metric['rate']:.1f}%"
    lost = metric["points_lost_per_deal"]
    return text if lost is None else f"{text}, {-lost:+z.3f}"


def _partnerships(first: str, game: str, cells: Sequence[tuple[Text, Cell]]) -> Table:
    """A table of partnerships, each with what stands in the first column, whose head is ``first``."""
    rows = [
        [
            name,
            Estimate(cell.points_margin),
            *([] if cell.win_rate is None else [Estimate(cell.win_rate, percent=True)]),
            *(rate_text(cell.cooperation[metric]) for metric in SHOWN if metric in cell.cooperation),
        ]
        for name, cell in cells
    ]
    counted = [METRICS[metric] for metric in SHOWN if game in COOPERATION_GAMES]
    won = ["wins, %"] if any(cell.win_rate is not None for _, cell in cells) else []
    return Table([first, "points a deal", *won, *counted], rows)


def _counted(cells: Iterable[Cell], game: str) -> list[Block]:
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


def gap_table(gaps: Sequence[Gap]) -> Table:
    """Self-play against cross-play in some groups, a row each."""
    over_teams = any(g.gap_over_teams is not None for g in gaps)
    rows: list[list[Text]] = [
        [
            Name(g.name), str(len(g.policies)), Estimate(g.self_play), Estimate(g.cross_play), Estimate(g.gap),
            *([Estimate(g.gap_over_teams)] if over_teams else []),
        ]
        for g in gaps
    ]  # fmt: skip
    return Table(
        ["policies", "how many", "self-play", "cross-play", "gap", *(["gap, over policies"] if over_teams else [])], rows
    )


def lead_text(lead: Interval | None) -> str:
    """A lead over the next in a ranking; says so if it is not significant."""
    return plus_minus(lead) + ("" if lead is None or lead.low > 0 else ", not significant")


def _best_row(best: BestPartner) -> list[Text]:
    """A policy's best partner, as the cells of a row."""

    def partner(name: str) -> Text:
        """A partner's name, marked if it is the policy itself."""
        return (Name(name), " (itself)") if name == best.policy else Name(name)

    points = f"{best.points_margin.mean:+z.3f}"
    return [Name(best.policy), partner(best.partner), points, partner(best.runner_up), lead_text(best.lead)]


def _score_row(rank: int, score: AdHocScore) -> list[Text]:
    """A policy's score, as the cells of a row; a star behind policies that are partners themselves."""
    return [
        (f"{rank} ", Name(score.policy), *([] if score.held_out else [" *"])),
        Estimate(score.score),
        *([] if score.win_rate is None else [Estimate(score.win_rate, percent=True)]),
        lead_text(score.lead),
    ]


# --- plots ---------------------------------------------------------------------------------------------------------


def _heatmap_png(points: Sequence[Sequence[float]], rows: Sequence[str], columns: Sequence[str], title: str) -> bytes:
    """Points a deal by row and column as a heat map, a PNG file's content."""
    figure = new_figure(3.4 + 0.55 * len(columns), 2.2 + 0.45 * len(rows))
    axes = figure.add_subplot()
    draw_heatmap(axes, points, rows, columns)
    axes.set_title(title, fontsize=9, wrap=True)
    return png(figure)


def crossplay_png(result: CrossplayResult) -> bytes:
    """The matrix of points a deal as a heat map, a PNG file's content."""
    against = ", ".join(map(short_label, result.opponents))
    title = f"{full_title(result.spec)}: points a deal as partners{f' against {against}' if against else ''}"
    return _heatmap_png(result.points, result.policies, result.policies, title)


def adhoc_png(result: AdHocResult) -> bytes:
    """Points a deal by policy and partner as a heat map, best score first; a PNG file's content."""
    points = [[cell.points_margin.mean for cell in score.partners] for score in result.scores]
    against = ", ".join(map(short_label, result.opponents))
    title = f"{full_title(result.spec)}: points a deal by partner{f' against {against}' if against else ''}"
    return _heatmap_png(points, [score.policy for score in result.scores], result.partners, title)

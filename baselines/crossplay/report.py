"""The reports of cross-play and of the ad-hoc benchmark: tables for the terminal, Markdown, plots."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from rich.table import Table

from cardenvs.baselines.crossplay.adhoc import AdHocResult, AdHocScore
from cardenvs.baselines.crossplay.partnerships import Cell
from cardenvs.baselines.crossplay.results import BestPartner, CrossplayResult, Gap
from cardenvs.baselines.observers.taking import GAMES as COOPERATION_GAMES
from cardenvs.baselines.observers.taking import METRICS
from cardenvs.baselines.reporting import (
    draw_heatmap,
    new_figure,
    options_text,
    picture_lines,
    plus_minus,
    png,
    short_label,
    short_names,
    terminal_table,
)
from cardenvs.baselines.statistics import Interval
from cardenvs.baselines.tournament.forfeits import forfeit_lines, forfeit_text
from cardenvs.contract.registry import named_game
from cardenvs.printing import code, escaped, printable, table_lines

SHOWN = ("overtakes", "ruffs", "void_leads")
"""The metrics of cooperation that have a column in tables; the JSON has all metrics."""


# --- pieces of text ------------------------------------------------------------------------------------------------


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


def _partnership_row(name: str, cell: Cell) -> list[str]:
    """A partnership as a row of cells under `_partnership_head`."""
    return [
        name,
        plus_minus(cell.points_margin),
        plus_minus(cell.win_rate, percent=True),
        *(rate_text(cell.cooperation[metric]) for metric in SHOWN if metric in cell.cooperation),
    ]


def _partnership_head(first: str, game: str) -> list[str]:
    """The names of the columns of a table of partnerships; ``first`` names the column of the partnerships' names."""
    return [first, "points a deal", "wins, %", *(METRICS[metric] for metric in SHOWN if game in COOPERATION_GAMES)]


_COUNTED = (
    "The last columns say how often the side overtook the partner who was winning the trick, how often it did so by "
    "ruffing, and how often it led a suit of which the partner had shown out, of the times it could have left it"
)


def _counted(cells: Iterable[Cell], game: str) -> list[str]:
    """The paragraph that explains the columns of cooperation in a report, empty where the game has none.

    Args:
        cells: all partnerships in the report's tables.
        game: the game's name.
    """
    if game not in COOPERATION_GAMES:
        return []
    judged = any(cell.cooperation[metric]["points_lost_per_deal"] is not None for cell in cells for metric in SHOWN)
    return [_COUNTED + ("; behind it the points a deal that this cost with all cards open." if judged else "."), ""]


def gap_rows(gaps: Sequence[Gap]) -> list[list[str]]:
    """Self-play against cross-play in some groups, a row each under `GAP_HEAD`."""
    return [
        [
            gap.name,
            str(len(gap.policies)),
            plus_minus(gap.self_play),
            plus_minus(gap.cross_play),
            plus_minus(gap.gap),
        ]
        for gap in gaps
    ]


GAP_HEAD = ["policies", "how many", "self-play", "cross-play", "gap"]
"""The names of the columns of the table of self-play against cross-play."""


def _lead_text(lead: Interval | None) -> str:
    """A lead over the next in a ranking; says so if it is not significant."""
    return plus_minus(lead) + ("" if lead is None or lead.low > 0 else ", not significant")


def _best_row(best: BestPartner, called: Callable[[str], str] = str) -> list[str]:
    """A policy's best partner, a row under `_BEST_HEAD`."""

    def partner(name: str) -> str:
        return called(name) + (" (itself)" if name == best.policy else "")

    return [
        called(best.policy),
        partner(best.partner),
        f"{best.points_margin.mean:+z.3f}",
        partner(best.runner_up),
        _lead_text(best.lead),
    ]


_BEST_HEAD = ["policy", "best partner", "points a deal", "runner-up", "lead"]


def _score_row(rank: int, score: AdHocScore, called: Callable[[str], str] = str) -> list[str]:
    """A policy's score, a row under `_SCORE_HEAD`; a star behind policies that are partners themselves."""
    return [
        f"{rank} {called(score.policy)}" + ("" if score.held_out else " *"),
        plus_minus(score.score),
        plus_minus(score.win_rate, percent=True),
        _lead_text(score.lead),
    ]


_SCORE_HEAD = ["policy", "score", "wins, %", "ahead of the next"]
_LEFT_OUT = "Whoever has forfeited anything is left out of all figures above."
_MET = "* is itself one of the partners, so that one of them is no stranger to it."


# --- the terminal --------------------------------------------------------------------------------------------------


def crossplay_tables(result: CrossplayResult) -> Iterable[Table | str]:
    """Cross-play for the terminal: the matrix, self-play against cross-play, the best partners."""
    numbers = [str(k) for k in range(1, len(result.policies) + 1)]
    title = f"{named_game(result.game).title}: points a deal of the row's policy with the column's against "
    called = short_names([*result.policies, *result.opponents])
    rows = [
        [f"{numbers[k]} {called(name)}", *(f"{value:+z.3f}" for value in result.points[k])]
        for k, name in enumerate(result.policies)
    ]
    yield terminal_table(["", *numbers], rows, title=title + ", ".join(map(called, result.opponents)))
    widest = max(margin.half_width for row in result.points_margins for margin in row)
    yield f"95% intervals: at most ±{widest:.3f}"
    yield from map(forfeit_text, result.forfeits)
    gaps = gap_rows([result.gap, *result.groups])
    yield terminal_table(GAP_HEAD, gaps, title="self-play against cross-play, points a deal")
    yield terminal_table(_BEST_HEAD, [_best_row(best, called) for best in result.best_partners])


def adhoc_tables(result: AdHocResult) -> Iterable[Table | str]:
    """The ad-hoc benchmark for the terminal: the ranking, and points a deal by partner."""
    title = f"{named_game(result.game).title}: points a deal with partners of the set against "
    called = short_names([*(score.policy for score in result.scores), *result.partners, *result.opponents])
    title += ", ".join(map(called, result.opponents))
    scores = [_score_row(k, score, called) for k, score in enumerate(result.scores, 1)]
    yield terminal_table(_SCORE_HEAD, scores, title=title)
    if not all(score.held_out for score in result.scores):
        yield _MET
    yield from map(forfeit_text, result.forfeits)
    rows = [[called(s.policy), *(f"{cell.points_margin.mean:+z.3f}" for cell in s.partners)] for s in result.scores]
    partners = [f"{k} {called(name)}" for k, name in enumerate(result.partners, 1)]
    yield terminal_table(
        ["by partner", *map(str, range(1, len(partners) + 1))], rows, caption="partners: " + ", ".join(partners)
    )


# --- Markdown ------------------------------------------------------------------------------------------------------


def _introduction(result: CrossplayResult | AdHocResult, command: str) -> list[str]:
    """Lines on the opponents, deals, options and seed, and the command line that plays them again."""
    sides = named_game(result.game).num_sides
    return [
        f"Opponents: {', '.join(map(code, result.opponents))}"
        + ("" if len(result.opponents) == 1 else ", all figures means over them")
        + f". The same {result.deals:,} deals for all partnerships, in both orders of the seats, each played "
        f"{'twice with the sides exchanged' if sides == 2 else f'{sides} times, once on every side'}. "
        f"Options: {options_text(result.options)}. Seed {result.seed}. Written by",
        "",
        f"    {printable(command)}",
        "",
        "Points are the side's less the opponents', a deal. Intervals are 95% confidence intervals over deals, paired "
        "where two partnerships are compared; the policies are taken as they are.",
        "",
    ]


def crossplay_markdown(result: CrossplayResult, command: str, heatmap: str | None) -> str:
    """The report on cross-play.

    Args:
        result: the results of cross-play.
        command: the command line that makes the results again.
        heatmap: file name of the plot of the matrix; None: there is none.
    """
    numbers = [str(k) for k in range(1, len(result.policies) + 1)]
    numbered = [f"{k} {name}" for k, name in zip(numbers, result.policies, strict=True)]
    cells = [[result.cell(a, b) for b in result.policies] for a in result.policies]
    lines = [
        f"# {named_game(result.game).title}: cross-play of {len(result.policies)} policies",
        "",
        *_introduction(result, command),
        "## Points a deal",
        "",
        "The row's policy with the column's as its partner.",
        "",
        *picture_lines("Points a deal", heatmap),
        *table_lines(
            ["", *numbers],
            ([name, *(plus_minus(cell.points_margin) for cell in row)] for name, row in zip(numbered, cells, strict=True)),
            foreign=True,
        ),
        "## Self-play against cross-play",
        "",
        "The mean of the diagonal, the mean of the rest, and the first less the second.",
        "",
        *table_lines(GAP_HEAD, gap_rows([result.gap, *result.groups]), foreign=True),
    ]
    if result.between:
        rows = [[" with ".join(b.groups), plus_minus(b.points_margin)] for b in result.between]
        lines += [
            "Policies of one group with those of another:",
            "",
            *table_lines(["groups", "points a deal"], rows, foreign=True),
        ]
    lines += [
        "## Best partners",
        "",
        "Of all policies, itself included. The lead over the runner-up is not corrected for picking the best of several.",
        "",
        *table_lines(_BEST_HEAD, map(_best_row, result.best_partners), foreign=True),
        "## Partnerships",
        "",
        *_counted(result.cells, result.game),
        *table_lines(
            _partnership_head("partnership", result.game),
            (_partnership_row(" + ".join(cell.policies), cell) for cell in result.cells),
            foreign=True,
        ),
        *forfeit_lines(result.forfeits, _LEFT_OUT),
    ]
    return "\n".join(lines).rstrip() + "\n"


def adhoc_markdown(result: AdHocResult, command: str, heatmap: str | None) -> str:
    """The report on the ad-hoc benchmark.

    Args:
        result: the results of the benchmark.
        command: the command line that makes the results again.
        heatmap: file name of the plot of the points by partner; None: there is none.
    """
    partners = ", ".join(map(code, result.partners))
    own = "" if result.standard else " This is not the standard set: the scores compare with each other only."
    lines = [
        f"# {named_game(result.game).title}: ad-hoc teamwork",
        "",
        f"Each policy with each of these partners: {partners}. The score is the mean over them.{own}",
        "",
        *_introduction(result, command),
        *table_lines(_SCORE_HEAD, (_score_row(k, score) for k, score in enumerate(result.scores, 1)), foreign=True),
    ]
    if not all(score.held_out for score in result.scores):
        lines += [_MET.replace("*", "\\*"), ""]
    lines += [
        "## By partner",
        "",
        *picture_lines("Points a deal", heatmap),
        *_counted((cell for score in result.scores for cell in score.partners), result.game),
    ]
    head = _partnership_head("partner", result.game)
    for score in result.scores:
        rows = (_partnership_row(cell.policies[1], cell) for cell in score.partners)
        lines += [f"### {escaped(score.policy)}", "", *table_lines(head, rows, foreign=True)]
    lines += forfeit_lines(result.forfeits, _LEFT_OUT)
    return "\n".join(lines).rstrip() + "\n"


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
    title = f"{named_game(result.game).title}: points a deal as partners against {against}"
    return _heatmap_png(result.points, result.policies, result.policies, title)


def adhoc_png(result: AdHocResult) -> bytes:
    """Points a deal by policy and partner as a heat map, best score first; a PNG file's content."""
    points = [[cell.points_margin.mean for cell in score.partners] for score in result.scores]
    title = (
        f"{named_game(result.game).title}: points a deal by partner against {', '.join(map(short_label, result.opponents))}"
    )
    return _heatmap_png(points, [score.policy for score in result.scores], result.partners, title)

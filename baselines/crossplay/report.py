"""What the results of cross-play and of the ad-hoc benchmark look like: tables, Markdown, plots."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.table import Table

from cardenvs.baselines.crossplay.play import AdHocResult, AdHocScore, BestPartner, Cell, CrossplayResult, Gap
from cardenvs.baselines.match.command import plus_minus
from cardenvs.baselines.observers.cooperation import METRICS
from cardenvs.baselines.reporting import new_figure, png, short_label, table_lines
from cardenvs.files import json_text, write_whole
from cardenvs.spec import get_game, show

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHOWN = ("overtakes", "ruffs", "void_leads")
"""The metrics of cooperation that tables have a column for; the JSON has all."""


# --- pieces of text ------------------------------------------------------------------------------------------------


def _optional(mean: float | None, ci95: list[float] | None) -> str:
    return "" if mean is None or ci95 is None else plus_minus(mean, ci95)


def rate_text(metric: dict[str, Any]) -> str:
    """How often something was done, and what that cost a deal if it is known."""
    if metric["rate"] is None:
        return "-"
    text = f"{100 * metric['rate']:.1f}%"
    lost = metric["points_lost_per_deal"]
    return text if lost is None else f"{text}, {-lost:+.3f}"


def _couple_row(name: str, cell: Cell) -> list[str]:
    return [
        name,
        plus_minus(cell.mean_points, cell.mean_points_ci95),
        plus_minus(cell.win_rate, cell.win_rate_ci95, percent=True),
        *(rate_text(cell.cooperation[metric]) for metric in SHOWN),
    ]


def _couple_head(first: str) -> list[str]:
    return [first, "points a deal", "wins, %", *(METRICS[metric] for metric in SHOWN)]


_COUNTED = (
    "The last columns say how often the side overtook the partner who was winning the trick, how often it did so by "
    "ruffing, and how often it led a suit of which the partner had shown out, of the times it could have left it"
)


def _counted(cells: Iterable[Cell]) -> str:
    judged = any(cell.cooperation[metric]["points_lost_per_deal"] is not None for cell in cells for metric in SHOWN)
    return _COUNTED + ("; behind it the points a deal that this cost with all cards open." if judged else ".")


def gap_rows(gaps: Sequence[Gap]) -> list[list[str]]:
    """The table of gaps, under `GAP_HEAD`."""
    return [
        [
            gap.name,
            str(len(gap.policies)),
            plus_minus(gap.self_play, gap.self_play_ci95),
            _optional(gap.cross_play, gap.cross_play_ci95),
            _optional(gap.gap, gap.gap_ci95),
        ]
        for gap in gaps
    ]


GAP_HEAD = ["policies", "how many", "self-play", "cross-play", "gap"]


def _best_row(best: BestPartner) -> list[str]:
    return [
        best.policy,
        best.partner if best.partner != best.policy else f"{best.partner} (itself)",
        f"{best.mean_points:+.3f}",
        best.runner_up if best.runner_up != best.policy else f"{best.runner_up} (itself)",
        plus_minus(best.lead, best.lead_ci95) + ("" if best.significant else ", not significant"),
    ]


_BEST_HEAD = ["policy", "best partner", "points a deal", "runner-up", "lead"]


def _lead_text(score: AdHocScore) -> str:
    if score.lead is None or score.lead_ci95 is None:
        return ""
    significant = score.lead_ci95[0] > 0
    return plus_minus(score.lead, score.lead_ci95) + ("" if significant else ", not significant")


def _score_row(place: int, score: AdHocScore) -> list[str]:
    return [
        f"{place} {score.policy}" + ("" if score.held_out else " *"),
        plus_minus(score.score, score.score_ci95),
        plus_minus(score.win_rate, score.win_rate_ci95, percent=True),
        _lead_text(score),
    ]


_SCORE_HEAD = ["policy", "score", "wins, %", "ahead of the next"]
_MET = "* is itself one of the partners, so that one of them is no stranger to it."


def _options(result: CrossplayResult | AdHocResult) -> str:
    return ", ".join(f"{name} {show(value)}" for name, value in result.options.items())


# --- the terminal --------------------------------------------------------------------------------------------------


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], title: str | None = None) -> Table:
    table = Table(*head, title=title)
    for row in rows:
        table.add_row(*row)
    return table


def crossplay_tables(result: CrossplayResult) -> Iterable[Table | str]:
    """What a person at the terminal is shown."""
    numbers = [str(k) for k in range(1, len(result.policies) + 1)]
    title = f"{get_game(result.game).title}: points a deal of the row's policy with the column's against "
    rows = [
        [f"{numbers[k]} {name}", *(f"{value:+.3f}" for value in result.points[k])] for k, name in enumerate(result.policies)
    ]
    yield _table(["", *numbers], rows, title + ", ".join(result.opponents))
    widest = max((high - low) / 2 for row in result.points_ci95 for low, high in row)
    yield f"95% intervals: at most ±{widest:.3f}"
    yield _table(GAP_HEAD, gap_rows([result.gap, *result.groups]), "self-play against cross-play, points a deal")
    yield _table(_BEST_HEAD, map(_best_row, result.best_partners))


def adhoc_tables(result: AdHocResult) -> Iterable[Table | str]:
    """What a person at the terminal is shown."""
    title = f"{get_game(result.game).title}: points a deal with partners of the set against {', '.join(result.opponents)}"
    yield _table(_SCORE_HEAD, (_score_row(k, score) for k, score in enumerate(result.scores, 1)), title)
    if not all(score.held_out for score in result.scores):
        yield _MET
    rows = [[s.policy, *(f"{cell.mean_points:+.3f}" for cell in s.partners)] for s in result.scores]
    yield _table(["by partner", *result.partners], rows)


# --- Markdown ------------------------------------------------------------------------------------------------------


def _introduction(result: CrossplayResult | AdHocResult, command: str) -> list[str]:
    return [
        f"Opponents: {', '.join(f'`{name}`' for name in result.opponents)}"
        + ("" if len(result.opponents) == 1 else ", all figures means over them")
        + f". The same {result.deals:,} deals for all couples, in both orders of the seats, each played twice with the "
        f"sides exchanged. Options: {_options(result)}. Seed {result.seed}. Written by",
        "",
        f"    {command}",
        "",
        "Points are the side's less the opponents', a deal. Intervals are 95% confidence intervals over deals, paired "
        "where two couples are compared; the policies are taken as they are.",
        "",
    ]


def crossplay_markdown(result: CrossplayResult, command: str, heatmap: str) -> str:
    """The report on cross-play.

    Args:
        result: of it.
        command: that makes it again.
        heatmap: the plot's file name.
    """
    numbers = [str(k) for k in range(1, len(result.policies) + 1)]
    numbered = [f"{k} {name}" for k, name in zip(numbers, result.policies, strict=True)]
    cells = [[result.cell(a, b) for b in result.policies] for a in result.policies]
    lines = [
        f"# {get_game(result.game).title}: cross-play of {len(result.policies)} policies",
        "",
        *_introduction(result, command),
        "## Points a deal",
        "",
        "The row's policy with the column's as its partner.",
        "",
        f"![Points a deal]({heatmap})",
        "",
        *table_lines(
            ["", *numbers],
            (
                [name, *(plus_minus(cell.mean_points, cell.mean_points_ci95) for cell in row)]
                for name, row in zip(numbered, cells, strict=True)
            ),
        ),
        "## Self-play against cross-play",
        "",
        "The mean of the diagonal, the mean of the rest, and the first less the second.",
        "",
        *table_lines(GAP_HEAD, gap_rows([result.gap, *result.groups])),
    ]
    if result.between:
        rows = [[" with ".join(b.groups), plus_minus(b.mean_points, b.mean_points_ci95)] for b in result.between]
        lines += ["Policies of one group with those of another:", "", *table_lines(["groups", "points a deal"], rows)]
    lines += [
        "## Best partners",
        "",
        "Of all policies, itself included. The lead over the runner-up is not corrected for picking the best of several.",
        "",
        *table_lines(_BEST_HEAD, map(_best_row, result.best_partners)),
        "## Couples",
        "",
        _counted(result.cells),
        "",
        *table_lines(_couple_head("couple"), (_couple_row(" + ".join(cell.policies), cell) for cell in result.cells)),
    ]
    return "\n".join(lines).rstrip() + "\n"


def adhoc_markdown(result: AdHocResult, command: str, heatmap: str) -> str:
    """The report on the ad-hoc benchmark; arguments as in `crossplay_markdown`."""
    partners = ", ".join(f"`{name}`" for name in result.partners)
    own = "" if result.standard else " This is not the standard set: the scores compare with each other only."
    lines = [
        f"# {get_game(result.game).title}: ad-hoc teamwork",
        "",
        f"Each policy with each of these partners: {partners}. The score is the mean over them.{own}",
        "",
        *_introduction(result, command),
        *table_lines(_SCORE_HEAD, (_score_row(k, score) for k, score in enumerate(result.scores, 1))),
    ]
    if not all(score.held_out for score in result.scores):
        lines += [_MET.replace("*", "\\*"), ""]
    lines += [
        "## By partner",
        "",
        f"![Points a deal]({heatmap})",
        "",
        _counted(cell for score in result.scores for cell in score.partners),
        "",
    ]
    for score in result.scores:
        rows = (_couple_row(cell.policies[1], cell) for cell in score.partners)
        lines += [f"### {score.policy}", "", *table_lines(_couple_head("partner"), rows)]
    return "\n".join(lines).rstrip() + "\n"


# --- plots ---------------------------------------------------------------------------------------------------------


def draw_heatmap(axes: Axes, points: Sequence[Sequence[float]], rows: Sequence[str], columns: Sequence[str]) -> None:
    """Draws points a deal as a heat map with the figures in it."""
    values = np.array(points)
    image = axes.imshow(values, cmap="viridis", aspect="auto")
    dark = values.min() + 0.6 * (values.max() - values.min())
    for row, column in np.ndindex(*values.shape):
        value = values[row, column]
        colour = "white" if value < dark else "black"
        axes.text(column, row, f"{value:+.2f}", ha="center", va="center", fontsize=7.5, color=colour)
    axes.set_yticks(range(len(rows)), [short_label(name) for name in rows])
    axes.set_xticks(
        range(len(columns)), [short_label(name) for name in columns], rotation=45, ha="right", rotation_mode="anchor"
    )
    axes.figure.colorbar(image, ax=axes, shrink=0.8)


def _heatmap_png(points: Sequence[Sequence[float]], rows: Sequence[str], columns: Sequence[str], title: str) -> bytes:
    figure = new_figure(3.4 + 0.55 * len(columns), 2.2 + 0.45 * len(rows))
    axes = figure.add_subplot()
    draw_heatmap(axes, points, rows, columns)
    axes.set_title(title, fontsize=9, wrap=True)
    return png(figure)


def crossplay_png(result: CrossplayResult) -> bytes:
    """The matrix as a heat map."""
    title = (
        f"{get_game(result.game).title}: points a deal as partners against {', '.join(map(short_label, result.opponents))}"
    )
    return _heatmap_png(result.points, result.policies, result.policies, title)


def adhoc_png(result: AdHocResult) -> bytes:
    """Policies with partners as a heat map, best score first."""
    points = [[cell.mean_points for cell in score.partners] for score in result.scores]
    title = (
        f"{get_game(result.game).title}: points a deal by partner against {', '.join(map(short_label, result.opponents))}"
    )
    return _heatmap_png(points, [score.policy for score in result.scores], result.partners, title)


# --- files ---------------------------------------------------------------------------------------------------------


def write_reports(
    result: CrossplayResult | AdHocResult,
    folder: str | os.PathLike[str],
    command: str,
    report: str | os.PathLike[str] | None = None,
) -> list[Path]:
    """Writes results.json, report.md and heatmap.png to a folder, and a copy of them elsewhere.

    Args:
        result: of either kind.
        folder: where to.
        command: that makes it again, for the report.
        report: a Markdown file for a copy; its figure and JSON lie beside it under names that begin like its own.

    Returns:
        The files, in the order above.

    Raises:
        OSError: a file cannot be written.
    """
    figures = json_text(result.as_dict())
    picture = crossplay_png(result) if isinstance(result, CrossplayResult) else adhoc_png(result)
    targets = [(Path(folder) / "report.md", Path(folder) / "results.json", "heatmap.png")]
    if report is not None:
        path = Path(report)
        targets.append((path, path.with_suffix(".json"), f"{path.stem}_heatmap.png"))
    written = []
    for path, data, image in targets:
        if isinstance(result, CrossplayResult):
            text = crossplay_markdown(result, command, image)
        else:
            text = adhoc_markdown(result, command, image)
        contents: list[tuple[Path, bytes | str]] = [(data, figures), (path, text), (path.parent / image, picture)]
        for target, content in contents:
            write_whole(target, content)
            written.append(target)
    return written

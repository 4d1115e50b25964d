"""The report of the experiment on ``team_share``: Markdown, JSON and tables for the terminal."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path

from rich.table import Table

from cardenvs.baselines.crossplay.report import GAP_HEAD, SHOWN, gap_rows
from cardenvs.baselines.observers import METRICS
from cardenvs.baselines.reports.files import write_report
from cardenvs.baselines.reports.pictures import picture_lines
from cardenvs.baselines.reports.statistics import Interval
from cardenvs.baselines.reports.text import plus_minus
from cardenvs.printing import code, escaped, printable, table_lines
from cardenvs.train.sweep.report import estimate_text
from cardenvs.train.team_share.plot import picture_png
from cardenvs.train.team_share.results import ExperimentResult


def markdown(result: ExperimentResult, command: str, picture: str | None) -> str:
    """The report as Markdown.

    Args:
        result: the results.
        command: the command line that makes the results again.
        picture: the plot's file name; None if there is no plot.
    """
    settings = result.settings
    training = ", ".join(f"{name} {value}" for name, value in settings["training"].items() if value not in (None, [], ()))
    over = (
        "Means and 95% intervals are over the training seeds (Student's t) where nothing else is said."
        if len(settings["seeds"]) > 1
        else "There is one training seed for each share: how far another would differ is not known."
    )
    lines = [
        "# Team rewards in Euchre: `team_share`",
        "",
        "Policies trained by self-play that differ in nothing but `team_share`: with 1 both partners are paid their side's "
        "points, with 0 each its own part of them. All are then measured against the same opponents over the same "
        f"{settings['deals']:,} deals, each played twice with the sides exchanged: "
        f"{', '.join(map(code, settings['opponents']))}. Written by",
        "",
        f"    {printable(command)}",
        "",
        f"Training seeds: {', '.join(map(str, settings['seeds']))}. Training: {escaped(training)}.",
        "",
        over,
        "",
        *picture_lines("Points, cooperation and cross-play", picture),
    ]
    for variant in result.variants:
        lines += [
            f"## Bidding {variant.bidding}",
            "",
            "Points are those of two copies of one policy above the opponents, a deal; the last column is those points "
            "less those of the largest share from the same seed.",
            "",
            *table_lines(
                ["team_share", "points a deal", "interval over deals only", "less the largest share's"],
                (
                    [
                        f"{s.team_share:g}",
                        estimate_text(s.points),
                        plus_minus(Interval(s.points.mean or 0.0, *s.points_ci95_deals)),
                        estimate_text(s.against_team),
                    ]
                    for s in variant.shares
                ),
                foreign=True,
            ),
            "How often partners took from each other, of the times they could have left it:",
            "",
            *table_lines(
                ["team_share", *METRICS.values()],
                (
                    [f"{s.team_share:g}", *(estimate_text(s.rates[m], percent=True) for m in METRICS)]
                    for s in variant.shares
                ),
                foreign=True,
            ),
            "Points a deal that this cost with all cards open:",
            "",
            *table_lines(
                ["team_share", *METRICS.values()],
                ([f"{s.team_share:g}", *(estimate_text(s.points_lost[m]) for m in METRICS)] for s in variant.shares),
                foreign=True,
            ),
            "Self-play against cross-play, points a deal, intervals over deals:",
            "",
            *table_lines(GAP_HEAD, gap_rows([*variant.crossplay.groups, variant.crossplay.gap]), foreign=True),
            "Policies of one share with partners of another, intervals over deals:",
            "",
            *table_lines(
                ["shares", "points a deal"],
                ([" with ".join(b.groups), plus_minus(b.points_margin)] for b in variant.crossplay.between),
                foreign=True,
            ),
        ]
    return "\n".join(lines).rstrip() + "\n"


def tables(result: ExperimentResult) -> Iterator[Table]:
    """The results as tables for the terminal, one for each variant."""
    for variant in result.variants:
        table = Table("team_share", "points a deal", "less the largest share's", *(METRICS[metric] for metric in SHOWN))
        table.title = f"bidding {variant.bidding}"
        for share in variant.shares:
            rates = (estimate_text(share.rates[metric], percent=True) for metric in SHOWN)
            table.add_row(f"{share.team_share:g}", estimate_text(share.points), estimate_text(share.against_team), *rates)
        yield table


def write_experiment(result: ExperimentResult, command: str, out: Path, report: Path | None = None) -> list[Path]:
    """Writes results.json, report.md and team_share.png to the experiment's folder, and a copy of them elsewhere.

    Without matplotlib the picture is left out.

    Args:
        result: the results.
        command: the command line that makes the results again, for the report.
        out: the experiment's folder.
        report: a Markdown file for a copy of the report; picture and JSON go beside it under the same stem. None: no copy.

    Returns:
        The files that were written: the folder's JSON, Markdown and picture, then those of the copy.

    Raises:
        OSError: a file cannot be written.
    """

    def text(picture: str | None) -> str:
        return markdown(result, command, picture)

    figures, picture = result.as_dict(), functools.cache(lambda: picture_png(result))
    written = write_report(out / "report.md", out / "results.json", "", figures, text, {"team_share": picture})
    if report is not None:
        written += write_report(report, report.with_suffix(".json"), "", figures, text, {report.stem: picture})
    return written

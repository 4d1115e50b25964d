"""The report of a sweep: Markdown, and tables for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table

from cardenvs.baselines.reports.pictures import picture_lines
from cardenvs.baselines.reports.statistics import Interval
from cardenvs.baselines.reports.text import plus_minus
from cardenvs.baselines.runs.forfeits import forfeit_lines, forfeit_text
from cardenvs.printing import code, escaped, printable, table_lines
from cardenvs.train.sweep.results import Estimate, Figure, SweepResult, VariantResult
from cardenvs.train.sweep.settings import setting_text

PICTURE = "sweep"
"""The name of the report's picture, ``.png`` left out."""


def estimate_text(value: Estimate | None, percent: bool = False) -> str:
    """A mean over training seeds with half the width of its interval; "-" if there is no mean.

    Args:
        value: the mean with its interval.
        percent: whether the mean is a share, to be shown in percent.
    """
    if value is None or value.interval is None:
        return "-"
    return plus_minus(value.interval, percent=percent)


def points_text(figure: Figure | None) -> str:
    """Points with their interval: over the seeds, or, where there is one seed, over its deals; "-" if there are none."""
    if figure is None or figure.points.mean is None:
        return "-"
    return estimate_text(figure.points) if len(figure.points.by_seed) > 1 else _over_deals(figure)


def _over_deals(figure: Figure) -> str:
    """Points with their interval over deals."""
    if figure.points.mean is None or figure.points_ci95_deals is None:
        return "-"
    return plus_minus(Interval(figure.points.mean, *figure.points_ci95_deals))


def by_opponent(result: SweepResult) -> Iterator[tuple[str, list[tuple[VariantResult, Figure | None]]]]:
    """Titles of the opponents, each with all variants and their figures, for tables and pictures.

    The reference comes last, if there is one.
    """
    for k, opponent in enumerate(result.settings["opponents"]):
        yield f"above {opponent}", [(variant, variant.against[k]) for variant in result.variants]
    if result.settings["reference"] is not None:
        rows = [(variant, variant.against_reference) for variant in result.variants]
        yield f"above {result.settings['reference']!r} of the same seed", rows


def markdown(result: SweepResult, command: str, picture: str | None) -> str:
    """The report as Markdown.

    Args:
        result: the results.
        command: the command line that makes the results again.
        picture: the plot's file name; None if there is no plot.
    """
    settings = result.settings
    several = len(settings["seeds"]) > 1
    training = ", ".join(
        setting_text(name, value) for name, value in settings["training"].items() if value not in (None, [])
    )
    over = (
        "Means and their 95% intervals are over the training seeds (Student's t): they say how trainings of the same kind "
        "come out. Intervals over deals only hold for the policies trained here."
        if several
        else "There is one training seed: 95% intervals are over deals, for the policies trained here, and how far another "
        "seed would differ is not known."
    )
    lines = [
        f"# {escaped(settings['name'])}: a sweep of trainings",
        "",
        f"Trainings by self-play in {escaped(settings['game'])}, all with the same seeds, then measured over the same "
        f"{settings['deals']:,} deals, each played with the policy on every side. Written by",
        "",
        f"    {printable(command)}",
        "",
        f"Training seeds: {', '.join(map(str, settings['seeds']))}. In common: {escaped(training)}.",
        "",
        over,
        "",
        *picture_lines("Learning curves, and points a deal with 95% intervals", picture),
    ]
    if any(difference not in variant.name for variant in result.variants for difference in variant.differences):
        first, *others = result.variants
        own = [setting_text(name, value) for name, value in settings["variants"][first.name].items()]
        rows_of = [[first.name, ", ".join(own)], *([each.name, ", ".join(each.differences)] for each in others)]
        lines += [
            "## Variants",
            "",
            *table_lines(["variant", "the first, and what others change"], rows_of, 2, foreign=True),
        ]
    for title, rows in by_opponent(result):
        head = ["variant", "points a deal", *(["over deals only", "each seed"] if several else []), "wins, %"]
        cells = []
        for variant, figure in rows:
            each = "" if figure is None else ", ".join("-" if v is None else f"{v:+z.3f}" for v in figure.points.by_seed)
            deals = "" if figure is None else _over_deals(figure)
            wins = "" if figure is None else estimate_text(figure.win_rate, percent=True)
            points = "" if figure is None else points_text(figure)
            cells.append([variant.name, points, *([deals, each] if several else []), wins])
        lines += [f"## Points {escaped(title)}", "", *table_lines(head, cells, foreign=True)]
    names = (code(path) for variant in result.variants for path in variant.policies)
    lines += ["The policies, in the sweep's folder: " + ", ".join(names) + ".", "", *forfeit_lines(result.forfeits)]
    return "\n".join(lines).rstrip() + "\n"


def tables(result: SweepResult) -> Iterator[Table | str]:
    """The results as a table for the terminal, and a line for each forfeit."""
    columns = list(by_opponent(result))
    table = Table("variant", *(printable(title) for title, _ in columns))
    over = f"{len(result.settings['seeds'])} training seeds" if len(result.settings["seeds"]) > 1 else "deals"
    table.title = printable(f"{result.settings['name']}: points a deal, 95% intervals over {over}")
    for row, variant in enumerate(result.variants):
        table.add_row(
            printable(variant.name), *("" if rows[row][1] is None else points_text(rows[row][1]) for _, rows in columns)
        )
    yield table
    yield from map(forfeit_text, result.forfeits)

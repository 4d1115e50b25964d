"""The report of a sweep, and its plot."""

import functools
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cardenvs.baselines.reports.columns import Row
from cardenvs.baselines.reports.document import (
    Block,
    Code,
    Command,
    Document,
    Estimate,
    Heading,
    Picture,
    Table,
    Text,
    joined,
)
from cardenvs.baselines.reports.pictures import new_figure, png, reach
from cardenvs.baselines.reports.template import fill_report
from cardenvs.baselines.reports.text import short_label
from cardenvs.baselines.runs.forfeits import forfeit_parts
from cardenvs.contract.registry import named_game, short_name
from cardenvs.printing import printable
from cardenvs.train.sweep.settings import setting_text


def estimate_text(value: Row | None, percent: bool = False) -> Text:
    """A mean over training seeds, in percent if it is a share; "-" if there is none."""
    return "-" if value is None or value.interval is None else Estimate(value.interval, percent=percent)


def training_text(settings: dict[str, object]) -> str:
    """Settings of trainings in words, those that are none left out."""
    return ", ".join(setting_text(name, value) for name, value in settings.items() if value not in (None, []))


def by_opponent(result: Row) -> Iterator[tuple[str, list[tuple[Row, Row | None]]]]:
    """Titles of the opponents, at last the reference, each with all variants and their figures."""
    for k, opponent in enumerate(result.settings["opponents"]):
        yield f"above {opponent}", [(variant, variant.against[k]) for variant in result.variants]
    if result.settings["reference"] is not None:
        rows = [(variant, variant.against_reference) for variant in result.variants]
        yield f"above {result.settings['reference']!r} of the same seed", rows


def document(result: Row, command: str = "") -> Document:
    """The report of a sweep; ``command``, the command line that repeats it, is quoted if it is not empty."""
    settings = result.settings
    several = len(settings["seeds"]) > 1
    game = named_game(settings["game"])
    spare = ["over deals only", "each seed"]
    head = ["variant", "points a deal", *(spare if several else []), "wins, %"]
    figures: list[Block] = []
    for title, rows in by_opponent(result):
        cells = [[variant.name, *_cells(figure, several)] for variant, figure in rows]
        figures += [Heading(f"Points {title}"), Table(head, cells, spare=spare)]
    return fill_report(
        Path(__file__).with_name("report.md"),
        name=settings["name"],
        game=short_name(game),
        deals=settings["deals"],
        how="by each team by itself" if game.one_sided else "with the policy on every side",
        command=Command(command),
        seeds=", ".join(map(str, settings["seeds"])),
        training=training_text(settings["training"]),
        several=several,
        picture=Picture(
            "Learning curves, and points a deal with 95% intervals", "sweep", functools.partial(picture_png, result)
        ),
        changes=_changes(result),
        figures=figures,
        policies=joined(Code(path) for variant in result.variants for path in variant.policies),
        forfeits=[*forfeit_parts(result.forfeits)],
    )


def _changes(result: Row) -> Table | None:
    """The settings of the first variant, and what others change; None where the names have all changes."""
    if all(difference in variant.name for variant in result.variants for difference in variant.differences):
        return None
    first, *others = result.variants
    own = [setting_text(name, value) for name, value in result.settings["variants"][first.name].items()]
    rows = [[first.name, ", ".join(own)], *([each.name, ", ".join(each.differences)] for each in others)]
    return Table(["variant", "the first, and what others change"], rows, 2)


def _cells(figure: Row | None, several: bool) -> list[Text]:
    """A variant's figures against an opponent: points, with several seeds over deals and by seed, and wins."""
    if figure is None:
        return ["", *(["", ""] if several else []), ""]
    over_deals = "-" if figure.over_deals is None else Estimate(figure.over_deals)
    wins = estimate_text(figure.win_rate, percent=True)
    if not several:
        return [over_deals, wins]
    each = ", ".join("-" if value is None else f"{value:+z.3f}" for value in figure.points.by_seed)
    return [estimate_text(figure.points), over_deals, each, wins]


# --- plots -----------------------------------------------------------------------------------------------------------


def picture_png(result: Row) -> bytes:
    """The plot, as the content of a PNG file: on the left the learning curves, means over the seeds of each variant with
    the band of their 95% interval; beside them for each opponent points a deal with their interval, each seed as a dot."""
    panels = list(by_opponent(result))
    figure = new_figure(6.0 + 4.2 * len(panels), max(4.0, 1.6 + 0.32 * len(result.variants)))
    axes = figure.subplots(1, 1 + len(panels), squeeze=False, width_ratios=[1.3, *[1.0] * len(panels)])[0]
    _draw_curves(axes[0], result)
    for k, (title, rows) in enumerate(panels):
        _draw_points(axes[k + 1], rows, named=k == 0)
        axes[k + 1].set_title("\n".join(map(short_label, textwrap.wrap(printable(title), 32))), fontsize=10)
    return png(figure)


def _draw_curves(axes: Any, result: Row) -> None:
    """Draws the learning curves; bands that go far beyond what any seed has made are cut off."""
    for number, variant in enumerate(result.variants):
        steps = [point["steps"] for point in variant.curves[0]]
        means = variant.mean_curve
        line = [each.mean or 0.0 for each in means]
        axes.plot(steps, line, marker=".", markersize=4, color=f"C{number}", label=short_label(variant.name))
        bands = [each.ci95 or [value, value] for each, value in zip(means, line, strict=True)]
        if any(each.ci95 for each in means):
            low, high = zip(*bands, strict=True)
            axes.fill_between(steps, low, high, color=f"C{number}", alpha=0.15, linewidth=0)
    made = [point["mean"] for variant in result.variants for curve in variant.curves for point in curve]
    margin = 0.25 * (max(made) - min(made)) or 1.0
    axes.set_ylim(min(made) - margin, max(made) + margin)
    axes.axhline(0, color="black", linewidth=0.6)
    opponent = short_label(result.settings["training"].get("eval_opponent", "eval_opponent"))
    axes.set(xlabel="moves trained on", ylabel=f"points a deal above {opponent}")
    axes.set_title("learning curves", fontsize=10)
    axes.grid(color="0.92")
    axes.set_axisbelow(True)
    axes.legend(fontsize=7)


def _draw_points(axes: Any, rows: list[tuple[Row, Row | None]], named: bool) -> None:
    """Draws the points of each variant, from the top down."""
    for number, (_, figure) in enumerate(rows):
        if figure is None or figure.points.mean is None:
            continue
        points = figure.points.interval if len(figure.points.by_seed) > 1 else figure.over_deals
        mark = {"marker": "o", "markersize": 4, "capsize": 3, "color": f"C{number}"}
        axes.errorbar([points.mean], [number], xerr=reach([points]), **mark)
        values = [value for value in figure.points.by_seed if value is not None]
        axes.plot(values, [number] * len(values), "|", color=f"C{number}", markersize=9)
    axes.set_yticks(range(len(rows)), [short_label(variant.name) if named else "" for variant, _ in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlabel("points a deal")
    axes.grid(axis="x", color="0.92")
    axes.set_axisbelow(True)

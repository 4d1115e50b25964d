"""The report of a sweep, and its plot."""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

from cardenvs.baselines.reports.document import (
    Block,
    Code,
    Command,
    Document,
    Estimate,
    Heading,
    Only,
    Picture,
    Table,
    Text,
    Words,
    in_file,
    joined,
)
from cardenvs.baselines.reports.pictures import new_figure, png, reach
from cardenvs.baselines.reports.statistics import Interval
from cardenvs.baselines.reports.text import short_label
from cardenvs.baselines.runs.forfeits import forfeit_parts
from cardenvs.contract.registry import named_game, short_name
from cardenvs.printing import printable
from cardenvs.train.sweep.settings import setting_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cardenvs.train.sweep.results import Estimate as OverSeeds
    from cardenvs.train.sweep.results import Figure, SweepResult, VariantResult


def estimate_text(value: OverSeeds | None, percent: bool = False) -> Text:
    """A mean over training seeds; "-" if there is none.

    Args:
        value: the mean.
        percent: whether the mean is a share, to be shown in percent.
    """
    return "-" if value is None or value.interval is None else Estimate(value.interval, percent=percent)


def training_text(settings: dict[str, object]) -> str:
    """Settings of trainings in words, those that are none left out."""
    return ", ".join(setting_text(name, value) for name, value in settings.items() if value not in (None, []))


def by_opponent(result: SweepResult) -> Iterator[tuple[str, list[tuple[VariantResult, Figure | None]]]]:
    """Titles of the opponents, each with all variants and their figures, for tables and pictures.

    The reference comes last, if there is one.
    """
    for k, opponent in enumerate(result.settings["opponents"]):
        yield f"above {opponent}", [(variant, variant.against[k]) for variant in result.variants]
    if result.settings["reference"] is not None:
        rows = [(variant, variant.against_reference) for variant in result.variants]
        yield f"above {result.settings['reference']!r} of the same seed", rows


def document(result: SweepResult, command: str = "") -> Document:
    """The report of a sweep.

    Args:
        result: the sweep's results.
        command: the command line that makes the results again; empty: none is quoted.
    """
    settings = result.settings
    several = len(settings["seeds"]) > 1
    game = short_name(named_game(settings["game"]))
    how = "by each team by itself" if named_game(settings["game"]).one_sided else "with the policy on every side"
    over = (
        "Means and their 95% intervals are over the training seeds (Student's t): they say how trainings of the same kind "
        "come out; seeds that all score alike have none. Intervals over deals only hold for the policies trained here."
        if several
        else "There is one training seed: 95% intervals are over deals, for the policies trained here, and how far another "
        "seed would differ is not known."
    )
    parts: list[Block | Only] = [
        in_file(
            Words(
                f"Trainings by self-play in {game}, all with the same seeds, then measured over the same "
                f"{settings['deals']:,} deals, each played {how}. Written by"
            ),
            Command(command),
            Words(
                f"Training seeds: {', '.join(map(str, settings['seeds']))}. "
                f"In common: {training_text(settings['training'])}."
            ),
        ),
        Words(over),
        Picture("Learning curves, and points a deal with 95% intervals", "sweep", functools.partial(picture_png, result)),
    ]
    if any(difference not in variant.name for variant in result.variants for difference in variant.differences):
        first, *others = result.variants
        own = [setting_text(name, value) for name, value in settings["variants"][first.name].items()]
        changes = [[first.name, ", ".join(own)], *([each.name, ", ".join(each.differences)] for each in others)]
        parts.append(in_file(Heading("Variants"), Table(["variant", "the first, and what others change"], changes, 2)))
    spare = ["over deals only", "each seed"]
    head = ["variant", "points a deal", *(spare if several else []), "wins, %"]
    for title, figures in by_opponent(result):
        rows: list[list[Text]] = [[variant.name, *_cells(figure, several)] for variant, figure in figures]
        parts += [Heading(f"Points {title}"), Table(head, rows, spare=spare)]
    policies = joined(Code(path) for variant in result.variants for path in variant.policies)
    parts += [
        in_file(Words(("The policies, in the sweep's folder: ", *policies, "."))),
        *forfeit_parts(result.forfeits),
    ]
    return Document(f"{settings['name']}: a sweep of trainings", parts)


def _cells(figure: Figure | None, several: bool) -> list[Text]:
    """A variant's figures against an opponent: points, with several seeds over deals and by seed, and wins."""
    if figure is None:
        return ["", *(["", ""] if several else []), ""]
    mean, ends = figure.points.mean, figure.points_ci95_deals
    over_deals = "-" if mean is None or ends is None else Estimate(Interval(mean, *ends))
    wins = estimate_text(figure.win_rate, percent=True)
    if not several:
        return [over_deals, wins]
    each = ", ".join("-" if value is None else f"{value:+z.3f}" for value in figure.points.by_seed)
    return [estimate_text(figure.points), over_deals, each, wins]


# --- plots -----------------------------------------------------------------------------------------------------------

_MAP, _COLOURS = "tab10", 10
"""The name of matplotlib's map of the colours, and their number; they come again after the last."""


def picture_png(result: SweepResult) -> bytes:
    """The plot, as the content of a PNG file.

    On the left the learning curves: means over the seeds of each variant with the band of their 95% interval. Beside them a
    panel for each opponent: points a deal of each variant with their interval, and each seed as a dot.
    """
    panels = list(by_opponent(result))
    figure = new_figure(6.0 + 4.2 * len(panels), max(4.0, 1.6 + 0.32 * len(result.variants)))
    axes = figure.subplots(1, 1 + len(panels), squeeze=False, width_ratios=[1.3, *[1.0] * len(panels)])[0]
    _draw_curves(axes[0], result)
    for k, (title, rows) in enumerate(panels):
        _draw_points(axes[k + 1], rows, named=k == 0)
        axes[k + 1].set_title(_title(title), fontsize=10)
    return png(figure)


def _title(text: str) -> str:
    """The title of a panel, in lines that fit."""
    return "\n".join(map(short_label, textwrap.wrap(printable(text), 32)))


def _colour(number: int) -> tuple[float, ...]:
    """The colour of a variant, by its number."""
    from matplotlib import colormaps

    return tuple(colormaps[_MAP](number % _COLOURS))


def _draw_curves(axes: Axes, result: SweepResult) -> None:
    """Draws the learning curves; bands that go far beyond what any seed has made are cut off."""
    for number, variant in enumerate(result.variants):
        steps = [point["steps"] for point in variant.curves[0]]
        means = variant.mean_curve
        line = [each.mean or 0.0 for each in means]
        axes.plot(steps, line, marker=".", markersize=4, color=_colour(number), label=short_label(variant.name))
        bands = [each.ci95 or [value, value] for each, value in zip(means, line, strict=True)]
        if any(each.ci95 for each in means):
            low, high = zip(*bands, strict=True)
            axes.fill_between(steps, low, high, color=_colour(number), alpha=0.15, linewidth=0)
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


def _draw_points(axes: Axes, rows: list[tuple[VariantResult, Figure | None]], named: bool) -> None:
    """Draws the points of each variant, from the top down."""
    for number, (_, figure) in enumerate(rows):
        if figure is None or figure.points.mean is None:
            continue
        several, ends = len(figure.points.by_seed) > 1, figure.points_ci95_deals
        points = figure.points.interval if several or ends is None else Interval(figure.points.mean, *ends)
        assert points is not None, "it has a mean"
        axes.errorbar(
            [points.mean], [number], xerr=reach([points]), marker="o", markersize=4, capsize=3, color=_colour(number)
        )
        values = [value for value in figure.points.by_seed if value is not None]
        axes.plot(values, [number] * len(values), "|", color=_colour(number), markersize=9)
    axes.set_yticks(range(len(rows)), [short_label(variant.name) if named else "" for variant, _ in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlabel("points a deal")
    axes.grid(axis="x", color="0.92")
    axes.set_axisbelow(True)

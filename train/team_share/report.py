"""The report of the experiment on ``team_share``, and its plot."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cardenvs.baselines.crossplay import Gap
from cardenvs.baselines.crossplay.report import SHOWN
from cardenvs.baselines.observers import METRICS
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
from cardenvs.baselines.reports.pictures import draw_heatmap, new_figure, png, reach
from cardenvs.baselines.reports.statistics import Interval
from cardenvs.train.sweep.report import estimate_text, training_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cardenvs.train.sweep.results import Estimate as OverSeeds
    from cardenvs.train.team_share.results import ExperimentResult, ShareResult, VariantResult

_LESS_TOLD = [name for metric, name in METRICS.items() if metric not in SHOWN]
"""The heads of columns that a narrow terminal has no room for."""


def document(result: ExperimentResult, command: str = "") -> Document:
    """The report of the experiment.

    Args:
        result: the results.
        command: the command line that makes the results again; empty: none is quoted.
    """
    settings = result.settings
    over = (
        "Means and 95% intervals are over the training seeds (Student's t) where nothing else is said."
        if len(settings["seeds"]) > 1
        else "There is one training seed for each share: how far another would differ is not known."
    )
    parts: list[Block | Only] = [
        in_file(
            Words(
                (
                    "Policies trained by self-play that differ in nothing but ", Code("team_share"), ": with 1 both "
                    "partners are paid their side's points, with 0 each its own part of them. All are then measured "
                    f"against the same opponents over the same {settings['deals']:,} deals, each played twice with the "
                    "sides exchanged: ", *joined(map(Code, settings["opponents"])), ". Written by",
                )
            ),
            Command(command),
            Words(
                f"Training seeds: {', '.join(map(str, settings['seeds']))}. "
                f"Training: {training_text(settings['training'])}."
            ),
        ),
        Words(over),
        Picture(
            "Points, cooperation and cross-play", "team_share", functools.partial(picture_png, result), as_report=True
        ),
    ]  # fmt: skip
    for variant in result.variants:
        parts += _variant(variant)
    return Document(("Team rewards in Euchre: ", Code("team_share")), parts)


def _variant(variant: VariantResult) -> Iterator[Block | Only]:
    """The results of a variant of Euchre."""

    def table(head: Sequence[str], cells: Callable[[ShareResult], Sequence[Text]], spare: Sequence[str]) -> Table:
        """A table with a row for each share."""
        return Table(["team_share", *head], [[f"{s.team_share:g}", *cells(s)] for s in variant.shares], spare=spare)

    yield Heading(f"Bidding {variant.bidding}")
    yield in_file(
        Words(
            "Points are those of two copies of one policy above the opponents, a deal; the last column is those points "
            "less those of the largest share from the same seed."
        )
    )
    yield table(
        ["points a deal", "interval over deals only", "less the largest share's"],
        lambda s: [
            estimate_text(s.points),
            Estimate(Interval(s.points.mean or 0.0, *s.points_ci95_deals)),
            estimate_text(s.against_team),
        ],
        ["interval over deals only"],
    )
    yield Words("How often partners took from each other, of the times they could have left it, %:")
    yield table(list(METRICS.values()), lambda s: [estimate_text(s.rates[m], percent=True) for m in METRICS], _LESS_TOLD)
    between: list[list[Text]] = [
        [" with ".join(b.groups), Estimate(b.points_margin)] for b in variant.crossplay.between
    ]  # fmt: skip
    yield in_file(
        Words("Points a deal that this cost with all cards open:"),
        table(list(METRICS.values()), lambda s: [estimate_text(s.points_lost[m]) for m in METRICS], []),
        Words("Self-play against cross-play, points a deal, intervals over deals:"),
        Gap.table([*variant.crossplay.groups, variant.crossplay.gap]),
        Words("Policies of one share with partners of another, intervals over deals:"),
        Table(["shares", "points a deal"], between),
    )


# --- plots -----------------------------------------------------------------------------------------------------------


def picture_png(result: ExperimentResult) -> bytes:
    """The plot of the experiment, as the content of a PNG file.

    For each variant: points by share, how often partners take tricks from each other, and cross-play as a heat map.
    """
    policies = max(len(variant.crossplay.policies) for variant in result.variants)
    figure = new_figure(11.5 + 0.45 * policies, (2.6 + 0.4 * policies) * len(result.variants))
    grid = figure.subplots(len(result.variants), 3, squeeze=False, width_ratios=[1.0, 1.0, 0.6 + 0.16 * policies])
    for row, variant in zip(grid, result.variants, strict=True):
        at = [share.team_share for share in variant.shares]
        _draw(row[0], at, {"": [share.points for share in variant.shares]}, 1.0)
        row[0].set(title=f"bidding {variant.bidding}", ylabel="points a deal above the opponents")
        rates = {METRICS[metric]: [share.rates[metric] for share in variant.shares] for metric in SHOWN}
        _draw(row[1], at, rates, 100.0)
        row[1].set(title="partners take from each other", ylabel="%, of the times it could be left")
        row[1].set_ylim(0, 100)
        row[1].legend(fontsize=8)
        names = [Path(path).parent.name for path in variant.crossplay.policies]
        draw_heatmap(row[2], variant.crossplay.points, names, names)
        row[2].set_title("points a deal as partners")
    return png(figure)


def _draw(axes: Axes, at: Sequence[float], lines: Mapping[str, Sequence[OverSeeds]], scale: float) -> None:
    """Draws means with their intervals as lines, and the seeds as dots."""
    for k, (name, line) in enumerate(lines.items()):
        colour = f"C{k}"
        known = [(x, e.interval, e) for x, e in zip(at, line, strict=True) if e.interval is not None]
        means, bars = [scale * mean.mean for _, mean, _ in known], scale * reach([mean for _, mean, _ in known])
        axes.errorbar(
            [x for x, *_ in known], means, yerr=bars, marker="o", markersize=4, capsize=3, color=colour, label=name
        )
        for x, _, e in known:
            values = [scale * value for value in e.by_seed if value is not None]
            axes.plot([x] * len(values), values, ".", color=colour, alpha=0.5, markersize=5)
    axes.set_xlabel("team_share")
    axes.set_xticks(list(at))
    axes.grid(color="0.92")
    axes.set_axisbelow(True)

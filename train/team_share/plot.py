"""The plot of the experiment; needs matplotlib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cardenvs.baselines.crossplay.report import SHOWN
from cardenvs.baselines.observers import METRICS
from cardenvs.baselines.reports.pictures import draw_heatmap, new_figure, png
from cardenvs.train.sweep.results import Estimate
from cardenvs.train.team_share.results import ExperimentResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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


def _draw(axes: Axes, at: Sequence[float], lines: Mapping[str, Sequence[Estimate]], scale: float) -> None:
    """Draws means with their intervals as lines, and the seeds as dots.

    Args:
        axes: the axes to draw in.
        at: the shares.
        lines: the means at these shares, by the line's label.
        scale: what values are multiplied by.
    """
    for k, (name, line) in enumerate(lines.items()):
        colour = f"C{k}"
        known = [(x, e) for x, e in zip(at, line, strict=True) if e.mean is not None]
        means = [scale * (e.mean or 0.0) for _, e in known]
        reach = [scale * (e.ci95[1] - e.ci95[0]) / 2 if e.ci95 else 0.0 for _, e in known]
        axes.errorbar(
            [x for x, _ in known], means, yerr=reach, marker="o", markersize=4, capsize=3, color=colour, label=name
        )
        for x, e in known:
            values = [scale * value for value in e.by_seed if value is not None]
            axes.plot([x] * len(values), values, ".", color=colour, alpha=0.5, markersize=5)
    axes.set_xlabel("team_share")
    axes.set_xticks(list(at))
    axes.grid(color="0.92")
    axes.set_axisbelow(True)

"""The report of statistics of a game, and the radar plot."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cardenvs.baselines.game_statistics.experiments import EXPERIMENTS, OF_ONE_SIDE, STATISTICS
from cardenvs.baselines.reports.columns import Row
from cardenvs.baselines.reports.document import Document, Picture, Table
from cardenvs.baselines.reports.pictures import new_figure, png
from cardenvs.baselines.reports.statistics import Interval
from cardenvs.baselines.reports.template import fill_report
from cardenvs.baselines.reports.text import options_text, short_label
from cardenvs.contract.registry import full_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def document(result: Row, command: str = "") -> Document:
    """The report of a `GameStatistics`."""
    one_sided = result.spec.one_sided
    meanings = OF_ONE_SIDE if one_sided else STATISTICS
    rows = [[name, number_text(value.mean), _ends_text(value), meanings[name]] for name, value in result.statistics.items()]
    settings = [options_text(result.options), f"the AI is {result.ai}" if result.complete else "", f"seed {result.seed}"]
    drawn = result.complete and not one_sided
    return fill_report(
        Path(__file__).with_name("report.md"),
        command=command,
        title=full_title(result.spec),
        settings="; ".join(filter(None, settings)),
        experiments=_experiments_table(result),
        statistics=Table(["statistic", "value", "95% interval", "meaning"], rows),
        partners=result.spec.team and not one_sided and "order" in result.statistics,
        radar=Picture("the six statistics", "radar", functools.partial(radar_png, result)) if drawn else None,
    )


def number_text(value: float, digits: int = 3) -> str:
    """A number as text; a dash where there is none."""
    return f"{value:z.{digits}f}" if math.isfinite(value) else "-"


def _ends_text(value: Interval) -> str:
    return " to ".join(map(number_text, value.ci95)) if all(map(math.isfinite, value.ci95)) else "-"


def _experiments_table(result: Row) -> Table:
    """The experiments as columns, and a row for each figure that has a meaning in the game."""
    figures = list(result.experiments.values())
    left_out = {"wins": result.spec.one_sided, "truncated": not any(one.truncated for one in figures)}
    table = figures[0].columns.table(figures, titles={key: "" for key, missing in left_out.items() if missing})
    return Table(["", *(EXPERIMENTS[name] for name in result.experiments)], list(zip(table.head, *table.rows, strict=True)))


def draw_radar(axes: Axes, values: Mapping[str, float], **line: Any) -> None:
    """Draws numbers from 0 in the middle to 1 at the rim as a filled line, the first at the top, others clockwise.

    Args:
        axes: polar axes.
        values: the numbers by their names, which are left to be written; nan and what lies below 0 is drawn in the middle.
        line: how the line is drawn, as `matplotlib.axes.Axes.plot` takes it.
    """
    angles = np.arange(len(values)) * (2 * np.pi / len(values))
    radii = np.nan_to_num(np.array(list(values.values())), nan=0.0).clip(0, 1)
    axes.set_theta_zero_location("N")  # type: ignore[attr-defined]
    axes.set_theta_direction(-1)  # type: ignore[attr-defined]
    axes.plot([*angles, angles[0]], [*radii, radii[0]], **({"linewidth": 1.5} | line))
    axes.fill(angles, radii, color=line.get("color"), alpha=0.2)
    axes.set_ylim(0, 1)
    axes.set_yticks([0.25, 0.5, 0.75, 1.0], ["", "0.5", "", "1"], fontsize=7, color="0.5")
    axes.set_xticks(angles)
    axes.grid(color="0.88")
    axes.spines["polar"].set_color("0.88")


def radar_png(result: Row) -> bytes:
    """The six statistics as a radar plot with their intervals, as a PNG file's content; those below 0 in the middle."""
    figure = new_figure(5.4, 5.4)
    axes = figure.add_subplot(projection="polar")
    draw_radar(axes, {name: value.mean for name, value in result.statistics.items()}, color="tab:blue")
    angles = axes.get_xticks()
    for angle, value in zip(angles, result.statistics.values(), strict=True):
        if all(map(math.isfinite, value.ci95)):
            axes.plot([angle, angle], np.clip(value.ci95, 0, 1), color="tab:blue", linewidth=3, alpha=0.6)
    labels = [f"{name}\n{number_text(value.mean, 2)}" for name, value in result.statistics.items()]
    axes.set_xticks(angles, labels, fontsize=9)
    axes.tick_params(axis="x", pad=12)
    axes.set_title(f"{full_title(result.spec)}, {short_label(result.ai)}", fontsize=11)
    return png(figure)

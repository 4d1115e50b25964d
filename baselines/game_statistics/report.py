"""The report of statistics of a game, and the radar plot."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from cardenvs.baselines.game_statistics.games import EXPERIMENTS, OF_ONE_SIDE, STATISTICS
from cardenvs.baselines.reports.document import Block, Code, Document, Heading, Only, Picture, Table, Text, Words, in_file
from cardenvs.baselines.reports.pictures import new_figure, png
from cardenvs.baselines.reports.statistics import Interval
from cardenvs.baselines.reports.text import options_text, short_label
from cardenvs.contract.registry import full_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cardenvs.baselines.game_statistics.results import Experiment, GameStatistics

NOTES = (
    "Decisions a game with their standard error; every decision counts, forced ones, too, and options that are merged into "
    "one action count one by one. Seats that are level share the first place; shares are of games that were not cut off."
)
"""Explanation of the table of experiments."""
TEAM_NOTE = (
    "Partners share their rank, but order is taken as if each seat were alone: where half of the seats win, random players "
    "would have more than 0."
)
"""Note on order in a game with partners."""


def document(result: GameStatistics, command: str = "") -> Document:
    """The report of the statistics of a game.

    Args:
        result: the statistics.
        command: the command line that makes them again; empty: none is quoted.
    """
    one_sided = result.spec.one_sided
    meanings = OF_ONE_SIDE if one_sided else STATISTICS
    statistics: list[list[Text]] = [
        [name, _number(value.mean, 3), _ends(value), meanings[name]] for name, value in result.statistics.items()
    ]
    parts: list[Block | Only] = [
        *([in_file(Words(("Written by ", Code(command), ".")))] if command else []),
        Words(f"{_players_text(result)}."),
        Heading("Experiments"),
        Table(["", *(EXPERIMENTS[name] for name in result.experiments)], _experiment_rows(result)),
        in_file(Words(NOTES)),
        Heading("Statistics"),
        Table(["statistic", "value", "95% interval", "meaning"], statistics),
        in_file(Words("Intervals are of a bootstrap over games.")),
    ]
    if result.spec.team and not one_sided and "order" in result.statistics:
        parts.append(Words(TEAM_NOTE))
    if result.complete and not one_sided:
        parts.append(Picture("the six statistics", "radar", functools.partial(radar_png, result)))
    return Document(f"{full_title(result.spec)}: statistics", parts)


def _number(value: float, digits: int) -> str:
    """A number as text; a dash where there is none."""
    return f"{value:z.{digits}f}" if math.isfinite(value) else "-"


def _ends(value: Interval) -> str:
    """The ends of an interval as text; a dash where there are none."""
    return " to ".join(_number(end, 3) for end in value.ci95) if all(map(math.isfinite, value.ci95)) else "-"


def _experiment_rows(result: GameStatistics) -> list[list[str]]:
    """The figures of the experiments, a row for each figure."""

    def decisions(figures: Experiment) -> str:
        """The decisions a game with their standard error."""
        error = f" ±{figures.decisions_se:.2f}" if figures.decisions_se > 0 else ""
        return f"{figures.decisions:.2f}{error}"

    cells: dict[str, Callable[[Experiment], str]] = {
        "games": lambda figures: f"{figures.games:,}",
        "decisions a game": decisions,
        "shortest and longest": lambda figures: f"{figures.shortest}, {figures.longest}",
        "options a decision": lambda figures: f"{figures.options:.2f}",
        "forced decisions, %": lambda figures: f"{100 * figures.forced:.1f}",
        "first places by seat, %": lambda figures: " ".join(_number(100 * share, 1) for share in figures.wins),
        "cut off": lambda figures: f"{figures.truncated:,}",
    }
    if result.spec.one_sided:
        del cells["first places by seat, %"]
    if not any(figures.truncated for figures in result.experiments.values()):
        del cells["cut off"]
    return [[label, *map(cell, result.experiments.values())] for label, cell in cells.items()]


def _players_text(result: GameStatistics) -> str:
    """The rule options, the AI and the seed of the figures, in words."""
    words = [f"seed {result.seed}"]
    if result.complete:
        words.insert(0, f"the AI is {result.ai}")
    if result.options:
        words.insert(0, options_text(result.options))
    return "; ".join(words)


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


def radar_png(result: GameStatistics) -> bytes:
    """The six statistics as a radar plot, from 0 in the middle to 1 at the rim, with their intervals; a PNG's content.

    A statistic below 0, as order is where the AI does worse than random players, is drawn in the middle.

    Raises:
        ValueError: not all experiments were played.
    """
    if not result.complete:
        raise ValueError("the radar plot needs all six statistics, and games with an AI were not played")
    figure = new_figure(5.4, 5.4)
    axes = figure.add_subplot(projection="polar")
    draw_radar(axes, {name: value.mean for name, value in result.statistics.items()}, color="tab:blue")
    angles = axes.get_xticks()
    for angle, value in zip(angles, result.statistics.values(), strict=True):
        if all(map(math.isfinite, value.ci95)):
            axes.plot([angle, angle], np.clip(value.ci95, 0, 1), color="tab:blue", linewidth=3, alpha=0.6)
    axes.set_xticks(angles, [f"{name}\n{_number(value.mean, 2)}" for name, value in result.statistics.items()], fontsize=9)
    axes.tick_params(axis="x", pad=12)
    axes.set_title(f"{full_title(result.spec)}, {short_label(result.ai)}", fontsize=11)
    return png(figure)

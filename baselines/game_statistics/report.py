"""The report of statistics of a game: tables for the terminal, Markdown, the radar plot."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.table import Table

from cardenvs.baselines.game_statistics.experiments import EXPERIMENTS
from cardenvs.baselines.game_statistics.results import STATISTICS, Experiment, GameStatistics
from cardenvs.baselines.reporting import new_figure, options_text, picture_lines, png, short_label
from cardenvs.baselines.statistics import Interval
from cardenvs.printing import code, escaped, printable, table_lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_STATISTIC_HEADS = ("statistic", "value", "95% interval", "meaning")


def _number(value: float, digits: int) -> str:
    """A number as text; a dash where there is none."""
    return f"{value:z.{digits}f}" if math.isfinite(value) else "-"


def _experiment_heads(result: GameStatistics) -> list[str]:
    """The columns of the table of experiments: what is counted, then an experiment each."""
    return ["", *(EXPERIMENTS[name] for name in result.experiments)]


def _experiment_rows(result: GameStatistics) -> list[list[str]]:
    """The rows under `_experiment_heads`."""

    def decisions(figures: Experiment) -> str:
        """The decisions a game with their standard error."""
        error = f" ±{figures.decisions_se:.2f}" if math.isfinite(figures.decisions_se) else ""
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
    if not any(figures.truncated for figures in result.experiments.values()):
        del cells["cut off"]
    return [[label, *map(cell, result.experiments.values())] for label, cell in cells.items()]


def _statistic_row(name: str, value: Interval) -> list[str]:
    """A statistic's row under `_STATISTIC_HEADS`."""
    ends = " to ".join(_number(end, 3) for end in value.ci95) if all(map(math.isfinite, value.ci95)) else "-"
    return [name, _number(value.mean, 3), ends, STATISTICS[name]]


def _players_text(result: GameStatistics) -> str:
    """The rule options, the AI and the seed of the figures, in words."""
    words = [f"seed {result.seed}"]
    if result.complete:
        words.insert(0, f"the AI is {result.ai}")
    if result.options:
        words.insert(0, options_text(result.options))
    return "; ".join(words)


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


def tables(result: GameStatistics, console: Console) -> Iterator[Table | str]:
    """The statistics as tables and lines of text for a console."""
    del console  # nothing depends on its width
    yield printable(f"{result.title}: {_players_text(result)}")
    figures = Table()
    for k, head in enumerate(_experiment_heads(result)):
        figures.add_column(head, justify="left" if k == 0 else "right")
    for row in _experiment_rows(result):
        figures.add_row(*row)
    yield figures
    statistics = Table()
    for k, head in enumerate(_STATISTIC_HEADS):
        statistics.add_column(head, justify="right" if k in (1, 2) else "left")
    for name, value in result.statistics.items():
        statistics.add_row(*_statistic_row(name, value))
    yield statistics
    if result.team and "order" in result.statistics:
        yield TEAM_NOTE


def markdown(result: GameStatistics, command: str, radar: str | None) -> str:
    """The report as Markdown.

    Args:
        result: the statistics.
        command: the command line that makes the report again.
        radar: the file name of the radar plot; None: there is none.
    """
    statistics = [[*_statistic_row(name, value)] for name, value in result.statistics.items()]
    lines = [
        f"# {escaped(result.title)}: statistics",
        "",
        f"Written by {code(command)}.",
        "",
        f"{escaped(_players_text(result))}.",
        "",
        *table_lines(_experiment_heads(result), _experiment_rows(result)),
        NOTES,
        "",
        *table_lines(_STATISTIC_HEADS, statistics),
        "Intervals are of a bootstrap over games."
        + (f" {TEAM_NOTE}" if result.team and "order" in result.statistics else ""),
        "",
        *picture_lines("the six statistics", radar),
    ]
    return "\n".join(lines).rstrip() + "\n"


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
    axes.set_title(f"{result.title}, {short_label(result.ai)}", fontsize=11)
    return png(figure)

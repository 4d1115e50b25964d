"""The plots of the report on published statistics, as PNG files."""

from __future__ import annotations

from cardenvs.baselines.game_statistics.report import draw_radar
from cardenvs.baselines.reports.pictures import new_figure, png
from cardenvs.baselines.reproduce.recycle.measure import Reproduction
from cardenvs.baselines.reproduce.recycle.published import TABLES

_COLUMNS = 3
"""Number of radar plots side by side."""


def radar_png(result: Reproduction) -> bytes:
    """The games of the first published table that were played, a radar plot each: published and ours; a PNG's content."""
    played = {row.figure.game for row in result.statistics}
    games = [game for game in next(iter(TABLES.values())) if game in played]
    rows = -(-len(games) // _COLUMNS)
    figure = new_figure(9.6, 3.6 * rows)
    for number, game in enumerate(games, 1):
        axes = figure.add_subplot(rows, _COLUMNS, number, projection="polar")
        of_game = [row for row in result.statistics if row.figure.game == game]
        printed = {row.figure.of: row.figure.value for row in of_game}
        draw_radar(axes, printed, label="published", color="0.45", linestyle="--")
        draw_radar(axes, {row.figure.of: row.ours for row in of_game}, label="ours", color="tab:blue")
        axes.set_xticks(axes.get_xticks(), list(printed), fontsize=8)
        axes.set_title(game, fontsize=10)
        if number == 1:
            axes.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(-0.35, 1.2))
    return png(figure)


def options_png(result: Reproduction) -> bytes:
    """The options of a decision by trick, published and ours; a PNG's content."""
    figure = new_figure(7.0, 4.0)
    axes = figure.add_subplot()
    tricks = range(1, len(result.options) + 1)
    for number, (who, colour) in enumerate((("leader", "tab:blue"), ("others", "tab:orange"))):
        rows = [pair[number] for pair in result.options]
        axes.errorbar(
            tricks,
            [row.ours for row in rows],
            yerr=[row.error for row in rows],
            fmt="-",
            color=colour,
            label=f"{who}, ours",
        )
        axes.plot(tricks, [row.figure.value for row in rows], "x", color=colour, label=f"{who}, published")
    axes.set_xticks(list(tricks))
    axes.set_xlabel("trick")
    axes.set_ylabel("options of a decision")
    axes.legend(frameon=False)
    axes.grid(color="0.92")
    axes.set_axisbelow(True)
    return png(figure)

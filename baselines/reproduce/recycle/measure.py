"""The described games of CardStock's published statistics played again, resumably, and compared.

Published figures, in ``data/recycle_statistics.json``, are of 100 games an experiment. With each is how far it was rounded,
and whether it can be trusted: whether a program that shares nothing with ours has reproduced it from the rules. Differences
are in joint standard errors: of ours, and of the published figure, which is taken to scatter as much as ours would with as
few games. What rounding can have done to the published figure is first taken off.
"""

import functools
import math
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cardenvs.baselines.game_statistics import (
    EXPERIMENTS,
    STATISTICS,
    StatisticsSettings,
    open_options,
    statistics_settings,
    take_statistics,
)
from cardenvs.baselines.game_statistics.report import draw_radar
from cardenvs.baselines.reports.columns import Column, Columns, Row, computed_column
from cardenvs.baselines.reports.document import Block, Document, Heading, Only, Picture, Table, Words, in_file
from cardenvs.baselines.reports.pictures import new_figure, png
from cardenvs.baselines.reports.statistics import Z95
from cardenvs.baselines.reports.template import fill_report
from cardenvs.baselines.reproduce.papers import count_agreeing, describe_differences, judged, paper_data, verdict, z_score
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.files import write_whole
from cardenvs.recycle import shipped
from cardenvs.recycle.library import FOLDER, SUFFIX

PUBLISHED = paper_data("recycle_statistics")  # the whole content of the file of published figures
LIMIT = 3.0  # a figure agrees with the published one if they differ by at most so many joint standard errors
GAMES_PUBLISHED = int(PUBLISHED["games"])  # number of games of each published experiment
_HEAD = ("published", "ours", "error", "differs by")  # of a figure in tables
_RADARS = 3  # number of radar plots side by side
RANDOM = "random"  # the experiment of games between random players, in `EXPERIMENTS`

Figure = Columns(
    "Figure",
    Column("published", "the published figure"),
    Column("table", "the title of the published table"),
    Column("game", "the game's name"),
    Column("seats", "the number of players"),
    Column("of", "a key of `STATISTICS`, or what a mean is of"),
    Column("rounding", "by how much rounding can have changed the figure"),
    Column("doubt", "the reason why it is not to be trusted; empty for one that is", default=""),
)
"""A published figure."""

STATISTICS_FIGURES = [Figure(*values) for values in PUBLISHED["statistics"]]  # the published statistics
DECISIONS = [Figure(*values) for values in PUBLISHED["decisions"]]
"""The published numbers of decisions a game, whose `of` is a key of `EXPERIMENTS`."""
OPTIONS = {who: [Figure(*values) for values in PUBLISHED["options"][who]] for who in PUBLISHED["options"]}
"""By trick, the published options of a decision in random games, of the ``leader`` and of the ``others``."""
ALL_GAMES = tuple(sorted({row.game for row in (*STATISTICS_FIGURES, *DECISIONS)}))
"""The names of all games with published figures."""


def _z(row: Row) -> float:
    if not math.isfinite(row.ours) or not math.isfinite(row.error):
        return math.nan
    joint = row.error * math.sqrt(1 + row.games / GAMES_PUBLISHED)
    return z_score(row.ours - row.published, joint, row.rounding)


Comparison = Columns(
    "Comparison",
    *Figure,
    Column("ours", "what was measured here; nan where no game shows it"),
    Column("error", "its standard error; nan or infinite where there are too few games for one", json="se"),
    Column("games", "number of games it is of"),
    computed_column("z", _z, json=None, meaning="the difference in joint standard errors; nan for none"),
    computed_column(
        "agrees", lambda row: None if row.doubt or math.isnan(row.z) else abs(row.z) <= LIMIT, json=None,
        meaning="whether the two agree; None where the published figure is not to be trusted, or nothing was measured",
    ),
)  # fmt: skip
"""A published figure beside ours."""


def document(result: Row, command: str = "") -> Document:
    """Returns the report of a `Reproduction`."""
    tables = PUBLISHED["tables"]
    radar = Picture("the six statistics, published and ours", "radar", functools.partial(radar_png, result))
    decisions = [
        [f"{row.game}, {row.seats}", EXPERIMENTS[row.of], *_cells(row), verdict(row.agrees)] for row in result.decisions
    ]
    options = [
        [str(trick), *_cells(pair["leader"]), *_cells(pair["others"])] for trick, pair in enumerate(result.options, 1)
    ]
    return fill_report(
        Path(__file__).with_name("report.md"),
        result=result,
        command=command,
        source=PUBLISHED["source"],
        origins=" ".join(f"{table['title']}: {table['origin']}." for table in tables),
        differences=describe_differences(result.comparisons, lambda row: f"{row.game}, {row.of}"),
        radar=radar if any(row.table == tables[0]["title"] for row in result.statistics) else None,
        statistics=_list_statistics(result.statistics),
        decisions=Table(["game, seats", "players", *_HEAD, ""], decisions, left=2, spare=["error"]),
        doubts=_describe_doubts(result.decisions),
        options_plot=Picture("options by trick", "options", functools.partial(options_png, result)),
        options=Table(["trick", "leader", *_HEAD[1:], "others", *_HEAD[1:]], options, spare=["error"]),
    )


def _list_statistics(statistics: list[Row]) -> list[Block | Only]:
    """A section for each statistic."""
    parts: list[Block | Only] = []
    for name, meaning in STATISTICS.items():
        rows = [row for row in statistics if row.of == name]
        if rows:
            cells = [[row.game, *_cells(row), verdict(row.agrees)] for row in rows]
            parts += [Heading(name.capitalize()), in_file(Words(f"{meaning[0].upper()}{meaning[1:]}."))]
            parts += [Table(["game", *_HEAD, ""], cells), *_describe_doubts(rows)]
    return parts


def _describe_doubts(rows: Iterable[Row]) -> list[Words]:
    """The reasons why some figures are not judged; empty if all are."""
    games: dict[str, list[str]] = {}
    for row in rows:
        if row.doubt:
            games.setdefault(row.doubt, []).append(row.game)
    doubts = "; ".join(f"{', '.join(names)} ({doubt})" for doubt, names in games.items())
    return [Words(f"Not judged: {doubts}.")] if games else []


def _number(value: float, digits: int) -> str:
    return f"{value:z.{digits}f}" if math.isfinite(value) else "-"


def _cells(row: Row) -> list[str]:
    """A comparison under `_HEAD`, with the digits that rounding has left."""
    digits = max(0, round(-math.log10(2 * row.rounding)))
    printed = _number(row.published, digits)
    if float(printed) != row.published:
        printed = f"{row.published:g}"
    difference = "-" if math.isnan(row.z) else f"{row.z:+z.1f}" if math.isfinite(row.z) else "beyond all errors"
    shown = "0" if row.z == 0 else difference
    return [printed, _number(row.ours, max(3, digits)), _number(row.error, max(4, digits)), shown]


def radar_png(result: Row) -> bytes:
    """Draws the games of the first published table that were played, a radar plot each: published and ours."""
    played = {row.game for row in result.statistics}
    games = [game for game in PUBLISHED["tables"][0]["games"] if game in played]
    lines = -(-len(games) // _RADARS)
    figure = new_figure(9.6, 3.6 * lines)
    for number, game in enumerate(games, 1):
        axes = figure.add_subplot(lines, _RADARS, number, projection="polar")
        of_game = [row for row in result.statistics if row.game == game]
        printed = {row.of: row.published for row in of_game}
        draw_radar(axes, printed, label="published", color="0.45", linestyle="--")
        draw_radar(axes, {row.of: row.ours for row in of_game}, label="ours", color="tab:blue")
        axes.set_xticks(axes.get_xticks(), list(printed), fontsize=8)
        axes.set_title(game, fontsize=10)
        if number == 1:
            axes.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(-0.35, 1.2))
    return png(figure)


def options_png(result: Row) -> bytes:
    """Draws the options of a decision by trick, published and ours."""
    figure = new_figure(7.0, 4.0)
    axes = figure.add_subplot()
    tricks = range(1, len(result.options) + 1)
    for who, colour in (("leader", "tab:blue"), ("others", "tab:orange")):
        rows = [pair[who] for pair in result.options]
        style: dict[str, Any] = {"fmt": "-", "color": colour, "label": f"{who}, ours"}
        axes.errorbar(tricks, [row.ours for row in rows], yerr=[row.error for row in rows], **style)
        axes.plot(tricks, [row.published for row in rows], "x", color=colour, label=f"{who}, published")
    axes.set_xticks(list(tricks))
    axes.set_xlabel("trick")
    axes.set_ylabel("options of a decision")
    axes.legend(frameon=False)
    axes.grid(color="0.92")
    axes.set_axisbelow(True)
    return png(figure)


def _comparisons(result: Row) -> list[Row]:
    return [*result.statistics, *result.decisions, *(row for pair in result.options for row in pair.values())]


Reproduction = Columns(
    "Reproduction",
    Column("games", "number of games of each experiment"),
    Column("seed", "the seed"),
    Column("played", "the statistics of the games, by name"),
    Column("statistics", "the published statistics beside ours (`Comparison`)"),
    Column("decisions", "the published numbers of decisions beside ours (`Comparison`)"),
    Column("options", "for each trick the published options of the ``leader`` and of the ``others`` beside ours "
           "(`Comparison`); empty if not asked for"),
    computed_column("games_published", lambda row: GAMES_PUBLISHED, json=None),
    computed_column("limit", lambda row: LIMIT, json=None),
    computed_column("comparisons", _comparisons),
    computed_column("judged", lambda row: len(judged(row.comparisons)), json=None),
    computed_column("agree", lambda row: count_agreeing(row.comparisons), json=None),
    document=document,
)  # fmt: skip
"""The figures of the games played, and their comparisons with published ones."""


@functools.cache
def players(game: str) -> int:
    """Returns the number of players of a game as it is described here, with which its statistics were published."""
    return shipped(game).players


def game_of(name: str, seats: int, folder: Path) -> GameSpec:
    """Returns a described game that ships with the package, or the same with another number of players.

    Args:
        folder: where a description with another number of players is written, so that other processes find it there.
    """
    if players(name) == seats:
        return get_game(str(FOLDER / f"{name}{SUFFIX}"))
    path = folder / f"{name}-{seats}{SUFFIX}"
    text = re.sub(r"\(create players \d+\)", f"(create players {seats})", shipped(name).source, count=1)
    if not path.is_file() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)
    return get_game(str(path))


def list_games(names: Sequence[str]) -> list[tuple[str, int, bool]]:
    """Lists the games to play: each game's name, its number of seats, and whether only at random."""
    with_ai = {row.game for row in (*STATISTICS_FIGURES, *DECISIONS) if row.of != RANDOM}
    others = [(row.game, row.seats, True) for row in DECISIONS if row.game in names and row.seats != players(row.game)]
    return [(name, players(name), name not in with_ai) for name in names] + others


def total_games(names: Sequence[str], games: int) -> int:
    """Returns the number of games that `reproduce` plays."""
    return sum(games if random_only else games * len(EXPERIMENTS) for _, _, random_only in list_games(names))


def key(name: str, seats: int) -> str:
    """Returns the name in results of a game with a number of seats."""
    return name if players(name) == seats else f"{name}-{seats}"


def reproduce(
    names: Sequence[str],
    games: int,
    seed: int,
    out: Path,
    workers: int | None,
    cluster: str | None,
    progress: Callable[[int, str], None],
) -> Row:
    """Plays games of the published statistics that are not finished, and returns a `Reproduction`.

    Args:
        names: the games' names, some of `ALL_GAMES`.
        games: number of games of each experiment, at least 1.
        out: folder for finished games, in which an interrupted run goes on; made if there is none.
        progress: called with the number of games finished since the last call and what is played.

    Raises:
        ValueError: the folder holds a run with other settings; a wrong number.
        OSError: the folder cannot be written.
        RuntimeError: a worker process died.
    """
    played: dict[str, Any] = {}
    settings: dict[str, StatisticsSettings] = {}
    for name, seats, random_only in list_games(names):
        title = key(name, seats)
        settings[title] = statistics_settings(game_of(name, seats, out), games=games, seed=seed, random_only=random_only)

        def count(experiment: str, finished: int, title: str = title) -> None:
            progress(finished, f"{title}, {EXPERIMENTS[experiment]}")

        played[title] = take_statistics(
            settings[title], out / title, random_only=random_only, workers=workers, cluster=cluster, progress=count
        )
    statistics, decisions = [], []
    for row in STATISTICS_FIGURES:
        if row.game in names:
            value, at_random = played[row.game].statistics[row.of], played[row.game].experiments[RANDOM]
            error = (value.high - value.low) / 2 / Z95
            statistics.append(Comparison.of(row, ours=value.mean, error=error, games=at_random.games))
    for row in DECISIONS:
        if row.game in names:
            of = played[key(row.game, row.seats)].experiments[row.of]
            decisions.append(Comparison.of(row, ours=of.decisions, error=of.decisions_se, games=of.games))
    options = _compare_options(settings["hearts"]) if "hearts" in names else []
    return Reproduction(games, seed, played, statistics, decisions, options)


def _compare_options(settings: StatisticsSettings) -> list[dict[str, Row]]:
    """The published options by trick beside those of the random games."""
    n, tricks = settings.games, len(OPTIONS["leader"])
    counts = np.array(open_options(settings, range(n)), np.float64).reshape(n, tricks, settings.spec.seats)
    ours = {"leader": counts[:, :, 0], "others": counts[:, :, 1:].mean(2)}

    def compared(who: str, trick: int) -> Row:
        values = ours[who][:, trick]
        error = float(values.std(ddof=1)) / math.sqrt(n) if n > 1 else math.nan
        return Comparison.of(OPTIONS[who][trick], ours=float(values.mean()), error=error, games=n)

    return [{who: compared(who, trick) for who in OPTIONS} for trick in range(tricks)]

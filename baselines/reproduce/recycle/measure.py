"""The described games of CardStock's published statistics played again, resumably, and compared.

Published figures, in ``data/recycle_statistics.json``, are of 100 games an experiment. With each is how far it was rounded,
and whether it can be trusted: whether a program that shares nothing with ours has reproduced it from the rules. Differences
are in joint standard errors: of ours, and of the published figure, which is taken to scatter as much as ours would with as
few games. What rounding can have done to the published figure is first taken off.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cardenvs.baselines.game_statistics import (
    EXPERIMENTS,
    StatisticsSettings,
    open_options,
    statistics_settings,
    take_statistics,
)
from cardenvs.baselines.reports.columns import Column, Columns, Row, computed_column
from cardenvs.baselines.reports.statistics import Z95
from cardenvs.baselines.reproduce.papers import count_agreeing, judged, paper_data, z_score
from cardenvs.baselines.reproduce.recycle import report
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.files import write_whole
from cardenvs.recycle import shipped
from cardenvs.recycle.library import FOLDER, SUFFIX

PUBLISHED = paper_data("recycle_statistics")  # the whole content of the file of published figures
LIMIT = 3.0  # a figure agrees with the published one if they differ by at most so many joint standard errors
GAMES_PUBLISHED = int(PUBLISHED["games"])  # number of games of each published experiment
ALL_GAMES = tuple(sorted({row[2] for kind in ("statistics", "decisions") for row in PUBLISHED[kind]}))
"""The names of all games with published figures."""
RANDOM = "random"  # the experiment of games between random players, in `EXPERIMENTS`

Progress = Callable[[int, str], None]
"""A function that is called with the number of games finished since the last call and what is played."""

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
    document=report.document,
)  # fmt: skip
"""The figures of the games played, and their comparisons with published ones."""


@functools.cache
def players(game: str) -> int:
    """Returns the number of players of a game as it is described here, with which its statistics were published."""
    return shipped(game).players


def published_figures(kind: str) -> list[Row]:
    """Returns the published ``statistics``, or numbers of ``decisions`` a game, whose `of` is a key of `EXPERIMENTS`."""
    return [Figure(*values) for values in PUBLISHED[kind]]


def option_figures() -> list[dict[str, Row]]:
    """Returns, for each trick, the published options of a decision in random games, of the leader and of the others."""
    both = zip(*PUBLISHED["options"].values(), strict=True)
    return [{who: Figure(*values) for who, values in zip(PUBLISHED["options"], pair, strict=True)} for pair in both]


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
    decisions = published_figures("decisions")
    with_ai = {row.game for row in (*published_figures("statistics"), *decisions) if row.of != RANDOM}
    others = [(row.game, row.seats, True) for row in decisions if row.game in names and row.seats != players(row.game)]
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
    workers: int | None = None,
    cluster: str | None = None,
    progress: Progress = lambda finished, what: None,
) -> Row:
    """Plays games of the published statistics that are not finished, and returns a `Reproduction`.

    Args:
        names: the games' names, some of `ALL_GAMES`.
        games: number of games of each experiment, at least 1.
        out: folder for finished games, in which an interrupted run goes on; made if there is none.
        progress: called whenever games are finished.

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
    for row in published_figures("statistics"):
        if row.game in names:
            value, at_random = played[row.game].statistics[row.of], played[row.game].experiments[RANDOM]
            error = (value.high - value.low) / 2 / Z95
            statistics.append(Comparison.of(row, ours=value.mean, error=error, games=at_random.games))
    for row in published_figures("decisions"):
        if row.game in names:
            of = played[key(row.game, row.seats)].experiments[row.of]
            decisions.append(Comparison.of(row, ours=of.decisions, error=of.decisions_se, games=of.games))
    options = _compare_options(settings["hearts"]) if "hearts" in names else []
    return Reproduction(games, seed, played, statistics, decisions, options)


def _compare_options(settings: StatisticsSettings) -> list[dict[str, Row]]:
    """The published options by trick beside those of the random games."""
    tricks = option_figures()
    counts = np.array(open_options(settings, range(settings.games)), np.float64)
    by_trick = counts.reshape(settings.games, len(tricks), settings.spec.seats)
    ours = {"leader": by_trick[:, :, 0], "others": by_trick[:, :, 1:].mean(2)}
    n = settings.games
    return [
        {
            who: Comparison.of(
                figure,
                ours=float(ours[who][:, trick].mean()),
                error=float(ours[who][:, trick].std(ddof=1)) / math.sqrt(n) if n > 1 else math.nan,
                games=n,
            )
            for who, figure in figures.items()
        }
        for trick, figures in enumerate(tricks)
    ]

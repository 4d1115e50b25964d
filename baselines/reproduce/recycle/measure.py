"""Playing the described games of the published statistics again, resumably, and comparing.

Figures are compared in joint standard errors: of ours, and of the published one, which is taken to scatter as much as ours
would with as few games. What rounding can have done to the published figure is first taken off the difference.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.game_statistics import (
    EXPERIMENTS,
    StatisticsSettings,
    open_options,
    statistics_settings,
    take_statistics,
)
from cardenvs.baselines.reports.columns import Row
from cardenvs.baselines.reports.results import Result, plain
from cardenvs.baselines.reports.statistics import Z95
from cardenvs.baselines.reproduce.recycle import report
from cardenvs.baselines.reproduce.recycle.published import (
    GAMES_PUBLISHED,
    LIMIT,
    TABLES,
    Figure,
    decision_figures,
    option_figures,
    players,
    statistics_figures,
)
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.files import write_whole
from cardenvs.recycle import shipped
from cardenvs.recycle.library import FOLDER, SUFFIX

RANDOM = "random"
"""The experiment of games between random players, in `EXPERIMENTS`."""

Progress = Callable[[int, str], None]
"""A function that is called with the number of games finished since the last call and what is played."""


@dataclass(frozen=True, repr=False)
class Comparison(Result):
    """A published figure beside ours.

    Attributes:
        figure: the published figure.
        ours: what was measured here; nan where no game tells it.
        error: its standard error; nan or infinite where there are too few games for one.
        games: how many games it is of.
    """

    figure: Figure
    ours: float
    error: float
    games: int

    KEYS: ClassVar[Mapping[str, str]] = {"error": "se"}
    HIDDEN = ("figure",)
    ALSO = ("z", "agrees")

    @property
    def z(self) -> float:
        """The difference to the published figure, less what rounding can be, in joint standard errors; nan for none."""
        if not math.isfinite(self.ours) or not math.isfinite(self.error):
            return math.nan
        difference = self.ours - self.figure.value
        beyond = abs(difference) - self.figure.rounding
        joint = self.error * math.sqrt(1 + self.games / GAMES_PUBLISHED)
        if beyond <= 1e-9:
            return 0.0
        return math.copysign(beyond / joint if joint > 0 else math.inf, difference)

    @property
    def agrees(self) -> bool | None:
        """Whether the two agree; None where the published figure is not to be trusted, or nothing was measured."""
        return None if self.figure.doubt or math.isnan(self.z) else abs(self.z) <= LIMIT

    def figures(self) -> dict[str, Any]:
        """The figures as plain values, those of the published one among them."""
        figure = plain(self.figure)
        return {"published": figure.pop("value")} | figure | super().figures()


@dataclass(frozen=True, repr=False)
class Reproduction(Result):
    """All results of a reproduction: the figures of the games played, and their comparisons with published ones.

    Attributes:
        games: how many games each experiment had.
        seed: the seed.
        played: the statistics of the games, by name.
        statistics: the published statistics beside ours.
        decisions: the published numbers of decisions beside ours.
        options: the published options by trick beside ours, the leader's and those of the others; empty if not asked for.
    """

    games: int
    seed: int
    played: dict[str, Row]
    statistics: list[Comparison]
    decisions: list[Comparison]
    options: list[tuple[Comparison, Comparison]]

    @property
    def judged(self) -> list[Comparison]:
        """The comparisons with figures that can be trusted."""
        rows = [*self.statistics, *self.decisions, *(row for pair in self.options for row in pair)]
        return [row for row in rows if row.agrees is not None]

    def figures(self) -> dict[str, Any]:
        """The figures as plain values, and how many of the published ones agree."""
        agree = sum(row.agrees is True for row in self.judged)
        options = [{"leader": leader.figures(), "others": others.figures()} for leader, others in self.options]
        told = {"games_published": GAMES_PUBLISHED, "limit": LIMIT, "judged": len(self.judged), "agree": agree}
        return super().figures() | told | {"options": options}

    document = report.document


def game_of(name: str, seats: int, folder: Path) -> GameSpec:
    """A described game that ships with the package, or the same with another number of players.

    Args:
        name: the game's name.
        seats: the number of players.
        folder: where a description with another number of players is written, so that other processes find it there.

    Raises:
        ValueError: no such game.
        OSError: the folder cannot be written.
    """
    if players(name) == seats:
        return get_game(str(FOLDER / f"{name}{SUFFIX}"))
    path = folder / f"{name}-{seats}{SUFFIX}"
    text = re.sub(r"\(create players \d+\)", f"(create players {seats})", shipped(name).source, count=1)
    if not path.is_file() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)
    return get_game(str(path))


def _experiments(name: str) -> bool:
    """Whether the published figures of a game need games with the AI, too."""
    return any(name in games for games in TABLES.values()) or any(
        row.game == name and row.of != RANDOM for row in decision_figures()
    )


def work(names: Sequence[str]) -> list[tuple[str, int, bool]]:
    """Lists the games to play: each game's name, its number of seats, and whether only at random."""
    found = [(name, players(name), not _experiments(name)) for name in names]
    others = [
        (row.game, row.seats, True) for row in decision_figures() if row.game in names and row.seats != players(row.game)
    ]
    return found + others


def total_games(names: Sequence[str], games: int) -> int:
    """Number of games that `reproduce` plays."""
    return sum(games if random_only else games * len(EXPERIMENTS) for _, _, random_only in work(names))


def key(name: str, seats: int) -> str:
    """The name in results of a game with a number of seats."""
    return name if players(name) == seats else f"{name}-{seats}"


def reproduce(
    names: Sequence[str],
    games: int,
    seed: int,
    out: Path,
    workers: int | None = None,
    cluster: str | None = None,
    progress: Progress | None = None,
) -> Reproduction:
    """Plays games of the published statistics again, as far as they are not finished, and compares.

    Args:
        names: the games' names, some of `published.all_games`.
        games: how many games each experiment has, at least 1.
        seed: int >= 0.
        out: folder for finished games, in which an interrupted run goes on; made if there is none.
        workers: processes that play games with an AI; None: one for each core.
        cluster: where they work, as in `cardenvs.baselines.engine.work.work`.
        progress: called whenever games are finished.

    Raises:
        ValueError: the folder holds a run with other settings; a wrong number.
        OSError: the folder cannot be written.
        RuntimeError: a worker process died.
    """
    played: dict[str, Row] = {}
    settings: dict[str, StatisticsSettings] = {}
    for name, seats, random_only in work(names):
        called = key(name, seats)
        spec = game_of(name, seats, out)
        settings[called] = statistics_settings(spec, games=games, seed=seed, random_only=random_only)

        def count(experiment: str, finished: int, called: str = called) -> None:
            """Reports the number of finished games."""
            if progress is not None:
                progress(finished, f"{called}, {EXPERIMENTS[experiment]}")

        played[called] = take_statistics(
            settings[called], out / called, random_only=random_only, workers=workers, cluster=cluster, progress=count
        )
    curves = [pair for pair in option_figures() if pair[0].game in names]
    return Reproduction(
        games,
        seed,
        played,
        [_statistic(row, played[row.game]) for row in statistics_figures() if row.game in names],
        [
            _decisions(row, played[key(row.game, row.seats)].experiments[row.of])
            for row in decision_figures()
            if row.game in names
        ],
        _options(curves, settings[curves[0][0].game]) if curves else [],
    )


def _statistic(row: Figure, of: Row) -> Comparison:
    """A published statistic beside ours."""
    value = of.statistics[row.of]
    games = of.experiments[RANDOM].games
    return Comparison(row, value.mean, (value.high - value.low) / 2 / Z95, games)


def _decisions(row: Figure, of: Row) -> Comparison:
    """A published number of decisions beside ours."""
    return Comparison(row, of.decisions, of.decisions_se, of.games)


def _options(pairs: Sequence[tuple[Figure, Figure]], settings: StatisticsSettings) -> list[tuple[Comparison, Comparison]]:
    """The published options by trick beside those of the random games."""
    seats = settings.spec.seats
    counts = np.array(open_options(settings, range(settings.games)), np.float64)
    by_trick = counts.reshape(settings.games, len(pairs), seats)

    def beside(row: Figure, of_games: npt.NDArray[np.float64]) -> Comparison:
        """A published mean beside that of some games."""
        n = len(of_games)
        error = float(of_games.std(ddof=1)) / math.sqrt(n) if n > 1 else math.nan
        return Comparison(row, float(of_games.mean()), error, n)

    return [
        (beside(leader, by_trick[:, trick, 0]), beside(others, by_trick[:, trick, 1:].mean(1)))
        for trick, (leader, others) in enumerate(pairs)
    ]

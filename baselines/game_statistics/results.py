"""The figures: those of each experiment, and the six statistics with their bootstrap intervals."""

from __future__ import annotations

import functools
import math
import os
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np

from cardenvs.baselines.game_statistics import report
from cardenvs.baselines.game_statistics.games import (
    ALL_AI,
    BEATEN,
    EXPERIMENTS,
    OF_ONE_SIDE,
    ONE_AI,
    RANDOM,
    STATISTICS,
    PlayedGames,
)
from cardenvs.baselines.game_statistics.settings import StatisticsSettings
from cardenvs.baselines.game_statistics.workers import Progress, play_all
from cardenvs.baselines.reports.results import Result
from cardenvs.baselines.reports.statistics import Interval, alike
from cardenvs.baselines.runs.store import Store
from cardenvs.contract.spec import GameSpec

RESAMPLES = 2000
"""Number of resamples of the games for an interval, where that is not too much."""
_DRAWS = 100_000_000
"""Maximum number of games drawn for an interval, about; but a tenth of `RESAMPLES` is always made."""


@dataclass(frozen=True, repr=False)
class Experiment(Result):
    """The figures of an experiment.

    Attributes:
        games: how many games there were.
        decisions: decisions a game; forced ones count.
        decisions_se: its standard error; nan for one game.
        options: options a decision, merged ones counted one by one.
        forced: the share of decisions with one option.
        shortest: the decisions of the shortest game.
        longest: the decisions of the longest game.
        wins: each seat's share of the first places in games that were finished, ties shared; nan if none was, and in a
            game of one side.
        truncated: how many games were cut off.
    """

    games: int
    decisions: float
    decisions_se: float
    options: float
    forced: float
    shortest: int
    longest: int
    wins: tuple[float, ...]
    truncated: int

    HIDDEN = ("shortest", "longest")


@dataclass(frozen=True, repr=False)
class GameStatistics(Result):
    """Statistics of a game.

    Attributes:
        spec: the game.
        options: all rule options.
        ai: the AI's name or path.
        seed: the seed of the games.
        experiments: the figures of each experiment that was played, by the names in `EXPERIMENTS`.
        statistics: of the six statistics those that the experiments tell, by the names in `STATISTICS`, in their order; nan
            where no game tells it, as in a game of one side all but convergence and spread.
    """

    spec: GameSpec
    options: dict[str, Any]
    ai: str
    seed: int
    experiments: Mapping[str, Experiment]
    statistics: Mapping[str, Interval]

    @property
    def complete(self) -> bool:
        """Whether all experiments were played, so that there are all six statistics."""
        return set(self.experiments) == set(EXPERIMENTS)

    @property
    def game(self) -> str:
        """The game's name."""
        return self.spec.name

    def figures(self) -> dict[str, Any]:
        """The figures as plain values: of each experiment, and the six statistics if all experiments were played."""
        figures: dict[str, Any] = {"game": self.game, "seats": self.spec.seats}
        figures |= {name: experiment.figures() for name, experiment in self.experiments.items()}
        if self.complete:
            figures |= {name: {"value": value.mean, "ci95": value.ci95} for name, value in self.statistics.items()}
        return figures

    document = report.document


def experiment_of(played: PlayedGames, one_sided: bool = False) -> Experiment:
    """The figures of some games, in which nobody is first if they are of one side."""
    n, decisions = played.games, int(played.decisions.sum())
    firsts = played.firsts[played.finished]
    ranked = len(firsts) and not one_sided
    return Experiment(
        games=n,
        decisions=decisions / n,
        decisions_se=float(played.decisions.std(ddof=1)) / math.sqrt(n) if n > 1 else math.nan,
        options=int(played.options.sum()) / decisions,
        forced=int(played.forced.sum()) / decisions,
        shortest=int(played.decisions.min()),
        longest=int(played.decisions.max()),
        wins=tuple(firsts.mean(0).tolist()) if ranked else (math.nan,) * played.ranks.shape[1],
        truncated=n - len(firsts),
    )


def _interval(of: Callable[..., Any], columns: tuple[Any, ...], seed: int) -> Interval:
    """A statistic of sums over games with its 95% interval by the bootstrap; without ends where all draws are alike."""
    from scipy.stats import DegenerateDataWarning, bootstrap  # half a second, which `cardenvs --help` does not wait for

    if not len(columns[0]):
        return Interval(math.nan, math.nan, math.nan)
    with np.errstate(invalid="ignore", divide="ignore"), warnings.catch_warnings():  # of no decisions there is no mean
        warnings.simplefilter("ignore", DegenerateDataWarning)
        value = float(of(*(column.sum() for column in columns)))
        if math.isnan(value):
            return Interval(value, value, value)
        if len(columns[0]) == 1:
            return Interval(value, -math.inf, math.inf)

        def statistic(*drawn: Any, axis: int = -1) -> Any:
            """The statistic of the games that are drawn."""
            return of(*(column.sum(axis) for column in drawn))

        n = len(columns[0])
        draws = bootstrap(
            columns,
            statistic,
            paired=True,
            vectorized=True,
            method="percentile",
            n_resamples=max(min(RESAMPLES, _DRAWS // n), RESAMPLES // 10),
            batch=max(1, 2_000_000 // n),
            random_state=np.random.default_rng(seed),
        ).bootstrap_distribution
    if alike(draws[~np.isnan(draws)]):
        return Interval(value, -math.inf, math.inf)
    low, high = np.nanquantile(draws, (0.025, 0.975)).tolist()
    return Interval(value, min(low, value), max(high, value))


def _order(first: Any, games: Any, seats: int) -> Any:
    """Order: how far the share of the games in which the AI is first, alone or not, is above 1/n, of what it could be."""
    return (first / games - 1 / seats) / (1 - 1 / seats)


def _fairness(first: Any, games: Any, seats: int) -> Any:
    """Fairness: 1 where seat 0 has 1/n of the wins, 0 where it has none or all."""
    share = first / games
    return np.where(share <= 1 / seats, seats * share, (1 - share) * seats / (seats - 1))


def _convergence(slopes: Any, games: Any) -> Any:
    """Convergence: by the mean slope of the number of options."""
    return 1 - (slopes / games / 2 + 1 / 2)


def _mean(total: Any, count: Any) -> Any:
    """A mean over pooled decisions."""
    return np.divide(total, count)


def _security(below: Any, count: Any) -> Any:
    """Security: the share of decisions at which the winner's estimate is not below the mark."""
    return 1 - np.divide(below, count)


def statistics_of(played: Mapping[str, PlayedGames], seed: int = 0, one_sided: bool = False) -> dict[str, Interval]:
    """The statistics, of the six, that some experiments tell.

    With n seats these are, after CardStock:

    - order = (p - 1/n) / (1 - 1/n), where p is the share of the games of one AI in which nobody is better than the AI;
    - fairness = n p if p <= 1/n, else (1 - p) n / (n - 1), where p is seat 0's share of the wins in random play, in which
      seats that are level share the win;
    - convergence: the mean over random games of 1 - (s/2 + 1/2), where s is the least-squares slope of the number of
      options over the decision's index;
    - spread: the mean over decisions, all AI, of the best less the worst estimate for the mover, 0 for one option;
    - drama: with d = (1 + (n - 2) / (n - 1)) / 2, the mean of sqrt(d - e) over decisions, all AI, with e below d, where e
      is the mover's estimate, for the option that it took, of the seat that won, the first of equals; with four seats
      e = d counts as below, as it does in the published figures;
    - security: the share of decisions with e not below d.

    Games that were cut off have neither wins nor a winner: they count in convergence and spread alone. In a game of one
    side nobody is better than anybody: estimates are points, so that spread is, too, and order, fairness, drama and
    security do not exist.

    Args:
        played: the games of experiments, by the names in `EXPERIMENTS`.
        seed: the seed of the bootstrap.
        one_sided: whether the games are of one side.

    Returns:
        The statistics by name, in the order of `STATISTICS`, with 95% intervals of a bootstrap over games.
    """
    found: dict[str, Interval] = {}
    if RANDOM in played:
        games = played[RANDOM]
        seats = games.ranks.shape[1]
        firsts = games.firsts[games.finished][:, 0]
        found["fairness"] = _interval(functools.partial(_fairness, seats=seats), (firsts, np.ones(len(firsts))), seed)
        found["convergence"] = _interval(_convergence, (games.slopes, np.ones(games.games)), seed)
    if ONE_AI in played:
        games = played[ONE_AI]
        first = (games.ranks[games.finished][:, 0] == 0).astype(np.float64)
        order = functools.partial(_order, seats=games.ranks.shape[1])
        found["order"] = _interval(order, (first, np.ones(len(first))), seed)
    if ALL_AI in played:
        games = played[ALL_AI]
        told, below = games.told.astype(np.float64), games.below.astype(np.float64)
        found["spread"] = _interval(_mean, (games.spread, games.decisions.astype(np.float64)), seed)
        found["drama"] = _interval(_mean, (games.gaps, below), seed)
        found["security"] = _interval(_security, (below, told), seed)
    if one_sided:
        found |= {name: Interval(math.nan, math.nan, math.nan) for name in found if OF_ONE_SIDE[name] == BEATEN}
    return {name: found[name] for name in STATISTICS if name in found}


def results_of(store: Store[PlayedGames], random_only: bool = False) -> GameStatistics:
    """The figures of finished games.

    Args:
        store: the games.
        random_only: whether to leave out the experiments with an AI.

    Raises:
        ValueError: games are missing.
    """
    settings: StatisticsSettings = store.plan
    units = [(k, name) for k, name in enumerate(EXPERIMENTS) if name == RANDOM or not random_only]
    played = {name: store.load_unit(k) for k, name in units}
    alone = settings.spec.one_sided
    figures = {name: experiment_of(games, alone) for name, games in played.items()}
    statistics = statistics_of(played, settings.seed, alone)
    return GameStatistics(settings.spec, settings.options, settings.ai, settings.seed, figures, statistics)


def take_statistics(
    settings: StatisticsSettings,
    out: str | os.PathLike[str] | None = None,
    *,
    random_only: bool = False,
    workers: int | None = None,
    cluster: str | Executor | None = None,
    progress: Progress | None = None,
) -> GameStatistics:
    """Plays the experiments, as far as they are not finished, and makes the figures.

    Args:
        settings: the settings, from `statistics_settings`.
        out: folder for finished games, in which an interrupted run goes on. None keeps no files.
        random_only: whether to play games between random players alone.
        workers: processes that play games with an AI; None: one for each core.
        cluster: where they work, as in `cardenvs.baselines.engine.work.work`.
        progress: called whenever games are finished, as by `play_all`.

    Raises:
        ValueError: as by `play_all`.
        OSError: the folder cannot be written.
        RuntimeError: a worker process died.
    """
    experiments = (RANDOM,) if random_only else tuple(EXPERIMENTS)
    return results_of(
        play_all(settings, out, experiments=experiments, workers=workers, cluster=cluster, progress=progress), random_only
    )

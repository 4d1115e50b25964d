"""The figures: those of each experiment, and the six statistics with their bootstrap intervals."""

import functools
import math
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from typing import Any

import numpy as np

from cardenvs.baselines.engine.work import Task
from cardenvs.baselines.game_statistics import report
from cardenvs.baselines.game_statistics.experiments import (
    ALL_AI,
    BEATEN,
    EXPERIMENTS,
    OF_ONE_SIDE,
    ONE_AI,
    RANDOM,
    STATISTICS,
    PlayedGames,
    play_random,
)
from cardenvs.baselines.game_statistics.settings import StatisticsSettings
from cardenvs.baselines.reports.columns import Column, Columns, Row, computed_column, count_column
from cardenvs.baselines.reports.statistics import Interval, alike
from cardenvs.baselines.runs.store import Store, work_off
from cardenvs.checks import check_choice

RESAMPLES = 2000
"""Number of resamples of the games for an interval, where that is not too much."""
_DRAWS = 100_000_000
"""Maximum number of games drawn for an interval, about; but a tenth of `RESAMPLES` is always made."""
RANDOM_CHUNK = 4096
"""Random games that are played and kept at a time."""

Progress = Callable[[str, int], None]
"""A function that is called with an experiment's name and the number of games finished since the last call."""


def _decisions_text(row: Row) -> str:
    return f"{row.decisions:.2f}" + (f" ±{row.decisions_se:.2f}" if row.decisions_se > 0 else "")


Experiment = Columns(
    "Experiment",
    count_column("games", "number of games", "games"),
    Column("decisions", "decisions a game; forced ones count"),
    Column("decisions_se", "its standard error; nan for one game"),
    computed_column("decisions_text", _decisions_text, title="decisions a game"),
    computed_column("lengths", lambda row: f"{row.shortest}, {row.longest}", title="shortest and longest"),
    Column("options", "options a decision, merged ones counted one by one", "options a decision", "{:.2f}".format),
    Column("forced", "share of decisions with one option", "forced decisions, %", lambda share: f"{100 * share:.1f}"),
    Column("shortest", "the decisions of the shortest game", json=""),
    Column("longest", "the decisions of the longest game", json=""),
    Column("wins", "each seat's share of the first places in finished games, ties shared; nan if none was, and in a game "
           "of one side", "first places by seat, %",
           lambda shares: " ".join(report.number_text(100 * share, 1) for share in shares)),
    count_column("truncated", "games that were cut off", "cut off"),
)  # fmt: skip
"""The figures of an experiment."""


def _find_experiment(name: str, row: Row) -> Any:
    return row.experiments.get(name)


def _statistic_figures(name: str, row: Row) -> dict[str, Any] | None:
    """A statistic as JSON has it; None unless all experiments were played."""
    value = row.statistics[name] if row.complete else None
    return None if value is None else {"value": value.mean, "ci95": value.ci95}


GameStatistics = Columns(
    "GameStatistics",
    Column("spec", "the game"),
    computed_column("seats", lambda row: row.spec.seats, json=None, meaning="number of seats"),
    computed_column("game", lambda row: row.spec.name, meaning="the game's name"),
    Column("options", "all rule options", json=""),
    Column("ai", "the AI's name or path", json=""),
    Column("seed", "the seed of the games", json=""),
    Column("experiments", "the experiments played, by name in `EXPERIMENTS` (`Experiment`); one by one in JSON", json=""),
    Column("statistics", "the statistics that these experiments have, by name in `STATISTICS`, as intervals; nan where no "
           "game has one, as in a game of one side all but convergence and spread", json=""),
    computed_column("complete", lambda row: {*row.experiments} == {*EXPERIMENTS},
                    meaning="whether all experiments were played, so that there are all six statistics"),
    *(computed_column(name, functools.partial(_find_experiment, name), json=name, optional=True) for name in EXPERIMENTS),
    *(computed_column(name, functools.partial(_statistic_figures, name), json=name, optional=True) for name in STATISTICS),
    document=report.document,
)  # fmt: skip
"""Statistics of a game."""


def experiment_of(played: PlayedGames, one_sided: bool = False) -> Row:
    """The figures of some games (`Experiment`), without first places if they are of one side."""
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

    with np.errstate(invalid="ignore", divide="ignore"), warnings.catch_warnings():  # of no decisions there is no mean
        warnings.simplefilter("ignore", DegenerateDataWarning)
        value = float(of(*(column.sum() for column in columns)))
        if math.isnan(value):
            return Interval(value, value, value)
        if len(columns[0]) == 1:
            return Interval(value, -math.inf, math.inf)

        def statistic(*drawn: Any, axis: int = -1) -> Any:
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
    return (first / games - 1 / seats) / (1 - 1 / seats)


def _fairness(first: Any, games: Any, seats: int) -> Any:
    share = first / games
    return np.where(share <= 1 / seats, seats * share, (1 - share) * seats / (seats - 1))


def statistics_of(played: Mapping[str, PlayedGames], seed: int = 0, one_sided: bool = False) -> dict[str, Interval]:
    """The statistics, of the six, that some experiments tell, with 95% intervals of a bootstrap over games.

    With n seats these are, after CardStock:

    - order = (p - 1/n) / (1 - 1/n), where p is the share of the games of one AI in which no seat is better than the AI;
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
    side there is none to beat: estimates are points, so that spread is, too, and order, fairness, drama and security do
    not exist.

    Args:
        played: the games of experiments, by the names in `EXPERIMENTS`.
        seed: the seed of the bootstrap.
        one_sided: whether the games are of one side.
    """
    found: dict[str, Interval] = {}
    if RANDOM in played:
        games = played[RANDOM]
        seats, first = games.ranks.shape[1], games.firsts[games.finished][:, 0]
        found["fairness"] = _interval(functools.partial(_fairness, seats=seats), (first, np.ones(len(first))), seed)
        slopes = games.slopes, np.ones(games.games)
        found["convergence"] = _interval(lambda total, n: 1 - (total / n / 2 + 1 / 2), slopes, seed)
    if ONE_AI in played:
        games = played[ONE_AI]
        seats, first = games.ranks.shape[1], (games.ranks[games.finished][:, 0] == 0).astype(np.float64)
        found["order"] = _interval(functools.partial(_order, seats=seats), (first, np.ones(len(first))), seed)
    if ALL_AI in played:
        games = played[ALL_AI]
        told, below = games.told.astype(np.float64), games.below.astype(np.float64)
        found["spread"] = _interval(np.divide, (games.spread, games.decisions.astype(np.float64)), seed)
        found["drama"] = _interval(np.divide, (games.gaps, below), seed)
        found["security"] = _interval(lambda badly, n: 1 - np.divide(badly, n), (below, told), seed)
    if one_sided:
        found |= {name: Interval(math.nan, math.nan, math.nan) for name in found if OF_ONE_SIDE[name] == BEATEN}
    return {name: found[name] for name in STATISTICS if name in found}


def play_all(
    settings: StatisticsSettings,
    out: str | os.PathLike[str] | None = None,
    *,
    experiments: Sequence[str] = tuple(EXPERIMENTS),
    workers: int | None = None,
    cluster: str | Executor | None = None,
    progress: Progress | None = None,
) -> Store[PlayedGames]:
    """Plays all games of some experiments that are not finished yet: random ones in this process, others by workers.

    Args:
        experiments: names of experiments, keys of `EXPERIMENTS`.
        progress: called whenever games are finished, and at first for each experiment.

    Raises:
        ValueError: other settings in the folder, or a damaged chunk; no such experiment; ``workers`` below 1; a game of one
            seat, where an AI is to play; an illegal action of the AI, after the finished games have been kept.
        OSError: the folder cannot be written.
        RuntimeError: a worker process died.
    """
    for name in experiments:
        check_choice("experiments", name, EXPERIMENTS)
    store: Store[PlayedGames] = Store(out, settings)
    report_games = progress or (lambda name, finished: None)
    units = [settings.units.index(name) for name in experiments]

    def count(task: Task[int], played: PlayedGames) -> None:
        report_games(settings.units[task.of], played.size)

    for name, unit in zip(experiments, units, strict=True):
        report_games(name, int(store.done[unit].sum()))
    for task in [task for task in store.missing() if task.of in units and settings.units[task.of] == RANDOM]:
        for start in range(task.start, task.stop, RANDOM_CHUNK):
            played = play_random(settings, range(start, min(start + RANDOM_CHUNK, task.stop)))
            store.add(task.of, start, played)
            count(task, played)
    work_off(store, units, workers=workers, cluster=cluster, kept=count)
    return store


def results_of(store: Store[PlayedGames], random_only: bool = False) -> Row:
    """The `GameStatistics` of finished games, or of those without an AI; ValueError if games are missing."""
    settings: StatisticsSettings = store.plan
    units = [(k, name) for k, name in enumerate(EXPERIMENTS) if name == RANDOM or not random_only]
    played = {name: store.load_unit(k) for k, name in units}
    alone = settings.spec.one_sided
    figures = {name: experiment_of(games, alone) for name, games in played.items()}
    statistics = statistics_of(played, settings.seed, alone)
    return GameStatistics.of(settings, experiments=figures, statistics=statistics)


def take_statistics(
    settings: StatisticsSettings,
    out: str | os.PathLike[str] | None = None,
    *,
    random_only: bool = False,
    workers: int | None = None,
    cluster: str | Executor | None = None,
    progress: Progress | None = None,
) -> Row:
    """Plays what is not finished of the experiments and makes the figures, a `GameStatistics`.

    Args:
        random_only: whether to play games between random players alone.

    Raises:
        ValueError, OSError, RuntimeError: as by `play_all`.
    """
    experiments = (RANDOM,) if random_only else tuple(EXPERIMENTS)
    return results_of(
        play_all(settings, out, experiments=experiments, workers=workers, cluster=cluster, progress=progress), random_only
    )

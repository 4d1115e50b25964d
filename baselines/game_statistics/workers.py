"""Playing the experiments, resumably: random games in this process, those with an AI by the workers of an engine.

Workers are handed runs of games and give finished ones back after some seconds at the latest.
"""

from __future__ import annotations

import contextlib
import functools
import os
import time
from collections.abc import Callable, Sequence
from typing import Any

from cardenvs.baselines.engine.job import Job
from cardenvs.baselines.engine.tasks import Task
from cardenvs.baselines.engine.work import work
from cardenvs.baselines.game_statistics.experiments import (
    ALL_AI,
    EXPERIMENTS,
    ONE_AI,
    RANDOM,
    AiPlayer,
    PlayedGames,
    play_random,
)
from cardenvs.baselines.game_statistics.settings import StatisticsSettings
from cardenvs.baselines.game_statistics.store import Store
from cardenvs.checks import check_choice
from cardenvs.compiled import waiting as compiling
from cardenvs.contract.spec import GameSpec

CHUNK_SECONDS = 2.0
"""Seconds, about, that a worker plays before it hands over the games that it has finished."""
RANDOM_CHUNK = 4096
"""Random games that are played and kept at a time."""

Progress = Callable[[str, int], None]
"""A function that is called with an experiment's name and the number of games finished since the last call."""


def _player(given: dict[str, Any], game: GameSpec) -> Callable[[Task[str]], PlayedGames]:
    """Makes the function that plays tasks in a worker, from the settings without the game."""
    return functools.partial(play_for_a_while, AiPlayer(StatisticsSettings(spec=game, **given)))


def play_for_a_while(player: AiPlayer, task: Task[str]) -> PlayedGames:
    """Plays the first games of a task, at least one, for about `CHUNK_SECONDS`.

    Raises:
        ValueError: an illegal action of the AI.
    """
    end = time.perf_counter() + CHUNK_SECONDS
    games = [player.play(task.of, task.start)]
    while len(games) < task.stop - task.start and time.perf_counter() < end:
        games.append(player.play(task.of, task.start + len(games)))
    return PlayedGames.joined(games)


def play_all(
    settings: StatisticsSettings,
    out: str | os.PathLike[str] | None = None,
    *,
    experiments: Sequence[str] = tuple(EXPERIMENTS),
    workers: int | None = None,
    cluster: str | None = None,
    progress: Progress | None = None,
) -> Store:
    """Plays all games of some experiments that are not finished yet.

    Args:
        settings: the settings, from `statistics_settings`.
        out: folder for finished games, in which an interrupted run goes on; made if there is none. None keeps no files.
        experiments: names of experiments, keys of `EXPERIMENTS`.
        workers: processes that play games with an AI; None: one for each core. With more than one, a script that calls this
            needs the usual ``if __name__ == "__main__":``.
        cluster: where they work, as in `cardenvs.baselines.engine.work.work`. Results are the same.
        progress: called whenever games are finished, and at first for each experiment.

    Returns:
        The finished games.

    Raises:
        ValueError: other settings in the folder, or a damaged chunk; no such experiment; ``workers`` below 1; a game of one
            seat, where an AI is to play; an illegal action of the AI, after the finished games have been kept.
        OSError: the folder cannot be written.
        RuntimeError: a worker process died.
    """
    for name in experiments:
        check_choice("experiments", name, EXPERIMENTS)
    store = Store(settings, out)

    def keep(task: Task[str], played: PlayedGames) -> None:
        """Keeps the games with which a task begins."""
        store.add(task.of, task.start, played)
        if progress is not None:
            progress(task.of, played.games)

    for name in experiments:
        if progress is not None:
            progress(name, int(store.finished(name).sum()))
    if RANDOM in experiments:
        for task in list(store.missing(RANDOM)):
            for start in range(task.start, task.stop, RANDOM_CHUNK):
                stop = min(start + RANDOM_CHUNK, task.stop)
                keep(Task(RANDOM, start, stop), play_random(settings, range(start, stop)))
    with_ai = [name for name in (ONE_AI, ALL_AI) if name in experiments]
    tasks = [task for name in with_ai for task in store.missing(name)]
    given = {name: value for name, value in vars(settings).items() if name != "spec"}
    played_by_workers = work(
        Job("statistics", functools.partial(_player, given), settings.spec), tasks, lambda played: played.games,
        workers=workers, cluster=cluster, ahead=functools.partial(_compile_ahead, settings, tasks),
    )  # fmt: skip
    with contextlib.closing(played_by_workers) as finished:
        for task, played in finished:
            keep(task, played)
    return store


def _compile_ahead(settings: StatisticsSettings, tasks: Sequence[Task[str]]) -> None:
    """Plays a game of each experiment in this process, if anything is to be compiled: once, and not by every worker."""
    if compiling.missing():
        player = AiPlayer(settings)
        for name in sorted({task.of for task in tasks}):
            player.play(name, 0)

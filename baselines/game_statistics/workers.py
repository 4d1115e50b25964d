"""Playing the experiments, resumably: random games in this process, those with an AI by the workers of an engine.

Workers are handed runs of games and give finished ones back after some seconds at the latest.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Executor

from cardenvs.baselines.engine.tasks import Task
from cardenvs.baselines.game_statistics.experiments import play_random
from cardenvs.baselines.game_statistics.games import ALL_AI, EXPERIMENTS, ONE_AI, RANDOM, PlayedGames
from cardenvs.baselines.game_statistics.settings import StatisticsSettings
from cardenvs.baselines.runs.store import Store
from cardenvs.baselines.runs.workers import work_off
from cardenvs.checks import check_choice

RANDOM_CHUNK = 4096
"""Random games that are played and kept at a time."""

Progress = Callable[[str, int], None]
"""A function that is called with an experiment's name and the number of games finished since the last call."""


def play_all(
    settings: StatisticsSettings,
    out: str | os.PathLike[str] | None = None,
    *,
    experiments: Sequence[str] = tuple(EXPERIMENTS),
    workers: int | None = None,
    cluster: str | Executor | None = None,
    progress: Progress | None = None,
) -> Store[PlayedGames]:
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
    store: Store[PlayedGames] = Store(out, settings)
    numbers = {name: number for number, name in enumerate(EXPERIMENTS)}

    def count(task: Task[int], played: PlayedGames) -> None:
        """Passes on how many games of a task were finished."""
        if progress is not None:
            progress(settings.units[task.of], played.size)

    for name in experiments:
        if progress is not None:
            progress(name, int(store.done[numbers[name]].sum()))
    if RANDOM in experiments:
        for task in [task for task in store.missing() if task.of == numbers[RANDOM]]:
            for start in range(task.start, task.stop, RANDOM_CHUNK):
                played = play_random(settings, range(start, min(start + RANDOM_CHUNK, task.stop)))
                store.add(task.of, start, played)
                count(task, played)
    with_ai = [numbers[name] for name in (ONE_AI, ALL_AI) if name in experiments]
    work_off(store, with_ai, workers=workers, cluster=cluster, kept=count)
    return store

"""Playing the experiments, resumably: random games in this process, those with an AI on all cores.

Workers are processes that are handed runs of games and give finished ones back after some seconds at the latest. With one
worker everything is played in this process.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager

from cardenvs.baselines.game_statistics.experiments import (
    ALL_AI,
    EXPERIMENTS,
    ONE_AI,
    RANDOM,
    AiPlayer,
    Played,
    play_random,
)
from cardenvs.baselines.game_statistics.settings import Settings
from cardenvs.baselines.game_statistics.store import Store, Task
from cardenvs.checks import check_choice, check_int
from cardenvs.machine import cores

CHUNK_SECONDS = 2.0
"""About how long a worker plays before it hands over the games that it has finished."""
RANDOM_CHUNK = 4096
"""Random games that are played and kept at a time."""

Progress = Callable[[str, int], None]
"""A function that is called with an experiment's name and the number of games finished since the last call."""

_players: list[AiPlayer] = []
"""The player of a worker process."""


def _begin(settings: Settings) -> None:
    """Makes a worker process ready."""
    _players[:] = [AiPlayer(settings)]


def _play_here(task: Task) -> Played:
    """Plays a task in a worker process."""
    return play_for_a_while(_players[0], task)


def play_for_a_while(player: AiPlayer, task: Task) -> Played:
    """Plays the first games of a task, at least one, for about `CHUNK_SECONDS`.

    Raises:
        ValueError: an illegal action of the AI.
    """
    end = time.perf_counter() + CHUNK_SECONDS
    games = [player.play(task.experiment, task.start)]
    while len(games) < task.stop - task.start and time.perf_counter() < end:
        games.append(player.play(task.experiment, task.start + len(games)))
    return Played.joined(games)


@contextmanager
def _at_their_start() -> Iterator[None]:
    """What worker processes are to find when they are started within this context.

    Ctrl-C reaches the whole group; the workers must leave it to this process, from their first moment on.
    """
    main_thread = threading.current_thread() is threading.main_thread()
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN) if main_thread else None
    threads = os.environ.get("OMP_NUM_THREADS")
    os.environ["OMP_NUM_THREADS"] = "1"  # for networks: the workers themselves use all cores
    try:
        yield
    finally:
        if threads is None:
            del os.environ["OMP_NUM_THREADS"]
        else:
            os.environ["OMP_NUM_THREADS"] = threads
        if main_thread:
            signal.signal(signal.SIGINT, handler)


def _played_here(settings: Settings, tasks: deque[Task]) -> Iterator[tuple[Task, Played]]:
    """Plays all tasks in this process; yields what is finished, with the task that it is the beginning of."""
    player = AiPlayer(settings)
    while tasks:
        task = tasks.popleft()
        played = play_for_a_while(player, task)
        if task.start + played.games < task.stop:
            tasks.appendleft(Task(task.experiment, task.start + played.games, task.stop))
        yield task, played


def _played_by_workers(settings: Settings, tasks: deque[Task], workers: int) -> Iterator[tuple[Task, Played]]:
    """Plays all tasks in worker processes; yields as `_played_here` does, as games are finished.

    Raises:
        RuntimeError: a worker process died.
    """
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _begin, (settings,))
    at_work: dict[Future[Played], Task] = {}
    try:
        while tasks or at_work:
            while tasks and len(at_work) < workers:
                task = tasks.popleft()
                share = math.ceil((task.stop - task.start) / workers)
                if task.start + share < task.stop:
                    tasks.appendleft(Task(task.experiment, task.start + share, task.stop))
                    task = Task(task.experiment, task.start, task.start + share)
                with _at_their_start():
                    at_work[pool.submit(_play_here, task)] = task
            for future in wait(at_work, return_when=FIRST_COMPLETED).done:
                task, played = at_work.pop(future), future.result()
                if task.start + played.games < task.stop:
                    tasks.appendleft(Task(task.experiment, task.start + played.games, task.stop))
                yield task, played
    except BrokenProcessPool:
        raise RuntimeError("a worker process of the statistics died; finished games are kept") from None
    finally:
        if tasks or at_work:  # interrupted, or failed: what is at work is not waited for
            for process in set(multiprocessing.active_children()) - before:
                process.terminate()
        pool.shutdown(cancel_futures=True)


def play_all(
    settings: Settings,
    out: str | os.PathLike[str] | None = None,
    *,
    experiments: Sequence[str] = tuple(EXPERIMENTS),
    workers: int | None = None,
    progress: Progress | None = None,
) -> Store:
    """Plays all games of some experiments that are not finished yet.

    Args:
        settings: the settings, from `statistics_settings`.
        out: folder for finished games, in which an interrupted run goes on; made if there is none. None keeps no files.
        experiments: names of experiments, keys of `EXPERIMENTS`.
        workers: processes that play games with an AI; None: one for each core. With more than one, a script that calls this
            needs the usual ``if __name__ == "__main__":``.
        progress: called whenever games are finished, and at first for each experiment.

    Returns:
        The finished games.

    Raises:
        ValueError: other settings in the folder, or a damaged chunk; no such experiment; ``workers`` below 1; a game of one
            seat, where an AI is to play; an illegal action of the AI, after the finished games have been kept.
        OSError: the folder cannot be written.
        RuntimeError: a worker process died.
    """
    workers = cores() if workers is None else check_int("workers", workers, 1)
    for name in experiments:
        check_choice("experiments", name, EXPERIMENTS)
    store = Store(settings, out)

    def keep(task: Task, played: Played) -> None:
        """Keeps the games with which a task begins."""
        store.add(task.experiment, task.start, played)
        if progress is not None:
            progress(task.experiment, played.games)

    for name in experiments:
        if progress is not None:
            progress(name, int(store.finished(name).sum()))
    if RANDOM in experiments:
        for task in list(store.missing(RANDOM)):
            for start in range(task.start, task.stop, RANDOM_CHUNK):
                stop = min(start + RANDOM_CHUNK, task.stop)
                keep(Task(RANDOM, start, stop), play_random(settings, range(start, stop)))
    tasks = deque(task for name in (ONE_AI, ALL_AI) if name in experiments for task in store.missing(name))
    if not tasks:
        return store
    workers = min(workers, sum(task.stop - task.start for task in tasks))
    if workers > 1:
        # What is compiled for it is compiled once, and not by every worker.
        player = AiPlayer(settings)
        for task in {task.experiment: task for task in tasks}.values():
            keep(task, player.play(task.experiment, task.start))
        tasks = deque(task for name in (ONE_AI, ALL_AI) if name in experiments for task in store.missing(name))
    chunks = _played_by_workers(settings, tasks, workers) if workers > 1 else _played_here(settings, tasks)
    try:
        for task, played in chunks:
            keep(task, played)
    finally:
        chunks.close()  # type: ignore[attr-defined]
    return store

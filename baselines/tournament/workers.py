"""Playing all pairings of a tournament on all cores, resumably.

Workers are processes that are sent tasks, runs of deals of a pairing, and hand back chunks of results, which are kept in
the tournament's folder at once. With one worker everything is played in this process.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait

from cardenvs import compiling, policy
from cardenvs.baselines.match.play import deals_at_a_time
from cardenvs.baselines.match.results import DealResults, Forfeited
from cardenvs.baselines.match.side import Side
from cardenvs.baselines.tournament.settings import Settings
from cardenvs.baselines.tournament.store import Store, Task
from cardenvs.checks import check_int
from cardenvs.machine import cores
from cardenvs.policy import Forfeit, Policy
from cardenvs.spec import GameSpec, named_game, register_game

CHUNK_SECONDS = 5.0
"""About how long a worker plays before it hands over a chunk of results, in seconds."""
MAX_CHUNK = 8192
"""Most deals of a chunk."""
MAX_BATCH = 1024
"""Most deals played at a time."""
BATCH_SECONDS = 0.5
"""About how long playing a batch takes, in seconds, where there are enough deals."""

Progress = Callable[[int, int], None]
"""A function that is called with two numbers: the deals finished so far, over all pairings, and the pairings finished."""


@dataclass(frozen=True)
class Chunk:
    """What a worker hands over: the results of the deals that it finished, and the error that stopped it, if one did.

    Attributes:
        pairing: the pairing's number.
        start: number of the first deal.
        results: the finished deals' results; None if there are none.
        error: the message of the error that stopped the worker; empty if none did.
        bug: whether the error is a failure of the program, not wrong input.
        forfeit: how the pairing was forfeited; None if it was not.
    """

    pairing: int
    start: int
    results: DealResults | None
    error: str = ""
    bug: bool = False
    forfeit: Forfeited | None = None

    @property
    def stop(self) -> int:
        """Number of the last finished deal, plus one."""
        return self.start + (self.results.deals if self.results else 0)


class Worker:
    """Plays tasks in the process in which the object is made.

    Args:
        settings: the settings of the tournament.

    Attributes:
        settings: the settings of the tournament.
        spec: the game.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.spec = named_game(settings.game)
        self._policies: dict[str, Policy] = {}
        self._sides: dict[int, Side] = {}
        self._sizes: dict[int, int] = {}

    def _side(self, number: int, at: int) -> Side:
        """The side with this number, made and warmed up once; policies of the same name are one object on all sides.

        Args:
            number: the side's number.
            at: 0 or 1, whether it is the first or the second of its pairing, which a `Forfeit` tells.
        """
        if number not in self._sides:
            parts = self.settings.sides[number]
            for name in parts:
                if name not in self._policies:
                    self._policies[name] = policy.make(self.spec, name)
            side = Side(self.spec, [self._policies[name] for name in parts])
            try:
                side.warm_up(self.spec, **self.settings.options)
            except Forfeit as error:
                error.side = at
                raise
            self._sides[number] = side
        return self._sides[number]

    def play(self, task: Task) -> Chunk:
        """Plays deals of the task for about ``CHUNK_SECONDS``, in batches that grow while they are quick."""
        began = time.perf_counter()
        size = self._sizes.get(task.pairing, 2)
        played: list[DealResults] = []
        at, error, bug, forfeit = task.start, "", False, None
        try:
            first, second = map(self._side, self.settings.pairs[task.pairing], (0, 1))
            while at < task.stop and time.perf_counter() - began < CHUNK_SECONDS:
                deals = range(at, min(at + deals_at_a_time((first, second), size), task.stop))
                started = time.perf_counter()
                played.append(self.settings.play(self.spec, first, second, deals))
                took = time.perf_counter() - started
                at = deals.stop
                if took < BATCH_SECONDS / 2 and len(deals) == size:
                    size = min(2 * size, MAX_BATCH)
                elif took > 2 * BATCH_SECONDS:
                    size = max(size // 2, 1)
        except Forfeit as stopped_by:
            forfeit = Forfeited.by(stopped_by)
        except ValueError as stopped_by:
            error = str(stopped_by)
        except Exception:
            error, bug = traceback.format_exc(), True
        self._sizes[task.pairing] = size
        results = self.settings.results.joined(played) if played else None
        return Chunk(task.pairing, task.start, results, error, bug, forfeit)


def _serve(connection: Connection, settings: Settings, game: GameSpec) -> None:
    """The main loop of a worker process: plays the tasks that it is sent, until None is sent."""
    register_game(game)  # which may be known to the process that started this one only
    worker = Worker(settings)
    try:
        while (task := connection.recv()) is not None:
            connection.send(worker.play(task))
    except (EOFError, BrokenPipeError):
        pass  # whoever sent the tasks is gone


class Queue:
    """Tasks still to be handed out.

    Args:
        tasks: all tasks, in the order in which they are to be played.
        workers: how many workers share them.
    """

    def __init__(self, tasks: Iterator[Task], workers: int) -> None:
        self._tasks = deque(tasks)
        self._workers = workers
        self._left = sum(task.stop - task.start for task in self._tasks)
        self._dropped: set[int] = set()

    def __bool__(self) -> bool:
        """Whether any tasks are left."""
        return bool(self._tasks)

    def take(self) -> Task:
        """The next task, cut so that the last deals are shared among all workers."""
        task = self._tasks.popleft()
        share = max(8, math.ceil(self._left / self._workers))
        stop = min(task.stop, task.start + share, task.start + MAX_CHUNK)
        self._left -= stop - task.start
        if stop < task.stop:
            self._tasks.appendleft(Task(task.pairing, stop, task.stop))
        return Task(task.pairing, task.start, stop)

    def give_back(self, task: Task) -> None:
        """Takes back the deals of a task that its worker did not play."""
        if task.start < task.stop and task.pairing not in self._dropped:
            self._tasks.appendleft(task)
            self._left += task.stop - task.start

    def drop(self, pairing: int) -> None:
        """Hands out no more deals of a pairing."""
        self._dropped.add(pairing)
        self._tasks = deque(task for task in self._tasks if task.pairing != pairing)
        self._left = sum(task.stop - task.start for task in self._tasks)


@contextmanager
def _processes(settings: Settings, count: int) -> Iterator[list[Connection]]:
    """Connections to ``count`` worker processes, which are terminated at the end of the context."""
    context = multiprocessing.get_context("spawn")
    processes, lines, game = [], [], named_game(settings.game)
    # Ctrl-C reaches the whole group; the workers must leave it to this process, from their first moment on.
    main_thread = threading.current_thread() is threading.main_thread()
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN) if main_thread else None
    threads = os.environ.get("OMP_NUM_THREADS")
    os.environ["OMP_NUM_THREADS"] = "1"  # for networks: the workers themselves use all cores
    try:
        for _ in range(count):
            here, there = context.Pipe()
            process = context.Process(target=_serve, args=(there, settings, game), daemon=True)
            process.start()
            there.close()
            processes.append(process)
            lines.append(here)
    finally:
        if threads is None:
            del os.environ["OMP_NUM_THREADS"]
        else:
            os.environ["OMP_NUM_THREADS"] = threads
        if main_thread:
            signal.signal(signal.SIGINT, handler)
    try:
        yield lines
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.join()


def _played_here(settings: Settings, queue: Queue) -> Iterator[Chunk]:
    """Plays all tasks in this process; yields chunk by chunk."""
    worker = Worker(settings)
    while queue:
        task = queue.take()
        chunk = worker.play(task)
        queue.give_back(Task(task.pairing, chunk.stop, task.stop))
        yield chunk


def _compile_ahead(settings: Settings, tasks: Sequence[Task]) -> None:
    """Plays a deal of each pairing in this process, if anything is to be compiled: once, and not by every worker."""
    if compiling.missing():
        worker = Worker(settings)
        for pairing in {task.pairing for task in tasks}:
            worker.play(Task(pairing, 0, 1))  # what fails here fails in a worker, too, and is told by it


def _played_by_workers(settings: Settings, queue: Queue, workers: int) -> Iterator[Chunk]:
    """Plays all tasks in worker processes; yields the chunks of results as they arrive.

    Raises:
        RuntimeError: a worker process died.
    """
    with _processes(settings, workers) as lines:
        at_work: dict[Connection, Task] = {}
        idle = deque(lines)
        while queue or at_work:
            try:
                while queue and idle:
                    line = idle.popleft()
                    at_work[line] = queue.take()
                    line.send(at_work[line])
                ready = wait(list(at_work))
                chunks = [(line, line.recv()) for line in at_work if line in ready]
            except (EOFError, ConnectionError):
                raise RuntimeError(f"a worker process of the {settings.kind} died; finished results are kept") from None
            for line, chunk in chunks:
                task = at_work.pop(line)
                queue.give_back(Task(task.pairing, chunk.stop, task.stop))
                idle.append(line)
                yield chunk


def play_all(
    settings: Settings, out: str | os.PathLike[str], *, workers: int | None = None, progress: Progress | None = None
) -> Store:
    """Plays all deals of a tournament that are not finished yet, and keeps their results in a folder.

    A pairing that is forfeited (`cardenvs.policy.Forfeit`) keeps its finished deals and is not played on, now or when the
    folder is taken up again, as long as the folder has its record of forfeits.

    Args:
        settings: the settings of a tournament, from `settings_for`, or of cross-play, of a subclass of `Settings`.
        out: folder for the finished chunks; made if there is none.
        workers: processes that play; None: one for each core. With more than one, a script that calls this needs the usual
            ``if __name__ == "__main__":``.
        progress: called whenever a chunk is finished.

    Returns:
        The folder with all results.

    Raises:
        ValueError: other settings in the folder; ``workers`` below 1; an illegal action of a policy, named with its seat
            and position, after the finished deals have been kept.
        OSError: the folder cannot be written.
        RuntimeError: a worker failed.
    """
    workers = cores() if workers is None else workers
    check_int("workers", workers, 1)
    store = Store(out, settings)
    if progress is not None:
        progress(int(store.done.sum()), int(store.done.all(1).sum()))
    tasks = list(store.missing())
    workers = min(workers, sum(task.stop - task.start for task in tasks))
    queue = Queue(iter(tasks), workers)
    if workers > 1:
        _compile_ahead(settings, tasks)
    chunks = _played_by_workers(settings, queue, workers) if workers > 1 else _played_here(settings, queue)
    try:
        for chunk in chunks:
            if chunk.results is not None:
                store.add(chunk.pairing, chunk.start, chunk.results)
                if progress is not None:
                    progress(int(store.done.sum()), int(store.done.all(1).sum()))
            if chunk.forfeit is not None:
                store.forfeit(chunk.pairing, chunk.forfeit)
                queue.drop(chunk.pairing)
            if chunk.error:
                first, second = ("+".join(settings.sides[k]) for k in settings.pairs[chunk.pairing])
                message = f"{first} - {second}: {chunk.error}"
                raise RuntimeError(message) if chunk.bug else ValueError(message)
    finally:
        chunks.close()  # type: ignore[attr-defined]
    return store

"""Work in tasks, the job that workers begin with, and handing tasks out until all are finished, with any executor."""

from __future__ import annotations

import contextlib
import math
import pickle
import tempfile
import threading
import uuid
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from cardenvs.baselines.engine.executors import Here, Processes, WorkerLost, WorkersLost
from cardenvs.checks import check_int, short
from cardenvs.compiled.machine import cores
from cardenvs.contract.registry import family_of, get_game, register_game
from cardenvs.contract.spec import GameSpec
from cardenvs.printing import remark

Key = TypeVar("Key")
Done = TypeVar("Done")

MAX_CHUNK = 8192  # most pieces that are handed out at a time
FEWEST = 8  # minimum number of pieces to which tasks are cut to share out the last pieces
MOST_LOSSES = 3  # number of workers lost in a row at the same pieces that ends the work: the next one would be lost, too


class Task(NamedTuple, Generic[Key]):
    """The pieces ``start .. stop - 1`` of a whole, to be worked on: deals of a pairing, games of an experiment.

    Attributes:
        of: the whole: a pairing's number, an experiment's name.
    """

    of: Key
    start: int
    stop: int

    @property
    def num_pieces(self) -> int:
        """The number of pieces."""
        return self.stop - self.start

    def without_first(self, finished: int) -> Task[Key]:
        """Returns the task without its first ``finished`` pieces."""
        return Task(self.of, self.start + finished, self.stop)


class Queue(Generic[Key]):
    """Tasks still to be handed out in their order to several workers, at most ``largest`` pieces at a time."""

    def __init__(self, tasks: Iterable[Task[Key]], workers: int, largest: int) -> None:
        self._tasks = deque(tasks)
        self._workers = workers
        self._largest = largest
        self._left = sum(task.num_pieces for task in self._tasks)

    def __bool__(self) -> bool:
        return bool(self._tasks)

    def take_task(self) -> Task[Key]:
        """Returns the next task, cut so that the last pieces are shared among all workers."""
        task = self._tasks.popleft()
        share = max(FEWEST, math.ceil(self._left / self._workers))
        taken = task._replace(stop=min(task.stop, task.start + min(share, self._largest)))
        self._left -= task.num_pieces
        self.give_back(task.without_first(taken.num_pieces))
        return taken

    def give_back(self, task: Task[Key]) -> None:
        """Takes back pieces that were not worked on: they are the next to be handed out."""
        if task.num_pieces > 0:
            self._tasks.appendleft(task)
            self._left += task.num_pieces


Work = Callable[[Task[Key]], Done]
"""A function that returns the results of a task, or of its first pieces.

At least one is finished, or something is stored with which the next call continues.
"""


@dataclass(frozen=True)
class DescribedFile:
    """A described game with its description, for machines that lack the file."""

    path: str  # absolute, on the sender's machine
    content: bytes
    digest: str  # `cardenvs.contract.spec.GameSpec.digest` of the game

    def load_game(self) -> GameSpec:
        """Returns the game, then known in this process by its name; of a copy, if the file here is missing or different.

        Raises ValueError if the file had been changed before it was sent, after the game was made of it.
        """
        path, there = Path(self.path), b""
        with contextlib.suppress(OSError):
            there = path.read_bytes()
        with tempfile.TemporaryDirectory() as folder:
            if there != self.content:
                path = Path(folder, path.name)
                path.write_bytes(self.content)
            game = get_game(str(path))
        if game.digest != self.digest:
            raise ValueError(f"{self.path}: the description was changed since its game was made")
        return game


@dataclass(frozen=True)
class Job(Generic[Key, Done]):
    """A job for workers: the function that they begin with, and its game, sent to each once, before any task."""

    kind: str  # in a word, for messages: "tournament"
    begin: Callable[[GameSpec], Work[Key, Done]]  # called once in each worker; pickled: of a module, or a partial of such
    game: GameSpec | DescribedFile  # in a job that was sent, a described game comes with its file

    def make_portable(self) -> Job[Key, Done]:
        """Returns the job in the form for other processes and machines, where several threads may send it.

        Raises OSError if the file that describes the game cannot be read.
        """
        game = self.game
        if isinstance(game, DescribedFile) or game.path is None:
            # Numba names a kernel when it is first pickled, and fails where two threads do that at the same time.
            with contextlib.suppress(pickle.PicklingError, AttributeError, TypeError):  # sending it raises the error
                pickle.dumps(game)
            return self
        return replace(self, game=DescribedFile(game.path, Path(game.path).read_bytes(), game.digest))

    def begin_here(self) -> Work[Key, Done]:
        """Returns the function that works on tasks, made in this process, where it makes the game known."""
        if isinstance(self.game, DescribedFile):
            return self.begin(self.game.load_game())
        known = self.game.path is not None or family_of(self.game) is not None
        return self.begin(self.game if known else register_game(self.game))


class _CurrentJob(threading.local):
    """In each thread of a worker: the latest job's key, and the function that works on its tasks."""

    key = ""
    work: Callable[[Task[Any]], Any]


_current = _CurrentJob()


def _do_task(key: str, job: Job[Any, Any], task: Task[Any]) -> Any:
    """Works on a task in a worker, which begins the job, of a unique ``key``, with its first task."""
    if key != _current.key:
        _current.work = job.begin_here()
        _current.key = key
    return _current.work(task)


def work(
    job: Job[Key, Done],
    tasks: Sequence[Task[Key]],
    finished: Callable[[Done], int],
    *,
    workers: int | None = None,
    cluster: str | Executor | None = None,
    largest: int = MAX_CHUNK,
    ahead: Callable[[], None] | None = None,
    wanted: Callable[[Task[Key]], bool] = lambda task: True,
) -> Generator[tuple[Task[Key], Done], None, None]:
    """Works on tasks in their order; yields each task as it was handed out, with its result.

    Only running tasks are lost when the iterator is closed. A lost worker is reported on standard error and replaced, and
    its task is worked on again.

    Args:
        finished: returns how many of a task's first pieces a result finishes; the others are handed out again.
        workers: the number of workers; None: one for each core, of this machine or of the cluster.
        cluster: None for this machine (this process, if there is one worker); the address of a Ray cluster, or ``"auto"``
            for the one that this machine is part of; or an executor, which stays open, and is given ``workers`` calls at a
            time (None: as many as this machine has cores).
        largest: the maximum number of pieces of a task that are handed out at a time.
        ahead: called before several workers begin, for shared preparations.
        wanted: returns whether a task is still to be worked on, when it is next.

    Raises:
        ValueError: ``workers`` below 1; a cluster that cannot be reached or has other versions; a missing extra.
        WorkersLost: `MOST_LOSSES` workers in a row were lost at the same pieces. Errors of a task are raised, too.
    """
    if workers is not None:
        check_int("workers", workers, 1)
    if not (cluster is None or isinstance(cluster, (str, Executor))):
        raise ValueError(f"cluster must be an address, an executor of concurrent.futures or None, not {short(cluster)}")
    pieces = sum(task.num_pieces for task in tasks)
    if pieces == 0:
        return
    most = min(cores() if workers is None else workers, pieces)
    executor: Executor
    if isinstance(cluster, str):
        from cardenvs.baselines.engine.ray_cluster import RayActors  # an extra

        executor = actors = RayActors(job.kind, cluster, workers, pieces)
        most = actors.number
    elif cluster is not None:
        executor = cluster
    else:
        executor = Here() if most == 1 else Processes(most)
    sent, key = (job if isinstance(executor, Here) else job.make_portable()), uuid.uuid4().hex
    lost: Counter[tuple[Key, int]] = Counter()
    at_work: dict[Future[Done], Task[Key]] = {}
    interrupted = True
    try:
        if ahead is not None and most > 1:
            ahead()
        queue = Queue(tasks, most, largest)
        while queue or at_work:
            while queue and len(at_work) < most:
                task = queue.take_task()
                if wanted(task):
                    at_work[executor.submit(_do_task, key, sent, task)] = task
            for future in wait(at_work, return_when=FIRST_COMPLETED).done:
                task = at_work.pop(future)
                try:
                    done = future.result()
                except WorkerLost as error:
                    lost[task.of, task.start] += 1
                    _report_lost(job.kind, error, lost[task.of, task.start])
                    queue.give_back(task)
                    continue
                lost.pop((task.of, task.start), None)  # a worker can come back from it
                queue.give_back(task.without_first(finished(done)))
                yield task, done
        interrupted = False
    finally:
        for future in at_work:
            future.cancel()
        if executor is not cluster:
            executor.shutdown(wait=not interrupted, cancel_futures=interrupted)


def _report_lost(kind: str, error: WorkerLost, times: int) -> None:
    """Reports a lost worker; raises WorkersLost when that has happened too often at the same pieces."""
    what = f"a worker of the {kind}, {error.worker}, {error.why}"
    if times == MOST_LOSSES:
        raise WorkersLost(f"{what}; {MOST_LOSSES} were lost at the same work; what is finished is kept") from None
    remark(f"cardenvs: {what}; another one does its work again")


def check_cluster(address: str) -> None:
    """Checks that the Ray cluster at an address can be used, for work that begins on this machine; ValueError if not."""
    from cardenvs.baselines.engine.ray_cluster import try_cluster  # an extra

    try_cluster(address)

"""Handing out tasks until all are finished, whatever engine does the work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Sequence

from cardenvs.baselines.engine.job import Done, Job
from cardenvs.baselines.engine.local import LocalPool
from cardenvs.baselines.engine.pool import Lost, Pool, ThisProcess
from cardenvs.baselines.engine.tasks import Key, Queue, Task
from cardenvs.checks import check_int
from cardenvs.compiled.machine import cores
from cardenvs.printing import remark

MOST_LOSSES = 3
"""Number of workers lost in a row at the same pieces that ends the work: the next one would be lost, too."""


def work(
    job: Job[Key, Done],
    tasks: Sequence[Task[Key]],
    finished: Callable[[Done], int],
    *,
    workers: int | None = None,
    cluster: str | None = None,
    largest: int = 8192,
    ahead: Callable[[], None] | None = None,
    wanted: Callable[[Task[Key]], bool] = lambda task: True,
) -> Generator[tuple[Task[Key], Done], None, None]:
    """Works on tasks; yields what is finished as it comes. Nothing but running tasks is lost when the iterator is closed.

    A worker that is lost is named on standard error and replaced, and its task is worked on again.

    Args:
        tasks: all tasks, in the order in which they are to be worked on.
        finished: how many of a task's pieces, its first, are finished by what came of it; the others are handed out again.
        workers: how many workers; None: one for each core, of this machine or of the cluster.
        cluster: where they are: None for this machine (this process, if there is one worker), else the address of a Ray
            cluster, or ``"auto"`` for the one that this machine is part of.
        largest: the most pieces of a task that are handed out at a time.
        ahead: called before several workers begin, for what is better done once than by each of them.
        wanted: whether a task is still to be worked on, asked when it is its turn.

    Yields:
        A task as it was handed out, and what came of it.

    Raises:
        ValueError: ``workers`` below 1; a cluster that cannot be reached or has other versions; a missing extra.
        RuntimeError: `MOST_LOSSES` workers in a row were lost at the same pieces.
        Exception: whatever a task raised.
    """
    if workers is not None:
        check_int("workers", workers, 1)
    pieces = sum(task.size for task in tasks)
    if pieces == 0:
        return
    pool = _pool(job, workers, cluster, pieces)
    lost: Counter[tuple[Key, int]] = Counter()
    interrupted = True
    try:
        if ahead is not None and pool.workers > 1:
            ahead()
        queue = Queue(tasks, pool.workers, largest)
        while queue or pool.busy():
            while queue and pool.idle():
                task = queue.take()
                if wanted(task):
                    pool.submit(task)
            for told in pool.wait() if queue or pool.busy() else ():
                if isinstance(told, Lost):
                    lost[told.task.of, told.task.start] += 1
                    _tell(told, job.kind, lost[told.task.of, told.task.start] == MOST_LOSSES)
                    queue.give_back(told.task)
                else:
                    lost.pop((told.task.of, told.task.start), None)  # a worker can come back from it
                    queue.give_back(told.task.rest(finished(told.done)))
                    yield told.task, told.done
        interrupted = False
    finally:
        pool.close(interrupted)


def check_cluster(address: str) -> None:
    """Makes sure that a cluster can be used, for work that begins on this machine and goes on there.

    Args:
        address: the address of a Ray cluster, or ``"auto"`` for the one that this machine is part of.

    Raises:
        ValueError: none can be reached there, or it has another version of Ray; a missing extra.
    """
    from cardenvs.baselines.engine.ray_cluster import try_cluster  # an extra

    try_cluster(address)


def _pool(job: Job[Key, Done], workers: int | None, cluster: str | None, most: int) -> Pool[Key, Done]:
    """The workers, at most ``most``."""
    if cluster is not None:
        from cardenvs.baselines.engine.ray_cluster import RayPool  # an extra

        return RayPool(job, cluster, workers, most)
    workers = min(cores() if workers is None else workers, most)
    return ThisProcess(job) if workers == 1 else LocalPool(job, workers)


def _tell(lost: Lost[Key], kind: str, last: bool) -> None:
    """Says that a worker was lost.

    Raises:
        RuntimeError: it was the last that is tried.
    """
    what = f"a worker of the {kind}, {lost.worker}, {lost.why}"
    if last:
        raise RuntimeError(f"{what}; {MOST_LOSSES} were lost at the same work; what is finished is kept")
    remark(f"cardenvs: {what}; another one does its work again")

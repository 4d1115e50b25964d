"""Handing out tasks until all are finished, with any engine."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait

from cardenvs.baselines.engine.executors import Here, WorkerLost, WorkersLost, do_task
from cardenvs.baselines.engine.job import Done, Job
from cardenvs.baselines.engine.processes import Processes
from cardenvs.baselines.engine.tasks import Key, Queue, Task
from cardenvs.checks import check_int, short
from cardenvs.compiled.machine import cores
from cardenvs.printing import remark

MOST_LOSSES = 3  # number of workers lost in a row at the same pieces that ends the work: the next one would be lost, too


def work(
    job: Job[Key, Done],
    tasks: Sequence[Task[Key]],
    finished: Callable[[Done], int],
    *,
    workers: int | None = None,
    cluster: str | Executor | None = None,
    largest: int = 8192,
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
    executor, workers = _make_executor(cluster, workers, most, job.kind, pieces)
    sent, key = (job if isinstance(executor, Here) else job.make_portable()), uuid.uuid4().hex
    lost: Counter[tuple[Key, int]] = Counter()
    at_work: dict[Future[Done], Task[Key]] = {}
    interrupted = True
    try:
        if ahead is not None and workers > 1:
            ahead()
        queue = Queue(tasks, workers, largest)
        while queue or at_work:
            while queue and len(at_work) < workers:
                task = queue.take_task()
                if wanted(task):
                    at_work[executor.submit(do_task, key, sent, task)] = task
            for future in wait(at_work, return_when=FIRST_COMPLETED).done:
                task = at_work.pop(future)
                try:
                    done = future.result()
                except WorkerLost as error:
                    lost[task.of, task.start] += 1
                    _report_loss(error, job.kind, lost[task.of, task.start] == MOST_LOSSES)
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


def check_cluster(address: str) -> None:
    """Checks that the Ray cluster at an address can be used, for work that begins on this machine; ValueError if not."""
    from cardenvs.baselines.engine.ray_cluster import try_cluster  # an extra

    try_cluster(address)


def _make_executor(
    cluster: str | Executor | None, workers: int | None, most: int, kind: str, pieces: int
) -> tuple[Executor, int]:
    """Returns the executor and the number of simultaneous calls: one for each worker, ``most`` on this machine."""
    if isinstance(cluster, str):
        from cardenvs.baselines.engine.ray_cluster import RayActors  # an extra

        actors = RayActors(kind, cluster, workers, pieces)
        return actors, actors.workers
    if cluster is not None:
        return cluster, most
    return (Here() if most == 1 else Processes(most)), most


def _report_loss(lost: WorkerLost, kind: str, last: bool) -> None:
    """Reports a lost worker; raises `WorkersLost` for the last one."""
    what = f"a worker of the {kind}, {lost.worker}, {lost.why}"
    if last:
        raise WorkersLost(f"{what}; {MOST_LOSSES} were lost at the same work; what is finished is kept") from None
    remark(f"cardenvs: {what}; another one does its work again")

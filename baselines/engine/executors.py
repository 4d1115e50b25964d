"""Executors as the engine uses them: how a task reaches a worker, what a lost worker looks like, and this process as one.

Work is done by any `concurrent.futures.Executor`: `Here`, the processes of this machine
(`cardenvs.baselines.engine.processes.Processes`), the actors of a Ray cluster
(`cardenvs.baselines.engine.ray_cluster.RayActors`), or one of somebody else's, such as that of a cluster's own library.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

from cardenvs.baselines.engine.job import Job
from cardenvs.baselines.engine.tasks import Task


class WorkersLost(RuntimeError, ChildProcessError):
    """Workers were lost at the same work, which cannot be finished so; commands tell it in a line, as other OS errors."""


class WorkerLost(Exception):
    """A worker is lost, and another one has taken its place: nothing of its task is finished.

    Args:
        worker: the worker in words: ``"process 4711"``.
        why: what became of it, in words: ``"was ended by SIGKILL"``.
    """

    def __init__(self, worker: str, why: str) -> None:
        super().__init__(f"{worker}, {why}")
        self.worker, self.why = worker, why


class Here(Executor):
    """This process as the only worker: a call is made when it is submitted."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Calls a function, and returns what came of it as a future that is done."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class _Begun(threading.local):
    """In a worker, and in each of its threads: the latest job's key, and the function that works on its tasks."""

    key = ""
    work: Callable[[Task[Any]], Any]


_begun = _Begun()


def do(key: str, job: Job[Any, Any], task: Task[Any]) -> Any:
    """Works on a task in a worker, which begins a job with its first task.

    Args:
        key: a text that no other job has.
        job: the job.
        task: one of its tasks.
    """
    if key != _begun.key:
        _begun.work = job.begun()
        _begun.key = key
    return _begun.work(task)

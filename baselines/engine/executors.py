"""Executors as the engine uses them: how a task reaches a worker, errors of lost workers, and this process as an executor.

Any `concurrent.futures.Executor` can work: `Here`, `cardenvs.baselines.engine.processes.Processes`,
`cardenvs.baselines.engine.ray_cluster.RayActors`, or one of another library, such as a cluster's own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

from cardenvs.baselines.engine.job import Job
from cardenvs.baselines.engine.tasks import Task


class WorkersLost(RuntimeError, ChildProcessError):
    """Several workers were lost at the same work; an OSError, so that commands report it in a line."""


class WorkerLost(Exception):
    """A worker is lost and replaced; nothing of its task is finished.

    Args:
        worker: the worker in words: ``"process 4711"``.
        why: how it ended, in words: ``"was ended by SIGKILL"``.
    """

    def __init__(self, worker: str, why: str) -> None:
        super().__init__(f"{worker}, {why}")
        self.worker, self.why = worker, why


class Here(Executor):
    """This process as the only worker: a call is made when it is submitted."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class _CurrentJob(threading.local):
    """In each thread of a worker: the latest job's key, and the function that works on its tasks."""

    key = ""
    work: Callable[[Task[Any]], Any]


_current = _CurrentJob()


def do_task(key: str, job: Job[Any, Any], task: Task[Any]) -> Any:
    """Works on a task in a worker, which begins the job, of a unique ``key``, with its first task."""
    if key != _current.key:
        _current.work = job.begin_here()
        _current.key = key
    return _current.work(task)

"""Executors as the engine uses them: workers that are replaced when they are lost, and this process as an executor.

Any `concurrent.futures.Executor` can work: `Here`, `Workers` of one kind
(`cardenvs.baselines.engine.processes.Processes`, `cardenvs.baselines.engine.ray_cluster.RayActors`), or one of another
library, such as a cluster's own.
"""

from __future__ import annotations

import atexit
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, Protocol

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


class Worker(Protocol):
    """A worker elsewhere, which makes one call at a time."""

    def make_call(self, fn: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """Returns the result of a call, or raises its exception; WorkerLost if the worker ended before."""

    def end(self, at_once: bool) -> None:
        """Ends the worker; ``at_once``: even while it works."""


class Workers(Executor):
    """Workers behind a thread each, which takes a call when its worker is ready, and replaces a worker that is lost.

    Args:
        number: how many workers.
        start: returns a new worker when it is ready to work; called in several threads. Its exception ends all calls.
    """

    def __init__(self, number: int, start: Callable[[], Worker]) -> None:
        self._number, self._start = number, start
        self._calls: queue.SimpleQueue[tuple[Future[Any], Callable[..., Any], tuple[Any, ...]] | None] = queue.SimpleQueue()
        self._working: set[Worker] = set()
        self._ended = False
        self._threads: list[threading.Thread] = []
        atexit.register(self.shutdown, cancel_futures=True)

    def submit(self, fn: Callable[..., Any], /, *args: Any) -> Future[Any]:  # type: ignore[override]
        future: Future[Any] = Future()
        self._calls.put((future, fn, args))
        if len(self._threads) < self._number:
            self._threads.append(threading.Thread(target=self._serve, daemon=True))
            self._threads[-1].start()
        return future

    def _serve(self) -> None:
        worker: Worker | None = None
        useless: Exception | None = None
        while not self._ended:
            if worker is None and useless is None:
                try:
                    worker = self._start()
                    self._working.add(worker)
                except Exception as error:
                    useless = error
            call = self._calls.get()
            if call is None or self._ended:
                break
            future, fn, args = call
            if not future.set_running_or_notify_cancel():
                continue
            try:
                if useless is not None:
                    raise useless
                assert worker is not None
                future.set_result(worker.make_call(fn, args))
            except Exception as error:
                if isinstance(error, WorkerLost) and worker is not None:
                    self._working.discard(worker)
                    worker = None
                future.set_exception(error)
        if worker is not None:
            worker.end(at_once=False)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Ends all workers; ``cancel_futures``: even while they work.

        Waiting takes a while, but an interpreter that ends at the same moment as the workers may print an error of its own.
        """
        atexit.unregister(self.shutdown)
        self._ended = self._ended or cancel_futures
        for _ in self._threads:
            self._calls.put(None)
        for worker in list(self._working) if cancel_futures else ():
            worker.end(at_once=True)
        for thread in self._threads if wait else ():
            thread.join()


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

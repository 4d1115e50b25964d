"""Worker processes on this machine, with what Python brings: one executor of one process each.

A pool of several processes is broken as a whole when one of them dies, and the tasks of all are lost; of executors with one
process each only that one is, and is replaced.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import connection, parent_process
from multiprocessing.context import SpawnContext
from multiprocessing.process import BaseProcess
from typing import Any

from cardenvs.baselines.engine.job import Done, Job, do, receive
from cardenvs.baselines.engine.pool import Finished, Lost, Pool
from cardenvs.baselines.engine.tasks import Key, Task


@contextmanager
def _at_their_start() -> Iterator[None]:
    """Sets signal handling and OpenMP threads for worker processes that are started within this context.

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


class _Context(SpawnContext):
    """A context that starts processes and lists them in ``started``."""

    def __init__(self) -> None:
        self.started: list[BaseProcess] = []

    def Process(self, *args: Any, **kwargs: Any) -> BaseProcess:  # type: ignore[override]
        """A new process."""
        self.started.append(super().Process(*args, **kwargs))
        return self.started[-1]


def _begin(job: Job[Any, Any]) -> None:
    """Begins a worker process, which ends when the process that started it ends, however that comes about."""
    parent = parent_process()
    assert parent is not None

    def follow() -> None:
        """Waits for the end of the parent process, which sends no message if it is killed, and ends this one."""
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()
    receive(job)


class _Worker:
    """A worker process, started with its first task."""

    def __init__(self, job: Job[Any, Any]) -> None:
        self._context = _Context()
        self._executor = ProcessPoolExecutor(1, self._context, _begin, (job,))

    def submit(self, task: Task[Key]) -> Future[Any]:
        """Hands a task to the process."""
        if self._context.started:
            return self._executor.submit(do, task)
        with _at_their_start():
            return self._executor.submit(do, task)

    def lost(self) -> tuple[str, str]:
        """The name of the lost process and the way it ended, in words."""
        (process,) = self._context.started
        until = time.monotonic() + 1
        while (code := process.exitcode) is None and time.monotonic() < until:
            time.sleep(0.01)  # the executor's own thread may be about to learn it
        if code is None or code >= 0:
            why = "ended" if code is None else f"ended with status {code}"
        else:
            known = -code in set(signal.Signals)
            why = f"was ended by {signal.Signals(-code).name if known else f'signal {-code}'}"
        return f"process {process.pid}", why

    def end(self, at_once: bool) -> None:
        """Ends the process without waiting for it; ``at_once``: even while it works on a task."""
        if at_once:
            for process in self._context.started:
                process.terminate()
        self._executor.shutdown(wait=False, cancel_futures=True)


class LocalPool(Pool[Key, Done]):
    """Processes of this machine.

    Args:
        workers: how many processes.
    """

    def __init__(self, job: Job[Key, Done], workers: int) -> None:
        super().__init__(workers)
        self._job = job.sent()
        self._idle += [_Worker(self._job) for _ in range(workers)]

    def _handed(self, worker: _Worker, task: Task[Key]) -> Future[Done]:
        """Hands a task to a process."""
        return worker.submit(task)

    def wait(self) -> Sequence[Finished[Key, Done] | Lost[Key]]:
        """Waits until a task came back or was lost."""
        told: list[Finished[Key, Done] | Lost[Key]] = []
        for future in wait(self._at_work, return_when=FIRST_COMPLETED).done:
            worker, task = self._at_work.pop(future)
            try:
                told.append(Finished(task, future.result()))
            except BrokenProcessPool:
                told.append(Lost(task, *worker.lost()))
                worker.end(at_once=True)
                worker = _Worker(self._job)
            self._idle.append(worker)
        return told

    def close(self, interrupted: bool) -> None:
        """Ends all processes without waiting for them, as each takes a while to end."""
        for worker in [*self._idle, *(worker for worker, _ in self._at_work.values())]:
            worker.end(at_once=interrupted)

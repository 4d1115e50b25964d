"""Worker processes on this machine, with the standard library: one executor of one process each.

A pool of several processes breaks as a whole when one of them dies, and the tasks of all are lost; of these executors only
one breaks, and is replaced.
"""

from __future__ import annotations

import functools
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import connection, parent_process
from multiprocessing.context import SpawnContext
from multiprocessing.process import BaseProcess
from typing import Any

from cardenvs.baselines.engine.executors import WorkerLost


@contextmanager
def _worker_settings() -> Iterator[None]:
    """Sets signal handling and OpenMP threads for worker processes that are started within this context.

    Ctrl-C reaches the whole process group; the workers must leave it to this process, from the start.
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
    """A context that lists its processes in ``started``; ``results`` is the queue of their answers."""

    def __init__(self) -> None:
        self.started: list[BaseProcess] = []
        self.results: Any = None

    def SimpleQueue(self) -> Any:
        self.results = super().SimpleQueue()
        return self.results

    def Process(self, *args: Any, **kwargs: Any) -> BaseProcess:  # type: ignore[override]
        self.started.append(super().Process(*args, **kwargs))
        return self.started[-1]


def _end_with_the_parent() -> None:
    """Ends a worker process when its parent process ends in any way."""
    parent = parent_process()
    assert parent is not None

    def exit_with_parent() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=exit_with_parent, daemon=True).start()


class _Worker:
    """A worker process, started with its first call."""

    def __init__(self) -> None:
        self._context = _Context()
        self._executor = ProcessPoolExecutor(1, self._context, _end_with_the_parent)

    def submit(self, fn: Callable[..., Any], *args: Any) -> Future[Any]:
        if self._context.started:
            return self._executor.submit(fn, *args)
        with _worker_settings():
            future = self._executor.submit(fn, *args)
        # Only the process writes. If it ends in the middle of an answer, its reader would wait for the rest
        # as long as this end is open.
        self._context.results._writer.close()
        return future

    def describe_loss(self) -> tuple[str, str]:
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

    def shut_down(self, at_once: bool) -> None:
        """Ends the process without waiting for it; ``at_once``: even while it works."""
        if at_once:
            for process in self._context.started:
                process.terminate()
        self._executor.shutdown(wait=False, cancel_futures=True)

    def wait(self) -> None:
        self._executor.shutdown(wait=True)


class Processes(Executor):
    """Processes of this machine, one call each at a time; a lost one is replaced, and its call ends with `WorkerLost`."""

    def __init__(self, workers: int) -> None:
        self._lock = threading.Lock()
        self._idle = [_Worker() for _ in range(workers)]
        self._busy: set[_Worker] = set()
        self._waiting: deque[tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]] = deque()
        self._ended = False

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Passes a call to an idle process, or queues it."""
        outer: Future[Any] = Future()
        with self._lock:
            self._waiting.append((outer, functools.partial(fn, **kwargs), args))
        self._assign_calls()
        return outer

    def _assign_calls(self) -> None:
        while True:
            with self._lock:
                if not (self._waiting and self._idle):
                    return
                outer, fn, args = self._waiting.popleft()
                if not outer.set_running_or_notify_cancel():
                    continue
                worker = self._idle.pop()
                self._busy.add(worker)
                inner = worker.submit(fn, *args)
            inner.add_done_callback(functools.partial(self._finish_call, worker, outer))

    def _finish_call(self, worker: _Worker, outer: Future[Any], inner: Future[Any]) -> None:
        """Passes on the result of a call, and the next call to its process, or to the one in its place."""
        error = WorkerLost("a process", "was ended") if inner.cancelled() else inner.exception()
        again = worker
        if isinstance(error, BrokenProcessPool) and not self._ended:
            error = WorkerLost(*worker.describe_loss())
            worker.shut_down(at_once=True)
            again = _Worker()
        with self._lock:
            self._busy.discard(worker)
            self._idle.append(again)
        if error is None:
            outer.set_result(inner.result())
        else:
            outer.set_exception(error)
        self._assign_calls()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Ends all processes; ``cancel_futures``: even while they work.

        Waiting takes a while, but an interpreter that ends at the same moment as the processes may print an error of its
        own.
        """
        with self._lock:
            self._ended = True
            self._waiting.clear()
            workers = (*self._idle, *self._busy)
            for worker in workers:
                worker.shut_down(at_once=cancel_futures)
        if wait:
            for worker in workers:
                worker.wait()

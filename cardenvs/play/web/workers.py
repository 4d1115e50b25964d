"""Threads in which policies think, so that no page ever waits for one."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any


class Workers:
    """Threads for work of unknown length: as many as needed up to a limit; further work waits.

    They are daemons, unlike those of `concurrent.futures`: a policy that never returns does not keep the program alive.
    """

    def __init__(self, limit: int, name: str) -> None:
        self._limit, self._name = limit, name
        self._work: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._threads = 0
        self._unfinished = 0

    def submit(self, work: Callable[[], Any]) -> Future[Any]:
        """Has ``work`` run in a thread; the future gets its result or its error."""
        future: Future[Any] = Future()
        with self._lock:
            self._unfinished += 1
            if self._unfinished > self._threads < self._limit:
                self._threads += 1
                threading.Thread(target=self._run_work, name=f"{self._name}-{self._threads}", daemon=True).start()
        self._work.put((future, work))
        return future

    def _run_work(self) -> None:
        while True:
            future, work = self._work.get()
            if future.set_running_or_notify_cancel():
                try:
                    result = work()
                except BaseException as error:  # the future's owner gets the error
                    future.set_exception(error)
                else:
                    future.set_result(result)
            with self._lock:
                self._unfinished -= 1


MOVES = Workers(256, "policy")  # only policies that hang at dozens of tables can reach the limit
HINTS = Workers(64, "hint")  # apart from moves, so that hints never delay a policy

"""Threads in which policies think, so that no page ever waits for one."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any


def run_in_thread(work: Callable[[], Any]) -> Future[Any]:
    """Has ``work`` run in a thread of its own; the future, which cannot be cancelled, gets its result or its error.

    The threads are daemons, unlike those of `concurrent.futures`: a policy that never returns does not keep the program
    alive.
    """
    future: Future[Any] = Future()
    future.set_running_or_notify_cancel()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # the future's owner gets the error
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future

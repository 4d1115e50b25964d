"""Threads in which policies think, so that no page ever waits for one."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

_Inbox = queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]]]

_IDLE: queue.SimpleQueue[_Inbox] = queue.SimpleQueue()  # the inboxes of the threads without work


def run_in_thread(work: Callable[[], Any]) -> Future[Any]:
    """Has ``work`` run in an idle or new thread; the future, which cannot be cancelled, gets its result or its error.

    The threads are daemons, unlike those of `concurrent.futures`: a policy that never returns does not keep the program
    alive.
    """
    future: Future[Any] = Future()
    future.set_running_or_notify_cancel()
    try:
        inbox = _IDLE.get_nowait()
    except queue.Empty:
        inbox = _Inbox()
        threading.Thread(target=_run_works, args=(inbox,), daemon=True).start()
    inbox.put((future, work))
    return future


def _run_works(inbox: _Inbox) -> None:
    while True:
        future, work = inbox.get()
        try:
            result = work()
        except BaseException as error:  # the future's owner gets the error
            future.set_exception(error)
        else:
            future.set_result(result)
        _IDLE.put(inbox)

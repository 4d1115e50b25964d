"""Worker processes on this machine, with the standard library.

The pool of the standard library breaks as a whole when one of its processes dies; of these only that one is replaced.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from multiprocessing import connection, get_context, parent_process
from typing import Any

from cardenvs.baselines.engine.executors import WorkerLost, Workers

_STARTING = threading.Lock()


class Processes(Workers):
    """Processes of this machine, one call each at a time; a lost one is replaced, and its call ends with `WorkerLost`."""

    def __init__(self, workers: int) -> None:
        super().__init__(workers, self._start_process)

    def _start_process(self) -> _Process:
        with _STARTING:
            if self._ended:
                raise WorkerLost("a process", "which was not started")
            return _Process()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        super().shutdown(wait, cancel_futures=cancel_futures)
        with _STARTING:  # a process that is half started would print an error if this one ended now
            pass


class _Process:
    """A worker process, and the pipe to it."""

    def __init__(self) -> None:
        context = get_context("spawn")
        with _worker_settings():
            self._pipe, other_end = context.Pipe()
            self._process = context.Process(target=_serve_calls, args=(other_end,))
            self._process.start()
        other_end.close()  # if the process ends in the middle of an answer, nobody waits for the rest

    def make_call(self, fn: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        try:
            self._pipe.send((fn, args))
            answer = self._pipe.recv_bytes()
        except (EOFError, OSError):
            self._process.join(1)
            raise WorkerLost(f"process {self._process.pid}", _describe_end(self._process.exitcode)) from None
        result, error, where = pickle.loads(answer)
        if error is not None:
            raise error from RuntimeError(where)
        return result

    def end(self, at_once: bool) -> None:
        if at_once:
            self._process.terminate()
        else:
            self._pipe.close()
            self._process.join()


def _describe_end(status: int | None) -> str:
    if status is None or status >= 0:
        return "ended" if status is None else f"ended with status {status}"
    known = -status in set(signal.Signals)
    return f"was ended by {signal.Signals(-status).name if known else f'signal {-status}'}"


@contextlib.contextmanager
def _worker_settings() -> Iterator[None]:
    """Sets signals and OpenMP threads for a worker process that is started within this context, from any thread.

    Ctrl-C reaches the whole process group; the workers must leave it to this process, from the start.
    """
    threads = os.environ.get("OMP_NUM_THREADS")
    os.environ["OMP_NUM_THREADS"] = "1"  # for networks: the workers themselves use all cores
    masks = hasattr(signal, "pthread_sigmask")
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT]) if masks else ()
    try:
        yield
    finally:
        if masks:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if threads is None:
            del os.environ["OMP_NUM_THREADS"]
        else:
            os.environ["OMP_NUM_THREADS"] = threads


def _serve_calls(pipe: connection.Connection) -> None:
    """Makes calls in a worker process until the other end of the pipe is closed, or its parent ends in any way."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    assert parent is not None

    def exit_with_parent() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=exit_with_parent, daemon=True).start()
    while True:
        try:
            fn, args = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send((fn(*args), None, ""))
        except Exception as error:
            where = traceback.format_exc()
            try:
                pipe.send((None, error, where))
            except Exception:  # it cannot be sent
                pipe.send((None, RuntimeError(str(error)), where))

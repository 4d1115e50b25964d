"""Executors as the engine uses them: this process, and workers that are replaced when they are lost.

Any `concurrent.futures.Executor` can work: `Here`, `Workers` of one kind (`Processes`,
`cardenvs.baselines.engine.ray_cluster.RayActors`), or one of another library, such as a cluster's own. The pool of the
standard library breaks as a whole when one of its processes dies; of `Processes` only that one is replaced.
"""

import atexit
import contextlib
import os
import pickle
import queue
import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from multiprocessing import connection, get_context, parent_process
from typing import Any, Protocol

_STARTING = threading.Lock()


class WorkersLost(RuntimeError, ChildProcessError):
    """Several workers were lost at the same work; an OSError, so that commands report it in a line."""


class WorkerLost(Exception):
    """A worker (``"process 4711"``) is lost and replaced, for it ended (``"was ended by SIGKILL"``) before its task did."""

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

    Subclasses have `start_worker`, whose exception ends all calls.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self._calls: queue.SimpleQueue[tuple[Future[Any], Callable[..., Any], tuple[Any, ...]] | None] = queue.SimpleQueue()
        self._working: set[Worker] = set()
        self._ended = False
        self._threads: list[threading.Thread] = []
        atexit.register(self.shutdown, cancel_futures=True)

    def submit(self, fn: Callable[..., Any], /, *args: Any) -> Future[Any]:  # type: ignore[override]
        future: Future[Any] = Future()
        self._calls.put((future, fn, args))
        if len(self._threads) < self.number:
            self._threads.append(threading.Thread(target=self._serve, daemon=True))
            self._threads[-1].start()
        return future

    def start_worker(self) -> Worker:
        """Returns a new worker when it is ready to work; called in several threads."""
        raise NotImplementedError

    def _serve(self) -> None:
        worker: Worker | None = None
        useless: Exception | None = None
        while not self._ended:
            if worker is None and useless is None:
                try:
                    worker = self.start_worker()
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


class Processes(Workers):
    """Processes of this machine, one call each at a time; a lost one is replaced, and its call ends with `WorkerLost`."""

    def start_worker(self) -> Worker:
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

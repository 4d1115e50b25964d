"""Workers on a Ray cluster, one actor for each core.

Ray only starts actors where a core is free, passes them tasks, and reports finished tasks and lost actors. The results are
handled as those of processes on one machine.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import os
import queue
import re
import socket
import threading
import time
import urllib.parse
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from typing import Any

from cardenvs import plugins
from cardenvs.baselines.engine.executors import WorkerLost
from cardenvs.baselines.engine.versions import package_versions, version_differences
from cardenvs.printing import remark

plugins.require("ray", "ray", "work on a cluster")
# Where a cluster was not ended in order, what it left behind is tried for seconds and not for minutes.
os.environ.setdefault("RAY_NUM_REDIS_GET_RETRIES", "1")

import ray  # noqa: E402  (an extra)
from ray import exceptions as ray_errors  # noqa: E402
from ray._private import worker as ray_worker  # noqa: E402

PATIENCE = 30.0  # seconds without a ready worker after which a message says that there are no free cores
REACH_SECONDS = 10.0  # timeout of an attempt to connect to a cluster's address, in seconds
TOKEN_MODE = "RAY_AUTH_MODE"  # the environment variable with which Ray turns tokens on or off
LOOK_SECONDS = 5.0  # timeout of one wait for workers, and of an attempt to connect to a node, in seconds


Call = tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]
"""A waiting call: the future of its result, the function, its arguments."""
_NODE_DIED = "because its node has died"  # part of Ray's message about an actor whose node it knows to be dead


class _Worker:
    """A worker in an actor's process, which makes calls one after another."""

    def describe(self) -> tuple[str, str, dict[str, str]]:
        """Returns the worker's name in words, the id of its node, and its versions."""
        node = ray.get_runtime_context().get_node_id()
        return f"process {os.getpid()} on {ray.util.get_node_ip_address()} (node {node[:8]})", node, package_versions()

    def make_call(self, fn: Callable[..., Any], *args: Any) -> Any:
        return fn(*args)


@dataclass
class _Actor:
    handle: Any
    name: str = ""
    node: str = ""
    call: Call | None = None


class RayActors(Executor):
    """Actors of a Ray cluster. An existing connection of this process is used, and stays; else one is made and ended.

    A call whose actor is lost ends with `WorkerLost`; if an actor has other versions than this process, or cannot import a
    module, all calls end with a ValueError.

    Args:
        kind: their work, in a word, for messages.
        address: the address of the cluster, or ``"auto"`` for the one that this machine is part of.
        workers: how many actors; None: one for each core of the cluster. Ray starts each when a core is free for it.
        most: the maximum number of useful actors.

    Raises:
        ValueError: the address does not answer, or its cluster has another version of Ray.
    """

    def __init__(self, kind: str, address: str, workers: int | None, most: int) -> None:
        self._connected = not ray.is_initialized()
        if self._connected:
            _connect_to(address)
        cores = int(ray.cluster_resources().get("CPU", 0))
        self.workers = max(1, min(cores if workers is None else workers, most))
        self._kind = kind
        self._versions = package_versions()
        self._since = time.monotonic()
        self._lock = threading.Lock()
        self._actors: list[_Actor] = []
        self._waiting: deque[Call] = deque()
        self._useless: Exception | None = None
        # Ray answers in a thread of its own, in which nothing of Ray may be waited for: the answers are taken up in ours.
        self._answers: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        try:
            for _ in range(self.workers):
                self._request_actor()
        except BaseException:
            self.shutdown(cancel_futures=True)
            raise
        threading.Thread(target=self._handle_answers, daemon=True).start()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Passes a call to an idle actor, or queues it."""
        future: Future[Any] = Future()
        self._waiting.append((future, functools.partial(fn, **kwargs), args))
        self._assign_calls()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._answers.put(None)
        with self._lock:
            self._waiting.clear()
            for actor in self._actors:
                ray.kill(actor.handle)
            self._actors.clear()
        if self._connected:
            _disconnect()

    def _queue_answer(self, reference: Any, take_up: Callable[[Future[Any]], None]) -> None:
        """Queues an answer of Ray for `_handle_answers` when it has come."""
        reference.future().add_done_callback(lambda answer: self._answers.put(functools.partial(take_up, answer)))

    def _handle_answers(self) -> None:
        """Handles answers, until the end; reports once if there are no free cores."""
        while True:
            try:
                answer = self._answers.get(timeout=LOOK_SECONDS)
            except queue.Empty:
                if not any(actor.name for actor in self._actors) and time.monotonic() - self._since > PATIENCE:
                    self._since = float("inf")
                    remark(f"cardenvs: the {self._kind} waits for a free core of the cluster")
                continue
            if answer is None:
                return
            answer()

    def _request_actor(self) -> None:
        """Requests an actor, which is idle once its `_Worker.describe` has returned."""
        actor = _Actor(ray.remote(_Worker).options(num_cpus=1, max_restarts=0).remote())
        with self._lock:
            self._actors.append(actor)
        self._queue_answer(actor.handle.describe.remote(), functools.partial(self._admit_actor, actor))

    def _admit_actor(self, actor: _Actor, answer: Future[Any]) -> None:
        """Makes an actor idle whose `_Worker.describe` has returned, or starts another if it could not start."""
        try:
            actor.name, actor.node, there = answer.result()
        except ray_errors.RayTaskError as error:
            self._end_all(_worker_exception(error))
            return
        except (ray_errors.RayActorError, ray_errors.RaySystemError, ray_errors.RuntimeEnvSetupError) as error:
            missing = _missing_module(error)
            if missing:
                there = "install the same cardenvs there, in the same version"
                self._end_all(ValueError(f"the cluster's machines cannot import {missing}: {there}"))
                return
            remark(f"cardenvs: a worker of the {self._kind} could not start ({_cause(error)}); another one is asked for")
            self._replace_actor(actor)
            return
        other = version_differences(self._versions, there)
        if other:
            self._end_all(ValueError(f"{actor.name} has other versions, which may play otherwise: {'; '.join(other)}"))
            return
        self._since = time.monotonic()
        self._assign_calls()

    def _replace_actor(self, actor: _Actor) -> None:
        with self._lock:
            if actor not in self._actors:
                return  # all are ended
            self._actors.remove(actor)
        with contextlib.suppress(ray_errors.RayError):  # it may be gone for good
            ray.kill(actor.handle)
        self._request_actor()

    def _end_all(self, error: Exception) -> None:
        """Ends all calls, future ones as well, with an error."""
        self._useless = error
        with self._lock:
            calls = [*self._waiting, *(actor.call for actor in self._actors if actor.call is not None)]
            self._waiting.clear()
        for future, *_ in calls:
            future.set_exception(error)

    def _assign_calls(self) -> None:
        while True:
            with self._lock:
                if self._useless is not None:
                    while self._waiting:
                        self._waiting.popleft()[0].set_exception(self._useless)
                idle = [actor for actor in self._actors if actor.name and actor.call is None]
                if not (self._waiting and idle):
                    return
                call = self._waiting.popleft()
                if not call[0].set_running_or_notify_cancel():
                    continue
                actor = idle[0]
                actor.call = call
            _, fn, args = call
            self._queue_answer(actor.handle.make_call.remote(fn, *args), functools.partial(self._finish_call, actor))

    def _finish_call(self, actor: _Actor, answer: Future[Any]) -> None:
        """Passes on the result of a call, and the next call to its actor, or to the one in its place."""
        assert actor.call is not None
        future, *_ = actor.call
        if future.done():
            return  # all were ended
        try:
            result = answer.result()
        except ray_errors.RayTaskError as error:
            actor.call = None
            future.set_exception(_worker_exception(error))
        except (ray_errors.RayActorError, ray_errors.ObjectLostError) as error:
            self._replace_actor(actor)
            future.set_exception(WorkerLost(actor.name, _cause(error, actor.node)))
        else:
            actor.call = None
            future.set_result(result)
        self._assign_calls()


def try_cluster(address: str) -> None:
    """Connects to a cluster and leaves it again, unless this process has a connection; ValueError if that fails."""
    if not ray.is_initialized():
        _connect_to(address)
        _disconnect()


def _connect_to(address: str) -> None:
    if address != "auto":
        _check_reachable(address)
        _take_token()
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except (ConnectionError, RuntimeError, ValueError, TimeoutError, ray_errors.RayError) as error:
        if address == "auto" and isinstance(error, ConnectionError):
            raise ValueError(
                "this machine is part of no Ray cluster: give the cluster's address, or let the machine join it "
                "with: ray start --address=HEAD:6379"
            ) from None
        where = "this machine's Ray cluster" if address == "auto" else f"the Ray cluster at {address!r}"
        raise ValueError(f"{where} takes us not in: {' '.join(str(error).split())}{_token_advice()}") from None
    _set_worker_logs(False)


def _take_token() -> None:
    """Takes the token that is stored on this machine, as Ray itself does for ``auto`` alone; others ignore it."""
    with contextlib.suppress(ImportError):  # Ray had no tokens before 2.51
        from ray._private.authentication import authentication_token_setup as tokens

        if hasattr(tokens, "maybe_enable_token_auth_if_token_available"):
            tokens.logger.setLevel(logging.ERROR)  # it warns that tokens are used
            tokens.maybe_enable_token_auth_if_token_available(warn_if_disabled=False)


def _token_advice() -> str:
    """Returns advice for messages where a cluster may need a token that this machine does not have."""
    advice = "; if it asks for a token, that must lie in ~/.ray/auth_token here: on its head `ray get-auth-token` prints it"
    mode = os.environ.get(TOKEN_MODE, "token")
    return advice if mode == "token" else f"{advice}, and {TOKEN_MODE} must not be {mode!r}"


def _disconnect() -> None:
    ray.shutdown()
    _set_worker_logs(True)


def _set_worker_logs(shown: bool) -> None:
    """Sets whether Ray prints the logs of the cluster's machines.

    When a machine or a worker dies, Ray prints pages of its log, in colours, to standard output, where ``--json`` needs one
    object alone; ``log_to_driver`` and the levels of logging control other lines. This is the switch of Ray's debugger;
    where another version of Ray has none, the logs are printed.
    """
    if hasattr(ray_worker, "_worker_logs_enabled"):
        ray_worker._worker_logs_enabled = shown


def _check_reachable(address: str) -> None:
    """Checks that an address answers, because Ray itself tries it for minutes."""
    parts = urllib.parse.urlsplit(address if "://" in address else f"//{address}")
    try:
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if not host or not port:
        raise ValueError(
            f"cluster must be 'auto' or an address such as '10.0.0.1:6379' or 'ray://10.0.0.1:10001', not {address!r}"
        )
    try:
        socket.create_connection((host, port), REACH_SECONDS).close()
    except OSError as error:
        raise ValueError(f"no Ray cluster answers at {address!r}: {error.strerror or error}") from None


def _worker_exception(error: ray_errors.RayTaskError) -> Exception:
    """Returns the exception that a worker raised; a RuntimeError with its text where it cannot be sent."""
    return error.cause or RuntimeError(str(error))


def _missing_module(error: BaseException) -> str | None:
    """Returns the module that a worker could not import, where that prevented its start."""
    found = re.search(r"No module named '?([\w.]+)", str(error))
    return found and found[1]


def _cause(error: BaseException, node: str | None = None) -> str:
    machine = _NODE_DIED in str(error) or (node is not None and _is_node_gone(node))
    return "is gone with its machine" if machine else "has died"


def _is_node_gone(node: str) -> bool:
    """Returns whether a node of the cluster has ended: the cluster reports it, or it does not answer."""
    known = next((one for one in ray.nodes() if one["NodeID"] == node), None)
    if known is None or not known["Alive"]:
        return True
    if ray.util.client.ray.is_connected():
        return False  # its address means nothing here
    try:
        socket.create_connection((known["NodeManagerAddress"], known["NodeManagerPort"]), LOOK_SECONDS).close()
    except OSError:
        return True
    return False

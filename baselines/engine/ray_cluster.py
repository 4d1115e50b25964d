"""Workers on a Ray cluster, one actor for each core.

Ray is asked for little: to start an actor where a core is free, to hand it a task, to say when one is finished and when an
actor is gone. What is done with the answers is the same as for processes of one machine.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import socket
import time
import urllib.parse
from collections.abc import Sequence
from typing import Any

from cardenvs import plugins
from cardenvs.baselines.engine import job as worker_process
from cardenvs.baselines.engine.job import Done, Job
from cardenvs.baselines.engine.pool import Finished, Lost, Pool
from cardenvs.baselines.engine.tasks import Key, Task
from cardenvs.baselines.engine.versions import differences, versions
from cardenvs.printing import remark

plugins.require("ray", "ray", "work on a cluster")
# Where a cluster was not ended in order, what it left behind is tried for seconds and not for minutes.
os.environ.setdefault("RAY_NUM_REDIS_GET_RETRIES", "1")

import ray  # noqa: E402  (an extra)
from ray import exceptions as ray_errors  # noqa: E402
from ray._private import worker as ray_worker  # noqa: E402

PATIENCE = 30.0
"""Seconds without a ready worker after which a message says that there are no free cores."""
REACH_SECONDS = 10.0
"""Timeout of an attempt to connect to a cluster's address, in seconds."""
TOKEN_MODE = "RAY_AUTH_MODE"
"""The environment variable by which Ray is told to use tokens or not."""
LOOK_SECONDS = 5.0
"""Timeout of one wait for workers, and of an attempt to connect to a node, in seconds."""


_NODE_DIED = "because its node has died"
"""Part of Ray's message about an actor whose node it knows to be dead."""


class _Worker:
    """A worker in an actor's process, which works on tasks one after another."""

    def __init__(self, job: Job[Any, Any]) -> None:
        worker_process.receive(job)

    def about(self) -> tuple[str, str, dict[str, str]]:
        """The worker's name in words, the id of the node that it runs on, and its versions."""
        node = ray.get_runtime_context().get_node_id()
        return f"process {os.getpid()} on {ray.util.get_node_ip_address()} (node {node[:8]})", node, versions()

    def do(self, task: Task[Any]) -> Any:
        """Works on a task."""
        return worker_process.do(task)


class RayPool(Pool[Key, Done]):
    """Actors of a Ray cluster. A connection that this process has already is used, and stays; else one is made and ended.

    Args:
        address: the address of the cluster, or ``"auto"`` for the one that this machine is part of.
        workers: how many actors; None: one for each core of the cluster. Ray starts each when a core is free for it.
        most: the most actors that are of use.

    Raises:
        ValueError: no cluster can be reached there, or it has another version of Ray.
    """

    def __init__(self, job: Job[Key, Done], address: str, workers: int | None, most: int) -> None:
        sent = job.sent()
        self._connected = not ray.is_initialized()
        if self._connected:
            _connect(address)
        cores = int(ray.cluster_resources().get("CPU", 0))
        super().__init__(max(1, min(cores if workers is None else workers, most)))
        self._kind = job.kind
        self._versions = versions()
        self._about: dict[Any, tuple[str, str]] = {}
        self._starting: dict[Any, Any] = {}
        self._since = time.monotonic()
        try:
            self._job = ray.put(sent)
            for _ in range(self.workers):
                self._start()
        except BaseException:
            self.close(interrupted=True)
            raise

    def _start(self) -> None:
        """Asks for an actor, which is an idle worker once its `_Worker.about` has returned."""
        actor: Any = ray.remote(_Worker).options(num_cpus=1, max_restarts=0).remote(self._job)
        self._starting[actor.about.remote()] = actor

    def _handed(self, worker: Any, task: Task[Key]) -> Any:
        """Hands a task to an actor."""
        return worker.do.remote(task)

    def wait(self) -> Sequence[Finished[Key, Done] | Lost[Key]]:
        """Waits until a task came back or was lost, or a worker is ready.

        Raises:
            ValueError: a worker has other versions than this process, or cannot import what it needs.
        """
        told: list[Finished[Key, Done] | Lost[Key]] = []
        waiting = [*self._starting, *self._at_work]
        ready, _ = ray.wait(waiting, num_returns=1, timeout=LOOK_SECONDS)
        if not ready:
            self._look()
        for answer in ready:
            if answer in self._starting:
                self._welcome(answer, self._starting.pop(answer))
                continue
            actor, task = self._at_work.pop(answer)
            try:
                told.append(Finished(task, ray.get(answer)))
                self._idle.append(actor)
            except ray_errors.RayTaskError as error:
                raise _raised(error) from None
            except (ray_errors.RayActorError, ray_errors.ObjectLostError) as error:
                name, node = self._about.pop(actor)
                told.append(Lost(task, name, _why(error, node)))
                ray.kill(actor)
                self._start()
        return told

    def _welcome(self, answer: Any, actor: Any) -> None:
        """Adds a worker whose `_Worker.about` has returned to the idle ones, or starts another if it could not start."""
        try:
            name, node, there = ray.get(answer)
        except ray_errors.RayTaskError as error:
            raise _raised(error) from None
        except (ray_errors.RayActorError, ray_errors.RaySystemError, ray_errors.RuntimeEnvSetupError) as error:
            missing = _missing_module(error)
            if missing:
                raise ValueError(
                    f"the cluster's machines cannot import {missing}: install the same cardenvs there, in the same version"
                ) from None
            remark(f"cardenvs: a worker of the {self._kind} could not start ({_why(error)}); another one is asked for")
            self._start()
            return
        other = differences(self._versions, there)
        if other:
            raise ValueError(f"{name} has other versions, which may play otherwise: {'; '.join(other)}")
        self._about[actor] = name, node
        self._idle.append(actor)
        self._since = time.monotonic()

    def _look(self) -> None:
        """Prints once that there are no free cores, where none has been found for `PATIENCE` seconds."""
        if not (self._idle or self._at_work) and time.monotonic() - self._since > PATIENCE:
            self._since = float("inf")
            remark(f"cardenvs: the {self._kind} waits for a free core of the cluster")

    def close(self, interrupted: bool) -> None:
        """Ends all actors."""
        for actor in [*self._idle, *self._starting.values(), *(actor for actor, _ in self._at_work.values())]:
            ray.kill(actor)
        if self._connected:
            _leave()


def try_cluster(address: str) -> None:
    """Connects to a cluster and leaves it again, unless this process has a connection.

    Raises:
        ValueError: no cluster can be reached there, or it has another version of Ray.
    """
    if not ray.is_initialized():
        _connect(address)
        _leave()


def _connect(address: str) -> None:
    """Connects this process to a cluster.

    Raises:
        ValueError: none can be reached, or it has another version of Python or Ray.
    """
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
        raise ValueError(f"{where} takes us not in: {' '.join(str(error).split())}{_about_token()}") from None
    _show_what_ray_tells(False)


def _take_token() -> None:
    """Takes the token that lies on this machine, as Ray itself does for ``auto`` alone; others ignore it."""
    with contextlib.suppress(ImportError):  # Ray had no tokens before 2.51
        from ray._private.authentication import authentication_token_setup as tokens

        if hasattr(tokens, "maybe_enable_token_auth_if_token_available"):
            tokens.logger.setLevel(logging.ERROR)  # it warns that tokens are used
            tokens.maybe_enable_token_auth_if_token_available(warn_if_disabled=False)


def _about_token() -> str:
    """Advice for messages where a cluster may have asked for a token that this machine lacks or has another one of."""
    said = "; if it asks for a token, that must lie in ~/.ray/auth_token here: on its head `ray get-auth-token` prints it"
    mode = os.environ.get(TOKEN_MODE, "token")
    return said if mode == "token" else f"{said}, and {TOKEN_MODE} must not be {mode!r}"


def _leave() -> None:
    """Ends this process's connection to a cluster."""
    ray.shutdown()
    _show_what_ray_tells(True)


def _show_what_ray_tells(shown: bool) -> None:
    """Sets whether Ray prints what the cluster's machines tell.

    When a machine or a worker dies, Ray prints pages of its log, in colours, to standard output, where ``--json`` has one
    object alone; ``log_to_driver`` and the levels of logging are about other lines. This is the switch that Ray's
    debugger has for them; where another version of Ray has none, they are printed.
    """
    if hasattr(ray_worker, "_worker_logs_enabled"):
        ray_worker._worker_logs_enabled = shown


def _check_reachable(address: str) -> None:
    """Makes sure that something answers at an address, for Ray itself tries it for minutes.

    Raises:
        ValueError: nothing does, or it is no address.
    """
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


def _raised(error: ray_errors.RayTaskError) -> Exception:
    """The exception that a worker raised; a RuntimeError with its text where it cannot be sent."""
    return error.cause or RuntimeError(str(error))


def _missing_module(error: BaseException) -> str | None:
    """The module that a worker could not import, where that is why it could not start."""
    found = re.search(r"No module named '?([\w.]+)", str(error))
    return found and found[1]


def _why(error: BaseException, node: str | None = None) -> str:
    """The way in which a worker was lost, in a few words.

    Args:
        error: what Ray says of it. Where a machine dies, that is often the end of the process alone: the processes of a
            machine end before the cluster knows what has become of it.
        node: the id of the node that it ran on; None if that is not known.
    """
    machine = _NODE_DIED in str(error) or (node is not None and _is_gone(node))
    return "is gone with its machine" if machine else "has died"


def _is_gone(node: str) -> bool:
    """Whether a node of the cluster has ended: the cluster says so, or nothing answers there any more."""
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

"""Workers on a Ray cluster, one actor for each core.

Ray only starts actors where a core is free, passes them calls, and reports lost actors.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import platform
import re
import socket
import urllib.parse
from collections.abc import Callable
from importlib import metadata, resources
from pathlib import Path
from typing import Any

from cardenvs import plugins
from cardenvs.baselines.engine.executors import Worker, WorkerLost, Workers
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
LOOK_SECONDS = 5.0  # timeout of an attempt to connect to a node, in seconds

_NODE_DIED = "because its node has died"  # part of Ray's message about an actor whose node it knows to be dead
_KINDS = {".py", ".rcy", ".safetensors"}  # endings of the files that determine results: programs, described games, policies
_NOT_STARTED = (ray_errors.RayActorError, ray_errors.RaySystemError, ray_errors.RuntimeEnvSetupError)


class RayActors(Workers):
    """Actors of a Ray cluster. An existing connection of this process is used, and stays; else one is made and ended.

    A call whose actor is lost ends with `WorkerLost`; if an actor has other versions than this process, or cannot import a
    module, calls end with a ValueError.

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
        self._kind = kind
        self._versions = package_versions()
        self._requested: list[_Actor] = []
        self._all_wait = True  # until a worker is ready, or a message says that none is
        super().__init__(max(1, min(cores if workers is None else workers, most)))

    def start_worker(self) -> Worker:
        """Requests actors until one is ready."""
        while True:
            actor = _Actor()
            self._requested.append(actor)
            described = actor.handle.describe.remote()
            if not ray.wait([described], timeout=PATIENCE)[0] and self._all_wait:
                self._all_wait = False
                remark(f"cardenvs: the {self._kind} waits for a free core of the cluster")
            try:
                actor.name, actor.node, there = ray.get(described)
            except ray_errors.RayTaskError as error:
                raise error.cause or RuntimeError(str(error)) from None  # the latter where it cannot be sent
            except _NOT_STARTED as error:
                missing = re.search(r"No module named '?([\w.]+)", str(error))
                if missing:
                    what = f"the cluster's machines cannot import {missing[1]}"
                    raise ValueError(f"{what}: install the same cardenvs there, in the same version") from None
                if self._ended:
                    raise
                why = _cause(error)
                remark(f"cardenvs: a worker of the {self._kind} could not start ({why}); another one is asked for")
                continue
            self._all_wait = False
            other = version_differences(self._versions, there)
            if other:
                raise ValueError(f"{actor.name} has other versions, which may play otherwise: {'; '.join(other)}")
            return actor

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        super().shutdown(wait=False, cancel_futures=True)
        for actor in self._requested:
            actor.end(at_once=True)
        for thread in self._threads:
            thread.join(LOOK_SECONDS)
        if self._connected:
            _disconnect()


class _Actor:
    """A worker in an actor's process."""

    def __init__(self) -> None:
        self.handle: Any = ray.remote(_Caller).options(num_cpus=1, max_restarts=0).remote()
        self.name = self.node = ""

    def make_call(self, fn: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        try:
            return ray.get(self.handle.make_call.remote(fn, *args))
        except ray_errors.RayTaskError as error:
            raise error.cause or RuntimeError(str(error)) from None  # the latter where it cannot be sent
        except (ray_errors.RayActorError, ray_errors.ObjectLostError) as error:
            why = _cause(error, self.node)
            self.end(at_once=True)
            raise WorkerLost(self.name, why) from None

    def end(self, at_once: bool) -> None:
        with contextlib.suppress(ray_errors.RayError):  # it may be gone for good
            ray.kill(self.handle)


class _Caller:
    """The object of an actor's process."""

    def describe(self) -> tuple[str, str, dict[str, str]]:
        """Returns the worker's name in words, the id of its node, and its versions."""
        node = ray.get_runtime_context().get_node_id()
        return f"process {os.getpid()} on {ray.util.get_node_ip_address()} (node {node[:8]})", node, package_versions()

    def make_call(self, fn: Callable[..., Any], *args: Any) -> Any:
        return fn(*args)


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
        token = "that must lie in ~/.ray/auth_token here: on its head `ray get-auth-token` prints it"
        mode = os.environ.get(TOKEN_MODE, "token")
        refused = "" if mode == "token" else f", and {TOKEN_MODE} must not be {mode!r}"
        why = " ".join(str(error).split())
        raise ValueError(f"{where} takes us not in: {why}; if it asks for a token, {token}{refused}") from None
    _set_worker_logs(False)


def _take_token() -> None:
    """Takes the token that is stored on this machine, as Ray itself does for ``auto`` alone; others ignore it."""
    with contextlib.suppress(ImportError):  # Ray had no tokens before 2.51
        from ray._private.authentication import authentication_token_setup as tokens

        if hasattr(tokens, "maybe_enable_token_auth_if_token_available"):
            tokens.logger.setLevel(logging.ERROR)  # it warns that tokens are used
            tokens.maybe_enable_token_auth_if_token_available(warn_if_disabled=False)


def _disconnect() -> None:
    ray.shutdown()
    _set_worker_logs(True)


def _set_worker_logs(shown: bool) -> None:
    """Sets whether Ray prints the logs of lost machines, pages of them, to standard output, where ``--json`` prints.

    This is the switch of Ray's debugger, for other settings reach other lines; a version without one prints the logs.
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


def package_versions() -> dict[str, str]:
    """Returns the versions of Python and of the packages that results depend on, and a hash of this package's files."""
    found = {"python": ".".join(platform.python_version_tuple()[:2])}
    found |= {name: metadata.version(name) for name in ("numpy", "numba", "cardenvs")}
    return found | {"cardenvs files": _files_hash()}


def _files_hash() -> str:
    """Returns a hash, 12 hex digits, of all files of the package that determine results."""
    digest = hashlib.sha256()
    root = Path(str(resources.files("cardenvs")))
    paths = []
    for folder, folders, names in os.walk(root, followlinks=True):  # in a checkout some folders are links
        folders[:] = [name for name in folders if not name.startswith(("_", "."))]
        paths += [Path(folder, name) for name in names if Path(name).suffix in _KINDS]
    for path in sorted(paths):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def version_differences(here: dict[str, str], there: dict[str, str]) -> list[str]:
    """Returns a text for each difference of another machine's `package_versions` from those of this one."""
    names = [name for name in (here | there) if here.get(name) != there.get(name)]
    return [f"{name} {there.get(name, 'of none')}, here {here.get(name, 'none')}" for name in names]

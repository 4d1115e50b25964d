"""Policies in processes of their own, which are killed when they take too long.

Compiled code cannot be stopped within a process. So policies to which a page has given parameters compute
elsewhere, a few at a time, with limits on time and memory.
"""

from __future__ import annotations

import atexit
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from cardenvs import policy
from cardenvs.compiled.bits import Bytes, Ints, Streams
from cardenvs.compiled.streams import RandomSource
from cardenvs.contract.spec import GameSpec
from cardenvs.play.players import MakePolicy
from cardenvs.policy.contract import Policy
from cardenvs.policy.explanation import Explanation

SECONDS = 30.0  # limit for a computation
_WARM_UP = 900.0  # limit until a process is ready, the compilation of a policy's kernels included


class TooLong(RuntimeError):
    """A computation took too long, or all processes are busy."""


class _PolicyProcess:
    """A process that computes (`cardenvs.play.web.network_guard.policy_process`)."""

    def __init__(self) -> None:
        # -P: no package is taken from the current folder.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "cardenvs.play.web.network_guard.policy_process"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def request_answer(self, request: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps({**request, "seconds": seconds}) + "\n")
            self._process.stdin.flush()
        except OSError:
            raise TooLong("its process has ended") from None
        begun = self._read_answer(_WARM_UP)
        return begun if "error" in begun else self._read_answer(seconds)

    def _read_answer(self, seconds: float) -> dict[str, Any]:
        """Returns the next answer, or kills the process after so many seconds."""
        assert self._process.stdout is not None
        late = threading.Event()

        def kill_late() -> None:
            late.set()
            self._process.kill()

        timer = threading.Timer(seconds, kill_late)
        timer.daemon = True
        timer.start()
        try:
            line = self._process.stdout.readline()
        finally:
            timer.cancel()
        if not line.endswith("\n"):
            self.kill()
            raise TooLong(f"it took longer than {seconds:g} s" if late.is_set() else "its process has ended")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()


class Processes:
    """At most ``limit`` processes that compute; they are kept for the next computation.

    ``seconds`` limits a computation, and the wait for a free process; None takes `SECONDS`.
    """

    def __init__(self, limit: int, seconds: float | None = None) -> None:
        self._free = threading.BoundedSemaphore(limit)
        self._seconds = seconds
        self._lock = threading.Lock()
        self._idle: list[_PolicyProcess] = []
        self._all: set[_PolicyProcess] = set()
        atexit.register(self.kill_all)

    def request_answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the answer to a request; raises `TooLong`, also if all are busy, or ValueError if the policy failed."""
        seconds = SECONDS if self._seconds is None else self._seconds
        if not self._free.acquire(timeout=seconds):
            raise TooLong("the server is busy with what others have asked for")
        try:
            with self._lock:
                process = self._idle.pop() if self._idle else None
            if process is None or not process.alive:
                process = _PolicyProcess()
                with self._lock:
                    self._all.add(process)
            try:
                answer = process.request_answer(request, seconds)
            finally:
                with self._lock:
                    if process.alive:
                        self._idle.append(process)
                    else:
                        self._all.discard(process)
        finally:
            self._free.release()
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer

    def kill_all(self) -> None:
        with self._lock:
            ending, self._all, self._idle = self._all, set(), []
        for process in ending:
            process.kill()


class Confined(Policy):
    """A policy that computes in another process; its methods raise `TooLong`, or ValueError if the policy failed."""

    def __init__(self, game: GameSpec, name: str, processes: Processes) -> None:
        player = policy.make(game, name)
        super().__init__(player.game)
        if player.remembers:
            raise ValueError(f"the policy {name!r} remembers what it sees, and its processes here are shared by all seats")
        self.slow = player.slow
        self.name = name
        self._processes = processes

    def _request_row(self, observation: Bytes, action_mask: Bytes, stream: int, explain: bool) -> dict[str, Any]:
        return self._processes.request_answer(
            {"game": self.game.path or self.game.name, "name": self.name, "explain": explain,
             "observation": observation.tolist(), "mask": action_mask.tolist(), "stream": stream}
        )  # fmt: skip

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        rows = zip(observations, action_masks, streams.tolist(), strict=True)
        return np.array([self._request_row(row, mask, stream, False)["action"] for row, mask, stream in rows], np.int64)

    def explain(self, observation: Mapping[str, Any], rng: RandomSource | None = None) -> Explanation:
        rows, masks, streams = self._check_one(observation, rng)
        answer = self._request_row(rows[0], masks[0], int(streams[0]), True)
        pairs = tuple((action, float(number)) for action, number in answer["pairs"])
        return Explanation(answer["kind"], pairs, tuple(answer["errors"]), tuple(answer["visits"]))


_MOVES, _HINTS = Processes(4), Processes(4)


def policy_makers(free: Callable[[str], bool]) -> tuple[MakePolicy, MakePolicy]:
    """Returns the functions that make policies named on pages: for a table's seats, and for hints.

    A policy at a seat computes without limits if ``free`` says so of its name; policies without parameters always do.
    """

    def make_player(game: GameSpec, name: str) -> Policy:
        return policy.make(game, name) if free(name) or ":" not in name else Confined(game, name, _MOVES)

    def make_adviser(game: GameSpec, name: str) -> Policy:
        return Confined(game, name, _HINTS) if ":" in name else policy.make(game, name)

    return make_player, make_adviser

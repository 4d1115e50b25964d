"""Policies that think in processes of their own, which are killed when they take too long.

What runs in compiled code cannot be stopped within a process. So policies to which a page has given parameters compute
elsewhere, at most a few at a time, with bounds on time and memory.
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

SECONDS = 30.0
"""The most seconds that a computation may take."""
_WARM_UP = 900.0
"""The most seconds until a process is ready to compute, the compilation of a policy's kernels included."""


class TooLong(RuntimeError):
    """A computation took longer than it may, or there was no room for it."""


class _Process:
    """A process that computes (`cardenvs.play.web.strangers.thinker`)."""

    def __init__(self) -> None:
        # -P: no package is taken from the current folder.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "cardenvs.play.web.strangers.thinker"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip

    @property
    def alive(self) -> bool:
        """Whether the process can be asked again."""
        return self._process.poll() is None

    def ask(self, request: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """The answer to a request."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps({**request, "seconds": seconds}) + "\n")
            self._process.stdin.flush()
        except OSError:
            raise TooLong("its process has ended") from None
        begun = self._read(_WARM_UP)
        return begun if "error" in begun else self._read(seconds)

    def _read(self, seconds: float) -> dict[str, Any]:
        """The next answer, for which the process has so many seconds to live."""
        assert self._process.stdout is not None
        late = threading.Event()

        def kill() -> None:
            late.set()
            self._process.kill()

        timer = threading.Timer(seconds, kill)
        timer.daemon = True
        timer.start()
        try:
            line = self._process.stdout.readline()
        finally:
            timer.cancel()
        if not line.endswith("\n"):
            self.end()
            raise TooLong(f"it took longer than {seconds:g} s" if late.is_set() else "its process has ended")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def end(self) -> None:
        """Ends the process, whatever it does."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()


class Processes:
    """Processes that compute, as many at once as are allowed; they are kept for the next computation.

    Args:
        limit: the most processes.
        seconds: the most seconds of a computation, and of the wait for a process that is free; None takes `SECONDS`.
    """

    def __init__(self, limit: int, seconds: float | None = None) -> None:
        self._free = threading.BoundedSemaphore(limit)
        self._seconds = seconds
        self._lock = threading.Lock()
        self._idle: list[_Process] = []
        self._all: set[_Process] = set()
        atexit.register(self.end)

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to a request of `cardenvs.play.web.strangers.thinker`.

        Raises:
            TooLong: it took too long, or all processes are busy.
            ValueError: the policy failed.
        """
        seconds = SECONDS if self._seconds is None else self._seconds
        if not self._free.acquire(timeout=seconds):
            raise TooLong("the server is busy with what others have asked for")
        try:
            with self._lock:
                process = self._idle.pop() if self._idle else None
            if process is None or not process.alive:
                process = _Process()
                with self._lock:
                    self._all.add(process)
            try:
                answer = process.ask(request, seconds)
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

    def end(self) -> None:
        """Ends all processes, whatever they do."""
        with self._lock:
            ending, self._all, self._idle = self._all, set(), []
        for process in ending:
            process.end()


class Confined(Policy):
    """A policy that computes in another process.

    Args:
        name: the policy's name.
        processes: where it computes.

    Raises:
        ValueError: no policy of that name.
        OSError: the policy's file cannot be read.
    """

    def __init__(self, game: GameSpec, name: str, processes: Processes) -> None:
        player = policy.make(game, name)
        super().__init__(player.game)
        if player.remembers:
            raise ValueError(f"the policy {name!r} remembers what it sees, and its processes here are shared by all seats")
        self.slow = player.slow
        self.name = name
        self._processes = processes

    def _ask(self, observation: Bytes, action_mask: Bytes, stream: int, explain: bool) -> dict[str, Any]:
        """The policy's answer for one row, as `cardenvs.play.web.strangers.thinker` gives it."""
        return self._processes.ask(
            {"game": self.game.path or self.game.name, "name": self.name, "explain": explain,
             "observation": observation.tolist(), "mask": action_mask.tolist(), "stream": stream}
        )  # fmt: skip

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        """The policy's actions, int64 (n,).

        Raises:
            TooLong: the computation took too long.
            ValueError: the policy failed.
        """
        rows = zip(observations, action_masks, streams.tolist(), strict=True)
        return np.array([self._ask(row, mask, stream, False)["action"] for row, mask, stream in rows], np.int64)

    def explain(self, observation: Mapping[str, Any], rng: RandomSource | None = None) -> Explanation:
        """The policy's explanation.

        Raises:
            TooLong: the computation took too long.
            ValueError: the policy failed.
        """
        rows, masks, streams = self._check_one(observation, rng)
        answer = self._ask(rows[0], masks[0], int(streams[0]), True)
        pairs = tuple((action, float(number)) for action, number in answer["pairs"])
        return Explanation(answer["kind"], pairs, tuple(answer["errors"]), tuple(answer["visits"]))


_MOVES, _HINTS = Processes(4), Processes(4)


def makers(free: Callable[[str], bool]) -> tuple[MakePolicy, MakePolicy]:
    """The functions that make policies named on pages: those for a table's seats, and those that give hints there.

    Policies without parameters compute as much as their authors thought right, so they are not confined.

    Args:
        free: whether a policy at a seat may compute without bounds, by its name.
    """

    def play(game: GameSpec, name: str) -> Policy:
        return policy.make(game, name) if free(name) or ":" not in name else Confined(game, name, _MOVES)

    def advise(game: GameSpec, name: str) -> Policy:
        return Confined(game, name, _HINTS) if ":" in name else policy.make(game, name)

    return play, advise

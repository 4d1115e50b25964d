"""Noticing when kernels are compiled, which takes a while on the first use on a machine, and saying so.

Numba tells its listeners when a function is compiled, and nothing when it is loaded from the cache: kernels that are kept
cost nothing here. What is said, and where, is in `cardenvs.printing`.
"""

from __future__ import annotations

import contextlib
import gc
import json
import math
import re
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from numba.core import event

from cardenvs.compiled.cache import KernelCache, cache_home, say, say_remarks
from cardenvs.files import write_whole

_GAMES = ("cardenvs.games.", "cardenvs.recycle.described")
"""Beginnings of the names of modules that bring a game's rules."""
_SHORT_S = 0.5
"""Maximum compile time in seconds that is not remembered."""


class Totals(NamedTuple):
    """Totals of the compilation in this process.

    Attributes:
        kernels: the number of kernels, those that are compiled into others not counted.
        seconds: the time that compiling took.
    """

    kernels: int
    seconds: float


class _Watcher(event.Listener):
    """Listener to the start and the end of each compilation by numba; keeps count, and says so the first time.

    Numba compiles one function at a time in all threads of a process; what a function calls is compiled within it.
    """

    def __init__(self) -> None:
        self.kernels: dict[str, list[Any]] = {}
        self.ours: set[Any] = set()
        self.totals = Totals(0, 0.0)
        self.spent: dict[str, float] = defaultdict(float)
        self.telling = True
        self._told = False
        self.within: list[Any] = []
        self._first = False
        self._began = 0.0
        self._collects = True
        self._spinner: Any = None

    def on_start(self, event: Any) -> None:
        """Numba begins to compile a function."""
        dispatcher = event.data["dispatcher"]
        if self.within or dispatcher in self.ours:
            self.within.append(dispatcher)
        if len(self.within) == 1:
            self._first = not _is_known(_name(dispatcher))
            self._began = time.perf_counter()
            self._collects = gc.isenabled()
            gc.disable()  # numba makes millions of objects that stay; to look through them takes a sixth of its time
            if self.telling:
                if not self._told:
                    self._told = True
                    _tell()
                self._spinner = _printing().spinner(f"compiling {dispatcher.__name__}")

    def on_end(self, event: Any) -> None:
        """Numba is done with a function, or has failed."""
        if not self.within:
            return
        done = self.within.pop()
        if not self.within:
            if self._collects:
                gc.enable()
            spent = time.perf_counter() - self._began
            self.totals = Totals(self.totals.kernels + 1, self.totals.seconds + spent)
            self.spent[_name(done)] += spent
            if spent > _SHORT_S:
                _remember(_name(done), self.spent[_name(done)], self._first)
            if self._spinner is not None:
                self._spinner.stop()
                self._spinner = None


_watcher = _Watcher()
event.register("numba:compile", _watcher)


class _Clock(event.Listener):
    """Listener to the lock that numba holds while it compiles a kernel, loads it or keeps it, in any thread."""

    def __init__(self) -> None:
        self._guard, self._threads = threading.Lock(), 0
        self.stood: tuple[float, float | None] = (0.0, None)

    def on_start(self, event: Any, more: int = 1) -> None:
        """A thread wants the lock."""
        with self._guard:
            (seconds, since), now = self.stood, time.perf_counter()
            self._threads += more
            since = now if since is None else since
            self.stood = (seconds, since) if self._threads else (seconds + now - since, None)

    def on_end(self, event: Any) -> None:
        """A thread has given the lock back."""
        self.on_start(event, -1)


_clock = _Clock()
event.register("numba:compiler_lock", _clock)


def clock() -> float:
    """A time in seconds for budgets: as `time.perf_counter`, but it stands still while kernels are compiled or loaded."""
    seconds, since = _clock.stood
    return (time.perf_counter() if since is None else since) - seconds


def watch(kernel: Any) -> None:
    """Makes a compiled function known as a kernel; functions that others compile are not spoken of."""
    _watcher.kernels.setdefault(_name(kernel), []).append(kernel)
    _watcher.ours.add(kernel)


def _name(kernel: Any) -> str:
    """The module of a kernel, behind a slash the form of a game, and behind a colon the family of loops, if any."""
    names = kernel.py_func.__qualname__.split(".")
    _, colon, form = names[0].partition(":")
    return kernel.py_func.__module__ + (f"/{form}" if colon else "") + (f":{names[1]}" if len(names) > 2 else "")


def totals() -> Totals:
    """Totals of the compilation in this process so far."""
    return _watcher.totals


@contextmanager
def untold() -> Iterator[None]:
    """Within this context nothing is said of compiling, because somebody else does."""
    before, _watcher.telling = _watcher.telling, False
    try:
        yield
    finally:
        _watcher.telling = before


def missing() -> list[str]:
    """The modules, of those that are loaded, forms and families of loops that were never compiled on this machine."""
    return [name for name in list(_watcher.kernels) if not _is_known(name)]  # listed first: another thread may be compiling


def _is_known(name: str) -> bool:
    """Whether any kernel of what `missing` names is kept on disk or has been compiled in this process."""
    caches = [one._cache for one in list(_watcher.kernels[name]) if not one.overloads]
    return len(caches) < len(_watcher.kernels[name]) or any(isinstance(one, KernelCache) and one.is_kept for one in caches)


def _memory() -> Path | None:
    """The file in which is kept how long compiling took on this machine; None where nothing can be kept."""
    home = cache_home()
    return None if home is None else home / "seconds.json"


def _remembered() -> dict[str, float]:
    """Seconds that the last compilation on this machine took, by names of `missing`, as `_kind` has them."""
    try:
        path = _memory()
        told = {} if path is None else json.loads(path.read_bytes())
        return {str(name): float(seconds) for name, seconds in told.items() if 0 <= float(seconds) < math.inf}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _remember(name: str, seconds: float, first: bool) -> None:
    """Keeps how long a module's kernels took in this process; with the first of them, in place of what was kept."""
    path, known = _memory(), _remembered()
    known[_kind(name)] = max(round(seconds, 1), 0 if first else known.get(_kind(name), 0))
    if path is not None:
        with contextlib.suppress(OSError):
            write_whole(path, json.dumps(known))


def _kind(name: str) -> str:
    """A name of `missing`, with all described games as one, and all forms of a game."""
    return re.sub(r"(?<=\.described)_[0-9a-f]+|(?<=/)[^:]+", "", name)


class Work(NamedTuple):
    """The compilation in progress.

    Attributes:
        what: in words for people.
        seconds: about how many seconds all of it takes on this machine, at least 1; None where nobody has measured it.
    """

    what: str
    seconds: int | None


def at_work() -> Work | None:
    """The compilation in progress in this process; None if there is none."""
    within = _watcher.within[:1]
    if not within:
        return None
    name = _name(within[0])
    module, _, family = name.partition(":")
    rules = module.startswith(_GAMES) and not family
    what = "the rules of the game" if rules else (family or module.rpartition(".")[2]).replace("_", " ")
    seconds = _remembered().get(_kind(name))
    return Work(what, None if seconds is None else max(round(seconds), 1))


def guess() -> int | None:
    """Estimated seconds to compile all that `missing` names, from the last time; of games only one counts.

    Returns:
        At least 2; None where nothing of it was ever compiled on this machine.
    """
    remembered = _remembered()
    seconds = {name: remembered[_kind(name)] for name in missing() if _kind(name) in remembered}
    games = [seconds.pop(name) for name in list(seconds) if name.startswith(_GAMES) and ":" not in name]
    whole = sum(seconds.values()) + max(games, default=0)
    return None if not whole else max(2, round(whole)) if whole < 10 else 5 * round(whole / 5)


def _printing() -> Any:
    """The module `cardenvs.printing`, which is not loaded where nothing is said."""
    from cardenvs import printing

    return printing


def _tell() -> None:
    """Says that kernels are being compiled, and where they are kept if not where they should be."""
    if not _printing().silent():
        first = len(missing()) == len(_watcher.kernels)
        why = "first use on this machine" if first else "of this game or policy, not used here before"
        seconds = guess()
        wait = "half a minute or so" if seconds is None else f"{seconds} s the last time"
        say(f"compiling ({why}): {wait}, and kept; `cardenvs warmup` does it ahead")
        say_remarks()

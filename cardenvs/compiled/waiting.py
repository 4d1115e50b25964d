"""Notices of compilation, which takes a while on first use on a machine.

Numba notifies its listeners when a function is compiled, and not when it is loaded from the cache: kept kernels cost
nothing here. Output goes through `cardenvs.printing`.
"""

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

from cardenvs.compiled.cache import KernelCache, cache_home, print_notice, say_remarks

_GAMES = ("cardenvs.games.", "cardenvs.recycle.described")
"""Beginnings of the names of modules with a game's rules."""
_SHORT_S = 0.5
"""Maximum compile time in seconds that is not recorded."""


class Totals(NamedTuple):
    """Totals of the compilation in this process."""

    kernels: int  # without those that are compiled into others
    seconds: float  # of compilation


class _Watcher(event.Listener):
    """Listener to the start and the end of each compilation by numba; counts them, and reports the first one. Numba
    compiles one function at a time in all threads of a process; what a function calls is compiled within it."""

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
        dispatcher = event.data["dispatcher"]
        if self.within or dispatcher in self.ours:
            self.within.append(dispatcher)
        if len(self.within) == 1:
            self._first = not _is_known(_kernel_name(dispatcher))
            self._began = time.perf_counter()
            self._collects = gc.isenabled()
            gc.disable()  # numba makes millions of objects that stay; to look through them takes a sixth of its time
            if self.telling:
                if not self._told:
                    self._told = True
                    _announce_compiling()
                self._spinner = _import_printing().spinner(f"compiling {dispatcher.__name__}")

    def on_end(self, event: Any) -> None:
        """Records the end of a compilation, successful or not."""
        if not self.within:
            return
        done = self.within.pop()
        if not self.within:
            if self._collects:
                gc.enable()
            spent = time.perf_counter() - self._began
            self.totals = Totals(self.totals.kernels + 1, self.totals.seconds + spent)
            self.spent[_kernel_name(done)] += spent
            if spent > _SHORT_S:
                _keep_time(_kernel_name(done), self.spent[_kernel_name(done)], self._first)
            if self._spinner is not None:
                self._spinner.stop()
                self._spinner = None


_watcher = _Watcher()
event.register("numba:compile", _watcher)


class _Clock(event.Listener):
    """Listener to the lock that numba holds while it compiles, loads or keeps a kernel, in any thread."""

    def __init__(self) -> None:
        self._guard, self._threads = threading.Lock(), 0
        self.stood: tuple[float, float | None] = (0.0, None)

    def on_start(self, event: Any, more: int = 1) -> None:
        with self._guard:
            (seconds, since), now = self.stood, time.perf_counter()
            self._threads += more
            since = now if since is None else since
            self.stood = (seconds, since) if self._threads else (seconds + now - since, None)

    def on_end(self, event: Any) -> None:
        self.on_start(event, -1)


_clock = _Clock()
event.register("numba:compiler_lock", _clock)


def clock() -> float:
    """Returns a time in seconds for budgets: `time.perf_counter` without the time to compile or load kernels."""
    seconds, since = _clock.stood
    return (time.perf_counter() if since is None else since) - seconds


def watch(kernel: Any) -> None:
    """Registers a compiled function as a kernel; compilations of other functions are not reported."""
    _watcher.kernels.setdefault(_kernel_name(kernel), []).append(kernel)
    _watcher.ours.add(kernel)


def _kernel_name(kernel: Any) -> str:
    """Returns the module of a kernel, behind a slash the form of a game, and behind a colon the family of loops, if any."""
    names = kernel.py_func.__qualname__.split(".")
    _, colon, form = names[0].partition(":")
    return kernel.py_func.__module__ + (f"/{form}" if colon else "") + (f":{names[1]}" if len(names) > 2 else "")


def totals() -> Totals:
    return _watcher.totals


@contextmanager
def untold() -> Iterator[None]:
    """Suppresses messages on compilation within this context, as the caller reports it."""
    before, _watcher.telling = _watcher.telling, False
    try:
        yield
    finally:
        _watcher.telling = before


def missing() -> list[str]:
    """Returns the loaded modules, forms and families of loops that were never compiled on this machine."""
    return [name for name in list(_watcher.kernels) if not _is_known(name)]  # listed first: another thread may be compiling


def _is_known(name: str) -> bool:
    """Returns whether a kernel of a name of `missing` is kept on disk or has been compiled in this process."""
    caches = [one._cache for one in list(_watcher.kernels[name]) if not one.overloads]
    return len(caches) < len(_watcher.kernels[name]) or any(isinstance(one, KernelCache) and one.is_kept for one in caches)


def _times_file() -> Path | None:
    """Returns the file with compile times on this machine; None where nothing can be kept."""
    home = cache_home()
    return None if home is None else home / "seconds.json"


def _kept_times() -> dict[str, float]:
    """Returns the seconds of the last compilation on this machine, by names of `missing`, as of `_time_key`."""
    try:
        path = _times_file()
        told = {} if path is None else json.loads(path.read_bytes())
        return {str(name): float(seconds) for name, seconds in told.items() if 0 <= float(seconds) < math.inf}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _keep_time(name: str, seconds: float, first: bool) -> None:
    """Keeps the compile time of a module's kernels in this process; the ``first`` of them replaces the last value."""
    from cardenvs.files import write_whole  # not loaded where nothing is compiled

    path, known = _times_file(), _kept_times()
    known[_time_key(name)] = max(round(seconds, 1), 0 if first else known.get(_time_key(name), 0))
    if path is not None:
        with contextlib.suppress(OSError):
            write_whole(path, json.dumps(known))


def _time_key(name: str) -> str:
    """Returns a name of `missing`, with all described games as one, and all forms of a game."""
    return re.sub(r"(?<=\.described)_[0-9a-f]+|(?<=/)[^:]+", "", name)


class Work(NamedTuple):
    """The compilation in progress."""

    what: str  # in words for people
    seconds: int | None  # estimate for all of it on this machine, at least 1; None if unknown


def at_work() -> Work | None:
    """Returns the compilation in progress in this process; None if there is none."""
    within = _watcher.within[:1]
    if not within:
        return None
    name = _kernel_name(within[0])
    module, _, family = name.partition(":")
    rules = module.startswith(_GAMES) and not family
    what = "the rules of the game" if rules else (family or module.rpartition(".")[2]).replace("_", " ")
    seconds = _kept_times().get(_time_key(name))
    return Work(what, None if seconds is None else max(round(seconds), 1))


def guess() -> int | None:
    """Returns the estimated seconds to compile all of `missing`, from the last time; of games only one counts. It is at
    least 2; None where nothing of it was ever compiled on this machine."""
    remembered = _kept_times()
    seconds = {name: remembered[_time_key(name)] for name in missing() if _time_key(name) in remembered}
    games = [seconds.pop(name) for name in list(seconds) if name.startswith(_GAMES) and ":" not in name]
    whole = sum(seconds.values()) + max(games, default=0)
    return None if not whole else max(2, round(whole)) if whole < 10 else 5 * round(whole / 5)


def _import_printing() -> Any:
    from cardenvs import printing

    return printing


def _announce_compiling() -> None:
    """Reports that kernels are being compiled, and where they are kept if not in the expected folder."""
    if not _import_printing().silent():
        first = len(missing()) == len(_watcher.kernels)
        why = "first use on this machine" if first else "of this game or policy, not used here before"
        seconds = guess()
        wait = "half a minute or so" if seconds is None else f"{seconds} s the last time"
        print_notice(f"compiling ({why}): {wait}, and kept; `cardenvs warmup` does it ahead")
        say_remarks()

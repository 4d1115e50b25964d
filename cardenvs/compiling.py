"""Noticing when kernels are compiled, which takes a while on the first use on a machine, and saying so.

Numba tells its listeners when a function is compiled, and nothing when it is loaded from the cache: kernels that are kept
cost nothing here. What is said, and where, is in `cardenvs.console`.
"""

from __future__ import annotations

import functools
import gc
import importlib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from numba.core import event

from cardenvs.kernel_cache import KernelCache, say, say_remarks

SECONDS = {
    "cardenvs.games.euchre": 6,
    "cardenvs.games.five_o": 6,
    "cardenvs.games.whist": 5,
    "cardenvs.baselines.heuristics.five_o": 1,
    "cardenvs.baselines.heuristics.trick_taking": 6,
    "cardenvs.baselines.search.five_o.exact_chances": 5,
    "cardenvs.baselines.search.five_o.expectiminimax": 7,
    "cardenvs.baselines.search.five_o.rollout": 14,
    "cardenvs.baselines.search.five_o.sampled_chances": 2,
    "cardenvs.baselines.search.monte_carlo_kernels": 15,
    "cardenvs.baselines.search.pimc_kernels": 14,
    "cardenvs.baselines.search.poe": 8,
    "cardenvs.train.inference.column_actor": 6,
    "cardenvs.train.inference.columns": 20,
    "cardenvs.train.inference.plain_actor": 4,
    ":flat": 6,
    ":game_statistics": 2,
    ":ismcts": 16,
    ":pipmc": 4,
    ":replay": 10,
    ":worlds": 4,
}
"""Seconds that the kernels of a module usually take to compile, with all that they call and that is not listed here, on one
core of an AMD EPYC; of a module with kernels for several games, those for one game. Behind a colon stands a family of loops
over a game's kernels (`cardenvs.kernels.Kernels.loop`), in any game. What is not listed is seldom used."""

_FOREIGN = 3
"""Seconds for a module of another package."""
_DESCRIBED = 25
"""Seconds for a game that was compiled from a description: the shipped ones take from 15 to 40."""
_DESCRIBED_LOOPS = 2
"""By how much longer a loop over a described game's kernels takes than over those of other games: they are larger."""
_GAMES = ("cardenvs.games.", "cardenvs.recycle.described_")
"""How the names of modules begin that bring a game's rules."""
_COLLECTED_AFTER = 200_000
"""New objects after which garbage is collected while numba compiles: it makes millions that stay, and to look through them
again and again takes a sixth of its time."""
_LOOP = 100_000
_LOOP_S = 0.0014
"""Turns of an empty loop, and the seconds that they take on the machine of `SECONDS`."""


class Totals(NamedTuple):
    """What has been compiled in this process.

    Attributes:
        kernels: the number of kernels, those that are compiled into others not counted.
        seconds: the time that compiling took.
    """

    kernels: int
    seconds: float


class _Watcher(event.Listener):
    """Told by numba when it begins to compile a function and when it is done; keeps count, and says so the first time.

    Numba compiles one function at a time in all threads of a process; what a function calls is compiled within it.
    """

    def __init__(self) -> None:
        self.kernels: dict[str, list[Any]] = {}
        self.ours: set[Any] = set()
        self.totals = Totals(0, 0.0)
        self.telling = True
        self._told = False
        self.within: list[Any] = []
        self._began = 0.0
        self._threshold = gc.get_threshold()
        self._spinner: Any = None

    def on_start(self, event: Any) -> None:
        """Numba begins to compile a function."""
        dispatcher = event.data["dispatcher"]
        if self.within or dispatcher in self.ours:
            self.within.append(dispatcher)
        if len(self.within) == 1:
            self._began = time.perf_counter()
            self._threshold = gc.get_threshold()
            gc.set_threshold(_COLLECTED_AFTER, *self._threshold[1:])
            if self.telling:
                if not self._told:
                    self._told = True
                    _tell()
                self._spinner = importlib.import_module("cardenvs.console").spinner(f"compiling {dispatcher.__name__}")

    def on_end(self, event: Any) -> None:
        """Numba is done with a function, or has failed."""
        if not self.within:
            return
        self.within.pop()
        if not self.within:
            gc.set_threshold(*self._threshold)
            spent = time.perf_counter() - self._began
            self.totals = Totals(self.totals.kernels + 1, self.totals.seconds + spent)
            if self._spinner is not None:
                self._spinner.stop()
                self._spinner = None


_watcher = _Watcher()
event.register("numba:compile", _watcher)


def watch(kernel: Any) -> None:
    """Makes a compiled function known as a kernel; functions that others compile are not spoken of."""
    _watcher.kernels.setdefault(_name(kernel), []).append(kernel)
    _watcher.ours.add(kernel)


def _name(kernel: Any) -> str:
    """The module of a kernel, and behind a colon the family of loops that it belongs to, if any."""
    names = kernel.py_func.__qualname__.split(".")
    return kernel.py_func.__module__ + (f":{names[1]}" if len(names) > 2 else "")


def totals() -> Totals:
    """What has been compiled in this process so far."""
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
    """The modules, of those that are loaded, and families of loops, that have not been compiled on this machine yet."""
    # Listed first: another thread may be compiling.
    return [name for name, kernels in list(_watcher.kernels.items()) if not any(map(_known, list(kernels)))]


class Work(NamedTuple):
    """What is being compiled.

    Attributes:
        what: in words for people.
        seconds: about how many seconds all of it takes on this machine, at least 1; None where nobody has measured it.
    """

    what: str
    seconds: int | None


def at_work() -> Work | None:
    """What is being compiled in this process just now; None for nothing."""
    within = _watcher.within[:1]
    if not within:
        return None
    name = _name(within[0])
    module, _, family = name.partition(":")
    rules = module.startswith(_GAMES) and not family
    what = "the rules of the game" if rules else (family or module.rpartition(".")[2]).replace("_", " ")
    usual = _usual(name)
    return Work(what, max(round(usual * pace()), 1) if usual else None)


@functools.cache
def pace() -> float:
    """How much longer this machine takes than that of `SECONDS`, measured once, best while nothing else is at work."""
    return min(max(min(_loop_seconds() for _ in range(5)) / _LOOP_S, 0.5), 3.0)


def _known(kernel: Any) -> bool:
    """Whether a kernel is kept on disk or has been compiled in this process."""
    return bool(kernel.overloads) or (isinstance(kernel._cache, KernelCache) and kernel._cache.is_kept)


def _usual(name: str) -> int:
    """Seconds that what `missing` names usually takes."""
    module, colon, family = name.partition(":")
    if colon:
        return SECONDS.get(colon + family, 0) * (_DESCRIBED_LOOPS if module.startswith(_GAMES[1]) else 1)
    if module.startswith(_GAMES[1]):
        return _DESCRIBED
    return SECONDS.get(module, 0 if module.startswith("cardenvs.") else _FOREIGN)


def _loop_seconds() -> float:
    """Seconds that an empty loop takes here."""
    began = time.perf_counter()
    for _ in range(_LOOP):
        pass
    return time.perf_counter() - began


def guess() -> int:
    """About how many seconds it will take to compile the kernels of all modules that are loaded, on this machine.

    A guess from the seconds that they took on another machine, and the pace of the two; of several games only one counts.
    """
    seconds = {name: _usual(name) for name in missing()}
    games = [seconds.pop(name) for name in list(seconds) if name.startswith(_GAMES) and ":" not in name]
    whole = (sum(seconds.values()) + max(games, default=0)) * pace()
    return max(2, round(whole)) if whole < 10 else 5 * round(whole / 5)


def _tell() -> None:
    """Says that kernels are being compiled, and where they are kept if not where they should be."""
    if not importlib.import_module("cardenvs.console").silent():
        first = len(missing()) == len(_watcher.kernels)
        why = "first use on this machine" if first else "of this game or policy, not used here before"
        say(f"compiling ({why}, about {guess()} s): a guess; `cardenvs warmup` does it ahead")
        say_remarks()

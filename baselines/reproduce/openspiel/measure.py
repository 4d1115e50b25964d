"""Playing games beside OpenSpiel's, resumably, by workers."""

from __future__ import annotations

import functools
import importlib.metadata
import os
import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.engine.tasks import Task
from cardenvs.baselines.reports.results import Result
from cardenvs.baselines.reproduce.openspiel import report
from cardenvs.baselines.reproduce.openspiel.beside import FORMS, Beside, check_openspiel
from cardenvs.baselines.reproduce.openspiel.drivers import DRIVERS, can_drive
from cardenvs.baselines.runs.plan import Plan
from cardenvs.baselines.runs.rows import Chunk, Pieces
from cardenvs.baselines.runs.workers import Moved, work_through
from cardenvs.checks import check_int, check_seed
from cardenvs.compiled.bits import Ints
from cardenvs.games.hanabi import hanabi

CHUNK_SECONDS = 5.0
"""Seconds, about, that a worker plays before it hands over the games that it has finished."""
GAMES = 100_000
"""Default number of games."""


@functools.cache
def pairings() -> list[tuple[int, str]]:
    """The forms, by their numbers in `FORMS`, each with every driver that can play it."""
    return [(k, name) for k, form in enumerate(FORMS) for name in DRIVERS if can_drive(name, hanabi(**form))]


@dataclass(frozen=True)
class PlayedBeside(Pieces):
    """Games that were played beside OpenSpiel's.

    Attributes:
        moves: int64 (n,), how many moves each had, to its end or to the first difference.
        equal: bool (n,), whether there was no difference.
    """

    moves: Ints
    equal: npt.NDArray[np.bool_]

    BY_PIECE: ClassVar[tuple[str, ...]] = ("moves", "equal")


@dataclass(frozen=True, kw_only=True)
class BesidePlan(Plan):
    """The plan of games beside OpenSpiel's.

    Attributes:
        games: how many games each form has by each driver.
        drivers: the forms, by their parameters, with their drivers.
    """

    games: int
    drivers: list[str]

    kind: ClassVar[str] = "comparison"
    piece: ClassVar[str] = "game"
    rows: ClassVar[type[PlayedBeside]] = PlayedBeside

    def begin(self) -> Callable[[Task[int]], Chunk[PlayedBeside]]:
        """Makes the function that plays tasks."""
        return _Player(self).play

    @property
    def unit_names(self) -> list[str]:
        """The forms with their drivers."""
        return self.drivers

    @property
    def units(self) -> list[str]:
        """A word for each form with each of its drivers."""
        return [f"{form:02}-{driver}" for form, driver in pairings()]

    @property
    def pieces(self) -> int:
        """Number of games of each form by each driver."""
        return self.games


def beside_plan(games: int = GAMES, seed: int = 0) -> BesidePlan:
    """The plan of at least so many games, shared out evenly among the forms and drivers.

    Raises:
        ValueError: ``games`` below 1, or no seed.
    """
    check_int("games", games, 1)
    check_seed(seed)
    each = -(-games // len(pairings()))
    drivers = [f"{hanabi(**FORMS[form]).name} {driver}" for form, driver in pairings()]
    return BesidePlan(spec=hanabi(), options={}, seed=seed, games=each, drivers=drivers)


@dataclass(frozen=True, repr=False)
class Comparison(Result):
    """The games of one form by one driver.

    Attributes:
        form: the form's name.
        driver: the driver's name, a key of `DRIVERS`.
        games: how many games there were.
        moves: how many moves they had, added up.
        longest: how many moves the longest had.
        different: the numbers of the games that differ.
        first: what differs first in the first of these; empty if there is none.
    """

    form: str
    driver: str
    games: int
    moves: int
    longest: int
    different: list[int]
    first: str

    OPTIONAL = ("different", "first")


@dataclass(frozen=True, repr=False)
class Reproduction(Result):
    """All games that were played beside OpenSpiel's.

    Attributes:
        seed: the seed.
        openspiel: OpenSpiel's version.
        comparisons: the games by form and driver.
    """

    seed: int
    openspiel: str
    comparisons: list[Comparison]

    ALSO = ("games", "moves", "different")

    @property
    def games(self) -> int:
        """Number of games."""
        return sum(row.games for row in self.comparisons)

    @property
    def moves(self) -> int:
        """Number of moves of all games."""
        return sum(row.moves for row in self.comparisons)

    @property
    def different(self) -> int:
        """Number of games that differ."""
        return sum(len(row.different) for row in self.comparisons)

    def figures(self) -> dict[str, Any]:
        """The figures as plain values."""
        return {"game": "hanabi"} | super().figures()

    document = report.document


class _Player:
    """Plays tasks in the process in which the object is made."""

    def __init__(self, plan: BesidePlan) -> None:
        self._seed = plan.seed
        self._beside: dict[int, Beside] = {}

    def play(self, task: Task[int]) -> Chunk[PlayedBeside]:
        """Plays the first games of a task, at least one, for about `CHUNK_SECONDS`."""
        end = time.perf_counter() + CHUNK_SECONDS
        if task.of not in self._beside:
            form, driver = pairings()[task.of]
            self._beside[task.of] = Beside(FORMS[form], DRIVERS[driver]())
        moves, equal = [], []
        for number in range(task.start, task.stop):
            played, difference = self._beside[task.of].play(self._seed, number)
            moves.append(played)
            equal.append(not difference)
            if time.perf_counter() > end:
                break
        return Chunk(PlayedBeside(np.array(moves), np.array(equal)))


def reproduce(
    plan: BesidePlan,
    out: str | os.PathLike[str] | None = None,
    workers: int | None = None,
    cluster: str | Executor | None = None,
    progress: Moved | None = None,
) -> Reproduction:
    """Plays the games that are not finished yet, and compares.

    Args:
        plan: the plan, of `beside_plan`.
        out: folder for finished games, in which an interrupted run goes on; made if there is none. None keeps no files.
        workers: processes that play; None: one for each core.
        cluster: where they work, as in `cardenvs.baselines.engine.work.work`.
        progress: called whenever games are finished, and at first.

    Raises:
        MissingPackageError: OpenSpiel is not installed.
        ValueError: the folder holds another plan, or a damaged chunk; ``workers`` below 1; a cluster that cannot be used.
        OSError: the folder cannot be written.
        RuntimeError: a worker process died.
    """
    check_openspiel()
    store = work_through(plan, out, workers=workers, cluster=cluster, progress=progress)
    rows = [_comparison(unit, store.load_unit(unit), plan.seed) for unit in range(len(plan.units))]
    return Reproduction(plan.seed, importlib.metadata.version("open_spiel"), rows)


def _comparison(unit: int, played: PlayedBeside, seed: int) -> Comparison:
    """The figures of a form by a driver."""
    form, driver = pairings()[unit]
    different = [int(number) for number in np.flatnonzero(~played.equal)]
    first = Beside(FORMS[form], DRIVERS[driver]()).play(seed, different[0])[1] if different else ""
    moves = played.moves
    return Comparison(hanabi(**FORMS[form]).name, driver, len(moves), int(moves.sum()), int(moves.max()), different, first)

"""Playing games beside OpenSpiel's, resumably, by workers."""

from __future__ import annotations

import functools
import importlib.metadata
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.engine.work import Task
from cardenvs.baselines.reports.columns import Column, Columns, Row, computed_column
from cardenvs.baselines.reports.document import Document, Name, Table, Text, Words
from cardenvs.baselines.reports.template import fill_report
from cardenvs.baselines.reproduce.openspiel.beside import FORMS, Beside, check_openspiel
from cardenvs.baselines.reproduce.openspiel.drivers import DRIVERS, can_drive
from cardenvs.baselines.runs.plan import Chunk, Pieces, Plan
from cardenvs.baselines.runs.store import Moved, work_through
from cardenvs.checks import check_int, check_seed
from cardenvs.compiled.bits import Ints
from cardenvs.games.hanabi import hanabi

CHUNK_SECONDS = 5.0  # seconds, about, that a worker plays before it hands over the games that it has finished
GAMES = 100_000  # default number of games

Comparison = Columns(
    "Comparison",
    Column("form", "the form's name"),
    Column("driver", "the driver's name, a key of `DRIVERS`"),
    Column("games", "number of games"),
    Column("moves", "number of moves of all games"),
    Column("longest", "number of moves of the longest game"),
    Column("different", "the numbers of the games that differ", optional=True),
    Column("first", "the first difference in the first of these; empty if there is none", optional=True),
)
"""The games of one form by one driver."""


def document(result: Row, command: str = "") -> Document:
    """Returns the report of a `Reproduction`."""
    rows = result.comparisons
    return fill_report(
        Path(__file__).with_name("report.md"),
        result=result,
        command=command,
        different=result.different or "none",
        verb="differs" if result.different == 1 else "differ",
        forms=_table(rows, "form", "game"),
        drivers=_table(rows, "driver", "moves"),
        first=[Words(f"Game {row.different[0]} of {row.form}, {row.driver}: {row.first}") for row in rows if row.different],
    )


def _table(rows: Sequence[Row], key: str, title: str) -> Table:
    """The sums over the games of each form or of each driver."""
    lines: list[list[Text]] = []
    for name in dict.fromkeys(getattr(row, key) for row in rows):
        some = [row for row in rows if getattr(row, key) == name]
        games, different = sum(row.games for row in some), sum(len(row.different) for row in some)
        moves, longest = sum(row.moves for row in some) / games, max(row.longest for row in some)
        lines.append([Name(name), f"{games:,}", f"{moves:.1f}", str(longest), str(different)])
    return Table([title, "games", "moves a game", "longest", "different"], lines)


Reproduction = Columns(
    "Reproduction",
    computed_column("game", lambda row: "hanabi", json=None),
    Column("seed", "the seed"),
    Column("openspiel", "OpenSpiel's version"),
    Column("comparisons", "the games by form and driver (`Comparison`)"),
    computed_column("games", lambda row: sum(one.games for one in row.comparisons), json=None),
    computed_column("moves", lambda row: sum(one.moves for one in row.comparisons), json=None),
    computed_column("different", lambda row: sum(len(one.different) for one in row.comparisons), json=None),
    document=document,
)
"""All games that were played beside OpenSpiel's."""


@functools.cache
def pairings() -> list[tuple[int, str]]:
    """Returns the forms, by their numbers in `FORMS`, each with every driver that can play it."""
    return [(k, name) for k, form in enumerate(FORMS) for name in DRIVERS if can_drive(name, hanabi(**form))]


@dataclass(frozen=True)
class PlayedBeside(Pieces):
    """Games that were played beside OpenSpiel's."""

    moves: Ints  # int64 (n,), number of moves of each, to its end or to the first difference
    equal: npt.NDArray[np.bool_]  # (n,), whether there was no difference

    BY_PIECE: ClassVar[tuple[str, ...]] = ("moves", "equal")


@dataclass(frozen=True, kw_only=True)
class BesidePlan(Plan):
    """The plan of games beside OpenSpiel's."""

    games: int  # number of games of each form by each driver
    drivers: list[str]  # the forms, by their parameters, with their drivers

    kind: ClassVar[str] = "comparison"
    piece: ClassVar[str] = "game"
    rows: ClassVar[type[PlayedBeside]] = PlayedBeside

    def begin(self) -> Callable[[Task[int]], Chunk[PlayedBeside]]:
        """Makes the function that plays tasks."""
        return functools.partial(_play_task, self.seed, functools.cache(_make_beside))

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


def _make_beside(unit: int) -> Beside:
    form, driver = pairings()[unit]
    return Beside(FORMS[form], DRIVERS[driver]())


def _play_task(seed: int, beside_of: Callable[[int], Beside], task: Task[int]) -> Chunk[PlayedBeside]:
    """Plays the first games of a task, at least one, for about `CHUNK_SECONDS`."""
    end = time.perf_counter() + CHUNK_SECONDS
    beside = beside_of(task.of)
    moves, equal = [], []
    for number in range(task.start, task.stop):
        played, difference = beside.play(seed, number)
        moves.append(played)
        equal.append(not difference)
        if time.perf_counter() > end:
            break
    return Chunk(PlayedBeside(np.array(moves), np.array(equal)))


def beside_plan(games: int = GAMES, seed: int = 0) -> BesidePlan:
    """Returns the plan of at least so many games, shared out evenly among the forms and drivers."""
    check_int("games", games, 1)
    check_seed(seed)
    each = -(-games // len(pairings()))
    drivers = [f"{hanabi(**FORMS[form]).name} {driver}" for form, driver in pairings()]
    return BesidePlan(spec=hanabi(), options={}, seed=seed, games=each, drivers=drivers)


def reproduce(
    plan: BesidePlan,
    out: str | os.PathLike[str] | None = None,
    workers: int | None = None,
    cluster: str | Executor | None = None,
    progress: Moved | None = None,
) -> Row:
    """Plays the games that are not finished yet, and returns a `Reproduction`.

    Args:
        plan: the plan, of `beside_plan`.
        out: folder for finished games, in which an interrupted run goes on; made if there is none. None keeps no files.
        progress: called whenever games are finished, and at first.

    Raises:
        MissingPackageError: OpenSpiel is not installed.
        ValueError, OSError, RuntimeError: as `work_through`.
    """
    check_openspiel()
    store = work_through(plan, out, workers=workers, cluster=cluster, progress=progress)
    rows = [_compare(unit, store.load_unit(unit), plan.seed) for unit in range(len(plan.units))]
    return Reproduction(plan.seed, importlib.metadata.version("open_spiel"), rows)


def _compare(unit: int, played: PlayedBeside, seed: int) -> Row:
    """The `Comparison` of a form by a driver."""
    form, driver = pairings()[unit]
    different = [int(number) for number in np.flatnonzero(~played.equal)]
    first = _make_beside(unit).play(seed, different[0])[1] if different else ""
    moves = played.moves
    return Comparison(hanabi(**FORMS[form]).name, driver, len(moves), int(moves.sum()), int(moves.max()), different, first)

"""Playing all pairings of a tournament by the workers of an engine, resumably.

Workers are handed tasks, runs of deals of a pairing, and hand back chunks of results, which are kept in the tournament's
folder at once.
"""

from __future__ import annotations

import contextlib
import functools
import os
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cardenvs import policy
from cardenvs.baselines.engine.job import Job
from cardenvs.baselines.engine.tasks import Task
from cardenvs.baselines.engine.work import work
from cardenvs.baselines.match.batches import Batches
from cardenvs.baselines.match.play import deals_at_a_time
from cardenvs.baselines.match.results import DealResults, Forfeited
from cardenvs.baselines.match.side import Side
from cardenvs.baselines.tournament.settings import TournamentSettings
from cardenvs.baselines.tournament.store import Store
from cardenvs.compiled import waiting as compiling
from cardenvs.contract.registry import named_game
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.contract import Forfeit, Policy

MAX_CHUNK = 8192
"""Most deals of a chunk."""
MAX_BATCH = 1024
"""Most deals played at a time."""

Progress = Callable[[int, int], None]
"""A function that is called with two numbers: the deals finished so far, over all pairings, and the pairings finished."""


@dataclass(frozen=True)
class Chunk:
    """Results of the deals that a worker finished, and the error that stopped it, if one did.

    Attributes:
        pairing: the pairing's number.
        start: number of the first deal.
        results: the finished deals' results; None if there are none.
        error: the message of the error that stopped the worker; empty if none did.
        bug: whether the error is a failure of the program, not wrong input.
        forfeit: how the pairing was forfeited; None if it was not.
    """

    pairing: int
    start: int
    results: DealResults | None
    error: str = ""
    bug: bool = False
    forfeit: Forfeited | None = None

    @property
    def stop(self) -> int:
        """Number of the last finished deal, plus one."""
        return self.start + (self.results.deals if self.results else 0)


class Worker:
    """Plays tasks in the process in which the object is made.

    Args:
        settings: the settings of the tournament.

    Attributes:
        settings: the settings of the tournament.
        spec: the game.
    """

    def __init__(self, settings: TournamentSettings, spec: GameSpec) -> None:
        self.settings = settings
        self.spec = spec
        self._policies: dict[str, Policy] = {}
        self._sides: dict[int, Side] = {}
        self._batches: Batches[int] = Batches()

    def _side(self, number: int, at: int) -> Side:
        """The side with this number, made and warmed up once; policies of the same name are one object on all sides.

        Args:
            number: the side's number.
            at: 0 or 1, whether it is the first or the second of its pairing, which a `Forfeit` tells.
        """
        if number not in self._sides:
            parts = self.settings.sides[number]
            for name in parts:
                if name not in self._policies:
                    self._policies[name] = policy.make(self.spec, name)
            side = Side(self.spec, [self._policies[name] for name in parts])
            try:
                side.warm_up(self.spec, **self.settings.options)
            except Forfeit as error:
                error.side = at
                raise
            self._sides[number] = side
        return self._sides[number]

    def play(self, task: Task[int]) -> Chunk:
        """Plays deals of the task for about the time of a chunk, in batches that grow while they are quick."""
        played: list[DealResults] = []
        error, bug, forfeit = "", False, None
        try:
            first, second = map(self._side, self.settings.pairs[task.of], (0, 1))
            for deals in self._batches.of(task, 2, deals_at_a_time((first, second), MAX_BATCH)):
                played.append(self.settings.play(self.spec, first, second, deals))
        except Forfeit as stopped_by:
            forfeit = Forfeited.by(stopped_by)
        except ValueError as stopped_by:
            error = str(stopped_by)
        except Exception:
            error, bug = traceback.format_exc(), True
        results = self.settings.results.joined(played) if played else None
        return Chunk(task.of, task.start, results, error, bug, forfeit)


def _player(settings: TournamentSettings, game: GameSpec) -> Callable[[Task[int]], Chunk]:
    """Makes the function that plays tasks in a worker."""
    return Worker(settings, game).play


def _compile_ahead(settings: TournamentSettings, tasks: Sequence[Task[int]]) -> None:
    """Plays a deal of each pairing in this process, if anything is to be compiled: once, and not by every worker."""
    if compiling.missing():
        worker = Worker(settings, named_game(settings.game))
        for pairing in sorted({task.of for task in tasks}):
            worker.play(Task(pairing, 0, 1))  # what fails here fails in a worker, too, and is told by it


def _finished(chunk: Chunk) -> int:
    """Number of deals of its task that a chunk has."""
    return chunk.stop - chunk.start


def play_all(
    settings: TournamentSettings,
    out: str | os.PathLike[str],
    *,
    workers: int | None = None,
    cluster: str | None = None,
    progress: Progress | None = None,
) -> Store:
    """Plays all deals of a tournament that are not finished yet, and keeps their results in a folder.

    A pairing that is forfeited (`cardenvs.policy.Forfeit`) keeps its finished deals and is not played on, now or when the
    folder is taken up again, as long as the folder has its record of forfeits.

    Args:
        settings: the settings of a tournament, from `settings_for`, or of cross-play, of a subclass of
            `TournamentSettings`.
        out: folder for the finished chunks; made if there is none.
        workers: processes that play; None: one for each core. With more than one, a script that calls this needs the usual
            ``if __name__ == "__main__":``.
        cluster: where they work, as in `cardenvs.baselines.engine.work.work`. Results are the same.
        progress: called whenever a chunk is finished.

    Returns:
        The folder with all results.

    Raises:
        ValueError: other settings in the folder; ``workers`` below 1; a cluster that cannot be used; an illegal action of a
            policy, named with its seat and position, after the finished deals have been kept.
        OSError: the folder cannot be written.
        RuntimeError: a worker failed, or several were lost at the same deals.
    """
    store = Store(out, settings)
    if progress is not None:
        progress(int(store.done.sum()), int(store.done.all(1).sum()))
    tasks = list(store.missing())
    forfeited: set[int] = set()
    played = work(
        Job(settings.kind, functools.partial(_player, settings), named_game(settings.game)), tasks, _finished,
        workers=workers, cluster=cluster, largest=MAX_CHUNK, ahead=functools.partial(_compile_ahead, settings, tasks),
        wanted=lambda task: task.of not in forfeited,
    )  # fmt: skip
    with contextlib.closing(played) as chunks:
        for _, chunk in chunks:
            if chunk.results is not None:
                store.add(chunk.pairing, chunk.start, chunk.results)
                if progress is not None:
                    progress(int(store.done.sum()), int(store.done.all(1).sum()))
            if chunk.forfeit is not None:
                store.forfeit(chunk.pairing, chunk.forfeit)
                forfeited.add(chunk.pairing)
            if chunk.error:
                first, second = ("+".join(settings.sides[k]) for k in settings.pairs[chunk.pairing])
                message = f"{first} - {second}: {chunk.error}"
                raise RuntimeError(message) if chunk.bug else ValueError(message)
    return store

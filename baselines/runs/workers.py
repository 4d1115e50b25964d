"""Working off what is missing in a store, by the workers of an engine.

Workers are handed tasks, runs of pieces of a unit, and hand back chunks of finished ones, which are kept at once.
"""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import Any

from cardenvs.baselines.engine.job import Job, Work
from cardenvs.baselines.engine.tasks import Task
from cardenvs.baselines.engine.work import work
from cardenvs.baselines.runs.plan import Plan
from cardenvs.baselines.runs.rows import Chunk, RowsType
from cardenvs.baselines.runs.store import Store
from cardenvs.compiled import waiting as compiling
from cardenvs.contract.spec import GameSpec

MAX_CHUNK = 8192  # most pieces of a chunk

Moved = Callable[[int, str], None]
"""A function that is called with the number of pieces finished since the last call and the name of what is worked on."""


def work_off(
    store: Store[RowsType],
    units: Sequence[int] | None = None,
    *,
    workers: int | None = None,
    cluster: str | Executor | None = None,
    kept: Callable[[Task[int], RowsType], None] | None = None,
) -> None:
    """Works on all pieces of some units, or of all, that are missing in a store, and keeps them there.

    Args:
        kept: called whenever pieces were kept, with their task and with them.

    Raises:
        ValueError: wrong input on which a worker stopped, after what it finished was kept; ``workers`` below 1; a cluster
            that cannot be used.
        OSError: the store cannot be written.
        RuntimeError: a worker failed, or several were lost at the same pieces.
    """
    plan = store.plan
    tasks = [task for task in store.missing() if units is None or task.of in units]
    chunks = work(
        Job(plan.kind, functools.partial(_begin_plan, plan.of(None)), plan.spec), tasks, lambda chunk: chunk.size,
        workers=workers, cluster=cluster, largest=MAX_CHUNK,
        ahead=functools.partial(compile_ahead, plan.begin, {task.of for task in tasks}),
        wanted=lambda task: task.of not in store.forfeits,
    )  # fmt: skip
    with contextlib.closing(chunks) as finished:
        for task, chunk in finished:
            if chunk.rows is not None:
                store.add(task.of, task.start, chunk.rows)
                if kept is not None:
                    kept(task, chunk.rows)
            if chunk.forfeit is not None and task.of not in store.forfeits:
                store.forfeit(task.of, chunk.forfeit)
            if chunk.error:
                raise RuntimeError(chunk.error) if chunk.bug else ValueError(chunk.error)


def work_through(
    plan: Any,
    out: str | os.PathLike[str] | None = None,
    *,
    workers: int | None = None,
    cluster: str | Executor | None = None,
    progress: Moved | None = None,
) -> Store[Any]:
    """Works on all pieces of a plan that are missing in a folder, which is made if need be; None keeps no files.

    Args:
        progress: called with what the folder holds, and whenever pieces are finished.

    Raises:
        ValueError: another plan in the folder, or as of `work_off`.
        OSError, RuntimeError: as of `work_off`.
    """
    store: Store[Any] = Store(out, plan)
    names, tell = plan.unit_names, progress or (lambda finished, name: None)
    tell(int(store.done.sum()), names[0])
    work_off(store, workers=workers, cluster=cluster, kept=lambda task, rows: tell(rows.size, names[task.of]))
    return store


def _begin_plan(plan: Plan, game: GameSpec) -> Work[int, Chunk[Any]]:
    """The function that works on tasks in a worker, which gets the game beside the plan."""
    return plan.of(game).begin()


def compile_ahead(begin: Callable[[], Work[int, Any]], units: set[int]) -> None:
    """Works on a piece of each unit in this process, if anything is to be compiled: once, and not by every worker."""
    if compiling.missing():
        do = begin()
        for unit in sorted(units):
            do(Task(unit, 0, 1))  # what fails here fails in a worker, too, and is told by it

"""The one way to go on: folders with a study's settings and its finished pieces, and work on the pieces that are missing.

A `Store` has pieces in chunks, each whole or not there, which workers hand back and which are kept at once.
"""

import contextlib
import functools
import io
import json
import os
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, Generic

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.engine.work import Job, Task, Work, work
from cardenvs.baselines.match.results import DealResults, Forfeited, forfeited_by
from cardenvs.baselines.reports.columns import Row
from cardenvs.baselines.runs.plan import OTHERWISE, Chunk, Plan, RowsType
from cardenvs.compiled import waiting as compiling
from cardenvs.contract.spec import GameSpec
from cardenvs.files import json_text, sweep_folder, write_whole

FORFEITS = "forfeits.json"  # the file in a folder that names the forfeited pairings; without it they are played on
CHUNKS = "chunks"  # the folder of the chunks within a store's folder
_SHORT = np.dtype(np.int16)  # of kept numbers, for there are many: 190 pairings of 100,000 deals take 300 MB


Moved = Callable[[int, str], None]
"""A function that is called with the number of pieces finished since the last call and the name of what is worked on."""


def was_begun(
    folder: Path, file: str, kind: str, differences: Callable[[dict[str, Any]], list[str]], otherwise: str = OTHERWISE
) -> bool:
    """Whether work with the same settings was begun in a folder, which need not exist.

    Args:
        file: the name of the JSON file in the folder that holds the settings.
        kind: the work in a word, for messages: ``"tournament"``.
        differences: returns how the settings of the file differ from those asked for now, a text for each difference.
        otherwise: what messages say can be done instead of going on with the same settings.

    Raises:
        ValueError: the folder is a file, the settings cannot be read, or they differ; says how.
    """
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{str(folder)!r} is not a folder")
    path = folder / file
    if not path.is_file():
        return False
    try:
        changes = differences(json.loads(path.read_text()))
    except (KeyError, TypeError, json.JSONDecodeError):
        raise ValueError(f"{str(path)!r} does not hold the settings of a {kind}") from None
    if changes:
        raise ValueError(
            f"the {kind} in {str(folder)!r} was begun with {'; '.join(changes)}: "
            f"go on with the same settings, or {otherwise}"
        )
    return True


class Store(Generic[RowsType]):
    """The finished pieces of a study.

    Args:
        folder: where chunks are kept, a file each; made if there is none. None: in memory only.
        plan: the study's plan.

    Attributes:
        done: bool (units, pieces), which pieces are finished.
        forfeits: by a unit's number, how it was forfeited; its other pieces are not played.

    Raises:
        ValueError: the folder holds a study with another plan, and says what differs; its record of forfeits is damaged.
        OSError: the folder cannot be read or written.
    """

    def __init__(self, folder: str | os.PathLike[str] | None, plan: Any) -> None:
        self.folder = None if folder is None else Path(folder)
        self.plan = plan
        self.done = np.zeros((len(plan.units), plan.pieces), np.bool_)
        self.forfeits: dict[int, Row] = {}
        self._in_memory: dict[tuple[int, int], RowsType] = {}
        if self.folder is not None:
            self._open(self.folder)

    def _open(self, folder: Path) -> None:
        plan, file = self.plan, f"{self.plan.kind}.json"
        begun = was_begun(folder, file, plan.kind, plan.differences, plan.otherwise)
        sweep_folder(folder, file, FORFEITS, "results.json", "report.md", "*.png")
        sweep_folder(folder / CHUNKS, "*.npz")
        if begun:
            for unit, start, stop, _ in self._files():
                self.done[unit, start:stop] = True
        elif next((folder / CHUNKS).glob("*[0-9].npz"), None) is not None:
            raise ValueError(f"{str(folder)!r} holds results, but not those of the {plan.kind}: {OTHERWISE}")
        else:
            write_whole(folder / file, json_text(plan.as_dict()))
        (folder / CHUNKS).mkdir(exist_ok=True)
        if (path := folder / FORFEITS).exists():
            try:
                numbers = {pair: number for number, pair in enumerate(plan.pairs)}
                listed = json.loads(path.read_text("utf-8"))["forfeits"]
                self.forfeits = {numbers[tuple(one["pairing"])]: Forfeited(**one["forfeit"]) for one in listed}
            except (ValueError, KeyError, TypeError):
                again = f"delete it and run the {plan.kind} again, which plays forfeited pairings on"
                raise ValueError(f"the record of forfeits {str(path)!r} is damaged: {again}") from None

    def _files(self) -> Iterator[tuple[int, int, int, Path]]:
        """Unit, first piece, last piece + 1 and path of every chunk's file."""
        numbers = {word: k for k, word in enumerate(self.plan.units)}
        for path in [] if self.folder is None else sorted((self.folder / CHUNKS).glob("*[0-9].npz")):
            try:
                word, *ends = path.stem.rsplit("-", 2)
                unit, (start, stop) = numbers[word], map(int, ends)
            except (KeyError, ValueError):
                raise ValueError(f"{str(path)!r} is no chunk of this {self.plan.kind}: move it elsewhere") from None
            yield unit, start, stop, path

    def add(self, unit: int, start: int, rows: RowsType) -> None:
        """Keeps the pieces of a unit from number ``start`` on, in one file that is written whole."""
        stop = start + rows.size
        if self.folder is None:
            self._in_memory[unit, start] = rows
        else:
            content = io.BytesIO()
            arrays: dict[str, Any] = {name: _packed(getattr(rows, name)) for name in rows.BY_PIECE}
            np.savez_compressed(content, **arrays, **{name: getattr(rows, name) for name in rows.sums()})
            name = f"{self.plan.units[unit]}-{start:07}-{stop:07}.npz"
            write_whole(self.folder / CHUNKS / name, content.getvalue())
        self.done[unit, start:stop] = True

    def missing(self) -> Iterator[Task[int]]:
        """The runs of pieces that are not finished, unit by unit; of forfeited units none are."""
        for unit, done in enumerate(self.done):
            if unit not in self.forfeits:
                edges = np.flatnonzero(np.diff(done, prepend=True, append=True))
                for start, stop in edges.reshape(-1, 2):
                    yield Task(unit, int(start), int(stop))

    def forfeit(self, unit: int, how: Row) -> None:
        """Keeps on record that a pairing was forfeited, so that no more of its deals are played."""
        self.forfeits[unit] = how
        pairs = self.plan.pairs
        listed = [{"pairing": pairs[number], "forfeit": one.as_dict()} for number, one in sorted(self.forfeits.items())]
        if self.folder is not None:
            write_whole(self.folder / FORFEITS, json_text({"forfeits": listed}))

    def check_finished(self, units: Sequence[int] | None = None) -> None:
        """Raises ValueError if pieces of some units, or of all, are missing; forfeited units count as finished."""
        left = sum(task.num_pieces for task in self.missing() if units is None or task.of in units)
        if left:
            where = "" if self.folder is None else f" in {str(self.folder)!r}"
            raise ValueError(f"the {self.plan.kind}{where} is not finished: {left} {self.plan.piece}s are missing")

    def chunks(self, units: Container[int]) -> Iterator[tuple[int, int, RowsType]]:
        """Unit, first piece and pieces of every chunk of some units, by unit and piece; ValueError if one is damaged."""
        for unit, start in sorted(key for key in self._in_memory if key[0] in units):
            yield unit, start, self._in_memory[unit, start]
        for unit, start, stop, path in sorted(file for file in self._files() if file[0] in units):
            yield unit, start, self._read(path, stop - start)

    def finished(self, unit: int) -> RowsType:
        """The finished pieces of a unit, at least one, in order; ValueError if a chunk is damaged."""
        joined: RowsType = self.plan.rows.joined([rows for _, _, rows in self.chunks([unit])])
        return joined

    def load_unit(self, unit: int) -> RowsType:
        """All pieces of a unit, in order; ValueError if some are missing, or a chunk is damaged."""
        self.check_finished([unit])
        return self.finished(unit)

    def _read(self, path: Path, size: int) -> RowsType:
        content = io.BytesIO(path.read_bytes())
        try:
            with np.load(content) as chunk:
                arrays = {name: chunk[name] for name in chunk.files}
            rows: RowsType = self.plan.rows(**arrays)
            if any(len(getattr(rows, name)) != size for name in rows.BY_PIECE):
                raise ValueError
        except Exception:  # zip files have a dozen ways to tell that they are damaged
            again = f"delete it and run the {self.plan.kind} again"
            raise ValueError(f"the chunk {str(path)!r} is damaged: {again}") from None
        return rows


def _packed(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Numbers as they are kept: as `_SHORT`, where they and their differences fit."""
    fits = values.dtype == np.int64 and np.abs(values).max() <= np.iinfo(_SHORT).max // 2
    return values.astype(_SHORT) if fits else values


class PairingStore(Store[DealResults]):
    """The finished deals of pairings in a folder; its plan is a `cardenvs.baselines.runs.pairings.PairingPlan`."""

    folder: Path

    def nothing_left(self) -> ValueError:
        """The error that so much was forfeited that there are no results."""
        number, forfeit = min(self.forfeits.items())
        return ValueError(
            f"too much of the {self.plan.kind} was forfeited for results, first {' - '.join(self.plan.names(number))}: "
            f"{forfeit.why}; {self.to_play_anew}"
        )

    @property
    def to_play_anew(self) -> str:
        """Instructions for playing on forfeited pairings, in words."""
        return f"to play forfeited pairings on, delete {str(self.folder / FORFEITS)!r} and run the {self.plan.kind} again"

    def load(self) -> DealResults:
        """The results of all pairings, with the pairing as first dimension of every array.

        Deals of forfeited pairings that were not played (``done``) are all zeros.

        Raises:
            ValueError: a chunk is damaged, or deals are missing; all pairings were forfeited before a deal was finished.
        """
        self.check_finished()
        arrays: dict[str, npt.NDArray[Any]] = {}
        for pairing, start, rows in self.chunks(range(len(self.plan.pairs))):
            for name in (*rows.BY_PIECE, *rows.sums()):
                values = getattr(rows, name)
                if name not in arrays:
                    shape = (self.plan.deals, *values.shape[1:]) if name in rows.BY_PIECE else values.shape
                    arrays[name] = np.zeros((len(self.plan.pairs), *shape), values.dtype)
                arrays[name] = arrays[name].astype(np.promote_types(arrays[name].dtype, values.dtype), copy=False)
                own = arrays[name][pairing, ...]
                if name in rows.BY_PIECE:
                    own[start : start + len(values)] = values
                else:
                    own += values
        if not arrays:
            raise self.nothing_left()
        kind: type[DealResults] = self.plan.rows
        return kind(**arrays)  # type: ignore[arg-type]


def work_off(
    store: Store[RowsType],
    units: Sequence[int] | None = None,
    *,
    upto: int | None = None,
    workers: int | None = None,
    cluster: str | Executor | None = None,
    kept: Callable[[Task[int], RowsType], None] | None = None,
) -> None:
    """Works on all pieces of some units, or of all, that are missing in a store, and keeps them there.

    Args:
        upto: how many of each unit's pieces, from the first on; None: all.
        kept: called whenever pieces were kept, with their task and with them.

    Raises:
        ValueError: wrong input on which a worker stopped, after what it finished was kept; ``workers`` below 1; a cluster
            that cannot be used.
        OSError: the store cannot be written.
        RuntimeError: a worker failed, or several were lost at the same pieces.
    """
    plan = store.plan
    most = plan.pieces if upto is None else upto
    missing = (task for task in store.missing() if task.start < most and (units is None or task.of in units))
    tasks = [task._replace(stop=min(task.stop, most)) for task in missing]
    job = Job(plan.kind, functools.partial(_begin_plan, plan.of(None)), plan.spec)
    chunks = work(
        job, tasks, lambda chunk: chunk.size, workers=workers, cluster=cluster,
        ahead=functools.partial(compile_ahead, plan.begin, {task.of for task in tasks}),
        wanted=lambda task: task.of not in store.forfeits,
    )  # fmt: skip
    with contextlib.closing(chunks) as finished:
        for task, chunk in finished:
            if chunk.rows is not None:
                store.add(task.of, task.start, chunk.rows)
                if kept is not None:
                    kept(task, chunk.rows)
            if (how := forfeited_by(chunk.forfeit)) is not None and task.of not in store.forfeits:
                store.forfeit(task.of, how)
            if chunk.error is not None:
                raise chunk.error


def work_through(
    plan: Any,
    out: str | os.PathLike[str] | None = None,
    *,
    workers: int | None = None,
    cluster: str | Executor | None = None,
    progress: Moved | None = None,
) -> Store[Any]:
    """Works on all pieces of a plan that are missing in a folder, which is made if need be; None keeps no files.

    ``progress`` is called with what the folder holds, and whenever pieces are finished. Errors are those of `Store` and of
    `work_off`.
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


class Parts:
    """Finished parts of one run in a folder, a JSON file each.

    Args:
        settings: all that the results depend on, by the names of the command's options (with ``_`` for ``-``).
        kind: what is run, in a word, for messages and for the name of the file of the settings.

    Raises:
        ValueError: the folder holds a run with other settings; says which differ.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any], kind: str = "reproduction") -> None:
        self.folder, self.kind = folder, kind

        def differences(stored: dict[str, Any]) -> list[str]:
            other = [name for name, value in settings.items() if stored[name] != value]
            return [f"--{name.replace('_', '-')} {stored[name]}, not {settings[name]}" for name in other]

        sweep_folder(folder, "*.json")
        if not was_begun(folder, f"{kind}.json", kind, differences):
            write_whole(folder / f"{kind}.json", json_text(settings))

    def kept(self, name: str, make: Callable[[], Any]) -> Any:
        """A part as JSON gives it back, read from the file of its name, which ``make`` makes first; ValueError: damaged."""
        path = self.folder / f"{name}.json"
        if not path.is_file():
            write_whole(path, json.dumps(make()) + "\n")
        try:
            return json.loads(path.read_text())
        except json.JSONDecodeError:
            raise ValueError(f"{str(path)!r} is damaged: delete it and run the {self.kind} again") from None

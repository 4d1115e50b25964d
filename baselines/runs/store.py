"""Stores: a study's finished pieces, in chunks that are whole or not there, and its plan."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Container, Iterator, Sequence
from pathlib import Path
from typing import Any, Generic

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.engine.tasks import Task
from cardenvs.baselines.match.results import DealResults, Forfeited
from cardenvs.baselines.reports.columns import Row
from cardenvs.baselines.runs.resume import OTHERWISE, was_begun
from cardenvs.baselines.runs.rows import RowsType
from cardenvs.files import json_text, sweep_folder, write_whole

FORFEITS = "forfeits.json"  # the file in a folder that names the forfeited pairings; without it they are played on
CHUNKS = "chunks"  # the folder of the chunks within a store's folder
_SHORT = np.dtype(np.int16)  # of kept numbers, for there are many: 190 pairings of 100,000 deals take 300 MB


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
        """Notes that a unit was forfeited, so that no more of it is worked on."""
        self.forfeits[unit] = how

    def check_finished(self, units: Sequence[int] | None = None) -> None:
        """Raises ValueError if pieces of some units, or of all, are missing; forfeited units count as finished."""
        left = sum(task.num_pieces for task in self.missing() if units is None or task.of in units)
        if left:
            where = "" if self.folder is None else f" in {str(self.folder)!r}"
            raise ValueError(f"the {self.plan.kind}{where} is not finished: {left} {self.plan.piece}s are missing")

    def chunks(self, units: Container[int]) -> Iterator[tuple[int, int, RowsType]]:
        """Unit, first piece and pieces of every chunk of some units, by unit and piece.

        Raises:
            ValueError: a chunk is damaged.
        """
        for unit, start in sorted(key for key in self._in_memory if key[0] in units):
            yield unit, start, self._in_memory[unit, start]
        for unit, start, stop, path in sorted(file for file in self._files() if file[0] in units):
            yield unit, start, self._read(path, stop - start)

    def load_unit(self, unit: int) -> RowsType:
        """All pieces of a unit, in order.

        Raises:
            ValueError: pieces are missing, or a chunk is damaged.
        """
        self.check_finished([unit])
        joined: RowsType = self.plan.rows.joined([rows for _, _, rows in self.chunks([unit])])
        return joined

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
    """The finished deals of pairings in a folder, and which pairings were forfeited.

    Its plan is a `cardenvs.baselines.runs.pairings.PairingPlan`; arguments, attributes and errors are those of `Store`.
    """

    folder: Path

    def _open(self, folder: Path) -> None:
        super()._open(folder)
        path = folder / FORFEITS
        if path.exists():
            try:
                numbers = {pair: number for number, pair in enumerate(self.plan.pairs)}
                listed = json.loads(path.read_text("utf-8"))["forfeits"]
                self.forfeits = {numbers[tuple(one["pairing"])]: Forfeited(**one["forfeit"]) for one in listed}
            except (ValueError, KeyError, TypeError):
                again = f"delete it and run the {self.plan.kind} again, which plays forfeited pairings on"
                raise ValueError(f"the record of forfeits {str(path)!r} is damaged: {again}") from None

    def forfeit(self, unit: int, how: Row) -> None:
        """Keeps on record that a pairing was forfeited, so that no more of its deals are played."""
        super().forfeit(unit, how)
        listed = [
            {"pairing": self.plan.pairs[number], "forfeit": one.as_dict()} for number, one in sorted(self.forfeits.items())
        ]
        write_whole(self.folder / FORFEITS, json_text({"forfeits": listed}))

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

        def array_for(name: str, shape: tuple[int, ...], values: npt.NDArray[Any]) -> npt.NDArray[Any]:
            """The array of a name, made with the first values, and of a type that holds all."""
            if name not in arrays:
                arrays[name] = np.zeros((len(self.plan.pairs), *shape), values.dtype)
            arrays[name] = arrays[name].astype(np.promote_types(arrays[name].dtype, values.dtype), copy=False)
            return arrays[name]

        for pairing, start, rows in self.chunks(range(len(self.plan.pairs))):
            for name in rows.BY_PIECE:
                values = getattr(rows, name)
                array_for(name, (self.plan.deals, *values.shape[1:]), values)[pairing, start : start + len(values)] = values
            for name in rows.sums():
                values = getattr(rows, name)
                array_for(name, values.shape, values)[pairing] += values
        if not arrays:
            raise self.nothing_left()
        kind: type[DealResults] = self.plan.rows
        return kind(**arrays)  # type: ignore[arg-type]

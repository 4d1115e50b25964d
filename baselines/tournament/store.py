"""A tournament's folder: its settings and, in chunks, the deals that are finished."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.engine.tasks import Task
from cardenvs.baselines.match.results import DealResults, Forfeited
from cardenvs.baselines.resume import was_begun
from cardenvs.baselines.tournament.settings import TournamentSettings
from cardenvs.contract.registry import named_game
from cardenvs.files import json_text, sweep_folder, write_whole

FORFEITS = "forfeits.json"
"""The file in a tournament's folder that says which pairings were forfeited; without it they are played on."""
CHUNKS = "chunks"
"""The folder of the chunks within a tournament's folder."""
_SHORT = np.dtype(np.int16)
"""Type of the kept numbers, two bytes each, for there are many: 190 pairings of 100,000 deals take 300 MB."""


class Store:
    """The chunks of a tournament in its folder: runs of finished deals of a pairing, a file each.

    Args:
        folder: the tournament's folder; made if there is none.
        settings: the tournament's settings.

    Attributes:
        folder: the tournament's folder.
        settings: the tournament's settings.
        done: bool (pairings, deals), which deals are finished.
        forfeits: by a pairing's number, how it was forfeited; its other deals are not played.

    Raises:
        ValueError: the folder holds a tournament with other settings, and says which differ; its record of forfeits is
            damaged.
        OSError: the folder cannot be written.
    """

    def __init__(self, folder: str | os.PathLike[str], settings: TournamentSettings) -> None:
        self.folder = Path(folder)
        file = f"{settings.kind}.json"
        begun = was_begun(self.folder, file, settings.kind, settings.differences, settings.otherwise)
        self.settings = settings
        self._chunks = self.folder / CHUNKS
        sweep_folder(self.folder, file, FORFEITS, "results.json", "report.md", "*.png")
        sweep_folder(self._chunks, "*.npz")
        self.done = np.zeros((len(settings.pairs), settings.deals), np.bool_)
        if begun:
            for pairing, start, stop, _ in self._files():
                self.done[pairing, start:stop] = True
        elif next(self._chunks.glob("[0-9]*.npz"), None) is not None:
            raise ValueError(
                f"{str(self.folder)!r} holds results, but not those of a {settings.kind}: give another folder with --out"
            )
        else:
            write_whole(self.folder / file, json_text(asdict(settings)))
        self._chunks.mkdir(exist_ok=True)
        self.forfeits = self._kept_forfeits() if begun else {}

    def _kept_forfeits(self) -> dict[int, Forfeited]:
        """The forfeits that the folder has on record.

        Raises:
            ValueError: the record is damaged.
        """
        path = self.folder / FORFEITS
        if not path.exists():
            return {}
        try:
            numbers = {pair: number for number, pair in enumerate(self.settings.pairs)}
            listed = json.loads(path.read_text("utf-8"))["forfeits"]
            return {numbers[tuple(one["pairing"])]: Forfeited(**one["forfeit"]) for one in listed}
        except (ValueError, KeyError, TypeError):
            again = f"delete it and run the {self.settings.kind} again, which plays forfeited pairings on"
            raise ValueError(f"the record of forfeits {str(path)!r} is damaged: {again}") from None

    def forfeit(self, pairing: int, how: Forfeited) -> None:
        """Keeps on record that a pairing was forfeited, so that no more of its deals are played.

        Args:
            pairing: the pairing's number; a second forfeit of it changes nothing.
            how: who could not go on, and why.
        """
        if pairing not in self.forfeits:
            self.forfeits[pairing] = how
            listed = [
                {"pairing": self.settings.pairs[number], "forfeit": one.as_dict()}
                for number, one in sorted(self.forfeits.items())
            ]
            write_whole(self.folder / FORFEITS, json_text({"forfeits": listed}))

    def names(self, pairing: int) -> list[str]:
        """The names of the two sides of a pairing."""
        return ["+".join(self.settings.sides[side]) for side in self.settings.pairs[pairing]]

    def nothing_left(self) -> ValueError:
        """The error that so much was forfeited that there are no results."""
        number, forfeit = min(self.forfeits.items())
        return ValueError(
            f"too much of the {self.settings.kind} was forfeited for results, first {' - '.join(self.names(number))}: "
            f"{forfeit.why}; {self.to_play_anew}"
        )

    @property
    def to_play_anew(self) -> str:
        """Instructions for playing on forfeited pairings, in words."""
        return (
            f"to play forfeited pairings on, delete {str(self.folder / FORFEITS)!r} and run the {self.settings.kind} again"
        )

    def _files(self) -> Iterator[tuple[int, int, int, Path]]:
        """Pairing, first deal, last deal + 1 and path of every chunk."""
        numbers = {pair: k for k, pair in enumerate(self.settings.pairs)}
        for path in sorted(self._chunks.glob("[0-9]*.npz")):
            first, second, start, stop = map(int, path.stem.split("-"))
            yield numbers[first, second], start, stop, path

    def add(self, pairing: int, start: int, results: DealResults) -> None:
        """Keeps the results of some deals of a pairing in one file, written whole.

        Args:
            pairing: the pairing's number.
            start: number of the first of the deals.
            results: the deals' results.
        """
        stop = start + results.deals
        first, second = self.settings.pairs[pairing]
        content = io.BytesIO()
        arrays: dict[str, Any] = {name: _packed(getattr(results, name)) for name in results.BY_DEAL}
        arrays |= {name: getattr(results, name) for name in results.sums()}
        np.savez_compressed(content, **arrays)
        write_whole(self._chunks / f"{first:03}-{second:03}-{start:07}-{stop:07}.npz", content.getvalue())
        self.done[pairing, start:stop] = True

    def missing(self) -> Iterator[Task[int]]:
        """The runs of deals that have not been played, pairing by pairing; of forfeited pairings none are."""
        for pairing, done in enumerate(self.done):
            if pairing in self.forfeits:
                continue
            edges = np.flatnonzero(np.diff(done, prepend=True, append=True))
            for start, stop in edges.reshape(-1, 2):
                yield Task(pairing, int(start), int(stop))

    def load(self) -> DealResults:
        """The results of all pairings, with the pairing as first dimension of every array.

        Deals of forfeited pairings that were not played (``done``) are all zeros.

        Raises:
            ValueError: a chunk is damaged, or deals are missing; all pairings were forfeited before a deal was finished.
        """
        m, kind, game = len(self.settings.pairs), self.settings.results, named_game(self.settings.game)
        shape = m, self.settings.deals, game.num_sides, game.num_sides
        by_deal: dict[str, npt.NDArray[Any]] = {name: np.zeros(shape, _SHORT) for name in ("points", "tricks")}
        by_deal["winners"] = np.zeros(shape, np.bool_)
        summed = [*kind.by_side(), *(() if game.max_decisions is None else ("truncated",))]
        sums: dict[str, npt.NDArray[Any]] = {}
        loaded = np.zeros((m, self.settings.deals), np.bool_)
        for pairing, start, stop, path in self._files():
            try:
                with np.load(path) as chunk:
                    for name in by_deal:
                        if name == "winners" and name not in chunk:  # written before winners were kept
                            values = chunk["points"] == chunk["points"].max(-1, keepdims=True)
                        else:
                            values = chunk[name]
                        if values.dtype == np.int64:
                            by_deal[name] = by_deal[name].astype(np.int64, copy=False)
                        by_deal[name][pairing, start:stop] = values
                    for name in summed:
                        total = chunk[name]
                        sums.setdefault(name, np.zeros((m, *total.shape), total.dtype))[pairing] += total
            except (ValueError, KeyError, EOFError, zipfile.BadZipFile):
                again = f"delete it and run the {self.settings.kind} again"
                raise ValueError(f"the chunk {str(path)!r} is damaged: {again}") from None
            loaded[pairing, start:stop] = True
        loaded[list(self.forfeits)] = True
        if not loaded.all():
            which = f"the {self.settings.kind} in {str(self.folder)!r}"
            raise ValueError(f"{which} is not finished: {(~loaded).sum()} deals are missing")
        if not sums:
            raise self.nothing_left()
        arrays: dict[str, Any] = by_deal | sums
        return kind(**arrays)


def _packed(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Numbers as they are kept: as `_SHORT`, where they and their differences fit."""
    fits = values.dtype == np.int64 and np.abs(values).max() <= np.iinfo(_SHORT).max // 2
    return values.astype(_SHORT) if fits else values

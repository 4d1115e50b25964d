"""Finished games of statistics: chunks of games, kept in a folder if there is one."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.engine.tasks import Task
from cardenvs.baselines.game_statistics.experiments import EXPERIMENTS, PlayedGames
from cardenvs.baselines.game_statistics.settings import StatisticsSettings
from cardenvs.baselines.resume import was_begun
from cardenvs.files import json_text, sweep_folder, write_whole

SETTINGS_FILE = "statistics.json"
"""The file in the folder that holds the settings."""
CHUNKS = "chunks"
"""The folder of the chunks within the folder."""


class Store:
    """The finished games of statistics.

    Args:
        folder: where chunks are kept, a file each; made if there is none. None: in memory only.

    Attributes:
        settings: the settings.
        folder: the folder, or None.

    Raises:
        ValueError: the folder holds statistics with other settings, or a damaged chunk; says which.
        OSError: the folder cannot be read or written.
    """

    def __init__(self, settings: StatisticsSettings, folder: str | os.PathLike[str] | None = None) -> None:
        self.settings = settings
        self.folder = None if folder is None else Path(folder)
        self._parts: dict[str, dict[int, PlayedGames]] = {name: {} for name in EXPERIMENTS}
        if self.folder is None:
            return
        chunks = self.folder / CHUNKS
        begun = was_begun(self.folder, SETTINGS_FILE, "statistics", settings.differences)
        sweep_folder(self.folder, SETTINGS_FILE, "results.json", "report.md", "*.png")
        sweep_folder(chunks, "*.npz")
        files = sorted(chunks.glob("*-[0-9]*.npz"))
        if begun:
            for path in files:
                self._read(path)
        elif files:
            raise ValueError(
                f"{str(self.folder)!r} holds results, but not those of statistics: give another folder with --out"
            )
        else:
            write_whole(self.folder / SETTINGS_FILE, json_text(settings.as_dict()))

    def _read(self, path: Path) -> None:
        """Reads a chunk.

        Raises:
            ValueError: it is damaged.
        """
        try:
            experiment, start, stop = path.stem.split("-")
            with np.load(path) as chunk:
                played = PlayedGames(**{f.name: chunk[f.name] for f in fields(PlayedGames)})
            if any(len(getattr(played, f.name)) != int(stop) - int(start) for f in fields(PlayedGames)):
                raise ValueError
            self._parts[experiment][int(start)] = played
        except (ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile):
            raise ValueError(f"the chunk {str(path)!r} is damaged: delete it and take the statistics again") from None

    def add(self, experiment: str, start: int, played: PlayedGames) -> None:
        """Keeps some games of an experiment, in a file that is written whole.

        Args:
            experiment: the experiment's name.
            start: number of the first of the games.
            played: the games.
        """
        self._parts[experiment][start] = played
        if self.folder is not None:
            content = io.BytesIO()
            np.savez_compressed(content, **{f.name: getattr(played, f.name) for f in fields(PlayedGames)})
            name = f"{experiment}-{start:07}-{start + played.games:07}.npz"
            write_whole(self.folder / CHUNKS / name, content.getvalue())

    def finished(self, experiment: str) -> npt.NDArray[np.bool_]:
        """Mask of the finished games of an experiment, bool (games,)."""
        done = np.zeros(self.settings.games, np.bool_)
        for start, played in self._parts[experiment].items():
            done[start : start + played.games] = True
        return done

    def missing(self, experiment: str) -> Iterator[Task[str]]:
        """The runs of games of an experiment that have not been played."""
        edges = np.flatnonzero(np.diff(self.finished(experiment), prepend=True, append=True))
        for start, stop in edges.reshape(-1, 2):
            yield Task(experiment, int(start), int(stop))

    def load(self, experiment: str) -> PlayedGames:
        """All games of an experiment in order.

        Raises:
            ValueError: some are missing.
        """
        left = int((~self.finished(experiment)).sum())
        if left:
            raise ValueError(f"the experiment {experiment!r} is not finished: {left} games are missing")
        games = PlayedGames.empty(self.settings.games, self.settings.spec.seats)
        for start, played in self._parts[experiment].items():
            for f in fields(PlayedGames):
                getattr(games, f.name)[start : start + played.games] = getattr(played, f.name)
        return games

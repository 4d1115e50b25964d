"""Jobs, sent to workers once, before any task: a function to begin with, and the game, which only the sender may know."""

from __future__ import annotations

import contextlib
import pickle
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Generic, TypeVar

from cardenvs.baselines.engine.tasks import Key, Task
from cardenvs.contract.registry import family_of, get_game, register_game
from cardenvs.contract.spec import GameSpec

Done = TypeVar("Done")

Work = Callable[[Task[Key]], Done]
"""A function that returns the results of a task, or of its first pieces.

At least one is finished, or something is stored with which the next call continues.
"""


@dataclass(frozen=True)
class DescribedFile:
    """A described game with its description, for machines that lack the file."""

    path: str  # absolute, on the sender's machine
    content: bytes
    digest: str  # `cardenvs.contract.spec.GameSpec.digest` of the game

    @staticmethod
    def from_game(game: GameSpec) -> DescribedFile:
        """Reads the file of a described game; OSError if it cannot be read."""
        assert game.path is not None
        return DescribedFile(game.path, Path(game.path).read_bytes(), game.digest)

    def load_game(self) -> GameSpec:
        """Returns the game, then known in this process by its name; of a copy, if the file here is missing or different.

        Raises ValueError if the file had been changed before it was sent, after the game was made of it.
        """
        try:
            there = Path(self.path).read_bytes() == self.content
        except OSError:
            there = False
        if there:
            return self._check_digest(get_game(self.path))
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder, Path(self.path).name)
            copy.write_bytes(self.content)
            return self._check_digest(get_game(str(copy)))

    def _check_digest(self, game: GameSpec) -> GameSpec:
        if game.digest != self.digest:
            raise ValueError(f"{self.path}: the description was changed since its game was made")
        return game


@dataclass(frozen=True)
class Job(Generic[Key, Done]):
    """A job for workers: the function that they begin with, and its game."""

    kind: str  # in a word, for messages: "tournament"
    begin: Callable[[GameSpec], Work[Key, Done]]  # called once in each worker; pickled: of a module, or a partial of such
    game: GameSpec | DescribedFile  # in a job that was sent, a described game comes with its file

    def make_portable(self) -> Job[Key, Done]:
        """Returns the job in the form for other processes and machines, where several threads may send it.

        Raises OSError if the file that describes the game cannot be read.
        """
        if isinstance(self.game, DescribedFile) or self.game.path is None:
            # Numba names a kernel when it is first pickled, and fails where two threads do that at the same time.
            with contextlib.suppress(pickle.PicklingError, AttributeError, TypeError):  # sending it raises the error
                pickle.dumps(self.game)
            return self
        return replace(self, game=DescribedFile.from_game(self.game))

    def begin_here(self) -> Work[Key, Done]:
        """Returns the function that works on tasks, made in this process, where it makes the game known."""
        if isinstance(self.game, DescribedFile):
            return self.begin(self.game.load_game())
        known = self.game.path is not None or family_of(self.game) is not None
        return self.begin(self.game if known else register_game(self.game))

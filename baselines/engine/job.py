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
"""A function that works on tasks: returns the results of a task, or of its first pieces.

At least one is finished, or something is kept from which the next to work on the task goes on.
"""


@dataclass(frozen=True)
class DescribedFile:
    """A described game with its description, for machines that lack the file.

    Attributes:
        path: the absolute path of the file where it was sent.
        content: what stands in the file.
        digest: `cardenvs.contract.spec.GameSpec.digest` of the game.
    """

    path: str
    content: bytes
    digest: str

    @staticmethod
    def of(game: GameSpec) -> DescribedFile:
        """The file of a described game, as it stands now.

        Raises:
            OSError: it cannot be read.
        """
        assert game.path is not None
        return DescribedFile(game.path, Path(game.path).read_bytes(), game.digest)

    def known(self) -> GameSpec:
        """The game, from then on known in this process by its name.

        Where the file is not, or is another, it is the game of a copy.

        Raises:
            ValueError: what was sent is not the game any more, because the file was changed after the game was made of it.
        """
        try:
            there = Path(self.path).read_bytes() == self.content
        except OSError:
            there = False
        if there:
            return self._checked(get_game(self.path))
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder, Path(self.path).name)
            copy.write_bytes(self.content)
            return self._checked(get_game(str(copy)))

    def _checked(self, game: GameSpec) -> GameSpec:
        """Returns the game if its digest is ``digest``, else raises ValueError."""
        if game.digest != self.digest:
            raise ValueError(f"{self.path}: the description was changed since its game was made")
        return game


@dataclass(frozen=True)
class Job(Generic[Key, Done]):
    """A job for workers: the function that they begin with, and its game.

    Attributes:
        kind: what it is part of, in a word, for messages: ``"tournament"``.
        begin: makes of the game, once in each worker, the function that works on tasks. It is pickled: a function of a
            module, or a partial of one.
        game: the game; in a job that was sent, a described one comes with its file.
    """

    kind: str
    begin: Callable[[GameSpec], Work[Key, Done]]
    game: GameSpec | DescribedFile

    def sent(self) -> Job[Key, Done]:
        """The job in the form that is sent to other processes and machines, by several threads at once if need be.

        Raises:
            OSError: the file that describes the game cannot be read.
        """
        if isinstance(self.game, DescribedFile) or self.game.path is None:
            # Numba names a kernel when it is first pickled, and fails where two threads do that at the same time.
            with contextlib.suppress(pickle.PicklingError, AttributeError, TypeError):  # whoever sends it will say it
                pickle.dumps(self.game)
            return self
        return replace(self, game=DescribedFile.of(self.game))

    def begun(self) -> Work[Key, Done]:
        """The function that works on tasks, made in this process, in which the game is known from then on."""
        if isinstance(self.game, DescribedFile):
            return self.begin(self.game.known())
        known = self.game.path is not None or family_of(self.game) is not None
        return self.begin(self.game if known else register_game(self.game))

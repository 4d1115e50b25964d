"""What is sent to workers once, before any task: how to begin, and the game, which only the sender may know."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from cardenvs.baselines.engine.tasks import Key, Task
from cardenvs.spec import GameSpec, get_game, register_game

Done = TypeVar("Done")

Work = Callable[[Task[Key]], Done]
"""What works on tasks: returns what came of a task, or of its first pieces, at least one."""


@dataclass(frozen=True)
class DescribedFile:
    """A described game with its description, for machines on which the file is not.

    Attributes:
        path: the absolute path of the file where it was sent.
        text: what stands in the file.
    """

    path: str
    text: str

    @staticmethod
    def of(game: GameSpec) -> DescribedFile:
        """The file of a described game, as it stands now.

        Raises:
            OSError: it cannot be read.
        """
        assert game.path is not None
        return DescribedFile(game.path, Path(game.path).read_text("utf-8"))

    def known(self) -> GameSpec:
        """The game, from then on known in this process by its name.

        Where the file is not, or is another, it is the game of a copy.
        """
        try:
            there = Path(self.path).read_text("utf-8") == self.text
        except OSError:
            there = False
        if there:
            return get_game(self.path)
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder, Path(self.path).name)
            copy.write_text(self.text, "utf-8")
            return get_game(str(copy))


@dataclass(frozen=True)
class Job(Generic[Key, Done]):
    """What workers are to do.

    Attributes:
        kind: what it is part of, in a word, for messages: ``"tournament"``.
        begin: makes of the game, once in each worker, what works on tasks. It is pickled: a function of a module, or a
            partial of one.
        game: the game, or a file that describes it.
    """

    kind: str
    begin: Callable[[GameSpec], Work[Key, Done]]
    game: GameSpec | DescribedFile

    @staticmethod
    def on(game: GameSpec, kind: str, begin: Callable[[GameSpec], Work[Key, Done]]) -> Job[Key, Done]:
        """A job that is about a game.

        Args:
            game: the game.
            kind: see `Job.kind`.
            begin: see `Job.begin`.
        """
        return Job(kind, begin, game if game.path is None else DescribedFile.of(game))

    def begun(self) -> Work[Key, Done]:
        """What works on tasks, made in this process, in which the game is known from then on."""
        return self.begin(self.game.known() if isinstance(self.game, DescribedFile) else register_game(self.game))


_work: list[Any] = []
"""In a worker process: its job, and, behind it, what works on tasks once it is made."""


def receive(job: Job[Any, Any]) -> None:
    """Takes a job in a worker process, which begins it with the first task: that may go wrong."""
    _work[:] = [job]


def do(task: Task[Key]) -> Any:
    """Works on a task in a worker process that has received a job."""
    if len(_work) == 1:
        _work.append(_work[0].begun())
    return _work[1](task)

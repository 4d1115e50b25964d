"""Jobs for the tests of engines: workers add numbers up, die or fail, as their task says."""

import functools
import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path

from cardenvs import GameSpec, get_game
from cardenvs.baselines.engine.work import Job, Task

Sum = tuple[str, int, int]
"""Of a task: the game, how many pieces were added up, and what they add up to."""


def _adding(most: int, deaths: str, game: GameSpec) -> Callable[[Task[str]], Sum]:
    """Adds up to ``most`` numbers of a task; of tasks named "dies" the worker dies once, "always dies" each time."""

    def add(task: Task[str]) -> Sum:
        """Adds up the first numbers of a task."""
        died = Path(deaths, f"{task.of}-{task.start}")
        if task.of == "always dies" or (task.of == "dies" and not died.exists()):
            died.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if task.of == "fails":
            raise ValueError("it fails")
        pieces = range(task.start, min(task.stop, task.start + most))
        return game.name, len(pieces), sum(pieces)

    return add


def adding(most: int, deaths: Path, game: str = "euchre") -> Job[str, Sum]:
    """A job that adds numbers up.

    Args:
        most: the most numbers that are added up at a time.
        deaths: a folder in which workers note that they have died.
        game: the game that the workers are to know.
    """
    return Job("sum", functools.partial(_adding, most, str(deaths)), get_game(game))


def finished(done: Sum) -> int:
    """How many pieces are finished."""
    return done[1]


class Dies:
    """It ends the process a moment after it has been made ready to be sent."""

    def __reduce__(self):
        threading.Timer(0.005, os.kill, (os.getpid(), signal.SIGKILL)).start()
        return Dies, ()


def die_while_answering(size):
    """An answer of a size that its process ends in the middle of."""
    return bytes(size), Dies()

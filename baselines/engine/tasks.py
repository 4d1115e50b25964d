"""Tasks, and the queue of those that are still to be handed out."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable
from typing import Generic, NamedTuple, TypeVar

Key = TypeVar("Key")

FEWEST = 8  # minimum number of pieces to which tasks are cut to share out the last pieces


class Task(NamedTuple, Generic[Key]):
    """The pieces ``start .. stop - 1`` of a whole, to be worked on: deals of a pairing, games of an experiment.

    Attributes:
        of: the whole: a pairing's number, an experiment's name.
    """

    of: Key
    start: int
    stop: int

    @property
    def num_pieces(self) -> int:
        """The number of pieces."""
        return self.stop - self.start

    def without_first(self, finished: int) -> Task[Key]:
        """Returns the task without its first ``finished`` pieces."""
        return Task(self.of, self.start + finished, self.stop)


class Queue(Generic[Key]):
    """Tasks still to be handed out in their order to several workers, at most ``largest`` pieces at a time."""

    def __init__(self, tasks: Iterable[Task[Key]], workers: int, largest: int) -> None:
        self._tasks = deque(tasks)
        self._workers = workers
        self._largest = largest
        self._left = sum(task.num_pieces for task in self._tasks)

    def __bool__(self) -> bool:
        return bool(self._tasks)

    def take_task(self) -> Task[Key]:
        """Returns the next task, cut so that the last pieces are shared among all workers."""
        task = self._tasks.popleft()
        share = max(FEWEST, math.ceil(self._left / self._workers))
        taken = task._replace(stop=min(task.stop, task.start + min(share, self._largest)))
        self._left -= taken.num_pieces
        if taken.num_pieces < task.num_pieces:
            self._tasks.appendleft(task.without_first(taken.num_pieces))
        return taken

    def give_back(self, task: Task[Key]) -> None:
        """Takes back pieces that were not worked on: they are the next to be handed out."""
        if task.num_pieces > 0:
            self._tasks.appendleft(task)
            self._left += task.num_pieces

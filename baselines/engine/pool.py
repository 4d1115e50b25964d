"""Workers, as whoever hands out tasks sees them; and the simplest: this process alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, NamedTuple

from cardenvs.baselines.engine.job import Done, Job, Work
from cardenvs.baselines.engine.tasks import Key, Task


class Finished(NamedTuple, Generic[Key, Done]):
    """A task that came back.

    Attributes:
        task: the task.
        done: what came of it, or of its first pieces.
    """

    task: Task[Key]
    done: Done


class Lost(NamedTuple, Generic[Key]):
    """A task whose worker is lost; another worker has taken its place.

    Attributes:
        task: the task, of which nothing is finished.
        worker: which worker it was, in words: ``"process 4711"``.
        why: what became of it, in words: ``"was ended by SIGKILL"``.
    """

    task: Task[Key]
    worker: str
    why: str


class Pool(ABC, Generic[Key, Done]):
    """Workers for one job.

    Attributes:
        workers: how many there are.
    """

    workers: int

    @abstractmethod
    def idle(self) -> bool:
        """Whether a worker waits for a task."""

    @abstractmethod
    def busy(self) -> bool:
        """Whether any task is at work."""

    @abstractmethod
    def submit(self, task: Task[Key]) -> None:
        """Hands a task to a worker that is idle."""

    @abstractmethod
    def wait(self) -> Sequence[Finished[Key, Done] | Lost[Key]]:
        """Waits until something can be told of tasks, or a worker has become idle.

        Returns:
            The tasks that came back or were lost since the last call; may be empty.

        Raises:
            Exception: whatever a task raised.
        """

    @abstractmethod
    def close(self, interrupted: bool) -> None:
        """Ends all workers.

        Args:
            interrupted: whether tasks may be at work, which are not waited for.
        """


class ThisProcess(Pool[Key, Done]):
    """This process as the only worker, which works when it is waited for.

    Args:
        job: what is to be done.
    """

    workers = 1

    def __init__(self, job: Job[Key, Done]) -> None:
        self._work: Work[Key, Done] = job.begun()
        self._tasks: list[Task[Key]] = []

    def idle(self) -> bool:
        """Whether no task was submitted since `wait`."""
        return not self._tasks

    def busy(self) -> bool:
        """Whether a task was submitted since `wait`."""
        return bool(self._tasks)

    def submit(self, task: Task[Key]) -> None:
        """Keeps a task for `wait`."""
        self._tasks.append(task)

    def wait(self) -> Sequence[Finished[Key, Done] | Lost[Key]]:
        """Works on the task that was submitted."""
        task = self._tasks.pop()
        return [Finished(task, self._work(task))]

    def close(self, interrupted: bool) -> None:
        """Does nothing."""

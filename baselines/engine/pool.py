"""The interface of a pool of workers for code that hands out tasks; and the simplest pool, this process alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, NamedTuple

from cardenvs.baselines.engine.job import Done, Job, Work
from cardenvs.baselines.engine.tasks import Key, Task


class Finished(NamedTuple, Generic[Key, Done]):
    """A task that came back, with its results.

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

    Args:
        workers: how many there are.

    Attributes:
        workers: how many there are.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._idle: list[Any] = []
        self._at_work: dict[Any, tuple[Any, Task[Key]]] = {}

    def idle(self) -> bool:
        """Whether a worker waits for a task."""
        return bool(self._idle)

    def busy(self) -> bool:
        """Whether any task is at work."""
        return bool(self._at_work)

    def submit(self, task: Task[Key]) -> None:
        """Hands a task to a worker that is idle."""
        worker = self._idle.pop()
        self._at_work[self._handed(worker, task)] = worker, task

    @abstractmethod
    def _handed(self, worker: Any, task: Task[Key]) -> Any:
        """Hands a task to a worker; returns a handle of the pending answer."""

    @abstractmethod
    def wait(self) -> Sequence[Finished[Key, Done] | Lost[Key]]:
        """Waits until a task came back or was lost, or a worker has become idle.

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
    """This process as the only worker, which works on a task in `wait`."""

    def __init__(self, job: Job[Key, Done]) -> None:
        super().__init__(1)
        self._work: Work[Key, Done] = job.begun()
        self._idle.append(self)

    def _handed(self, worker: Any, task: Task[Key]) -> Any:
        """Keeps a task for `wait`."""
        return task

    def wait(self) -> Sequence[Finished[Key, Done] | Lost[Key]]:
        """Works on the task that was submitted."""
        _, (worker, task) = self._at_work.popitem()
        self._idle.append(worker)
        return [Finished(task, self._work(task))]

    def close(self, interrupted: bool) -> None:
        """Does nothing."""

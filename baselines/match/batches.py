"""Batches of deals within the chunks that a worker hands over, of as many deals as a time allows."""

import time
from collections.abc import Iterator
from typing import Generic

from cardenvs.baselines.engine.work import Key, Task

CHUNK_SECONDS = 5.0  # approximate time in seconds that a worker plays before it hands over a chunk of results
BATCH_SECONDS = 0.5  # approximate time in seconds that playing a batch takes, where there are enough deals


class Batches(Generic[Key]):
    """Cuts tasks into batches of deals, which grow while they are quick."""

    def __init__(self) -> None:
        self._sizes: dict[Key, int] = {}

    def next_batches(self, task: Task[Key], first: int, most: int) -> Iterator[range]:
        """Yields the next deals of a task, batch by batch, at least one, until about ``CHUNK_SECONDS`` have passed.

        The first batch of a kind of task has ``first`` deals, no batch more than ``most``. The time until the caller asks
        for another batch counts as the batch's.
        """
        began = time.perf_counter()
        size, at = self._sizes.get(task.of, first), task.start
        while at < task.stop and (at == task.start or time.perf_counter() - began < CHUNK_SECONDS):
            deals = range(at, min(at + min(size, most), task.stop))
            started = time.perf_counter()
            yield deals
            took = time.perf_counter() - started
            at = deals.stop
            if took < BATCH_SECONDS / 2 and len(deals) == size:
                size = min(2 * size, most)
            elif took > 2 * BATCH_SECONDS:
                size = max(size // 2, 1)
            self._sizes[task.of] = size

"""Wrong arguments of the engine."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from cardenvs.baselines.engine.work import Task, work
from tests.baselines.engine.jobs import adding, finished
from tests.refusals import refuse


def add_up(**settings: Any) -> None:
    """Adds some numbers up."""
    list(work(adding(7, Path()), [Task("one", 0, 30)], finished, **settings))


NO_CLUSTER = "cluster must be an address, an executor of concurrent.futures or None, not "
REFUSALS = [
    *(refuse("workers must be an int of at least 1", add_up, workers=wrong) for wrong in (0, -1, 1.5, "2", True)),
    *(refuse(NO_CLUSTER, add_up, cluster=wrong) for wrong in (5, b"auto", ["auto"], ThreadPoolExecutor)),
]

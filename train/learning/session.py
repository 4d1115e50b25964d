"""What a session of training changes in its process: signal handlers, torch's threads and checks, tensorboard's log."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from stable_baselines3.common.logger import KVWriter, Logger, TensorBoardOutputFormat

from cardenvs.machine import cores

_MOST_THREADS = 4
"""Torch's threads unless told otherwise: minibatches of a few thousand rows keep no more of them busy."""


def default_threads() -> int:
    """How many threads torch is given unless the settings say so: one for each core that is free to use, at most 4."""
    return min(_MOST_THREADS, cores())


@contextmanager
def stop_signal() -> Iterator[Callable[[], bool]]:
    """Catches the first SIGINT or SIGTERM; yields a function that says whether one came. A second signal interrupts."""
    came = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield came.is_set
        return

    def catch(number: int, frame: Any) -> None:
        """Takes note of the first signal; raises KeyboardInterrupt for the second."""
        if came.is_set():
            raise KeyboardInterrupt
        came.set()

    before = {number: signal.signal(number, catch) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield came.is_set
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def tensorboard_log(folder: Path) -> Iterator[Logger]:
    """SB3's logger that writes to tensorboard only, closed at the end.

    Args:
        folder: the folder of the logs.
    """
    formats: list[KVWriter] = [TensorBoardOutputFormat(str(folder))]
    logger = Logger(str(folder), formats)
    try:
        yield logger
    finally:
        logger.close()


@contextmanager
def unvalidated() -> Iterator[None]:
    """Keeps torch from checking the arguments of every distribution, a tenth of the time of an iteration."""
    before = torch.distributions.Distribution._validate_args
    torch.distributions.Distribution.set_default_validate_args(False)
    try:
        yield
    finally:
        torch.distributions.Distribution.set_default_validate_args(before)

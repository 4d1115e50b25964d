"""Changes of a training session to its process: signal handlers, torch's threads and checks, tensorboard's log."""

import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import torch
from stable_baselines3.common.logger import KVWriter, Logger, TensorBoardOutputFormat

from cardenvs.compiled.machine import cores

_MOST_THREADS = 4  # maximum number of threads by default: minibatches of a few thousand rows keep no more of them busy


def default_threads() -> int:
    """Returns the default number of threads: one for each core that is free to use, at most 4."""
    return min(_MOST_THREADS, cores())


def chosen_device(name: str) -> torch.device:
    """Returns the device that a setting names; ValueError if a GPU is asked for, and torch has none here."""
    if name == "cuda" and not torch.cuda.is_available():
        raise ValueError("device cannot be 'cuda': torch finds no GPU here that it can use; allowed are auto and cpu")
    return torch.device("cuda" if name != "cpu" and torch.cuda.is_available() else "cpu")


def multiplies_bfloat16(device: torch.device, precision: str) -> bool:
    """Whether layers multiply in bfloat16 on a device; precision ``"auto"`` has them do so where it is faster."""
    if precision != "auto":
        return precision == "bfloat16"
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    # Versions of torch that do not tell what a processor can do are taken to be on one that cannot.
    able: Mapping[str, bool] = getattr(torch.cpu, "get_capabilities", dict)()
    return bool(able.get("avx512_bf16") or able.get("amx_bf16"))


@contextmanager
def stop_signal() -> Iterator[Callable[[], bool]]:
    """Catches the first SIGINT or SIGTERM; yields a function that says whether one came. A second signal interrupts."""
    came = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield came.is_set
        return

    def handle_signal(number: int, frame: Any) -> None:
        if came.is_set():
            raise KeyboardInterrupt
        came.set()

    before = {number: signal.signal(number, handle_signal) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield came.is_set
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def tensorboard_log(folder: Path) -> Iterator[Logger]:
    """Opens SB3's logger for a folder, writing to tensorboard only, and closes it at the end."""
    formats: list[KVWriter] = [TensorBoardOutputFormat(str(folder))]
    with closing(Logger(str(folder), formats)) as logger:
        yield logger


@contextmanager
def without_validation() -> Iterator[None]:
    """Keeps torch from checking the arguments of every distribution, a tenth of the time of an iteration."""
    before = torch.distributions.Distribution._validate_args
    torch.distributions.Distribution.set_default_validate_args(False)
    try:
        yield
    finally:
        torch.distributions.Distribution.set_default_validate_args(before)

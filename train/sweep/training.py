"""The trainings of a sweep, by the workers of an engine, resumably.

A training is a task of one piece. A worker trains for about `SLICE_SECONDS`, hands over the run's files, which are kept in
the sweep's folder at once, and the task is handed out again, to whichever worker is free, until its steps are done. The
checkpoint travels with the task, so that workers need no disk in common, and a lost one loses its slice only. Where a
training is cut does not matter: a run that goes on is to the bit as if it had never stopped.
"""

from __future__ import annotations

import contextlib
import functools
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any

from cardenvs.baselines.engine.job import Job
from cardenvs.baselines.engine.tasks import Task
from cardenvs.baselines.engine.work import work
from cardenvs.compiled import waiting as compiling
from cardenvs.compiled.machine import cores
from cardenvs.contract.registry import named_game
from cardenvs.contract.spec import GameSpec
from cardenvs.files import sweep_folder, write_whole
from cardenvs.train.config import Config, check_same_run, stored_config
from cardenvs.train.curve import CURVE_FILES, Point
from cardenvs.train.models.checkpoint import read_checkpoint
from cardenvs.train.sweep.measuring import try_opponents
from cardenvs.train.sweep.settings import CHECKPOINT, Run, Sweep

SLICE_SECONDS = 30.0
"""Seconds, about, that a worker trains before it hands over the run's files."""


@dataclass(frozen=True)
class Standing:
    """The state of a training: its number, and its checkpoint, which is read when it is sent to a worker.

    Attributes:
        number: the training's number in `Sweep.runs`.
        path: the checkpoint's path where the sweep was started; there need not be one yet.
        sent: with a worker: what the checkpoint held when it was sent, nothing if there was none. None: it is at ``path``.
    """

    number: int
    path: Path
    sent: bytes | None = field(default=None, compare=False)

    def checkpoint(self) -> bytes:
        """The checkpoint; empty for a training that is still to begin.

        Raises:
            OSError: it cannot be read.
        """
        if self.sent is not None:
            return self.sent
        return self.path.read_bytes() if self.path.exists() else b""

    def __reduce__(self) -> tuple[Any, ...]:
        """The class and the arguments with which a worker makes the object, the checkpoint's content among them."""
        return Standing, (self.number, self.path, self.checkpoint())


@dataclass(frozen=True)
class Slice:
    """A slice of a training, as a worker hands it over.

    Attributes:
        number: the training's number in `Sweep.runs`.
        steps: moves trained on so far, over all slices.
        seconds: wall time so far, over all slices.
        over: whether the training is complete.
        point: the latest measurement along the way.
        files: the content of the run's files, by their path within its folder.
    """

    number: int
    steps: int
    seconds: float
    over: bool
    point: Point
    files: dict[str, bytes]


@dataclass(frozen=True)
class Trained:
    """Progress of the trainings of a sweep, reported whenever a slice has come back, and at first.

    Attributes:
        steps: moves trained on so far, by a training's number.
        latest: the slice that has come back; None at first.
    """

    steps: Sequence[int]
    latest: Slice | None


def _trainer(runs: Sequence[Run], seconds: float, scratch: str, game: GameSpec) -> Callable[[Task[Standing]], Slice]:
    """Makes the function that trains in a worker; the game need only be known."""
    return functools.partial(_train_for_a_while, runs, seconds, scratch)


def _train_for_a_while(runs: Sequence[Run], seconds: float, scratch: str, task: Task[Standing]) -> Slice:
    """Begins a training or goes on with it for some seconds, at least for an iteration.

    Args:
        runs: all trainings.
        seconds: for how long.
        scratch: a folder for files on the way, if this machine has it.
        task: the training.

    Raises:
        ValueError: the training cannot go on; names it.
    """
    from cardenvs.train.learning.self_play import Training  # an extra

    checkpoint, number = task.of.checkpoint(), task.of.number
    with tempfile.TemporaryDirectory(dir=scratch if Path(scratch).is_dir() else None) as folder:
        if checkpoint:
            Path(folder, CHECKPOINT).write_bytes(checkpoint)
        try:
            training = Training(runs[number].config, folder, resume=bool(checkpoint))
            end = perf_counter() + seconds
            result = training.run(lambda: perf_counter() > end)
        except ValueError as error:
            raise ValueError(f"{runs[number].label}: {error}") from error
        written = [path for path in Path(folder).rglob("*") if path.is_file()]
        files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in written}
    return Slice(number, result.steps, result.seconds, not result.interrupted, result.curve[-1], files)


def _keep(folder: Path, files: dict[str, bytes]) -> None:
    """Writes a run's files to its folder, the checkpoint last, for that says how far the run is.

    Raises:
        OSError: a file cannot be written.
    """
    for name in sorted(files, key=lambda name: name == CHECKPOINT):
        write_whole(folder / name, files[name])


def _compile_ahead(configs: Sequence[Config]) -> None:
    """Trains a little with all settings in this process, if anything is to be compiled: once, and not in every worker."""
    if not compiling.missing():
        return
    from cardenvs.train.learning.self_play import Training  # an extra

    little: dict[str, Any] = {
        "steps": 1, "games": 8, "rollout": 4, "batch_size": 8, "imitate_decisions": 8, "eval_deals": 1, "eval_every": 0,
    }  # fmt: skip
    for config in configs:
        with tempfile.TemporaryDirectory() as folder:
            Training(replace(config, lookahead_steps=min(config.lookahead_steps, 1), **little), folder).run(lambda: True)


def steps_trained(run: Run, path: Path) -> int:
    """Number of moves that a training was trained on so far; 0 if it was never begun.

    Args:
        run: the training.
        path: its checkpoint.

    Raises:
        ValueError: the run there has other settings, or is damaged.
    """
    if not path.exists():
        return 0
    checkpoint = read_checkpoint(path)
    checkpoint.check_description(run.config.spec)
    checkpoint.check_game(run.config.spec)
    stored = stored_config(checkpoint)
    differences = run.config.differences(stored)
    if stored.steps != run.config.steps:
        differences.append(f"steps: {stored.steps!r}, not {run.config.steps!r}")
    check_same_run(path.parent, differences)
    return int(checkpoint.record["steps"])


def train_all(
    sweep: Sweep,
    out: Path,
    *,
    workers: int | None = None,
    cluster: str | None = None,
    progress: Callable[[Trained], None] | None = None,
) -> None:
    """Trains what has not been trained yet; a training that was interrupted goes on. Needs torch.

    What comes out is the same to the bit whatever the number of workers, the engine and the interruptions.

    Args:
        out: the folder of the sweep; `Run.policy` is where a training's checkpoint is in it.
        workers: processes that train; None: as many as there are cores for, by the threads of each.
        cluster: where they work, as in `cardenvs.baselines.engine.work.work`.
        progress: called whenever a slice of a training has come back, and at first.

    Raises:
        ValueError: a run in the folder has other settings, or is damaged; ``workers`` below 1; a cluster that cannot be
            used; a missing extra; an opponent of the measurement that cannot play, where anything is left to be trained.
        OSError: the folder cannot be written.
        RuntimeError: several workers were lost at the same training.
    """
    import cardenvs.train.learning  # noqa: F401  (says which extra is missing)

    runs = sweep.runs
    steps = [steps_trained(run, out / run.policy) for run in runs]
    if progress is not None:
        progress(Trained(steps, None))
    tasks = [
        Task(Standing(number, out / run.policy), 0, 1)
        for number, run in enumerate(runs)
        if steps[number] < (run.config.steps or 0)
    ]
    for task in tasks:
        sweep_folder(task.of.path.parent, CHECKPOINT, *CURVE_FILES)
        sweep_folder(task.of.path.parent / "tensorboard", "*")
    if tasks:
        try_opponents(sweep)
    configs = [variant.config for variant in sweep.variants]
    if workers is None and cluster is None:
        workers = max(1, cores() // max(config.threads or 1 for config in configs))
    with tempfile.TemporaryDirectory(prefix="cardenvs-sweep-") as scratch:
        slices = work(
            Job("sweep", functools.partial(_trainer, runs, SLICE_SECONDS, scratch), named_game(sweep.game)),
            tasks, lambda done: int(done.over), workers=workers, cluster=cluster,
            ahead=functools.partial(_compile_ahead, configs),
        )  # fmt: skip
        with contextlib.closing(slices) as done:
            for task, latest in done:
                _keep(task.of.path.parent, latest.files)
                steps[latest.number] = latest.steps
                if progress is not None:
                    progress(Trained(steps, latest))

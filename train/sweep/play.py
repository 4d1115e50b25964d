"""Sweeps trained, measured and reported, resumably.

A training is a task of one piece for the workers of an engine. A worker trains for about `SLICE_SECONDS`, hands over the
run's files, which are kept in the sweep's folder at once, and the task is handed out again, to any worker that is free,
until its steps are done. The checkpoint travels with the task: workers need no disk in common, and a lost one loses its
slice only. Then every trained policy plays the opponents, and the reference of its seed, as a tournament's pairings.
"""

import contextlib
import functools
import os
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any

from cardenvs import cli
from cardenvs.baselines.engine.work import Job, Task, work
from cardenvs.baselines.match.side import Side
from cardenvs.baselines.reports.columns import Row
from cardenvs.baselines.reports.text import plus_minus
from cardenvs.baselines.runs.pairings import PairingPlan, files_of, play_all
from cardenvs.baselines.runs.progress import Count
from cardenvs.baselines.runs.store import PairingStore
from cardenvs.baselines.runs.terminal import STOPPED, Session, tell_forfeits
from cardenvs.compiled import waiting as compiling
from cardenvs.compiled.machine import cores
from cardenvs.contract.registry import named_game
from cardenvs.contract.spec import GameSpec
from cardenvs.files import sweep_folder, write_whole
from cardenvs.printing import printable
from cardenvs.train.config import Config, check_same_run, stored_config
from cardenvs.train.curve import CURVE_FILES, Point
from cardenvs.train.models.checkpoint import Checkpoint, read_checkpoint
from cardenvs.train.sweep.reading import read_sweep
from cardenvs.train.sweep.results import sweep_results
from cardenvs.train.sweep.settings import CHECKPOINT, Run, Sweep, match_settings

SLICE_SECONDS = 30.0  # about so long a worker trains before it hands over the run's files
FOLDER = "measurement"  # the folder of the matches within a sweep's folder

Play = Callable[[PairingPlan, Path], PairingStore | None]
"""A function that plays a plan in a folder, as `cardenvs.baselines.runs.pairings.play_all`; returns None if interrupted."""


@dataclass(frozen=True)
class Standing:
    """The state of a training: its number, and its checkpoint, which is read when it is sent to a worker."""

    number: int  # in `Sweep.runs`
    path: Path  # the checkpoint's path where the sweep was started; there need not be one yet
    # With a worker what the checkpoint held when it was sent, nothing if there was none; None: it is at the path.
    sent: bytes | None = field(default=None, compare=False)

    def checkpoint(self) -> bytes:
        """The checkpoint; empty for a training that is still to begin."""
        if self.sent is not None:
            return self.sent
        return self.path.read_bytes() if self.path.exists() else b""

    def __reduce__(self) -> tuple[Any, ...]:
        return Standing, (self.number, self.path, self.checkpoint())


@dataclass(frozen=True)
class Slice:
    """A slice of a training, as a worker hands it over."""

    number: int  # of the training in `Sweep.runs`
    steps: int  # moves trained on so far, over all slices
    seconds: float  # wall time so far, over all slices
    over: bool  # whether the training is complete
    point: Point  # the latest measurement along the way
    files: dict[str, bytes]  # content of the run's files, by their path within its folder


@dataclass(frozen=True)
class Trained:
    """Progress of the trainings of a sweep, reported whenever a slice has come back, and at first."""

    steps: Sequence[int]  # moves trained on so far, by a training's number
    latest: Slice | None  # the slice that has come back; None at first


def _trainer(runs: Sequence[Run], seconds: float, scratch: str, game: GameSpec) -> Callable[[Task[Standing]], Slice]:
    """Makes the function that trains in a worker, where ``game`` is known."""
    return functools.partial(_train_for_a_while, runs, seconds, scratch)


def _train_for_a_while(runs: Sequence[Run], seconds: float, scratch: str, task: Task[Standing]) -> Slice:
    """Begins a training or goes on with it for some seconds, at least for an iteration."""
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


def begun(config: Config, path: Path, *, same_steps: bool = False) -> Checkpoint | None:
    """The checkpoint of a training at a path; None if it was never begun. Raises ValueError if the run there has other
    settings (other steps count if ``same_steps``), or is damaged."""
    if not path.exists():
        return None
    checkpoint = read_checkpoint(path)
    stored = stored_config(checkpoint, config.spec)
    differences = config.differences(stored)
    if same_steps and stored.steps != config.steps:
        differences.append(f"steps: {stored.steps!r}, not {config.steps!r}")
    check_same_run(path.parent, differences)
    return checkpoint


def train_all(
    sweep: Sweep,
    out: Path,
    *,
    workers: int | None = None,
    cluster: str | Executor | None = None,
    progress: Callable[[Trained], None] | None = None,
) -> None:
    """Trains what has not been trained yet, and goes on with what was interrupted, in the sweep's folder. Needs torch.

    The results are the same to the bit with any workers, engine and interruptions. ``workers`` are processes, None: as many
    as there are cores for, by the threads of each. Raises ValueError for a run in the folder that has other settings or is
    damaged, a missing extra, and an opponent that cannot play where anything is left to be trained; RuntimeError if several
    workers were lost at the same training.
    """
    import cardenvs.train.learning  # noqa: F401  (says which extra is missing)

    runs = sweep.runs
    before = [begun(run.config, out / run.policy, same_steps=True) for run in runs]
    steps = [0 if checkpoint is None else int(checkpoint.record["steps"]) for checkpoint in before]
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
        find_teachers(runs, steps)
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
                for name in sorted(latest.files, key=lambda name: name == CHECKPOINT):  # which says how far the run is
                    write_whole(task.of.path.parent / name, latest.files[name])
                steps[latest.number] = latest.steps
                if progress is not None:
                    progress(Trained(steps, latest))


# --- matches ---------------------------------------------------------------------------------------------------------


def find_teachers(runs: Sequence[Run], steps: Sequence[int]) -> None:
    """Makes every policy once that an incomplete training needs, so that none is missed hours later; one that has begun, by
    the moves trained on so far, needs no more what it began with. Raises ValueError, which names the variant, for a policy
    that cannot be made or whose file cannot be read."""
    left = ((run, before > 0) for run, before in zip(runs, steps, strict=True) if before < (run.config.steps or 0))
    for (name, begun), config in {(run.variant.name, begun): run.config for run, begun in left}.items():
        asked = [config.imitate, config.below, config.eval_opponent, *config.others, None if begun else config.start]
        try:
            files_of(config.spec.plain, [one for one in asked if one is not None])
        except (OSError, ValueError) as error:
            raise ValueError(f"{name}: {error}") from error


def try_opponents(sweep: Sweep) -> None:
    """Lets every opponent begin under all rules that it will play. Raises ValueError, which names it, for one that cannot
    play, such as a program that is not there."""
    spec = named_game(sweep.game)
    for group in sweep.same_rules():
        for name in sweep.measure.opponents:
            try:
                side = Side(spec, name)
                side.warm_up(spec, **group[0].config.options)
                for player in side.policies:
                    player.begin()  # such as a program, which no warm-up asks
                    player.close()
            except ValueError as error:
                raise ValueError(f"the opponent {name!r} cannot play: {error}") from error


def play_matches(sweep: Sweep, out: Path, play: Play) -> Row | None:
    """Plays the matches of a sweep whose trainings are complete, those of variants with the same rules together; deals that
    were played before are not played again. Returns the results; None if ``play`` was interrupted."""
    played = []
    groups = list(sweep.same_rules())
    for group in groups:
        settings, runs = match_settings(sweep, group, out)
        store = play(settings, out / FOLDER / (group[0].folder if len(groups) > 1 else ""))
        if store is None:
            return None
        played.append((store, runs))
    return sweep_results(sweep, out, played)


# --- a whole sweep ---------------------------------------------------------------------------------------------------


def run_sweep(
    sweep: Sweep | str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    workers: int | None = None,
    cluster: str | Executor | None = None,
    progress: Callable[[Trained], None] | None = None,
) -> Row:
    """Trains and measures all variants of a sweep; what is finished in the folder is not done again. Needs torch.

    Args:
        sweep: the sweep; or the path of a file, or the name of one that ships, such as ``"training-options"``.
        cluster: as in `cardenvs.baselines.engine.work.work`; for the matches the folder must be on all machines.
        progress: called whenever about half a minute of a training has come back, and at first.

    Returns:
        The results, a `SweepResult`.

    Raises:
        ValueError: a file in which something is wrong; other settings in the folder; a missing extra.
        RuntimeError: a worker failed, or several were lost at the same work.
    """
    chosen = sweep if isinstance(sweep, Sweep) else read_sweep(os.fspath(sweep)).sweep
    train_all(chosen, Path(out), workers=workers, cluster=cluster, progress=progress)
    result = play_matches(chosen, Path(out), functools.partial(play_all, workers=workers, cluster=cluster))
    assert result is not None
    return result


def train_and_report(session: Session, sweep: Sweep, measure: Callable[[Path, Play], Row | None]) -> int:
    """Trains and measures what is not finished yet, writes the reports and prints the results, which ``measure`` makes in
    the session's folder, as `play_matches`. Returns the exit status, as `cardenvs.baselines.runs.terminal.play_and_report`.
    """
    out, stores = session.out, []
    assert out is not None

    def play(plan: PairingPlan, folder: Path) -> PairingStore | None:
        stores.append(session.play(plan, folder))
        return stores[-1]

    result = measure(out, play) if _train(session, sweep, out) else None
    if result is None:
        return STOPPED
    session.hand_over(result)
    return max(tell_forfeits(store) for store in stores if store is not None)


_SHOWN = 4  # the most trainings that the progress bar names


def _train(session: Session, sweep: Sweep, out: Path) -> bool:
    """Trains under a progress bar, and says of each training when it is complete; returns whether all are."""
    runs, wanted = sweep.runs, [run.config.steps or 0 for run in sweep.runs]

    def called(steps: Sequence[int]) -> str:
        """The text of the progress bar."""
        standing = list(zip(runs, steps, wanted, strict=True))
        going = [f"{run.label}: {100 * now // end}%" for run, now, end in standing if 0 < now < end]
        more = [f"{len(going) - _SHOWN} more"] if len(going) > _SHOWN else []
        complete = f"{sum(now >= end for _, now, end in standing)}/{len(runs)} trainings"
        return printable("; ".join([complete, *going[:_SHOWN], *more]))

    def go(count: Count) -> bool:
        moves, said = 0, 0

        def told(trained: Trained) -> None:
            """Moves the progress bar on, and says which trainings have come to their end."""
            nonlocal moves, said
            before, moves = moves, sum(map(min, trained.steps, wanted))
            count(moves - before, called(trained.steps))
            over, what = [k for k, steps in enumerate(trained.steps) if steps >= wanted[k]], "trained before"
            if (latest := trained.latest) is not None:
                over = [latest.number] if latest.over else []
                what = f"{latest.steps:,} moves in {latest.seconds:.0f} s, {plus_minus(latest.point.margin)} a deal over "
                what += runs[latest.number].config.eval_opponent
            for number in over:
                said += 1
                cli.stderr.print(printable(f"{said}/{len(runs)} {runs[number].label}: {what}"), soft_wrap=True)

        train_all(sweep, out, workers=session.workers, cluster=session.cluster, progress=told)
        return True

    return session.until_stopped(called([0] * len(runs)), sum(wanted), "moves", go) is not None

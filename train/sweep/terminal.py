"""The trainings of a sweep at the terminal, under a progress bar, until they are complete or stopped."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from cardenvs import cli
from cardenvs.baselines.reports.statistics import Interval
from cardenvs.baselines.reports.text import plus_minus
from cardenvs.printing import printable, remark
from cardenvs.train.sweep.settings import Run, Sweep
from cardenvs.train.sweep.training import Trained, train_all

_SHOWN = 4
"""The most trainings that the progress bar names."""


def train_or_stop(sweep: Sweep, out: Path, workers: int | None, cluster: str | None, to_go_on: str) -> bool:
    """Trains what has not been trained yet under a progress bar, and says of each training when it is complete.

    Args:
        out: the sweep's folder.
        workers: processes that train; None: as many as there are cores for.
        cluster: where they work, as in `cardenvs.baselines.engine.work.work`.
        to_go_on: the command line that goes on where this one was stopped.

    Returns:
        Whether all is trained; False if it was interrupted, which is said on standard error with ``to_go_on``.

    Raises:
        ValueError, OSError, RuntimeError: as `cardenvs.train.sweep.training.train_all`.
    """
    counted = _Count(sweep.runs)
    with cli.counting(counted.text(), counted.total, percent=True) as advance:
        counted.advance = advance
        try:
            train_all(sweep, out, workers=workers, cluster=cluster, progress=counted.told)
        except KeyboardInterrupt:
            kept = f"interrupted after {counted.complete} of {len(sweep.runs)} trainings, kept in {str(out)!r}"
            remark(f"cardenvs: {kept}; to go on: {to_go_on}")
            return False
    return True


class _Count:
    """Progress of a sweep's trainings, for the progress bar and for messages.

    Args:
        runs: all trainings.
    """

    def __init__(self, runs: list[Run]) -> None:
        self.runs = runs
        self.wanted = [run.config.steps or 0 for run in runs]
        self.total = float(sum(self.wanted))
        self.steps = [0] * len(runs)
        self.said = 0
        self.advance: Callable[..., None] = lambda done, now=None: None

    @property
    def complete(self) -> int:
        """Number of trainings that are complete."""
        return sum(steps >= wanted for steps, wanted in zip(self.steps, self.wanted, strict=True))

    def text(self) -> str:
        """The text of the progress bar: the number of complete trainings, and the progress of those that have begun."""
        begun = [
            f"{run.label}: {100 * steps // wanted}%"
            for run, steps, wanted in zip(self.runs, self.steps, self.wanted, strict=True)
            if 0 < steps < wanted
        ]
        more = [f"{len(begun) - _SHOWN} more"] if len(begun) > _SHOWN else []
        return printable("; ".join([f"{self.complete}/{len(self.runs)} trainings", *begun[:_SHOWN], *more]))

    def told(self, trained: Trained) -> None:
        """Moves the progress bar on, and says which training has come to its end."""
        before = sum(map(min, self.steps, self.wanted))
        self.steps = list(trained.steps)
        self.advance(sum(map(min, self.steps, self.wanted)) - before, self.text())
        if trained.latest is None:
            for run, steps, wanted in zip(self.runs, self.steps, self.wanted, strict=True):
                if steps >= wanted:
                    self._say(run, "trained before")
        elif trained.latest.over:
            run, point = self.runs[trained.latest.number], trained.latest.point
            margin = plus_minus(Interval(point.mean, point.mean - point.ci95, point.mean + point.ci95))
            told = f"{trained.latest.steps:,} moves in {trained.latest.seconds:.0f} s"
            self._say(run, f"{told}, {margin} a deal over {run.config.eval_opponent}")

    def _say(self, run: Run, what: str) -> None:
        """Says that one more training is complete."""
        self.said += 1
        cli.stderr.print(printable(f"{self.said}/{len(self.runs)} {run.label}: {what}"), soft_wrap=True)

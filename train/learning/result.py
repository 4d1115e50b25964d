"""Reports of a training run: its status after each iteration, and its outcome."""

from __future__ import annotations

from dataclasses import dataclass

from cardenvs.baselines.reports.results import Result
from cardenvs.train.curve import Point


@dataclass(frozen=True)
class TrainingStatus:
    """The status of a run, reported after every iteration.

    Attributes:
        steps: moves trained on so far.
        seconds: wall time of the run so far, over all its sessions, without compiling.
        done: share of the run that is done, 0 to 1.
        decisions_per_s: moves trained on per second.
        entropy: mean entropy of the policy's choices in the latest iteration, in nats.
        point: the latest measurement against the fixed opponent; None before the first.
    """

    steps: int
    seconds: float
    done: float
    decisions_per_s: float
    entropy: float
    point: Point | None


@dataclass(frozen=True, repr=False)
class TrainingResult(Result):
    """The outcome of a training run.

    Attributes:
        game: the game's name.
        out: the run's folder.
        policy: path of the trained policy, ``policy.zip`` in that folder.
        steps: moves trained on.
        seconds: wall time of learning, over all sessions of the run, as `Training` counts it.
        compiling_seconds: time that compiling kernels took in this session.
        decisions_per_s: moves trained on per second.
        threads: number of threads that played and learned.
        device: the device that learned, ``"cpu"`` or ``"cuda"``.
        interrupted: whether a signal ended the run early.
        curve: the measurements against the fixed opponent, in their order.
    """

    game: str
    out: str
    policy: str
    steps: int
    seconds: float
    compiling_seconds: float
    decisions_per_s: float
    threads: int
    device: str
    interrupted: bool
    curve: list[Point]

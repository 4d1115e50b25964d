"""Reports of a training run: its status after each iteration, and its outcome."""

from __future__ import annotations

from dataclasses import dataclass

from cardenvs.baselines.reports.columns import Column, Columns
from cardenvs.train.curve import Point


@dataclass(frozen=True)
class TrainingStatus:
    """The status of a run, reported after every iteration."""

    steps: int
    """Moves trained on so far."""
    seconds: float
    """Wall time of the run so far, over all its sessions, without compiling."""
    done: float
    """Share of the run that is done, 0 to 1."""
    decisions_per_s: float
    """Moves trained on per second."""
    entropy: float
    """Mean entropy of the policy's choices in the latest iteration, in nats."""
    point: Point | None
    """The latest measurement against the fixed opponent; None before the first."""


TrainingResult = Columns(
    "TrainingResult",
    Column("game", "the game's name"),
    Column("out", "the run's folder"),
    Column("policy", "path of the trained policy, `policy.zip` in that folder"),
    Column("steps", "moves trained on"),
    Column("seconds", "wall time of learning, over all sessions of the run, as `Training` counts it"),
    Column("compiling_seconds", "time that compiling kernels took in this session"),
    Column("decisions_per_s", "moves trained on per second"),
    Column("threads", "number of threads that played and learned"),
    Column("device", 'the device that learned, `"cpu"` or `"cuda"`'),
    Column("interrupted", "whether a signal ended the run early"),
    Column("curve", "the measurements against the fixed opponent, in their order (`Point`)"),
)
"""The outcome of a training run."""

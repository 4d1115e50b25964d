"""A whole sweep in Python: trained, measured, its results."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from pathlib import Path

from cardenvs.baselines.runs.pairings import play_all
from cardenvs.train.sweep.measuring import play_matches
from cardenvs.train.sweep.reading import read_sweep
from cardenvs.train.sweep.results import SweepResult, sweep_results
from cardenvs.train.sweep.settings import Sweep
from cardenvs.train.sweep.training import Trained, train_all


def run_sweep(
    sweep: Sweep | str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    workers: int | None = None,
    cluster: str | None = None,
    progress: Callable[[Trained], None] | None = None,
) -> SweepResult:
    """Trains and measures all variants of a sweep; what is finished in the folder is not done again. Needs torch.

    Args:
        sweep: the sweep; or the path of a file, or the name of one that ships, such as ``"training-options"``.
        out: the folder of the sweep; made if need be.
        workers: processes that train and play; None: as many as there are cores for. With more than one, a script that
            calls this needs the usual ``if __name__ == "__main__":``.
        cluster: where they work, as in `cardenvs.baselines.engine.work.work`. Results are the same. For the matches the
            folder must be on all of them.
        progress: called whenever about half a minute of a training has come back, and at first.

    Raises:
        ValueError: a file in which something is wrong; other settings in the folder; ``workers`` below 1; a cluster that
            cannot be used; a missing extra.
        OSError: the folder cannot be written.
        RuntimeError: a worker failed, or several were lost at the same work.
    """
    chosen = sweep if isinstance(sweep, Sweep) else read_sweep(os.fspath(sweep)).sweep
    folder = Path(out)
    train_all(chosen, folder, workers=workers, cluster=cluster, progress=progress)
    played = play_matches(chosen, folder, functools.partial(play_all, workers=workers, cluster=cluster))
    assert played is not None
    return sweep_results(chosen, folder, played)

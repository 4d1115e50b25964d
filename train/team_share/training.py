"""The trainings of the experiment: a run for each variant, share and seed."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

from cardenvs.train.checkpoint import read_checkpoint
from cardenvs.train.config import Config, check_same_run, stored_config
from cardenvs.train.team_share.settings import Experiment, run_folder


def _is_finished(config: Config, path: Path) -> bool:
    """Whether a run with these settings is complete; False if there is none or it was interrupted.

    Args:
        config: the settings.
        path: the run's checkpoint.

    Raises:
        ValueError: the run there has other settings, or is damaged.
    """
    if not path.exists():
        return False
    checkpoint = read_checkpoint(path)
    stored = stored_config(checkpoint)
    differences = config.differences(stored)
    if stored.steps != config.steps:
        differences.append(f"steps: {stored.steps!r}, not {config.steps!r}")
    check_same_run(path.parent, differences)
    assert config.steps is not None
    return int(checkpoint.record["steps"]) >= config.steps


def train_all(experiment: Experiment, out: Path, report: Callable[[str], None] | None = None) -> bool:
    """Trains what has not been trained yet; a run that was interrupted goes on. Needs torch.

    Args:
        experiment: the settings.
        out: the folder of the experiment; `run_folder` is that of a run.
        report: called with a line of text after every run; None: nothing is reported.

    Returns:
        Whether all runs are complete; False if a signal asked to stop.

    Raises:
        ValueError: a run in the folder has other settings.
        OSError: the folder cannot be written.
    """
    from cardenvs.train.learning.self_play import train

    runs = list(itertools.product(experiment.biddings, experiment.shares, experiment.seeds))
    # Runs with other settings are an error before the first hour of training.
    finished = [_is_finished(experiment.config(*run), run_folder(out, *run) / "policy.zip") for run in runs]
    for k, (run, done) in enumerate(zip(runs, finished, strict=True), 1):
        folder = run_folder(out, *run)
        what = f"{k}/{len(runs)} bidding {run[0]}, team_share {run[1]:g}, seed {run[2]}"
        if done:
            if report is not None:
                report(f"{what}: trained before")
            continue
        result = train(experiment.config(*run), folder, resume=(folder / "policy.zip").exists())
        if result.interrupted:
            return False
        if report is not None:
            report(f"{what}: {result.steps:,} moves in {result.seconds:.0f} s")
    return True

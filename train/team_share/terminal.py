"""The experiment at the terminal: its sweep trained, all measured, its report written."""

from __future__ import annotations

import functools
import signal
from pathlib import Path

from cardenvs.baselines.commands import print_result, tell_left_out, tell_reports
from cardenvs.baselines.runs.terminal import play_or_stop
from cardenvs.files import write_whole
from cardenvs.train.sweep.terminal import train_or_stop
from cardenvs.train.team_share.plot import picture_png
from cardenvs.train.team_share.report import tables, write_experiment
from cardenvs.train.team_share.results import measure_all
from cardenvs.train.team_share.settings import Experiment


def run_experiment(
    experiment: Experiment,
    command: str,
    to_go_on: str,
    out: Path,
    workers: int | None,
    cluster: str | None,
    plot: Path | None,
    report: Path | None,
    as_json: bool,
) -> int:
    """Trains and measures what is not finished yet, writes the report and prints the results.

    Args:
        command: the command line that makes the results again, for the report.
        to_go_on: the command line that goes on where this one was stopped.
        out: the folder of the experiment.
        workers: processes that train and measure; None: as many as there are cores for.
        cluster: where they work, as in `cardenvs.baselines.engine.work.work`.
        plot: a PNG file for a copy of the plot; None: no copy.
        report: a Markdown file for a copy of the report; None: no copy.
        as_json: print one JSON object instead of tables.

    Returns:
        The exit status: 0, or 130 if it was interrupted.

    Raises:
        ValueError, OSError, RuntimeError: as `cardenvs.train.sweep.train_all` and
            `cardenvs.baselines.tournament.play_all`; a report cannot be written.
    """
    if not train_or_stop(experiment.sweep(), out, workers, cluster, to_go_on):
        return 128 + signal.SIGINT
    play = functools.partial(play_or_stop, workers=workers, cluster=cluster, to_go_on=to_go_on)
    result = measure_all(experiment, out, play)
    if result is None:
        return 128 + signal.SIGINT
    written = write_experiment(result, command, out, report)
    if plot is not None:
        write_whole(plot, picture_png(result))
    print_result(result.as_dict(), lambda _: tables(result), as_json)
    tell_left_out("the report's picture is left out")
    tell_reports(written, report)
    return 0

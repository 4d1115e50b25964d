"""The command ``cardenvs sweep``; needs the extra ``[train]``."""

from __future__ import annotations

import functools
import shlex
import signal
from pathlib import Path

import click

from cardenvs import cli, plugins
from cardenvs.baselines.commands import engine_options, option_words, print_result, tell_left_out, tell_reports
from cardenvs.baselines.reports.files import write_reports
from cardenvs.baselines.runs.terminal import play_or_stop, tell_forfeits
from cardenvs.cli import OutFile, OutFolder
from cardenvs.files import write_whole
from cardenvs.train.sweep.measuring import play_matches
from cardenvs.train.sweep.plot import picture_png
from cardenvs.train.sweep.reading import read_sweep
from cardenvs.train.sweep.report import PICTURE, markdown, tables
from cardenvs.train.sweep.results import sweep_results
from cardenvs.train.sweep.terminal import train_or_stop
from cardenvs.train.team_share.settings import experiment_of
from cardenvs.train.team_share.terminal import run_experiment


@click.command("sweep")
@click.argument("file")
@engine_options("train and measure", begins_here=True)
@click.option("--out", type=OutFolder(), help="Folder of the sweep; a stopped one goes on there. [runs/NAME]")
@click.option("--plot", type=OutFile(make=True), help="Also draw the plot to this PNG file.")
@cli.report_option
@cli.json_option
def sweep_command(
    file: str,
    workers: int | None,
    cluster: str | None,
    out: Path | None,
    plot: Path | None,
    report: Path | None,
    as_json: bool,
) -> int:
    """Train everything that FILE asks for, seeds, settings and recipes, as one job, and measure it side by side.

    FILE is a sweep in TOML, or the name of one that ships: team-share, training-options. The folder gets a folder for each
    training, results.json, report.md and (with matplotlib) sweep.png, and keeps what is finished: the same command goes on
    where it was stopped. Results are the same whatever the number of workers.
    """
    if plot is not None:
        plugins.require("matplotlib", "plots", "--plot")
    asked = read_sweep(file)
    sweep, words = asked.sweep, ["cardenvs", "sweep", file]
    folder = out or Path("runs", sweep.name)
    given = {"--out": out, "--plot": plot, "--report": report, "--workers": workers, "--cluster": cluster}
    to_go_on = shlex.join([*words, *option_words(given)])
    if asked.report == "team-share":
        experiment = experiment_of(sweep, file)
        return run_experiment(experiment, shlex.join(words), to_go_on, folder, workers, cluster, plot, report, as_json)
    if not train_or_stop(sweep, folder, workers, cluster, to_go_on):
        return 128 + signal.SIGINT
    play = functools.partial(play_or_stop, workers=workers, cluster=cluster, to_go_on=to_go_on)
    played = play_matches(sweep, folder, play)
    if played is None:
        return 128 + signal.SIGINT
    result = sweep_results(sweep, folder, played)
    picture = functools.cache(functools.partial(picture_png, result))
    text = functools.partial(markdown, result, shlex.join(words))
    written = write_reports(folder, report, result.as_dict(), text, {PICTURE: picture})
    if plot is not None:
        write_whole(plot, picture())
    print_result(result.as_dict(), lambda _: tables(result), as_json)
    tell_left_out("the report's picture is left out")
    tell_reports(written, report)
    return max(tell_forfeits(store) for store, _ in played)

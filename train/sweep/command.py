"""The command ``cardenvs sweep``; needs the extra ``[train]``."""

import functools
from pathlib import Path

import click

from cardenvs import cli, plugins
from cardenvs.baselines.commands import engine_options
from cardenvs.baselines.runs.terminal import Session
from cardenvs.cli import OutFile, OutFolder
from cardenvs.train.sweep.play import play_matches, train_and_report
from cardenvs.train.sweep.reading import read_sweep
from cardenvs.train.sweep.strangers import check_strangers, meet
from cardenvs.train.sweep.team_share import experiment_of, measure_all


@click.command("sweep")
@click.argument("file")
@engine_options("train and measure", begins_here=True)
@click.option("--out", type=OutFolder(), help="Folder of the sweep; a stopped one continues there. [runs/NAME]")
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
    """Train all seeds, settings and recipes of FILE as one job, and measure the results together.

    FILE is a sweep in TOML, or the name of a shipped one: strangers, team-share, training-options. The folder gets a
    folder for each training, results.json, report.md and (with matplotlib) sweep.png, and keeps finished parts: after a
    stop, the same command continues. Results do not depend on the number of workers.
    """
    if plot is not None:
        plugins.require("matplotlib", "plots", "--plot")
    asked = read_sweep(file)
    out = out or Path("runs", asked.sweep.name)
    session = Session(["cardenvs", "sweep", file], out, workers, cluster, report, plot, as_json)
    sweep, measure = asked.sweep, play_matches
    if asked.report == "team-share":
        sweep, measure = experiment_of(sweep, file), measure_all
    if asked.report == "strangers":
        check_strangers(sweep, file)
        measure = meet
    return train_and_report(session, sweep, functools.partial(measure, sweep))

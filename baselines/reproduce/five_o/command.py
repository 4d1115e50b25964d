"""The command ``cardenvs reproduce five-o``."""

from __future__ import annotations

import signal
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from cardenvs import cli
from cardenvs.baselines.commands import engine_options, tell_left_out
from cardenvs.baselines.reproduce.five_o.figures import reproduce
from cardenvs.baselines.reproduce.five_o.report import show, write_figures
from cardenvs.baselines.reproduce.five_o.settings import Sizes
from cardenvs.baselines.reproduce.shared import command_line
from cardenvs.cli import OutFolder
from cardenvs.printing import remark

_DEFAULT = Sizes()


def _size_option(name: str, text: str) -> Callable[[Any], Any]:
    """The option for a field of `Sizes`."""
    default = getattr(_DEFAULT, name.replace("-", "_"))
    return click.option(f"--{name}", type=int, default=default, show_default=True, help=text)


@click.command("five-o")
@_size_option("games", "Games of a pair of fast agents, Table III; each deal is played twice.")
@_size_option("search-games", "Games of a pair with an expectiminimax agent.")
@_size_option("slow-games", "Games of a pair with monte-carlo or exact.")
@_size_option("depth-games", "Games of each depth, Figure 2.")
@_size_option("value-games", "Games of each pair, Figure 3.")
@_size_option("positions", "Positions of each row, Table II and the chances.")
@_size_option("samples", "Completions that monte-carlo draws for a decision.")
@_size_option("decks", "Decks that expectiminimax draws for a decision.")
@engine_options("play Table III", begins_here=True)
@click.option(
    "--out", type=OutFolder(), default=Path("runs", "reproduce-five-o"), show_default=True,
    help="Folder for finished parts; the same command goes on there.",
)  # fmt: skip
@cli.report_option
@cli.seed_option
@cli.json_option
def five_o_command(
    workers: int | None, cluster: str | None, out: Path, report: Path | None, as_json: bool, **sizes_given: int
) -> int:
    """Tables II and III and Figures 2 to 4 of the Five-O paper, beside ours.

    With the defaults this takes about half an hour on one core. Finished parts are kept in a folder.
    Plots (with matplotlib) and a JSON file are written beside a report.
    """
    sizes = replace(_DEFAULT, **sizes_given)
    try:
        figures = reproduce(sizes, out, workers, cluster)
    except KeyboardInterrupt:
        remark(f"cardenvs: interrupted; what is finished is kept in {str(out)!r}, the same command goes on there")
        return 128 + signal.SIGINT
    if report is not None:
        write_figures(figures, report, command_line("five-o", _words(sizes)))
        tell_left_out("the report's plots are left out")
    if as_json:
        cli.print_json(figures)
    else:
        show(figures)
    return 0


def _words(sizes: Sizes) -> list[str]:
    """The command's options for sizes other than the defaults."""
    words = []
    for name, value in asdict(sizes).items():
        if value != getattr(_DEFAULT, name):
            words += [f"--{name.replace('_', '-')}", str(value)]
    return words

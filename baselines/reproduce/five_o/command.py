"""The command ``cardenvs reproduce five-o``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from cardenvs import cli
from cardenvs.baselines.commands import command_words, engine_options, out_option
from cardenvs.baselines.reproduce.five_o.figures import reproduce, total
from cardenvs.baselines.reproduce.five_o.settings import Sizes
from cardenvs.baselines.runs.terminal import Session, work_and_report

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
@out_option("reproduce-five-o", "parts")
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
    changed = {name: value for name, value in asdict(sizes).items() if value != getattr(_DEFAULT, name)}
    given = {f"--{name.replace('_', '-')}": value for name, value in changed.items()}
    words = command_words("reproduce", "five-o", given=given)
    session = Session(words, out, workers, cluster, report, as_json=as_json)
    return work_and_report(
        session,
        "Table II",
        total(sizes),
        "games and positions",
        lambda count: reproduce(sizes, out, count, workers, cluster),
    )

"""The command ``cardenvs reproduce poe``."""

from __future__ import annotations

from pathlib import Path

import click

from cardenvs import cli
from cardenvs.baselines.commands import engine_options, or_cores
from cardenvs.baselines.reproduce.poe.matches import OPPONENTS, figures, reproduce
from cardenvs.baselines.reproduce.poe.report import markdown, show
from cardenvs.baselines.reproduce.shared import command_line
from cardenvs.cli import Several, flat
from cardenvs.files import write_whole


@click.command("poe")
@click.option("--deals", type=click.IntRange(min=1), default=1000, show_default=True, help="Deals of each pairing.")
@click.option("--worlds", type=click.IntRange(min=1), default=100, show_default=True, help="Re-deals for each decision.")
@click.option(
    "--against",
    cls=cli.RenamedOption,
    was=("--opponent",),
    multiple=True,
    type=Several(),
    callback=flat,
    default=OPPONENTS,
    show_default=True,
    help="An opponent; may be repeated, a,b are two.",
)
@engine_options("play")
@cli.report_option
@cli.seed_option
@cli.json_option
def poe_command(
    deals: int,
    worlds: int,
    against: tuple[str, ...],
    workers: int | None,
    cluster: str | None,
    report: Path | None,
    seed: int,
    as_json: bool,
) -> None:
    """POE's agent in Whist, against the simple agents."""
    results = reproduce(deals, seed, worlds, against, workers=or_cores(workers, cluster), cluster=cluster)
    if report is not None:
        words = ["--deals", str(deals), "--worlds", str(worlds), "--seed", str(seed)]
        for name in against if against != OPPONENTS else ():
            words += ["--against", name]
        write_whole(report, markdown(results, deals, worlds, command_line("poe", words)))
    if as_json:
        rows = [figures(result) for result in results]
        cli.print_json({"game": "whist", "policy": "poe", "worlds": worlds, "deals": deals, "seed": seed, "results": rows})
    else:
        show(results, deals)

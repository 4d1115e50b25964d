"""The command ``cardenvs reproduce poe``."""

from __future__ import annotations

from pathlib import Path

import click

from cardenvs import cli
from cardenvs.baselines.commands import command_words, engine_options, or_cores
from cardenvs.baselines.reproduce.poe.matches import OPPONENTS, reproduce
from cardenvs.baselines.runs.terminal import Session
from cardenvs.cli import Several, flat


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
    given = {"--deals": deals, "--worlds": worlds, "--seed": seed, "--against": against if against != OPPONENTS else None}
    words = command_words("reproduce", "poe", given=given)
    session = Session(words, None, workers, cluster, report, as_json=as_json, figures_beside=False)
    with cli.progress_bar("poe", len(against) * deals) as count:
        result = reproduce(deals, seed, worlds, against, count, workers=or_cores(workers, cluster), cluster=cluster)
    session.hand_over(result)

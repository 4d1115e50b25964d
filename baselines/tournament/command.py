"""The command ``cardenvs tournament``."""

from __future__ import annotations

from pathlib import Path

import click

from cardenvs import cli
from cardenvs.baselines.commands import command_words, engine_options
from cardenvs.baselines.runs.terminal import Session, play_and_report
from cardenvs.baselines.tournament.results import results_of
from cardenvs.baselines.tournament.settings import settings_for
from cardenvs.cli import OutFolder, Several, flat
from cardenvs.contract.registry import address
from cardenvs.contract.spec import GameSpec
from cardenvs.files import name_in_path


@click.command("tournament")
@cli.game_argument
@click.argument("policies", nargs=-1, type=Several(), callback=flat)
@click.option(
    "--deals",
    type=click.IntRange(min=1),
    default=1000,
    show_default=True,
    help="Deals of each pairing, each played on every side: with two sides twice.",
)
@engine_options("play")
@click.option(
    "--out",
    type=OutFolder(),
    help="Folder of the tournament; a stopped one goes on there. [runs/tournament-GAME]",
)
@cli.report_option
@cli.rule_option
@cli.seed_option
@cli.json_option
def tournament_command(
    game: GameSpec,
    policies: tuple[str, ...],
    deals: int,
    workers: int | None,
    cluster: str | None,
    out: Path | None,
    report: Path | None,
    options: tuple[tuple[str, str], ...],
    seed: int,
    as_json: bool,
) -> int:
    """Play a round robin of POLICIES (default: all named ones that need no extra) over duplicate deals.

    Policies are names with parameters (pimc:worlds=30), mixed sides (high+low) or files. The folder keeps what is finished:
    the same command goes on where it was stopped. At the end it has results.json, report.md and (with matplotlib)
    heatmap.png and ladder.png.
    """
    rules = cli.rule_options(game, options)
    settings = settings_for(game, policies or None, deals=deals, seed=seed, **rules)
    words = command_words("tournament", address(game), *policies, given={"--deals": deals}, rules=rules, seed=seed)
    session = Session(
        words, out or Path("runs", f"tournament-{name_in_path(game.name)}"), workers, cluster, report, as_json=as_json
    )
    return play_and_report(session, settings, results_of)

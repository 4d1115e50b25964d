"""The command ``cardenvs reproduce openspiel``."""

from __future__ import annotations

from pathlib import Path

import click

from cardenvs import cli
from cardenvs.baselines.commands import command_words, engine_options, out_option
from cardenvs.baselines.reproduce.openspiel.beside import check_openspiel
from cardenvs.baselines.reproduce.openspiel.measure import GAMES, beside_plan, reproduce
from cardenvs.baselines.runs.terminal import Session, work_and_report


@click.command("openspiel")
@click.argument("game", type=click.Choice(["hanabi"]), metavar="hanabi")
@click.option(
    "--games", type=click.IntRange(min=1), default=GAMES, show_default=True,
    help="Games in all, at least; each form of the game gets as many from each player.",
)  # fmt: skip
@engine_options("play")
@out_option("reproduce-openspiel")
@cli.report_option
@cli.seed_option
@cli.json_option
def openspiel_command(
    game: str,
    games: int,
    workers: int | None,
    cluster: str | None,
    out: Path,
    report: Path | None,
    seed: int,
    as_json: bool,
) -> int:
    """Hanabi beside OpenSpiel's, move by move.

    Forms of two to five players and small ones; legal actions, points, rewards, ends and the canonical vectors of all
    seats. Needs OpenSpiel. Finished games are kept in a folder. The exit status is 1 if a game
    differs.
    """
    check_openspiel()
    words = command_words("reproduce", "openspiel", game, given={"--games": games, "--seed": seed})
    session = Session(words, out, workers, cluster, report, as_json=as_json)
    plan = beside_plan(games, seed)
    return work_and_report(
        session,
        "openspiel",
        len(plan.units) * plan.pieces,
        "games",
        lambda count: reproduce(plan, out, workers, cluster, count),
        failed=lambda result: result.different > 0,
    )

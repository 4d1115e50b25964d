"""The command ``cardenvs reproduce hanabi``."""

from __future__ import annotations

from pathlib import Path

import click

from cardenvs import cli
from cardenvs.baselines.commands import command_words, engine_options, out_option
from cardenvs.baselines.reproduce.hanabi.measure import GAMES, reproduce, teams_plan
from cardenvs.baselines.runs.terminal import Session, work_and_report


@click.command("hanabi")
@click.option("--games", type=click.IntRange(min=2), default=GAMES, show_default=True, help="Games of each team.")
@engine_options("play")
@out_option("reproduce-hanabi")
@cli.report_option
@cli.seed_option
@cli.json_option
def hanabi_command(
    games: int, workers: int | None, cluster: str | None, out: Path, report: Path | None, seed: int, as_json: bool
) -> int:
    """Hanabi's agents with themselves and with each other, beside known figures.

    Agents that follow rules, SmartBot, hat-information and hat-recommendation in teams of two to five, and all pairs of
    those that follow rules. Finished games are kept in a folder.
    """
    words = command_words("reproduce", "hanabi", given={"--games": games, "--seed": seed})
    session = Session(words, out, workers, cluster, report, as_json=as_json)
    plan = teams_plan(games, seed)
    return work_and_report(
        session,
        "hanabi",
        len(plan.units) * plan.pieces,
        "games",
        lambda count: reproduce(plan, out, workers, cluster, count),
    )

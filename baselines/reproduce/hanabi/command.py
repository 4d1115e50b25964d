"""The command ``cardenvs reproduce hanabi``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from cardenvs import cli
from cardenvs.baselines.commands import command_words, engine_options
from cardenvs.baselines.reproduce.hanabi.measure import GAMES, reproduce, teams_plan
from cardenvs.baselines.runs.terminal import STOPPED, Session
from cardenvs.cli import OutFolder


@click.command("hanabi")
@click.option("--games", type=click.IntRange(min=2), default=GAMES, show_default=True, help="Games of each team.")
@engine_options("play")
@click.option(
    "--out", type=OutFolder(), default=Path("runs", "reproduce-hanabi"), show_default=True,
    help="Folder for finished games; the same command goes on there.",
)  # fmt: skip
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
    result = session.until_stopped(
        "hanabi", len(plan.units) * plan.pieces, "games", lambda count: reproduce(plan, out, workers, cluster, count)
    )
    if result is None:
        return STOPPED
    replace(session, out=None).hand_over(result)
    return 0

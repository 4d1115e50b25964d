"""The command ``cardenvs reproduce hanabi``."""

import click

from cardenvs.baselines.reproduce.hanabi.measure import results_of, teams_plan
from cardenvs.baselines.reproduce.options import Asked, reproduction_options


@click.command("hanabi")
@reproduction_options(
    click.option("--games", type=click.IntRange(min=2), default=20_000, show_default=True, help="Games of each team."),
    out="reproduce-hanabi",
)
def hanabi_command(asked: Asked, games: int) -> int:
    """Hanabi's agents with themselves and with each other, next to known figures.

    Rule-based agents, SmartBot, hat-information and hat-recommendation in teams of two to five, and all pairs of the
    rule-based ones. Finished games are kept in a folder.
    """
    return asked.work_through("hanabi", games=games, plan=teams_plan(games, asked.seed), results=results_of)

"""The command ``cardenvs reproduce openspiel``."""

import click

from cardenvs.baselines.reproduce.openspiel.measure import beside_plan, results_of
from cardenvs.baselines.reproduce.options import Asked, reproduction_options
from cardenvs.plugins import require


@click.command("openspiel")
@reproduction_options(
    click.argument("game", type=click.Choice(["hanabi"]), metavar="hanabi"),
    click.option(
        "--games", type=click.IntRange(min=1), default=100_000, show_default=True,
        help="Games in all, at least; each form of the game gets as many from each player.",
    ),
    out="reproduce-openspiel",
)  # fmt: skip
def openspiel_command(asked: Asked, game: str, games: int) -> int:
    """Hanabi compared with OpenSpiel's, move by move.

    Forms for two to five players and small forms; legal actions, points, rewards, ends and the canonical vectors of all
    seats. Needs OpenSpiel. Finished games are kept in a folder. The exit status is 1 if a game
    differs.
    """
    require("pyspiel", "openspiel", "games beside OpenSpiel's", package="open_spiel")
    plan = beside_plan(games, asked.seed)
    return asked.work_through(
        "openspiel", game, games=games, plan=plan, results=results_of, failed=lambda result: result.different > 0
    )

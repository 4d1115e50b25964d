"""The command ``cardenvs reproduce openspiel``."""

from __future__ import annotations

import click

from cardenvs.baselines.reproduce.openspiel.beside import check_openspiel
from cardenvs.baselines.reproduce.openspiel.measure import GAMES, beside_plan, reproduce
from cardenvs.baselines.reproduce.options import Asked, reproduction_options


@click.command("openspiel")
@reproduction_options(
    click.argument("game", type=click.Choice(["hanabi"]), metavar="hanabi"),
    click.option(
        "--games", type=click.IntRange(min=1), default=GAMES, show_default=True,
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
    check_openspiel()
    plan = beside_plan(games, asked.seed)
    return asked.reproduce(
        "openspiel",
        game,
        given={"--games": games, "--seed": asked.seed},
        total=len(plan.units) * plan.pieces,
        work=lambda count: reproduce(plan, asked.out, asked.workers, asked.cluster, count),
        failed=lambda result: result.different > 0,
    )

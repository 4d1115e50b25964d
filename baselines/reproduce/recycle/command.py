"""The command ``cardenvs reproduce recycle``."""

import click

from cardenvs.baselines.reproduce.options import Asked, reproduction_options
from cardenvs.baselines.reproduce.recycle.measure import ALL_GAMES, GAMES_PUBLISHED, reproduce, total_games
from cardenvs.cli import Several, flat


@click.command("recycle")
@reproduction_options(
    click.option(
        "--games", type=click.IntRange(min=2), default=GAMES_PUBLISHED, show_default=True, help="Games of each experiment."
    ),
    click.option(
        "--game", "names", type=Several(click.Choice(ALL_GAMES)), callback=flat, multiple=True, metavar="NAME",
        help=f"Play this game alone; may be repeated, a,b are two. The games are {', '.join(ALL_GAMES)}.",
    ),
    work="play games with an AI",
    begins_here=True,
    out="reproduce-recycle",
)  # fmt: skip
def recycle_command(asked: Asked, games: int, names: tuple[str, ...]) -> int:
    """The published statistics of described games, next to ours.

    Order, fairness, convergence, spread, drama and security of the games for which CardStock's site has them, the numbers
    of decisions and the options by trick. Compiling the games takes longer than playing them. Finished games are kept in
    a folder. With --report, plots (with matplotlib) and a JSON file are written into the same folder.
    """
    chosen, out = tuple(dict.fromkeys(names)) or ALL_GAMES, asked.out
    assert out is not None
    return asked.reproduce(
        "recycle",
        given={"--games": games, "--game": names, "--seed": asked.seed},
        total=total_games(chosen, games),
        work=lambda count: reproduce(chosen, games, asked.seed, out, asked.workers, asked.cluster, count),
    )

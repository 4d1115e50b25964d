"""The command ``cardenvs reproduce euchre``."""

from collections.abc import Callable

import click

from cardenvs.baselines.match import Side
from cardenvs.baselines.reports.columns import Row
from cardenvs.baselines.reproduce.euchre.measure import Reproduction, pairing_plans, play, precise_plans, table_plans
from cardenvs.baselines.reproduce.options import Asked, reproduction_options
from cardenvs.contract.registry import get_game


@click.command("euchre")
@reproduction_options(
    click.option("--games", type=click.IntRange(min=1), default=10_001, show_default=True, help="Games of each table."),
    click.option(
        "--precise", type=click.IntRange(min=1), is_flag=False, flag_value=100_000, default=None, metavar="[GAMES]",
        help="Also play the pairings of the precise reference, 100,000 games each unless another number is given.",
    ),
    click.option(
        "--pairing", "pairings", nargs=2, multiple=True, metavar="FIRST SECOND",
        help="Play this pairing instead of the tables, mixed sides as one+other; may be repeated.",
    ),
)  # fmt: skip
def euchre_command(asked: Asked, games: int, precise: int | None, pairings: tuple[tuple[str, str], ...]) -> int:
    """The 45 tables of the Euchre paper, next to ours."""
    game = get_game("euchre")
    for name in (name for sides in pairings for name in sides):
        Side(game, name)  # an unknown policy is an error before anything is played
    first = pairing_plans(pairings, games, asked.seed) if pairings else table_plans(games, asked.seed)
    plans = [*first, *(precise_plans(precise, asked.seed) if precise else [])]

    def compare(count: Callable[[int], None]) -> Row:
        rows = play(plans, count, **asked.engine)
        compared, exact = rows[: len(first)], rows[len(first) :]
        return Reproduction(asked.seed, [] if pairings else compared, exact, compared if pairings else [])

    return asked.reproduce(
        "euchre",
        given={"--seed": asked.seed, "--games": games, "--pairing": pairings, "--precise": precise},
        total=sum(plan.games for plan in plans),
        work=compare,
    )

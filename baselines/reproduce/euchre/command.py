"""The command ``cardenvs reproduce euchre``."""

from __future__ import annotations

from pathlib import Path

import click

from cardenvs import cli
from cardenvs.baselines.commands import command_words, engine_options, option_words, or_cores
from cardenvs.baselines.match import Side
from cardenvs.baselines.reproduce.euchre.measure import Reproduction, pairing_plans, play, precise_plans, table_plans
from cardenvs.baselines.runs.terminal import Session
from cardenvs.contract.registry import get_game


@click.command("euchre")
@click.option("--games", type=click.IntRange(min=1), default=10_001, show_default=True, help="Games of each table.")
@click.option(
    "--precise",
    type=click.IntRange(min=1),
    is_flag=False,
    flag_value=100_000,
    default=None,
    metavar="[GAMES]",
    help="Also play the pairings of the precise reference, 100,000 games each unless another number is given.",
)
@click.option(
    "--pairing",
    "pairings",
    nargs=2,
    multiple=True,
    metavar="FIRST SECOND",
    help="Play this pairing instead of the tables, mixed sides as one+other; may be repeated.",
)
@engine_options("play")
@cli.report_option
@cli.seed_option
@cli.json_option
def euchre_command(
    games: int,
    precise: int | None,
    pairings: tuple[tuple[str, str], ...],
    workers: int | None,
    cluster: str | None,
    report: Path | None,
    seed: int,
    as_json: bool,
) -> None:
    """The 45 tables of the Euchre paper, side by side with ours."""
    game = get_game("euchre")
    for name in (name for sides in pairings for name in sides):
        Side(game, name)  # an unknown policy is an error before anything is played
    first = pairing_plans(pairings, games, seed) if pairings else table_plans(games, seed)
    plans = [*first, *(precise_plans(precise, seed) if precise else [])]
    words = command_words("reproduce", "euchre", given={"--seed": seed, "--games": games})
    words += [word for sides in pairings for word in ("--pairing", *sides)] + option_words({"--precise": precise})
    session = Session(words, None, workers, cluster, report, as_json=as_json, figures_beside=False)
    with cli.progress_bar("euchre", sum(plan.games for plan in plans)) as count:
        rows = play(plans, count, workers=or_cores(workers, cluster), cluster=cluster)
    compared, exact = rows[: len(first)], rows[len(first) :]
    session.hand_over(Reproduction(seed, [] if pairings else compared, exact, compared if pairings else []))

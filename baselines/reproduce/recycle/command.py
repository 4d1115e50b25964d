"""The command ``cardenvs reproduce recycle``."""

from __future__ import annotations

from pathlib import Path

import click

from cardenvs import cli
from cardenvs.baselines.commands import command_words, engine_options, out_option
from cardenvs.baselines.reproduce.recycle.measure import reproduce, total_games
from cardenvs.baselines.reproduce.recycle.published import GAMES_PUBLISHED, all_games
from cardenvs.baselines.runs.terminal import Session, work_and_report
from cardenvs.cli import Several, flat


@click.command("recycle")
@click.option(
    "--games", type=click.IntRange(min=2), default=GAMES_PUBLISHED, show_default=True, help="Games of each experiment."
)
@click.option(
    "--game", "names", type=Several(click.Choice(all_games())), callback=flat, multiple=True, metavar="NAME",
    help=f"Play this game alone; may be repeated, a,b are two. The games are {', '.join(all_games())}.",
)  # fmt: skip
@engine_options("play games with an AI", begins_here=True)
@out_option("reproduce-recycle")
@cli.report_option
@cli.seed_option
@cli.json_option
def recycle_command(
    games: int,
    names: tuple[str, ...],
    workers: int | None,
    cluster: str | None,
    out: Path,
    report: Path | None,
    seed: int,
    as_json: bool,
) -> int:
    """The published statistics of described games, beside ours.

    Order, fairness, convergence, spread, drama and security of the games that CardStock's site has them of, the numbers of
    decisions and the options by trick. Where games have to be compiled first, that takes longer than to play them. Finished
    games are kept in a folder. Plots (with matplotlib) and a JSON file are written beside a report.
    """
    chosen = tuple(dict.fromkeys(names)) or all_games()
    words = command_words("reproduce", "recycle", given={"--games": games, "--game": names, "--seed": seed})
    session = Session(words, out, workers, cluster, report, as_json=as_json)
    return work_and_report(
        session,
        "recycle", total_games(chosen, games), "games",
        lambda count: reproduce(chosen, games, seed, out, workers, cluster, count),
    )  # fmt: skip

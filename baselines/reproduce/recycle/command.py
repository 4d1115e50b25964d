"""The command ``cardenvs reproduce recycle``."""

from __future__ import annotations

import signal
from pathlib import Path

import click

from cardenvs import cli
from cardenvs.baselines.commands import engine_options, option_words, tell_left_out
from cardenvs.baselines.reproduce.recycle.measure import reproduce, total_games
from cardenvs.baselines.reproduce.recycle.published import GAMES_PUBLISHED, all_games
from cardenvs.baselines.reproduce.recycle.report import show, write_figures
from cardenvs.baselines.reproduce.shared import command_line
from cardenvs.cli import OutFolder, Several, flat
from cardenvs.printing import remark


@click.command("recycle")
@click.option(
    "--games", type=click.IntRange(min=2), default=GAMES_PUBLISHED, show_default=True, help="Games of each experiment."
)
@click.option(
    "--game", "names", type=Several(click.Choice(all_games())), callback=flat, multiple=True, metavar="NAME",
    help=f"Play this game alone; may be repeated, a,b are two. The games are {', '.join(all_games())}.",
)  # fmt: skip
@engine_options("play games with an AI", begins_here=True)
@click.option(
    "--out", type=OutFolder(), default=Path("runs", "reproduce-recycle"), show_default=True,
    help="Folder for finished games; the same command goes on there.",
)  # fmt: skip
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
    try:
        with cli.counting("recycle", total_games(chosen, games), "games") as count:
            result = reproduce(chosen, games, seed, out, workers, cluster, count)
    except KeyboardInterrupt:
        remark(f"cardenvs: interrupted; what is finished is kept in {str(out)!r}, the same command goes on there")
        return 128 + signal.SIGINT
    if report is not None:
        words = option_words({"--games": games, "--game": names, "--seed": seed})
        write_figures(result, report, command_line("recycle", words))
        tell_left_out("the report's plots are left out")
    if as_json:
        cli.print_json(result.as_dict())
    else:
        show(result)
    return 0

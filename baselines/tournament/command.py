"""The command ``cardenvs tournament``."""

from __future__ import annotations

import shlex
import signal
from pathlib import Path

import click

from cardenvs import cli
from cardenvs.baselines.commands import command_words, option_words, print_result, tell_left_out, tell_reports
from cardenvs.baselines.tournament.report import tables, write_tournament
from cardenvs.baselines.tournament.results import results_of
from cardenvs.baselines.tournament.settings import settings_for
from cardenvs.baselines.tournament.terminal import play_or_stop
from cardenvs.spec import GameSpec


@click.command("tournament")
@cli.game_argument
@click.argument("policies", nargs=-1)
@click.option(
    "--deals",
    type=click.IntRange(min=1),
    default=1000,
    show_default=True,
    help="Deals of each pairing, each played twice.",
)
@click.option("--workers", type=click.IntRange(min=1), help="Processes that play. [all cores]")
@click.option(
    "--out", type=click.Path(path_type=Path), help="Folder of the tournament; it goes on there. [runs/tournament-GAME]"
)
@cli.report_option
@cli.rule_option
@cli.seed_option
@cli.json_option
def tournament_command(
    game: GameSpec,
    policies: tuple[str, ...],
    deals: int,
    workers: int | None,
    out: Path | None,
    report: Path | None,
    options: tuple[tuple[str, str], ...],
    seed: int,
    as_json: bool,
) -> int:
    """Play a round robin of POLICIES (default: all named ones) over duplicate deals.

    Policies are names with parameters (pimc:worlds=30), mixed sides (high+low) or files. The folder keeps what is finished:
    the same command goes on where it was stopped. At the end it has results.json, report.md and (with matplotlib)
    heatmap.png and ladder.png.
    """
    rules = cli.rule_options(game, options)
    settings = settings_for(game, policies or None, deals=deals, seed=seed, **rules)
    folder = out or Path("runs", f"tournament-{game.name}")
    words = command_words("tournament", game.name, *policies, given={"--deals": deals}, rules=rules, seed=seed)
    command = shlex.join(words)
    to_go_on = shlex.join([*words, *option_words({"--out": out, "--report": report})])
    store = play_or_stop(settings, folder, workers, to_go_on)
    if store is None:
        return 128 + signal.SIGINT
    result = results_of(store)
    written = write_tournament(result, folder, command, report)
    print_result(result.as_dict(), lambda console: tables(result, console), as_json)
    tell_left_out("the report's pictures are left out")
    tell_reports(written, report)
    return 0

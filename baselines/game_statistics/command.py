"""The command ``cardenvs recycle stats``."""

from __future__ import annotations

import functools
import shlex
import signal
from pathlib import Path

import click

from cardenvs import cli, plugins
from cardenvs.baselines.commands import (
    command_words,
    engine_options,
    option_words,
    print_result,
    tell_left_out,
    tell_reports,
)
from cardenvs.baselines.game_statistics.experiments import EXPERIMENTS, RANDOM
from cardenvs.baselines.game_statistics.report import markdown, radar_png, tables
from cardenvs.baselines.game_statistics.results import results_of
from cardenvs.baselines.game_statistics.settings import DEFAULT_AI, GAMES, StatisticsSettings, statistics_settings
from cardenvs.baselines.game_statistics.store import Store
from cardenvs.baselines.game_statistics.workers import play_all
from cardenvs.baselines.reporting import write_report, write_reports
from cardenvs.cli import OutFile, OutFolder
from cardenvs.contract.registry import address
from cardenvs.contract.spec import GameSpec
from cardenvs.files import write_whole
from cardenvs.printing import remark


@click.command("stats")
@cli.game_argument
@click.option("--random-only", is_flag=True, help="Play games between random players alone.")
@click.option("--games", type=click.IntRange(min=1), default=GAMES, show_default=True, help="Games of each experiment.")
@click.option("--ai", default=DEFAULT_AI, show_default=True, metavar="NAME", help="The AI, a policy's name or file.")
@engine_options("play games with an AI", begins_here=True)
@click.option("--out", type=OutFolder(), help="Folder for finished games; a stopped run goes on there.")
@click.option("--plot", type=OutFile(make=True), help="Draw the six statistics as a radar plot to this PNG file.")
@cli.report_option
@cli.rule_option
@cli.seed_option
@cli.json_option
def stats_command(
    game: GameSpec,
    random_only: bool,
    games: int,
    ai: str,
    workers: int | None,
    cluster: str | None,
    out: Path | None,
    plot: Path | None,
    report: Path | None,
    options: tuple[tuple[str, str], ...],
    seed: int,
    as_json: bool,
) -> int:
    """Let an array of AIs play GAME: decisions, options, wins by seat, and six statistics of its character.

    Three experiments: random players, one AI against random players, and AIs alone. From them come order, fairness,
    convergence, spread, drama and security, with 95% intervals.
    """
    if plot is not None:
        if random_only:
            raise click.UsageError("--plot draws all six statistics, which --random-only does not take")
        plugins.require("matplotlib", "plots", "--plot")
    rules = cli.rule_options(game, options)
    settings = statistics_settings(game, games=games, ai=ai, seed=seed, random_only=random_only, **rules)
    given = {"--random-only": random_only, "--games": games, "--ai": None if random_only else ai}
    words = command_words("recycle", "stats", address(game), given=given, rules=rules, seed=seed)
    here = {"--out": out, "--plot": plot, "--report": report, "--workers": workers, "--cluster": cluster}
    to_go_on = shlex.join([*words, *option_words(here)])
    store = _played(settings, out, (RANDOM,) if random_only else tuple(EXPERIMENTS), workers, cluster, to_go_on)
    if store is None:
        return 128 + signal.SIGINT
    result = results_of(store, random_only)
    text = functools.partial(markdown, result, shlex.join(words))
    pictures = {} if random_only else {"radar": functools.partial(radar_png, result)}
    if random_only:
        text = functools.partial(text, radar=None)
    written: list[Path] = []
    if out is not None:
        written = write_reports(out, report, result.as_dict(), text, pictures)
    elif report is not None:
        written = write_report(report, report.with_suffix(".json"), f"{report.stem}_", result.as_dict(), text, pictures)
    if plot is not None:
        write_whole(plot, radar_png(result))
    print_result(result.as_dict(), lambda console: tables(result, console), as_json)
    if written:
        if pictures:
            tell_left_out("the report's picture is left out")
        tell_reports(written, report if out is not None else None)
    return 0


def _played(
    settings: StatisticsSettings,
    out: Path | None,
    experiments: tuple[str, ...],
    workers: int | None,
    cluster: str | None,
    to_go_on: str,
) -> Store | None:
    """Plays the experiments under a progress bar.

    Args:
        out: the folder for finished games, or None.
        experiments: which experiments.
        workers: processes that play games with an AI; None: one for each core.
        cluster: where they work, as in `cardenvs.baselines.engine.work.work`.
        to_go_on: the command line that goes on where this one was stopped.

    Returns:
        The finished games; None if playing was interrupted, which is said on standard error.
    """
    done, total = 0, len(experiments) * settings.games
    with cli.counting(EXPERIMENTS[experiments[0]], total, "games") as count:

        def progress(experiment: str, games: int) -> None:
            """Moves the progress bar on."""
            nonlocal done
            done += games
            count(games, EXPERIMENTS[experiment])

        try:
            return play_all(settings, out, experiments=experiments, workers=workers, cluster=cluster, progress=progress)
        except KeyboardInterrupt:
            said = f"interrupted after {done} of {total} games"
            if out is None:
                remark(f"cardenvs: {said}, which nothing keeps without --out")
            else:
                remark(f"cardenvs: {said}, kept in {str(out)!r}; to go on: {to_go_on}")
            return None

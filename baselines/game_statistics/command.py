"""The command ``cardenvs recycle stats``."""

from pathlib import Path

import click

from cardenvs import cli, plugins
from cardenvs.baselines.commands import command_words, engine_options
from cardenvs.baselines.game_statistics.experiments import EXPERIMENTS, RANDOM
from cardenvs.baselines.game_statistics.results import take_statistics
from cardenvs.baselines.game_statistics.settings import DEFAULT_AI, GAMES, statistics_settings
from cardenvs.baselines.reports.columns import Row
from cardenvs.baselines.runs.progress import Count
from cardenvs.baselines.runs.terminal import STOPPED, Session
from cardenvs.cli import OutFile, OutFolder
from cardenvs.contract.registry import address
from cardenvs.contract.spec import GameSpec


@click.command("stats")
@cli.game_argument
@click.option("--random-only", is_flag=True, help="Play only games between random players.")
@click.option("--games", type=click.IntRange(min=1), default=GAMES, show_default=True, help="Games of each experiment.")
@click.option("--ai", default=DEFAULT_AI, show_default=True, metavar="NAME", help="The AI, a policy's name or file.")
@engine_options("play games with an AI", begins_here=True)
@click.option("--out", type=OutFolder(), help="Folder for finished games; a stopped run continues there.")
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
    """Let AIs play GAME: decisions, options, wins by seat, and six statistics of its character.

    Three experiments: random players, one AI against random players, and only AIs. They give order, fairness, convergence,
    spread, drama and security, with 95% intervals. A game of one side has no opponents: of the six it has only
    convergence, and spread in points.
    """
    if plot is not None:
        if random_only:
            raise click.UsageError("--plot draws all six statistics, which --random-only does not take")
        if game.one_sided:
            raise click.UsageError(f"--plot draws all six statistics, of which {game.name}, a game of one side, has two")
        plugins.require("matplotlib", "plots", "--plot")
    rules = cli.rule_options(game, options)
    settings = statistics_settings(game, games=games, ai=ai, seed=seed, random_only=random_only, **rules)
    given = {"--random-only": random_only, "--games": games, "--ai": None if random_only else ai}
    words = command_words("recycle", "stats", address(game), given=given, rules=rules, seed=seed)
    session = Session(words, out, workers, cluster, report, plot, as_json)
    experiments = 1 if random_only else len(EXPERIMENTS)

    def take(count: Count) -> Row:
        return take_statistics(
            settings, out, random_only=random_only, workers=workers, cluster=cluster,
            progress=lambda experiment, finished: count(finished, EXPERIMENTS[experiment]),
        )  # fmt: skip

    result = session.until_stopped(EXPERIMENTS[RANDOM], experiments * games, "games", take)
    if result is None:
        return STOPPED
    session.hand_over(result)
    return 0

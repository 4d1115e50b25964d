"""The command ``cardenvs tournament``."""

from __future__ import annotations

import shlex
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from cardenvs import cli
from cardenvs.baselines.tournament.play import Progress, Settings, Store, play_all, results_of, settings_for
from cardenvs.baselines.tournament.report import tables, write_reports
from cardenvs.spec import GameSpec, show


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
@click.option(
    "--report",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Also write the report to this Markdown file, its figures beside it.",
)
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
    the same command goes on where it was stopped. At the end it has results.json, report.md, heatmap.png and ladder.png.
    """
    rules = cli.rule_options(game, options)
    settings = settings_for(game, policies or None, deals=deals, seed=seed, **rules)
    folder = out or Path("runs", f"tournament-{game.name}")
    chosen = [word for name in rules for word in ("-o", f"{name}={show(rules[name])}")]
    words = ["cardenvs", "tournament", game.name, *policies, "--deals", str(deals), *chosen, "--seed", str(seed)]
    command = shlex.join(words)
    words += ["--out", str(folder)] if out is not None else []
    words += ["--report", str(report)] if report is not None else []
    store = play_or_stop(settings, folder, workers, shlex.join(words))
    if store is None:
        return 128 + signal.SIGINT
    result = results_of(store)
    written = write_reports(result, folder, command, report)
    if as_json:
        cli.print_json(result.as_dict())
    else:
        console = Console()
        for part in tables(result, console):
            console.print(part, highlight=False)
    cli.stderr.print(f"report: {written[1]}" + (f", {report}" if report is not None else ""), highlight=False)
    return 0


def play_or_stop(settings: Settings, folder: Path, workers: int | None, to_go_on: str) -> Store | None:
    """Plays under a progress bar; None if it was interrupted, after saying how to go on.

    Raises:
        ValueError, OSError, RuntimeError: as `cardenvs.baselines.tournament.play_all`.
    """
    played = 0
    with _progress(settings) as show_progress:

        def progress(deals_done: int, pairings_done: int) -> None:
            nonlocal played
            played = deals_done
            show_progress(deals_done, pairings_done)

        try:
            return play_all(settings, folder, workers=workers, progress=progress)
        except KeyboardInterrupt:
            total = len(settings.pairs) * settings.deals
            kept = f"interrupted after {played} of {total} deals, kept in {str(folder)!r}"
            print(f"cardenvs: {kept}; to go on: {to_go_on}", file=sys.stderr)
            return None
        except ValueError as error:
            if played:
                raise ValueError(f"{error}; finished results are kept in {str(folder)!r}") from error
            raise


@contextmanager
def _progress(settings: Settings) -> Iterator[Progress]:
    """A progress bar on standard error, if that is a terminal; yields the function that moves it on."""
    pairings = len(settings.pairs)
    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("deals"), TimeElapsedColumn(),
        TimeRemainingColumn(),
    )  # fmt: skip
    with Bar(*columns, console=cli.stderr, transient=True, disable=not cli.stderr.is_terminal) as bar:
        task = bar.add_task(f"0/{pairings} pairings", total=pairings * settings.deals)
        yield lambda deals, done: bar.update(task, completed=deals, description=f"{done}/{pairings} pairings")

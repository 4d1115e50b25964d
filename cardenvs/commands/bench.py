"""The command ``cardenvs bench``: measures how fast the environments are on this machine."""

from pathlib import Path

import click
from rich.table import Column, Table

from cardenvs import cli
from cardenvs.cli import FiniteRange, Several, flat
from cardenvs.contract.registry import short_name
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.speed import markdown, measure_speed, table_rows
from cardenvs.files import write_whole
from cardenvs.printing import PlainConsole, say


@click.command("bench")
@click.argument("games", metavar="[GAME]...", type=Several(cli.GameType()), callback=flat, nargs=-1)
@click.option("--rounds", type=click.IntRange(min=1), default=5, show_default=True, help="Rounds to take medians of.")
@click.option(
    "--seconds", type=FiniteRange(min=0.01), default=0.5, show_default=True, help="Time for each figure in a round."
)
@cli.report_option
@cli.seed_option
@cli.json_option
def bench_command(
    games: tuple[GameSpec, ...], rounds: int, seconds: float, report: Path | None, seed: int, as_json: bool
) -> None:
    """Measure the speed of the environments on this machine, of GAME or of all games.

    Several games are measured in turn. Described games are measured only if they are named.
    """
    names = [game.name for game in games]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"GAME: {name} is there twice")
    with cli.stderr.status("measuring") as status:
        figures = measure_speed(rounds, seconds, seed, status.update, games or None)
    if report:
        write_whole(report, markdown(figures, names))
    if as_json:
        cli.print_json(figures)
        return
    head, body = table_rows(figures)
    called = {game.name: short_name(game) for game in games}
    table = Table(*(Column(called.get(name, name), overflow="fold") for name in head))
    for row in body:
        table.add_row(*row)
    PlainConsole().print(table)
    for peer, values in figures["peers"].items():
        say(f"PettingZoo's {peer}, raw loop: {values['aec_raw_steps_per_s']:,.0f} steps/s")
    which = "these" if games else "all"
    warm, cold = figures["warm_start_s"], figures["cold_start_s"]
    say(f"import and first step, {which} games: {warm:.2f} s warm, {cold:.1f} s cold")

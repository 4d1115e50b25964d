"""The command ``cardenvs bench``: measures how fast the environments are on this machine."""

from __future__ import annotations

from pathlib import Path

import click
from rich.table import Table

from cardenvs import cli
from cardenvs.bench import markdown, measure, table_rows
from cardenvs.files import write_whole
from cardenvs.parameters import FiniteRange
from cardenvs.printing import PlainConsole, say


@click.command("bench")
@click.option("--rounds", type=click.IntRange(min=1), default=5, show_default=True, help="Rounds to take medians of.")
@click.option(
    "--seconds", type=FiniteRange(min=0.01), default=0.5, show_default=True, help="Time for each figure in a round."
)
@cli.report_option
@cli.seed_option
@cli.json_option
def bench_command(rounds: int, seconds: float, report: Path | None, seed: int, as_json: bool) -> None:
    """Measure how fast the environments are here."""
    with cli.stderr.status("measuring") as status:
        figures = measure(rounds, seconds, seed, status.update)
    if report:
        write_whole(report, markdown(figures))
    if as_json:
        cli.print_json(figures)
        return
    head, body = table_rows(figures)
    table = Table(*head)
    for row in body:
        table.add_row(*row)
    PlainConsole().print(table)
    for peer, values in figures["peers"].items():
        say(f"PettingZoo's {peer}, raw loop: {values['aec_raw_steps_per_s']:,.0f} steps/s")
    say(f"import and first step, all games: {figures['warm_start_s']:.2f} s warm, {figures['cold_start_s']:.1f} s cold")

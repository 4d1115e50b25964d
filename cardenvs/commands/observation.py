"""The command ``cardenvs observation``: lists the parts of observations, or writes the document on them."""

from pathlib import Path

import click
from rich.table import Column, Table

from cardenvs import cli
from cardenvs.cli import OutFile
from cardenvs.contract.observation import HEAD, markdown, observation_parts, part_rows
from cardenvs.contract.registry import game_names, get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.files import write_whole
from cardenvs.printing import PlainConsole


@click.command("observation")
@click.argument("game", type=cli.GameType(), required=False)
@click.option(
    "--report",
    cls=cli.RenamedOption,
    was=("--markdown",),
    type=OutFile(make=True),
    help="Write the document on all games written in Python to this Markdown file, and print nothing.",
)
@cli.seed_option
@cli.json_option
def observation_command(game: GameSpec | None, report: Path | None, seed: int, as_json: bool) -> None:
    """List the parts of GAME's observations (without GAME, of all games written in Python)."""
    del seed  # every command takes one; nothing here is random
    if report:
        write_whole(report, markdown())
        return
    games = [game] if game is not None else [get_game(name) for name in game_names()]
    if as_json:
        cli.print_json({g.name: {"size": g.observation_size, "parts": observation_parts(g)} for g in games})
        return
    for g in games:
        table = Table(*(Column(name, overflow="fold") for name in HEAD), title=f"{g.title}: {g.observation_size} entries")
        for row in part_rows(g):
            table.add_row(*row)
        PlainConsole().print(table)

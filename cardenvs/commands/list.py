"""The command ``cardenvs list``: the games, their options and the policies that play them."""

from __future__ import annotations

import click
from rich.table import Table

from cardenvs import cli, policy
from cardenvs.printing import PlainConsole
from cardenvs.spec import game_names, get_game, show


@click.command("list")
@cli.json_option
@cli.seed_option
def list_command(as_json: bool, seed: int) -> None:
    """List the games, their options and the policies that play them."""
    del seed  # every command takes one; nothing here is random
    games = {}
    for name in game_names():
        spec = get_game(name)
        games[name] = {
            "title": spec.title,
            "module": f"cardenvs.{spec.module}",
            "seats": spec.seats,
            "observation_size": spec.observation_size,
            "actions": list(spec.actions),
            "options": {o.name: [show(c) for c in o.choices] for o in spec.options},
            "rewards": list(spec.rewards),
            "policies": policy.names(spec),
        }
    if as_json:
        cli.print_json({"games": games})
        return
    table = Table()
    for title in ("game", "environment", "options (default first)", "rewards", "policies"):
        table.add_column(title, no_wrap=title != "options (default first)")
    for name, game in games.items():
        options = "\n".join(f"{key} = {' | '.join(values)}" for key, values in game["options"].items())  # type: ignore[attr-defined]
        table.add_row(name, str(game["module"]), options, "\n".join(game["rewards"]), "\n".join(game["policies"]))  # type: ignore[arg-type]
    PlainConsole().print(table)

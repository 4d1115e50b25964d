"""The command ``cardenvs recycle check``."""

from __future__ import annotations

import click

from cardenvs import cli
from cardenvs.printing import say
from cardenvs.recycle.game import find
from cardenvs.recycle.layout import Layout
from cardenvs.recycle.module import Module


@click.command("check")
@click.argument("file", type=click.Path())
@cli.json_option
def check_command(file: str, as_json: bool) -> int:
    """Check the description of a game in FILE: what is wrong is told with its line and column."""
    description = find(file)
    module = Module(Layout(description))
    module.text()
    figures = {
        "file": file,
        "seats": description.players,
        "teams": [list(team) for team in description.teams],
        "cards": len(module.layout.cards),
        "choices": len(module.points),
        "actions": len(module.actions.keys),
        "remarks": [{"line": at.line, "column": at.column, "remark": text} for at, text in description.remarks],
    }
    if as_json:
        cli.print_json(figures)
        return 0
    for at, text in description.remarks:
        say(f"{file}:{at}: {text}")
    say(f"{file}: a game for {description.players} with {figures['cards']} cards and {figures['actions']} actions")
    return 0

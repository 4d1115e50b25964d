"""The command ``cardenvs recycle``: its subcommands are the entry points ``cardenvs.recycle_commands``, click commands."""

import click

from cardenvs.cli import EntryPointGroup


@click.command("recycle", cls=EntryPointGroup, entry_points="cardenvs.recycle_commands")
def recycle_command() -> None:
    """Describe games and study them: check a description, let AIs play a game and take statistics."""

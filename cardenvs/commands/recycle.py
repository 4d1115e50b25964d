"""The command ``cardenvs recycle``: finds what it can do through the entry points ``cardenvs.recycle_commands``.

An entry's object is a click command, its name what comes behind ``cardenvs recycle``.
"""

from __future__ import annotations

import click

from cardenvs.cli import EntryPointGroup


@click.command("recycle", cls=EntryPointGroup, entry_points="cardenvs.recycle_commands")
def recycle_command() -> None:
    """Describe games and study them: check a description, let an array of AIs play and take statistics."""

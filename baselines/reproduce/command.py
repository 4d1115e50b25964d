"""The command ``cardenvs reproduce``: finds reproductions through the entry points ``cardenvs.reproductions``.

An entry's object is a click command, its name the word behind ``cardenvs reproduce``.
"""

import click

from cardenvs.cli import EntryPointGroup


@click.command("reproduce", cls=EntryPointGroup, entry_points="cardenvs.reproductions")
def reproduce_command() -> None:
    """Reproduce published results and compare."""

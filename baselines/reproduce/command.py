"""The command ``cardenvs reproduce``: finds what it can play again through the entry points ``cardenvs.reproductions``.

An entry's object is a click command, its name what comes behind ``cardenvs reproduce``.
"""

from __future__ import annotations

from importlib import metadata

import click

ENTRY_POINT_GROUP = "cardenvs.reproductions"
"""The group of the entry points that name reproductions."""


class _Reproductions(click.Group):
    """A group whose commands are entry points, loaded when they are run or listed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all reproductions, sorted."""
        return sorted(entry.name for entry in metadata.entry_points(group=ENTRY_POINT_GROUP))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of one reproduction; None if there is none of that name."""
        for entry in metadata.entry_points(group=ENTRY_POINT_GROUP, name=cmd_name):
            command: click.Command = entry.load()
            return command
        return None


@click.command("reproduce", cls=_Reproductions)
def reproduce_command() -> None:
    """Play published results again and compare."""

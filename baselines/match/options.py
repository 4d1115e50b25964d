"""The command line's options on how much is played and by which protocol, for all commands that play matches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from cardenvs.baselines.match.protocols import PROTOCOLS, PUBLISHED_GAMES

Command = TypeVar("Command", bound=Callable[..., Any])


def deals_options(deals_help: str) -> Callable[[Command], Command]:
    """``--deals``, ``--games`` and ``--protocol``, given to the command under these names; see `given_deals`.

    Args:
        deals_help: the help text of ``--deals``.
    """

    def decorate(command: Command) -> Command:
        for option in (
            click.option(
                "--protocol", type=click.Choice(PROTOCOLS), default=PROTOCOLS[0], show_default=True, help="How to play."
            ),
            click.option(
                "--games", type=click.IntRange(min=1), help=f"Games of the published protocol. [{PUBLISHED_GAMES}]"
            ),
            click.option("--deals", type=click.IntRange(min=1), help=deals_help),
        ):
            command = option(command)
        return command

    return decorate


def given_deals(deals: int | None, games: int | None, protocol: str) -> int | None:
    """How many deals (in the published protocol: games) were asked for on the command line; None if nothing was said.

    Raises:
        click.UsageError: ``--games`` in duplicate play, or both options.
    """
    if games is not None and protocol != "published":
        raise click.UsageError("--games goes with --protocol published; in duplicate play give --deals")
    if games is not None and deals is not None:
        raise click.UsageError("--deals and --games cannot both be given")
    return games or deals

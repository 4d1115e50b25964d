"""The options for the number of deals or games and for the protocol, shared by the commands that play matches."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import click

from cardenvs.baselines.match.protocols import PROTOCOLS, PUBLISHED_GAMES

Command = TypeVar("Command", bound=Callable[..., Any])

MOST = 100_000_000  # the most deals or games of a match on the command line; the results of more would fill the memory


def deals_options(deals_help: str) -> Callable[[Command], Command]:
    """The options ``--deals``, ``--games`` and ``--protocol`` of a command; `given_deals` takes their values."""

    options = (
        click.option(
            "--protocol", type=click.Choice(PROTOCOLS), default=PROTOCOLS[0], show_default=True,
            help="duplicate: each deal on every side, with two sides twice; published: whole games.",
        ),
        click.option("--games", type=click.IntRange(min=1), help=f"Games of the published protocol. [{PUBLISHED_GAMES}]"),
        click.option("--deals", type=click.IntRange(min=1), help=deals_help),
    )  # fmt: skip
    return lambda command: functools.reduce(lambda decorated, option: option(decorated), options, command)


def given_deals(deals: int | None, games: int | None, protocol: str) -> int | None:
    """Number of deals or games given on the command line, or None; a UsageError for ``--games`` that do not fit."""
    for name, number in (("--deals", deals), ("--games", games)):
        if number is not None and number > MOST:
            raise ValueError(f"{name} must be at most {MOST}, not {number}")
    if games is not None and protocol != "published":
        raise click.UsageError("--games goes with --protocol published; in duplicate play give --deals")
    if games is not None and deals is not None:
        raise click.UsageError("--deals and --games cannot both be given")
    return games or deals

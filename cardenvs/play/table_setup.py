"""Setup of tables: default players, rule options, a table that goes on with a record, the pause between moves."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from cardenvs import policy
from cardenvs.contract.record import record_text
from cardenvs.contract.spec import GameSpec
from cardenvs.play.names import split_names
from cardenvs.play.players import HUMAN
from cardenvs.play.table import Table
from cardenvs.play.table_record import read_table

PAUSE = 0.7  # default pause between two moves on a page, in seconds
_MAX_PAUSE = 60.0
_OPPONENTS = ("hybrid", "rollout", "piers", "pipmc", "random")
"""The default opponent is the first of them that plays the game."""


def default_seats(game: GameSpec) -> list[str]:
    """Returns a person in seat 0 and good quick opponents in the others, by name."""
    return [HUMAN] + [next(name for name in _OPPONENTS if policy.has(game, name))] * (game.seats - 1)


def rules_of_play(game: GameSpec, options: Mapping[str, Any], line: str | None = None) -> dict[str, Any]:
    """Returns a table's rule options: by default, without a given deal (``line``), a game of several deals if any."""
    wanted = {} if line is not None else {o.name: "game" for o in game.options if o.name == "episode"}
    return wanted | dict(options)


def table_of_record(
    game: GameSpec, path: str, seats: Sequence[str] | None = None, names: str | None = None, *, exactly: bool = False
) -> Table:
    """Returns a table that goes on with the last deal of a record, its own file if ``exactly``, with its later deals.

    None as ``seats`` takes the players of the record if a person is among them, else `default_seats`; None as ``names``
    (for `split_names`) those of the record. Raises OSError or ValueError if the record, a policy or a name is refused, or a
    policy would run a program or code that only the record names.
    """
    text = record_text(path)
    last = read_table(text, repr(path), [game], os.path.dirname(path))[0][-1]
    if last.game.name != game.name:
        raise ValueError(f"{path!r} is a record of {last.game.name}, not of {game.name}")
    if seats is None:
        # A record of policies among themselves has no seat for a person.
        seats = last.players if HUMAN in last.players else default_seats(game)
        for name in () if exactly else seats:
            if any(map(policy.runs_code, name.split("="))):  # in a parameter, too
                raise ValueError(f"{path!r} names a program or code to be run, {name!r}: if you trust it, name the seats")
    called = None if names is None else split_names(names, seats)
    return Table.from_text(text, seats, source=repr(path), names=called, exactly=exactly, game=game)


def check_pause(seconds: Any) -> float:
    """Returns a pause between two moves as a float; raises ValueError unless it is a number from 0 to 60."""
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 <= seconds <= _MAX_PAUSE:
        raise ValueError(f"a pause must be 0 to {_MAX_PAUSE:g} seconds, not {str(seconds)[:40]}")
    return float(seconds)

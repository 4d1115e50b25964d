"""Setup of tables: the default players, the rule options, a table that goes on with a record, the pause between moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cardenvs import policy
from cardenvs.contract.record import read_record
from cardenvs.contract.spec import GameSpec
from cardenvs.play.names import split_names
from cardenvs.play.players import HUMAN
from cardenvs.play.table import Table

PAUSE = 0.7
"""The default pause between two moves on a page, in seconds."""
_MAX_PAUSE = 60.0
_OPPONENTS = ("hybrid", "rollout", "piers", "pipmc", "random")
"""The others at a table for which nobody was named: the first of them that plays the game."""


def default_seats(game: GameSpec) -> list[str]:
    """A person in seat 0 and good quick opponents in the others, by name."""
    return [HUMAN] + [next(name for name in _OPPONENTS if policy.has(game, name))] * (game.seats - 1)


def rules_of_play(game: GameSpec, options: Mapping[str, Any], line: str | None = None) -> dict[str, Any]:
    """The rule options of a table that people sit down at: a game of several deals, where the game has such.

    Args:
        options: the options that were named, by name; what they say stays.
        line: the first deal as a line of text, None for a deal that is dealt. A deal that is given is played alone, unless
            the line says otherwise.
    """
    wanted = {} if line is not None else {o.name: "game" for o in game.options if o.name == "episode"}
    return wanted | dict(options)


def table_of_record(
    game: GameSpec, path: str, seats: Sequence[str] | None = None, names: str | None = None, *, exactly: bool = False
) -> Table:
    """A table that goes on with the last deal of a record.

    Args:
        game: the game that the record must be of.
        path: the path of the record's file.
        seats: who plays each seat; None takes the players that the record names if a person is among them, else
            `default_seats`.
        names: what the players are called, as `cardenvs.play.names.split_names` takes it; None takes the record's names.
        exactly: whether the record is the table's own file, from which the deals to come are taken, too; if not, nobody
            who knows the record knows them.

    Raises:
        ValueError: the file is no record, its last deal is of another game, a policy is unknown or would run a program
            or code that the record alone names, or a name cannot be taken.
        OSError: the record or a policy's file cannot be read.
    """
    deals = read_record(path, [game])
    if deals and deals[-1].game.name != game.name:
        raise ValueError(f"{path!r} is a record of {deals[-1].game.name}, not of {game.name}")
    if seats is None:
        # A record of policies among themselves has no seat for whoever wants to play on.
        players = list(deals[-1].players) if deals else []
        seats = players if HUMAN in players else default_seats(game)
        for name in () if exactly else seats:
            if any(map(policy.runs_code, name.split("="))):  # in a parameter, too
                raise ValueError(f"{path!r} names a program or code to be run, {name!r}: if you trust it, name the seats")
    called = None if names is None else split_names(names, seats)
    text = Path(path).read_text("utf-8")
    return Table.from_text(text, seats, source=repr(path), names=called, exactly=exactly, game=game)


def check_pause(seconds: Any) -> float:
    """Checks a pause between two moves, 0 to 60 seconds; returns the pause as a float.

    Raises:
        ValueError: no number, or one that is out of these bounds.
    """
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 <= seconds <= _MAX_PAUSE:
        raise ValueError(f"a pause must be 0 to {_MAX_PAUSE:g} seconds, not {str(seconds)[:40]}")
    return float(seconds)

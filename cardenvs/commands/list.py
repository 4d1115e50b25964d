"""The command ``cardenvs list``: the games, where they are found, their options and the policies that play them."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

import click
import gymnasium

from cardenvs import cli, policy
from cardenvs.printing import say
from cardenvs.spec import game_names, get_game, show

_WIDTH = 80
"""The widest line, where the terminal has no other width; lines are never cut."""


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
            "gymnasium": gymnasium_id(name),
            "pettingzoo": f"cardenvs/{name}-v0" if gymnasium_id(name) else None,
            "seats": spec.seats,
            "observation_size": spec.observation_size,
            "actions": list(spec.actions),
            "options": {o.name: [show(c) for c in o.choices] for o in spec.options},
            "rewards": list(spec.rewards),
            "policies": policy.names(spec),
            "policy_lines": {each: policy.first_line(spec, each) for each in policy.names(spec)},
        }
    if as_json:
        cli.print_json({"games": games})
        return
    width = max(40, shutil.get_terminal_size((_WIDTH, 24)).columns)
    for name, game in games.items():
        say("\n".join(_lines(name, game, width)))


def gymnasium_id(game: str) -> str | None:
    """The id by which Gymnasium knows the one-seat environment of a game; None if it knows none."""
    for key, spec in gymnasium.registry.items():
        if key.startswith("cardenvs/") and spec.kwargs.get("game") == game:
            return str(key)
    return None


def _lines(name: str, game: Mapping[str, Any], width: int) -> Iterator[str]:
    """All that is listed of a game, in lines that are no wider than ``width``."""
    yield from _wrapped(f"{name}: {game['title']}, {game['seats']} seats", "", width)
    yield from _wrapped(f"{'PettingZoo':<11}from cardenvs import {game['module'].rpartition('.')[2]}", "  ", width, 11)
    if game["gymnasium"]:
        yield from _wrapped(f'{"Gymnasium":<11}gymnasium.make("{game["gymnasium"]}")', "  ", width, 11)
    yield from _wrapped(f"{'rewards':<11}{' | '.join(game['rewards'])}", "  ", width, 11)
    yield "  options (default first)"
    for key, values in game["options"].items():
        yield from _wrapped(f"{key} = {' | '.join(values)}", "    ", width, 2)
    yield "  policies"
    column = 2 + max(map(len, game["policy_lines"]))
    for key, line in game["policy_lines"].items():
        yield from _wrapped(f"{key:<{column}}{line}", "    ", width, column)
    yield ""


def _wrapped(text: str, indent: str, width: int, more: int = 0) -> list[str]:
    """A text in lines of at most ``width``, all behind ``indent`` and all but the first ``more`` further in."""
    return textwrap.wrap(
        text, width, initial_indent=indent, subsequent_indent=indent + " " * more, break_on_hyphens=False
    )  # fmt: skip

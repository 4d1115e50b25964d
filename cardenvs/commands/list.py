"""The command ``cardenvs list``: the games, where they are found, their options and the policies that play them."""

import shutil
import textwrap
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
import gymnasium

from cardenvs import cli, policy
from cardenvs.contract.options import show
from cardenvs.contract.registry import described_names, family_of, game_file, game_names, get_game, named_game
from cardenvs.contract.spec import GameSpec
from cardenvs.printing import say

_WIDTH = 80  # maximum width of lines where the terminal has no other; lines are never cut


@click.command("list")
@click.argument("game", type=cli.GameType(), required=False)
@cli.json_option
@cli.seed_option
def list_command(game: GameSpec | None, as_json: bool, seed: int) -> None:
    """List the games and the policies; with GAME, the options, rewards and policies of that game."""
    del seed  # every command takes one; nothing here is random
    specs = [get_game(name) for name in game_names()] if game is None else [game]
    games = {spec.name: _game_facts(spec) for spec in specs}
    described = _described_games() if game is None else {}
    if as_json:
        cli.print_json({"games": games} | ({"described": described} if game is None else {}))
        return
    width = max(40, shutil.get_terminal_size((_WIDTH, 24)).columns)
    if game is None:
        say("\n".join([*_game_lines(games, described, width), *_policy_lines(games, width)]))
    else:
        say("\n".join(_fact_lines(game.name, games[game.name], width)))


def _game_facts(spec: GameSpec) -> dict[str, Any]:
    has_module = spec.path is None and find_spec(f"cardenvs.{spec.module}") is not None
    policies = policy.names(spec)
    identity = gymnasium_id(spec.family)
    return {
        "title": spec.title,
        "module": f"cardenvs.{spec.module}" if has_module else "cardenvs.recycle",
        "gymnasium": identity,
        "pettingzoo": f"cardenvs/{spec.family}-v0" if identity else None,
        "file": spec.path,
        "seats": spec.seats,
        "observation_size": spec.observation_size,
        "actions": list(spec.actions),
        "options": {o.name: [show(c) for c in o.choices] for o in spec.options},
        **_form_facts(spec),
        "rewards": list(spec.rewards),
        "policies": policies,
        "policy_lines": {each: policy.first_line(spec, each) for each in policies},
    }


def _form_facts(spec: GameSpec) -> dict[str, Any]:
    """Returns the ranges of a game's form parameters and its presets; empty for a game without forms."""
    family = family_of(spec)
    if family is None:
        return {}
    ranges = {name: list(bounds) for name, bounds in family.ranges.items()}
    return {"parameters": ranges, "presets": {name: dict(preset) for name, preset in family.presets.items()}}


def _described_games() -> dict[str, str]:
    """Returns a line on each game that ships as a description, by name, without compiling it."""
    from cardenvs.recycle.library import headline  # other commands do not wait for it

    files = {name: Path(game_file(name) or "") for name in described_names()}
    return {name: headline(file.read_text("utf-8")) for name, file in files.items()}


def gymnasium_id(game: str) -> str | None:
    """Returns Gymnasium's id of the one-seat environment of a game; None if there is none."""
    for key, spec in gymnasium.registry.items():
        if key.startswith("cardenvs/") and spec.kwargs.get("game") == game:
            return str(key)
    return None


def _fact_lines(name: str, game: Mapping[str, Any], width: int) -> Iterator[str]:
    yield from _wrap_text(f"{name}: {game['title']}, {game['seats']} seats", "", width)
    module = game["module"].rpartition(".")[2]
    made = f": {module}.env({name!r})" if module == "recycle" else ""
    yield from _wrap_text(f"{'PettingZoo':<11}from cardenvs import {module}{made}", "  ", width, 11)
    if game["gymnasium"]:
        yield from _wrap_text(f'{"Gymnasium":<11}gymnasium.make("{game["gymnasium"]}")', "  ", width, 11)
    yield from _wrap_text(f"{'rewards':<11}{' | '.join(game['rewards'])}", "  ", width, 11)
    if game["options"]:
        yield "  options (default first)"
    for key, values in game["options"].items():
        yield from _wrap_text(f"{key} = {' | '.join(values)}", "    ", width, 2)
    if "parameters" in game:
        yield f"  forms, such as {_example_form(name, game)}"
    for key, (low, high) in game.get("parameters", {}).items():
        yield f"    {key} = {low} to {high}"
    for key, preset in game.get("presets", {}).items():
        yield from _wrap_text(f"{key}: {', '.join(f'{one}={value}' for one, value in preset.items())}", "    ", width, 2)
    yield "  policies"
    listed = _listed_policies(name, game)
    column = 2 + max(map(len, listed))
    for key, line in listed.items():
        yield from _wrap_text(f"{key:<{column}}{line}", "    ", width, column)
    yield ""


def _example_form(name: str, game: Mapping[str, Any]) -> str:
    key, (_, high) = next(iter(game["parameters"].items()))
    return f"{name.partition(':')[0]}:{key}={high}"


def _listed_policies(name: str, game: Mapping[str, Any]) -> dict[str, str]:
    return {key: game["policy_lines"][key] for key in policy.listed_names(named_game(name))}


def _game_lines(games: Mapping[str, Any], described: Mapping[str, str], width: int) -> Iterator[str]:
    column = 2 + max(map(len, (*games, *described)))
    yield from _wrap_text("Games (cardenvs list GAME tells its options, rewards and policies)", "", width, 2)
    for name, facts in games.items():
        more = " (and other forms)" if "parameters" in facts else ""
        made = f"{facts['title']}, {facts['seats']} seats{more}: cardenvs.{facts['module'].rpartition('.')[2]}"
        yield from _wrap_text(f"{name:<{column}}{made}", "  ", width, column)
    yield ""
    yield from _wrap_text("Described games, compiled when they are first used (so is any file .rcy)", "", width, 2)
    for name, about in described.items():
        yield from _wrap_text(f"{name:<{column}}{about.partition(':')[0]}", "  ", width, column)
    yield ""


def _policy_lines(games: Mapping[str, Any], width: int) -> Iterator[str]:
    """Yields every policy under the games that it plays; one that differs between games is listed for each."""
    players: dict[tuple[str, str], list[str]] = {}
    for game, facts in games.items():
        for policy_and_line in _listed_policies(game, facts).items():
            players.setdefault(policy_and_line, []).append(game)
    column = 2 + max(len(name) for name, _ in players)
    for played in dict.fromkeys(map(tuple, players.values())):
        yield from _wrap_text(f"Policies of {', '.join(played)}", "", width, 2)
        for (name, line), its_games in players.items():
            if tuple(its_games) == played:
                yield from _wrap_text(f"{name:<{column}}{line}", "  ", width, column)
        yield ""


def _wrap_text(text: str, indent: str, width: int, more: int = 0) -> list[str]:
    """Wraps a text to ``width``, behind ``indent``; all lines but the first are ``more`` columns further in."""
    return textwrap.wrap(text, width, initial_indent=indent, subsequent_indent=indent + " " * more, break_on_hyphens=False)

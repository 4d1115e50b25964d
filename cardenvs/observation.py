"""The command ``cardenvs observation``: the parts of the observations, written from the code."""

from __future__ import annotations

from typing import Any

import click
from rich.console import Console
from rich.table import Table

from cardenvs import cli
from cardenvs.files import write_whole
from cardenvs.spec import GameSpec, Part, game_names, get_game


def _where(where: slice) -> str:
    return f"{where.start}:{where.stop}"


def _values(part: Part) -> str:
    labels = part.labels
    return " ".join(labels) if len(labels) <= 8 else f"{labels[0]} {labels[1]} ... {labels[-1]}"


def parts(game: GameSpec) -> list[dict[str, Any]]:
    """Name, slice, labels and meaning of every part, those that only `state()` has last."""
    rows = []
    for listed, slices, hidden in ((game.parts, game.slices, False), (game.hidden, game.hidden_slices, True)):
        for part in listed:
            where = slices[part.name]
            rows.append(
                {
                    "name": part.name,
                    "start": where.start,
                    "stop": where.stop,
                    "labels": list(part.labels),
                    "meaning": part.meaning,
                    "state_only": hidden,
                }
            )
    return rows


def markdown() -> str:
    """The document on all games' observations."""
    lines = [
        "# Observations",
        "",
        "Written by `make docs` from the code. An observation is a row of int8 zeros and ones: the parts below end to end.",
        "`state()` has the same parts and behind them those marked as hidden. In code: `get_game(name).slices[part]`, and",
        "`get_game(name).describe(observation)` prints one for a person. Seats are relative: `self` is the observer,",
        "`left` the next to play.",
    ]
    for name in game_names():
        game = get_game(name)
        lines += [
            "",
            f"## {game.title}",
            "",
            f"{game.observation_size} entries; `state()` has {game.state_size}. {game.num_actions} actions.",
            "",
            "| part | slice | entries | meaning |",
            "|---|---|---|---|",
        ]
        for listed, slices, mark in ((game.parts, game.slices, ""), (game.hidden, game.hidden_slices, "hidden: ")):
            for part in listed:
                where = slices[part.name]
                lines.append(f"| `{part.name}` | {_where(where)} | {_values(part)} | {mark}{part.meaning} |")
    return "\n".join(lines) + "\n"


@click.command("observation")
@click.argument("game", type=cli.GameType(), required=False)
@click.option("--markdown", "report", type=click.Path(dir_okay=False), help="Write the document on all games here.")
@cli.seed_option
@cli.json_option
def observation_command(game: GameSpec | None, report: str | None, seed: int, as_json: bool) -> None:
    """List the parts of GAME's observations (of all games without one)."""
    del seed
    if report:
        write_whole(report, markdown())
        return
    games = [game] if game is not None else [get_game(name) for name in game_names()]
    if as_json:
        cli.print_json({g.name: {"size": g.observation_size, "parts": parts(g)} for g in games})
        return
    for g in games:
        table = Table("part", "slice", "entries", "meaning", title=f"{g.title}: {g.observation_size} entries")
        for listed, slices, mark in ((g.parts, g.slices, ""), (g.hidden, g.hidden_slices, "hidden: ")):
            for part in listed:
                table.add_row(part.name, _where(slices[part.name]), _values(part), mark + part.meaning)
        Console().print(table)

"""The command ``cardenvs recycle check``."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import click

from cardenvs import cli
from cardenvs.printing import remark, say
from cardenvs.recycle.compiler.layout import Layout
from cardenvs.recycle.compiler.module import Module
from cardenvs.recycle.game import compiled, find
from cardenvs.recycle.language.errors import RecycleError
from cardenvs.telling import counts as telling
from cardenvs.telling import hearing


@click.command("check")
@click.argument("file", type=click.Path())
@click.option(
    "--play",
    type=click.IntRange(min=0),
    is_flag=False,
    flag_value=0,
    help="Play so many games, and judge what seats are told of hidden cards; without a number, for about a minute.",
)
@click.option("--actions", is_flag=True, help="List the actions of each alternative, too.")
@cli.json_option
def check_command(file: str, play: int | None, actions: bool, as_json: bool) -> int:
    """Check the description of a game in FILE: what is wrong is told with its line and column."""
    description = find(file)
    try:
        module = Module(Layout(description))
        module.text()
    except RecycleError as error:
        raise error.named(file) from None
    remarks = sorted({*description.remarks, *module.remarks})
    figures = {
        "file": file,
        "seats": description.players,
        "teams": [list(team) for team in description.teams],
        "cards": len(module.layout.cards),
        "choices": len(module.points),
        "actions": len(module.actions.keys),
        "remarks": [{"line": at.line, "column": at.column, "remark": text} for at, text in remarks],
    }
    alternatives = _alternatives(module) if actions else []
    figures |= {"alternatives": alternatives} if actions else {}
    counts = {} if play is None else _judged(description, file, play)
    figures |= {name: count.wrong for name, count in counts.items()}
    figures |= {"looked": {name: count.looked for name, count in counts.items()}} if counts else {}
    wrong = int(any(count.wrong for name, count in counts.items() if name not in _ALLOWED))
    if as_json:
        cli.print_json(figures)
        return wrong
    for at, text in remarks:
        say(f"{file}:{at}: {text}")
    say(f"{file}: a game for {description.players} with {figures['cards']} cards and {figures['actions']} actions")
    for one in alternatives:
        how = ", in parts" if one["in_parts"] else ""
        say(f"{file}:{one['line']}:{one['column']}: {len(one['actions'])} actions{how}: {' '.join(one['actions'])}")
    for name, count in counts.items():
        said = f", {count.unfound} without a world" if count.unfound else ""
        say(f"{name}: {count.wrong} of {count.looked}{said}{f'; {count.first}' if count.first else ''}")
    return wrong


def _alternatives(module: Module) -> list[dict[str, Any]]:
    """The alternatives of all choices in the order of the text, with the names of their actions."""
    return [
        {
            "line": one.act.at.line,
            "column": one.act.at.column,
            "choice": one.choice.number,
            "in_parts": one.in_parts,
            "actions": [module.encoding.names[action] for action in sorted(one.own_actions)],
        }
        for one in module.actions
    ]


_JUDGES: dict[str, Callable[..., telling.Count]] = {
    "false": telling.count_false,
    "mask": telling.count_mask,
    "secrets": partial(telling.count_secrets, ways=hearing.EVERY),
    "impossible": telling.count_past,
    "impossible_without_recall": partial(telling.count_past, recall=False),
}
"""The judges of a game, by the names of their counts in JSON."""
_ALLOWED = ("impossible_without_recall",)
"""Counts that are told and no fault: an observation without recall does not carry all that was seen."""
MINUTE = 45.0
"""Seconds of playing after which no further game is begun where no number is asked for."""


def _judged(description: Any, file: str, games: int) -> dict[str, telling.Count]:
    """The judges' counts over some games, 0 for a minute, by their names; progress is told on standard error."""
    spec = compiled(replace(description, name=file), file)
    counts = {name: telling.Count() for name in _JUDGES}
    start, game = time.monotonic(), 0
    while game < games or (not games and (game == 0 or time.monotonic() - start < MINUTE)):
        for name, judge in _JUDGES.items():
            counts[name].add(judge(spec, game))
        game += 1
        remark(f"{file}: game {game}{f' of {games}' if games else ''}")
    return counts

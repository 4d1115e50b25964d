"""The command ``cardenvs recycle check``."""

import contextvars
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import click

from cardenvs import cli
from cardenvs.compiled import waiting
from cardenvs.information_audit import channels
from cardenvs.information_audit import counts as audit
from cardenvs.printing import remark, say
from cardenvs.recycle.compiler.layout import Layout
from cardenvs.recycle.compiler.module import Module
from cardenvs.recycle.game import compiled, find
from cardenvs.recycle.language.errors import RecycleError


@click.command("check")
@click.argument("file", type=click.Path())
@click.option(
    "--play",
    type=click.IntRange(min=0),
    is_flag=False,
    flag_value=0,
    help="Play this number of games and check what seats know of hidden cards; without a number, until --seconds.",
)
@click.option(
    "--seconds", type=cli.FiniteRange(min=0, min_open=True), default=60.0, show_default=True,
    help="Time for --play, after which the figures so far are reported, without the time to compile a new description.",
)  # fmt: skip
@click.option("--actions", is_flag=True, help="Also list the actions of each alternative.")
@cli.json_option
def check_command(file: str, play: int | None, seconds: float, actions: bool, as_json: bool) -> int:
    """Check the description of a game in FILE; errors are reported with line and column."""
    description = find(file)
    try:
        module = Module(Layout(description))
        module.source_text()
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
    alternatives = _list_alternatives(module) if actions else []
    figures |= {"alternatives": alternatives} if actions else {}
    with waiting.untold():  # a spinner would outlive Ctrl-C
        counts, played = ({}, {}) if play is None else _judge_games(description, file, play, seconds)
    figures |= {name: count.wrong for name, count in counts.items()}
    figures |= {"looked": {name: count.looked for name, count in counts.items()}, "played": played} if counts else {}
    wrong = int(any(count.wrong for name, count in counts.items() if name not in _ALLOWED))
    status = 128 + signal.SIGINT if played and played["ended"] == "interrupted" else wrong
    if as_json:
        cli.print_json(figures)
        return status
    for at, text in remarks:
        say(f"{file}:{at}: {text}")
    say(f"{file}: a game for {description.players} with {figures['cards']} cards and {figures['actions']} actions")
    for one in alternatives:
        how = ", in parts" if one["in_parts"] else ""
        say(f"{file}:{one['line']}:{one['column']}: {len(one['actions'])} actions{how}: {' '.join(one['actions'])}")
    for name, count in counts.items():
        said = f", {count.unfound} without a world" if count.unfound else ""
        say(f"{name}: {count.wrong} of {count.looked}{said}{f'; {count.first}' if count.first else ''}")
    if counts:
        say(f"{file}: {_describe_played(played)}{_ENDS[played['ended']]}")
    return status


def _list_alternatives(module: Module) -> list[dict[str, Any]]:
    """Returns the alternatives of all choices in the order of the text, with the names of their actions."""
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


_JUDGES: dict[str, Callable[..., audit.Count]] = {
    "false": audit.count_false,
    "mask": audit.count_mask,
    "secrets": partial(audit.count_secrets, channels=channels.ALL_CHANNELS),
    "impossible": audit.count_past,
    "impossible_without_recall": partial(audit.count_past, recall=False),
}
"""The judges of a game, by the names of their counts in JSON."""
_ALLOWED = ("impossible_without_recall",)
"""Counts that are reported and no fault: an observation without recall does not carry the whole past."""
_ENDS = {
    "games": "",
    "time": ", which was all the time there was: the figures are of what was looked at so far, --seconds gives more",
    "interrupted": ", and interrupted: the figures are of what was looked at so far",
}
"""The ways in which playing ends, in JSON and in words."""
_TICK, _REPORT = 0.1, 10.0  # seconds between two looks at the clock, and between two lines of progress


def _judge_games(description: Any, file: str, games: int, seconds: float) -> tuple[dict[str, audit.Count], dict[str, Any]]:
    """Returns the judges' counts over some games by their names, and how long they took; 0 games: no limit but time.

    Each judge runs in a thread, so that Ctrl-C and the time limit work while a kernel searches for a world. Compile time
    does not count. Progress goes to standard error.
    """
    spec = compiled(replace(description, name=file), file)
    _ = spec.sights and spec.sights()  # once, for all threads
    due = waiting.guess()
    on_top = f"what is to be compiled comes on top, {f'{due} s the last time' if due else 'a minute or two'}"
    remark(f"{file}: plays for at most {seconds:g} s; {on_top}")
    counts, failures = {name: audit.Count() for name in _JUDGES}, list[Exception]()
    played: dict[str, Any] = {"games": 0, "seconds": 0.0, "compiling": 0.0, "ended": "games"}

    def judge(name: str) -> None:
        try:
            _JUDGES[name](spec, played["games"], count=counts[name])
        except SystemExit:
            pass  # its time is over
        except Exception as error:
            failures.append(error)

    before = reported = time.monotonic()
    try:
        while not failures and played["ended"] == "games" and (played["games"] < games or not games):
            running = [
                threading.Thread(target=contextvars.copy_context().run, args=(judge, one), daemon=True) for one in counts
            ]
            for thread in running:
                thread.start()
            while running and not failures and played["ended"] == "games":
                running[0].join(_TICK)
                running, now = [thread for thread in running if thread.is_alive()], time.monotonic()
                played["seconds" if waiting.at_work() is None else "compiling"] += now - before
                before = now
                if played["seconds"] > seconds:
                    played["ended"] = "time"
                if now > reported + _REPORT:
                    reported = now
                    so_far = ", ".join(f"{name} {count.wrong} of {count.looked}" for name, count in counts.items())
                    remark(f"{file}: {_describe_played(played)}: {so_far}")
            played["games"] += played["ended"] == "games"
    except KeyboardInterrupt:
        played["ended"] = "interrupted"
    finally:
        for count in counts.values():
            count.stopped = True
    if failures:
        raise failures[0]
    return counts, {name: round(value, 1) if isinstance(value, float) else value for name, value in played.items()}


def _describe_played(played: dict[str, Any]) -> str:
    behind = f" behind {played['compiling']:.0f} s of compiling" if played["compiling"] > 1 else ""
    return f"whole games: {played['games']}, in {played['seconds']:.0f} s{behind}"

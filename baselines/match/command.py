"""The command ``cardenvs match``."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from cardenvs import cli
from cardenvs.baselines.match.play import PROTOCOLS, Observer, Side, play_match
from cardenvs.baselines.match.recording import Recorder
from cardenvs.baselines.observers.cooperation import METRICS, Cooperation, CooperationObserver
from cardenvs.spec import Games, GameSpec, show

Command = TypeVar("Command", bound=Callable[..., Any])

PUBLISHED_GAMES = 10_001
"""Games of a pairing in the Euchre paper."""


def _match_options(command: Command) -> Command:
    """How much to play, and how."""
    for decorate in (
        click.option(
            "--deals", type=click.IntRange(min=1), default=None, help="Deals to play twice (published: games). [1000]"
        ),
        click.option(
            "--games",
            type=click.IntRange(min=1),
            default=None,
            help=f"Games of the published protocol. [{PUBLISHED_GAMES}]",
        ),
        click.option(
            "--protocol", type=click.Choice(PROTOCOLS), default=PROTOCOLS[0], show_default=True, help="How to play."
        ),
        cli.rule_option,
        cli.seed_option,
        cli.json_option,
    ):
        command = decorate(command)
    return command


def _deals(deals: int | None, games: int | None, protocol: str) -> int:
    if games is not None and protocol != "published":
        raise click.UsageError("--games goes with --protocol published; in duplicate play give --deals")
    if games is not None and deals is not None:
        raise click.UsageError("--deals and --games cannot both be given")
    return games or deals or (1000 if protocol == "duplicate" else PUBLISHED_GAMES)


def plus_minus(mean: float, ci95: list[float], digits: int = 3, percent: bool = False) -> str:
    """A mean with half the width of its interval, for tables."""
    half = (ci95[1] - ci95[0]) / 2
    if percent:
        mean, half, digits = 100 * mean, 100 * half, 1
    sign = "" if percent else "+"
    return f"{mean:{sign}.{digits}f} ±{half:.{digits}f}" if math.isfinite(half) else f"{mean:{sign}.{digits}f}"


@click.command("match")
@cli.game_argument
@click.argument("first")
@click.argument("second")
@click.option("--cooperation", is_flag=True, help="Also count how often partners take from each other (trick games).")
@click.option(
    "--record",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write every deal to this file as a line of text, as `cardenvs review` reads it; once all is played.",
)
@_match_options
def match_command(
    game: GameSpec,
    first: str,
    second: str,
    cooperation: bool,
    record: Path | None,
    deals: int | None,
    games: int | None,
    protocol: str,
    options: tuple[tuple[str, str], ...],
    seed: int,
    as_json: bool,
) -> None:
    """Play FIRST against SECOND: policies by name or file; mixed sides as one+other."""
    number = _deals(deals, games, protocol)
    rules = cli.rule_options(game, options)
    sides = Side(game, first), Side(game, second)
    partners = CooperationObserver(game) if cooperation else None
    recorder = Recorder(game, sides) if record is not None else None
    observers: list[Observer] = [seen for seen in (partners, recorder) if seen is not None]

    def show_all(deals: Games, owner: npt.NDArray[np.int64]) -> None:
        for observer in observers:
            observer(deals, owner)

    with cli.counting(f"{first} - {second}", number) as count:
        result = play_match(
            game, *sides, deals=number, seed=seed, protocol=protocol, progress=count,
            observer=show_all if observers else None, **rules,
        )  # fmt: skip
    if recorder is not None and record is not None:
        words = ["cardenvs", "match", game.name, first, second, "--deals", str(number), "--protocol", protocol]
        words += [word for key, value in rules.items() for word in ("-o", f"{key}={show(value)}")]
        recorder.write(record, shlex.join([*words, "--seed", str(seed)]))
        cli.stderr.print(f"record: {record}", highlight=False, soft_wrap=True)
    if as_json:
        cli.print_json(result.as_dict() | ({} if partners is None else {"cooperation": partners.result().as_dict()}))
        return
    rules_text = ", ".join(f"{name} {value}" for name, value in result.options.items())
    table = Table("", *result.sides, title=f"{game.title}, {protocol}: {result.games} games ({rules_text})")
    second_ci = [1 - result.ci95[1], 1 - result.ci95[0]]
    taken = "columns won" if "columns" in game.rewards else "tricks won"
    table.add_row(
        "win rate, % (95%)",
        plus_minus(result.win_rate[0], result.ci95, percent=True),
        plus_minus(result.win_rate[1], second_ci, percent=True),
    )
    for name, values in (("games won", result.games_won), (taken, result.tricks_won), ("points", result.points)):
        table.add_row(name, *(f"{value:,}" for value in values))
    unit = "deal" if protocol == "duplicate" else "game"
    table.add_row(
        f"points a {unit} above the other (95%)",
        plus_minus(result.mean_points, result.mean_points_ci95),
        plus_minus(-result.mean_points, result.mean_points_ci95),
    )
    table.add_row(
        f"{taken.split()[0]} a {unit} above the other (95%)",
        plus_minus(result.mean_tricks, result.mean_tricks_ci95),
        plus_minus(-result.mean_tricks, result.mean_tricks_ci95),
    )
    table.add_row("decisions/s", *(f"{rate:,.0f}" for rate in result.decisions_per_s))
    Console().print(table)
    if partners is not None:
        Console().print(_cooperation_table(partners.result(), result.sides))


def _cooperation_table(cooperation: Cooperation, sides: list[str]) -> Table:
    """How often partners take from each other, a column for each side."""
    table = Table("", *sides, title=f"cooperation, {cooperation.deals:,} deals")
    for name, metric in cooperation.metrics.items():
        cells = []
        for side in (0, 1):
            rate, lost = metric.rate[side], metric.points_lost[side]
            text = "-" if rate is None else f"{100 * rate:.1f}% of {metric.opportunities[side]:,}"
            cells.append(text if lost is None else f"{text}, -{lost:.3f}")
        table.add_row(METRICS[name], *cells)
    table.caption = "% of the times it could be left; points lost each time, all cards open"
    return table

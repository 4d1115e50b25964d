"""The command ``cardenvs reproduce euchre``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from cardenvs import cli
from cardenvs.baselines.commands import engine_options, or_cores
from cardenvs.baselines.match import Side
from cardenvs.baselines.reproduce.euchre.measure import (
    FIGURES,
    Comparison,
    drift,
    pairing_plans,
    play,
    precise_plans,
    table_plans,
)
from cardenvs.baselines.reproduce.euchre.paper import MARKOV2_CAUSE
from cardenvs.baselines.reproduce.euchre.report import markdown, show
from cardenvs.baselines.reproduce.shared import command_line
from cardenvs.contract.registry import get_game
from cardenvs.files import write_whole


@click.command("euchre")
@click.option("--games", type=click.IntRange(min=1), default=10_001, show_default=True, help="Games of each table.")
@click.option(
    "--precise",
    type=click.IntRange(min=1),
    is_flag=False,
    flag_value=100_000,
    default=None,
    metavar="[GAMES]",
    help="Also play the pairings of the precise reference, 100,000 games each unless another number is given.",
)
@click.option(
    "--pairing",
    "pairings",
    nargs=2,
    multiple=True,
    metavar="FIRST SECOND",
    help="Play this pairing instead of the tables, mixed sides as one+other; may be repeated.",
)
@engine_options("play")
@cli.report_option
@cli.seed_option
@cli.json_option
def euchre_command(
    games: int,
    precise: int | None,
    pairings: tuple[tuple[str, str], ...],
    workers: int | None,
    cluster: str | None,
    report: Path | None,
    seed: int,
    as_json: bool,
) -> None:
    """The 45 tables of the Euchre paper, side by side with ours."""
    game = get_game("euchre")
    for name in (name for sides in pairings for name in sides):
        Side(game, name)  # an unknown policy is an error before anything is played
    first = pairing_plans(pairings, games, seed) if pairings else table_plans(games, seed)
    plans = [*first, *(precise_plans(precise, seed) if precise else [])]
    with cli.counting("euchre", sum(plan.games for plan in plans)) as count:
        rows = play(plans, count, workers=or_cores(workers, cluster), cluster=cluster)
    compared, tables = (rows[: len(first)], []) if pairings else ([], rows[: len(first)])
    exact = rows[len(first) :]
    if report is not None:
        write_whole(report, markdown(tables, exact, compared, _command_line(games, precise, pairings, seed)))
    if as_json:
        cli.print_json(_figures(tables, exact, compared, seed))
    else:
        show(tables, exact, compared)


def _command_line(games: int, precise: int | None, pairings: Sequence[Sequence[str]], seed: int) -> str:
    """The command that plays the same games again."""
    words = ["--seed", str(seed), "--games", str(games)]
    for sides in pairings:
        words += ["--pairing", *sides]
    words += ["--precise", str(precise)] if precise else []
    return command_line("euchre", words)


def _figures(
    tables: Sequence[Comparison], precise: Sequence[Comparison], pairings: Sequence[Comparison], seed: int
) -> dict[str, Any]:
    """All figures for JSON; what was not played has no key."""
    figures: dict[str, Any] = {"game": "euchre", "protocol": "published", "seed": seed, "figures": list(FIGURES)}
    for key, rows in (("tables", tables), ("precise", precise), ("pairings", pairings)):
        if rows:
            figures[key] = [row.as_dict() for row in rows]
            if any(row.agrees is not None for row in rows):
                figures[f"{key}_drift"] = asdict(drift(rows))
    return figures | {"markov2": MARKOV2_CAUSE}

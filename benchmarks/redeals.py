"""Re-deals of many games, judged: ``python benchmarks/redeals.py [GAME ...] [--games N] [--report FILE] [--json]``.

At positions of random games a world is drawn for the seat to act, with and without recall, and judged: could it have led to
what the seat has seen? Without names all games that ship are taken; descriptions go by their file.
``NUMBA_DISABLE_JIT=1`` is faster for small games.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
from measuring import count_option, hand_over, machine, tell, written_by

from cardenvs import cli
from cardenvs.baselines.reports.document import Document, Table, said
from cardenvs.baselines.reports.results import plain
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.registry import game_names, get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.information_audit import counts as audit
from cardenvs.recycle import shipped_names
from cardenvs.recycle.library import SUFFIX


@dataclass
class Figures:
    """What was measured of a game.

    Attributes:
        game: its name.
        positions: at how many a world with recall was drawn; 0 in games that know no recall.
        not_found: at how many of these none was found, which is said.
        impossible: worlds with recall that could not have led to what was seen.
        positions_without_recall: at how many a world without recall was drawn.
        not_found_without_recall: at how many of these none was found.
        impossible_without_recall: of how many a past was looked for in vain; the impossible ones are at most as many.
        world_us: the median time of a re-deal with recall, or without where there is none, in microseconds.
    """

    game: str
    positions: int
    not_found: int
    impossible: int
    positions_without_recall: int
    not_found_without_recall: int
    impossible_without_recall: int
    world_us: float


def measure(spec: GameSpec, games: int, seed: int) -> Figures:
    """Judges some random games of a game."""
    with_past, without = audit.Count(), audit.Count()
    for number in range(games):
        with_past.merge(audit.count_past(spec, seed + number))
        without.merge(audit.count_past(spec, seed + number, recall=False))
    counts = [[count.looked + count.unfound, count.unfound, count.wrong] for count in (with_past, without)]
    return Figures(spec.name, *counts[0], *counts[1], world_us=world_us(spec, seed))


def world_us(spec: GameSpec, seed: int) -> float:
    """Microseconds of a re-deal at the positions of a random game, the median."""
    eyes, views, dealt, spent = spec.with_recall(bool(spec.recall_parts)), spec.new_games(1), spec.new_games(1), []
    streams = seed_streams(seed, 1)
    for games in audit.deal_positions(spec, seed):
        eyes.kernels.view(games, 0, max(int(games[0]["to_act"]), 0), views, 0)
        began = time.perf_counter()
        eyes.kernels.redeal(views, 0, streams, 0, dealt, 0)
        spent.append(time.perf_counter() - began)
    return 1e6 * float(np.median(spent))


def document(figures: list[Figures], games: int, seed: int) -> Document:
    """The report."""
    head = [
        "game", "positions with recall", "not found", "impossible", "without recall", "none found", "impossible, at most",
        "us a world",
    ]  # fmt: skip
    rows = [
        [
            f.game, f"{f.positions:,}", str(f.not_found), str(f.impossible),
            f"{f.positions_without_recall:,}", str(f.not_found_without_recall),
            share(f.impossible_without_recall, f.positions_without_recall - f.not_found_without_recall),
            f"{f.world_us:,.0f}",
        ]
        for f in figures
    ]  # fmt: skip
    worlds, wrong = sum(f.positions - f.not_found for f in figures), sum(f.impossible for f in figures)
    meaning = said(
        f"""{written_by(__file__, games=games, seed=seed)} on {machine()["processor"]}. {len(figures)} games, {worlds:,}
        worlds with recall: {wrong} could not have led to what their seat had seen. Of each game {games} random deals, at
        up to {audit.MOST_PASTS} positions of each one world for the seat to act. A world with recall has a past, which
        is replayed beside the true one. For one without recall a past is looked for, not always found where there is one:
        the share is an upper bound. The last column is the median time of a world, with recall where the game knows it."""
    )
    return Document("Re-deals, judged", [meaning, Table(head, rows, spare=["without recall", "none found"])])


def share(count: int, of: int) -> str:
    """A share in percent."""
    return f"{100 * count / of:.1f}%" if of else ""


@click.command(help=__doc__)
@click.argument("chosen", metavar="[GAME]...", nargs=-1, type=cli.GameType())
@count_option("--games", 5, "Random games of each game.")
@cli.report_option
@cli.seed_option
@cli.json_option
def main(chosen: tuple[GameSpec, ...], games: int, report: Path | None, seed: int, as_json: bool) -> None:
    """Prints the table."""
    figures = []
    shipped = (*game_names(), *(f"{name}{SUFFIX}" for name in shipped_names()))
    for spec in chosen or map(get_game, shipped):
        figures.append(measure(spec, games, seed))
        tell(figures[-1])
    told = {**machine("numpy", "numba"), "games": plain(figures)}
    hand_over(told, document(figures, games, seed), report, as_json)


if __name__ == "__main__":
    main()

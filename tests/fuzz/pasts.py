"""Re-deals of many games, judged: positions, worlds that are not found, and those that could not have led to what was seen.

``python -m tests.fuzz.pasts --games 5 hearts whist.rcy euchre tests/recycle/examples/knock.rcy`` prints a table; without
names all games that ship are taken. ``NUMBA_DISABLE_JIT=1`` is faster for small games.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import click
import numpy as np

from cardenvs import telling
from cardenvs.cards import seed_streams
from cardenvs.markdown import table_lines
from cardenvs.recycle import shipped_names
from cardenvs.recycle.library import SUFFIX
from cardenvs.spec import GameSpec, game_names, get_game


@dataclass(frozen=True)
class Row:
    """What was measured of a game.

    Attributes:
        game: its name.
        recalled: worlds with recall.
        plain: worlds without; of those that are wrong the share is at most what is told.
        microseconds: the time of a re-deal with recall.
    """

    game: str
    recalled: telling.Count
    plain: telling.Count
    microseconds: float


def measured(spec: GameSpec, games: int, seed: int) -> Row:
    """Judges some random games of a game."""
    counts = telling.Count(), telling.Count()
    for number in range(games):
        for count, recall in zip(counts, (True, False), strict=True):
            count.add(telling.count_past(spec, seed + number, recall))
    return Row(spec.name, *counts, redeal_time(spec, seed))


def redeal_time(spec: GameSpec, seed: int) -> float:
    """Microseconds of a re-deal at the positions of a random game, the median."""
    eyes, views, dealt, spent = spec.with_recall(bool(spec.recall_parts)), spec.new_games(1), spec.new_games(1), []
    streams = seed_streams(seed, 1)
    for games in telling.positions(spec, seed):
        eyes.kernels.view(games, 0, max(int(games[0]["to_act"]), 0), views, 0)
        began = time.perf_counter()
        eyes.kernels.redeal(views, 0, streams, 0, dealt, 0)
        spent.append(time.perf_counter() - began)
    return 1e6 * float(np.median(spent))


def told(rows: list[Row]) -> list[str]:
    """The rows as a table."""
    head = ["game", "re-deals with recall", "not found", "impossible", "without recall", "impossible at most", "us a world"]
    cells = [
        [
            row.game, str(row.recalled.looked + row.recalled.unfound), str(row.recalled.unfound), str(row.recalled.wrong),
            str(row.plain.looked + row.plain.unfound), f"{100 * row.plain.share:.1f}%", f"{row.microseconds:.0f}",
        ]
        for row in rows
    ]  # fmt: skip
    return table_lines(head, cells)


@click.command(help=__doc__)
@click.argument("names", nargs=-1)
@click.option("--games", type=click.IntRange(min=1), default=5, show_default=True)
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True)
def command(names: tuple[str, ...], games: int, seed: int) -> None:
    """Prints the table."""
    rows = []
    for name in names or (*game_names(), *(f"{name}{SUFFIX}" for name in shipped_names())):
        rows.append(measured(get_game(name), games, seed))
        print(told(rows[-1:])[-2], flush=True)
    print("\n".join(told(rows)))


if __name__ == "__main__":
    command()

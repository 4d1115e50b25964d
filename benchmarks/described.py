"""How fast described games are: ``python benchmarks/described.py [--report FILE] [--json]``.

Random play of a batch, observations and masks included, beside the same game written by hand where there is one, and
beside the naive interpreter of the tests, all in turn in one run. All times are processor time of one thread, warm, without
choosing. Figures are medians of rounds, and ratios medians of each round's own.
"""

from __future__ import annotations

import random
import statistics
import sys
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click
from measuring import count_option, hand_over, in_turn, machine, processor_seconds, tell, written_by

from cardenvs import cli
from cardenvs.baselines.reports.document import Document, Table, said
from cardenvs.baselines.reports.results import plain
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.batch import Batch
from cardenvs.policy.random import RandomPolicy
from cardenvs.recycle import shipped
from cardenvs.recycle.game import described_game
from cardenvs.recycle.library import FOLDER

sys.path.insert(0, str(Path(__file__).parent.parent))  # the interpreter is in the tests, which are no package of ours

from tests.naive.recycle import Game

GAMES: dict[str, dict[str, Any] | None] = {"whist": {}, "euchre": {"bidding": "forced-spades"}, "hearts": None}
"""The described games, each with the options of the game of its name that is written by hand; None if there is none."""
SMALL, LARGE = 1024, 4096
"""The games in the batch whose decisions are counted, and in that whose memory is told."""


@dataclass(frozen=True)
class Figures:
    """What was measured of a game in one form.

    Attributes:
        game: the game's name.
        form: described, by hand or interpreted.
        decisions_per_s: the decisions a second of random play.
        times_interpreted: how many times as fast that is as the interpreter.
        state_bytes: the bytes of a state; None where there are no arrays.
        row_bytes: the bytes of an observation and a mask; None likewise.
        batch_mb: the memory of a batch of `LARGE` games in 10^6 bytes; None likewise.
        batch_ms: milliseconds in which such a batch takes a step; None likewise.
    """

    game: str
    form: str
    decisions_per_s: float
    times_interpreted: float
    state_bytes: int | None = None
    row_bytes: int | None = None
    batch_mb: float | None = None
    batch_ms: float | None = None


def step_seconds(batch: Batch, steps: int, seed: int) -> float:
    """The processor time of a step of a batch at random play, in seconds, the mean of some steps."""
    player, streams = RandomPolicy(batch.spec), seed_streams(seed, batch.n)
    spent = 0.0
    for _ in range(steps):
        actions = player.choose(batch.observations, batch.action_masks, streams)
        spent += processor_seconds(partial(batch.step, actions))
    return spent / steps


def interpreted_rate(name: str, games: int, seed: int) -> float:
    """The decisions a second of the naive interpreter."""
    description, chooser = shipped(name), random.Random(seed)
    decisions = 0

    def play() -> None:
        nonlocal decisions
        for number in range(games):
            game = Game(description, seed + number)
            while not game.over:
                game.play(chooser.randrange(len(game.options())))
                decisions += 1

    seconds = processor_seconds(play)
    return decisions / seconds


def memory(spec: GameSpec, options: dict[str, Any]) -> float:
    """The memory that a batch of `LARGE` games takes, in 10^6 bytes."""
    tracemalloc.start()
    try:
        batch = Batch(spec, LARGE, seed=0, **options)
        taken = tracemalloc.get_traced_memory()[0]
        del batch
        return taken / 1e6
    finally:
        tracemalloc.stop()


def forms(name: str) -> dict[str, tuple[GameSpec, dict[str, Any]]]:
    """The compiled forms of a game: the spec, and rule options."""
    found: dict[str, tuple[GameSpec, dict[str, Any]]] = {"described": (described_game(str(FOLDER / f"{name}.rcy")), {})}
    options = GAMES[name]
    if options is not None:
        found["by hand"] = get_game(name), options
    return found


def measure(rounds: int, games: int, seed: int) -> list[Figures]:
    """The figures of all games in all forms.

    Args:
        rounds: how often each is measured.
        games: how many games the interpreter plays in a round.
        seed: the seed of all.
    """
    figures = []
    for name in GAMES:
        tell(name)
        measured: dict[Any, Callable[[], float]] = {"interpreted": partial(interpreted_rate, name, games, seed)}
        for form, (spec, options) in forms(name).items():
            batches = {size: Batch(spec, size, seed=seed, **options) for size in (SMALL, LARGE)}
            for size, batch in batches.items():
                measured[form, size] = partial(step_seconds, batch, 40, seed)
        found = in_turn(rounds, measured)
        slow = found["interpreted"]
        figures.append(Figures(name, "interpreted", statistics.median(slow), 1.0))
        for form, (spec, options) in forms(name).items():
            rates = [SMALL / seconds for seconds in found[form, SMALL]]
            figures.append(
                Figures(
                    name, form, statistics.median(rates),
                    statistics.median(rate / other for rate, other in zip(rates, slow, strict=True)),
                    spec.dtype.itemsize, spec.observation_size + spec.num_actions, memory(spec, options),
                    1000 * statistics.median(found[form, LARGE]),
                )
            )  # fmt: skip
    return figures


def document(figures: list[Figures], rounds: int, games: int, seed: int) -> Document:
    """The report."""
    rows = [
        [
            f.game.capitalize(), f.form, f"{f.decisions_per_s:,.0f}", f"{f.times_interpreted:,.0f}",
            *("" if value is None else f"{value:,.{digits}f}" for value, digits in (
                (f.state_bytes, 0), (f.row_bytes, 0), (f.batch_mb, 1), (f.batch_ms, 2),
            )),
        ]
        for f in figures
    ]  # fmt: skip
    head = ["game", "form", "decisions/s", "times as fast", "bytes a state", "bytes a row", "MB", "ms a step"]
    meaning = said(
        f"""{written_by(__file__, rounds=rounds, games=games, seed=seed)} on {machine()["processor"]}. Random play; a batch
        has {SMALL:,} games, and each decision comes with its observation and mask. The interpreter is the slow, obvious
        one of the tests. Processor time of one thread, warm, without choosing; medians of {rounds} rounds in which all
        forms of a game are measured in turn. A row is an observation with its mask; MB and ms a step are of a batch of
        {LARGE:,} games."""
    )
    return Document("How fast described games are", [meaning, Table(head, rows, left=2, spare=head[4:])])


@click.command()
@count_option("--rounds", 5, "Rounds of every measurement.")
@count_option("--games", 10, "Games that the interpreter plays in a round.")
@cli.report_option
@cli.seed_option
@cli.json_option
def main(rounds: int, games: int, report: Path | None, seed: int, as_json: bool) -> None:
    """How fast described games are, beside those written by hand and the naive interpreter."""
    figures = measure(rounds, games, seed)
    told = {**machine("numpy", "numba"), "games": plain(figures)}
    hand_over(told, document(figures, rounds, games, seed), report, as_json)


if __name__ == "__main__":
    main()

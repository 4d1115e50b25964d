"""Observations of a declared layout beside packed ones: ``python benchmarks/layouts.py [--report FILE] [--json]``.

Whist writes and reads its observations in kernels of its own, which pack short parts into words by hand. Here the same
observation, bit for bit, is declared part by part, and the kernels are made of that. Times are of one core; a ratio is the
median over rounds in which packed and declared kernels take turns.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np
from measuring import count_option, hand_over, in_turn, machine, processor_seconds, written_by

from cardenvs import Batch, cli
from cardenvs.compiled.bits import Bytes
from cardenvs.compiled.jit import closure, kernel
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.fields import Part
from cardenvs.contract.kernels import Kernel
from cardenvs.contract.layout import Layout
from cardenvs.contract.sources import BitSet, Derived, OneHot, OneOf, Source, UpTo
from cardenvs.games import whist
from cardenvs.policy.random import RandomPolicy
from cardenvs.printing import table_lines

CARDS = tuple(whist.DECK.text(card) for card in range(52))
SEATS = ("self", "left", "partner", "right")


@kernel
def could_hold_1(views: Any, i: int) -> int:
    """Unseen cards that the seat to the left could still hold."""
    return whist.could_hold(views, i, 1, whist.unseen_cards(views, i))


@kernel
def could_hold_2(views: Any, i: int) -> int:
    """Unseen cards that the partner could still hold."""
    return whist.could_hold(views, i, 2, whist.unseen_cards(views, i))


@kernel
def could_hold_3(views: Any, i: int) -> int:
    """Unseen cards that the seat to the right could still hold."""
    return whist.could_hold(views, i, 3, whist.unseen_cards(views, i))


def _part(name: str, labels: tuple[str, ...], source: Source) -> Part:
    """A part, without a meaning."""
    return Part(name, labels, "", source=source)


PARTS = (
    _part("hand", CARDS, BitSet("hands", 0)),
    _part("played", CARDS * 4, BitSet("played")),
    _part("trick", CARDS * 4, BitSet("trick")),
    *(_part(f"could_hold_{k}", CARDS, Derived(f)) for k, f in enumerate((could_hold_1, could_hold_2, could_hold_3))),
    _part("shown", CARDS, BitSet("shown")),
    _part("trump", tuple("cdhs"), OneHot("trump")),
    _part("dealer", SEATS, OneHot("dealer")),
    _part("to_act", SEATS, OneHot("to_act", none=-1)),
    _part("leader", SEATS, OneHot("leader", none=-1)),
    _part("winner", SEATS, OneHot("winner", none=-1)),
    _part("voids", tuple("cdhs") * 4, BitSet("voids")),
    _part("tricks", tuple(map(str, range(1, 14))) * 4, UpTo("tricks")),
    _part("score", tuple(map(str, range(1, 17))) * 2, UpTo("score")),
    _part("episode", ("game",), OneHot("episode", first=1, none=0)),
    _part("target", ("5", "7", "10"), OneOf("target", values=whist.SPEC.option("target").choices)),
    _part("over", ("deal", "episode"), UpTo("over")),
)
"""Whist's observation, declared."""
LAYOUT = Layout("whist", whist.STATE, PARTS, {"hands": (0, (1 << 52) - 1)})


def declared(module: str = __name__) -> tuple[Kernel, Kernel]:
    """The kernels ``observe`` and ``decode`` that are made of the layout; compiled functions are counted to ``module``."""
    return LAYOUT.observe_kernel(module), LAYOUT.decode_kernel(module)


def _loops(name: str, observe: Kernel, decode: Kernel) -> tuple[Callable[..., None], Callable[..., None]]:
    """Loops that write all views to rows, and read all rows again."""

    @closure(f"{__name__}:{name}.observe")
    def write(views: Any, rows: Bytes) -> None:
        """Writes each view to its row."""
        for i in range(len(views)):
            observe(views, i, rows, i)

    @closure(f"{__name__}:{name}.decode")
    def read(rows: Bytes, views: Any) -> None:
        """Reads each row to its view."""
        for i in range(len(views)):
            decode(rows, i, views, i)

    return write, read


def _views(count: int) -> Any:
    """Views of the seats to act in random games, a structured array of shape (count,)."""
    batch, streams = Batch("whist", count, seed=1), seed_streams(2, count)
    player, views = RandomPolicy(batch.spec), batch.spec.new_games(count)
    for _ in range(20):
        batch.step(player.choose(batch.observations, batch.action_masks, streams))
    for i in range(count):
        batch.spec.kernels.view(batch.games, i, int(batch.to_act[i]), views, i)
    return views


def _steps(observe: Kernel, decode: Kernel, games: int, steps: int) -> Callable[[], float]:
    """Measures the seconds of a step of a batch that plays at random."""
    name = "whist" if observe is whist.observe else "whist.declared"
    spec = replace(whist.SPEC, name=name, kernels=replace(whist.SPEC.kernels, observe=observe, decode=decode))
    batch = Batch(spec, games, seed=3, validate=False)
    player, streams = RandomPolicy(spec), seed_streams(4, games)

    def seconds() -> float:
        """Seconds of a step, the choice of actions left out."""
        total = 0.0
        for _ in range(steps):
            actions = player.choose(batch.observations, batch.action_masks, streams)
            total += processor_seconds(lambda actions=actions: batch.step(actions))  # type: ignore[misc]
        return total / steps

    return seconds


def measure(rounds: int, games: int, steps: int) -> dict[str, Any]:
    """Seconds of packed and of declared kernels, and their ratios."""
    pairs = {"packed": (whist.observe, whist.decode), "declared": declared()}
    views, again = _views(games), whist.SPEC.new_games(games)
    rows = np.zeros((games, whist.SPEC.observation_size), np.int8)
    measured: dict[tuple[str, str], Callable[[], float]] = {}
    for name, (observe, decode) in pairs.items():
        write, read = _loops(name, observe, decode)

        def writing(write: Any = write) -> float:
            """Seconds for a row that is written."""
            return processor_seconds(lambda: [write(views, rows) for _ in range(steps)]) / steps / games

        def reading(read: Any = read) -> float:
            """Seconds for a row that is read."""
            return processor_seconds(lambda: [read(rows, again) for _ in range(steps)]) / steps / games

        measured |= {("observe", name): writing, ("decode", name): reading}
        step = _steps(observe, decode, games, steps)
        measured["a step of a batch", name] = lambda step=step: step() / games  # type: ignore[misc]
    found = in_turn(rounds, measured)
    figures = {}
    for what in ("observe", "decode", "a step of a batch"):
        packed, other = (np.array(found[what, name]) for name in ("packed", "declared"))
        ratios = sorted((other / packed).tolist())
        figures[what] = {
            "packed_ns": statistics.median(packed) * 1e9, "declared_ns": statistics.median(other) * 1e9,
            "ratio": statistics.median(ratios), "ratios": [ratios[0], ratios[-1]],
        }  # fmt: skip
    return {"figures": figures, "machine": machine("numba", "numpy")}


@click.command()
@count_option("--rounds", 9, "How often each is timed.")
@count_option("--games", 1024, "How many games there are in a batch.")
@count_option("--steps", 100, "How many steps, and writings of all rows, a round has.")
@cli.report_option
@cli.json_option
def main(rounds: int, games: int, steps: int, report: Path | None, as_json: bool) -> None:
    """What a declared layout costs beside packed kernels, in Whist."""
    figures = measure(rounds, games, steps)
    cells = [
        [what, f"{one['packed_ns']:.0f}", f"{one['declared_ns']:.0f}", f"{one['ratio']:.2f}",
         f"{one['ratios'][0]:.2f} to {one['ratios'][1]:.2f}"]
        for what, one in figures["figures"].items()
    ]  # fmt: skip
    lines = [
        "# A declared layout beside packed kernels", "",
        f"{written_by(__file__, rounds=rounds, games=games, steps=steps)} on {figures['machine']['processor']}: "
        "nanoseconds a game of one core, medians.", "",
        *table_lines(("in Whist", "packed", "declared", "ratio", "range"), cells, left=1),
    ]  # fmt: skip
    hand_over(figures, "\n".join(lines), report, as_json)


if __name__ == "__main__":
    main()

"""How fast Five-O's hand values and agents are: ``python benchmarks/five_o.py [--report FILE] [--json]``.

All times are processor time of one thread, warm; figures are medians of rounds in which everything is measured in turn, and
ratios medians of each round's own. Decisions are those of `POSITIONS` positions of each row, from games between two
``fast-greedy2``.
"""

from __future__ import annotations

import importlib
import statistics
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np
from measuring import count_option, hand_over, in_turn, machine, processor_seconds, written_by

from cardenvs import cli, policy
from cardenvs.baselines.reports.document import Document, Heading, Table, marked, said
from cardenvs.compiled.bits import Bytes, Ints
from cardenvs.compiled.jit import kernel
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.cards import members_of
from cardenvs.envs.batch import Batch
from cardenvs.games.poker import hand_value, hand_values

ROWS = (2, 3, 4, 5)
POSITIONS = 8
"""Positions of a row: one at each of its moves that leave a choice, each from another game."""

HANDS = 1 << 17
"""Hands valued in arrays and kernels: 1 MB of card sets."""
SINGLES = 20_000
"""Hands valued by one call from Python each."""
REPEATS = 50
"""How often the kernel goes through all hands."""

GAMES = 1024
"""Games in the batch of the agents that do not search."""
STEPS = 40
"""Moves of a game, forced ones included: four rows of ten."""

SEARCHES = {
    "monte-carlo, 100,000 samples": "monte-carlo:samples=100000",
    "monte-carlo, 10,000 samples": "monte-carlo:samples=10000",
    "exact": "exact:row=2",
}
DECKS = 200
"""Decks that expectiminimax draws for a decision."""
EXPECTIMINIMAX = f"expectiminimax:decks={DECKS},depth=3"
AGENTS = ("reflex1", "reflex2", "reflex3", "greedy1", "greedy1-published", "greedy2", "fast-greedy2")

Decisions = dict[int, list[tuple[Bytes, Bytes]]]
"""By row, a list of positions: an observation, int8 (1, 720), and an action mask, int8 (1, 5)."""


@kernel
def _sum_values(sets: Ints, repeats: int) -> int:
    """The sum of all hands' values, formed ``repeats`` times."""
    total = 0
    for _ in range(repeats):
        for k in range(len(sets)):
            total += hand_value(sets[k])
    return total


def random_hands(seed: int) -> Ints:
    """`HANDS` random hands of five cards as card sets, int64 (HANDS,)."""
    keys = np.random.default_rng(seed).random((HANDS, 52), np.float32)
    return np.asarray((np.int64(1) << np.argpartition(keys, 5, axis=1)[:, :5]).sum(1))


def decisions(seed: int) -> Decisions:
    """`POSITIONS` positions of each row, one at each of the row's moves that leave a choice."""
    player = policy.make("five-o", "fast-greedy2")
    batch = Batch("five-o", POSITIONS, seed=seed)
    streams = seed_streams(seed, batch.n)
    positions: Decisions = {row: [] for row in ROWS}
    for move in range(STEPS):
        row, turn = 2 + move // 10, move % 10
        if turn < POSITIONS:  # the two last moves of a row are forced
            own = slice(turn, turn + 1)  # another game for each move
            positions[row].append((batch.observations[own].copy(), batch.action_masks[own].copy()))
        batch.step(player.choose(batch.observations, batch.action_masks, streams))
    return positions


def value_rates(sets: Ints) -> dict[str, float]:
    """Hands valued a second in one round, by the way in which they are valued (a key of `_VALUES`)."""
    singles = sets[:SINGLES].tolist()

    def one_by_one() -> None:
        for cards in singles:
            hand_value(cards)

    rates = {
        "kernel": REPEATS * HANDS / processor_seconds(lambda: _sum_values(sets, REPEATS)),
        "arrays": HANDS / processor_seconds(lambda: hand_values(sets)),
        "one_by_one": SINGLES / processor_seconds(one_by_one),
    }
    try:
        evaluate_cards = importlib.import_module("phevaluator").evaluate_cards
    except ImportError:
        return rates
    # phevaluator numbers cards rank * 4 + suit.
    hands = [[card % 13 * 4 + card // 13 for card in members_of(cards)] for cards in singles]

    def peer() -> None:
        for hand in hands:
            evaluate_cards(*hand)

    return rates | {"phevaluator": SINGLES / processor_seconds(peer)}


def decision_times(name: str, positions: Decisions, seed: int) -> dict[int, list[float]]:
    """By row, the seconds that each decision takes in one round."""
    player = policy.make("five-o", name)
    return {
        row: [
            processor_seconds(lambda at=at, k=k: player.choose(*at, seed_streams(seed + k, 1)))  # type: ignore[misc]
            for k, at in enumerate(positions[row])
        ]
        for row in ROWS
    }


def batch_rate(name: str, seed: int) -> float:
    """Decisions a second, in one round, of an agent in all seats of a batch, the batch's own steps included."""
    player = policy.make("five-o", name)
    batch = Batch("five-o", GAMES, seed=seed)
    streams = seed_streams(seed, GAMES)

    def play() -> None:
        for _ in range(STEPS):
            batch.step(player.choose(batch.observations, batch.action_masks, streams))

    return GAMES * STEPS / processor_seconds(play)


def measure(rounds: int, seed: int) -> dict[str, Any]:
    """All figures for JSON.

    Args:
        rounds: rounds in which everything is measured in turn.
        seed: seed of hands, positions and games.
    """
    sets, positions = random_hands(seed), decisions(seed)
    searches = SEARCHES | {"expectiminimax": EXPECTIMINIMAX}
    measured: dict[str, Callable[[], Any]] = {
        "values": partial(value_rates, sets),
        **{name: partial(decision_times, who, positions, seed) for name, who in searches.items()},
        **{name: partial(batch_rate, name, seed) for name in AGENTS},
    }
    taken = in_turn(rounds, measured)
    values: list[dict[str, float]] = taken["values"]

    def of_rows(name: str, figure: Callable[[list[float]], float]) -> dict[str, float]:
        return {str(row): statistics.median(figure(by_row[row]) for by_row in taken[name]) for row in ROWS}

    peer = ("phevaluator",) if "phevaluator" in values[0] else ()
    return {
        "values_per_s": {name: statistics.median(rates[name] for rates in values) for name in values[0]},
        "against_phevaluator": {
            name: statistics.median(rates[name] / rates["phevaluator"] for rates in values)
            for name in (values[0] if peer else ())
            if name != "phevaluator"
        },
        "decision_ms": {name: of_rows(name, lambda each: 1000 * statistics.mean(each)) for name in SEARCHES},
        "slowest_decision_ms": {name: of_rows(name, lambda each: 1000 * max(each)) for name in SEARCHES},
        "expectiminimax_decks_per_s": of_rows("expectiminimax", lambda each: DECKS * len(each) / sum(each)),
        "agent_decisions_per_s": {name: statistics.median(taken[name]) for name in AGENTS},
        "rounds": rounds,
        "seed": seed,
        "machine": machine("numpy", "numba", *peer),
    }


_VALUES = {
    "kernel": "card sets in a kernel",
    "arrays": "`poker.hand_values`: an array from Python, checked",
    "one_by_one": "`poker.hand_value`: called from Python for each hand",
    "phevaluator": "`phevaluator.evaluate_cards`: called from Python for each hand",
}


def _targets(figures: dict[str, Any]) -> list[list[str]]:
    """The targets as rows of cells: the name of the figure, the figure measured, the target, and whether it is met."""
    rates, slowest = figures["values_per_s"], figures["slowest_decision_ms"]
    decks, agents = figures["expectiminimax_decks_per_s"], figures["agent_decisions_per_s"]
    met = {True: "met", False: "missed"}

    def at_least(what: str, measured: float, least: float) -> list[str]:
        return [what, f"{measured:,.0f}", f"{least:,.0f} or more", met[measured >= least]]

    def under(what: str, measured: float, limit: float) -> list[str]:
        return [what, f"{measured:.2f}", f"under {limit:g}", met[measured < limit]]

    return [
        at_least("five-card values a second in a kernel", rates["kernel"], 300_000_000),
        *(
            under(f"slowest decision of {name}, ms", max(slowest[name].values()), limit)
            for name, limit in zip(SEARCHES, (50, 6), strict=False)
        ),
        at_least("decks a second of expectiminimax, in its slowest row", min(decks.values()), 300),
        under("slowest exact decision in the last row, ms", slowest["exact"]["5"], 100),
        at_least("decisions a second of the slowest agent that does not search", min(agents.values()), 100_000),
    ]


def document(figures: dict[str, Any]) -> Document:
    """The report."""
    rates, ratios, versions = figures["values_per_s"], figures["against_phevaluator"], figures["machine"]
    mean, slowest = figures["decision_ms"], figures["slowest_decision_ms"]
    decks, agents = figures["expectiminimax_decks_per_s"], figures["agent_decisions_per_s"]
    rows = [f"row {row}" for row in ROWS]
    peer = f", phevaluator {versions['phevaluator']}" if "phevaluator" in versions else ""
    values = [
        [marked(_VALUES[name]), f"{rate:,.0f}", f"{ratios[name]:,.1f}x" if name in ratios else ""]
        for name, rate in rates.items()
    ]
    searches = [[name, *(f"{mean[name][str(r)]:.2f}, {slowest[name][str(r)]:.2f}" for r in ROWS)] for name in SEARCHES]
    parts = [
        said(
            f"""{written_by(__file__, rounds=figures["rounds"], seed=figures["seed"])}. Machine: {versions["processor"]};
            Python {versions["python"]}, NumPy {versions["numpy"]}, numba {versions["numba"]}{peer}. Processor time of one
            thread, warm; medians of {figures["rounds"]} rounds in which everything is measured in turn."""
        ),
        Table(["", "measured", "target", ""], _targets(figures)),
        Heading("Hand values"),
        said(f"{HANDS:,} random five-card hands ({SINGLES:,} where each is a call)."),
        Table(["", "hands a second", "against phevaluator"], values),
        said(
            """phevaluator is called as its documentation shows, with card numbers. The first two lines value many hands a
            call, the last two one: the ratios of the former compare ways of working rather than algorithms."""
        ),
        Heading("Decisions of the searching agents"),
        said(
            f"""Milliseconds a decision, mean and slowest of {POSITIONS} positions of the row, one at each move that leaves
            a choice."""
        ),
        Table(["", *rows], searches),
        said(f"Decks a second of expectiminimax, depth 3, `fast-greedy2` ({DECKS} decks a decision):"),
        Table(["", *rows], [["expectiminimax", *(f"{decks[str(r)]:,.0f}" for r in ROWS)]]),
        Heading("Decisions of the other agents"),
        said(f"A second, the agent in all seats of a batch of {GAMES:,} games, the batch's own steps included."),
        Table(["", "decisions a second"], [[name, f"{rate:,.0f}"] for name, rate in agents.items()]),
    ]
    return Document("Five-O: speed", parts)


@click.command()
@count_option("--rounds", 7, "Rounds to take medians of.")
@cli.report_option
@cli.seed_option
@cli.json_option
def main(rounds: int, report: Path | None, seed: int, as_json: bool) -> None:
    """Measure Five-O's hand values and agents."""
    figures = measure(rounds, seed)
    hand_over(figures, document(figures), report, as_json)


if __name__ == "__main__":
    main()

"""How fast Five-O's hand values and agents are: ``python benchmarks/five_o.py [--markdown FILE] [--json]``.

All times are processor time of one thread, warm; figures are medians of rounds in which everything is measured in turn, and
ratios medians of each round's own. Decisions are those of `POSITIONS` positions of each row, from games between two
``fast-greedy2``.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import platform
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import click
import numpy as np

from cardenvs import cli, policy
from cardenvs.bench import processor
from cardenvs.cards import Bytes, Ints, members_of, seed_streams
from cardenvs.envs.batch import Batch
from cardenvs.files import write_whole
from cardenvs.jit import kernel
from cardenvs.poker import hand_value, hand_values

ROWS = (2, 3, 4, 5)
POSITIONS = 8
"""Positions of a row: one at each of its moves that leave a choice, each from another game."""

HANDS = 1 << 17
"""Hands valued in arrays and kernels, 1 MB of card sets; one call from Python each: `SINGLES` of them."""
SINGLES = 20_000
REPEATS = 50
"""How often the kernel goes through all hands."""

GAMES = 1024
STEPS = 40
"""Games in the batch of the agents that do not search, and moves of each."""

SEARCHES = {
    "monte-carlo, 100,000 samples": "monte-carlo:samples=100000",
    "monte-carlo, 10,000 samples": "monte-carlo:samples=10000",
    "exact": "exact:row=2",
}
DECKS = 200
"""Decks of an expectiminimax decision."""
EXPECTIMINIMAX = f"expectiminimax:decks={DECKS},depth=3"
AGENTS = ("reflex1", "reflex2", "reflex3", "greedy1", "greedy1-published", "greedy2", "fast-greedy2")

Decisions = dict[int, list[tuple[Bytes, Bytes]]]
"""By row, observations int8 (1, 720) and action masks int8 (1, 5)."""


@kernel
def _sum_values(sets: Ints, repeats: int) -> int:
    total = 0
    for _ in range(repeats):
        for k in range(len(sets)):
            total += hand_value(sets[k])
    return total


def random_hands(seed: int) -> Ints:
    """Random hands of five cards as card sets."""
    keys = np.random.default_rng(seed).random((HANDS, 52), np.float32)
    return np.asarray((np.int64(1) << np.argpartition(keys, 5, axis=1)[:, :5]).sum(1))


def decisions(seed: int) -> Decisions:
    """Positions with a choice."""
    player = policy.make("five-o", "fast-greedy2")
    batch = Batch("five-o", POSITIONS, seed=seed)
    streams = seed_streams(seed, batch.n)
    found: Decisions = {row: [] for row in ROWS}
    for move in range(STEPS):
        row, place = 2 + move // 10, move % 10
        if place < POSITIONS:  # the two last moves of a row are forced
            found[row].append((batch.observations[place : place + 1].copy(), batch.action_masks[place : place + 1].copy()))
        batch.step(player.choose(batch.observations, batch.action_masks, streams))
    return found


def seconds(run: Callable[[], Any]) -> float:
    """The processor time that a call takes."""
    began = time.thread_time()
    run()
    return time.thread_time() - began


def value_rates(sets: Ints) -> dict[str, float]:
    """Hands valued a second, in one round."""
    singles = sets[:SINGLES].tolist()

    def one_by_one() -> None:
        for cards in singles:
            hand_value(cards)

    rates = {
        "kernel": REPEATS * HANDS / seconds(lambda: _sum_values(sets, REPEATS)),
        "arrays": HANDS / seconds(lambda: hand_values(sets)),
        "one_by_one": SINGLES / seconds(one_by_one),
    }
    try:
        evaluate_cards = importlib.import_module("phevaluator").evaluate_cards
    except ImportError:
        return rates
    # Its cards are numbered rank * 4 + suit.
    hands = [[card % 13 * 4 + card // 13 for card in members_of(cards)] for cards in singles]

    def peer() -> None:
        for hand in hands:
            evaluate_cards(*hand)

    return rates | {"phevaluator": SINGLES / seconds(peer)}


def decision_times(name: str, positions: Decisions, seed: int) -> dict[int, list[float]]:
    """Seconds of each decision by row, in one round."""
    player = policy.make("five-o", name)
    return {
        row: [
            seconds(lambda at=at, k=k: player.choose(*at, seed_streams(seed + k, 1)))  # type: ignore[misc]
            for k, at in enumerate(positions[row])
        ]
        for row in ROWS
    }


def batch_rate(name: str, seed: int) -> float:
    """Decisions a second where one agent plays all seats of a batch, the batch's own steps included; in one round."""
    player = policy.make("five-o", name)
    batch = Batch("five-o", GAMES, seed=seed)
    streams = seed_streams(seed, GAMES)

    def play() -> None:
        for _ in range(STEPS):
            batch.step(player.choose(batch.observations, batch.action_masks, streams))

    return GAMES * STEPS / seconds(play)


def measure(rounds: int, seed: int) -> dict[str, Any]:
    """All figures."""
    sets, positions = random_hands(seed), decisions(seed)
    values: list[dict[str, float]] = []
    times: dict[str, list[dict[int, list[float]]]] = {name: [] for name in (*SEARCHES, "expectiminimax")}
    agents: dict[str, list[float]] = {name: [] for name in AGENTS}
    for k in range(rounds + 1):
        found = value_rates(sets)
        searched = {name: decision_times(SEARCHES.get(name, EXPECTIMINIMAX), positions, seed) for name in times}
        played = {name: batch_rate(name, seed) for name in AGENTS}
        if k == 0:
            continue  # compiling, loading
        values.append(found)
        for name, by_row in searched.items():
            times[name].append(by_row)
        for name, rate in played.items():
            agents[name].append(rate)

    def of_rows(name: str, figure: Callable[[list[float]], float]) -> dict[str, float]:
        return {str(row): statistics.median(figure(by_row[row]) for by_row in times[name]) for row in ROWS}

    figures: dict[str, Any] = {
        "values_per_s": {name: statistics.median(found[name] for found in values) for name in values[0]},
        "against_phevaluator": {},
        "decision_ms": {name: of_rows(name, lambda each: 1000 * statistics.mean(each)) for name in SEARCHES},
        "slowest_decision_ms": {name: of_rows(name, lambda each: 1000 * max(each)) for name in SEARCHES},
        "expectiminimax_decks_per_s": of_rows("expectiminimax", lambda each: DECKS * len(each) / sum(each)),
        "agent_decisions_per_s": {name: statistics.median(rates) for name, rates in agents.items()},
        "rounds": rounds,
        "seed": seed,
        "machine": {"processor": processor(), "python": platform.python_version()},
    }
    for package in ("numpy", "numba"):
        figures["machine"][package] = importlib.metadata.version(package)
    if "phevaluator" in values[0]:
        figures["machine"]["phevaluator"] = importlib.metadata.version("phevaluator")
        figures["against_phevaluator"] = {
            name: statistics.median(found[name] / found["phevaluator"] for found in values)
            for name in values[0]
            if name != "phevaluator"
        }
    return figures


_VALUES = {
    "kernel": "card sets in a kernel",
    "arrays": "`poker.hand_values`: an array from Python, checked",
    "one_by_one": "`poker.hand_value`: called from Python for each hand",
    "phevaluator": "`phevaluator.evaluate_cards`: called from Python for each hand",
}


def markdown(figures: dict[str, Any], words: str) -> str:
    """The report."""
    rates, ratios, machine = figures["values_per_s"], figures["against_phevaluator"], figures["machine"]
    mean, slowest = figures["decision_ms"], figures["slowest_decision_ms"]
    decks, agents = figures["expectiminimax_decks_per_s"], figures["agent_decisions_per_s"]
    head = "| | " + " | ".join(f"row {row}" for row in ROWS) + " |"
    rule = "|---|" + "---:|" * len(ROWS)

    def worst(name: str) -> float:
        return max(slowest[name].values())

    targets = [
        (
            "five-card values a second in a kernel", f"{rates['kernel']:,.0f}", "300,000,000 or more",
            rates["kernel"] >= 300_000_000,
        ),
        *(
            (f"slowest decision of {name}, ms", f"{worst(name):.2f}", f"under {limit}", worst(name) < limit)
            for name, limit in zip(SEARCHES, (50, 6), strict=False)
        ),
        (
            "decks a second of expectiminimax, in its slowest row", f"{min(decks.values()):,.0f}", "300 or more",
            min(decks.values()) >= 300,
        ),
        (
            "slowest exact decision in the last row, ms", f"{slowest['exact']['5']:.2f}", "under 100",
            slowest["exact"]["5"] < 100,
        ),
        (
            "decisions a second of the slowest agent that does not search", f"{min(agents.values()):,.0f}",
            "100,000 or more", min(agents.values()) >= 100_000,
        ),
    ]  # fmt: skip
    peer = f", phevaluator {machine['phevaluator']}" if "phevaluator" in machine else ""
    lines = [
        "# Five-O: speed",
        "",
        f"Written by `{words}`. Machine: {machine['processor']}; Python {machine['python']}, NumPy {machine['numpy']}, "
        f"numba {machine['numba']}{peer}. Processor time of one thread, warm; medians of {figures['rounds']} rounds in "
        "which everything is measured in turn.",
        "",
        "| | measured | target | |",
        "|---|---:|---:|---|",
        *(f"| {what} | {found} | {wanted} | {'met' if met else 'missed'} |" for what, found, wanted, met in targets),
        "",
        "## Hand values",
        "",
        f"{HANDS:,} random five-card hands ({SINGLES:,} where each is a call).",
        "",
        "| | hands a second | against phevaluator |",
        "|---|---:|---:|",
        *(
            f"| {_VALUES[name]} | {rate:,.0f} | {f'{ratios[name]:,.1f}x' if name in ratios else ''} |"
            for name, rate in rates.items()
        ),
        "",
        "phevaluator is called as its documentation shows, with card numbers. The first two lines value many hands a call, "
        "the last two one: the ratios of the former compare ways of working rather than algorithms.",
        "",
        "## Decisions of the searching agents",
        "",
        f"Milliseconds a decision, mean and slowest of {POSITIONS} positions of the row, one at each move that leaves a "
        "choice.",
        "",
        head,
        rule,
        *(
            f"| {name} | " + " | ".join(f"{mean[name][str(r)]:.2f}, {slowest[name][str(r)]:.2f}" for r in ROWS) + " |"
            for name in SEARCHES
        ),
        "",
        f"Decks a second of expectiminimax, depth 3, `fast-greedy2` ({DECKS} decks a decision):",
        "",
        head,
        rule,
        "| expectiminimax | " + " | ".join(f"{decks[str(r)]:,.0f}" for r in ROWS) + " |",
        "",
        "## Decisions of the other agents",
        "",
        f"A second, the agent in all seats of a batch of {GAMES:,} games, the batch's own steps included.",
        "",
        "| | decisions a second |",
        "|---|---:|",
        *(f"| {name} | {rate:,.0f} |" for name, rate in agents.items()),
        "",
    ]
    return "\n".join(lines)


@click.command()
@click.option("--rounds", type=click.IntRange(min=1), default=7, show_default=True, help="Rounds to take medians of.")
@click.option("--markdown", "report", type=click.Path(dir_okay=False), help="Also write a report to this file.")
@cli.seed_option
@cli.json_option
def five_o_benchmark(rounds: int, report: str | None, seed: int, as_json: bool) -> None:
    """Measure Five-O's hand values and agents."""
    figures = measure(rounds, seed)
    words = f"python benchmarks/five_o.py --rounds {rounds} --seed {seed} --markdown FILE"
    if report:
        write_whole(report, markdown(figures, words))
    if as_json:
        cli.print_json(figures)
    else:
        print(markdown(figures, words))


if __name__ == "__main__":
    sys.exit(five_o_benchmark())

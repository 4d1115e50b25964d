"""Speed of the environments on this machine: its measurement, and the report on it.

All figures are warm, for random legal play on one core unless their name says otherwise: medians of several rounds, in
which the compared figures are measured in turn.
"""

import importlib
import importlib.metadata
import os
import platform
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
import timeit
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from cardenvs.compiled.machine import cores, processor
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.registry import game_names, get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.aec import Constructors
from cardenvs.envs.batch import Batch
from cardenvs.policy.random import RandomPolicy
from cardenvs.printing import code, table_lines

BATCH = 1024  # the number of games in a batch

RECALL = "recall"  # key of batches whose observations have the order of play; the key of others is their number of threads

LARGE = 16 * BATCH
"""The number of games in the batches that compare one thread with two: handing a part to a thread takes 0.1 ms."""

_START = """
import sys, time
began = time.perf_counter()
from cardenvs.envs.aec import Constructors
for game in sys.argv[1:]:
    env = Constructors(game).env()
    env.reset(seed=0)
    env.step(int(env.last()[0]["action_mask"].argmax()))
print(time.perf_counter() - began)
"""


def batch_rate(batch: Batch, seconds: float, seed: int) -> float:
    """Returns the agent-steps a second of `Batch.step` in random play, over about ``seconds``; choosing is not timed."""
    player = RandomPolicy(batch.spec)
    streams = seed_streams(seed, batch.n)
    spent, steps = 0.0, 0
    while spent < seconds:
        actions = player.choose(batch.observations, batch.action_masks, streams)
        began = time.perf_counter()
        batch.step(actions)
        spent += time.perf_counter() - began
        steps += batch.n
    return steps / spent


def playout_rate(game: GameSpec, seconds: float, seed: int) -> float:
    """Returns the random play-outs a second of one freshly dealt game to its end, measured for about ``seconds``."""
    games = game.new_games(2)
    streams = seed_streams(seed, 1)
    game.kernels.deal(games, 0, streams, 0)
    game.kernels.random_playouts(games, 10, False, streams, 0)
    count, more, began = 0, 100, time.perf_counter()
    while (spent := time.perf_counter() - began) < seconds:
        game.kernels.random_playouts(games, more, False, streams, 0)
        count, more = count + more, min(2 * more, 10_000)
    return count / spent


def aec_rate(make_env: Callable[[], Any], seconds: float, seed: int) -> float:
    """Returns the steps a second of a PettingZoo loop (``reset``, ``last``, ``step``) in random play with choosing."""
    env = make_env()
    env.reset(seed=seed)
    draws = np.random.default_rng(seed).random(1 << 12).tolist()
    steps = 0
    began = time.perf_counter()
    while (spent := time.perf_counter() - began) < seconds:
        env.reset()
        while env.agents:
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            legal = observation["action_mask"].nonzero()[0]
            env.step(legal[int(draws[steps & 4095] * len(legal))])
            steps += 1
    return steps / spent


def copy_times(make_env: Callable[[], Any], seed: int) -> dict[str, float]:
    """Returns the microseconds of ``clone()``, ``get_state()`` and ``set_state()`` after the first action, best of five."""
    env = make_env()
    env.reset(seed=seed)
    env.step(int(env.last()[0]["action_mask"].argmax()))
    state = env.get_state()
    calls = {"clone": env.clone, "get_state": env.get_state, "set_state": lambda: env.set_state(state)}
    return {
        f"aec_raw_{name}_us": 1e6 * min(timeit.repeat(call, number=500, repeat=5)) / 500 for name, call in calls.items()
    }


def start_seconds(games: Sequence[GameSpec], cold: bool) -> float:
    """Returns the seconds to import cardenvs and take the first step in some games, in a new process.

    With ``cold`` the kernel cache is empty, so all kernels are compiled; otherwise the user's cache is used.
    """
    environment = dict(os.environ)
    with tempfile.TemporaryDirectory() as empty:
        if cold:
            environment["NUMBA_CACHE_DIR"] = empty
        done = subprocess.run(
            [sys.executable, "-c", _START, *(game.path or game.name for game in games)],
            env=environment, capture_output=True, text=True, check=True,
        )  # fmt: skip
    return float(done.stdout)


def leduc_rate(seconds: float, seed: int) -> float | None:
    """Returns the `aec_rate` of PettingZoo's ``leduc_holdem_v4``; None if its packages are not installed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = importlib.import_module("pettingzoo.classic.leduc_holdem_v4")
        return aec_rate(module.raw_env, seconds, seed)
    except ImportError:
        return None


def measure_speed(
    rounds: int, seconds: float, seed: int, progress: Callable[[str], None], games: Sequence[GameSpec] | None = None
) -> dict[str, Any]:
    """Measures all figures of games, None for all that are written in Python, in ``rounds``, ``seconds`` for each figure.

    Returns values for JSON: each game's figures, start-up times in seconds, figures of other packages (peers), the machine.
    """
    measured = [get_game(name) for name in game_names()] if games is None else games
    batches = {game.name: _make_batches(game, seed) for game in measured}
    for game in measured:
        progress(f"compiling {game.name}")
        _measure_round(game, batches[game.name], 0.001, seed)
    raw: dict[str, dict[str, list[float]]] = {game.name: {} for game in measured}
    leduc: list[float] = []
    for number in range(rounds):
        for game in measured:
            progress(f"round {number + 1} of {rounds}: {game.name}")
            for key, value in _measure_round(game, batches[game.name], seconds, seed).items():
                raw[game.name].setdefault(key, []).append(value)
        progress(f"round {number + 1} of {rounds}: leduc_holdem_v4")
        rate = leduc_rate(seconds, seed)
        if rate is not None:
            leduc.append(rate)
    progress("start-up")
    start_seconds(measured, cold=False)
    return {
        "games": {game.name: _summarise_rounds(game, raw[game.name], leduc) for game in measured},
        "warm_start_s": statistics.median(start_seconds(measured, cold=False) for _ in range(3)),
        "cold_start_s": start_seconds(measured, cold=True),
        "peers": {"leduc_holdem_v4": {"aec_raw_steps_per_s": statistics.median(leduc)}} if leduc else {},
        "machine": {
            "processor": processor(),
            "cores": cores(),
            "python": platform.python_version(),
            **{name: importlib.metadata.version(name) for name in ("numpy", "numba", "pettingzoo")},
        },
        "rounds": rounds,
    }


def _make_batches(game: GameSpec, seed: int) -> dict[int | str, Batch]:
    """Returns the measured batches of a game by their threads (0 for the large one of one thread) or `RECALL`."""
    batches: dict[int | str, Batch] = {
        1: Batch(game, BATCH, seed=seed),
        2: Batch(game, LARGE, seed=seed, threads=2),
        0: Batch(game, LARGE, seed=seed),
    }
    return batches | ({RECALL: Batch(game, BATCH, seed=seed, recall=True)} if game.recall_parts else {})


def _measure_round(game: GameSpec, batches: Mapping[int | str, Batch], seconds: float, seed: int) -> dict[str, float]:
    made = Constructors(game)
    figures = {
        "batch_steps_per_s": batch_rate(batches[1], seconds, seed),
        "batch_large_steps_per_s": batch_rate(batches[0], seconds, seed),
        "batch_two_threads_steps_per_s": batch_rate(batches[2], seconds, seed) if cores() > 1 else 0.0,
        "aec_raw_steps_per_s": aec_rate(made.raw_env, seconds, seed),
        "aec_steps_per_s": aec_rate(made.env, seconds, seed),
        "playouts_per_s": playout_rate(game, seconds, seed),
        **copy_times(made.raw_env, seed),
    }
    if RECALL in batches:
        figures["batch_recall_steps_per_s"] = batch_rate(batches[RECALL], seconds, seed)
    return figures


def _summarise_rounds(game: GameSpec, rounds: Mapping[str, list[float]], leduc: list[float]) -> dict[str, float | None]:
    """Returns the medians of a game's figures and of ratios within rounds; None for recall figures without recall."""
    figures: dict[str, float | None] = {"batch_recall_steps_per_s": None, "recall_share": None}
    figures |= {key: statistics.median(values) for key, values in rounds.items()}
    bytes_a_step = game.observation_size + game.num_actions + 4 * game.seats
    figures["batch_bytes_per_s"] = statistics.median(rounds["batch_steps_per_s"]) * bytes_a_step
    figures["second_core_gain"] = _median_ratio(rounds["batch_two_threads_steps_per_s"], rounds["batch_large_steps_per_s"])
    if "batch_recall_steps_per_s" in rounds:
        figures["recall_share"] = _median_ratio(rounds["batch_recall_steps_per_s"], rounds["batch_steps_per_s"])
    if leduc:
        figures["aec_raw_against_leduc"] = _median_ratio(rounds["aec_raw_steps_per_s"], leduc)
    return figures


def _median_ratio(figures: Iterable[float], others: Iterable[float]) -> float:
    return statistics.median(a / b for a, b in zip(figures, others, strict=True))


_ROWS = (
    ("batch_steps_per_s", "batched step, agent-steps/s", "{:,.0f}"),
    ("batch_bytes_per_s", "  written, bytes/s", "{:,.0f}"),
    ("recall_share", "  with recall, of that without", "{:.2f}"),
    ("second_core_gain", "  gain of a second thread", "{:.2f}x"),
    ("aec_raw_steps_per_s", "raw_env() loop, steps/s", "{:,.0f}"),
    ("aec_raw_against_leduc", "  against leduc_holdem_v4", "{:.1f}x"),
    ("aec_steps_per_s", "env() loop, steps/s", "{:,.0f}"),
    ("playouts_per_s", "random play-outs/s", "{:,.0f}"),
    ("aec_raw_clone_us", "raw_env() clone(), us", "{:.1f}"),
    ("aec_raw_get_state_us", "raw_env() get_state(), us", "{:.1f}"),
    ("aec_raw_set_state_us", "raw_env() set_state(), us", "{:.1f}"),
)


def table_rows(figures: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Returns the titles of the columns, the first one empty, and the rows of a table of the figures of `measure_speed`.

    A figure that was not measured for all games has no row; one that is computed from the row above has an indented title.
    """
    names = list(figures["games"])
    measured = [row for row in _ROWS if all(figures["games"][name].get(row[0]) is not None for name in names)]
    return ["", *names], [
        [label, *(form.format(figures["games"][name][key]) for name in names)] for key, label, form in measured
    ]


def markdown(figures: Mapping[str, Any], games: Sequence[str] = ()) -> str:
    """Returns the report on the figures of `measure_speed`; ``games`` are those named on the command line."""
    written = "`cardenvs bench --report docs/results/bench.md`; `make bench` does that"
    if games:
        written = code(shlex.join(["cardenvs", "bench", *games, "--report", "FILE"]))
    head, body = table_rows(figures)
    lines = table_lines(head, [[label.strip(), *cells] for label, *cells in body])
    machine = figures["machine"]
    notes = [
        "# Speed",
        "",
        f"Written by {written}.",
        f"Machine: {machine['processor']}, {machine['cores']} cores; Python {machine['python']}, NumPy {machine['numpy']}, "
        f"numba {machine['numba']}, PettingZoo {machine['pettingzoo']}. One core unless said, warm, random legal play; "
        f"medians of {figures['rounds']} rounds. A batched step writes the observation and the mask of the seat to act and "
        f"every seat's reward; batches of {BATCH} games (the two-thread gain: {LARGE}).",
        "",
        *lines,
        f"Import and first step in {'these' if games else 'all'} {len(figures['games'])} games: "
        f"{figures['warm_start_s']:.2f} s warm, {figures['cold_start_s']:.1f} s with an empty kernel cache.",
    ]
    for peer, values in figures["peers"].items():
        notes.append(f"\nPettingZoo's `{peer}` in the same loop: {values['aec_raw_steps_per_s']:,.0f} steps/s.")
    return "\n".join(notes) + "\n"

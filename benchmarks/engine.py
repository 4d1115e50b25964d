"""What work in parallel costs: ``python benchmarks/engine.py [--report FILE] [--json]``.

Two figures for processes of this machine, and for a Ray cluster of this machine where the extra ``ray`` is installed:

- the overhead of a chunk: workers hand over results as large as the largest chunk of a tournament that took no time to
  play; the wall-clock time from one to the next is what a chunk costs beyond its play, of which it has about five seconds;
- the scaling: the same tournament with one worker and with two, everything included: workers that start, the folder.

With ``--earlier FOLDER``, a checkout of an earlier version, that plays the same tournament in turn with this one, each in a
fresh process; so the engine can be compared with the pool that tournaments had before it (``adf0b07~1``). Run it once with
few deals before, so that both have compiled what they need.
"""

from __future__ import annotations

import functools
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from measuring import count_option, hand_over, in_turn, machine, tell, wall_seconds, written_by

from cardenvs import cli, plugins
from cardenvs.baselines.engine.work import MAX_CHUNK, Job, Task, work
from cardenvs.baselines.match import DealResults, play_deals
from cardenvs.baselines.match.batches import CHUNK_SECONDS
from cardenvs.baselines.reports.document import Document, Table, said
from cardenvs.baselines.tournament import play_tournament, settings_for
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec

GAME, POLICIES = "euchre", ("pimc:worlds=30", "monte-carlo")
"""The tournament that is timed."""
WORKERS = 2
CLUSTERS = {"processes": None, "Ray": "auto"}
"""By what the report calls an engine, its ``cluster``."""
FRESH, EARLIER = "processes, of a fresh process", "the earlier version's pool, of a fresh process"
"""What the report calls this version and an earlier one that are compared."""
_WARM_DEALS = 64
"""Deals of the tournaments with which everything is compiled and loaded before it is timed in this process."""


def _handing_over(game: GameSpec) -> Callable[[Task[int]], DealResults]:
    """Plays one large chunk, and then hands over that one again and again."""
    results = play_deals(game, "high", "low", range(MAX_CHUNK))
    return lambda task: results


def overhead(cluster: str | None, chunks: int) -> float:
    """Seconds of a worker from one chunk to the next where playing takes no time, after the first of each worker."""
    tasks = [Task(number, 0, 1) for number in range(chunks + 4 * WORKERS)]
    job = Job("benchmark", _handing_over, get_game(GAME))
    came = [time.perf_counter() for _ in work(job, tasks, lambda done: 1, workers=WORKERS, cluster=cluster)]
    return WORKERS * (came[-1] - came[-chunks - 1]) / chunks


def tournament_seconds(cluster: str | None, deals: int, workers: int) -> float:
    """Wall-clock seconds of a tournament."""
    settings = settings_for(GAME, POLICIES, deals=deals)
    with tempfile.TemporaryDirectory() as folder:
        return wall_seconds(lambda: play_tournament(settings, folder, workers=workers, cluster=cluster))


def _version(checkout: Path) -> str:
    """The commit of a checkout."""
    words = ["git", "-C", str(checkout), "rev-parse", "--short", "HEAD"]
    return subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


_IN_A_FRESH_PROCESS = """
import sys, time
from cardenvs.baselines.tournament import play_tournament, settings_for

game, *policies, deals, workers, folder = sys.argv[1:]
settings = settings_for(game, policies, deals=int(deals))
began = time.perf_counter()
play_tournament(settings, folder, workers=int(workers))
print(time.perf_counter() - began)
"""


def fresh_seconds(checkout: Path, deals: int, workers: int) -> float:
    """Wall-clock seconds of a tournament by the version in a checkout, in a fresh process; the start of Python left out."""
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-c", _IN_A_FRESH_PROCESS, GAME, *POLICIES, str(deals), str(workers), f"{folder}/out"]
        there = {**os.environ, "PYTHONPATH": str(checkout.resolve())}
        done = subprocess.run(words, cwd=folder, env=there, stdout=subprocess.PIPE, text=True, check=True)
    return float(done.stdout)


def measure(chunks: int, deals: int, rounds: int, earlier: Path | None) -> dict[str, Any]:
    """All figures: seconds a chunk by engine, and of the tournament by engine and number of workers."""
    engines = dict(CLUSTERS)
    if plugins.installed("ray"):
        import ray

        ray.init(num_cpus=WORKERS, include_dashboard=False, log_to_driver=False)
    else:
        tell("Ray is not installed and not measured")
        del engines["Ray"]
    costs = {name: functools.partial(overhead, cluster, chunks) for name, cluster in engines.items()}
    cost = in_turn(rounds, costs, warm=True)  # the first chunks of each worker do not count anyway
    played: dict[str, Callable[[int, int], float]] = {
        name: functools.partial(tournament_seconds, cluster) for name, cluster in engines.items()
    }
    if earlier is not None:
        checkouts = {FRESH: Path(__file__).parents[1], EARLIER: earlier}
        played |= {name: functools.partial(fresh_seconds, checkout) for name, checkout in checkouts.items()}
    runs = {(name, workers): (play, workers) for name, play in played.items() for workers in (1, WORKERS)}
    for (name, workers), (play, _) in runs.items():
        if name in engines:
            play(_WARM_DEALS, workers)
    timed = {key: functools.partial(play, deals, workers) for key, (play, workers) in runs.items()}
    taken = {key: statistics.median(seconds) for key, seconds in in_turn(rounds, timed, warm=True).items()}
    return {
        name: {
            "chunk_ms": 1000 * statistics.median(cost[name]) if name in cost else None,
            "chunk_share": statistics.median(cost[name]) / CHUNK_SECONDS if name in cost else None,
            "tournament_s": [taken[name, workers] for workers in (1, WORKERS)],
            "speed_up": taken[name, 1] / taken[name, WORKERS],
        }
        for name in played
    }


@click.command()
@count_option("--chunks", 100, "Chunks that are handed over in a round.")
@count_option("--deals", 1500, "Deals of the tournament.")
@count_option("--rounds", 3, "Rounds.")
@click.option(
    "--earlier",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A checkout of an earlier version, whose tournament is timed in turn with this one's.",
)
@cli.report_option
@cli.json_option
def main(chunks: int, deals: int, rounds: int, earlier: Path | None, report: Path | None, as_json: bool) -> None:
    """Measures what work in parallel costs."""
    figures = measure(chunks, deals, rounds, earlier)
    version = None if earlier is None else _version(earlier)
    given = {} if version is None else {"earlier": "CHECKOUT"}
    words = written_by(__file__, chunks=chunks, deals=deals, rounds=rounds, **given)
    rows = [
        [
            name,
            "" if f["chunk_ms"] is None else f"{f['chunk_ms']:.1f} ms",
            "" if f["chunk_share"] is None else f"{f['chunk_share']:.2%}",
            *(f"{seconds:.1f} s" for seconds in f["tournament_s"]),
            f"{f['speed_up']:.2f}",
        ]
        for name, f in figures.items()
    ]
    parts = [
        said(
            f"""{words} on {machine()["processor"]}. A chunk of {MAX_CHUNK:,} deals, the largest there is, is handed over;
            playing one takes about {CHUNK_SECONDS:g} s. The tournament is {
                " against ".join(f"`{name}`" for name in POLICIES)
            } over {deals:,} deals of Euchre, the start of its workers included. Medians of rounds taken in turn."""
        )
    ]
    if version is not None:
        parts.append(
            said(
                f"""The earlier version is `{version}`, of which the pool is compared with this version's processes: the
                same tournament in turn, each in a fresh process, whose own start does not count."""
            )
        )
    head = ["workers are", "a chunk costs", "of its time", "one worker", f"{WORKERS} workers", "times as fast"]
    result = {"machine": machine("numba", "numpy"), "engines": figures}
    if version is not None:
        result["earlier"] = version
    hand_over(result, Document("What work in parallel costs", [*parts, Table(head, rows)]), report, as_json)


if __name__ == "__main__":
    main()

"""What work in parallel costs: ``python benchmarks/engine.py [--report FILE] [--json]``.

Two figures for processes of this machine, and for a Ray cluster of this machine where the extra ``ray`` is installed:

- the overhead of a chunk: workers hand over results as large as the largest chunk of a tournament that took no time to
  play; the wall-clock time from one to the next is what a chunk costs beyond its play, of which it has about five seconds;
- the scaling: the same tournament with one worker and with two, everything included: workers that start, the folder.
"""

from __future__ import annotations

import functools
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from measuring import count_option, hand_over, in_turn, machine, tell, wall_seconds, written_by

from cardenvs import cli, extras
from cardenvs.baselines.engine.job import Job
from cardenvs.baselines.engine.tasks import Task
from cardenvs.baselines.engine.work import work
from cardenvs.baselines.match import DealResults, play_deals
from cardenvs.baselines.match.batches import CHUNK_SECONDS
from cardenvs.baselines.tournament import play_tournament, settings_for
from cardenvs.baselines.tournament.workers import MAX_CHUNK
from cardenvs.markdown import table_lines
from cardenvs.spec import GameSpec, get_game

GAME, POLICIES = "euchre", ("pimc:worlds=30", "monte-carlo")
"""The tournament that is timed."""
WORKERS = 2
CLUSTERS = {"processes": None, "Ray": "auto"}
"""By what the report calls an engine, its ``cluster``."""


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


def tournament_seconds(deals: int, workers: int, cluster: str | None) -> float:
    """Wall-clock seconds of a tournament."""
    settings = settings_for(GAME, POLICIES, deals=deals)
    with tempfile.TemporaryDirectory() as folder:
        return wall_seconds(lambda: play_tournament(settings, folder, workers=workers, cluster=cluster))


def measure(chunks: int, deals: int, rounds: int) -> dict[str, Any]:
    """All figures: seconds a chunk by engine, and of the tournament by engine and number of workers."""
    engines = dict(CLUSTERS)
    if extras.installed("ray"):
        import ray

        ray.init(num_cpus=WORKERS, include_dashboard=False, log_to_driver=False)
    else:
        tell("Ray is not installed and not measured")
        del engines["Ray"]
    cost = in_turn(rounds, {name: functools.partial(overhead, cluster, chunks) for name, cluster in engines.items()})
    runs = {
        (name, workers): functools.partial(tournament_seconds, deals, workers, cluster)
        for name, cluster in engines.items()
        for workers in (1, WORKERS)
    }
    taken = {key: statistics.median(seconds) for key, seconds in in_turn(rounds, runs).items()}
    return {
        name: {
            "chunk_ms": 1000 * statistics.median(cost[name]),
            "chunk_share": statistics.median(cost[name]) / CHUNK_SECONDS,
            "tournament_s": [taken[name, workers] for workers in (1, WORKERS)],
            "speed_up": taken[name, 1] / taken[name, WORKERS],
        }
        for name in engines
    }


@click.command()
@count_option("--chunks", 100, "Chunks that are handed over in a round.")
@count_option("--deals", 1500, "Deals of the tournament.")
@count_option("--rounds", 3, "Rounds.")
@cli.report_option
@cli.json_option
def main(chunks: int, deals: int, rounds: int, report: Path | None, as_json: bool) -> None:
    """Measures what work in parallel costs."""
    figures = measure(chunks, deals, rounds)
    rows = [
        [
            name,
            f"{f['chunk_ms']:.1f} ms",
            f"{f['chunk_share']:.2%}",
            *(f"{seconds:.1f} s" for seconds in f["tournament_s"]),
            f"{f['speed_up']:.2f}",
        ]
        for name, f in figures.items()
    ]
    lines = [
        "# What work in parallel costs",
        "",
        f"{written_by(__file__, chunks=chunks, deals=deals, rounds=rounds)} on {machine()['processor']}. A chunk of",
        f"{MAX_CHUNK:,} deals, the largest there is, is handed over; playing one takes about {CHUNK_SECONDS:g} s. The",
        f"tournament is {' against '.join(f'`{name}`' for name in POLICIES)} over {deals:,} deals of Euchre, the start of",
        "its workers included. Medians of rounds taken in turn.",
        "",
        *table_lines(
            ["workers are", "a chunk costs", "of its time", "one worker", f"{WORKERS} workers", "times as fast"], rows
        ),
    ]
    hand_over({"machine": machine("numba", "numpy"), "engines": figures}, "\n".join(lines) + "\n", report, as_json)


if __name__ == "__main__":
    main()

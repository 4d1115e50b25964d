"""How fast training is and what it spends its time on: ``python benchmarks/training_speed.py [--markdown FILE] [--json]``.

Euchre with separate networks of two layers of 256 for actor and critic, forced moves played in the simulator; one and two
torch threads in turn, several rounds of each side by side in one run, the figure being the median. The profile is Python's
own, of the same iterations; its overhead is not in the decisions a second.
"""

from __future__ import annotations

import cProfile
import pstats
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np
import torch

from cardenvs import cli
from cardenvs.baselines.reporting import table_lines
from cardenvs.bench import processor
from cardenvs.files import write_whole
from cardenvs.train.learning.self_play import Training
from cardenvs.train.recipes import recipe

PARTS = {
    "simulator: dealing, playing, observing": [("batch.py", "step"), ("batch.py", "states")],
    "canonical suit names": [("symmetry.py", "apply"), ("symmetry.py", "restore")],
    "networks while playing": [("policies.py", "forward"), ("policies.py", "predict_values")],
    "learning": [("ppo_mask.py", "train")],
}
"""What is told apart, and the functions whose time counts for it, by file and name."""


def iterate(training: Training, iterations: int) -> float:
    """Trains for some iterations; returns the decisions in a second."""
    from cardenvs.train.learning.session import tensorboard_log, unvalidated

    start = time.perf_counter()
    with tensorboard_log(training.out / "tensorboard") as logger, unvalidated():
        training.model.set_logger(logger)
        for _ in range(iterations):
            training.model.learn(training.config.iteration, log_interval=2, reset_num_timesteps=False)
    return iterations * training.config.iteration / (time.perf_counter() - start)


def profile(training: Training, iterations: int) -> dict[str, float]:
    """The share of the time that each part takes, in percent."""
    profiler = cProfile.Profile()
    profiler.runcall(iterate, training, iterations)
    found: Any = pstats.Stats(profiler).stats  # type: ignore[attr-defined]
    total = next(entry[3] for key, entry in found.items() if key[2] == "iterate")
    shares = {
        part: 100 * sum(entry[3] for key, entry in found.items() if (Path(key[0]).name, key[2]) in names) / total
        for part, names in PARTS.items()
    }
    return shares | {"the rest (buffer, advantages, Stable-Baselines3)": 100 - sum(shares.values())}


@click.command()
@click.option("--game", "name", default="euchre", show_default=True, help="A recipe.")
@click.option("--rounds", type=click.IntRange(min=1), default=5, show_default=True, help="Measurements of each setting.")
@click.option("--iterations", type=click.IntRange(min=1), default=4, show_default=True, help="In a measurement.")
@click.option("--markdown", "file", type=click.Path(dir_okay=False), help="Write the report to this file.")
@cli.json_option
def main(name: str, rounds: int, iterations: int, file: str | None, as_json: bool) -> None:
    """Decisions a second inside MaskablePPO, and where the time goes."""
    with tempfile.TemporaryDirectory() as folder:
        config = replace(recipe(name), imitate=None, threads=1)
        training = Training(config, folder)
        iterate(training, 1)
        speeds: dict[int, list[float]] = {1: [], 2: []}
        for _ in range(rounds):
            for threads, found in speeds.items():
                torch.set_num_threads(threads)
                found.append(iterate(training, iterations))
                print(f"{threads} threads: {found[-1]:,.0f} decisions/s", file=sys.stderr)
        torch.set_num_threads(1)
        shares = profile(training, iterations)
    medians = {threads: float(np.median(found)) for threads, found in speeds.items()}
    if file is not None:
        lines = [
            "# How fast training is",
            "",
            f"Written by `python benchmarks/training_speed.py --rounds {rounds} --iterations {iterations}` on",
            f"{processor()}. Recipe `{name}` without its imitation: {config.games} games side by side, networks",
            f"{config.net}, minibatches of about {config.batch_size}, {config.epochs} epochs.",
            "",
            *table_lines(
                ["torch threads", "decisions/s, median", "lowest", "highest"],
                [[str(t), f"{medians[t]:,.0f}", f"{min(s):,.0f}", f"{max(s):,.0f}"] for t, s in speeds.items()],
            ),
            "",
            "Where the time of one thread goes:",
            "",
            *table_lines(["part", "%"], [[part, f"{share:.1f}"] for part, share in shares.items()]),
        ]
        write_whole(file, "\n".join(lines))
    if as_json:
        cli.print_json({"recipe": name, "decisions_per_s": speeds, "median": medians, "percent": shares})


if __name__ == "__main__":
    main()

"""How fast training is and what it spends its time on: ``python benchmarks/training_speed.py [--report FILE] [--json]``.

Euchre with separate networks of two layers of 256 for actor and critic, forced moves played in the simulator; one and two
torch threads in turn, several rounds of each side by side in one run, the figure being the median. The profile is Python's
own, of the same iterations; its overhead is not in the decisions a second.
"""

from __future__ import annotations

import cProfile
import pstats
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np
import torch
from measuring import count_option, hand_over, in_turn, machine, tell, wall_seconds, written_by

from cardenvs import cli
from cardenvs.markdown import table_lines
from cardenvs.train.config import Config
from cardenvs.train.learning.self_play import Training
from cardenvs.train.recipes import recipe

PARTS = {
    "simulator: dealing, playing, observing": [("batch.py", "step"), ("batch.py", "states")],
    "canonical suit names": [("symmetry.py", "apply"), ("symmetry.py", "restore")],
    "networks while playing": [("policies.py", "forward"), ("policies.py", "predict_values")],
    "learning": [("ppo_mask.py", "train")],
}
"""By part of the training, the functions whose time counts for the part: file and name of each."""
THREADS = (1, 2)
"""Numbers of torch threads that are compared."""


def iterate(training: Training, iterations: int) -> float:
    """Trains for ``iterations`` iterations; returns the decisions in a second."""
    from cardenvs.train.learning.session import tensorboard_log, unvalidated

    def learn() -> None:
        with tensorboard_log(training.out / "tensorboard") as logger, unvalidated():
            training.model.set_logger(logger)
            for _ in range(iterations):
                training.model.learn(training.config.iteration, log_interval=2, reset_num_timesteps=False)

    return iterations * training.config.iteration / wall_seconds(learn)


def rate(training: Training, iterations: int, threads: int) -> float:
    """Decisions a second in training with ``threads`` torch threads."""
    torch.set_num_threads(threads)
    decisions_per_s = iterate(training, iterations)
    tell(f"{threads} threads: {decisions_per_s:,.0f} decisions/s")
    return decisions_per_s


def profile(training: Training, iterations: int) -> dict[str, float]:
    """By part of `PARTS`, its share of the time of ``iterations`` iterations, in percent."""
    profiler = cProfile.Profile()
    profiler.runcall(iterate, training, iterations)
    calls: Any = pstats.Stats(profiler).stats  # type: ignore[attr-defined]
    total = next(entry[3] for key, entry in calls.items() if key[2] == "iterate")
    shares = {
        part: 100 * sum(entry[3] for key, entry in calls.items() if (Path(key[0]).name, key[2]) in names) / total
        for part, names in PARTS.items()
    }
    return shares | {"the rest (buffer, advantages, Stable-Baselines3)": 100 - sum(shares.values())}


def markdown(config: Config, rounds: int, iterations: int, figures: dict[str, Any]) -> str:
    """The report, in Markdown."""
    speeds, medians = figures["decisions_per_s"], figures["median"]
    lines = [
        "# How fast training is",
        "",
        f"{written_by(__file__, game=figures['recipe'], rounds=rounds, iterations=iterations)} on",
        f"{machine()['processor']}. Recipe `{figures['recipe']}` without behaviour cloning: {config.games} games side by",
        f"side, networks {config.net}, minibatches of about {config.batch_size}, {config.epochs} epochs.",
        "",
        *table_lines(
            ["torch threads", "decisions/s, median", "lowest", "highest"],
            [[str(t), f"{medians[t]:,.0f}", f"{min(s):,.0f}", f"{max(s):,.0f}"] for t, s in speeds.items()],
        ),
        "Where the time of one thread goes:",
        "",
        *table_lines(["part", "%"], [[part, f"{share:.1f}"] for part, share in figures["percent"].items()]),
    ]
    return "\n".join(lines)


@click.command()
@click.option("--game", "name", default="euchre", show_default=True, help="A recipe.")
@count_option("--rounds", 5, "Measurements of each setting.")
@count_option("--iterations", 4, "Iterations in a measurement.")
@cli.report_option
@cli.json_option
def main(name: str, rounds: int, iterations: int, report: Path | None, as_json: bool) -> None:
    """Decisions a second inside MaskablePPO, and where the time goes."""
    with tempfile.TemporaryDirectory() as folder:
        config = replace(recipe(name), imitate=None, threads=1)
        training = Training(config, folder)
        iterate(training, 1)
        measured = {threads: partial(rate, training, iterations, threads) for threads in THREADS}
        speeds = in_turn(rounds, measured, warm=True)
        torch.set_num_threads(1)
        shares = profile(training, iterations)
    medians = {threads: float(np.median(of_rounds)) for threads, of_rounds in speeds.items()}
    figures = {"recipe": name, "decisions_per_s": speeds, "median": medians, "percent": shares}
    hand_over(figures, markdown(config, rounds, iterations, figures), report, as_json)


if __name__ == "__main__":
    main()

"""How fast training is and what it spends its time on: ``python benchmarks/training_speed.py [--report FILE] [--json]``.

Euchre with separate networks of two layers of 256 for actor and critic, forced moves played in the simulator, on the
processor; one and two threads, in float32 and bfloat16, and in Stable-Baselines3's own loops, several rounds of each side
by side in one run, the figure being the median. The profile is Python's own, of the same iterations; its overhead is not in
the decisions a second.
"""

from __future__ import annotations

import cProfile
import pstats
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np
import torch
from measuring import count_option, hand_over, in_turn, machine, tell, wall_seconds, written_by
from sb3_contrib import MaskablePPO

from cardenvs import cli
from cardenvs.printing import table_lines
from cardenvs.train.config import Config
from cardenvs.train.learning.ppo import SelfPlayPPO
from cardenvs.train.learning.self_play import Training
from cardenvs.train.recipes import recipe

PARTS = {
    "simulator: dealing, playing, observing": [("batch.py", "step"), ("batch.py", "states")],
    "canonical suit names": [("symmetry.py", "rename_positions"), ("symmetry.py", "restore_actions")],
    "the actor while playing": [("layers.py", "__call__"), ("column_actor.py", "logits"), ("loss.py", "draw_actions")],
    "the critic's values of what was played": [("ppo.py", "_critic_values")],
    "listing the entries that are not 0": [("rows.py", "from_rows")],
    "learning": [("ppo.py", "train")],
}
"""By part of the training, the functions whose time counts for the part: file and name of each."""
THREADS = (1, 2)
"""Numbers of threads that are compared."""


class StableBaselines(SelfPlayPPO):
    """The same with Stable-Baselines3's own loops over steps and minibatches."""

    collect_rollouts = MaskablePPO.collect_rollouts
    train = MaskablePPO.train


LOOPS: dict[str, tuple[type[SelfPlayPPO], bool]] = {
    "Stable-Baselines3's loops": (StableBaselines, False),
    "float32": (SelfPlayPPO, False),
    "bfloat16": (SelfPlayPPO, True),
}
"""What is compared: the class of the model, and whether layers multiply in bfloat16."""


def iterate(training: Training, iterations: int, clock: Callable[[Callable[[], None]], float] = wall_seconds) -> float:
    """Trains for ``iterations`` iterations; returns the decisions in a second by a clock of `measuring`."""
    from cardenvs.train.learning.session import tensorboard_log, without_validation

    def learn() -> None:
        with tensorboard_log(training.out / "tensorboard") as logger, without_validation():
            training.model.set_logger(logger)
            training.model.remaining = 1.0  # left to SB3, the learning rate is 0 at the end of every call of `learn`
            for _ in range(iterations):
                training.model.learn(training.config.iteration, log_interval=2, reset_num_timesteps=False)

    return iterations * training.config.iteration / clock(learn)


def rate(training: Training, iterations: int, loops: str, threads: int) -> float:
    """Decisions a second in training with a key of `LOOPS` and ``threads`` threads."""
    torch.set_num_threads(threads)
    training.model.__class__, training.model.bfloat16 = LOOPS[loops]
    decisions_per_s = iterate(training, iterations)
    tell(f"{loops}, {threads} threads: {decisions_per_s:,.0f} decisions/s")
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
            ["", "decisions/s, median", "lowest", "highest"],
            [[name, f"{medians[name]:,.0f}", f"{min(s):,.0f}", f"{max(s):,.0f}"] for name, s in speeds.items()],
        ),
        f"Where the time of one thread goes, in {figures['profiled']}:",
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
        config = replace(recipe(name), imitate=None, threads=1, device="cpu")
        training = Training(config, folder)
        iterate(training, 1)
        # Where bfloat16 is emulated it is slower than anything.
        compared = [loops for loops in LOOPS if loops != "bfloat16" or training.model.bfloat16]
        measured = {
            f"{loops}, {threads} thread{'s' * (threads > 1)}": partial(rate, training, iterations, loops, threads)
            for loops in compared
            for threads in THREADS
        }
        speeds = in_turn(rounds, measured, warm=True)
        torch.set_num_threads(1)
        training.model.__class__, training.model.bfloat16 = LOOPS[compared[-1]]
        shares = profile(training, iterations)
    medians = {name: float(np.median(of_rounds)) for name, of_rounds in speeds.items()}
    figures = {
        "recipe": name, "decisions_per_s": speeds, "median": medians, "profiled": compared[-1], "percent": shares,
    }  # fmt: skip
    hand_over(figures, markdown(config, rounds, iterations, figures), report, as_json)


if __name__ == "__main__":
    main()

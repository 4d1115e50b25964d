"""What Stable-Baselines3 learns a second: ``python benchmarks/sb3.py [--rounds 5] [--report FILE] [--json]``.

``MaskablePPO`` with one network, one rollout size and one learning on Euchre with full bidding, the learner at one seat and
heuristic policies at the others: in SB3's ``make_vec_env`` of 8 and 256 environments and in
`cardenvs.frameworks.sb3.SeatVecEnv`, taken in turn in one run. Steps, which are the learner's decisions, a second of
processor time in one thread, learning included; beside them the environments alone with random legal actions.
"""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any

import click
import numpy as np
import torch
from measuring import count_option, hand_over, in_turn, machine, processor_seconds, tell, written_by
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import VecEnv

from cardenvs import cli
from cardenvs.baselines.reports.document import Document, Table, said
from cardenvs.frameworks.sb3 import SeatVecEnv

OTHERS = {"opponents": "high-low", "partner": "coop-high-low"}
ROLLOUT, BATCH, EPOCHS = 4096, 1024, 4
"""Steps of all games in a rollout, rows in a minibatch, and how often each is learned from."""
COMPARED = {"make_vec_env, 8": 8, "make_vec_env, 256": 256, "SeatVecEnv, 256": 256}
"""By name of what is compared, the number of games."""
PEER, OURS = "make_vec_env, 256", "SeatVecEnv, 256"


def make_env(name: str) -> VecEnv:
    """The environment of a name of `COMPARED`."""
    if name.startswith("SeatVecEnv"):
        return SeatVecEnv("euchre", COMPARED[name], seed=0, **OTHERS)
    return make_vec_env("cardenvs/EuchreSeat-v0", COMPARED[name], seed=0, env_kwargs=OTHERS)


def learning(name: str, rollouts: int) -> Any:
    """A measurement: steps a second of so many rollouts, learned from."""
    games = COMPARED[name]
    model = MaskablePPO("MlpPolicy", make_env(name), n_steps=ROLLOUT // games, batch_size=BATCH, n_epochs=EPOCHS, seed=0)
    steps = rollouts * ROLLOUT

    def measure() -> float:
        rate = steps / processor_seconds(lambda: model.learn(steps))
        tell(f"{name}: {rate:,.0f} steps/s")
        return rate

    return measure


def alone(name: str, steps: int) -> Any:
    """A measurement: steps a second of the environment with random legal actions."""
    env, generator = make_env(name), np.random.default_rng(0)
    env.reset()

    def run() -> None:
        for _ in range(steps):
            masks = np.stack(env.env_method("action_masks"))
            env.step((generator.random(masks.shape) * masks).argmax(1))

    return lambda: steps * env.num_envs / processor_seconds(run)


@click.command()
@count_option("--rounds", 5, "Rounds.")
@count_option("--rollouts", 2, "Rollouts in a round.")
@cli.report_option
@cli.json_option
def main(rounds: int, rollouts: int, report: Path | None, as_json: bool) -> None:
    """Steps a second inside MaskablePPO, with SB3's own environments and with games in batches."""
    torch.set_num_threads(1)
    learned = in_turn(rounds, {name: learning(name, rollouts) for name in COMPARED})
    played = in_turn(rounds, {name: alone(name, 2048 // games) for name, games in COMPARED.items()})
    medians = {name: statistics.median(values) for name, values in learned.items()}
    bare = {name: statistics.median(values) for name, values in played.items()}
    times = statistics.median(ours / peer for ours, peer in zip(learned[OURS], learned[PEER], strict=True))
    figures = {
        **machine("stable_baselines3", "sb3_contrib", "torch"), "learning": learned, "alone": played,
        "steps_per_s": medians, "alone_per_s": bare, "times": times,
    }  # fmt: skip
    meaning = said(
        f"""{written_by(__file__, rounds=rounds, rollouts=rollouts)} on {figures["processor"]}. `MaskablePPO` of
        sb3_contrib {figures["sb3_contrib"]}, its network as it comes, {ROLLOUT} steps a rollout, minibatches of {BATCH},
        {EPOCHS} epochs: Euchre with full bidding, one seat, partner `{OTHERS["partner"]}`, opponents
        `{OTHERS["opponents"]}`. Steps a second of processor time, one thread, medians of {rounds} rounds taken in turn."""
    )
    faster = said(
        f"With the same learning, `SeatVecEnv` makes **{times:.1f} times** the steps of `make_vec_env` with as many games."
    )
    rows = [[name, f"{medians[name]:,.0f}", f"{bare[name]:,.0f}"] for name in COMPARED]
    table = Table(["environment, games", "with learning", "alone"], rows)
    hand_over(figures, Document("Stable-Baselines3 at speed", [meaning, faster, table]), report, as_json)


if __name__ == "__main__":
    main()

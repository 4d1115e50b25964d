"""What it costs to ask a program: ``python benchmarks/programs.py [--report FILE] [--json]``.

Wall-clock time of a decision of `exec`, warm, with the two example agents and with one of our own policies served, beside
the same policy asked here: medians of rounds in which everything is measured in turn. A decision's time has all in it: the
question written, both pipes, the agent's own work, the answer read. Positions are from random play, whole deals of them.
"""

from __future__ import annotations

import shutil
import statistics
import sys
from pathlib import Path
from typing import Any

import click
import numpy as np
from measuring import count_option, hand_over, in_turn, machine, wall_seconds, written_by

from cardenvs import cli, policy
from cardenvs.baselines.reports.document import Document, Table, said
from cardenvs.compiled.bits import Bytes
from cardenvs.compiled.streams import seed_streams
from cardenvs.envs.batch import Batch
from cardenvs.policy.contract import Policy

AGENTS = Path(__file__).parents[1] / "examples" / "agents"
MOVES = {"euchre": 24, "whist": 52}
"""By game, the number of moves that positions are taken from, about a whole deal."""
SERVED = "high-low"
"""The policy that is served, and asked here."""


def positions(game: str, decisions: int, seed: int) -> tuple[Bytes, Bytes]:
    """Observations int8 (decisions, observation_size), and their action masks, from all moves of deals alike."""
    moves = MOVES[game]
    batch, player = Batch(game, -(-decisions // moves), seed=seed), policy.make(game, "random")
    streams = seed_streams(seed, batch.n)
    rows, masks = [], []
    for _ in range(moves):
        rows.append(batch.observations.copy())
        masks.append(batch.action_masks.copy())
        batch.step(player.choose(rows[-1], masks[-1], streams))
    return np.concatenate(rows)[:decisions], np.concatenate(masks)[:decisions]


def players(game: str) -> dict[str, Policy]:
    """By title, what is measured in a game: the example agents that can be run here, and a policy, served and not."""
    commands = {"exec, Python": f"'{sys.executable}' '{AGENTS / 'agent.py'}'"}
    if shutil.which("node") is not None:
        commands["exec, JavaScript"] = f"node '{AGENTS / 'agent.mjs'}'"
    commands[f"exec, {SERVED} served"] = f"'{sys.executable}' -m cardenvs.cli serve-policy {SERVED}"
    made = {title: policy.make(game, "exec", command=command, start=600) for title, command in commands.items()}
    return made | {f"{SERVED}, a row at a time": policy.make(game, SERVED)}


def measure(game: str, decisions: int, rounds: int, seed: int) -> dict[str, float]:
    """By title, milliseconds of a decision, all rows asked one by one."""
    rows, masks = positions(game, decisions, seed)
    streams = seed_streams(seed, decisions)

    def ask(player: Policy) -> None:
        """Asks for all decisions."""
        for k in range(decisions):
            player.choose(rows[k : k + 1], masks[k : k + 1], streams[k : k + 1])

    asked = players(game)
    taken = in_turn(
        rounds, {title: lambda player=player: wall_seconds(lambda: ask(player)) for title, player in asked.items()}
    )  # type: ignore[misc]
    return {title: 1000 * statistics.median(seconds) / decisions for title, seconds in taken.items()}


@click.command()
@count_option("--decisions", 2000, "Decisions in a round.")
@count_option("--rounds", 5, "Rounds.")
@cli.seed_option
@cli.report_option
@cli.json_option
def main(decisions: int, rounds: int, seed: int, report: Path | None, as_json: bool) -> None:
    """Measures what a decision of a program costs."""
    figures: dict[str, Any] = {game: measure(game, decisions, rounds, seed) for game in MOVES}
    meaning = said(
        f"""{written_by(__file__, decisions=decisions, rounds=rounds, seed=seed)} on {machine()["processor"]}. Milliseconds
        of a decision, all in: the question written, both pipes, the agent's own work, the answer read."""
    )
    rows = [[title, *(f"{figures[game][title]:.3f}" for game in MOVES)] for title in figures["euchre"]]
    told = Document("What it costs to ask a program", [meaning, Table(["asked", *MOVES], rows)])
    hand_over({"machine": machine("numpy"), "ms": figures}, told, report, as_json)


if __name__ == "__main__":
    main()

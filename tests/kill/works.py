"""What is killed, by name: commands that go on in a folder where they were stopped, and those of modules of their own."""

import random
from collections.abc import Callable
from pathlib import Path

from tests.kill import evaluate, table, train
from tests.kill.running import resumable

SWEEP = """
game = "euchre"
seeds = [0, 1]
steps = 8192
games = 16
rollout = 32
eval_deals = 5
eval_every = 3
options.bidding = "forced-spades"
grid.net = [[16, 24], [8]]
[measure]
opponents = ["high-low"]
deals = 2000
"""
COMMANDS = {
    "crossplay": "crossplay euchre low high hybrid --against random --deals 2000 --workers 2",
    "judge": "judge euchre low high hybrid --reference coop-high-low --deals 600 --worlds 20 --workers 2",
    "statistics": "recycle stats whist --games 1500 --workers 2",
    "suite": "suite euchre --partners high-low,coop-high-low --response pimc:worlds=5 --response-deals 40 --pool-deals 600 "
    "--workers 2",
    "sweep": "sweep {folder}/small.toml --workers 1",
    "tournament": "tournament five-o random reflex2 greedy1 reflex1 --deals 20000 --workers 2",
}
"""Command lines without ``--out``; a suite has a response in a folder of its own, a sweep trainings and matches."""


def kill_command(name: str) -> Callable[[Path, int, random.Random], int]:
    """Work on one of `COMMANDS`."""

    def work(folder: Path, kills: int, rng: random.Random) -> int:
        (folder / "small.toml").write_text(SWEEP)
        return resumable(COMMANDS[name].format(folder=folder).split(), folder, kills, rng)

    return work


WORKS = {name: kill_command(name) for name in COMMANDS}
WORKS |= {"evaluate": evaluate.work, "table": table.work, "train": train.work}
"""Work that is killed so many times in an empty folder; returns how often it was gone on with after a kill."""

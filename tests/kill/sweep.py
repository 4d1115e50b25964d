"""Killing a sweep: what is trained and played stays, it goes on, the results are those of one that was never killed."""

from __future__ import annotations

import random
from pathlib import Path

from tests.kill.running import main, resumable

_SWEEP = """
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


def work(folder: Path, kills: int, rng: random.Random) -> int:
    """Kills a small sweep in its trainings and in its matches."""
    file = folder / "small.toml"
    file.write_text(_SWEEP)
    return resumable(["sweep", str(file), "--workers", "1"], folder, kills, rng)


if __name__ == "__main__":
    main(work, "Kills a sweep at random moments and goes on with it.")

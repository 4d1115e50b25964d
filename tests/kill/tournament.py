"""Killing a tournament: finished chunks stay, it goes on, the results are those of one that was never killed."""

from __future__ import annotations

import random
from pathlib import Path

from tests.kill.running import main, resumable


def work(folder: Path, kills: int, rng: random.Random) -> int:
    """Kills a small tournament with two worker processes."""
    words = ["tournament", "five-o", "random", "reflex2", "greedy1", "reflex1", "--deals", "20000", "--workers", "2"]
    return resumable(words, folder, kills, rng)


if __name__ == "__main__":
    main(work, "Kills a tournament at random moments and goes on with it.")

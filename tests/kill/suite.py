"""Killing the making of a suite: finished chunks stay, it goes on, the bounds are those of one that was never killed."""

from __future__ import annotations

import random
from pathlib import Path

from tests.kill.running import main, resumable


def work(folder: Path, kills: int, rng: random.Random) -> int:
    """Kills the making of a suite of two partners, with a response in a folder of its own, by two worker processes."""
    words = [
        "suite", "euchre", "--partners", "high-low,coop-high-low", "--response", "pimc:worlds=5", "--response-deals", "40",
        "--pool-deals", "600", "--workers", "2",
    ]  # fmt: skip
    return resumable(words, folder, kills, rng)


if __name__ == "__main__":
    main(work, "Kills the making of a suite at random moments and goes on with it.")

"""Killing cross-play: finished chunks stay, it goes on, the results are those of one that was never killed."""

from __future__ import annotations

import random
from pathlib import Path

from tests.kill.running import main, resumable


def work(folder: Path, kills: int, rng: random.Random) -> int:
    """Kills cross-play of a few policies with two worker processes."""
    words = ["crossplay", "euchre", "low", "high", "hybrid", "--against", "random", "--deals", "2000", "--workers", "2"]
    return resumable(words, folder, kills, rng)


if __name__ == "__main__":
    main(work, "Kills cross-play at random moments and goes on with it.")

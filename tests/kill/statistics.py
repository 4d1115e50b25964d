"""Killing statistics of a game: finished games stay, they go on, the figures are those of a run that was never killed."""

from __future__ import annotations

import random
from pathlib import Path

from tests.kill.running import main, resumable


def work(folder: Path, kills: int, rng: random.Random) -> int:
    """Kills statistics with two worker processes."""
    words = ["recycle", "stats", "whist", "--games", "1500", "--workers", "2"]
    return resumable(words, folder, kills, rng)


if __name__ == "__main__":
    main(work, "Kills statistics of a game at random moments and goes on with them.")

"""Killing an evaluation, which does not go on: its report is the old one or the new one, never a part."""

import json
import random
import time
from pathlib import Path

from tests.kill.running import killed, left_over, timeless


def work(folder: Path, kills: int, rng: random.Random) -> int:
    """Kills an evaluation that writes a report over an old one."""
    report = folder / "report.md"
    words = ["evaluate", "five-o", "reflex2", "--against", "random", "--deals", "2000", "--json", "--report", str(report)]
    began = time.monotonic()
    expected = timeless(json.loads(killed(words, 3600) or ""))
    whole = time.monotonic() - began
    done = 0
    while done < kills:
        report.write_text("old")
        text = killed(words, rng.uniform(0.1, 1.1) * whole)
        done += text is None
        now = report.read_text("utf-8")
        assert now == "old" or (now.startswith("# reflex2 in Five-O poker\n") and "## Self-check" in now), "a part of it"
        if text is not None:
            assert timeless(json.loads(text)) == expected, "other results than before"
            assert not left_over(folder)
    assert timeless(json.loads(killed(words, 3600) or "")) == expected
    assert not left_over(folder)
    return 0

"""Fuzzing of suites: each mutation of a suite's file is read, and then means the same, or is refused in one line."""

import functools
import json
import random

from cardenvs.baselines.suites import find_suite
from cardenvs.baselines.suites.suite import FOLDER
from cardenvs.files import json_text
from tests.fuzz.running import file_with, mutated_text, mutated_value, told


@functools.cache
def texts() -> tuple[str, ...]:
    """The suites that ship."""
    return tuple(path.read_text("utf-8") for path in sorted(FOLDER.glob("*.json")))


def trial(rng: random.Random) -> str:
    """Mutates a suite, its text or a value in it, and reads it."""
    text = rng.choice(texts())
    game = json.loads(text)["game"]
    mutated = mutated_text(text, rng) if rng.random() < 0.5 else json.dumps(mutated_value(json.loads(text), rng))
    with file_with(mutated.encode(errors="backslashreplace"), "suite.json") as path:
        suite = told(find_suite, game, str(path))
        if suite is None:
            return "refused"
        path.write_text(json_text(suite.as_dict()), "utf-8")
        assert find_suite(game, str(path)).as_dict() == suite.as_dict()
    assert all(member.span > 0 for member in suite.partners) and suite.names
    return "read"

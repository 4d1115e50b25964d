"""Fuzzing of sweeps in TOML: each mutation is a sweep whose trainings can begin, or is refused in one line."""

import functools
import json
import random

from cardenvs.train.sweep import parse_sweep
from cardenvs.train.sweep.reading import FOLDER
from tests.fuzz.running import mutated_text, told


@functools.cache
def texts() -> tuple[str, ...]:
    """The sweeps that ship, and a small one with a grid beside variants."""
    small = (
        'game = "euchre"\nseeds = [1, 2]\nsteps = 9\noptions.target = 5\n[grid]\nnet = [[8], [8, 4]]\nlr = [0.1, 1]\n'
        '[[variant]]\nname = "a"\n[[variant]]\nname = "b"\nrecipe = "euchre"\nimitate = "none"\n'
        '[measure]\nopponents = ["low+high"]\nreference = "a, net 8, lr 1"\n'
    )
    return (*(path.read_text("utf-8") for path in sorted(FOLDER.glob("*.toml"))), small)


def trial(rng: random.Random) -> str:
    """Mutates a sweep and reads it."""
    asked = told(parse_sweep, mutated_text(rng.choice(texts()), rng), "mutated")
    if asked is None:
        return "refused"
    sweep = asked.sweep
    json.dumps(sweep.as_dict(), allow_nan=False)
    assert len({run.policy for run in sweep.runs}) == len(sweep.runs)
    for run in sweep.runs:
        assert run.config.steps and run.config.threads and run.config.minutes is None
        assert not run.policy.startswith(("/", ".")) and ".." not in run.policy.split("/")
    return "read"

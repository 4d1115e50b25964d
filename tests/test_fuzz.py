"""The fuzzing scripts of `tests.fuzz` and the kill tests of `tests.kill`, each for a short while."""

import ast
import os
import random
import subprocess
import sys

import pytest

from tests.fuzz import checkpoints, descriptions, lines, policy_files, records, sessions, suites, sweeps, tables
from tests.fuzz.running import fuzz, told
from tests.helpers.paths import ROOT
from tests.kill.works import WORKS

TRIALS = {
    "checkpoints": (checkpoints.trial, 400),
    "descriptions": (descriptions.trial, 3000),
    "lines": (lines.trial, 5000),
    "policy_files": (policy_files.trial, 400),
    "records": (records.trial, 5000),
    "sessions": (sessions.trial, 1500),
    "suites": (suites.trial, 2000),
    "sweeps": (sweeps.trial, 2000),
    "tables": (tables.trial, 3000),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TRIALS)
def test_mutations_are_read_or_refused(name):
    trial, tries = TRIALS[name]
    outcomes = fuzz(trial, tries, seed=20)
    refused = sum(count for outcome, count in outcomes.items() if "refused" in outcome)
    assert 0 < refused < tries, outcomes


@pytest.mark.parametrize("name", ["descriptions", "lines", "records", "sessions", "suites", "sweeps", "tables"])
def test_a_few_mutations(name):
    assert sum(fuzz(TRIALS[name][0], 40, seed=3).values()) == 40


@pytest.mark.slow
def test_mutated_descriptions_play_compiled_as_they_are_interpreted(tmp_path):
    """As plain Python, in a process of its own: numba would take seconds for each."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", "compiled", "--tries", "300", "--seed", "20"],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    outcomes = ast.literal_eval(done.stdout)
    assert sum(outcomes.values()) == 300
    assert outcomes["over"] and outcomes["played"] and outcomes["refused"] < 270


def test_a_failed_try_is_named_and_can_be_made_again():
    def trial(rng):
        number = rng.randrange(10)
        if number == 7:
            raise KeyError(number)
        return "fine"

    with pytest.raises(AssertionError, match=r"try \d+ of seed 1 failed: KeyError: 7") as caught:
        fuzz(trial, 1000, seed=1)
    number = int(str(caught.value).split()[1])
    with pytest.raises(AssertionError, match=f"try {number} of seed 1"):
        fuzz(trial, 1000, seed=1, only=number)
    with pytest.raises(TypeError):
        told(int, [])


# --- kill tests, each with a few kills ---


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there are no process groups")
@pytest.mark.parametrize("name", WORKS)
def test_killed_at_random_moments_nothing_is_lost(name, tmp_path):
    WORKS[name](tmp_path, 3, random.Random(5))

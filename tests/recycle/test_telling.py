"""What small described games tell of hidden cards: all that is told is so, and nothing is told that was not seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from cardenvs import telling
from cardenvs.recycle import load
from cardenvs.recycle.game import compiled
from tests.fuzz.grown import trial
from tests.fuzz.running import fuzz
from tests.helpers.judging import Judge

EXAMPLES = Path(__file__).parent / "examples"
pytestmark = [pytest.mark.slow, pytest.mark.nojit]


@pytest.mark.parametrize("name", ["leak", "in_parts", "draw_discard", "passing", "empty_pile", "knock", "bidhand"])
def test_examples_tell_what_is_so_and_nothing_else(name: str) -> None:
    description = load(EXAMPLES / f"{name}.rcy")
    spec = compiled(description, name)
    for judge in (telling.count_false, telling.count_mask, telling.count_secrets):
        count = judge(spec, 3)
        assert count.looked and not count.wrong, count.first
    if len(spec.sights().face_of) < 7:  # type: ignore[misc]
        judged = Judge(description, spec)
        judged.play(1)
        for fault in ("dies", "false", "secret", "mask", "recalled"):
            assert not judged.found[fault], judged.first


def test_grown_games_tell_what_is_so_and_nothing_else() -> None:
    outcomes = fuzz(trial, 6, seed=5)
    assert set(outcomes) <= {"fine", "impossible"}, outcomes

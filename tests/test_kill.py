"""The kill tests of `tests.kill`, each with a few kills."""

from __future__ import annotations

import random
import sys

import pytest

from tests.kill.works import WORKS


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there are no process groups")
@pytest.mark.parametrize("name", WORKS)
def test_killed_at_random_moments_nothing_is_lost(name, tmp_path):
    WORKS[name](tmp_path, 3, random.Random(5))

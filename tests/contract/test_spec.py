"""A spec by itself, whatever else is loaded."""

from __future__ import annotations

from tests.helpers.command_line import run_python


def test_a_spec_is_pickled_by_its_name_though_nobody_has_asked_for_a_game():
    program = """
import pickle
from cardenvs.games.euchre import SPEC
written = pickle.dumps(SPEC)
assert pickle.loads(written) is SPEC
print(len(written))
"""
    assert int(run_python(program, check=True).stdout) < 200

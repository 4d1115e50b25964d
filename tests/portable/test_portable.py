"""A little of everything, with few packages beside it: what `make test-pythons` and `make test-lowest` run in fresh environments."""

from __future__ import annotations

import json
import subprocess
import sys

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test

import cardenvs
from cardenvs import recycle

SEATS = {"euchre": "EuchreSeat", "whist": "WhistSeat", "five-o": "FiveOSeat"}
MODULES = {"euchre": cardenvs.euchre_v0, "whist": cardenvs.whist_v0, "five-o": cardenvs.five_o_v0}


def command(*words: str) -> subprocess.CompletedProcess[str]:
    """The command line in a process of its own."""
    return subprocess.run([sys.executable, "-m", "cardenvs.cli", *words], capture_output=True, text=True)


@pytest.mark.parametrize("game", MODULES)
def test_the_checkers_of_environments_pass(game):
    api_test(MODULES[game].env(), num_cycles=20)
    seed_test(MODULES[game].env, num_cycles=10)
    check_env(gymnasium.make(f"cardenvs/{SEATS[game]}-v0").unwrapped)


def test_a_described_game_passes_them():
    api_test(recycle.env("crazy-eights"), num_cycles=20)


def test_a_match_with_a_program_is_that_with_the_policy_itself():
    served = f"exec:'{sys.executable}' -m cardenvs.cli serve-policy euchre high"
    words = ["match", "euchre", "learned", served, "--deals", "3", "--seed", "5", "--json"]
    done = command(*words)
    assert done.returncode == 0, done.stderr
    played, again = json.loads(done.stdout), json.loads(command(*words[:3], "high", *words[4:]).stdout)
    assert sum(played["tricks_won"]) > 0
    for key in ("tricks_won", "points", "decisions"):
        assert played[key] == again[key]


def test_a_position_is_painted(tmp_path):
    pytest.importorskip("pygame")
    assert command("render", "five-o", "--out", str(tmp_path / "deal.gif")).returncode == 0
    assert (tmp_path / "deal.gif").read_bytes().startswith(b"GIF89a")


def test_bad_input_is_one_line():
    done = command("match", "euchre", "hgih", "high")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "Did you mean high?" in done.stderr

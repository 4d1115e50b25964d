"""Programs as policies: they play as what they are, and whatever they do wrong is named."""

from __future__ import annotations

import json
import pickle
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardenvs import Batch, policy
from cardenvs.baselines import play_match
from cardenvs.baselines.match.side import Side
from cardenvs.cards import seed_streams
from cardenvs.programs import ProgramError, ProgramPolicy
from cardenvs.spec import get_game

AGENTS = Path(__file__).parents[1] / "examples" / "agents"
HEAD = "import json, sys, time\nfor line in sys.stdin:\n    m = json.loads(line)\n"
READY = "    if m['type'] == 'hello':\n        print(json.dumps({'type': 'ready'%s}), flush=True)\n"
FIRST = "    if m['type'] == 'decide':\n        print(json.dumps({'action': m['legal'][0]}), flush=True)\n"


def program(folder: Path, body: str, **settings: Any) -> ProgramPolicy:
    """A policy of a Python program."""
    path = folder / "agent.py"
    path.write_text(HEAD + body)
    return ProgramPolicy("euchre", f"{sys.executable} {path}", **settings)


def ask(player: ProgramPolicy, games: int = 3) -> list[int]:
    """What a program answers at the start of some deals."""
    batch = Batch(player.game, games, seed=1)
    return player.act(batch.observations, batch.action_masks, seed_streams(1, games)).tolist()


def test_a_program_is_asked_with_all_that_its_seat_knows(tmp_path: Path) -> None:
    body = READY % "" + FIRST + f"    open({str(tmp_path / 'log')!r}, 'a').write(line)\n"
    player = program(tmp_path, body)
    spec = get_game("euchre")
    assert ask(player) == [spec.action("pass")] * 3
    player.close()
    hello, *questions, bye = (json.loads(line) for line in (tmp_path / "log").read_text().splitlines())
    assert hello["game"] == "euchre" and hello["actions"] == list(spec.actions) and hello["protocol"] == 1
    assert bye == {"type": "bye"} and [one["number"] for one in questions] == [1, 2, 3]
    batch = Batch("euchre", 3, seed=1)
    for row, question in enumerate(questions):
        again = np.zeros(spec.observation_size, np.int8)
        for name, labels in question["observation"].items():
            where, known = spec.slices[name], hello["parts"][name]
            for label in labels:
                again[where.start + known.index(label)] = 1
        assert (again == batch.observations[row]).all()
        assert question["legal"] == [spec.actions[k] for k in np.flatnonzero(batch.action_masks[row])]


@pytest.mark.parametrize("form", ["text", "bits"])
def test_other_forms_of_observations(tmp_path: Path, form: str) -> None:
    body = READY % f", 'observation': {form!r}" + FIRST + f"    open({str(tmp_path / 'log')!r}, 'a').write(line)\n"
    player = program(tmp_path, body)
    ask(player, 1)
    player.close()
    question = json.loads((tmp_path / "log").read_text().splitlines()[1])
    batch, spec = Batch("euchre", 1, seed=1), get_game("euchre")
    row = batch.observations[0]
    assert question["observation"] == (row.tolist() if form == "bits" else spec.describe(row))


@pytest.mark.parametrize(
    ("body", "settings", "message"),
    [
        ("    time.sleep(9)\n", {"start": 0.3}, "was not ready within 0.3 s"),
        ("    print('{}', flush=True)\n", {}, r"has answered hello with \{\}"),
        ("    print('hello you', flush=True)\n", {}, "has answered with a line that is no JSON object: 'hello you'"),
        (READY % ", 'observation': 'pixels'", {}, "wants observations as 'pixels': there are parts, text, bits"),
        (READY % "" + "    else:\n        time.sleep(9)\n", {"seconds": 0.3}, "did not answer within 0.3 s"),
        (READY % "" + "    else:\n        raise KeyError('oh')\n", {}, r"has ended \(exit status 1\): KeyError: 'oh'"),
        (READY % "" + "    else:\n        import os; os.kill(os.getpid(), 9)\n", {}, r"has ended \(SIGKILL\)"),
        (READY % "" + "    else:\n        sys.exit(0)\n", {}, r"has ended \(exit status 0\)"),
        (READY % "" + "    else:\n        print('[1]', flush=True)\n", {}, "a line that is no JSON object"),
        (READY % "" + "    else:\n        print('x' * 3000000, flush=True)\n", {}, "a line of more than 1048576 bytes"),
        (READY % "" + '    else:\n        print(\'{"action": "9c"}\', flush=True)\n', {}, "'9c', which is not legal there"),
        (
            READY % "" + "    else:\n        print('{\"action\": 24}', flush=True)\n",
            {},
            "has answered 24, which is not legal",
        ),
        (READY % "" + '    else:\n        print(\'{"error": "no\\\\nidea"}\', flush=True)\n', {}, "an error: no"),
    ],
)
def test_what_is_wrong_is_named_in_one_line(tmp_path: Path, body: str, settings: dict[str, Any], message: str) -> None:
    player = program(tmp_path, body, **settings)
    began = time.monotonic()
    with pytest.raises(ProgramError, match=message) as error:
        ask(player)
    assert "\n" not in str(error.value) and "agent.py" in str(error.value)
    assert time.monotonic() - began < 8
    assert player._program is None


def test_commands_that_are_none() -> None:
    for command, message in (
        ("no-such-program here", r"'no-such-program here' cannot be started: No such file"),
        ("python 'agent.py", "No closing quotation"),
    ):
        with pytest.raises(ProgramError, match=message):
            ask(ProgramPolicy("euchre", command))
    with pytest.raises(ValueError, match="command must be the command of a program"):
        policy.make("euchre", "exec")
    with pytest.raises(ValueError, match="seconds must be a number above 0"):
        policy.make("euchre", "exec:python agent.py,seconds=0")


def test_parameters_stand_behind_the_command() -> None:
    player = policy.make("whist", "exec:python agent.py --level=3,seconds=2")
    assert isinstance(player, ProgramPolicy)
    assert player.command == "python agent.py --level=3" and player.seconds == 2
    assert policy.split_list("exec:python a.py,seconds=2,random") == ["exec:python a.py,seconds=2", "random"]


def test_a_policy_of_a_program_goes_to_other_processes(tmp_path: Path) -> None:
    player = program(tmp_path, READY % "" + FIRST)
    assert ask(player) == ask(pickle.loads(pickle.dumps(player)))


def played(command: str) -> Any:
    """The results of some deals of a program against a heuristic."""
    sides = Side(get_game("euchre"), f"exec:{command}"), Side(get_game("euchre"), "high-low")
    return play_match("euchre", *sides, deals=6, seed=3).as_dict()


def test_the_examples_play_alike() -> None:
    """In Python and in JavaScript: the same agent."""
    python = played(f"{sys.executable} {AGENTS / 'agent.py'}")
    assert python["deals"] == 6 and len((AGENTS / "agent.py").read_text().splitlines()) <= 35
    if shutil.which("node") is None:
        pytest.skip("no node")
    other = played(f"node {AGENTS / 'agent.mjs'}")
    assert (python["points"], python["tricks_won"]) == (other["points"], other["tricks_won"])

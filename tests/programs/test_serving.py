"""Policies that are asked as programs: they decide as they do here, and no line that is wrong ends them."""

import functools
import io
import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from cardenvs import Batch, policy
from cardenvs.baselines import play_match
from cardenvs.compiled import waiting as compiling
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.registry import get_game
from cardenvs.policy.registry import POLICIES
from cardenvs.programs import PolicyServer, serve
from cardenvs.programs.protocol import LONGEST, Wording, encode_line
from tests.helpers.command_line import check_refused
from tests.helpers.players import First, failing

HELLO = Wording(get_game("euchre")).hello_message()


@functools.cache
def question() -> dict[str, Any]:
    """The first decision of a deal of Euchre, dealt when a test first asks for it."""
    batch = Batch("euchre", 1, seed=1)
    return Wording(get_game("euchre")).decide_message(1, batch.observations[0], batch.action_masks[0], "parts", 7)


def answer(server: PolicyServer, message: Any) -> dict[str, Any]:
    """What a server answers to a message; it is not to end."""
    found = server.answer(message if isinstance(message, bytes) else encode_line(message))
    assert found is not None
    json.dumps(found)
    return found


@pytest.mark.parametrize(
    ("game", "name", "form", "recall"),
    [
        ("euchre", "random", "parts", False),
        ("euchre", "hybrid", "bits", False),
        ("euchre", "high-low", "parts", True),
        ("five-o", "random", "parts", False),
        pytest.param("whist", "random", "parts", True, marks=pytest.mark.slow),
        pytest.param("agram", "random", "parts", False, marks=pytest.mark.slow),
    ],
)
def test_a_served_policy_decides_as_it_does_here(game: str, name: str, form: str, recall: bool) -> None:
    spec = get_game(game).with_recall(recall)
    server, here, wording = PolicyServer(name), policy.make(game, name), Wording(spec)
    assert answer(server, wording.hello_message()) == {"type": "ready", "name": name, "observation": "parts"}
    batch, streams, again = Batch(spec, 4, seed=3), seed_streams(1, 4), seed_streams(1, 4)
    size = here.game.observation_size
    for number in range(12):
        rows, masks = batch.observations, batch.action_masks
        actions = here.act(np.ascontiguousarray(rows[:, :size]), masks, streams)
        for k in range(4):
            told = answer(server, wording.decide_message(number, rows[k], masks[k], form, int(again[k])))
            assert told["action"] == spec.actions[actions[k]] and told["number"] == number
            again[k] = told["seed"]
        assert (streams == again).all()
        batch.step(actions)


def test_a_served_policy_plays_the_same_match() -> None:
    served = f"exec:{sys.executable} -m cardenvs.cli serve-policy euchre random,start=120"
    there, here = (play_match("euchre", name, "high-low", deals=5, seed=2).as_dict() for name in (served, "random"))
    for figures in (there, here):
        for key in ("sides", "seconds", "decisions_per_s"):
            del figures[key]
    assert there == here


@pytest.mark.parametrize(
    ("message", "error"),
    [
        (b"hello\n", "a line that is no JSON object: 'hello'"),
        (b"\xff\xfe\n", "no JSON object"),
        (b"[" * 100_000, "no JSON object"),
        ({"type": "go"}, "type must be hello, decide or bye, not 'go'"),
        ({}, "type must be hello, decide or bye, not None"),
        (lambda: HELLO | {"protocol": 2}, "protocol must be 1, not 2"),
        (lambda: HELLO | {"game": "bridge"}, "unknown game 'bridge'"),
        (lambda: HELLO | {"game": 3}, "game must be the name of a game, not 3"),
        (lambda: HELLO | {"game": "/tmp/game.rcy"}, "is the path of a file"),
        (lambda: HELLO | {"actions": ["pass"]}, "euchre has other actions here"),
        (lambda: HELLO | {"parts": {}}, "euchre has other parts here"),
        (lambda: HELLO | {"game": "five-o"}, "unknown policy 'high' for five-o"),
        (lambda: question() | {"legal": []}, "legal must be the names of the legal actions"),
        (lambda: question() | {"legal": "pass"}, "legal must be the names of the legal actions"),
        (lambda: question() | {"legal": [["pass"]]}, "which is no action of euchre"),
        (lambda: question() | {"legal": ["9c"]}, "has the action 0 (9c), which is illegal there"),
        (lambda: question() | {"seed": -1}, "seed must be an int from 0"),
        (lambda: question() | {"seed": "x"}, "seed must be an int from 0"),
        (lambda: question() | {"observation": "text"}, "observation must be the labels of each part"),
        (lambda: question() | {"observation": [1, 0]}, "have the shape (n, 457), not (1, 2)"),
        (lambda: question() | {"observation": ["a"]}, "observation of euchre"),
        (lambda: question() | {"observation": {"feet": []}}, "has a part 'feet', which euchre has not"),
        (lambda: question() | {"observation": {"hand": ["2c"]}}, "has '2c' in 'hand', where there is no such label"),
        (lambda: question() | {"observation": {"hand": [{}]}}, "in 'hand', where there is no such label"),
        (lambda: question() | {"observation": {}}, "observations: row 0 shows no position of euchre"),
    ],
)
def test_a_line_that_is_wrong_is_told_and_ends_nothing(message: Any, error: str) -> None:
    server = PolicyServer("high")
    assert answer(server, question()) == {"error": "say hello first"}
    answer(server, HELLO)
    found = answer(server, message() if callable(message) else message)
    assert list(found) == ["error"] and error in found["error"] and "\n" not in found["error"]
    answer(server, HELLO)
    assert answer(server, question())["action"] == "pass"
    assert server.answer(encode_line({"type": "bye"})) is None


def test_a_policy_that_fails_or_wants_more_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    class Recalls(First):
        def __init__(self, game: Any) -> None:
            super().__init__(get_game(game).recalling)

    monkeypatch.setattr(POLICIES, "made", {})
    policy.register("recalls", Recalls)
    policy.register("fails", failing(ValueError("no idea\nat all")))
    found = answer(PolicyServer("recalls"), HELLO)
    assert found["error"] == "recalls wants the order of play: ask for it, as by exec:COMMAND,recall=yes"
    spec = get_game("euchre").recalling
    server = PolicyServer("recalls", "euchre")
    assert answer(server, Wording(spec).hello_message())["type"] == "ready"
    batch = Batch(spec, 1, seed=1)
    asked = Wording(spec).decide_message(1, batch.observations[0], batch.action_masks[0], "parts", 7)
    assert answer(server, asked)["action"] == "pass"
    assert answer(PolicyServer("fails"), HELLO) == {"error": "no idea at all"}
    assert answer(PolicyServer("high", "euchre"), HELLO | {"game": "whist"}) == {
        "error": "high is served for euchre, not for whist"
    }


def test_lines_are_answered_one_by_one_until_bye() -> None:
    hello, asks, bye = encode_line(HELLO), encode_line(question()), encode_line({"type": "bye"})
    asked = [b"\n", hello, b"x" * (3 * LONGEST) + b"\n", asks, bye, asks]
    answers = io.BytesIO()
    serve(PolicyServer("high"), io.BytesIO(b"".join(asked)), answers)
    ready, wrong, action = map(json.loads, answers.getvalue().splitlines())
    assert ready["type"] == "ready" and "no JSON object" in wrong["error"] and action["action"] == "pass"
    serve(PolicyServer("high"), io.BytesIO(b"".join(asked[:-2])), answers)  # the end of the input is as good

    class Gone(io.BytesIO):
        def write(self, text: Any) -> int:
            raise BrokenPipeError

    serve(PolicyServer("high"), io.BytesIO(b"".join(asked)), Gone())


@pytest.mark.slow
def test_the_command_ends_with_its_input() -> None:
    command = [sys.executable, "-m", "cardenvs.cli", "serve-policy", "high"]
    asked = b"x\n" + encode_line(HELLO) + encode_line(question())
    run = subprocess.run(command, input=asked, capture_output=True, check=False)
    told = [json.loads(one) for one in run.stdout.splitlines() if b'"preparing"' not in one]
    assert run.returncode == 0 and len(told) == 3
    assert "error" in told[0] and told[1]["type"] == "ready" and told[2]["action"] == "pass"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("euchre nope", "unknown policy 'nope' for euchre"),
        ("nope", "unknown policy 'nope': the policies are card-counting, "),
        ("nope.py:Mine", "no file 'nope.py'"),
        ("nope.zip", "no policy file 'nope.zip'"),
        ("bridge high", "unknown game 'bridge'"),
        ("a b c", "give a policy, or a game and a policy, not 3 words"),
        ("", "Missing argument"),
    ],
)
def test_the_command_says_what_is_wrong(words: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    check_refused(capsys, message, "serve-policy", *words.split())


def test_a_match_is_told_what_is_compiled_if_it_knows_of_such_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Any] = []
    server = PolicyServer("high")
    server.tell = told.append
    monkeypatch.setattr(compiling, "missing", lambda: [])
    assert answer(server, HELLO)["type"] == "ready" and not told
    monkeypatch.setattr(compiling, "missing", lambda: ["cardenvs.games.euchre"])
    monkeypatch.setattr(compiling, "guess", lambda: 15)
    older = {key: value for key, value in HELLO.items() if key != "preparing"}
    assert answer(server, older)["type"] == "ready" and not told
    assert answer(server, HELLO)["type"] == "ready"
    assert told == [{"type": "preparing", "what": "high (compiled)", "seconds": 15}]

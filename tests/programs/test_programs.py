"""Programs as policies: they play as what they are, and whatever they do wrong is named."""

import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from cardenvs import Batch, policy
from cardenvs.baselines import play_match
from cardenvs.baselines.match.side import Side
from cardenvs.baselines.tournament import play_tournament, settings_for
from cardenvs.cli import main
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.registry import get_game
from cardenvs.policy.contract import Forfeit
from cardenvs.programs import ProgramError, ProgramPolicy
from cardenvs.programs import program as running
from tests.helpers.paths import ROOT
from tests.refusals import check_refused

AGENTS = ROOT / "examples" / "agents"
HEAD = "import json, sys, time\nfor line in sys.stdin:\n    m = json.loads(line)\n"
READY = "    if m['type'] == 'hello':\n        print(json.dumps({'type': 'ready'%s}), flush=True)\n"
ANSWER = "    if m['type'] == 'decide':\n        print(json.dumps({%s}), flush=True)\n"
FLUSH = "        sys.stdout.flush()\n"
ELSE = "    else:\n        %s\n"
FIRST = "    if m['type'] == 'decide':\n        print(json.dumps({'action': m['legal'][0]}), flush=True)\n"

PREPARES = """
    if m['type'] == 'hello':
        assert m['preparing'] is True
        for seconds in (%s):
            print(json.dumps({'type': 'preparing', 'what': 'its \\x1b[31mbook', 'seconds': seconds}), flush=True)
        time.sleep(%s)
        print(json.dumps({'type': 'ready'}), flush=True)
"""


def answers(text: str) -> str:
    """A program that answers each question with a line."""
    return READY % "" + ELSE % f"print({text}, flush=True)"


def program(folder: Path, body: str, after: str = "", **settings: Any) -> ProgramPolicy:
    """A policy of a Python program, which answers line by line, and does something at the end of its input."""
    path = folder / "agent.py"
    path.write_text(HEAD + body + after)
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
        ("    print('{}', flush=True)\n", {}, r"has answered hello with '\{\}'"),
        ("    print('hello you', flush=True)\n", {}, "has answered with a line that is no JSON object: 'hello you'"),
        (READY % ", 'observation': 'pixels'", {}, "wants observations as 'pixels': there are parts, text, bits, prompt"),
        (READY % "" + ELSE % "time.sleep(9)", {"seconds": 0.3}, "did not answer within 0.3 s"),
        (READY % "" + ELSE % "raise KeyError('oh')", {}, r"has ended \(exit status 1\): KeyError: 'oh'"),
        (READY % "" + ELSE % "import os; os.kill(os.getpid(), 9)", {}, r"has ended \(SIGKILL\)"),
        (READY % "" + ELSE % "sys.exit(0)", {}, r"has ended \(exit status 0\)"),
        (READY % "" + ELSE % "sys.stdout.buffer.write(bytes(range(256)) + b'\\n')" + FLUSH, {}, "no JSON object"),
        (READY % "" + ANSWER % "'action': 'pass', 'number': 7", {}, "has answered question 7, not question 1"),
        (answers("'[1]'"), {}, "a line that is no JSON object"),
        (answers("'x' * 3000000"), {}, "a line of more than 1048576 bytes"),
        (answers("'[' * 100000"), {}, "no JSON object"),
        (answers("""'{"action": "9c"}'"""), {}, "'9c', which is not legal there"),
        (answers("""'{"action": 24}'"""), {}, "has answered 24, which is not legal"),
        (answers("""'{"error": "no\\\\nidea"}'"""), {}, "an error: no idea"),
        ("    print(json.dumps({'error': 'no, please'}), flush=True)\n", {}, "with an error: no, please"),
        ('    print(\'{"type": "ready"}\\n{}\', flush=True)\n', {}, "has written what nobody had asked for: '{}'"),
        (PREPARES % ("range(1000)", 0) + FIRST, {}, "has answered hello with .*preparing"),
        *(
            (PREPARES % (f"{seconds},", 5) + FIRST, {"start": 0.5}, r"was not ready within 0\.5 s$")
            for seconds in ("0", "-5", "'long'", "float('nan')", "None", "True")
        ),
    ],
)
def test_what_is_wrong_is_named_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, settings: dict[str, Any], message: str
) -> None:
    monkeypatch.setattr(running, "GRACE", 0.2)
    player, before = program(tmp_path, body, **settings), set(running._programs)
    with pytest.raises(ProgramError, match=message) as error:
        ask(player)
    assert "\n" not in str(error.value) and "agent.py" in str(error.value)
    assert error.value.policy == "ProgramPolicy" and isinstance(error.value, Forfeit)
    assert set(running._programs) <= before


def test_commands_that_are_none() -> None:
    for command, words in (
        ("no-such-program here", "cannot be started: No such file"),
        ("python 'agent.py", "No closing quotation"),
    ):
        check_refused(words, ask, ProgramPolicy("euchre", command), error=ProgramError)


@pytest.mark.parametrize(
    ("name", "command", "seconds"),
    [
        ("exec:python agent.py --level=3,seconds=2", "python agent.py --level=3", 2),
        ("exec:agent --levels '1,2' \"c, d\",seconds=3", "agent --levels '1,2' \"c, d\"", 3),
        ("exec:o'neil,seconds=4", "o'neil", 4),
        ("exec:yes", "yes", 10),
        ("exec:7", "7", 10),
        ("exec:command=agent,recall=yes", "agent", 10),
    ],
)
def test_parameters_stand_behind_the_command(name: str, command: str, seconds: float) -> None:
    player = policy.make("whist", name)
    assert isinstance(player, ProgramPolicy)
    assert (player.command, player.seconds, player.game.recall) == (command, seconds, "recall" in name)
    assert policy.split_list(f"random,{name},high") == ["random", name, "high"]


def test_sides_of_commands_with_a_plus_in_quotes() -> None:
    side = Side(get_game("euchre"), "exec:agent 'a+b'+random")
    assert [player.name for player in side.policies] == ["exec:agent 'a+b'", "random"]


def test_the_catalogue_knows_it_and_nobody_plays_it_unasked(capsys: pytest.CaptureFixture[str]) -> None:
    assert "exec" in policy.names("euchre") and "exec" not in policy.default_names("euchre")
    assert main(["list", "euchre", "--json"]) == 0
    assert "a program in any language" in json.loads(capsys.readouterr().out)["games"]["euchre"]["policy_lines"]["exec"]


def test_much_that_is_written_to_standard_error_blocks_nothing(tmp_path: Path) -> None:
    noise = "    sys.stderr.write('noise\\n' * 50000)\n    sys.stderr.flush()\n"
    player = program(tmp_path, noise + READY % "" + FIRST + noise)
    assert len(ask(player, 5)) == 5
    player.close()


def test_seeds_are_told_and_may_be_carried_on(tmp_path: Path) -> None:
    log = f"    open({str(tmp_path / 'log')!r}, 'a').write(line)\n"
    player = program(tmp_path, READY % "" + FIRST + log)
    batch, streams = Batch("euchre", 2, seed=1), seed_streams(5, 2)
    player.act(batch.observations, batch.action_masks, streams)
    player.close()  # the log is written behind the answer
    asked = [json.loads(line)["seed"] for line in (tmp_path / "log").read_text().splitlines()[1:3]]
    assert asked == seed_streams(5, 2).tolist() and not set(asked) & set(streams.tolist())
    carrying = program(tmp_path, READY % "" + ANSWER % "'action': m['legal'][0], 'seed': m['seed'] // 2")
    streams = seed_streams(5, 2)
    carrying.act(batch.observations, batch.action_masks, streams)
    carrying.close()
    assert streams.tolist() == [seed // 2 for seed in asked]


STAYS = (
    "import signal\nfor number in (signal.SIGTERM, signal.SIGINT):\n    signal.signal(number, signal.SIG_IGN)\n"
    "while True:\n    time.sleep(0.1)\n"
)
"""What a program does that does not want to end."""


def gone(pid: int) -> bool:
    """Whether a process ends within some seconds; its parent may leave it to be reaped."""
    for _ in range(200):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
            os.kill(pid, 0)
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.05)
    return False


def test_a_program_that_does_not_want_to_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "GRACE", 0.1)
    player = program(tmp_path, READY % ", 'pid': __import__('os').getpid()" + FIRST, STAYS)
    before = set(running._programs)
    ask(player, 1)
    (one,) = set(running._programs) - before
    player.close()
    assert gone(one.ready["pid"]) and one not in running._programs


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow)])
def test_programs_end_with_the_process_that_asks_them(tmp_path: Path, number: signal.Signals) -> None:
    pid = f"    open({str(tmp_path / 'pid')!r}, 'w').write(str(__import__('os').getpid()))\n"
    command = program(tmp_path, READY % "" + pid + "    if m['type'] == 'decide':\n        break\n", STAYS).command
    script = (
        "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell's background jobs ignore it
        "from cardenvs import Batch, policy\nfrom cardenvs.programs import program\nprogram.GRACE = 0.1\n"
        f"player = policy.make('euchre', 'exec:{command}')\nbatch = Batch('euchre', 1, seed=1)\n"
        "player.act(batch.observations, batch.action_masks)\n"
    )
    asking = subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.DEVNULL)
    for _ in range(600):
        if (tmp_path / "pid").exists() and (tmp_path / "pid").read_text():
            break
        time.sleep(0.05)
    time.sleep(0.2)
    asking.send_signal(number)
    assert asking.wait(20) == -number and gone(int((tmp_path / "pid").read_text()))


def test_a_program_that_crashes_forfeits_its_pairings_and_no_more(tmp_path: Path) -> None:
    """On two processes, which are ended with the programs that they have started."""
    counted = "    n = globals().get('n', 0) + 1\n    if n > 40:\n        raise KeyError('oh')\n"
    pid = f"    open({str(tmp_path / 'pids')!r}, 'a').write(str(__import__('os').getpid()) + '\\n')\n"
    name = f"exec:{program(tmp_path, counted + READY % '' + FIRST + pid, STAYS).command}"
    settings = settings_for("euchre", [name, "random", "high-low"], deals=30)
    result = play_tournament(settings, tmp_path / "out", workers=2)
    assert sorted(result.policies) == ["high-low", "random"]
    assert [one.sides for one in result.forfeits] == [[name, "random"], [name, "high-low"]]
    for one in result.forfeits:
        assert 0 < one.deals < 30 and one.forfeit.policy == name and "KeyError: 'oh'" in one.forfeit.why
    assert all(gone(int(pid)) for pid in set((tmp_path / "pids").read_text().split()))


def test_a_policy_of_a_program_goes_to_other_processes(tmp_path: Path) -> None:
    player = program(tmp_path, READY % "" + FIRST)
    assert ask(player) == ask(pickle.loads(pickle.dumps(player)))


def played(command: str) -> Any:
    """The results of some deals of a program against a heuristic."""
    sides = Side(get_game("euchre"), f"exec:{command}"), Side(get_game("euchre"), "high-low")
    return play_match("euchre", *sides, deals=6, seed=3).as_dict()


def test_the_agent_with_a_language_model_plays_offline_and_with_a_command(tmp_path: Path) -> None:
    agent, model = f"{sys.executable} {AGENTS / 'llm_agent.py'}", tmp_path / "model.py"
    first = played(f"{agent} --first")
    assert first["deals"] == 6 and "forfeit" not in first

    def answered(code: str) -> list[str]:
        model.write_text(code)
        return [get_game("euchre").actions[k] for k in ask(ProgramPolicy("euchre", f"{agent} {sys.executable} {model}"), 2)]

    prompted = "import sys\ntext = sys.stdin.read()\nassert 'Rules:' in text\n"
    assert answered(f"{prompted}print('I would say', text.split('- ')[-1])") == ["order-up-alone"] * 2
    assert answered("print('pass or order-up, I cannot tell you')") == ["order-up"] * 2
    for code, message in (
        ("print('I cannot tell')", "has named no legal action in 3 tries; its last answer was: I cannot tell"),
        ("raise SystemExit(3)", r"the model cannot be asked: .* returned non-zero exit status 3"),
    ):
        with pytest.raises(ProgramError, match=message):
            answered(code)
    for wrong in (agent, f"{agent} --url http://localhost"):
        with pytest.raises(ProgramError, match="name a model: a command, --url URL NAME, or --first"):
            ask(ProgramPolicy("euchre", wrong))


class ChatServer(BaseHTTPRequestHandler):
    """A server for chat completions, whose model names the last legal action; it keeps what it was asked with."""

    asked: ClassVar[list[tuple[str, str | None, str]]] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append((self.path, self.headers["Authorization"], body["model"]))
        prompt = body["messages"][0]["content"]
        answer = {"choices": [{"message": {"role": "assistant", "content": prompt.split("- ")[-1]}}]}
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, *words: Any) -> None:
        """Says nothing."""


def test_the_agent_with_a_language_model_asks_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_API_KEY", "key")
    with HTTPServer(("127.0.0.1", 0), ChatServer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        agent = f"{sys.executable} {AGENTS / 'llm_agent.py'} --url http://127.0.0.1:{server.server_port}/v1 tiny"
        assert ask(ProgramPolicy("euchre", agent), 2) == [get_game("euchre").action("order-up-alone")] * 2
        server.shutdown()
    assert ChatServer.asked == [("/v1/chat/completions", "Bearer key", "tiny")] * 2


def test_the_examples_play_alike() -> None:
    python = played(f"{sys.executable} {AGENTS / 'agent.py'}")
    assert python["deals"] == 6 and len((AGENTS / "agent.py").read_text().splitlines()) <= 35
    if shutil.which("node") is None:
        pytest.skip("no node")
    other = played(f"node {AGENTS / 'agent.mjs'}")
    assert (python["points"], python["tricks_won"]) == (other["points"], other["tricks_won"])


def test_a_program_says_what_it_prepares_and_is_given_the_time(tmp_path: Path) -> None:
    player = program(tmp_path, PREPARES % ("0.1, 30,", 1.5) + FIRST, start=1.0)
    answers: list[list[int]] = []
    asking = threading.Thread(target=lambda: answers.append(ask(player)))
    asking.start()
    seen: set[tuple[str, int]] = set()
    while asking.is_alive():
        seen.update(running.getting_ready())
        time.sleep(0.01)
    assert ("a program: its \\x1b[31mbook", 30) in seen
    assert answers == [[get_game("euchre").action("pass")] * 3] and running.getting_ready() == []
    player.close()

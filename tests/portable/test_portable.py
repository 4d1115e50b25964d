"""A little of everything, with few packages beside it: for `make test-pythons` and `make test-lowest`, too."""

import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test

import cardenvs
from cardenvs import recycle
from cardenvs.recycle.library import FOLDER


@pytest.fixture(autouse=True)
def _quiet(monkeypatch):
    """Nothing is said of compiling."""
    monkeypatch.setenv("CARDENVS_QUIET", "1")


SEATS = {"euchre": "EuchreSeat", "whist": "WhistSeat", "five-o": "FiveOSeat"}
MODULES = {"euchre": cardenvs.euchre_v0, "whist": cardenvs.whist_v0, "five-o": cardenvs.five_o_v0}


def command(*words: str) -> subprocess.CompletedProcess[str]:
    """The command line in a process of its own."""
    return subprocess.run([sys.executable, "-m", "cardenvs.cli", *words], capture_output=True, text=True)


AS_ON_WINDOWS = """
import os, select, signal, subprocess, sys
for name in ("fcntl", "resource"):
    sys.modules[name] = None
for module, names in ((select, ["poll"]), (os, ["killpg", "geteuid"]), (signal, ["SIGKILL", "alarm"])):
    for name in names:
        if hasattr(module, name):
            delattr(module, name)
import json
from cardenvs.cli import main
sys.exit(max(main(words) for words in json.loads(sys.argv[1])))
"""
"""Command lines where what Windows lacks is not to be had."""


def commands_as_on_windows(*commands: list[str]) -> subprocess.CompletedProcess[str]:
    """Command lines, one after the other in a process of their own, without what Windows lacks."""
    return subprocess.run([sys.executable, "-c", AS_ON_WINDOWS, json.dumps(commands)], capture_output=True, text=True)


def test_without_what_windows_lacks_policies_play_and_programs_are_refused_in_a_line(tmp_path):
    done = commands_as_on_windows(["match", "euchre", f"exec:'{sys.executable}' agent.py", "low", "--deals", "3"])
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
    assert "exec: is not to be had on this system" in done.stderr
    match = ["match", "euchre", "high", "low", "--deals", "3"]
    tournament = ["tournament", *match[1:], "--workers", "1", "--out", str(tmp_path / "run")]
    done = commands_as_on_windows(match, tournament)
    assert done.returncode == 0, done.stderr


class Chat(BaseHTTPRequestHandler):
    """A server of a language model that always passes."""

    def do_POST(self):
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "ACTION: pass"}}
        answer = json.dumps(
            {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
        ).encode()
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)


def test_a_language_model_is_asked():
    env = cardenvs.euchre_v0.env()
    env.reset(seed=1)
    with ThreadingHTTPServer(("127.0.0.1", 0), Chat) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        player = cardenvs.policy.make("euchre", f"llm:m,base_url=http://127.0.0.1:{server.server_port}/v1")
        assert player.game.actions[player.act(env.last()[0])] == "pass"
        server.shutdown()


@pytest.mark.parametrize("game", MODULES)
def test_the_checkers_of_environments_pass(game):
    api_test(MODULES[game].env(), num_cycles=20)
    seed_test(MODULES[game].env, num_cycles=10)
    check_env(gymnasium.make(f"cardenvs/{SEATS[game]}-v0").unwrapped)


def test_a_described_game_passes_them():
    api_test(recycle.env("kuhn-poker"), num_cycles=20)


@pytest.mark.slow
@pytest.mark.compiled
def test_a_match_with_a_program_is_that_with_the_policy_itself(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "0")  # compiled, whatever else is not
    served = f"exec:'{sys.executable}' -m cardenvs.cli serve-policy euchre high,seconds=200,start=200"
    words = ["match", "euchre", "learned", served, "--deals", "3", "--seed", "5", "--json"]
    itself = command(*words[:3], "high", *words[4:])
    assert itself.returncode == 0, itself.stderr
    done = command(*words)  # its kernels are compiled by now: a program has to be ready in time
    assert done.returncode == 0, done.stderr
    played, again = json.loads(done.stdout), json.loads(itself.stdout)
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


PLAYED = """
import sys
from cardenvs import recycle
env = recycle.raw_env(sys.argv[1])
env.reset(seed=3)
print(env.last()[0]["observation"].sum())
"""


def test_a_described_game_in_any_file_plays(tmp_path):
    """With a byte-order mark, CRLF, a name with blanks and umlauts."""
    shipped = (FOLDER / "agram.rcy").read_bytes()
    paths = tmp_path / "agram.rcy", tmp_path / "Mäx chen (für zwei).rcy"
    paths[0].write_bytes(shipped)
    paths[1].write_bytes(b"\xef\xbb\xbf" + shipped.replace(b"\n", b"\r\n"))
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    said = []
    for path in paths:
        done = subprocess.run([sys.executable, "-c", PLAYED, path], env=environment, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        said.append(done.stdout)
    assert said[0] == said[1]

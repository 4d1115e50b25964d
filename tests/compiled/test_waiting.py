"""What is said while kernels are compiled: once, on standard error, and only if something is compiled."""

import gc
import json
import os
import pty
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import ClassVar

import pytest
from numba.core.compiler_lock import global_compiler_lock

from cardenvs import Batch, get_game, policy
from cardenvs.baselines.warmup.steps import Step, _next_step, warm_up
from cardenvs.compiled import waiting as compiling
from tests.helpers.command_line import check_refused, keeping_kernels, run_python
from tests.helpers.paths import ROOT

TINY = "from cardenvs.compiled.streams import seed_streams; seed_streams(0, 1)"  # needs one small kernel
SAID = re.compile(r"cardenvs: compiling \(first use on this machine\): half a minute or so, and kept; [^\n]*\n")


def test_compiling_is_said_once_and_loading_is_not(tmp_path):
    program = f"{TINY}; from cardenvs.games.poker import hand_value, rank_set; hand_value(31); rank_set(1)"
    first = run_python(program, env=keeping_kernels(tmp_path), check=True)
    assert first.stdout == ""
    assert SAID.fullmatch(first.stderr), first.stderr
    second = run_python(program, env=keeping_kernels(tmp_path), check=True)
    assert (second.stdout, second.stderr) == ("", "")
    more = "import cardenvs; spec = cardenvs.get_game('five-o'); spec.kernels.legal(spec.new_games(1), 0)"
    said = run_python(more, env=keeping_kernels(tmp_path), check=True).stderr
    assert re.fullmatch(r"cardenvs: compiling \(of this game or policy, not used here before\): half a min[^\n]*\n", said)


@pytest.mark.compiled
def test_no_garbage_is_collected_while_compiling():
    watcher = compiling._Watcher()
    watcher.telling = False

    class Started:
        data: ClassVar = {"dispatcher": get_game("kuhn-poker").kernels.step}

    watcher.ours.add(Started.data["dispatcher"])
    for collects in (True, False):
        (gc.enable if collects else gc.disable)()
        try:
            for _ in range(2):
                watcher.on_start(Started)
                assert not gc.isenabled()
            watcher.on_end(Started)
            assert not gc.isenabled()
            watcher.on_end(Started)
            assert gc.isenabled() is collects
        finally:
            gc.enable()


@pytest.mark.compiled
def test_the_clock_stands_still_while_the_compiler_has_its_lock():
    with global_compiler_lock:
        before = compiling.clock()
        with global_compiler_lock:
            time.sleep(0.02)
        assert compiling.clock() == before
    time.sleep(0.01)
    assert compiling.clock() - before >= 0.01


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("game", "name"),
    [
        ("euchre", "monte-carlo"), ("euchre", "pimc"), ("euchre", "ismcts"), ("euchre", "learned-search"),
        ("five-o", "monte-carlo"), ("five-o", "expectiminimax"), ("five-o", "rollout:row=2"),
    ],
)  # fmt: skip
def test_compiling_takes_nothing_from_the_seconds_of_a_search(game, name, monkeypatch):
    """The clock stands still as if something else were compiled: a search of 0.01 s goes on meanwhile, and ends then."""
    player = policy.make(game, f"{name}{',' if ':' in name else ':'}seconds=0.01")
    batch = Batch(game, 1, seed=0, recall=player.game.recall)
    observation = {"observation": batch.observations[0], "action_mask": batch.action_masks[0]}
    player.act(observation)
    monkeypatch.setattr("cardenvs.train.inference.learned_search.Tally.is_decided", False)  # which ends it before its time
    compiling._clock.on_start(None)
    threading.Timer(0.2, compiling._clock.on_end, [None]).start()
    began = time.perf_counter()
    player.act(observation)
    assert time.perf_counter() - began >= 0.2


@pytest.mark.compiled
def test_searches_go_by_the_clock_that_stands_still():
    files = [*(ROOT / "baselines/search").rglob("*.py"), *(ROOT / "train/inference").glob("*.py")]
    assert [path.name for path in files if "perf_counter" in path.read_text("utf-8")] == []


def test_it_can_be_silenced(tmp_path):
    assert run_python(TINY, env=keeping_kernels(tmp_path, CARDENVS_QUIET="1"), check=True).stderr == ""


def test_workers_say_nothing(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        f"import multiprocessing\ndef work():\n    {TINY}\n"
        "if __name__ == '__main__':\n"
        "    process = multiprocessing.get_context('spawn').Process(target=work)\n"
        "    process.start()\n    process.join()\n    print(process.exitcode)\n"
    )
    done = subprocess.run(
        [sys.executable, str(program)], env=keeping_kernels(tmp_path / "cache"), capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("0\n", "")


def test_functions_of_others_are_not_spoken_of(tmp_path):
    program = "import numba, cardenvs.contract.cards; numba.njit(lambda x: x + 1)(1)"
    assert run_python(program, env=keeping_kernels(tmp_path), check=True).stderr == ""


def test_a_terminal_shows_a_spinner_and_standard_output_stays_clean(tmp_path):
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", TINY], stdout=subprocess.PIPE, stderr=theirs, env=keeping_kernels(tmp_path, TERM="xterm")
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # the program has closed the terminal
            break
        if not part:
            break
        shown += part
    os.close(ours)
    assert process.stdout is not None and process.stdout.read() == b""
    assert process.wait() == 0
    assert shown.count(b"first use on this machine") == 1
    assert b"compiling _fill_streams" in shown


@pytest.fixture
def remembered(tmp_path, monkeypatch):
    """What is remembered of compiling, in a folder of its own; a function that writes it."""
    monkeypatch.setattr(compiling, "cache_home", lambda: tmp_path)
    return lambda content: (tmp_path / "seconds.json").write_text(content)


def test_the_guess_is_what_the_last_time_took(remembered, monkeypatch):
    whist, euchre, net = "cardenvs.games.whist", "cardenvs.games.euchre", "cardenvs.train.inference.columns"
    monkeypatch.setattr(compiling, "missing", lambda: [whist, euchre, net])
    assert compiling.guess() is None
    compiling._keep_time(whist, 3.0, True)
    compiling._keep_time(whist, 7.0, False)
    compiling._keep_time(whist, 0.6, False)  # what another process found missing
    assert compiling.guess() == 7
    compiling._keep_time(euchre, 5.0, True)
    assert compiling.guess() == 7, "one game is played"
    compiling._keep_time(net, 21.0, True)
    assert compiling.guess() == 30
    compiling._keep_time(net, 1.2, True)
    assert compiling.guess() == 8


@pytest.mark.parametrize(
    "content",
    [
        "", "[]", '{"a": "b"}', '{"a": null}', '{"a": Infinity, "b": NaN, "c": -1}',
        "\ud800".encode("utf-8", "surrogatepass"),
    ],
)  # fmt: skip
def test_a_damaged_memory_is_none(remembered, tmp_path, content):
    (tmp_path / "seconds.json").write_bytes(content if isinstance(content, bytes) else content.encode())
    assert compiling._kept_times() == {}
    compiling._keep_time("cardenvs.games.whist", 3.0, True)
    assert compiling._kept_times() == {"cardenvs.games.whist": 3.0}


@pytest.mark.compiled
def test_described_games_are_remembered_as_one(remembered, monkeypatch):
    step = get_game("agram").kernels.step
    compiling._keep_time(compiling._kernel_name(step), 12.0, True)
    monkeypatch.setattr(compiling, "missing", lambda: [get_game("crazy-eights").kernels.step.__module__])
    assert compiling.guess() == 10


@pytest.mark.compiled
def test_forms_of_a_game_are_remembered_as_one_and_apart_from_it(remembered, monkeypatch):
    whole, tiny, mini = (
        compiling._kernel_name(get_game(name).kernels.batch_deal) for name in ("hanabi", "hanabi:tiny", "hanabi:mini")
    )
    assert len({whole, tiny, mini}) == 3
    compiling._keep_time(whole, 30.0, True)
    compiling._keep_time(tiny, 7.0, True)
    monkeypatch.setattr(compiling, "missing", lambda: [mini])
    assert compiling.guess() == 7
    recalling = compiling._kernel_name(get_game("hanabi:tiny").kernels.recalling.batch_deal)
    assert compiling._time_key(recalling) == "cardenvs.games.hanabi/:recall"


def test_what_compiling_took_is_told_the_next_time(tmp_path):
    program = "from cardenvs import get_game; from cardenvs.compiled import waiting; waiting._SHORT_S = 0; "
    program += "get_game('five-o').deal(0)"
    run_python(program, env=keeping_kernels(tmp_path), check=True)
    (tmp_path / "kernels").rename(tmp_path / "gone")
    said = run_python(program, env=keeping_kernels(tmp_path), check=True).stderr
    assert re.fullmatch(r"cardenvs: compiling \(first use on this machine\): \d+ s the last time, and kept; [^\n]*\n", said)


@pytest.mark.compiled
def test_nothing_is_said_within_pytest(capsys):
    compiling.print_notice("something")
    assert capsys.readouterr() == ("", "")


WARMED = """
import functools, sys
from cardenvs.compiled.streams import seed_streams
from cardenvs.cli import main
from cardenvs.baselines.warmup import Step, command
command.steps_for = lambda game: [Step(game, "seeds", functools.partial(seed_streams, 0, 1), 0, "streams")]
sys.exit(main(["warmup", *sys.argv[1:]]))
"""


def test_warmup_compiles_and_a_second_run_says_that_all_is_ready(tmp_path):
    first = run_python(WARMED, "whist", env=keeping_kernels(tmp_path))
    assert first.returncode == 0
    assert "compiled 1 kernel in" in first.stdout
    assert "all is ready" in first.stdout
    assert first.stderr == ""
    second = run_python(WARMED, env=keeping_kernels(tmp_path))
    assert second.stdout == "nothing was left to compile: all is ready for euchre, five-o, hanabi, whist\n"
    assert second.stderr == ""


def test_warmup_tells_seconds_as_json(tmp_path):
    figures = json.loads(run_python(WARMED, "whist", "--json", env=keeping_kernels(tmp_path), check=True).stdout)
    assert figures["ready"] is True
    assert figures["kernels"] == figures["games"]["whist"]["parts"]["seeds"]["kernels"] == 1
    assert figures["seconds"] == figures["games"]["whist"]["seconds"] > 0
    assert Path(figures["folder"]) == tmp_path


INTERRUPTED = """
import functools, sys
from cardenvs.cli import main
from cardenvs.baselines.warmup import Step, command
run = functools.partial(exec, "import os, time; open(str(os.getpid()), 'w').close(); time.sleep(60)", {})
command.cores, command.steps_for = lambda: 2, lambda game: [Step(game, name, run, 0) for name in ("one", "other")]
sys.exit(main(["warmup", "whist"]))
"""


def test_an_interrupted_warmup_ends_in_one_line_and_leaves_no_process(tmp_path):
    command = [sys.executable, "-c", INTERRUPTED]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True)
    until = time.monotonic() + 60
    while len(workers := [int(path.name) for path in tmp_path.iterdir()]) < 2 and time.monotonic() < until:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    assert process.communicate(timeout=60)[1].strip() == "cardenvs: interrupted"
    assert process.returncode == 130
    assert len(workers) == 2
    for worker in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(worker, 0)


def test_a_warmup_that_loses_a_worker_ends_in_one_line(tmp_path):
    program = INTERRUPTED.replace("open(str(os.getpid()), 'w').close(); time.sleep(60)", "os.kill(os.getpid(), 9)")
    done = run_python(program, cwd=tmp_path)
    assert done.returncode == 2
    said = r"cardenvs: a worker of the warmup, process \d+, was ended by SIGKILL at whist (one|other); .*: run it again"
    assert re.fullmatch(said, done.stderr.strip())


def test_steps_of_a_warmup_wait_for_earlier_stages_and_for_what_they_share():
    whist, euchre = get_game("whist"), get_game("euchre")
    step, taught = Step(whist, "environments", dict, 0), Step(whist, "learned", dict, 2, "train")
    other = Step(euchre, "learned", dict, 2, "train")
    assert _next_step([taught, other], [step]) == other
    assert _next_step([taught], [step]) is None
    assert _next_step([taught], [other]) is None
    assert _next_step([taught], []) == taught
    assert [one.name for one in warm_up([taught, step])] == ["environments", "learned"]


def test_warmup_refuses_unknown_games(capsys):
    check_refused(capsys, "unknown game 'bridge'", "warmup", "bridge")


@pytest.mark.slow
def test_a_tournament_of_several_processes_says_it_once(tmp_path):
    words = ["tournament", "five-o", "greedy1", "random", "--deals", "2", "--workers", "2", "--out", str(tmp_path / "out")]
    command = [sys.executable, "-m", "cardenvs.cli", *words]
    done = subprocess.run(command, env=keeping_kernels(tmp_path / "cache"), capture_output=True, text=True, check=True)
    assert len(SAID.findall(done.stderr)) == 1


USES = """
import contextlib, io, sys
from cardenvs.compiled import waiting as compiling
from cardenvs.cli import main
game = sys.argv[1]
for words in (
    ["match", game, "random", "learned", "--deals", "3", "--record", "games.txt"],
    ["evaluate", game, "random", "--deals", "2"],
    ["review", "games.txt", "--worlds", "20"],
    ["render", game, "--out", "end.png"],
    ["recycle", "stats", game, "--games", "2", "--workers", "1"],
):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        assert main(words) == 0, words
print(compiling.totals().kernels)
"""


@pytest.mark.slow
@pytest.mark.parametrize("game", ["euchre", "whist", "five-o"])
def test_after_a_warmup_nothing_is_compiled(tmp_path, game):
    program = "import sys; from cardenvs.cli import main; sys.exit(main(['warmup', sys.argv[1]]))"
    done = run_python(program, game, env=keeping_kernels(tmp_path / "cache"))
    assert done.returncode == 0, done.stderr
    used = run_python(USES, game, env=keeping_kernels(tmp_path / "cache"), cwd=tmp_path)
    assert (used.stdout, used.returncode) == ("0\n", 0), used.stderr


@pytest.mark.compiled
def test_what_is_compiled_is_told_while_it_is(remembered, monkeypatch):
    assert compiling.at_work() is None
    compiling._keep_time("cardenvs.games.euchre:game_statistics", 4.2, True)
    step = get_game("agram").kernels.step

    class Loop:
        __module__, __qualname__ = "cardenvs.games.euchre", "compiled.game_statistics.play"

    class Dispatcher:
        py_func = Loop

    for within, what in (([step], ("the rules of the game", None)), ([Dispatcher, step], ("game statistics", 4))):
        monkeypatch.setattr(compiling._watcher, "within", within)
        assert compiling.at_work() == what


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "family"), [("ismcts", ":ismcts"), ("monte-carlo", ":flat"), ("pipmc", ":pipmc")])
def test_a_search_is_known_before_it_is_compiled(name, family):
    game = get_game("agram")
    policy.make(game, name)
    assert f"{game.kernels.step.__module__}{family}" in compiling._watcher.kernels

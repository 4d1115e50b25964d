"""The README: short, its snippets run as they are written; commands of pages run one after the other."""

import os
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from cardenvs.cli import main
from tests.helpers import documents

PAGE = documents.ROOT / "README.md"
README = PAGE.read_text("utf-8")
SNIPPETS = [block.code for block in documents.python_blocks(README)]


def test_it_is_short_and_has_a_snippet():
    assert len(README.splitlines()) <= 150
    assert any("agent_iter" in snippet for snippet in SNIPPETS)


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_snippet_runs(snippet, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(snippet, "README.md", "exec"), {"__name__": "__main__"})


def test_the_demo_trains_by_steps_and_says_what_else_its_weights_depend_on():
    """So that it ends alike on a busy machine and on one with other cores; its commands are understood."""
    lines = (documents.ROOT / "Makefile").read_text("utf-8").partition("\ndemo:")[2].partition("\n\n")[0].splitlines()
    commands = [line.strip().removeprefix("$(BIN)/") for line in lines if line.startswith("\t$(BIN)/cardenvs")]
    assert [line.split()[1] for line in commands] == ["train", "evaluate"]
    for command in commands:
        documents.check_command(command)
    for option in ("--steps", "--threads", "--device cpu", "--set precision=float32"):
        assert f" {option}" in commands[0]


SHORT = {
    "match": ["--deals", "2"],
    "train": ["--steps", "2000"],
    "evaluate": ["--deals", "2"],
    "crossplay": ["--deals", "2"],
    "adhoc": ["--deals", "2"],
    "suite": ["--deals", "2", "--pool-deals", "40", "--response-deals", "40"],
    "ceiling": ["--deals", "2"],
    "judge": ["--deals", "2", "--worlds", "2"],
    "audit": ["--positions", "100"],
    "tournament": ["--deals", "2"],
    "exploit": ["--steps", "2000", "--deals", "4", "--seeds", "1"],
    "review": ["--worlds", "5"],
}
"""What makes a command short, in place of what a page says."""
ELSEWHERE = {
    "warmup": "tests/compiled/test_waiting.py",
    "play": "tests/play",
    "advise": "tests/play/test_advise.py",
    "sweep": "tests/train/sweep",
    "experiment": "tests/train/test_team_share.py",
    "reproduce": "tests/baselines/reproduce",
    "bench": "tests/test_benchmarks.py",
    "serve-policy": "tests/programs/test_serving.py",
}
"""Commands that take minutes or wait for people, and where they are run."""
OTHERS = (
    "--cluster", "runs/programs", "whist ...", "openspiel:", "sb3:mppo.zip", "tussle.rcy", "--recipe", "my_game.rcy",
    "reader.py", "llm:", "runs/self-play-0",
)  # fmt: skip
"""What stands in commands that need more than this machine or this page has, or take what is not written out."""
THEIRS = "my.zip", "runs/a/policy.zip", "runs/x/policy.zip", "runs/a-seed-0/policy.zip", "runs/a-seed-1/policy.zip"
"""Files of the reader's own: checkpoints of Euchre."""
PAGES = [PAGE, documents.DOCS / "getting_started.md", documents.DOCS / "command_line.md", documents.DOCS / "ceiling.md"]
PAGES += [
    page for page in sorted((documents.DOCS / "tutorials").glob("*.md")) if documents.commands(page.read_text("utf-8"))
]


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    """A checkpoint of Euchre."""
    folder = tmp_path_factory.mktemp("trained") / "run"
    assert main(["train", "euchre", "--steps", "2000", "--out", str(folder)]) == 0
    return folder / "policy.zip"


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_commands_run_one_after_the_other(page, checkpoint, tmp_path, monkeypatch, capsys):
    """As a newcomer pastes them, in a folder with the examples: what one command leaves the next ones find."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.path.dirname(sys.executable), prepend=os.pathsep)
    Path("examples").symlink_to(documents.ROOT / "examples")
    Path("docs/screenshots").mkdir(parents=True)
    for name in THEIRS:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(checkpoint, name)
    lines = documents.commands(page.read_text("utf-8"))
    lines = [line for line in lines if not any(other in line for other in OTHERS)]
    capsys.readouterr()
    for words in (shlex.split(line)[1:] for line in lines if shlex.split(line)[1] not in ELSEWHERE):
        short = SHORT.get(words[0], [])
        for option in ("--minutes", *short[::2]):
            words = without(words, option)
        assert main([*words, *short]) == 0, words
        assert any(capsys.readouterr()), words


def without(words, option):
    """The words without an option and its value."""
    at = words.index(option) if option in words else len(words)
    return [*words[:at], *words[at + 2 :]]


def test_commands_that_are_left_out_are_run_elsewhere():
    assert all((documents.ROOT / where).exists() for where in ELSEWHERE.values())

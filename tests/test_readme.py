"""The README: short, its snippets run as they are written, its commands are understood, its links lead somewhere."""

from __future__ import annotations

import shlex

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


@pytest.mark.parametrize("command", documents.commands(README))
def test_command_is_understood(command):
    """Every command that the README names exists and takes these options."""
    documents.check_command(command)


@pytest.mark.parametrize("target", documents.links(README))
def test_link_leads_somewhere(target):
    documents.check_link(PAGE, target)


SHORT = {
    "match": ["--deals", "2"],
    "train": ["--steps", "2000"],
    "evaluate": ["--deals", "2"],
    "crossplay": ["--deals", "2"],
}
"""What makes a command short, as its last words, which count."""
ELSEWHERE = {
    "warmup": "tests/test_compiling.py",
    "play": "tests/play",
}
"""Commands that take minutes or wait for people, and where they are run."""


@pytest.mark.slow
def test_the_commands_run_one_after_the_other(tmp_path, monkeypatch, capsys):
    """As a newcomer pastes them, in an empty folder: what one command leaves the next ones find."""
    monkeypatch.chdir(tmp_path)
    lines = [shlex.split(line)[1:] for line in documents.commands(README)]
    ran = [words for words in lines if words[0] not in ELSEWHERE]
    for words in ran:
        assert main([*without(words, "--minutes"), *SHORT.get(words[0], [])]) == 0, words
        assert capsys.readouterr().out
    assert {"list", *SHORT} == {words[0] for words in ran}


def without(words, option):
    """The words without an option and its value."""
    at = words.index(option) if option in words else len(words)
    return [*words[:at], *words[at + 2 :]]

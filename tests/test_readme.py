"""The README's snippets, run as they are written."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from cardenvs.cli import main

README = (Path(__file__).parent.parent / "README.md").read_text()
SNIPPETS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
COMMANDS = [line.partition("#")[0].strip() for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
            for line in block.splitlines() if line.startswith("cardenvs ")]  # fmt: skip


def test_there_are_snippets_for_each_way_in():
    assert len(SNIPPETS) >= 4
    for word in ("agent_iter", "MaskablePPO", "make_vec(", "Batch("):
        assert any(word in snippet for snippet in SNIPPETS), word


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_snippet_runs(snippet, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(snippet, "README.md", "exec"), {"__name__": "__main__"})


@pytest.mark.parametrize("command", COMMANDS)
def test_command_is_understood(command, capsys):
    """Every command that the README names exists and takes these options."""
    words = shlex.split(command)[1:]
    assert main([words[0], "--help"]) == 0
    help_text = capsys.readouterr().out
    for word in words:
        if word.startswith("--"):
            assert word in help_text


@pytest.mark.parametrize("target", re.findall(r"\]\(([^)#:]+)\)", README))
def test_link_leads_somewhere(target):
    assert (Path(__file__).parent.parent / target).exists()

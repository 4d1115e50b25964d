"""The README: short, its snippets run as they are written, its commands are understood, its links lead somewhere."""

from __future__ import annotations

import pytest

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

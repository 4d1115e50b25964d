"""The project's own rules: imports point one way, generated documents are fresh, rules are cited."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from cardenvs import observation

ROOT = Path(__file__).parent.parent
ALLOWED = {
    "cardenvs": {"cardenvs"},
    "baselines": {"cardenvs", "baselines"},
    "train": {"cardenvs", "baselines", "train"},
}


def imported(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


@pytest.mark.parametrize("package", sorted(ALLOWED))
def test_arrows_point_one_way(package):
    for path in (ROOT / package).rglob("*.py"):
        for name in imported(path):
            top = name.partition(".")[0]
            assert top not in ALLOWED or top in ALLOWED[package], f"{path.relative_to(ROOT)} imports {name}"


def test_games_know_no_shells():
    for path in (ROOT / "cardenvs" / "games").glob("*.py"):
        for name in imported(path):
            assert not name.startswith(("cardenvs.envs", "cardenvs.policy", "gymnasium", "pettingzoo")), path


def test_observation_document_is_fresh():
    assert (ROOT / "docs" / "observations.md").read_text() == observation.markdown(), "run `make docs`"


@pytest.mark.parametrize(("game", "letter"), [("euchre", "E"), ("whist", "W"), ("five-o", "F")])
def test_cited_clauses_exist(game, letter):
    rules = (ROOT / "docs" / "rules" / f"{game}.md").read_text()
    clauses = set(re.findall(rf"\[({letter}\d+)\]", rules))
    assert len(clauses) > 10
    source = (ROOT / "cardenvs" / "games" / f"{game.replace('-', '_')}.py").read_text()
    cited = {clause for group in re.findall(r"\[([EWF\d, to]+)\]", source) for clause in re.findall(r"[EWF]\d+", group)}
    assert cited
    assert cited <= clauses

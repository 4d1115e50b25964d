"""The project's own rules: imports point one way, generated documents are fresh, rules are cited."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from cardenvs import observation

ROOT = Path(__file__).parent.parent
LEVELS = {"cardenvs": 0, "cardenvs.baselines": 1, "cardenvs.train": 2}
"""The packages, each of which may import itself and those before it."""


def imported(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def package_of(module):
    first_two = ".".join(module.split(".")[:2])
    return first_two if first_two in LEVELS else module.partition(".")[0]


@pytest.mark.parametrize("package", sorted(LEVELS))
def test_arrows_point_one_way(package):
    paths = sorted((ROOT / package.rpartition(".")[2]).rglob("*.py"))
    assert len(paths) > 10
    for path in paths:
        for name in imported(path):
            other = package_of(name)
            assert other not in ("baselines", "train", "tests"), f"{path.relative_to(ROOT)} imports {name}"
            assert LEVELS.get(other, 0) <= LEVELS[package], f"{path.relative_to(ROOT)} imports {name}"


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

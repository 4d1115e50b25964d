"""The weight of the house: lines of Python by room, names of one word, classes of results. The numbers only fall."""

import ast
import subprocess
from collections import Counter
from pathlib import Path

from tests.helpers.imports import MODULES, nodes
from tests.helpers.paths import ROOT

BUDGET = {
    "cardenvs": 3_059,
    "cardenvs/contract": 4_516,
    "cardenvs/compiled": 1_419,
    "cardenvs/policy": 1_420,
    "cardenvs/games": 4_979,
    "cardenvs/envs": 2_489,
    "cardenvs/recycle": 12_659,
    "cardenvs/play": 6_709,
    "cardenvs/frameworks cardenvs/openspiel cardenvs/render cardenvs/programs": 4_257,
    "cardenvs/language_models": 500,
    "baselines": 6_731,
    "baselines/judge": 687,
    "baselines/audit": 500,
    "baselines/heuristics": 3_212,
    "baselines/search": 6_569,
    "baselines/runs baselines/engine baselines/reports": 3_233,
    "baselines/match baselines/observers": 2_012,
    "baselines/reproduce": 3_072,
    "train": 9_109,
    "tests": 58_027,
}
"""The most lines of Python, docstrings and blank lines included, in one folder or several, without the folders within that
have a number of their own.

A room that needs more takes something out, or the commit that raises its number says why. A room that has become smaller
gets its new number.
"""
SPARE = 0.02
"""The share by which a number may be above a room's lines before it has to be lowered."""
ONE_WORD_NAMES = 60
RESULT_CLASSES = 2


def lines_by_room():
    """Lines of the tracked Python files by the room of the innermost folder that has one."""
    rooms = {folder: room for room in BUDGET for folder in room.split()}
    listed = subprocess.run(["git", "ls-files", "-z", "*.py"], cwd=ROOT, capture_output=True, check=True).stdout.decode()
    lines = Counter()
    for name in filter(None, listed.split("\0")):
        room = next((rooms[str(folder)] for folder in Path(name).parents if str(folder) in rooms), None)
        if room is not None and (ROOT / name).exists():
            lines[room] += len((ROOT / name).read_bytes().splitlines())
    return lines


def test_no_room_grows():
    lines = lines_by_room()
    more = {
        room: f"{lines[room]:,} lines, {lines[room] - most:,} too many"
        for room, most in BUDGET.items()
        if lines[room] > most
    }
    assert not more, f"take something out, or argue for it in the commit that raises the budget: {more}"
    less = {room: lines[room] for room, most in BUDGET.items() if lines[room] < (1 - SPARE) * most}
    assert not less, f"these rooms became smaller, and so does their budget: {less}"


def test_names_say_what_they_are():
    """A function of one word is a method of a shared contract; a name that many have is found by no search."""
    functions = [
        node.name.strip("_")
        for path in MODULES.values()
        for node in nodes(path)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not node.name.startswith("__")
    ]
    often = sorted(name for name, times in Counter(functions).items() if times >= 5 and "_" not in name)
    assert len(often) <= ONE_WORD_NAMES, f"{len(often)} names of one word are defined five times or more: {often}"


def test_results_are_rows():
    """Results are rows of `cardenvs.baselines.reports.columns.Columns`; a class of its own needs more than figures."""
    classes = sorted(
        f"{module}.{node.name}"
        for module, path in MODULES.items()
        for node in nodes(path)
        if isinstance(node, ast.ClassDef) and any(isinstance(base, ast.Name) and base.id == "Result" for base in node.bases)
    )
    assert len(classes) <= RESULT_CLASSES, f"{len(classes)} classes of results: {classes}"

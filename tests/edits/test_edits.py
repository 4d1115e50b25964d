"""Edits are where they should be, the same for a seed, and noticed by the tests of a tiny project."""

import json
from pathlib import Path

import pytest

from tests.edits.mapping import make_map
from tests.edits.places import KINDS, choose, places
from tests.edits.running import append, read
from tests.edits.trying import Trials, table, try_edits

SOURCE = b'''"""What is left alone: 1 + 1."""

LEFT = 1 + 1


@click.option("--n", default=3)
def add(values: list[int], n: int = 2) -> int:
    """Also 2 + 2."""
    total: dict[str, int] = {}
    for i in range(1, n):  # +
        if (n) <= i and f"{i + 1}":
            return values[-1]
    return n * len("\xc3\xa9") + True
'''


def test_each_kind_changes_one_place() -> None:
    found = [(edit.kind, edit.line, edit.lines, edit.old, edit.new) for edit in places("a.py", SOURCE)]
    assert found == [
        ("dropped line", 9, (9, 9), "total: dict[str, int] = {}", "pass"),
        ("bound", 10, (10, 10), "n", "(n) + 1"),
        ("constant", 10, (10, 10), "1", "2"),
        ("bound", 11, (11, 11), "<=", "<"),
        ("dropped line", 12, (12, 12), "return values[-1]", "pass"),
        ("index", 12, (12, 12), "-1", "(-1) + 1"),
        ("dropped line", 13, (13, 13), 'return n * len("é") + True', "pass"),
        ("sign", 13, (13, 13), "+", "-"),
        ("sign", 13, (13, 13), "*", "+"),
        ("constant", 13, (13, 13), "True", "False"),
    ]
    for edit in places("a.py", SOURCE):
        assert edit.apply(SOURCE) == SOURCE[: edit.start] + edit.new.encode() + SOURCE[edit.stop :]
        assert SOURCE[edit.start : edit.stop] == edit.old.encode()


def test_a_seed_gives_the_same_edits(tmp_path: Path) -> None:
    (tmp_path / "cardenvs").mkdir()
    (tmp_path / "cardenvs" / "a.py").write_bytes(SOURCE)
    (tmp_path / "cardenvs" / "train").symlink_to(tmp_path / "cardenvs")
    edits = choose(tmp_path, 10, 0)
    assert edits == choose(tmp_path, 100, 0)
    assert edits[:6] == choose(tmp_path, 6, 0) != choose(tmp_path, 6, 1)
    assert [edit.kind for edit in edits[:6]] == [*KINDS, "sign"]


def test_one_edit_is_noticed_and_one_is_not(tmp_path: Path) -> None:
    pytest.importorskip("coverage")
    root, out = tmp_path / "tiny", tmp_path / "results"
    (root / "cardenvs").mkdir(parents=True)
    (root / "cardenvs" / "__init__.py").write_text("def more(a):\n    return a + 1\n\n\ndef fewer(a):\n    return a - 1\n")
    (root / "test_more.py").write_text(
        "from cardenvs import fewer, more\n\n\ndef test_more():\n    assert more(1) == 2\n\n\n"
        "def test_fewer():\n    fewer(1)\n\n\ndef test_failing():\n    assert more(1) == 1\n"
    )
    make_map(root, tmp_path / "map", ["."], "not slow", all_compiled=False, test_s=20)
    (line,) = read(tmp_path / "map")
    assert [test["id"] for test in line["tests"]] == ["test_more.py::test_more", "test_more.py::test_fewer"]
    assert [test["lines"] for test in line["tests"]] == [{"cardenvs/__init__.py": "0x4"}, {"cardenvs/__init__.py": "0x40"}]
    assert line["left_out"] == ["test_more.py::test_failing"]
    signs = [edit for edit in choose(root, 10, 0) if edit.kind == "sign"]
    trials = Trials(root, tmp_path / "map", edit_s=60)
    try_edits(trials, signs, out, most=1, workers=1)
    try_edits(trials, signs, out, most=None, workers=1)
    assert {result["name"].partition(" ")[0]: result["noticed"] for result in read(out)} == {
        "cardenvs/__init__.py:2": "test_more.py::test_more",
        "cardenvs/__init__.py:6": None,
    }
    (root / "cardenvs" / "__init__.py").write_text("")
    with pytest.raises(ValueError, match="other sources"):
        Trials(root, tmp_path / "map", edit_s=60)


def test_a_table_pairs_results(tmp_path: Path) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    for name, noticed in (("a.py:1 x", "t::a"), ("a.py:2 y", None), ("a.py:3 z", "t::b")):
        append(before, {"name": name, "kind": "sign", "noticed": noticed, "left": 0})
        if name != "a.py:3 z":
            append(after, {"name": name, "kind": "sign", "noticed": None, "left": 1})
    after.write_text(after.read_text() + json.dumps({"name": "torn"})[:-3])
    assert "| sign | 2 | 1 | 0 | 0 | 2 |" in table(before, after)
    assert "- `a.py:1 x`: t::a" in table(before, after)

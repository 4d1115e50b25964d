"""Files that are whole or not there, and figures as JSON."""

from __future__ import annotations

import os
import stat

import numpy as np
import pytest

from cardenvs.files import finite, json_text, sweep, write_whole
from tests.helpers.reports import strict_json


def test_files_are_written_whole_or_not_at_all(tmp_path, monkeypatch):
    target = tmp_path / "deep" / "result.json"
    write_whole(target, "first")
    assert target.read_text() == "first"

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_whole(target, "second")
    assert target.read_text() == "first"
    assert [path.name for path in target.parent.iterdir()] == ["result.json"]


def test_files_have_the_mode_that_is_asked_for(tmp_path):
    write_whole(tmp_path / "open", b"\x00\xff")
    write_whole(tmp_path / "mine", "secret", 0o600)
    assert (tmp_path / "open").read_bytes() == b"\x00\xff"
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("open", "mine")]
    assert modes == [0o644, 0o600]


def test_what_a_killed_writer_left_is_swept(tmp_path):
    target = tmp_path / "a[1].json"
    write_whole(target, "whole")
    (tmp_path / ".a[1].json.x7_").write_text("half")
    (tmp_path / ".a1.json.x7_").write_text("of another file")
    sweep(target)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".a1.json.x7_", "a[1].json"]


def test_numbers_that_are_not_finite_become_none():
    nan, inf = float("nan"), float("inf")
    assert finite({"a": nan, "b": (1.5, inf), "c": [{"d": -inf}]}) == {"a": None, "b": [1.5, None], "c": [{"d": None}]}
    assert finite([True, None, "nan", 3, np.float64(nan)]) == [True, None, "nan", 3, None]
    assert finite(()) == [] and finite(0.0) == 0.0


def test_figures_are_one_strict_json_object():
    text = json_text({"mean": 0.5, "ci95": (float("-inf"), float("inf")), "sides": ["a", "b"]})
    assert text.startswith('{\n  "mean": 0.5,\n') and text.endswith("}\n")
    assert strict_json(text) == {"mean": 0.5, "ci95": [None, None], "sides": ["a", "b"]}

"""Files that are whole or not there, and figures as JSON."""

import fcntl
import os
import stat
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from cardenvs.cli import main
from cardenvs.files import finite, json_text, sweep, sweep_folder, write_whole
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
    others = [".a1.json.x7_abcde", ".a[1].json.swp", ".a[1].json.Settings", ".a[1].json", "a[1].json.x7_abcde"]
    for name in (".a[1].json.x7_abcde", *others):
        (tmp_path / name).write_text("half")
    write_whole(target, "whole")
    assert not (tmp_path / ".a[1].json.x7_abcde").exists()
    (tmp_path / ".a[1].json.x7_abcde").write_text("half")
    (tmp_path / ".a[1].json.folder_1").mkdir()
    (tmp_path / ".a[1].json.link_to1").symlink_to(target)
    os.mkfifo(tmp_path / ".a[1].json.a_pipe_1")
    sweep(target)
    kept = {*others, "a[1].json", ".a[1].json.folder_1", ".a[1].json.link_to1", ".a[1].json.a_pipe_1"}
    assert {path.name for path in tmp_path.iterdir()} == kept
    sweep_folder(tmp_path / "none", "*")
    sweep_folder(target, "*")
    sweep_folder(tmp_path, "b*", "a1.*")
    assert {path.name for path in tmp_path.iterdir()} == kept - {".a1.json.x7_abcde"}


def test_what_is_being_written_is_not_swept(tmp_path):
    """A writer that hangs keeps its file however long; of a killed one it goes at once."""
    code = (
        "import os, sys, time; from cardenvs.files import write_whole\n"
        "os.fsync = lambda _: (print('writing', flush=True), time.sleep(600))\n"
        "write_whole(sys.argv[1], 'token')"
    )
    target = tmp_path / "table.txt"
    with subprocess.Popen([sys.executable, "-c", code, target], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None and writer.stdout.readline() == "writing\n"
        [left] = tmp_path.iterdir()
        os.utime(left, (0, 0))
        sweep(target)
        sweep_folder(tmp_path, "*.txt")
        assert [*tmp_path.iterdir()] == [left]
        writer.kill()
    sweep_folder(tmp_path, "*.png")
    assert [*tmp_path.iterdir()] == [left]
    sweep_folder(tmp_path, "*.txt")
    assert not [*tmp_path.iterdir()]


def test_where_files_cannot_be_locked_old_ones_are_swept(tmp_path, monkeypatch):
    def no_locks(*_):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr("cardenvs.files.fcntl.flock", no_locks)
    target = tmp_path / "a.txt"
    for name, age in (("new_1234", 60), ("old_1234", 100_000)):
        path = tmp_path / f".a.txt.{name}"
        path.write_text("half")
        os.utime(path, (time.time() - age,) * 2)
    write_whole(target, "whole")
    sweep(target)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".a.txt.new_1234", "a.txt"]


def test_a_file_that_is_swept_before_it_is_locked_is_made_anew(tmp_path, monkeypatch):
    lock, swept = fcntl.flock, []

    def late(handle, how):
        if not swept:
            swept.extend(tmp_path.glob(".a.txt.*"))
            swept[0].unlink()
        lock(handle, how)

    monkeypatch.setattr("cardenvs.files.fcntl.flock", late)
    write_whole(tmp_path / "a.txt", "whole")
    assert swept and [path.read_text() for path in tmp_path.iterdir()] == ["whole"]


def test_many_writers_and_sweepers_at_once(tmp_path):
    target, ended = tmp_path / "a.txt", threading.Event()

    def sweeping():
        while not ended.is_set():
            sweep(target)

    sweepers = [threading.Thread(target=sweeping) for _ in range(2)]
    for thread in sweepers:
        thread.start()
    try:
        for k in range(100):
            write_whole(target, f"{k}")
            assert target.read_text() == f"{k}"
    finally:
        ended.set()
        for thread in sweepers:
            thread.join()
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_text_that_is_no_text_is_written(tmp_path):
    write_whole(tmp_path / "a", "a\udce9")
    assert (tmp_path / "a").read_text() == "a\\udce9"


def test_numbers_that_are_not_finite_become_none():
    nan, inf = float("nan"), float("inf")
    assert finite({"a": nan, "b": (1.5, inf), "c": [{"d": -inf}]}) == {"a": None, "b": [1.5, None], "c": [{"d": None}]}
    assert finite([True, None, "nan", 3, np.float64(nan)]) == [True, None, "nan", 3, None]
    assert finite(()) == [] and finite(0.0) == 0.0


def test_figures_are_one_strict_json_object():
    text = json_text({"mean": 0.5, "ci95": (float("-inf"), float("inf")), "sides": ["a", "b"]})
    assert text.startswith('{\n  "mean": 0.5,\n') and text.endswith("}\n")
    assert strict_json(text) == {"mean": 0.5, "ci95": [None, None], "sides": ["a", "b"]}


def test_commands_sweep_their_folders(tmp_path, capsys):
    """Of tournaments and of tables, whose files hold the links of those who sit there."""
    chunks, tables, state = tmp_path / "out" / "chunks", tmp_path / "tables", tmp_path / "state"
    left = [
        tmp_path / "out" / ".tournament.json.abcd_123", chunks / ".000-001-0000000-0000002.npz.abcd_123",
        tables / ".euchre-AbC_d-9.txt.abcd_123", tables / ".euchre-AbC_d-9.json.abcd_123",
    ]  # fmt: skip
    mine = [tmp_path / "out" / ".config.settings", chunks / ".notes.abcd_123", tables / ".notes.abcd_123"]
    for path in (*left, *mine):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("half")
    words = ["tournament", "five-o", "random", "reflex2", "--deals", "2", "--workers", "1", "--out", str(tmp_path / "out")]
    assert main([*words, "--json"]) == 0
    assert main(["play", "euchre", "--resume", "--folder", str(tables)]) == 2
    assert "there is no table of euchre to resume" in capsys.readouterr().err
    assert not any(path.exists() for path in left)
    assert all(path.exists() for path in mine)
    assert not state.exists()

"""What commands refuse before any work is done: files and folders that cannot be written, numbers that are none."""

from __future__ import annotations

import os

import pytest

from tests.helpers.command_line import run

PLAYED = ("match", "euchre", "low", "random", "--deals", "2")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("render", "euchre", "--out", "a.gif", "--fps", "nan"), "'--fps': 'nan' is not a finite number"),
        (("render", "euchre", "--out", "a.gif", "--fps", "inf"), "'--fps': 'inf' is not a finite number"),
        (("render", "euchre", "--out", "a.gif", "--fps", "0"), "'--fps': 0.0 is not in the range 0.1<=x<=20"),
        (("render", "euchre", "--out", "a.gif", "--fps", "-1"), "'--fps': -1.0 is not in the range 0.1<=x<=20"),
        (("render", "euchre", "--out", "gone/a.gif"), "'gone/a.gif': there is no folder 'gone'"),
        (("render", "euchre", "--out", "folder"), "'folder' is a directory"),
        (("render", "euchre", "--out", os.devnull), "is no plain file"),
        (("adhoc", "five-o"), "five-o has no partners"),
        (("adhoc", "five-o", "reflex1"), "five-o has no partners"),
        (("crossplay", "five-o"), "five-o has no partners"),
        ((*PLAYED, "--record", "gone/games.txt"), "'gone/games.txt': there is no folder 'gone'"),
        ((*PLAYED, "--record", "file/games.txt"), "'file' is not a folder"),
        ((*PLAYED, "--record", "folder"), "'folder' is a directory"),
        ((*PLAYED, "--record", "x" * 300), "File name too long"),
        (("match", "euchre", "low", "random", "--deals", "9" * 20), "--deals must be at most 100000000"),
        (("evaluate", "euchre", "low", "--report", "file/r.md"), "'file' is not a folder"),
        (("evaluate", "euchre", "low", "--precision", "nan"), "'nan' is not a finite number"),
        (("tournament", "euchre", "low", "random", "--out", "file"), "'file' is not a folder"),
        (("tournament", "euchre", "low", "random", "--out", "file/x"), "file"),
        (("tournament", "euchre", "low", "random", "--out", ""), "'' is no folder's name"),
        (("tournament", "euchre", "low", "random", "--report", "file/r.md"), "'file' is not a folder"),
        (("tournament", "euchre", "low", "random", "--deals", "9" * 20), "deals must be at most 9999999"),
        (("review", "file", "--html", "gone/x.html"), "there is no folder 'gone'"),
        (("bench", "--seconds", "nan"), "'nan' is not a finite number"),
        (("bench", "--report", "file/r.md"), "'file' is not a folder"),
        (("observation", "--report", "file/r.md"), "'file' is not a folder"),
        (("advise", "euchre", "--session", "file/s.txt"), "'file' is not a folder"),
        (("train", "euchre", "--out", "file"), "'file' is not a folder"),
        (("export", "file", "file/out.safetensors"), "'file' is not a folder"),
        (("reproduce", "five-o", "--out", "file"), "'file' is not a folder"),
        (("experiment", "team-share", "--out", "file"), "'file' is not a folder"),
    ],
)
def test_nonsense_is_told_in_one_line_and_nothing_is_made(capsys, tmp_path, monkeypatch, arguments, named):
    (tmp_path / "file").write_text("something")
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    status, out, err = run(capsys, *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert named in err
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]
    assert (tmp_path / "file").read_text() == "something"


def test_a_tournament_with_other_settings_names_the_way_on(capsys, tmp_path):
    words = ("tournament", "five-o", "greedy1", "random", "--workers", "1", "--out", str(tmp_path / "out"))
    assert run(capsys, *words, "--deals", "2")[0] == 0
    status, out, err = run(capsys, *words, "--deals", "3")
    assert (status, out) == (2, "")
    assert "was begun with deals 2, not 3: go on with the same settings, or give another folder with --out" in err

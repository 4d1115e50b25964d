"""What commands refuse before any work is done: files and folders that cannot be written, numbers that are none."""

import json
import os
from pathlib import Path

import click
import pytest

from cardenvs.cli import Several, app, split_names
from tests.helpers.command_line import run

PLAYED = ("match", "euchre", "low", "random", "--deals", "2")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("match", "bridge", "random", "random"), "unknown game 'bridge': the games are euchre, five-o, hanabi, whist"),
        (("match", "euchre", "nobody", "random"), "unknown policy 'nobody' for euchre"),
        (("match", "euchre", "random", "random", "--deals", "0"), "0 is not in the range x>=1"),
        (("match", "euchre", "random", "random", "-o", "bids=3"), "unknown option 'bids' for euchre"),
        (("match", "euchre", "random", "random", "-o", "bidding=auction"), "bidding must be one of full, forced-spades"),
        (("match", "euchre", "random", "random", "-o", "bidding"), "is not name=value"),
        (("match", "euchre", "random", "random", "--protocol", "rubber"), "'duplicate', 'published'"),
        (("match", "euchre", "random", "random", "--games", "5"), "--games goes with --protocol published"),
        (("match", "euchre", "random", "random", "--seed", "-1"), "-1 is not in the range x>=0"),
        (("match", "euchre", "random:depth=3", "random"), "unknown parameter 'depth' of policy 'random'"),
        (("match", "euchre", "random", "runs/none.zip"), "no policy file 'runs/none.zip'"),
        (("evaluate", "five-o", "high-low"), "unknown policy 'high-low' for five-o"),
        (("evaluate", "euchre"), "Missing argument 'POLICY'"),
        (("shuffle",), "No such command 'shuffle'"),
        (("bench", "--rounds", "0"), "0 is not in the range x>=1"),
        (("bench", "whist", "whist"), "GAME: whist is there twice"),
        (("match", "heart", "random", "random"), "Did you mean hearts?"),
        (("match", "hart.rcy", "random", "random"), "hart.rcy:1:1: the file cannot be read"),
        (
            ("match", "hearts", "hybrid", "random"),
            "unknown policy 'hybrid' for hearts: it plays euchre and whist alone; the policies are exec, ismcts",
        ),
        (("train", "hearts", "--recipe", "euchre"), "unknown recipe 'euchre' for hearts: it has none"),
        (("crossplay", "hearts", "random"), "hearts has no partners"),
        (("advise", "hearts"), "the adviser knows euchre, five-o, whist, not hearts"),
        (("observation", "--report", "/proc/no/such.md"), "/proc/no"),
        (("observation", "--markdown", "/proc/no/such.md"), "/proc/no"),
        (("render", "euchre", "--out", "a.jpg"), "must end in .gif or .png"),
        (("render", "euchre"), "Missing option '--out'"),
        (("render", "euchre", "--out", "a.gif", "--seats", "low,low,low"), "1, 2 or 4 policies of euchre, not 3"),
        (("render", "euchre", "--out", "a.gif", "--seats", "nobody"), "unknown policy 'nobody' for euchre"),
        (("render", "euchre", "--out", "a.gif", "--deal", "chess"), "a deal of euchre begins with"),
        (("render", "euchre", "--out", "a.gif", "--view", "4"), "--view: euchre has the seats 0 to 3"),
        (("render", "euchre", "--out", "/proc/none/a.png", "--moves", "0"), "/proc/none"),
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
        (("tournament", "euchre", "low", "random", "--deals", "9" * 20), "--deals must be an int from 1 to 2**63 - 1"),
        (("adhoc", "beacon-relay", "random"), "cardenvs: --partners must name at least one policy: beacon-relay has no"),
        (("crossplay", "hanabi:tiny", "iggi", "outer", "--against", "low"), "cardenvs: --against must be left out: hanabi"),
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
    assert named in err and err.startswith("cardenvs: ")
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]
    assert (tmp_path / "file").read_text() == "something"


def test_a_tournament_with_other_settings_names_the_way_on(capsys, tmp_path):
    words = ("tournament", "five-o", "greedy1", "random", "--workers", "1", "--out", str(tmp_path / "out"))
    assert run(capsys, *words, "--deals", "2")[0] == 0
    status, out, err = run(capsys, *words, "--deals", "3")
    assert (status, out) == (2, "")
    assert "was begun with deals 2, not 3: go on with the same settings, or give another folder with --out" in err


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("learned", ["learned"]),
        ("learned,hybrid", ["learned", "hybrid"]),
        ("pimc:worlds=30,seconds=1,hybrid+low,runs/a.zip", ["pimc:worlds=30,seconds=1", "hybrid+low", "runs/a.zip"]),
        ("openspiel:ismcts,simulations=10,poe", ["openspiel:ismcts,simulations=10", "poe"]),
        ("low,exec:python3 my.py --of a,b=1,c", ["low", "exec:python3 my.py --of a,b=1,c"]),
        ("split:bids=pimc:worlds=3,plays=low,high", ["split:bids=pimc:worlds=3,plays=low", "high"]),
        ("a,b.zip,low", ["a,b.zip", "low"]),
    ],
)
def test_names_are_split_at_commas_and_parameters_stay(tmp_path, monkeypatch, text, names):
    monkeypatch.chdir(tmp_path)
    Path("a,b.zip").touch()
    assert split_names(text) == names


@pytest.mark.parametrize("text", ["", ",", "low,", "low,,high"])
def test_an_empty_name_in_a_list_is_refused(capsys, text):
    status, _, err = run(capsys, "evaluate", "five-o", "reflex2", "--against", text)
    assert status == 2
    assert f"{text!r} has an empty name between its commas" in err and err.count("\n") == 1


NOT_LISTS = {
    ("reproduce euchre", "pairings"), ("crossplay", "groups"), ("export", "notes"), ("serve-policy", "words"),
    ("suite", "responses"), ("suite", "responses_for"),
}  # fmt: skip
"""Parameters that take several values which are no names: pairs, settings, a command line, policies with settings."""


def commands(group=app, path=()):
    """All commands with what leads to them."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield " ".join((*path, name)), command


def test_wherever_several_names_can_stand_a_list_can():
    for name, command in commands():
        for param in command.params:
            if (param.multiple if isinstance(param, click.Option) else param.nargs == -1) and (
                param.name not in ("options", "more", "training") and (name, param.name) not in NOT_LISTS
            ):
                assert isinstance(param.type, Several), (name, param.name)


def test_a_list_is_what_its_names_are_one_by_one(capsys):
    words = ("evaluate", "five-o", "reflex2", "--deals", "2", "--no-self-check", "--json")
    listed = json.loads(run(capsys, *words, "--against", "reflex1,random")[1])
    single = json.loads(run(capsys, *words, "--against", "reflex1", "--against", "random")[1])
    assert [one["sides"][1] for one in listed["results"]] == ["reflex1", "random"]
    assert [one["points"] for one in listed["results"]] == [one["points"] for one in single["results"]]
    assert run(capsys, "bench", "whist,whist")[2] == "cardenvs: GAME: whist is there twice\n"

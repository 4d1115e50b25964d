"""What commands refuse before any work is done: files and folders that cannot be written, numbers that are none."""

import os
import re
import shlex
from pathlib import Path

import click
import pytest

from cardenvs.cli import Several, app, split_names
from tests.helpers.command_line import figures_of, run

NO_CLUSTER = "cluster must be 'auto' or an address such as '10.0.0.1:6379' or 'ray://10.0.0.1:10001'"
NO_SIDES = "is for games of sides, such as euchre, hanabi, whist"
REFUSED: dict[str, list[tuple[str, str]]] = {
    "match": [
        ("bridge random random", "unknown game 'bridge': the games are euchre, five-o, hanabi, whist"),
        ("eucher low low", "unknown game 'eucher': the games are…. Did you mean euchre?\n"),
        ("heart random random", "Did you mean hearts?"),
        ("hart.rcy random random", "hart.rcy:1:1: the file cannot be read"),
        ("euchre nobody random", "unknown policy 'nobody' for euchre"),
        ("euchre hybird low", "unknown policy 'hybird' for euchre: the policies are…. Did you mean hybrid?\n"),
        ("hearts hybrid random",
         "unknown policy 'hybrid' for hearts: it plays euchre and whist alone; the policies are exec, ismcts"),
        ("euchre random runs/none.zip", "no policy file 'runs/none.zip'"),
        ("euchre random:depth=3 random", "unknown parameter 'depth' of policy 'random'"),
        ("euchre pimc:world=3 low", "unknown parameter 'world' of policy 'pimc'…. Did you mean worlds?\n"),
        ("euchre random random -o bids=3", "unknown option 'bids' for euchre"),
        ("euchre low low -o biding=full", "unknown option 'biding' for euchre…. Did you mean bidding?\n"),
        ("euchre random random -o bidding=auction", "bidding must be one of full, forced-spades"),
        ("euchre low low -o bidding=spades", "bidding must be one of full…. Did you mean forced-spades?\n"),
        ("euchre random random -o bidding", "is not name=value"),
        ("euchre random random --protocol rubber", "'duplicate', 'published'"),
        ("euchre random random --games 5", "--games goes with --protocol published"),
        ("euchre random random --deals 0", "0 is not in the range x>=1"),
        ("euchre low random --deals 99999999999999999999", "--deals must be at most 100000000"),
        ("euchre random random --seed -1", "-1 is not in the range x>=0"),
        ("whist random --deals 3", "second must be a policy"),
        ("five-o random reflex2 --cooperation", "cooperation is counted in euchre and whist, not in five-o"),
        ("euchre low random --record gone/games.txt", "'gone/games.txt': there is no folder 'gone'"),
        ("euchre low random --record file/games.txt", "'file' is not a folder"),
        ("euchre low random --record folder", "'folder' is a directory"),
        (f"euchre low random --record {'x' * 300}", "File name too long"),
    ],
    "evaluate": [
        ("euchre", "Missing argument 'POLICY'"),
        ("five-o high-low", "unknown policy 'high-low' for five-o"),
        ("euchre low --against nobody", "unknown policy 'nobody' for euchre"),
        ("euchre low --precision 0", "0.0 is not in the range x>0"),
        ("euchre low --precision nan", "'nan' is not a finite number"),
        ("euchre low --precision fine", "'fine' is not a valid float"),
        ("euchre low --control luck", "'luck' is not"),
        ("euchre low --control double-dummy", "is for euchre with the published protocol, not for euchre, duplicate"),
        ("euchre low --games 5", "--games goes with --protocol published"),
        ("euchre low --deals 5 --games 5 --protocol published", "--deals and --games cannot both be given"),
        ("euchre low --protocol published -o bidding=full", "plays with bidding=forced-spades, not full"),
        ("whist low --bidding", "--bidding is for Euchre with bidding=full in duplicate play"),
        ("euchre low --report file/r.md", "'file' is not a folder"),
    ],
    "tournament": [
        ("bridge", "unknown game 'bridge'"),
        ("euchre low", "at least two policies, not 1: low"),
        ("euchre low high low", "policies must differ, and 'low' is given twice"),
        ("euchre low nobody", "unknown policy 'nobody' for euchre"),
        ("euchre low high+low+high", "a side of euchre is one policy or 2 joined by +"),
        ("euchre low none.zip", "no policy file 'none.zip'"),
        ("euchre low high --deals 0", "0 is not in the range x>=1"),
        ("euchre low random --deals 99999999999999999999", "--deals must be an int from 1 to 2**63 - 1"),
        ("euchre low random --out file", "'file' is not a folder"),
        ("euchre low random --out file/x", "file"),
        ("euchre low random --out ''", "'' is no folder's name"),
        ("euchre low random --report file/r.md", "'file' is not a folder"),
    ],
    "crossplay": [
        ("euchre", "Missing argument 'POLICY...'"),
        ("five-o", "five-o has no partners"),
        ("five-o random reflex2", f"five-o has no partners: cross-play {NO_SIDES}"),
        ("hearts random", "hearts has no partners"),
        ("euchre low", "cross-play needs at least two policies, not 1: low"),
        ("euchre low low", "policies must differ, and 'low' is given twice"),
        ("euchre low low+high", "policies are single policies"),
        ("euchre low nobody", "unknown policy 'nobody' for euchre"),
        ("euchre low none.zip", "no policy file 'none.zip'"),
        ("euchre low high --against nobody", "unknown policy 'nobody'"),
        ("euchre low high --against low --against low", "--against must differ"),
        ("hanabi:tiny iggi outer --against low", "cardenvs: --against must be left out: hanabi"),
        ("euchre low high --group a=random", "'random', which is not among the policies"),
        ("euchre low high --group a=low --group a=high", "the group 'a' is given twice"),
        ("euchre low high --deals 0", "0 is not in the range x>=1"),
    ],
    "adhoc": [
        ("five-o", f"five-o has no partners: benchmark {NO_SIDES}"),
        ("five-o random", f"five-o has no partners: benchmark {NO_SIDES}"),
        ("euchre low --partners poe", "partners must differ, and 'poe' is given twice"),
        ("euchre low --partners low+high", "partners are single policies"),
        ("beacon-relay random", "cardenvs: --partners must name at least one policy: beacon-relay has no"),
    ],
    "ceiling": [
        ("five-o", "the ceiling is measured in euchre and whist, which can be solved with open cards, not five-o"),
        ("euchre low low", "the policies must be one or several different ones, not low, low"),
        ("euchre lowest", "lowest"),
        ("euchre low -o episode=game", "the ceiling is measured in single deals: episode must be 'deal'"),
        ("euchre low --open-cards 3", "open_cards is for whist"),
        ("whist low --best-response", "searched for in euchre only"),
        ("euchre low --deals 1", "--deals"),
        ("euchre low --effect 0", "--effect"),
    ],
    "judge": [
        ("euchre", "Missing argument 'POLICIES...'"),
        ("euchre nobody", "unknown policy 'nobody' for euchre"),
        ("euchre low low", "policies must be one or several different ones, not low, low"),
        ("euchre low+high", "one seat is judged, by a single policy: 'low+high' is a side, for whole_side"),
        ("euchre low -o episode=game", "single deals are judged: episode must be 'deal'"),
        ("euchre low --reference pimc", "reference must be a policy that decides fast and does not remember, not 'pimc'"),
        ("euchre low --reference nobody", "unknown policy 'nobody' for euchre"),
        ("hearts random", "reference must be named, as no network comes with hearts: "),
        ("euchre low --worlds 1", "1 is not in the range x>=2"),
        ("euchre low --until 0", "--until"),
        ("euchre low --weight 2", "--weight"),
    ],
    "audit": [
        ("openspiel", "Missing argument 'GAME...'"),
        ("shogi kuhn_poker", "'shogi' is not one of 'openspiel', 'pettingzoo'"),
        ("openspiel kuhn_pokr", "unknown game 'kuhn_pokr' of OpenSpiel. Did you mean kuhn_poker?"),
        ("openspiel tarok", "tarok draws chance itself: no game of it can be played again"),
        ("openspiel kuhn_poker --positions 0", "0 is not in the range x>=1"),
        ("openspiel kuhn_poker --seconds nan", "'nan' is not a finite number"),
        ("openspiel kuhn_poker --out file", "'file' is not a folder"),
        ("pettingzoo no.such", "'no.such' is no module of an AEC environment with discrete actions: ModuleNotFoundError"),
    ],
    "recycle stats": [
        ("", "Missing argument 'GAME'"),
        ("bridge", "unknown game 'bridge': the games are"),
        ("kuhn-poker --ai nobody", "unknown policy 'nobody' for kuhn"),
        ("kuhn-poker --games 0", "--games"),
        ("kuhn-poker --random-only --plot x.png", "--plot draws all six statistics, which --random-only does not"),
        ("whist -o colour=red", "colour"),
    ],
    "reproduce": [
        ("chess", "No such command 'chess'"),
        ("pow", "No such command 'pow'…. Did you mean poe?\n"),
        ("euchre --games 0", "0 is not in the range x>=1"),
        ("euchre --precise 0", "0 is not in the range x>=1"),
        ("euchre --seed -1", "-1 is not in the range x>=0"),
        ("euchre --pairing random nobody", "unknown policy 'nobody' for euchre"),
        ("euchre --pairing random", "requires 2 arguments"),
        ("euchre --pairing markov:threshold=-1 low", "threshold must be a number of at least 0, not -1"),
        ("euchre --games 1 --pairing low low --report /proc/no/such.md", "/proc/no"),
        ("five-o --games 7", "--games must be even (each deal is played twice) and at least 4, not 7"),
        ("five-o --value-games 2", "--value-games must be even (each deal is played twice) and at least 4, not 2"),
        ("five-o --slow-games 0", "--slow-games must be even"),
        ("five-o --games 100", "--games must not be below --search-games"),
        ("five-o --slow-games 2000", "nor that below --slow-games; they are 20000, 1000 and 2000"),
        ("five-o --positions 1", "--positions must be at least 2, not 1"),
        ("five-o --samples 0", "--samples must be at least 1, not 0"),
        ("five-o --decks -3", "--decks must be at least 1, not -3"),
        ("five-o --seed -1", "-1 is not in the range x>=0"),
        ("five-o --workers 0", "0 is not in the range x>=1"),
        ("five-o --depth-games many", "'many' is not a valid integer"),
        ("five-o --out file", "'file' is not a folder"),
        ("five-o --cluster a:b:c", f"{NO_CLUSTER}, not 'a:b:c'"),
        ("recycle --cluster nonsense", f"{NO_CLUSTER}, not 'nonsense'"),
        ("recycle --game whist", "'whist' is not one of"),
        ("recycle --games 1", "1 is not in the range x>=2"),
        ("recycle --workers 0", "0 is not in the range x>=1"),
    ],
    "train": [
        ("bridge", "unknown game 'bridge'"),
        ("hearts --recipe euchre", "unknown recipe 'euchre' for hearts: it has none"),
        ("euchre --steps 0", "steps must be an int of at least 1"),
        ("euchre --minutes -1", "minutes must be a number above 0"),
        ("euchre -o colour=red", "unknown option 'colour'"),
        ("euchre --net big", "not a list of widths"),
        ("euchre --eval-opponent nobody", "--eval-opponent must be one of"),
        ("euchre --resume", "no run to resume"),
        ("euchre --out file", "'file' is not a folder"),
        ("euchre --out /dev/null/x", "/dev/null"),
        ("euchre --set symmetry=colours", "symmetry must be None in euchre, which"),
        ("euchre --set encoding=canonical", "encoding must be None in euchre, which"),
    ],
    "experiment team-share": [
        ("--share 0.5", "--share must be at least 2, not 1"),
        ("--share 0 --share 2", "team_share must be a number from 0 to 1, not 2.0"),
        ("--share 0 --share 0", "--share must differ, not 0.0, 0.0"),
        ("--bidding auction", "'auction' is not one of 'forced-spades', 'full'"),
        ("--seeds 0", "0 is not in the range x>=1"),
        ("--steps 0", "0 is not in the range x>=1"),
        ("--train steps=none", "all runs have the same budget"),
        ("--train minutes=3", "unknown training setting 'minutes'"),
        ("--train speed=3", "unknown training setting 'speed'"),
        ("--train lr", "'lr' is not name=value"),
        ("--train lr=high", "lr must be a number above 0, not 'high'"),
        ("--steps 10 --train steps=20", "a training setting is given twice"),
        ("--against nobody", "unknown policy 'nobody'"),
        ("--deals 0", "0 is not in the range x>=1"),
        ("--out file", "'file' is not a folder"),
    ],
    "exploit": [
        ("euchre nobody", "unknown policy 'nobody' for euchre"),
        ("euchre reflex1", "unknown policy 'reflex1' for euchre"),
        ("euchre exec:true", "must name no program or code to be run"),
        ("euchre hybrid --from weights", "the policy 'hybrid' has no weights to begin with"),
        ("euchre hybrid --from nobody", "nobody"),
        ("euchre hybrid --deals 3", "deals must be an int of at least 4, not 3"),
        ("euchre hybrid --steps 0", "steps must be an int of at least 1"),
        ("euchre hybrid --set others_share=0.5", "others_share cannot be set here"),
        ("euchre hybrid --set playout_steps=9", "playout_steps cannot be set here"),
        ("euchre hybrid --resume", "there is nothing to resume in"),
    ],
    "export": [("file file/out.safetensors", "'file' is not a folder")],
    "observation": [
        ("--report /proc/no/such.md", "/proc/no"),
        ("--markdown /proc/no/such.md", "/proc/no"),
        ("--report file/r.md", "'file' is not a folder"),
    ],
    "render": [
        ("euchre", "Missing option '--out'"),
        ("euchre --out a.jpg", "must end in .gif or .png"),
        ("euchre --out a.gif --seats low,low,low", "1, 2 or 4 policies of euchre, not 3"),
        ("euchre --out a.gif --seats nobody", "unknown policy 'nobody' for euchre"),
        ("euchre --out a.gif --deal chess", "a deal of euchre begins with"),
        ("euchre --out a.gif --view 4", "--view: euchre has the seats 0 to 3"),
        ("euchre --out a.gif --fps nan", "'--fps': 'nan' is not a finite number"),
        ("euchre --out a.gif --fps inf", "'--fps': 'inf' is not a finite number"),
        ("euchre --out a.gif --fps 0", "'--fps': 0.0 is not in the range 0.1<=x<=20"),
        ("euchre --out a.gif --fps -1", "'--fps': -1.0 is not in the range 0.1<=x<=20"),
        ("euchre --out /proc/none/a.png --moves 0", "/proc/none"),
        ("euchre --out gone/a.gif", "'gone/a.gif': there is no folder 'gone'"),
        ("euchre --out folder", "'folder' is a directory"),
        (f"euchre --out {os.devnull}", "is no plain file"),
    ],
    "bench": [
        ("whist whist", "GAME: whist is there twice"),
        ("whist,whist", "GAME: whist is there twice"),
        ("--rounds 0", "0 is not in the range x>=1"),
        ("--seconds nan", "'nan' is not a finite number"),
        ("--report file/r.md", "'file' is not a folder"),
    ],
    "advise": [
        ("hearts", "the adviser knows euchre, five-o, whist, not hearts"),
        ("euchre --session file/s.txt", "'file' is not a folder"),
    ],
    "review": [("file --html gone/x.html", "there is no folder 'gone'")],
    "shuffle": [("", "No such command 'shuffle'")],
    "mach": [("euchre", "No such command 'mach'…. Did you mean match?\n")],
}  # fmt: skip
"""By command, what stands behind it and words of the error; ``…`` stands for any others."""


@pytest.mark.parametrize(
    ("words", "named"), [(f"{name} {more}", named) for name, all in REFUSED.items() for more, named in all]
)
def test_nonsense_is_told_in_one_line_and_nothing_is_made(capsys, tmp_path, monkeypatch, words, named):
    (tmp_path / "file").write_text("something")
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    status, out, err = run(capsys, *shlex.split(words))
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert re.search(".*".join(map(re.escape, named.split("…"))), err) and err.startswith("cardenvs: ")
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]
    assert (tmp_path / "file").read_text() == "something"


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
    ("suite", "responses"), ("suite", "responses_for"), ("audit", "games"),
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
    words = ("evaluate", "five-o", "reflex2", "--deals", "2", "--no-self-check")
    listed = figures_of(capsys, *words, "--against", "reflex1,random")
    single = figures_of(capsys, *words, "--against", "reflex1", "--against", "random")
    assert [one["sides"][1] for one in listed["results"]] == ["reflex1", "random"]
    assert [one["points"] for one in listed["results"]] == [one["points"] for one in single["results"]]

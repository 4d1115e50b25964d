"""The command lines of tables and of the adviser that are refused."""

import shlex
from pathlib import Path

import pytest

from cardenvs.recycle.library import FOLDER
from tests.helpers.command_line import check_refused

PLAY = [
    ("bridge", "unknown game 'bridge'"),
    ("euchre --seats human,high", "euchre has 4 seats, not 2"),
    ("euchre --seats human", "euchre has 4 seats, not 1"),
    ("euchre --seats human,high,high,nobody", "unknown policy 'nobody'"),
    ("euchre --seed -1", "-1 is not in the range"),
    ("euchre --seed 1 --deal euchre", "--seed and --deal cannot be given together"),
    ("euchre --deal whist", "begins with the word 'euchre'"),
    ("euchre --deal 'euchre x'", "'x'"),
    ("euchre --load /none/such.txt", "no record there"),
    ("euchre -o bids=3", "unknown option 'bids'"),
    ("euchre -o target=x", "target must be"),
    ("euchre --pause -1", "0 to 60 seconds"),
    ("euchre --port 70000", "70000 is not in the range"),
    ("euchre --resume --folder /none/such", "no table of euchre to resume"),
    ("euchre --resume --seats high,high,high,high", "--resume goes on with the seats"),
    ("euchre --resume --names Anna", "--resume goes on with the seats, names and options"),
    ("euchre --names Anna,Ben", "2 names for 4 seats, 1 of them people's"),
    ("euchre --names You", "could be taken for another seat"),
    ("euchre --names \u202eAnna", "U+202E"),
    ("euchre --repeatable", "--repeatable needs --seed"),
    ("euchre --terminal --json", "--terminal does not go with --json"),
    ("euchre --terminal --folder tables", "--terminal does not go with --folder"),
    ("euchre --host 203.0.113.7 --folder tables", "cannot listen at 203.0.113.7"),
    ("euchre --host 'no such host' --folder tables", "--host: 'no such host' is no address"),
    ("euchre --folder /proc/none", "/proc/none"),
    ("nosuch.rcy", "nosuch.rcy"),
    ("broken.rcy", "broken.rcy:2:9: "),
    ("kuhn.rcy --seats human,nobody", "unknown policy 'nobody'"),
    ("kuhn.rcy --seats human", "has 2 seats, not 1"),
    ("kuhn.rcy -o episode=game", "unknown option 'episode'"),
    ("kuhn.rcy --resume", "no table of kuhn.rcy to resume"),
]
ADVISE = [
    ("whist --card xx", "no card"),
    ("whist --engine 0,7", "'7' is no seat"),
    ("whist --score 3", "--score 3: must be two numbers"),
    ("whist --policy nobody", "unknown policy 'nobody' for whist"),
    ("whist --engine 9", "--engine 9: '9' is no seat"),
    ("whist --dealer Bob --names A,B,C,D", "--dealer Bob: 'Bob' is no seat"),
    ("euchre --card zz", "--card zz: 'zz' is no card"),
    ("whist --names A,B", "--names A,B: Whist has 4 players, not 2"),
    ("five-o --policy random --dealer 1", "--dealer: nobody asks that in five-o"),
    ("whist --resume 'advise whist' --dealer 0", "leave the other options off"),
    ("whist --resume /no/such/file", "'/no/such/file'"),
    ("whist --resume 'advise euchre'", "that is a session of euchre, not of whist"),
    ("whist --session /proc/no/where.txt", "/proc"),
]


@pytest.mark.parametrize(
    ("command", "words", "message"), [*(("play", *case) for case in PLAY), *(("advise", *case) for case in ADVISE)]
)
def test_wrong_input_is_one_line_and_status_2(command, words, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", "state")
    Path("kuhn.rcy").write_text((FOLDER / "kuhn-poker.rcy").read_text())
    Path("broken.rcy").write_text("(game\n (setup (create player 2)))\n")
    more = ["--no-browser"] if command == "play" else [] if "--resume" in words else ["--session", "session.txt"]
    check_refused(capsys, message, command, *more, *shlex.split(words))
    assert not Path("session.txt").exists()

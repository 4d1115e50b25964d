"""Wrong command lines of what trains: one line on standard error, status 2, and nothing is written."""

from pathlib import Path

import pytest

from tests.helpers.command_line import run

pytestmark = pytest.mark.compiled

WRONG = {
    "train": [
        ("euchre --steps 0", "steps must be an int of at least 1"),
        ("euchre --minutes -1", "minutes must be a number above 0"),
        ("bridge", "unknown game 'bridge'"),
        ("euchre -o colour=red", "unknown option 'colour'"),
        ("euchre --net big", "not a list of widths"),
        ("euchre --eval-opponent nobody", "--eval-opponent must be one of"),
        ("euchre --resume", "no run to resume"),
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
    ],
    "exploit": [
        ("euchre nobody", "unknown policy 'nobody' for euchre"),
        ("euchre reflex1", "unknown policy 'reflex1' for euchre"),
        ("euchre hybrid --from weights", "the policy 'hybrid' has no weights to begin with"),
        ("euchre hybrid --from nobody", "nobody"),
        ("euchre hybrid --deals 3", "deals must be an int of at least 4, not 3"),
        ("euchre hybrid --steps 0", "steps must be an int of at least 1"),
        ("euchre hybrid --set others_share=0.5", "others_share cannot be set here"),
        ("euchre hybrid --set playout_steps=9", "playout_steps cannot be set here"),
        ("euchre exec:true", "must name no program or code to be run"),
        ("euchre hybrid --resume", "there is nothing to resume in"),
    ],
}


@pytest.mark.parametrize(("words", "message"), [(f"{name} {more}", said) for name in WRONG for more, said in WRONG[name]])
def test_wrong_input_is_one_line_and_status_2(
    words: str, message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, err = run(capsys, *words.split())
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err
    assert list(tmp_path.iterdir()) == []

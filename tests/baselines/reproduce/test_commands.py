"""The options of ``cardenvs reproduce``: wrong ones, and old names, which still work and are listed nowhere."""

import pytest

from tests.helpers.command_line import run

pytestmark = pytest.mark.compiled


def test_old_names_of_options_work(capsys, tmp_path):
    report = tmp_path / "poe.md"
    arguments = ("reproduce", "poe", "--deals", "3", "--worlds", "4", "--seed", "2", "--opponent", "random")
    status, out, _ = run(capsys, *arguments, "--opponent", "low", "--markdown", str(report))
    assert status == 0
    assert "random" in out and "low" in out
    command = "`cardenvs reproduce poe --deals 3 --worlds 4 --seed 2 --against random --against low --report FILE`"
    assert command in report.read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("chess", "No such command 'chess'"),
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
        (f"five-o --out {__file__}", "is not a folder"),
        ("recycle --game whist", "'whist' is not one of"),
        ("recycle --games 1", "1 is not in the range x>=2"),
        ("recycle --workers 0", "0 is not in the range x>=1"),
    ],
)
def test_wrong_input_is_one_line_and_status_2(capsys, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    status, out, err = run(capsys, "reproduce", *arguments.split())
    assert (status, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1
    assert [*tmp_path.iterdir()] == []


def test_what_can_be_reproduced_is_listed(capsys):
    status, out, _ = run(capsys, "reproduce", "--help")
    assert status == 0
    assert all(name in out for name in ("calling", "euchre", "five-o", "hanabi", "openspiel", "poe", "recycle"))


@pytest.mark.parametrize("name", ["poe", "euchre", "calling", "five-o", "recycle"])
def test_old_names_of_options_are_not_listed(capsys, name):
    status, out, _ = run(capsys, "reproduce", name, "--help")
    assert status == 0
    assert "--report" in out
    assert "--markdown" not in out and "--opponent" not in out

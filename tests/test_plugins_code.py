"""Policies that are registered while a program runs, and those that are named by where their code is."""

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cardenvs import get_game, policy
from cardenvs.baselines import settings_for
from cardenvs.baselines.runs.store import PairingStore
from cardenvs.cli import main
from cardenvs.contract.record import seats_line
from cardenvs.play.table_setup import table_of_record
from cardenvs.play.web.policy_names import check_name
from cardenvs.policy.registry import POLICIES
from cardenvs.train import Config
from tests.helpers.players import First

MINE = """
import numpy as np
from cardenvs import Policy

class Mine(Policy):
    def __init__(self, game, level=1):
        super().__init__(game)
        self.level = level

    def choose(self, observations, action_masks, streams):
        return action_masks.argmax(1).astype(np.int64)

class NoPolicy:
    pass

class Half(Policy):
    pass

def wrong(game):
    return 3

def needs(game, level):
    return Mine(game, level)

def alone():
    return 3
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A file with a policy in it, also in the way of imports as the module ``minefile``."""
    (tmp_path / "minefile.py").write_text(MINE)
    monkeypatch.syspath_prepend(tmp_path)
    return str(tmp_path / "minefile.py")


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(POLICIES, "made", {})
    policy.register("mine", First)


def test_a_registered_policy_goes_by_its_name(registered: None) -> None:
    player = policy.make("whist", "mine")
    assert isinstance(player, First) and player.name == "mine"
    assert "mine" in policy.names("euchre") and policy.has("five-o", "mine")
    policy.register("mine", lambda game, level=2: First(game))  # anew
    with pytest.raises(ValueError, match="unknown parameter 'depth' of policy 'mine': its parameters are level"):
        policy.make("whist", "mine:depth=3")


def test_a_registered_policy_says_which_games_it_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    class OfWhist(First):
        games = ("whist",)

    monkeypatch.setattr(POLICIES, "made", {})
    policy.register("of-whist", OfWhist)
    assert "of-whist" in policy.names("whist") and "of-whist" not in policy.names("euchre")
    with pytest.raises(ValueError, match="unknown policy 'of-whist' for euchre"):
        policy.make("euchre", "of-whist")


def test_classes_in_files_and_modules(file: str) -> None:
    player: Any = policy.make("whist", f"{file}:Mine,level=3")
    assert player.level == 3 and player.name == f"{file}:Mine,level=3"
    assert policy.make("euchre", "minefile:Mine").name == "minefile:Mine"
    assert pickle.loads(pickle.dumps(player)).level == 3
    Path(file).write_text(MINE.replace("level=1", "level=7"))
    again: Any = policy.make("whist", f"{file}:Mine")
    assert again.level == 7
    assert policy.split_list(f"{file}:Mine,level=3,random") == [f"{file}:Mine,level=3", "random"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("FILE:Nope", "has no class or function 'Nope': its classes are Mine, NoPolicy, Half"),
        ("FILE:wrong", "has made 3, which is no Policy"),
        ("FILE:NoPolicy", "or a function that makes a policy, not the class 'NoPolicy', which is no Policy"),
        ("numpy:ndarray", "numpy:ndarray must be a Policy subclass or a function that makes a policy, not the class"),
        ("builtins:max", "builtins:max must be a Policy subclass or a function"),
        ("FILE:Half", "the class 'Half' lacks choose"),
        ("FILE:needs", "the policy 'needs' is made of a game and its parameters: missing a required argument: 'level'"),
        ("FILE:alone", "the policy 'alone' is made of a game and its parameters: too many positional arguments"),
        ("FILE:Mine,depth=3", "unknown parameter 'depth'"),
        ("FILE:Mine,depth", "write key=value"),
        ("nomod:Mine", "'nomod' is no policy, and no module that can be imported"),
        ("loose:Mine", "'loose' is no module that can be imported; for the file: loose.py:Mine"),
        (
            "minefile.py",
            "minefile.py is a file: name a class in it, as minefile.py:Mine; its classes are Mine, NoPolicy, Half",
        ),
        ("minefile.py:", "minefile.py is a file: name a class in it"),
        ("nofile.py", "no file 'nofile.py'"),
        ("garbled.py", "garbled.py cannot be loaded: SyntaxError"),
        ("FILEX.py:Mine", "no file"),
        ("broken.py:Mine", "cannot be loaded: NameError"),
        ("random:choices", "write key=value"),
    ],
)
def test_what_is_wrong_is_one_line(
    file: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, name: str, message: str
) -> None:
    monkeypatch.chdir(Path(file).parent)
    Path("broken.py").write_text("undefined")
    Path("garbled.py").write_text("class")
    Path("away").mkdir()
    monkeypatch.chdir("away" if name.startswith("loose") else ".")  # from where no module is found
    Path("loose.py").write_text(MINE)
    name = name.replace("FILE", "minefile.py", 1) if name.startswith("FILE:") else name
    assert main(["match", "euchre", name, "random", "--deals", "2"]) == 2
    printed = capsys.readouterr()
    assert not printed.out and len(printed.err.splitlines()) == 1 and message in printed.err


@pytest.mark.parametrize("name", ["exec:reboot", "minefile:Mine", "os:system", "exec"])
def test_pages_run_nothing(file: str, name: str) -> None:
    assert policy.runs_code(name)
    with pytest.raises(ValueError, match="is run by nobody who asks on a page"):
        check_name(name)
    assert not policy.runs_code("ismcts:simulations=20") and not policy.runs_code("random")


@pytest.mark.parametrize("name", ["exec:reboot", "os:system", "split:calls=exec:reboot,plays=high"])
def test_files_of_others_run_nothing(tmp_path: Path, name: str) -> None:
    """Records name the players of a table, and checkpoints the opponents of a training."""
    record = tmp_path / "record.txt"
    line = get_game("euchre").text(get_game("euchre").deal(1))
    record.write_text(f"{seats_line(['human', name, 'high', 'high'])}\n{line}\n")
    with pytest.raises(ValueError, match="names a program or code to be run"):
        table_of_record(get_game("euchre"), str(record))
    assert table_of_record(get_game("euchre"), str(record), ["human"] * 4).seats == ["human"] * 4
    with pytest.raises(ValueError, match="eval_opponent must name no program or code to be run"):
        Config(game="euchre", eval_opponent=name)


def test_a_tournament_does_not_go_on_with_code_that_was_changed(file: str, tmp_path: Path) -> None:
    names = [f"{file}:Mine", "minefile:Mine", "random"]
    PairingStore(tmp_path / "out", settings_for("euchre", names, deals=2))
    assert list(settings_for("euchre", names).files) == [file]
    Path(file).write_text(MINE.replace("level=1", "level=2"))
    with pytest.raises(ValueError, match="another content of"):
        PairingStore(tmp_path / "out", settings_for("euchre", names, deals=2))


def test_workers_know_what_a_script_registers(tmp_path: Path) -> None:
    """A tournament on two processes, of a policy that the script registers where it is imported."""
    script = tmp_path / "script.py"
    script.write_text(
        MINE
        + """
from cardenvs import policy
from cardenvs.baselines.tournament import play_tournament, settings_for

policy.register("mine", Mine)
if __name__ == "__main__":
    print(play_tournament(settings_for("euchre", ["mine", "random"], deals=8), "out", workers=2).deals)
"""
    )
    run = subprocess.run([sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr

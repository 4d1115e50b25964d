"""Described games as files: wherever a game's name can stand, and `cardenvs recycle check`."""

from __future__ import annotations

import json
import pickle
import re
from pathlib import Path

import pytest

from cardenvs import Batch, get_game, policy
from cardenvs.baselines.match import play_match
from cardenvs.cards import seed_streams
from cardenvs.cli import main
from cardenvs.recycle import RecycleError
from cardenvs.recycle.library import FOLDER
from tests.helpers.described import file_of

KUHN = (FOLDER / "kuhn-poker.rcy").read_text()


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The path of a description, from its folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kuhn.rcy").write_text(KUHN)
    return "kuhn.rcy"


def test_a_file_is_a_game(path: str) -> None:
    spec = get_game(path)
    assert spec.name == "kuhn.rcy" and spec.title == "Kuhn" and get_game(path) is spec
    assert pickle.loads(pickle.dumps(spec)) is spec
    assert {"random", "ismcts", "monte-carlo", "pipmc"} <= set(policy.names(spec))
    assert not {"pimc", "learned"} & set(policy.names(spec))
    assert Batch(file_of("kuhn-poker"), 3, seed=1).action_masks.any(1).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["monte-carlo:worlds=5", "ismcts:simulations=20", "pipmc:worlds=2"])
def test_searches_play_described_games(path: str, name: str) -> None:
    assert play_match(path, name, "random", deals=40, seed=1).games == 80


def test_a_file_that_has_changed_is_another_game(path: str) -> None:
    before = get_game(path)
    Path(path).write_text(KUHN.replace("(create players 2)", "(create players 2) ;; two"))
    assert get_game(path) is not before


@pytest.mark.slow
def test_commands_take_files(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", path, "random", "random", "--deals", "5", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["game"] == "kuhn.rcy"
    assert main(["recycle", "stats", path, "--random-only", "--games", "300", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["seats"] == 2
    assert figures["random"]["decisions"] == pytest.approx(9 / 4, abs=0.2)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "kuhn.rcy:1:1: "),
        (KUHN.replace("(create players 2)", "(create player 2)"), "kuhn.rcy:"),
        (KUHN[: len(KUHN) // 2], "kuhn.rcy:"),
    ],
)
def test_what_is_wrong_is_one_line(path: str, capsys: pytest.CaptureFixture[str], text: str, wrong: str) -> None:
    Path(path).write_text(text)
    with pytest.raises(RecycleError):
        get_game(path)
    for command in (["recycle", "check", path], ["match", path, "random", "random"]):
        assert main(command) == 2
        printed = capsys.readouterr()
        assert not printed.out and len(printed.err.splitlines()) == 1 and wrong in printed.err


STUCK = """(game
 (setup (create players 2) (create deck (game iloc STOCK) (deck (RANK (ONE, TWO)))))
 (stage player (end (== (size (game iloc STOCK)) 5))
  (choice ((any (game iloc STOCK) 'C (move 'C (top ((current player) iloc HAND)))))))
 (scoring max (size ((current player) iloc HAND))))"""


def test_a_choice_without_options_is_told_with_its_position_whatever_the_files_name(path: str) -> None:
    name = "\\x 'two' \"three\" \\N{no}\\.rcy"
    Path(name).write_text(STUCK)
    spec = get_game(name)
    assert spec.name == name
    games = spec.new_games(1)
    spec.kernels.deal(games, 0, seed_streams(1, 1), 0)
    spec.kernels.step(games, 0, 0)
    with pytest.raises(RecycleError, match=re.escape(f"{name}:4:3: nobody can do anything at this choice") + "$"):
        spec.kernels.step(games, 0, 1)


@pytest.mark.slow
def test_batches_of_files_with_any_name_stop_at_such_a_choice(path: str) -> None:
    for name in (path, "\\x 'two' \"three\".rcy", "\\N{no}\\.rcy"):
        Path(name).write_text(STUCK)
        batch = Batch(name, 1, seed=1)
        batch.step(batch.action_masks.argmax(1))
        with pytest.raises(RecycleError, match=re.escape(f"{name}:4:3: nobody can do anything at this choice") + "$"):
            batch.step(batch.action_masks.argmax(1))


def test_what_is_right_is_told(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recycle", "check", path]) == 0
    assert capsys.readouterr().out == "kuhn.rcy: a game for 2 with 3 cards and 4 actions\n"
    assert main(["recycle", "check", path, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["actions"] == 4
    assert main(["recycle", "check", "nothing.rcy"]) == 2
    assert "nothing.rcy:1:1: the file cannot be read" in capsys.readouterr().err

"""Described games as files: wherever a game's name can stand, and `cardenvs recycle check`."""

import _thread
import json
import pickle
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cardenvs import Batch, get_game, policy
from cardenvs.baselines.game_statistics import statistics_settings
from cardenvs.baselines.match import play_match
from cardenvs.baselines.tournament import settings_for
from cardenvs.cli import main
from cardenvs.contract.record import parse_record
from cardenvs.contract.spec import GameSpec
from cardenvs.information_audit import counts as audit
from cardenvs.recycle import RecycleError
from cardenvs.recycle.language.errors import Position
from cardenvs.recycle.library import FOLDER
from cardenvs.train.models.checkpoint import Checkpoint
from tests.helpers import command_line
from tests.helpers.described import file_of
from tests.refusals import check_refused

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


def test_work_goes_on_with_the_same_description_alone(path: str) -> None:
    """Folders of tournaments and statistics, runs of training: a changed description is refused, not mixed with."""
    before = settings_for(path, ["random", "random:choices=yes"]), statistics_settings(path, random_only=True)
    stored = before[0].as_dict(), before[1].as_dict()
    spec = get_game(path)
    checkpoint = Checkpoint("run/policy.zip", {"game": spec.name, "path": spec.path, "description": spec.digest})
    assert before[0].differences(stored[0]) == before[1].differences(stored[1]) == []
    checkpoint.check_description(checkpoint.trained_game)
    Path(path).write_text(KUHN.replace("Kuhn", "My"))
    after = settings_for(path, ["random", "random:choices=yes"]), statistics_settings(path, random_only=True)
    assert after[0].differences(stored[0]) == ["another description of kuhn.rcy"]
    assert after[1].differences(stored[1]) == ["other rules of the game"]
    check_refused("was begun with another description of kuhn.rcy", checkpoint.check_description, checkpoint.trained_game)


def test_a_policy_plays_no_other_description_of_its_game(path: str) -> None:
    player = policy.make(path, "random")
    Path(path).write_text(KUHN.replace("Kuhn", "My"))
    check_refused("the policy 'random' plays another description of kuhn.rcy", policy.make, path, player)


@pytest.mark.slow
def test_lines_of_games_whose_names_have_blanks(path: str) -> None:
    """And of those that would begin a remark."""
    Path("#1 kuhn%.rcy").write_text(KUHN)
    spec = get_game("#1 kuhn%.rcy")
    line = spec.text(spec.deal(3)[0])
    assert line.startswith("%231%20kuhn%25.rcy chance=")
    assert spec.text(spec.parse(line)[0]) == line
    [deal] = parse_record(line)
    assert deal.game is spec


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
def test_commands_take_files_of_other_folders(path: str, capsys: pytest.CaptureFixture[str], workers: str) -> None:
    """Tournaments in processes of their own, training and its files, and reviews find the game again."""
    Path("sub").mkdir()
    file = Path(path).rename("sub/elsewhere.rcy")
    words = ["random", "ismcts:simulations=5", "--deals", "4", "--workers", workers, "--out", "t", "--json"]
    assert main(["tournament", str(file), *words]) == 0
    assert main(["recycle", "stats", str(file), "--games", "2", "--workers", workers, "--out", "s", "--json"]) == 0
    assert main(["train", str(file), "--steps", "32768", "--out", "r", "--eval-deals", "20", "--quiet"]) == 0
    assert "cardenvs match sub/elsewhere.rcy r/policy.zip random" in " ".join(capsys.readouterr().err.split())
    assert main(["export", "r/policy.zip", "p.safetensors"]) == 0
    assert main(["match", str(file), "p.safetensors", "r/policy.zip", "--deals", "3", "--record", "sub/r.txt"]) == 0
    assert main(["review", "sub/r.txt", "--worlds", "2"]) == 0
    assert main(["match", "kuhn-poker", "p.safetensors", "random"]) == 2
    assert "plays elsewhere.rcy, not kuhn-poker" in capsys.readouterr().err
    file.write_text(KUHN.replace("Kuhn", "My"))
    assert main(["tournament", str(file), *words]) == 2
    assert main(["train", str(file), "--steps", "65536", "--out", "r", "--resume", "--quiet"]) == 2
    assert capsys.readouterr().err.count("another description of elsewhere.rcy") == 2


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
    for command in (("recycle", "check", path), ("match", path, "random", "random")):
        command_line.check_refused(capsys, wrong, *command)


STUCK = """(game
 (setup (create players 2) (create deck (game iloc STOCK) (deck (RANK (ONE, TWO)))))
 (stage player (end (== (size (game iloc STOCK)) 5))
  (choice ((any (game iloc STOCK) 'C (move 'C (top ((current player) iloc HAND)))))))
 (scoring max (size ((current player) iloc HAND))))"""


@pytest.mark.slow
def test_batches_of_files_with_any_name_stop_at_such_a_choice(path: str) -> None:
    for name in (path, "\\x 'two' \"three\".rcy", "\\x 'two' \"three\" \\N{no}\\.rcy"):
        Path(name).write_text(STUCK)
        batch = Batch(name, 1, seed=1)
        assert batch.spec.name == name
        batch.step(batch.action_masks.argmax(1))
        with pytest.raises(RecycleError, match=re.escape(f"{name}:4:3: nobody can do anything at this choice; cards lie ")):
            batch.step(batch.action_masks.argmax(1))


def looks(wrong: str, then: Callable[[int], object], times: int = 1) -> Callable[..., None]:
    """A judge that looks once or more in a game, and does something with the game's number behind each look."""

    def judge(spec: GameSpec, seed: int, count: audit.Count) -> None:
        for _ in range(times):
            count.record_look(wrong, 0, lambda: "a deal")
            then(seed)

    return judge


QUICK, ENDLESS = looks("", lambda game: None), looks("", lambda game: time.sleep(0.001), 1_000_000)


@pytest.mark.parametrize(
    ("judge", "asked", "status", "ended"),
    [
        (QUICK, ["3"], 0, "games"),
        (looks("wrong", lambda game: None), ["3"], 1, "games"),
        (looks("", lambda game: time.sleep(60)), ["1", "--seconds", "0.3"], 0, "time"),  # within one position
        (ENDLESS, ["--seconds", "0.3"], 0, "time"),
        (looks("wrong", lambda game: game == 2 and (_thread.interrupt_main(), time.sleep(9))), ["9"], 130, "interrupted"),
    ],
)
def test_judges_keep_to_their_time_and_tell_what_they_have(
    path: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, judge: object, asked: list[str],
    status: int, ended: str,
) -> None:  # fmt: skip
    monkeypatch.setattr(
        "cardenvs.commands.check._JUDGES", {"false": judge, "secrets": ENDLESS if ended == "time" else QUICK}
    )
    began = time.monotonic()
    assert main(["recycle", "check", path, "--play", *asked, "--json"]) == status
    told, said = capsys.readouterr()
    figures = json.loads(told)
    assert time.monotonic() - began < 20 and "kuhn.rcy: plays for at most" in said
    assert figures["played"]["ended"] == ended and figures["played"]["games"] == {"games": 3, "time": 0}.get(ended, 2)
    assert min(figures["looked"].values()) >= 1 and bool(figures["false"]) == (status != 0)
    assert main(["recycle", "check", path, "--play", *asked]) == status
    last = capsys.readouterr().out.splitlines()[-1]
    assert ("what was looked at so far" in last) == (ended != "games")


def test_what_stops_a_judge_is_told(path: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def judge(spec: GameSpec, seed: int, count: audit.Count) -> None:
        raise RecycleError("nobody can do anything", Position(4, 3), "kuhn.rcy")

    monkeypatch.setattr("cardenvs.commands.check._JUDGES", {"false": judge, "secrets": ENDLESS})
    assert main(["recycle", "check", path, "--play", "2"]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == "cardenvs: kuhn.rcy:4:3: nobody can do anything"


def test_what_is_right_is_told(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recycle", "check", path]) == 0
    assert capsys.readouterr().out == "kuhn.rcy: a game for 2 with 3 cards and 4 actions\n"
    assert main(["recycle", "check", path, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["actions"] == 4
    assert main(["recycle", "check", path, "--actions", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["alternatives"]
    assert len({action for one in listed for action in one["actions"]}) == 4 and not any(one["in_parts"] for one in listed)
    assert main(["recycle", "check", path, "--actions"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + len(listed)
    assert main(["recycle", "check", "nothing.rcy"]) == 2
    assert "nothing.rcy:1:1: the file cannot be read" in capsys.readouterr().err

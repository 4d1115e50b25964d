"""What all commands of studies have in common: JSON, reports, folders in which they go on, workers, refusals."""

import importlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cardenvs.baselines.match import play_match
from cardenvs.cli import main
from cardenvs.contract.registry import get_game
from tests.helpers.paths import ROOT
from tests.helpers.reports import strict_json, untimed
from tests.naive.taking import Keep, slow_count

pytestmark = pytest.mark.compiled


@dataclass(frozen=True)
class Study:
    """A command, the keys of its JSON, options with which its folder is refused, and what that says."""

    words: str
    keys: str
    another: str
    refusal: str
    folders: bool = True


STUDIES = {
    "tournament": Study(
        "tournament euchre coop-high-low high-low random --deals 60 --seed 5",
        "game protocol policies deals games options seed standings pairings regularised misfit cycles first_seat",
        "--deals 61 -o target=7", "the tournament in {out} was begun with deals 60, not 61; target 10, not 7",
    ),
    "cross-play": Study(
        "crossplay euchre high-low coop-high-low --deals 40 --seed 3 --costs",
        "game policies opponents deals options seed cells gap groups between best_partners points points_ci95",
        "--seed 4", "the cross-play in {out} was begun with seed 3, not 4",
    ),
    "ad-hoc": Study(
        "adhoc euchre high-low --deals 20 --seed 0",
        "game partners standard opponents deals options seed scores",
        "--against low", "the benchmark in {out} was begun with the opponents hybrid, not low",
    ),
    "suite": Study(
        "adhoc euchre high-low --suite 1 --deals 10",
        "game suite checksum partners opponents deals options seed scores",
        "--deals 11", "the suite in {out} was begun with deals 10, not 11",
    ),
    "judgement": Study(
        "judge euchre low high-low --reference coop-high-low --deals 12 --worlds 4 --seed 1",
        "game options judge whole_side until policies",
        "--worlds 6", "the judgement in {out} was begun with worlds 4, not 6",
    ),
    "making a suite": Study(
        "suite euchre --partners high-low,random --number 1 --deals 20 --seed 0",
        "suite game description options opponents seed deals bound_seed partners",
        "--seed 2", "was begun with seed 4294967296, not 4294967298",
    ),
    "statistics": Study(
        "recycle stats euchre --games 30 --seed 1",
        "game seats random one_ai all_ai order fairness convergence spread drama security",
        "--games 31", "the statistics in {out} was begun with games 30, not 31",
    ),
    "evaluate": Study(
        "evaluate euchre low --against high,random --deals 300 --seed 2",
        "game policy protocol options seed precision results standard_caller self_check",
        "", "", folders=False,
    ),
    "partner's trick": Study(
        "partners-trick euchre high-low coop-high-low --against hybrid --deals 60 --seed 2",
        "game policies opponents deals options seed pairings",
        "--against random", "the taking in {out} was begun with the opponents hybrid, not hybrid, random",
    ),
}  # fmt: skip
"""The commands that keep what is finished in a folder, and `evaluate`, which does not; the last is the tutorial's."""
IN_FOLDERS = [name for name, study in STUDIES.items() if study.folders]
WITH_WORKERS = [STUDIES[name] for name in ("tournament", "partner's trick")]
"""Studies that two processes share in the quick tests: one in a folder, and the one of a script."""


@pytest.fixture(autouse=True, scope="module")
def _example() -> Iterator[None]:
    """The folder of the tutorial's study is one that worker processes import from, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "examples"))
        yield


def call(words: list[str]) -> int:
    """Runs a command, that of the tutorial from its file."""
    if words[0] != "partners-trick":
        return main(words)
    return main(words[1:], importlib.import_module("partners_trick").command, "python partners_trick.py")


@dataclass(frozen=True)
class Run:
    """A study that one worker has played: its name, folder, figures and report."""

    study: Study
    out: Path
    figures: dict[str, Any]
    report: str

    def words(self, out: Path, *more: str) -> list[str]:
        """The command in a folder."""
        return [*self.study.words.split(), *more, "--json", *(["--out", str(out)] if self.study.folders else [])]

    def chunks(self, out: Path) -> list[Path]:
        """The files of finished pieces in a folder."""
        return sorted(out.rglob("chunks/*.npz"))


@pytest.fixture(scope="module", params=STUDIES)
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    study, folder = STUDIES[request.param], tmp_path_factory.mktemp("study")
    with pytest.MonkeyPatch.context() as patch:
        shown: list[str] = []
        patch.setattr("cardenvs.cli.say", lambda text, **settings: shown.append(text))
        made = Run(study, folder / "out", {}, "")
        report = folder / "docs" / "it.md"
        assert call([*made.words(made.out), "--workers", "1", "--report", str(report)]) == 0
    return Run(study, folder / "out", strict_json("".join(shown)), report.read_text())


def test_json_has_its_keys_and_reports_are_written(played: Run) -> None:
    assert list(played.figures) == played.study.keys.split()
    assert played.report.startswith("# ")
    program = played.study.words.partition(" --")[0].replace("partners-trick", "python partners_trick.py")
    assert f"{program} --" in played.report
    if played.study.folders:
        assert strict_json((played.out / "results.json").read_text()) == played.figures
        assert (played.out / "report.md").read_text().startswith("# ")


@pytest.mark.parametrize("shared", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_workers_go_on_where_one_stopped(played: Run, shared: bool, tmp_path: Path, capsys: Any) -> None:
    """Half of the chunks are there, and stay as they are; what comes out is the same."""
    kept: dict[Path, int] = {}
    if played.study.folders:
        shutil.copytree(played.out, tmp_path / "out", ignore=shutil.ignore_patterns("results.json", "report.md"))
        for number, path in enumerate(played.chunks(tmp_path / "out")):
            if number % 2:
                path.unlink()
            else:
                kept[path] = path.stat().st_mtime_ns
        assert kept
    workers = "2" if shared or played.study in WITH_WORKERS else "1"
    assert call([*played.words(tmp_path / "out"), "--workers", workers]) == 0
    assert untimed(strict_json(capsys.readouterr().out)) == untimed(played.figures)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept


@pytest.mark.parametrize("played", IN_FOLDERS, indirect=True)
def test_a_second_run_plays_nothing(played: Run, capsys: pytest.CaptureFixture[str]) -> None:
    times = {path: path.stat().st_mtime_ns for path in played.chunks(played.out)}
    assert call([*played.words(played.out), "--workers", "1"]) == 0
    assert strict_json(capsys.readouterr().out) == played.figures
    assert {path: path.stat().st_mtime_ns for path in played.chunks(played.out)} == times != {}


@pytest.mark.parametrize("played", IN_FOLDERS, indirect=True)
def test_a_folder_keeps_to_its_plan(played: Run, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.read_bytes() for path in played.out.rglob("*.*")}
    assert call(played.words(played.out, *played.study.another.split())) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert (
        played.study.refusal.format(out=repr(str(played.out))) in err
        and "go on with the same settings, or give another folder with --out" in err
    )
    assert {path: path.read_bytes() for path in played.out.rglob("*.*")} == before


@pytest.mark.parametrize("name", STUDIES)
@pytest.mark.parametrize(
    ("more", "named"),
    [
        ("--workers 0", "0 is not in the range x>=1"),
        ("--cluster nonsense", "must be 'auto' or an address such as"),
        ("--out /proc/none", "/proc/none"),
        (f"--out {__file__}", "is not a folder"),
        ("--report /", "is a directory"),
        ("-o bids=3", "unknown option 'bids'"),
        ("--seed -1", "-1 is not in the range x>=0"),
        ("no-such", "no-such"),
    ],
)
def test_wrong_arguments_are_one_line(
    name: str, more: str, named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = [*STUDIES[name].words.split(), *more.split()]
    if (name, more.split()[0]) in (("evaluate", "--out"), ("evaluate", "no-such"), ("suite", "-o")):
        named = {"--out": "No such option", "no-such": "unexpected extra argument"}.get(more.split()[0], "cannot be given")
    assert call(words) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1) and named in err
    assert list(tmp_path.iterdir()) == [] or more.startswith("--cluster"), "the plan alone is kept"


# --- the tutorial's study ---


def naive_counts(game: str, policy: str, opponent: str, deals: int, seed: int) -> list[int]:
    """How often a policy took its partner's trick, and could have: from the text of each deal, by the rules."""
    keep = Keep(lambda states, owners: None)
    play_match(game, policy, opponent, deals=deals, seed=seed, observer=keep)
    done = [
        taken
        for state, owner in keep.deals
        for seat, taken in slow_count(get_game(game).text(state))["overtakes"]
        if owner[seat] == 0
    ]
    return [sum(done), len(done)]


@pytest.mark.parametrize(("game", "policies"), [("euchre", ["random", "random+low"]), ("whist", ["random"])])
def test_tricks_are_counted_as_a_slow_count_does(
    game: str, policies: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["partners-trick", game, *policies, "--against", "low", "--deals", "30", "--seed", "7", "--workers", "1"]
    assert call([*words, "--out", str(tmp_path), "--json"]) == 0
    for row, policy in zip(strict_json(capsys.readouterr().out)["pairings"], policies, strict=True):
        assert [row["taken"], row["chances"]] == naive_counts(game, policy, "low", 30, 7)
        assert 0 < row["rate"] == row["taken"] / row["chances"] < 1
        assert row["mean_points"] == play_match(game, policy, "low", deals=30, seed=7).points_margin.mean


def test_the_study_is_short_and_refuses_games_without_such_tricks(capsys: pytest.CaptureFixture[str]) -> None:
    assert len((ROOT / "examples" / "partners_trick.py").read_text().splitlines()) <= 150
    assert call(["partners-trick", "five-o", "random"]) == 2
    assert capsys.readouterr().err == "cardenvs: tricks of partners are counted in euchre and whist, not in five-o\n"

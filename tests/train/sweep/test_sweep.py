"""Sweeps from their files to their reports: figures, going on, workers that are lost. Trainings are tiny."""

import json
import multiprocessing
import os
import pickle
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardenvs.baselines.engine.work import Task
from cardenvs.baselines.match import play_match
from cardenvs.baselines.reports.markdown import markdown
from cardenvs.baselines.reports.terminal import text_of
from cardenvs.cli import main
from cardenvs.train.models.checkpoint import read_checkpoint
from cardenvs.train.sweep import parse_sweep, read_sweep, run_sweep, train_all
from cardenvs.train.sweep import play as trainings
from cardenvs.train.sweep.play import Standing, Trained
from tests.helpers.command_line import run
from tests.helpers.reports import PNG, strict_json

pytestmark = pytest.mark.compiled

TINY = """
game = "euchre"
seeds = [0, 1]
steps = 700
games = 8
rollout = 32
batch_size = 64
eval_deals = 10
eval_every = 2
net = [8]
options.bidding = "forced-spades"
past_share = 0.2
past_every = 1
[[variant]]
name = "one epoch"
epochs = 1
[[variant]]
name = "two | epochs"
[measure]
opponents = ["high-low", "low+high"]
deals = 20
seed = 3
reference = "one epoch"
"""
STEPS = 3 * 8 * 32  # whole iterations


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A sweep by its command, in this process: the folder of its file and the figures."""
    root = tmp_path_factory.mktemp("sweep")
    (root / "tiny.toml").write_text(TINY)
    words = ["sweep", str(root / "tiny.toml"), "--out", str(root / "out"), "--workers", "1"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cardenvs.train.curve.can_draw", lambda: False)  # most of the time of so small a training
        assert main([*words, "--report", str(root / "docs" / "tiny.md"), "--plot", str(root / "plot.png")]) == 0
    return root, strict_json((root / "out" / "results.json").read_text())


def weights(out: Path, figures: dict[str, Any]) -> dict[str, np.ndarray]:
    """The weights of all policies, by the paths of their checkpoints."""
    found = {}
    for path in (path for variant in figures["variants"] for path in variant["policies"]):
        found |= {f"{path} {name}": array for name, array in read_checkpoint(out / path).read_weights().items()}
    return found


def assert_same(one: dict[str, np.ndarray], two: dict[str, np.ndarray]) -> None:
    """The same weights to the bit."""
    assert one.keys() == two.keys()
    assert all(np.array_equal(array, two[name]) for name, array in one.items())


# --- figures and reports ---


def test_figures_are_those_of_matches(done: tuple[Path, dict[str, Any]]) -> None:
    root, figures = done
    assert [variant["name"] for variant in figures["variants"]] == ["one epoch", "two | epochs"]
    assert [variant["differences"] for variant in figures["variants"]] == [[], ["epochs 2"]]
    first, second = figures["variants"]
    assert second["policies"] == ["two-epochs-seed-0/policy.zip", "two-epochs-seed-1/policy.zip"]
    assert first["against_reference"] is None

    def points(path: str, opponent: str) -> float:
        match = play_match("euchre", str(root / "out" / path), opponent, deals=20, seed=3, bidding="forced-spades")
        return match.points_margin.mean

    for variant in figures["variants"]:
        assert variant["steps"] == STEPS
        assert [[point["steps"] for point in curve] for curve in variant["curves"]] == [[0, 512, STEPS]] * 2
        for against, opponent in zip(variant["against"], ("high-low", "low+high"), strict=True):
            assert against["opponent"] == opponent
            expected = [points(path, opponent) for path in variant["policies"]]
            assert against["points"]["by_seed"] == pytest.approx(expected)
            assert against["points"]["mean"] == pytest.approx(np.mean(expected))
            low, high = against["points_ci95_deals"]
            assert low < against["points"]["mean"] < high
    direct = [
        points(path, str(root / "out" / other)) for path, other in zip(second["policies"], first["policies"], strict=True)
    ]
    assert second["against_reference"]["points"]["by_seed"] == pytest.approx(direct)
    # Student's t with one degree of freedom: 12.706 standard errors.
    half = 12.7062 * abs(direct[0] - direct[1]) / 2
    low, high = second["against_reference"]["points"]["ci95"]
    assert (high - low) / 2 == pytest.approx(half, rel=1e-4)


def test_reports_are_written(done: tuple[Path, dict[str, Any]]) -> None:
    root, figures = done
    assert json.loads((root / "docs" / "tiny.json").read_text()) == figures
    assert (root / "plot.png").read_bytes().startswith(PNG)
    for text, picture in ((root / "out" / "report.md", "sweep.png"), (root / "docs" / "tiny.md", "tiny_sweep.png")):
        report = text.read_text()
        assert f"({picture})" in report and (text.parent / picture).read_bytes().startswith(PNG)
        assert f"    cardenvs sweep {root / 'tiny.toml'}\n" in report
        assert "| one epoch | epochs 1 |\n| two &#124; epochs | epochs 2 |\n" in report
        assert "## Points above low+high" in report and "## Points above 'one epoch' of the same seed" in report


def test_one_seed_has_the_intervals_of_its_deals(done: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    root, figures = done
    (tmp_path / "one.toml").write_text(TINY.replace("[0, 1]", "[1]"))
    shutil.copytree(root / "out", tmp_path / "out", ignore=shutil.ignore_patterns("measurement"))
    result = run_sweep(tmp_path / "one.toml", tmp_path / "out", workers=1)
    against = result.variants[0].against[0]
    assert against.points.ci95 is None
    assert against.points.by_seed == figures["variants"][0]["against"][0]["points"]["by_seed"][1:]
    policy = str(tmp_path / "out" / result.variants[0].policies[0])
    match = play_match("euchre", policy, "high-low", deals=20, seed=3, bidding="forced-spades")
    assert against.points_ci95_deals == pytest.approx(match.points_margin.ci95)
    document = result.document("cardenvs sweep one")
    text = markdown(document, {"sweep": None})
    assert "95% intervals are over deals" in text and "each seed" not in text
    assert "## Variants" in text
    grid = parse_sweep("game = 'euchre'\ngrid.epochs = [1, 2]\ngrid.lr = [0.1, 0.2]", "grid").sweep
    assert all(each in variant.name for variant in grid.variants for each in grid.differences(variant)), "said by the names"
    points = f"{match.points_margin.mean:+.3f} ±{match.points_margin.half_width:.3f}"
    assert points in text
    lines = text_of(document, width=80).splitlines()
    rows = [line for line in lines if line.startswith("│")]
    assert len(rows) == 2 * 3 and points in rows[0], "a table for each opponent and for the reference"
    assert all("two | epochs" in row for row in rows[1::2]) and max(map(len, lines)) <= 80


# --- policies that are not there ---


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[measure]", 'start = "runs/none.zip"\n[measure]', "two | epochs: no policy file 'runs/none.zip'"),
        ("[measure]", 'others = ["low", "runs/none.zip"]\n[measure]', "two | epochs: no policy file 'runs/none.zip'"),
        ('"low+high"', '"exec:no"', "the opponent 'exec:no' cannot play: the program 'no' cannot be started"),
    ],
)
def test_a_policy_that_is_needed_is_missed_before_anything_is_trained(
    old: str, new: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "tiny.toml").write_text(TINY.replace(old, new))
    status, out, err = run(capsys, "sweep", str(tmp_path / "tiny.toml"), "--out", str(tmp_path / "out"), "--workers", "1")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err
    assert not list(tmp_path.rglob("*.zip"))


def test_what_a_training_began_with_is_not_missed_later() -> None:
    text = TINY.replace(
        'name = "two | epochs"', 'name = "two | epochs"\nstart = "runs/none.zip"\nothers = ["runs/gone.zip"]'
    )
    runs = parse_sweep(text, "tiny").sweep.runs
    with pytest.raises(ValueError, match=r"two . epochs: no policy file 'runs/gone.zip'"):
        trainings.find_teachers(runs, [0, 0, 700, 9])
    trainings.find_teachers(runs, [0, 0, 700, 700])
    begun = parse_sweep(text.replace('others = ["runs/gone.zip"]', ""), "tiny").sweep.runs
    trainings.find_teachers(begun, [0, 0, 9, 9])
    with pytest.raises(ValueError, match=r"two . epochs: no policy file 'runs/none.zip'"):
        trainings.find_teachers(begun, [0, 0, 9, 0])


def test_a_measurement_that_was_forfeited_as_a_whole_is_told_in_a_line(
    done: tuple[Path, dict[str, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All is trained, so that nobody is tried before; then the only opponent is gone."""
    root, _ = done
    toml = TINY.replace('["high-low", "low+high"]', '["exec:nothere"]').replace('reference = "one epoch"', "")
    (tmp_path / "tiny.toml").write_text(toml)
    shutil.copytree(root / "out", tmp_path / "out", ignore=shutil.ignore_patterns("measurement"))
    words = ["sweep", str(tmp_path / "tiny.toml"), "--out", str(tmp_path / "out"), "--workers", "1"]
    for _ in range(2):  # the second time the forfeits are on record
        status, out, err = run(capsys, *words)
        assert (status, out) == (2, "") and "Traceback" not in err
        assert "too much of the measurement was forfeited for results, first" in err.splitlines()[-1]
        assert "'nothere' cannot be started" in err and "forfeits.json" in err


# --- going on ---


def test_what_is_finished_is_used_again(done: tuple[Path, dict[str, Any]], capsys: pytest.CaptureFixture[str]) -> None:
    root, figures = done
    before = {path: path.read_bytes() for path in (root / "out").rglob("*.zip")}
    words = ["sweep", str(root / "tiny.toml"), "--out", str(root / "out"), "--workers", "1"]
    status, out, err = run(capsys, *words, "--json")
    assert (status, strict_json(out)) == (0, figures)
    assert err.count("trained before") == 4
    assert {path: path.read_bytes() for path in before} == before
    (root / "other.toml").write_text(TINY.replace("net = [8]", "net = [9]"))
    status, _, err = run(capsys, "sweep", str(root / "other.toml"), *words[2:])
    assert (status, err.count("\n")) == (2, 1)
    assert "has other settings: net: [8], not [9]" in err


def test_a_sweep_that_has_grown_keeps_its_trainings(
    done: tuple[Path, dict[str, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It says that the folder of the measurement is to be deleted, and that alone; then all is measured anew."""
    root, figures = done
    shutil.copytree(root / "out", tmp_path / "out")
    (tmp_path / "tiny.toml").write_text(TINY.replace("seeds = [0, 1]", "seeds = [1]"))
    words = ["sweep", str(tmp_path / "tiny.toml"), "--out", str(tmp_path / "out"), "--workers", "1", "--json"]
    status, out, err = run(capsys, *words)
    assert (status, out) == (2, "")
    folder = tmp_path / "out" / "measurement"
    assert f"the measurement in {str(folder)!r} was begun with the policies" in err
    assert "or delete that folder, and all is measured anew: what is trained stays" in err and "--out" not in err
    shutil.rmtree(folder)
    status, out, err = run(capsys, *words)
    assert status == 0 and err.count("trained before") == 2
    seeds = [variant["against"][0]["points"]["by_seed"] for variant in strict_json(out)["variants"]]
    assert seeds == [variant["against"][0]["points"]["by_seed"][1:] for variant in figures["variants"]]


def test_interrupted_and_cut_up_it_comes_to_the_same(
    done: tuple[Path, dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Cut after every iteration, interrupted in the middle of the first training and between others."""
    root, figures = done
    monkeypatch.setattr(trainings, "SLICE_SECONDS", 0.0)
    monkeypatch.setattr("cardenvs.train.curve.can_draw", lambda: False)  # most of the time of a slice
    told = _Told([2, 3])
    monkeypatch.setattr("cardenvs.train.sweep.play.train_all", told.train_all)
    words = ["sweep", str(root / "tiny.toml"), "--out", str(tmp_path), "--workers", "1"]
    status, _, err = run(capsys, *words)
    assert status == 130 and "interrupted after 512 of 2800 moves" in err
    assert f"to go on: cardenvs sweep {root / 'tiny.toml'} --out {tmp_path} --workers 1" in err
    status, _, err = run(capsys, *words)
    assert status == 130 and "interrupted after 1212 of 2800 moves" in err
    assert main(words) == 0
    assert told.slices == 12, "each of three iterations by itself, none twice"
    assert strict_json((tmp_path / "results.json").read_text()) == figures
    assert_same(weights(tmp_path, figures), weights(root / "out", figures))
    assert not [path for path in tmp_path.rglob(".*") if path.is_file()]


class _Told:
    """Trainings whose progress interrupts them.

    Args:
        stops: after how many slices of the first session, of the second, and so on, they are interrupted.
    """

    def __init__(self, stops: list[int]) -> None:
        self.stops = stops
        self.slices = 0

    def train_all(self, *arguments: Any, progress: Callable[[Trained], None], **settings: Any) -> None:
        left = self.stops.pop(0) if self.stops else None

        def tell(trained: Trained) -> None:
            nonlocal left
            progress(trained)
            if trained.latest is not None:
                self.slices += 1
                left = None if left is None else left - 1
                if left == 0:
                    raise KeyboardInterrupt

        train_all(*arguments, progress=tell, **settings)


def test_a_checkpoint_travels_with_its_task(tmp_path: Path) -> None:
    path = tmp_path / "policy.zip"
    for content in (b"", b"first", b"second"):
        if content:
            path.write_bytes(content)
        task = Task(Standing(7, path), 0, 1)
        sent = pickle.loads(pickle.dumps(task))
        path.unlink(missing_ok=True)
        assert sent.of.checkpoint() == content, "wherever the file is by then"
        assert sent == task and hash(sent.of) == hash(task.of)
        path.write_bytes(b"something else")
        assert sent.of.checkpoint() == content


@pytest.mark.slow
def test_with_workers_of_which_one_is_lost_it_comes_to_the_same(
    done: tuple[Path, dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    root, figures = done
    monkeypatch.setattr(trainings, "SLICE_SECONDS", 0.0)
    sweep = read_sweep(str(root / "tiny.toml")).sweep
    killed = []

    def kill(trained: Trained) -> None:
        if sum(trained.steps) > 3 * 256 and not killed:
            killed.append(multiprocessing.active_children()[0].pid)
            os.kill(killed[0], signal.SIGKILL)

    train_all(sweep, tmp_path, workers=2, progress=kill)
    assert killed and "a worker of the sweep, process" in capfd.readouterr().err
    assert_same(weights(tmp_path, figures), weights(root / "out", figures))
    assert main(["sweep", str(root / "tiny.toml"), "--out", str(tmp_path), "--workers", "2"]) == 0
    assert strict_json((tmp_path / "results.json").read_text()) == figures


@pytest.mark.slow
def test_on_a_cluster_it_comes_to_the_same(done: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    root, figures = done
    sweep = read_sweep(str(root / "tiny.toml")).sweep
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False})
    try:
        train_all(sweep, tmp_path, cluster=made.address)
    finally:
        made.shutdown()
    assert_same(weights(tmp_path, figures), weights(root / "out", figures))

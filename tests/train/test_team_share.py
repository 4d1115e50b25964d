"""The experiment on team_share: what is trained, what is measured, going on, wrong input. Trainings are tiny."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardenvs.baselines import CooperationObserver, play_match
from cardenvs.cli import main
from cardenvs.train import Training
from cardenvs.train.sweep import estimate, parse_sweep
from cardenvs.train.sweep.settings import Measure
from cardenvs.train.sweep.team_share import experiment_of, measure_all, team_share_sweep
from tests.helpers.reports import strict_json

pytestmark = pytest.mark.compiled

SMALL: dict[str, Any] = {
    "steps": 200, "games": 8, "rollout": 16, "batch_size": 64, "net": (8,), "eval_deals": 4, "threads": 1,
}  # fmt: skip
ARGUMENTS = [
    "experiment", "team-share", "--bidding", "forced-spades", "--share", "0", "--share", "1", "--seeds", "2", "--deals",
    "12", "--seed", "4", "--workers", "1", "--steps", "200", "--train", "games=8", "--train", "rollout=16", "--train",
    "batch-size=64", "--train", "net=8", "--train", "eval-deals=4", "--train", "threads=1",
]  # fmt: skip
EXPERIMENT = team_share_sweep(["forced-spades"], [0.0, 1.0], [0, 1], SMALL, Measure(("hybrid",), 12, 4))


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The experiment by its command, one run of it begun before and left: the folder and the figures."""
    root = tmp_path_factory.mktemp("experiment")
    out = root / "runs"
    begun = EXPERIMENT.runs[2]
    Training(begun.config, (out / begun.policy).parent)
    assert main([*ARGUMENTS, "--out", str(out), "--report", str(root / "docs" / "share.md")]) == 0
    return root, strict_json((out / "results.json").read_text())


def test_runs_differ_in_the_share_and_the_seed_only(done: tuple[Path, dict[str, Any]]) -> None:
    from cardenvs.train.models.checkpoint import read_checkpoint

    root, figures = done
    (variant,) = figures["variants"]
    assert [share["team_share"] for share in variant["shares"]] == [0, 1]
    records = {}
    for share in variant["shares"]:
        for seed, path in enumerate(share["policies"]):
            assert path == str(
                root / "runs" / "forced-spades" / f"share-{share['team_share']:g}-seed-{seed}" / "policy.zip"
            )
            record = read_checkpoint(path).record
            assert record["steps"] == 256, "two whole iterations, also where the run was begun before"
            config = record["config"]
            assert (config.pop("team_share"), config.pop("seed")) == (share["team_share"], seed)
            assert config["options"]["bidding"] == "forced-spades"
            assert config["reward"] == "points"
            records[share["team_share"], seed] = config
    assert len(records) == 4
    assert all(config == records[0, 0] for config in records.values())
    assert figures["settings"]["training"]["games"] == 8


def test_figures_are_those_of_matches(done: tuple[Path, dict[str, Any]]) -> None:
    _, figures = done
    (variant,) = figures["variants"]
    for share in variant["shares"]:
        points = []
        for seed, path in enumerate(share["policies"]):
            observer = CooperationObserver("euchre")
            match = play_match("euchre", path, "hybrid", deals=12, seed=4, observer=observer, bidding="forced-spades")
            points.append(match.points_margin.mean)
            for name, metric in observer.result().metrics.items():
                assert share["rates"][name]["by_seed"][seed] == pytest.approx(metric.rate[0])
                assert share["points_lost"][name]["by_seed"][seed] == pytest.approx(metric.points_lost_per_deal[0])
        assert share["points"]["by_seed"] == pytest.approx(points)
        assert share["points"]["mean"] == pytest.approx(np.mean(points))
        # Student's t with one degree of freedom: 12.706 standard errors.
        half = 12.7062 * abs(points[0] - points[1]) / 2
        assert share["points"]["ci95"] == pytest.approx([np.mean(points) - half, np.mean(points) + half], rel=1e-4)
        low, high = share["points_ci95_deals"]
        assert low < share["points"]["mean"] < high
        first, second = share["policies"]
        orders = [
            play_match("euchre", f"{a}+{b}", "hybrid", deals=12, seed=4, bidding="forced-spades").points_margin.mean
            for a, b in ((first, second), (second, first))
        ]
        assert share["cross_play"] == pytest.approx(np.mean(orders))
    own, team = variant["shares"]
    assert team["against_team"] is None
    assert own["against_team"]["by_seed"] == pytest.approx(np.subtract(own["points"]["by_seed"], team["points"]["by_seed"]))
    assert [group["name"] for group in variant["crossplay"]["groups"]] == ["team_share 0", "team_share 1"]


def test_reports_are_written(done: tuple[Path, dict[str, Any]]) -> None:
    root, figures = done
    assert json.loads((root / "docs" / "share.json").read_text()) == figures
    for text, picture in ((root / "runs" / "report.md", "team_share.png"), (root / "docs" / "share.md", "share.png")):
        lines = text.read_text().splitlines()
        assert f"![Points, cooperation and cross-play]({picture})" in lines
        assert (text.parent / picture).read_bytes().startswith(b"\x89PNG")
        (command,) = (line for line in lines if line.startswith("    cardenvs experiment team-share "))
        assert "--share 0 --share 1 --seeds 2 --train steps=200" in command
        assert "--train net=8 " in command
        assert "runs" not in command


def test_an_interruption_is_passed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One in training ends the command with 130, and nothing is measured; one while measuring gives no result."""

    def stopped(*arguments: Any, **settings: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("cardenvs.train.sweep.play.train_all", stopped)
    assert main([*ARGUMENTS, "--out", str(tmp_path / "runs")]) == 130
    said = capsys.readouterr().err
    assert "interrupted after 0 of 800 moves" in said
    assert "to go on: cardenvs experiment team-share --bidding forced-spades --share 0 --share 1" in said
    assert not list(tmp_path.rglob("results.json"))


def test_measuring_can_be_interrupted(done: tuple[Path, dict[str, Any]]) -> None:
    root, _ = done
    assert measure_all(EXPERIMENT, root / "runs", lambda settings, folder: None) is None


def test_a_sweep_in_a_file_is_the_same_experiment() -> None:
    text = """
        report = "team-share"
        game = "euchre"
        seeds = [0, 1]
        steps = 200
        games = 8
        rollout = 16
        batch_size = 64
        net = [8]
        eval_deals = 4
        options.bidding = "forced-spades"
        grid.team_share = [0, 1]
        [measure]
        opponents = ["hybrid"]
        deals = 12
        seed = 4
    """
    again = experiment_of(parse_sweep(text, "again").sweep, "again")
    assert again == EXPERIMENT
    for changed in ('game = "whist"', "grid.epochs = [1, 2]", 'reward = "win"', 'measure.reference = "team_share 0"'):
        name = changed.partition(" ")[0]
        old = {"game": 'game = "euchre"', "grid.epochs": "steps = 200", "reward": "steps = 200"}.get(name, "deals = 12")
        wrong = text.replace(old, changed if name != "measure.reference" else 'reference = "team_share 0"')
        wrong = wrong.replace('options.bidding = "forced-spades"', "") if name == "game" else wrong
        with pytest.raises(ValueError, match=r"^wrong: the report team-share is for sweeps in Euchre"):
            experiment_of(parse_sweep(wrong, "wrong").sweep, "wrong")


def test_an_estimate_leaves_out_what_nobody_could_do() -> None:
    assert estimate([None, None]).mean is None
    one = estimate([0.25, None])
    assert (one.mean, one.ci95, one.by_seed) == (0.25, None, [0.25, None])
    three = estimate([1.0, 2.0, 3.0])
    assert three.ci95 is not None
    assert three.ci95[1] - 2.0 == pytest.approx(4.3027 / np.sqrt(3), rel=1e-4)

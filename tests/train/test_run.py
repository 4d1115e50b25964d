"""Training runs: settings, resuming, checkpoints that are broken or of another kind, interruption."""

import csv
import json
import random
import resource
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from click.testing import CliRunner
from numba.core.compiler_lock import global_compiler_lock
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor

from cardenvs import get_game, policy
from cardenvs.baselines import play_match
from cardenvs.baselines.reports.columns import Row
from cardenvs.cli import main
from cardenvs.compiled.streams import seed_streams
from cardenvs.train import Config, Training, train
from cardenvs.train.command import train_command
from cardenvs.train.inference.learned import TrainedPolicy, load
from cardenvs.train.inference.symmetry import SuitSymmetry
from cardenvs.train.learning import self_play
from cardenvs.train.learning.network import FullCriticPolicy
from cardenvs.train.learning.ppo import SelfPlayPPO
from cardenvs.train.learning.vec_env import SelfPlayVecEnv
from cardenvs.train.models.checkpoint import read_checkpoint
from cardenvs.train.models.fingerprints import layout_hash
from tests.helpers.batches import positions_along

pytestmark = pytest.mark.compiled

EUCHRE = get_game("euchre")

SMALL = Config(
    "euchre", steps=6 * 16 * 32, games=16, rollout=32, batch_size=128, epochs=2, net=(16, 24), threads=1, eval_deals=20,
    eval_every=2,
)  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Row:
    """A finished small run."""
    return train(SMALL, tmp_path_factory.mktemp("run") / "whole")


def weights(path: str | Path) -> dict[str, torch.Tensor]:
    return read_checkpoint(path).read_tensors("policy")


# --- settings ---


def test_settings_survive_json() -> None:
    config = replace(SMALL, options={"bidding": "forced-spades"}, minutes=1.5)
    again = Config.from_dict(json.loads(json.dumps(config.as_dict())))
    assert again == config and not config.differences(again)
    assert config.options["episode"] == "deal" and config.reward == "points"
    assert SMALL.differences(replace(config, lr=0.5))[0].startswith("options: ")
    with pytest.raises(ValueError, match="unknown setting 'speed'"):
        Config.from_dict({**config.as_dict(), "speed": 1})


@pytest.mark.parametrize("config", ["euchre", SMALL], ids=["by name", "by settings"])
def test_an_unknown_setting_is_told_from_python(config: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"unknown setting 'minutess': .*\. Did you mean minutes\?"):
        train(config, tmp_path, minutess=1)


# --- a run and its files ---


def test_a_run_leaves_its_files(run: Row) -> None:
    folder = Path(run.out)
    assert run.steps == SMALL.steps and not run.interrupted and run.decisions_per_s > 0
    assert sorted(p.name for p in folder.iterdir()) == ["curve.csv", "curve.png", "policy.zip", "tensorboard"]
    assert (folder / "curve.png").read_bytes().startswith(b"\x89PNG")
    with (folder / "curve.csv").open() as file:
        rows = list(csv.DictReader(file))
    iteration = SMALL.iteration
    assert [int(row["steps"]) for row in rows] == [0, 2 * iteration, 4 * iteration, 6 * iteration]
    assert [float(row["mean"]) for row in rows] == pytest.approx([point.mean for point in run.curve])
    assert list((folder / "tensorboard").iterdir())
    json.dumps(run.as_dict())


def test_resumed_equals_uninterrupted(run: Row, tmp_path: Path) -> None:
    """Three iterations and three more, in one process with other random numbers drawn in between, or six at once."""
    half = replace(SMALL, steps=3 * SMALL.iteration, lr_schedule="constant", eval_every=3)
    whole = replace(half, steps=6 * SMALL.iteration)
    expected = train(whole, tmp_path / "whole")
    train(half, tmp_path / "halves")
    torch.rand(1000)
    random.seed(1)
    torch.manual_seed(77)
    resumed = train(whole, tmp_path / "halves", resume=True)
    one, two = weights(expected.policy), weights(resumed.policy)
    assert one.keys() == two.keys()
    assert all(torch.allclose(one[name], two[name], rtol=0, atol=1e-6) for name in one)
    assert [replace(p, seconds=0) for p in resumed.curve] == [replace(p, seconds=0) for p in expected.curve]
    first, second = (
        read_checkpoint(expected.policy).read_resume_arrays(),
        read_checkpoint(resumed.policy).read_resume_arrays(),
    )
    assert all((first[name] == second[name]).all() for name in first)
    # The measurements along the way must not matter either.
    other = train(replace(whole, eval_every=0, eval_deals=5), tmp_path / "unwatched")
    assert all(torch.equal(one[name], tensor) for name, tensor in weights(other.policy).items())
    assert not torch.equal(one["action_net.weight"], weights(run.policy)["action_net.weight"]), "the schedule differs"


def test_resuming_what_is_done_changes_nothing(run: Row) -> None:
    again = train(SMALL, run.out, resume=True)
    assert again.steps == run.steps and again.curve == run.curve


def test_a_folder_with_a_run_is_not_overwritten(run: Row, tmp_path: Path) -> None:
    before = Path(run.policy).read_bytes()
    with pytest.raises(ValueError, match=r"already holds a run.*resume=True, or give another out="):
        train(SMALL, run.out)
    with pytest.raises(ValueError, match=r"other settings: epochs: 2, not 3; lr: 0.002, not 0.5"):
        train(replace(SMALL, lr=0.5, epochs=3), run.out, resume=True)
    with pytest.raises(ValueError, match="steps cannot be lowered to 512"):
        train(replace(SMALL, steps=512), run.out, resume=True)
    with pytest.raises(FileNotFoundError):
        train(SMALL, tmp_path / "nothing", resume=True)
    assert Path(run.policy).read_bytes() == before


def test_minutes_begin_with_learning_and_leave_compiling_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Measuring takes as long as the run may, and so does what the first iteration compiles: it learns all the same."""
    training = Training(replace(SMALL, steps=None, minutes=0.005, eval_every=0), tmp_path / "run")
    learn, measured = SelfPlayPPO.learn, self_play.measure_policy

    def first(*args: Any, **settings: Any) -> Any:
        monkeypatch.setattr(SelfPlayPPO, "learn", learn)
        with global_compiler_lock:
            time.sleep(0.3)
        return learn(*args, **settings)

    def measure_policy(*args: Any, **settings: Any) -> Any:
        time.sleep(0.3)
        return measured(*args, **settings)

    monkeypatch.setattr(SelfPlayPPO, "learn", first)
    monkeypatch.setattr(self_play, "measure_policy", measure_policy)
    result = training.run()
    assert result.steps > SMALL.iteration
    assert result.curve[0].seconds == 0 and result.curve[-1].seconds == result.seconds >= 0.3
    assert result.decisions_per_s == pytest.approx(result.steps / result.seconds, rel=0.05)


# --- checkpoints as policies ---


def test_stable_baselines_reads_a_checkpoint(run: Row) -> None:
    for kind in (MaskablePPO, SelfPlayPPO):
        model = kind.load(run.policy)
        assert model.num_timesteps == run.steps
    env = SelfPlayVecEnv("euchre", SMALL.games, seed=0, full_state=True)
    model = SelfPlayPPO.load(run.policy, env=env)
    model.learn(SMALL.iteration, reset_num_timesteps=False)
    assert model.num_timesteps == run.steps + SMALL.iteration


def test_a_trained_policy_chooses_as_stable_baselines_does(run: Row) -> None:
    observations, masks = positions_along("euchre", 40, 25)
    symmetry = SuitSymmetry("euchre")
    canonical, canonical_masks, names = symmetry.rename_positions(observations, masks)
    expected, _ = MaskablePPO.load(run.policy).predict(canonical, deterministic=True, action_masks=canonical_masks)
    player = policy.make("euchre", run.policy)
    assert (player.act(observations, masks) == symmetry.restore_actions(expected, names)).all()
    assert player.name == run.policy
    assert not player.sample and policy.make("euchre", f"{run.policy}:sample=yes").sample
    with pytest.raises(ValueError, match=r"unknown parameter 'samples' of policy .*: its parameters are sample"):
        policy.make("euchre", f"{run.policy}:samples=yes")
    tanh = replace(SMALL, steps=SMALL.iteration, activation="tanh", net=(8,), canonical_suits=False)
    model = Training(tanh, Path(run.out).parent / "tanh").model
    expected, _ = model.predict(observations, deterministic=True, action_masks=masks)
    assert (load(EUCHRE, Path(run.out).parent / "tanh" / "policy.zip").act(observations, masks) == expected).all()


def test_sampling_follows_the_probabilities(run: Row) -> None:
    player = load(EUCHRE, run.policy, sample=True)
    observations, masks = positions_along("euchre", 1, 25)
    row = int(np.flatnonzero(masks.sum(1) == masks.sum(1).max())[0])
    n = 20_000
    rows, legal = np.repeat(observations[row : row + 1], n, 0), np.repeat(masks[row : row + 1], n, 0)
    streams = seed_streams(3, n)
    chosen = player.choose(rows, legal, streams)
    canonical, canonical_masks, names = SuitSymmetry("euchre").rename_positions(rows[:1], legal[:1])
    probabilities = player.probabilities(canonical, canonical_masks)[0]
    expected = np.zeros_like(probabilities)
    for action, probability in enumerate(probabilities):
        expected[SuitSymmetry("euchre").restore_actions(np.array([action]), names)] = probability
    counts = np.bincount(chosen, minlength=len(expected))
    assert not counts[masks[row] == 0].any() and expected[masks[row] == 0].max() == 0
    # Six standard errors: fails by chance less than once in 10^7 runs.
    assert np.abs(counts / n - expected).max() < 6 * np.sqrt(0.25 / n)
    assert (chosen == player.choose(rows, legal, seed_streams(3, n))).all()
    assert not (streams == seed_streams(3, n)).any()


def rewrite(source: str, target: Path, changes: dict[str, Callable[[bytes], bytes | None]]) -> str:
    """A copy of a zip with some members changed, or left out where the change gives None."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            content = changes[name](old.read(name)) if name in changes else old.read(name)
            if content is not None:
                new.writestr(name, content)
    return str(target)


def record(**values: Any) -> dict[str, Callable[[bytes], bytes]]:
    return {"cardenvs.json": lambda content: json.dumps({**json.loads(content), **values}).encode()}


def flip(content: bytes) -> bytes:
    """The bytes with one in the middle changed."""
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 0xFF]) + content[middle + 1 :]


def test_broken_checkpoints_are_named(run: Row, tmp_path: Path) -> None:
    content, path = Path(run.policy).read_bytes(), tmp_path / "x.zip"
    with zipfile.ZipFile(run.policy) as archive:
        start = archive.getinfo("policy.pth").header_offset + 1000
    layout = read_checkpoint(run.policy).record["layout"]
    parts = [[name, size + (name == "turned")] for name, size in layout["observation"]]
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: path.write_bytes(b""), "is no checkpoint: it is not a zip file"),
        (lambda: path.write_text("hello"), "is no checkpoint: it is not a zip file"),
        (lambda: path.write_bytes(content[: len(content) // 2]), "only the first part of one"),
        (lambda: path.write_bytes(content[:start] + b"????" + content[start + 4 :]), "is damaged: Bad CRC"),
        (lambda: rewrite(run.policy, path, {"policy.pth": lambda _: b"PK"}), "policy.pth is no state dict"),
        (lambda: rewrite(run.policy, path, {"policy.pth": lambda _: None}), "is damaged.*policy.pth"),
        (lambda: rewrite(run.policy, path, {"cardenvs.json": lambda _: None}), "that Stable-Baselines3 has saved"),
        (lambda: rewrite(run.policy, path, {"cardenvs.json": lambda _: b"{"}), "is damaged"),
        (lambda: rewrite(run.policy, path, {"cardenvs.json": lambda _: b"[]"}), "is damaged"),
        (lambda: rewrite(run.policy, path, record(format=99)), "has format 99.*reads formats up to 1"),
        (lambda: rewrite(run.policy, path, record(game="whist")), "plays whist, not euchre"),
        (
            lambda: rewrite(run.policy, path, record(layout_hash="0", layout={**layout, "observation": parts})),
            "for another observation \\(part 'turned'\\) of euchre",
        ),
        (lambda: rewrite(run.policy, path, record(layout_hash="0", layout={})), "another set of actions of euchre"),
        (lambda: rewrite(run.policy, path, record(config={})), "its settings lack 'activation'"),
        (
            lambda: rewrite(run.policy, path, record(config={"activation": "step", "canonical_suits": True})),
            "activation must be one of",
        ),
    ]
    for make, message in cases:
        make()
        with pytest.raises(ValueError, match=message) as caught:
            policy.make("euchre", str(path))
        assert str(path) in str(caught.value), message
    path.unlink()
    with pytest.raises(FileNotFoundError):
        load(EUCHRE, path)
    with pytest.raises(ValueError, match="unknown parameter 'worlds'"):
        load(EUCHRE, run.policy, worlds=3)


def test_a_broken_run_is_not_resumed(run: Row, tmp_path: Path) -> None:
    path = tmp_path / "policy.zip"
    for changes, message in (
        ({"resume.npz": lambda _: None}, "damaged"),
        ({"resume.npz": flip}, "damaged|cannot be resumed"),
        ({"policy.optimizer.pth": lambda _: b""}, "policy.optimizer.pth is no state dict"),
        (record(config={}), "settings that cannot be read"),
        (record(generator=None), "cannot be resumed"),
        (record(layout_hash="0"), "another observation"),
    ):
        rewrite(run.policy, path, changes)  # type: ignore[arg-type]
        before = path.read_bytes()
        with pytest.raises(ValueError, match=message):
            train(replace(SMALL, steps=10**6), tmp_path, resume=True)
        assert path.read_bytes() == before


def test_weights_that_do_not_fit() -> None:
    good = {
        "mlp_extractor.policy_net.0.weight": np.zeros((8, EUCHRE.observation_size), np.float32),
        "mlp_extractor.policy_net.0.bias": np.zeros(8, np.float32),
        "action_net.weight": np.zeros((EUCHRE.num_actions, 8), np.float32),
        "action_net.bias": np.zeros(EUCHRE.num_actions, np.float32),
    }
    TrainedPolicy("euchre", good)
    with pytest.raises(ValueError, match="do not fit together"):
        TrainedPolicy("euchre", {**good, "action_net.weight": np.zeros((EUCHRE.num_actions, 9), np.float32)})
    with pytest.raises(ValueError, match="give 3 actions"):
        TrainedPolicy("euchre", {**good, "action_net.weight": np.zeros((3, 8)), "action_net.bias": np.zeros(3)})
    with pytest.raises(ValueError, match="is missing"):
        TrainedPolicy("euchre", {name: w for name, w in good.items() if "action" not in name})
    with pytest.raises(ValueError, match="activation must be"):
        TrainedPolicy("euchre", good, "step")


def test_the_layout_hash_is_of_names_and_sizes() -> None:
    assert layout_hash(EUCHRE) == layout_hash(get_game("euchre"))
    assert layout_hash(EUCHRE) != layout_hash(replace(EUCHRE, actions=EUCHRE.actions[:-1]))
    assert layout_hash(EUCHRE) != layout_hash(replace(EUCHRE, parts=EUCHRE.parts[::-1]))


def test_only_its_own_environment(run: Row) -> None:
    """A wrapper around it will do; another kind will not."""
    env = SelfPlayVecEnv("euchre", SMALL.games, seed=0)
    kind: dict[str, Any] = {"policy_kwargs": {"actor_inputs": EUCHRE.observation_size}, "n_steps": 4, "batch_size": 16}
    model = SelfPlayPPO(FullCriticPolicy, VecMonitor(env), seed=0, **kind)
    model.learn(4 * SMALL.games)
    assert model.rollout_buffer.env is env  # type: ignore[attr-defined]
    other = SelfPlayVecEnv("euchre", SMALL.games, seed=1)
    model.set_env(other)
    model.learn(4 * SMALL.games)
    assert model.rollout_buffer.env is other  # type: ignore[attr-defined]
    import gymnasium

    with pytest.raises(ValueError, match="not from a DummyVecEnv"):
        SelfPlayPPO("MlpPolicy", DummyVecEnv([lambda: gymnasium.make("CartPole-v1")]))


# --- the command ---

ARGUMENTS = ["euchre", "--steps", "1024", "--games", "16", "--rollout", "32", "--net", "8", "--threads", "1"]
ARGUMENTS += ["--eval-deals", "10", "--batch-size", "128"]


def test_the_command_prints_json(tmp_path: Path) -> None:
    out = str(tmp_path / "run")
    runner = CliRunner()
    result = runner.invoke(train_command, [*ARGUMENTS, "--out", out, "--json", "-o", "bidding=forced-spades"])
    assert result.exit_code == 0, result.output
    figures = json.loads(result.stdout)
    assert figures["game"] == "euchre" and figures["steps"] == 1024 and figures["policy"] == f"{out}/policy.zip"
    assert {"out", "seconds", "decisions_per_s", "threads"} <= figures.keys()
    assert [point["steps"] for point in figures["curve"]] == [0, 1024]
    stored = read_checkpoint(figures["policy"]).record["config"]
    assert stored["options"]["bidding"] == "forced-spades" and stored["net"] == [8]
    # What the folder knows need not be said again; what is said again must agree.
    result = runner.invoke(train_command, ["euchre", "--out", out, "--resume", "--steps", "1500"])
    assert result.exit_code == 0, result.output
    assert read_checkpoint(figures["policy"]).record["steps"] == 1536
    with pytest.raises(ValueError, match="other settings: seed: 0, not 1"):
        runner.invoke(train_command, ["euchre", "--out", out, "--resume", "--seed", "1"], catch_exceptions=False)


def test_an_interrupted_run_can_be_resumed(tmp_path: Path) -> None:
    out = tmp_path / "run"
    command = [sys.executable, "-m", "cardenvs.cli", "train", *ARGUMENTS, "--out", str(out)]
    command[command.index("1024")] = "100000000"
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        deadline = time.monotonic() + 60
        while not list(out.glob("tensorboard/*")) and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130, errors
    lines = [line for line in errors.splitlines() if line.startswith("cardenvs: ")]
    assert len(lines) == 1 and f"cardenvs train euchre --out {out} --resume" in lines[0], errors
    steps = read_checkpoint(out / "policy.zip").record["steps"]
    # On a busy machine the signal can come before the first iteration.
    assert 0 <= steps < 100_000_000 and f"after {steps} moves" in lines[0]
    policy.make("euchre", str(out / "policy.zip"))
    config = Config.from_dict(read_checkpoint(out / "policy.zip").record["config"])
    training = Training(config, out, resume=True)
    assert training.steps == steps


def test_a_full_disk_loses_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "run"
    train(Config("euchre", games=16, rollout=32, net=(16, 24), threads=1, steps=512, eval_deals=5), out)
    before = (out / "policy.zip").read_bytes()
    words = ["train", "euchre", "--out", str(out), "--checkpoint-minutes", "0.0001", "--resume", "--steps", "100000000"]
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) // 2, limits[1]))  # bytes of any file
    try:
        status = main(words)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    errors = capsys.readouterr().err
    assert status == 2, errors
    lines = [line for line in errors.splitlines() if line.startswith("cardenvs: ")]
    assert len(lines) == 1 and "policy.zip" in lines[0] and "File too large" in lines[0], errors
    assert "Traceback" not in errors
    assert (out / "policy.zip").read_bytes() == before
    assert not [path for path in out.iterdir() if path.name.startswith(".")]
    config = Config.from_dict(read_checkpoint(out / "policy.zip").record["config"])
    assert train(replace(config, steps=1024), out, resume=True).steps == 1024


# --- learning ---


@pytest.mark.slow
def test_a_minute_beats_coop_high_low(tmp_path: Path) -> None:
    """One minute of self-play, one thread: at least 58% of the published protocol's games from coop-high-low."""
    result = train(
        "euchre", tmp_path, options={"bidding": "forced-spades"}, steps=None, minutes=1.0, threads=1, eval_every=0,
        imitate="monte-carlo:worlds=30", imitate_decisions=150_000, net=(256, 256),
    )  # fmt: skip
    played = play_match("euchre", result.policy, "coop-high-low", deals=4000, protocol="published", seed=1)
    assert played.win_rate.mean > 0.58, played.win_rate.ci95

"""Our loops beside those of Stable-Baselines3: what is played is what torch says, what is learned is what SB3 learns."""

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger

from cardenvs.cli import main
from cardenvs.train import Config, Training
from cardenvs.train.learning import session
from cardenvs.train.learning.buffer import SeatRolloutBuffer

pytestmark = pytest.mark.compiled

SMALL: dict[str, Any] = {
    "games": 16, "rollout": 32, "batch_size": 100, "threads": 1, "eval_deals": 5, "precision": "float32", "device": "cpu",
    "lr_schedule": "constant",
}  # fmt: skip
KINDS = [
    {"game": "euchre", "net": (24, 16)},
    {"game": "euchre", "net": (24,), "activation": "tanh", "critic": "seat", "canonical_suits": False},
    {"game": "five-o", "net": (16, 12), "network": "columns", "critic": "seat"},
]


def samples(buffer: Any, batch_size: int | None = None) -> Iterator[Any]:
    """The minibatches of decisions as SB3's loops ask a buffer for them."""
    if not buffer.generator_ready:
        chosen = np.flatnonzero((buffer.action_masks.sum(-1) > 1).swapaxes(0, 1))
        for name in ("observations", "actions", "values", "log_probs", "advantages", "returns", "action_masks"):
            setattr(buffer, name, buffer.swap_and_flatten(getattr(buffer, name))[chosen])
        buffer.generator_ready = True
    yield from map(buffer._get_samples, buffer.minibatches(batch_size))


def played(tmp_path: Path, **settings: Any) -> Any:
    """A model that has played a rollout, with logits far enough apart to tell actions."""
    model: Any = Training(Config(**(SMALL | settings)), tmp_path / "run").model
    with torch.no_grad():
        model.policy.action_net.weight.mul_(100)
    model.set_logger(Logger(None, []))
    _, callback = model._setup_learn(SMALL["games"] * SMALL["rollout"], None)
    model.collect_rollouts(model.env, callback, model.rollout_buffer, model.n_steps)
    return model


@pytest.mark.parametrize("settings", KINDS)
@pytest.mark.parametrize("threads", [1, 2])
def test_a_rollout_holds_what_torch_computes(settings: dict[str, Any], threads: int, tmp_path: Path) -> None:
    model = played(tmp_path, **settings, threads=threads)
    buffer: SeatRolloutBuffer = model.rollout_buffer
    n = buffer.buffer_size * buffer.n_envs
    masks = buffer.action_masks.reshape(n, -1)
    actions = buffer.actions.reshape(n)
    assert masks[np.arange(n), actions].all()
    with torch.no_grad():
        values, log_probs, _ = model.policy.evaluate_actions(
            torch.from_numpy(buffer.observations.reshape(n, -1)), torch.from_numpy(actions), action_masks=masks
        )
    np.testing.assert_allclose(buffer.values.reshape(n), values.numpy().ravel(), rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(buffer.log_probs.reshape(n), log_probs.numpy(), rtol=1e-3, atol=1e-4)
    assert buffer.log_probs.min() < -1, "not every choice is the likeliest"


@pytest.mark.parametrize("settings", KINDS)
@pytest.mark.parametrize("threads", [1, 2])
def test_learning_is_stable_baselines_learning(
    settings: dict[str, Any], threads: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SeatRolloutBuffer, "get", samples)
    model = played(tmp_path, **settings, threads=threads)
    start = copy.deepcopy(model.policy.state_dict())
    told, weights = [], []
    for train in (type(model).train, MaskablePPO.train):
        model.policy.load_state_dict(start)
        model.policy.optimizer.state.clear()
        model.generator.bit_generator.state = np.random.default_rng(1).bit_generator.state
        model.set_logger(Logger(None, []))
        train(model)
        told.append(dict(model.logger.name_to_value))
        weights.append(copy.deepcopy(model.policy.state_dict()))
    assert told[0].keys() == told[1].keys()
    updates = [figures.pop("train/n_updates") for figures in told]
    assert updates == [2, 4]
    for name, value in told[1].items():
        assert told[0][name] == pytest.approx(value, rel=2e-3, abs=1e-4), name
    assert told[1]["train/approx_kl"] > 1e-5, "it has learned something"
    for name, theirs in weights[1].items():
        if settings["game"] == "five-o" and name == "action_net.bias":
            continue  # common to all columns, so that its gradient is nothing but rounding
        moved = (theirs - start[name]).abs().max()
        assert moved > 0 and (weights[0][name] - theirs).abs().max() < 0.05 * moved, name


def test_devices(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert session.chosen_device("auto").type == session.chosen_device("cpu").type == "cpu"
    assert main(["train", "euchre", "--device", "cuda", "--out", str(tmp_path / "run")]) == 2
    error = capsys.readouterr().err
    assert "device cannot be 'cuda'" in error and error.count("\n") == 1
    assert not (tmp_path / "run").exists()
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert session.chosen_device("auto").type == session.chosen_device("cuda").type == "cuda"
    assert session.chosen_device("cpu").type == "cpu"


def test_precisions(monkeypatch: pytest.MonkeyPatch) -> None:
    cpu = torch.device("cpu")
    assert session.multiplies_bfloat16(cpu, "bfloat16") and not session.multiplies_bfloat16(cpu, "float32")
    for able, wanted in (({"avx512_bf16": True}, True), ({"amx_bf16": True}, True), ({"avx2": True}, False)):
        monkeypatch.setattr(torch.cpu, "get_capabilities", lambda able=able: able, raising=False)
        assert session.multiplies_bfloat16(cpu, "auto") == wanted
    monkeypatch.delattr(torch.cpu, "get_capabilities")
    assert not session.multiplies_bfloat16(cpu, "auto")


def test_a_run_goes_on_on_another_device(tmp_path: Path) -> None:
    Training(Config("euchre", **(SMALL | {"steps": 512, "net": (8,)})), tmp_path).run()
    settings = SMALL | {"steps": 1024, "net": (8,), "device": "auto", "precision": "bfloat16"}
    training = Training(Config("euchre", **settings), tmp_path, resume=True)
    assert training.model.bfloat16
    result = training.run()
    assert result.steps == 1024 and result.device == training.model.device.type

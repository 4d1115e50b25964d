"""The scripts in examples/, run for a few deals with the libraries that they are for. Missing libraries skip their test."""

import ast
import importlib.util
import json
import re
import subprocess
import sys

import pytest

from tests.helpers.paths import ROOT, load_script

EXAMPLES = ROOT / "examples"
SCRIPTS = {"torchrl": "torchrl_euchre.py", "tianshou": "tianshou_euchre.py", "ray.rllib": "rllib_euchre.py"}
NUMBER = r"([+-]\d\.\d{3})"
MATCH = rf"training: {NUMBER} points a deal against [\w-]+ \(95%: {NUMBER} to {NUMBER}\)"

BESIDE = {"ray.rllib": "tree"}
"""What comes with a library alone: Ray is here for clusters, too, without what RLlib needs."""


def require(library: str) -> None:
    """Skips without the library; does not import it, which takes seconds."""
    if importlib.util.find_spec(BESIDE.get(library, library)) is None:
        pytest.skip(f"{library} is not installed: examples/README.md says how to install it")


@pytest.mark.slow
@pytest.mark.parametrize("library", SCRIPTS)
def test_example_trains_on_legal_actions(library):
    """The script counts an illegal action as an error, and so does the environment that it trains in."""
    require(library)
    command = [sys.executable, str(EXAMPLES / SCRIPTS[library]), "--steps", "256", "--deals", "20", "--against", "random"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert run.returncode == 0, run.stderr[-2000:]
    told = re.search(r"trained on (\d+) deals; (\d+) actions sampled, 0 illegal; (\d\.\d\d) points a deal won", run.stdout)
    assert told, run.stdout
    deals, actions, points = int(told[1]), int(told[2]), float(told[3])
    assert deals >= 10
    assert actions >= max(256, 20 * deals)  # twenty cards are played in a deal with four hands of five
    assert 1.0 <= points <= 2.0  # without lone hands a deal brings one point or two
    matches = re.findall(f"(before|after) {MATCH}", run.stdout)
    assert [when for when, *_ in matches] == ["before", "after"]
    for _, mean, low, high in matches:
        assert -2.0 <= float(low) <= float(mean) <= float(high) <= 2.0


@pytest.mark.compiled
def test_the_notebook_runs(monkeypatch, tmp_path):
    """Its code cells, one after the other, with a rollout or two; nothing is stored of what they show."""
    for module in ("sb3_contrib", "PIL", "pygame"):
        require(module)
    monkeypatch.chdir(tmp_path)
    book = json.loads((EXAMPLES / "first_steps.ipynb").read_text("utf-8"))
    assert (book["nbformat"], len({cell["id"] for cell in book["cells"]})) == (4, len(book["cells"]))
    names, shown = {"__name__": "__main__"}, []
    for cell in book["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None
            *statements, last = ast.parse("".join(cell["source"])).body
            exec(compile(ast.Module(statements, []), "first_steps.ipynb", "exec"), names)
            shown.append(eval(compile(ast.Expression(last.value), "first_steps.ipynb", "eval"), names))
    margin, policies, legal, picture, model, trained = shown
    assert margin.low > 0 and "hybrid" in policies and names["seen"]["hand"]
    assert set(legal.split(", ")) <= set(names["seen"]["hand"])
    assert picture.size == (800, 600) and model.num_timesteps == names["STEPS"]
    assert -2 <= trained.low <= trained.high <= 2


def run_one_file(*arguments):
    """What ``cleanrl_euchre.py`` prints: its decisions, and the points a deal with their interval, before and after."""
    command = [sys.executable, str(EXAMPLES / "cleanrl_euchre.py"), *arguments]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-2000:]
    told = re.search(r"trained on (\d+) deals; (\d+) decisions, 0 illegal", run.stdout)
    assert told, run.stdout
    matches = re.findall(f"(before|after) {MATCH}", run.stdout)
    assert [when for when, *_ in matches] == ["before", "after"]
    return int(told[2]), *([float(number) for number in numbers] for _, *numbers in matches)


def test_one_file_runs():
    require("torch")
    small = ["--games", "8", "--rollout", "16", "--minibatch", "64", "--threads", "1", "--deals", "20"]
    decisions, *matches = run_one_file("--steps", "300", "--against", "random", *small)
    assert decisions == 3 * 8 * 16  # whole rollouts
    for mean, low, high in matches:
        assert -2.0 <= low <= mean <= high <= 2.0


@pytest.mark.slow
def test_one_file_beats_high_low():
    """A million decisions are enough."""
    _, before, after = run_one_file("--steps", "1000000", "--minutes", "60", "--against", "high-low", "--deals", "5000")
    assert before[2] < 0 < after[1]


def test_one_file_names_settings_that_cannot_be(monkeypatch, capsys):
    require("torch")
    monkeypatch.setattr(sys, "argv", ["cleanrl_euchre.py", "--minutes", "0"])
    with pytest.raises(SystemExit, match="2"):
        load_script("examples/cleanrl_euchre.py").read_settings()
    assert capsys.readouterr().err.endswith("error: --minutes must be above 0, not 0.0\n")


def test_one_file_gives_every_seat_its_own_return():
    """With gamma and lambda 1, decisions of deals that end in the rollout are valued at what the deal paid their seat."""
    require("torch")
    import numpy as np
    import torch

    script = load_script("examples/cleanrl_euchre.py")
    torch.manual_seed(0)
    rollouts = script.Rollouts(script.Settings(games=6, rollout=60, gae_lambda=1.0))
    states, masks, actions, *_, advantages, returns = (one.numpy() for one in rollouts.play(script.Agent()))
    assert states.shape == (360, script.GAME.state_size)
    assert masks[np.arange(360), actions].all()
    returns, advantages = returns.reshape(60, 6), advantages.reshape(60, 6)
    np.testing.assert_allclose(returns - advantages, rollouts.values[:-1], atol=1e-5)
    ended = 0
    for game in range(6):
        start = 0
        for end in np.flatnonzero(rollouts.ended[:, game]).tolist():
            seats = rollouts.to_act[start : end + 1, game]
            np.testing.assert_allclose(returns[start : end + 1, game], rollouts.rewards[end, game, seats], atol=1e-5)
            start, ended = end + 1, ended + 1
    assert ended == rollouts.deals > 6


@pytest.mark.slow
def test_torchrl_gives_every_seat_its_own_return():
    """With lambda 1 every decision of a deal is valued at what the deal paid that seat."""
    require("torchrl")
    import torch

    script = load_script("examples/torchrl_euchre.py")
    env = script.make_env(seed=3, games=6)
    actor = script.make_actor(script.network(script.GAME.num_actions), env)
    with torch.no_grad():
        batch = env.rollout(45, actor, break_when_any_done=False)
    script.add_advantages(batch, script.make_critic())
    assert batch["value_target"].shape == batch["advantage"].shape == (6, 45, 1)
    for game in range(6):
        ends = batch["next", "done"][game].squeeze(-1).nonzero().squeeze(-1).tolist()
        assert ends == [19, 39]
        for start, end in ((0, 19), (20, 39)):
            paid = batch["next", "reward"][game, end][batch["seat"][game, start : end + 1]]
            assert paid.any()
            torch.testing.assert_close(batch["value_target"][game, start : end + 1].squeeze(-1), paid)


@pytest.mark.slow
def test_tianshou_gives_every_seat_its_own_return():
    """The targets of the seats' Q-values are what the deal paid them, whoever played the last card."""
    require("tianshou")
    import numpy as np
    from tianshou.algorithm.multiagent.marl import MARLDispatcher
    from tianshou.data import Collector, VectorReplayBuffer

    script = load_script("examples/tianshou_euchre.py")
    env = script.make_env(seed=5, games=2)
    values = script.make_network()
    algorithm = script.make_algorithm(values, env)
    buffer = VectorReplayBuffer(400, 2)
    collector = Collector(algorithm, env, buffer, exploration_noise=True)
    collector.reset()
    collector.collect(n_episode=8)
    script.check(buffer)
    batch, indices = buffer.sample(0)
    ended = np.flatnonzero(batch.done)
    paid = batch.rew[ended[np.searchsorted(ended, np.arange(len(batch)))]]
    assert isinstance(algorithm._dispatcher, MARLDispatcher)
    seen = algorithm._preprocess_batch(batch, buffer, indices)
    for seat, agent in enumerate(env.agents):
        own = batch.obs.agent_id == agent
        assert own.sum() == 5 * 8
        np.testing.assert_allclose(np.asarray(seen[agent].returns).ravel(), paid[own, seat], atol=1e-5)

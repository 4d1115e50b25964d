"""Games in batches for Stable-Baselines3, beside its own vector of single environments; what it has learned as a policy."""

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

import torch
from sb3_contrib import QRDQN, MaskablePPO, RecurrentPPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import VecMonitor

from cardenvs import Batch, get_game, policy
from cardenvs.baselines import play_match
from cardenvs.cli import main
from cardenvs.compiled.streams import seed_streams
from cardenvs.frameworks.sb3 import SB3Policy, SeatVecEnv
from cardenvs.plugins import MissingPackageError
from tests.helpers.environments import last_legal
from tests.refusals import check_refused

OPTIONS = {"bidding": "forced-spades"}
N = 4
GAMES: dict[str, dict[str, Any]] = {
    "euchre": OPTIONS | {"opponents": ["random", "high"], "partner": "low", "seat": "random"},
    "five-o": {"max_decisions": 9},
    "kuhn-poker": {"reward": "score"},
}


@pytest.mark.parametrize("game", GAMES)
def test_it_is_what_make_vec_env_makes(game: str) -> None:
    settings = GAMES[game]
    own = SeatVecEnv(game, N, seed=3, **settings)
    others = make_vec_env("cardenvs/Seat-v0", N, seed=3, env_kwargs={"game": game, **settings})
    rows, expected = own.reset(), others.reset()
    assert own.observation_space == others.observation_space and own.action_space == others.action_space
    ended = cut = 0
    for step in range(24):
        np.testing.assert_array_equal(rows, expected)
        masks = np.stack(own.env_method("action_masks"))
        np.testing.assert_array_equal(masks, np.stack(others.env_method("action_masks")))
        actions = last_legal(masks)
        actions[1] = masks[1].argmin() if step % 7 == 3 else actions[1]
        rows, rewards, done, infos = own.step(actions)
        expected, wanted, finished, told = others.step(actions)
        np.testing.assert_array_equal(rewards, wanted)
        assert rewards.dtype == wanted.dtype
        np.testing.assert_array_equal(done, finished)
        ended += int(done.sum())
        for mine, theirs in zip(infos, told, strict=True):
            assert ("terminal_observation" in mine) == ("terminal_observation" in theirs)
            np.testing.assert_array_equal(mine.get("terminal_observation"), theirs.get("terminal_observation"))
            assert mine["TimeLimit.truncated"] is theirs["TimeLimit.truncated"]
            assert mine.get("illegal_action") == theirs.get("illegal_action")
            cut += mine["TimeLimit.truncated"]
    assert ended > 4 and (cut > 0) == (game == "five-o")
    own.close()


def test_what_sb3_asks_of_games() -> None:
    env = SeatVecEnv("euchre", N, **OPTIONS)
    env.seed(8)
    first = env.reset()
    env.seed(8)
    np.testing.assert_array_equal(env.reset(), first)
    assert (env.reset() != first).any() and len(env.env_method("action_masks", indices=[2, 0])) == 2
    assert env.has_attr("action_masks") and not env.has_attr("nothing")
    assert env.get_attr("game", 1) == [env.game] and env.render_mode is None
    check_refused("has no method 'deal', only 'action_masks'", env.env_method, "deal", error=AttributeError)
    check_refused("'game' cannot be set", env.set_attr, "game", "whist", error=AttributeError)
    env.set_options({"dealer": 2})
    env.reset()
    assert env.env.seat_games.batch.games["dealer"].tolist() == [2] * N
    env.seed(8)
    env.set_options([{}, {"dealer": 1}, {}, {}])
    rows = env.reset()
    np.testing.assert_array_equal(np.delete(rows, 1, 0), np.delete(first, 1, 0))
    assert env.env.seat_games.batch.games["dealer"][1] == 1
    env.step(np.zeros(N, int))
    check_refused("no actions to play: call step_async(actions) before step_wait()", env.step_wait)
    refusing = SeatVecEnv("euchre", N, illegal="raise", **OPTIONS)
    refusing.reset()
    check_refused("game 0: illegal action 24 (pass)", refusing.step, np.full(N, 24))


@pytest.fixture(scope="module")
def zipped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of MaskablePPO, hardly trained, as SB3 saves it."""
    torch.set_num_threads(1)
    env = VecMonitor(SeatVecEnv("euchre", N, seed=0, opponents="high-low", **OPTIONS))
    model = MaskablePPO("MlpPolicy", env, n_steps=8, batch_size=16, n_epochs=1, seed=0)
    model.learn(64)
    assert len(model.ep_info_buffer) > 2
    rewards, lengths = evaluate_policy(model, env, n_eval_episodes=5, return_episode_rewards=True)
    assert lengths == [5] * 5 and set(map(abs, rewards)) <= {1.0, 2.0}
    path = tmp_path_factory.mktemp("sb3") / "mppo.zip"
    model.save(path)
    return path


def rows_of(game: str, n: int = 64) -> tuple[np.ndarray, np.ndarray]:
    batch = Batch(game, n, seed=1)
    return batch.observations, batch.action_masks


def test_it_plays_as_sb3_predicts(zipped: Path) -> None:
    rows, masks = rows_of("euchre")
    model = MaskablePPO.load(zipped)
    expected, _ = model.predict(rows, action_masks=masks, deterministic=True)
    named = policy.make("euchre", f"sb3:{zipped}")
    for player in (SB3Policy(str(zipped)), SB3Policy("euchre", zipped), SB3Policy(model), named):
        np.testing.assert_array_equal(player.act(rows, masks), expected)
        assert player.game is get_game("euchre")


def test_samples_follow_the_network_and_the_rows_streams(zipped: Path) -> None:
    """Frequencies within 5 standard errors of the network's probabilities: false alarms below 1 in 100,000."""
    rows, masks = rows_of("euchre", 1)
    rows, masks = rows.repeat(4000, 0), masks.repeat(4000, 0)
    player = policy.make("euchre", f"sb3:{zipped},sample=yes")
    drawn = player.act(rows, masks, seed_streams(5, 4000))
    np.testing.assert_array_equal(player.act(rows[7:8], masks[7:8], seed_streams(5, 4000)[7:8]), drawn[7:8])
    seen, _ = player.network.obs_to_tensor(rows[:1])
    chances = player.network.get_distribution(seen, action_masks=masks[:1]).distribution.probs.detach().numpy()[0]
    assert (chances > 0).sum() == masks[0].sum() > 1
    error = np.sqrt(chances * (1 - chances) / 4000)
    assert (np.abs(np.bincount(drawn, minlength=len(chances)) / 4000 - chances) <= 5 * error + 1e-12).all()


@pytest.mark.parametrize("algorithm", [PPO, A2C, DQN, QRDQN])
def test_other_algorithms_play_with_masks(algorithm: Any, tmp_path: Path) -> None:
    model = algorithm("MlpPolicy", SeatVecEnv("five-o", 2), seed=0, device="cpu")
    model.save(tmp_path / "model.zip")
    rows, masks = rows_of("five-o")
    masks[:, :3], masks[:, 4] = 0, 1
    assert set(SB3Policy(tmp_path / "model.zip").act(rows, masks)) <= {3, 4}


def test_it_sits_in_matches(zipped: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = play_match("euchre", SB3Policy(str(zipped)), "random", deals=20, seed=1, **OPTIONS)
    words = ["--deals", "20", "--seed", "1", "-o", "bidding=forced-spades", "--json"]
    main(["match", "euchre", f"sb3:{zipped}", "random", *words])
    told = json.loads(capsys.readouterr().out)
    assert told["points"] == result.points and told["mean_points"] == result.points_margin.mean


def test_a_plain_zip_says_what_it_is(zipped: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match=rf"is a model that Stable-Baselines3 has saved: write sb3:{zipped}, in Python "):
        policy.make("euchre", str(zipped))
    for command in ("match", "evaluate"):
        assert main([command, "euchre", str(zipped), *(["random"] if command == "match" else [])]) == 2
        error = capsys.readouterr().err
        assert f"write sb3:{zipped}" in " ".join(error.split()) and "Traceback" not in error


def test_what_cannot_play_is_named(zipped: Path, tmp_path: Path) -> None:
    (tmp_path / "wrong.zip").write_bytes(zipped.read_bytes()[:-300])
    with zipfile.ZipFile(tmp_path / "own.zip", "w") as archive:
        archive.writestr("cardenvs.json", "{}")
    kuhn = MaskablePPO("MlpPolicy", SeatVecEnv("kuhn-poker", 2), device="cpu")
    memory = RecurrentPPO("MlpLstmPolicy", SeatVecEnv("five-o", 2), device="cpu")
    sizes = "the model sees 457 entries and chooses among 35 actions"
    check_refused(f"{sizes}, but whist shows 802 and has 52 actions", SB3Policy, "whist", zipped)
    check_refused("no policy file 'none.zip'", SB3Policy, "none.zip", error=FileNotFoundError)
    check_refused("path must be a zip of Stable-Baselines3's model.save, as in sb3:mppo.zip", policy.make, "euchre", "sb3")
    check_refused(", or the model, not 3", SB3Policy, "euchre", 3)
    check_refused("Did you mean sample", policy.make, "euchre", f"sb3:{zipped},sampel=yes")
    check_refused("no model of Stable-Baselines3 can be loaded from ", SB3Policy, "euchre", tmp_path / "wrong.zip")
    check_refused("it plays by its own name, without sb3:", SB3Policy, "euchre", tmp_path / "own.zip")
    check_refused("name its game, as in SB3Policy('hearts', 'mppo.zip')", SB3Policy, kuhn)
    check_refused("acts by a number and has no memory, not one of RecurrentActorCriticPolicy", SB3Policy, memory)
    assert SB3Policy("kuhn-poker", kuhn).game.name == "kuhn-poker"


def test_strangers_may_not_name_one_and_without_the_library_one_line_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    assert policy.runs_code("sb3:mppo.zip")
    monkeypatch.setattr("cardenvs.plugins.installed", lambda module: False)
    check_refused('pip install ".[train]"', policy.make, "euchre", "sb3:mppo.zip", error=MissingPackageError)

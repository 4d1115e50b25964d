"""TorchRL's batched environment: its own check, and step by step what the simulator and the seat environment say."""

from typing import Any

import numpy as np
import pytest

from cardenvs import Batch, SeatVectorEnv

pytest.importorskip("torchrl")

import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torchrl.collectors import Collector
from torchrl.envs.utils import check_env_specs
from torchrl.modules import MaskedCategorical, ProbabilisticActor

from cardenvs.frameworks.torchrl import BatchedCardEnv
from tests.refusals import check_refused

pytestmark = pytest.mark.compiled

OPTIONS = {"bidding": "forced-spades"}
N = 5


def last_legal(masks: torch.Tensor) -> torch.Tensor:
    return masks.shape[1] - 1 - masks.flip(1).to(torch.int8).argmax(1)


@pytest.mark.parametrize("opponents", [None, "random"])
def test_the_specs_hold(opponents: str | None) -> None:
    device = "cpu" if opponents else None
    check_env_specs(BatchedCardEnv("euchre", N, opponents=opponents, seed=0, max_decisions=2, device=device, **OPTIONS))


def test_self_play_is_the_simulator_with_every_seats_reward() -> None:
    env, batch = BatchedCardEnv("euchre", N, seed=4, **OPTIONS), Batch("euchre", N, seed=4, **OPTIONS)
    shown, ended = env.reset(), 0
    assert env.reset(seed=4)["observation"].eq(shown["observation"]).all()
    for _ in range(50):
        np.testing.assert_array_equal(shown["observation"], batch.observations)
        np.testing.assert_array_equal(shown["action_mask"], batch.action_masks.astype(bool))
        np.testing.assert_array_equal(shown["seat"], batch.to_act)
        shown["action"] = last_legal(shown["action_mask"])
        batch.step(shown["action"].numpy())
        stepped, shown = env.step_and_maybe_reset(shown)
        np.testing.assert_array_equal(stepped["next", "reward"], batch.rewards)
        np.testing.assert_array_equal(stepped["next", "terminated"].squeeze(1), batch.ended != 0)
        assert not shown["done"].any()
        ended += int(stepped["next", "done"].sum())
    assert ended == 2 * N


def test_with_opponents_it_is_the_seat_environment() -> None:
    settings: dict[str, Any] = {"opponents": ["random", "high-low"], "partner": "high", "seat": 2, **OPTIONS}
    env, vector = BatchedCardEnv("euchre", N, **settings), SeatVectorEnv("euchre", N, **settings)
    seeds = [8, 6, 7, 5, 3]
    shown = env.reset(seed=seeds)
    expected, infos = vector.reset(seed=seeds)
    for _ in range(20):
        np.testing.assert_array_equal(shown["observation"], expected)
        np.testing.assert_array_equal(shown["action_mask"], infos["action_mask"].astype(bool))
        assert (shown["seat"] == 2).all()
        shown["action"] = last_legal(shown["action_mask"])
        expected, rewards, done, _, infos = vector.step(shown["action"].numpy())
        stepped, shown = env.step_and_maybe_reset(shown)
        np.testing.assert_array_equal(stepped["next", "reward"].squeeze(1), rewards)
        np.testing.assert_array_equal(stepped["next", "done"].squeeze(1), done)
        for i in np.flatnonzero(done):
            np.testing.assert_array_equal(stepped["next", "observation"][i], infos["final_obs"][i])


def test_some_games_are_reset_alone() -> None:
    env = BatchedCardEnv("euchre", N, seed=4, **OPTIONS)
    first = env.reset()
    stepped = env.rand_step(first.clone())["next"]
    marks = torch.tensor([True, False, False, True, False])
    again = env.reset(stepped.clone().set("_reset", marks[:, None]), seed=[4, 1])
    assert again["observation"][~marks].eq(stepped["observation"][~marks]).all()
    assert again["observation"][0].eq(first["observation"][0]).all()  # the first stream of the seed
    assert not again["observation"][3].eq(first["observation"][3]).all()


def test_seeds_and_random_actions() -> None:
    env = BatchedCardEnv("euchre", 64, **OPTIONS)
    rollouts = []
    for _ in range(2):
        torch.manual_seed(1)
        env.set_seed(11)
        rollouts.append(env.rollout(30, break_when_any_done=False))
    first, second = rollouts
    assert all(first[key].eq(second[key]).all() for key in ("observation", "action", ("next", "reward")))
    assert first["action_mask"].gather(2, first["action"].unsqueeze(2)).all() and not env.illegal_actions
    leads = first["action"][:, 0]
    assert len(leads.unique()) > 5  # all of a hand's five cards are led
    assert env.rand_action()["action"].shape == (64,)


def test_illegal_actions() -> None:
    env = BatchedCardEnv("euchre", 3, seed=0, **OPTIONS)
    shown = env.reset()
    shown["action"] = torch.cat([shown["action_mask"][:1].to(torch.int8).argmin(1), last_legal(shown["action_mask"])[1:]])
    after = env.step(shown)["next"]
    assert after["terminated"].squeeze(1).tolist() == [True, False, False]
    assert list(env.illegal_actions) == [0] and "legal are" in env.illegal_actions[0]
    seat = int(shown["seat"][0])
    assert after["reward"][0, seat] < 0 < after["reward"][0, (seat + 1) % 4]
    strict = BatchedCardEnv("euchre", 3, seed=0, illegal="raise", **OPTIONS)
    check_refused("game 0: illegal action", strict.step, TensorDict({"action": shown["action"]}, [3]))
    check_refused("Did you mean opponents", BatchedCardEnv, "euchre", 2, oponents="low")
    check_refused("seat needs opponents", BatchedCardEnv, "euchre", 3, seat=1)
    check_refused("n must be an int of at least 1, not 0", BatchedCardEnv, "euchre", 0)


def test_a_collector_and_a_masked_actor_take_it() -> None:
    class Logits(torch.nn.Module):
        def __init__(self, spec: Any) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(spec.observation_size, spec.num_actions)

        def forward(self, observation: torch.Tensor) -> torch.Tensor:
            return self.layer(observation.float())

    env = BatchedCardEnv("euchre", N, seed=1, illegal="raise", **OPTIONS)
    actor = ProbabilisticActor(
        TensorDictModule(Logits(env.game), in_keys=["observation"], out_keys=["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        spec=env.full_action_spec_unbatched,
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )
    collector = Collector(env, actor, frames_per_batch=N * 25, total_frames=N * 50, auto_register_policy_transforms=False)
    for batch in collector:
        assert batch.shape == (N, 25) and batch["next", "reward"].shape == (N, 25, 4)
        assert batch["next", "done"].sum() >= N and not batch["next", "reward"].sum(-1).any()
    collector.shutdown()

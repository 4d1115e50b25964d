"""Euchre self-play with RLlib: one masked PPO module in all four seats, on a hundred games at once.

    python examples/rllib_euchre.py --steps 163840 --seed 0

`SelfPlayVectorEnv` shows each of ``player_0`` ... ``player_3`` what it sees when it is to act, ``"observations"`` and
``"action_mask"``, and pays all of them at the deal's end; `SelfPlayEnvRunner` puts it where RLlib would make one
environment after another. RLlib keeps an episode for each agent, so advantages follow each seat's own decisions. The
mapping function puts all four on one module, which masks the logits of illegal actions.
"""

import argparse
import logging
import os

os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # spares a warning about GPUs

import numpy as np
import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis import ValueFunctionAPI
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.utils.torch_utils import FLOAT_MIN
from torch import nn

from cardenvs import get_game, policy
from cardenvs.baselines.match import play_match
from cardenvs.frameworks.rllib import SelfPlayEnvRunner, SelfPlayVectorEnv

GAMES = 128  # played side by side
BATCH = 64 * GAMES  # decisions between two updates, about four hundred deals
GAME = get_game("euchre")


class CheckedEnv(SelfPlayVectorEnv):
    """The games, which also count actions, deals and points; an illegal action is a ValueError."""

    actions, deals, points = 0, 0, 0.0

    def step(self, actions):
        CheckedEnv.actions += int((self.games.seats >= 0).sum())  # others are dealt anew
        results = super().step(actions)
        paid = self.games.rewards[self.games.terminated]
        assert (paid[:, :2] == paid[:, 2:]).all() and (paid[:, 0] == -paid[:, 1]).all(), "partners are paid the same"
        CheckedEnv.deals, CheckedEnv.points = CheckedEnv.deals + len(paid), CheckedEnv.points + float(abs(paid[:, 0]).sum())
        return results


class MaskedModule(TorchRLModule, ValueFunctionAPI):
    """Actor and critic over the observation dict, with the logits of illegal actions masked."""

    def setup(self) -> None:
        size, actions = self.observation_space["observations"].shape[0], self.action_space.n
        self.logits = nn.Sequential(nn.Linear(size, 128), nn.ReLU(), nn.Linear(128, actions))
        self.value = nn.Sequential(nn.Linear(size, 128), nn.ReLU(), nn.Linear(128, 1))

    def _forward(self, batch, **kwargs):
        seen = batch[Columns.OBS]
        illegal = seen["action_mask"] == 0
        return {Columns.ACTION_DIST_INPUTS: self.logits(seen["observations"]).masked_fill(illegal, FLOAT_MIN)}

    def compute_values(self, batch, embeddings=None):
        return self.value(batch[Columns.OBS]["observations"]).squeeze(-1)


class Learned(policy.Policy):
    """The module as a policy of the project's own kind: the legal action with the highest logit."""

    def __init__(self, logits: nn.Module) -> None:
        super().__init__("euchre")
        self.logits = logits

    def choose(self, observations, action_masks, streams):
        with torch.no_grad():
            logits = self.logits(torch.from_numpy(observations).float()).numpy()
        return np.where(action_masks, logits, -np.inf).argmax(1)


def report(when: str, logits: nn.Module, opponent: str, deals: int) -> None:
    """Plays the network against a named policy on duplicate deals and prints the difference in points a deal."""
    result = play_match("euchre", Learned(logits), opponent, deals=deals, seed=1, bidding="forced-spades")
    margin = result.points_margin
    low, high = margin.ci95
    print(f"{when} training: {margin.mean:+z.3f} points a deal against {opponent} (95%: {low:+z.3f} to {high:+z.3f})")


def configuration(seed: int) -> PPOConfig:
    """PPO on one module in all four seats, in this process alone."""
    settings = {"game": "euchre", "bidding": "forced-spades", "illegal": "raise"}
    return (
        PPOConfig()
        .environment(CheckedEnv, env_config=settings)
        .env_runners(num_env_runners=0, num_envs_per_env_runner=GAMES, env_runner_cls=SelfPlayEnvRunner)  # in this process
        .learners(num_learners=0)
        .debugging(seed=seed, log_level="ERROR")
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda agent, episode, **kwargs: "shared")
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"shared": RLModuleSpec(module_class=MaskedModule)}))
        .training(
            gamma=1.0,
            lambda_=1.0,
            lr=1e-3,
            entropy_coeff=0.01,
            clip_param=0.2,
            use_kl_loss=False,
            grad_clip=0.5,
            num_epochs=4,
            minibatch_size=512,
            train_batch_size=BATCH,
        )
    )


def main() -> None:
    """Reads the command line, measures, trains and measures again."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=20 * BATCH, help="environment steps, one action each")
    parser.add_argument("--seed", type=int, default=0, help="random seed")
    parser.add_argument("--against", default="high-low", help="policy by name: the other side of the test match")
    parser.add_argument("--opponent", dest="against", default=argparse.SUPPRESS, help=argparse.SUPPRESS)  # the old name
    parser.add_argument("--deals", type=int, default=2000, help="deals of the test match, each played twice")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    algorithm = configuration(arguments.seed).build_algo()
    logits = algorithm.get_module("shared").logits
    report("before", logits, arguments.against, arguments.deals)
    while CheckedEnv.actions < arguments.steps:
        algorithm.train()
    actions, deals, points = CheckedEnv.actions, CheckedEnv.deals, CheckedEnv.points
    mean = points / max(deals, 1)
    print(f"trained on {deals} deals; {actions} actions sampled, 0 illegal; {mean:z.2f} points a deal won")
    report("after", logits, arguments.against, arguments.deals)
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()

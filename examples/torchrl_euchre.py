"""Euchre self-play with TorchRL: one masked PPO network in all four seats, through `PettingZooWrapper`.

    python examples/torchrl_euchre.py --steps 40960 --seed 0

TorchRL puts the agents ``player_0`` ... ``player_3`` into one group. A step then holds a row for each seat: its
observation, its ``"mask"`` (is it this seat's turn?), its ``"action_mask"`` (its legal actions) and its own reward.
Advantages run down each seat's own column, so that the losing side sees its loss; the network learns from the rows of the
seats that were to act.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.envs import MarlGroupMapType, PettingZooWrapper
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from cardenvs import euchre_v0, get_game, policy
from cardenvs.baselines.match import play_match

BATCH = 2048  # environment steps between two updates, about a hundred deals
EPOCHS = 10
ROWS = 256  # decisions in a minibatch
GAME = get_game("euchre")
OBSERVATION = ("agents", "observation", "observation")
PARTS = ("state_value", "reward", "done", "terminated", "value_target", "advantage")
KEYS = {part.removeprefix("state_"): ("agents", part) for part in PARTS}


class Bits(nn.Module):
    """Turns int8 observations into floats."""

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        return observation.float()


def network(outputs: int) -> nn.Sequential:
    """A multilayer perceptron over observations."""
    return nn.Sequential(Bits(), nn.Linear(GAME.observation_size, 128), nn.ReLU(), nn.Linear(128, outputs))


def make_env(seed: int) -> PettingZooWrapper:
    """The environment in TorchRL's wrapper, all seats in one group; an illegal action is a ValueError."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PettingZoo in TorchRL is tested using version")
        env = PettingZooWrapper(
            euchre_v0.raw_env(bidding="forced-spades"), use_mask=True, group_map=MarlGroupMapType.ALL_IN_ONE_GROUP
        )
    env.set_seed(seed)
    return env


def make_actor(logits: nn.Module, env: PettingZooWrapper) -> ProbabilisticActor:
    """The policy: draws a legal action from the masked softmax of the logits."""
    return ProbabilisticActor(
        TensorDictModule(logits, in_keys=[OBSERVATION], out_keys=[("agents", "logits")]),
        in_keys={"logits": ("agents", "logits"), "mask": ("agents", "action_mask")},
        out_keys=[("agents", "action")],
        spec=env.full_action_spec_unbatched,
        distribution_class=MaskedCategorical,
        return_log_prob=True,
        log_prob_key=("agents", "log_prob"),
    )


def make_critic() -> ValueOperator:
    """The critic: the value of what a seat sees."""
    return ValueOperator(network(1), in_keys=[OBSERVATION], out_keys=[("agents", "state_value")])


def make_advantages(critic: ValueOperator) -> GAE:
    """Advantages with gamma and lambda 1: what the deal brings a decision's seat, less what the critic expected."""
    advantages = GAE(gamma=1.0, lmbda=1.0, value_network=critic, average_gae=False)
    advantages.set_keys(**KEYS)
    return advantages


class Learned(policy.Policy):
    """The network as a policy of the project's own kind: the legal action with the highest logit."""

    def __init__(self, logits: nn.Module) -> None:
        super().__init__("euchre")
        self.logits = logits

    def choose(self, observations, action_masks, streams):
        with torch.no_grad():
            logits = self.logits(torch.from_numpy(observations)).numpy()
        return np.where(action_masks, logits, -np.inf).argmax(1)


def report(when: str, logits: nn.Module, opponent: str, deals: int) -> None:
    """Plays the network against a named policy on duplicate deals and prints the difference in points a deal."""
    result = play_match("euchre", Learned(logits), opponent, deals=deals, seed=1, bidding="forced-spades")
    margin = result.points_margin
    low, high = margin.ci95
    print(f"{when} training: {margin.mean:+.3f} points a deal against {opponent} (95%: {low:+.3f} to {high:+.3f})")


def train(logits: nn.Module, steps: int, seed: int) -> None:
    """Clipped PPO; raises an AssertionError should an illegal action be sampled."""
    env = make_env(seed)
    actor = make_actor(logits, env)
    critic = make_critic()
    advantages = make_advantages(critic)
    loss = ClipPPOLoss(actor, critic, clip_epsilon=0.2, entropy_coeff=0.01, critic_coeff=0.5, normalize_advantage=True)
    loss.set_keys(**KEYS)
    loss.set_keys(action=("agents", "action"), sample_log_prob=("agents", "log_prob"))
    optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)
    collector = Collector(
        env, actor, frames_per_batch=min(BATCH, steps), total_frames=steps, auto_register_policy_transforms=False
    )
    decisions, ended, points = 0, 0, 0.0
    for batch in collector:
        with torch.no_grad():
            advantages(batch)
        done = batch["next", "done"].squeeze(-1)
        rewards = batch["next", "agents", "reward"].squeeze(-1)[done]
        ended, points = ended + len(rewards), points + rewards[:, 0].abs().sum().item()
        assert (rewards[:, :2] == rewards[:, 2:]).all(), "partners are paid the same"
        assert (rewards[:, 0] == -rewards[:, 1]).all(), "what one side wins the other loses"
        rows = batch["agents"][batch["agents", "mask"]]  # the seat to act at each step
        assert rows["action_mask"].gather(1, rows["action"].unsqueeze(1)).all(), "an illegal action was sampled"
        decisions += len(rows)
        for _ in range(EPOCHS):
            for chosen in torch.randperm(len(rows)).split(ROWS):
                part = TensorDict({"agents": rows[chosen]}, [len(chosen)])
                losses = loss(part)
                optimizer.zero_grad()
                (losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]).backward()
                nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
                optimizer.step()
    collector.shutdown()
    points /= max(ended, 1)
    print(f"trained on {ended} deals; {decisions} actions sampled, 0 illegal; {points:.2f} points a deal won")


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
    torch.manual_seed(arguments.seed)
    logits = network(GAME.num_actions)
    report("before", logits, arguments.against, arguments.deals)
    train(logits, arguments.steps, arguments.seed)
    report("after", logits, arguments.against, arguments.deals)


if __name__ == "__main__":
    main()

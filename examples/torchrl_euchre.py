"""Euchre self-play with TorchRL: one masked PPO network in all four seats, on hundreds of games at once.

    python examples/torchrl_euchre.py --steps 409600 --seed 0

`BatchedCardEnv` is an environment of batch size ``[games]``: each step is one decision in each game, of the seat in
``"seat"``, with its ``"observation"`` and its ``"action_mask"``, and ``"reward"`` has a column for each seat. The next row
of a game belongs to another seat, so advantages run along each seat's own decisions (`cardenvs.train.per_seat_gae`).
"""

import argparse

import numpy as np
import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss

from cardenvs import get_game, policy
from cardenvs.baselines.match import play_match
from cardenvs.frameworks.torchrl import BatchedCardEnv
from cardenvs.train import per_seat_gae

GAMES = 512  # played side by side
BATCH = 20 * GAMES  # decisions between two updates, a deal of each game
EPOCHS = 4
ROWS = 1024  # decisions in a minibatch
GAME = get_game("euchre")


class Bits(nn.Module):
    """Turns int8 observations into floats."""

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        return observation.float()


def network(outputs: int) -> nn.Sequential:
    """A multilayer perceptron over observations."""
    return nn.Sequential(Bits(), nn.Linear(GAME.observation_size, 128), nn.ReLU(), nn.Linear(128, outputs))


def make_env(seed: int, games: int = GAMES) -> BatchedCardEnv:
    """Games in self-play; an illegal action is a ValueError."""
    return BatchedCardEnv("euchre", games, seed=seed, illegal="raise", bidding="forced-spades")


def make_actor(logits: nn.Module, env: BatchedCardEnv) -> ProbabilisticActor:
    """The policy: draws a legal action from the masked softmax of the logits."""
    return ProbabilisticActor(
        TensorDictModule(logits, in_keys=["observation"], out_keys=["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        spec=env.full_action_spec_unbatched,
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )


def make_critic() -> ValueOperator:
    """The critic: the value of what a seat sees."""
    return ValueOperator(network(1), in_keys=["observation"])


@torch.no_grad()
def add_advantages(batch: TensorDict, critic: ValueOperator) -> None:
    """Adds ``"advantage"`` and ``"value_target"`` to a batch of shape (games, steps): what the deal brings each seat."""

    def before_and_after(name: str) -> torch.Tensor:
        """An entry before each step and after the last, with time first."""
        return torch.cat([batch[name], batch["next", name][:, -1:]], 1).transpose(0, 1)

    values = critic.module(before_and_after("observation")).squeeze(-1)
    advantages, targets = per_seat_gae(
        batch["next", "reward"].transpose(0, 1),
        values,
        batch["next", "done"].squeeze(-1).transpose(0, 1),
        before_and_after("seat"),
        gae_lambda=1.0,
    )
    for name, array in (("advantage", advantages), ("value_target", targets)):
        batch[name] = torch.from_numpy(array).transpose(0, 1).unsqueeze(-1)


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
    print(f"{when} training: {margin.mean:+z.3f} points a deal against {opponent} (95%: {low:+z.3f} to {high:+z.3f})")


def train(logits: nn.Module, steps: int, seed: int) -> None:
    """Clipped PPO; raises an error should an illegal action be sampled."""
    env = make_env(seed)
    actor = make_actor(logits, env)
    critic = make_critic()
    loss = ClipPPOLoss(actor, critic, clip_epsilon=0.2, entropy_coeff=0.01, critic_coeff=0.5, normalize_advantage=True)
    optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)
    total = -(-steps // BATCH) * BATCH
    collector = Collector(env, actor, frames_per_batch=BATCH, total_frames=total, auto_register_policy_transforms=False)
    decisions, ended, points = 0, 0, 0.0
    for batch in collector:
        add_advantages(batch, critic)
        rewards = batch["next", "reward"][batch["next", "done"].squeeze(-1)]
        ended, points = ended + len(rewards), points + rewards[:, 0].abs().sum().item()
        assert (rewards[:, :2] == rewards[:, 2:]).all(), "partners are paid the same"
        assert (rewards[:, 0] == -rewards[:, 1]).all(), "what one side wins the other loses"
        rows = batch.exclude("next").flatten()
        decisions += len(rows)
        for _ in range(EPOCHS):
            for chosen in torch.randperm(len(rows)).split(ROWS):
                losses = loss(rows[chosen])
                optimizer.zero_grad()
                (losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]).backward()
                nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
                optimizer.step()
    collector.shutdown()
    points /= max(ended, 1)
    print(f"trained on {ended} deals; {decisions} actions sampled, 0 illegal; {points:z.2f} points a deal won")


def main() -> None:
    """Reads the command line, measures, trains and measures again."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=40 * BATCH, help="environment steps, one action each")
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

"""Euchre self-play in one file, in the manner of CleanRL: masked PPO on the batched simulator, all four seats one network.

    python examples/cleanrl_euchre.py --minutes 5 --seed 0

Three things differ from PPO for one player. The rows of `cardenvs.Batch` belong to the seats to act, another one at each
step, so advantages follow each seat's own decisions (`cardenvs.train.per_seat_gae`). Illegal actions have probability 0.
And the critic sees the whole deal (`Batch.states`), which only the learning needs; the actor sees what its seat sees.
"""

import argparse
import itertools
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any

# Before torch is imported: threads that wait for each other should not spin, beside other busy processes least of all.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import numpy as np
import torch
from torch import Tensor, nn
from torch.distributions import Categorical

from cardenvs import Batch, Ended, Policy, get_game
from cardenvs.baselines import play_match
from cardenvs.train import per_seat_gae

GAME = get_game("euchre")


def setting(value: Any, meaning: str) -> Any:
    """A field of `Settings` with its default and its line of help."""
    return field(default=value, metadata={"help": meaning})


@dataclass
class Settings:
    """What can be set on the command line; a run ends with its time or its decisions, whichever is up first."""

    minutes: float = setting(5.0, "minutes of training")
    steps: int = setting(50_000_000, "decisions to train on at most")
    seed: int = setting(0, "random seed")
    bidding: str = setting("forced-spades", "rule option: forced-spades, as in the Euchre paper, or full")
    threads: int = setting(2, "torch's threads")
    games: int = setting(512, "games played side by side")
    rollout: int = setting(64, "decisions in each game between two updates")
    minibatch: int = setting(2048, "decisions in a minibatch")
    epochs: int = setting(2, "how often the decisions of a rollout are learned from")
    lr: float = setting(2e-3, "Adam's learning rate at the start; it falls to 0")
    gamma: float = setting(1.0, "discount from one decision of a seat to its next")
    gae_lambda: float = setting(0.9, "lambda of the generalised advantage estimates")
    clip: float = setting(0.2, "how far the probability ratio may go from 1")
    ent_coef: float = setting(0.015, "weight of the entropy bonus")
    vf_coef: float = setting(0.5, "weight of the critic's loss")
    max_grad_norm: float = setting(0.5, "longest gradient")
    against: str = setting("high-low", "policy by name: the other side of the test match")
    deals: int = setting(5000, "deals of the test match, each played twice with the sides exchanged")


def read_settings() -> Settings:
    """The settings from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    for one in fields(Settings):
        text = f"{one.metadata['help']} [{one.default}]"
        parser.add_argument(f"--{one.name.replace('_', '-')}", type=type(one.default), default=one.default, help=text)
    settings = Settings(**vars(parser.parse_args()))
    for name in ("minutes", "steps", "threads", "games", "rollout", "minibatch", "epochs", "deals"):
        if getattr(settings, name) <= 0:
            parser.error(f"--{name} must be above 0, not {getattr(settings, name)}")
    return settings


def network(inputs: int, outputs: int, last_gain: float) -> nn.Sequential:
    """A multilayer perceptron with orthogonal weights."""
    widths = [inputs, 128, 128, outputs]
    layers: list[nn.Module] = []
    for k, (before, after) in enumerate(itertools.pairwise(widths)):
        layer = nn.Linear(before, after)
        nn.init.orthogonal_(layer.weight, last_gain if k == 2 else 2**0.5)
        nn.init.zeros_(layer.bias)
        layers += [layer, nn.ReLU()]
    return nn.Sequential(*layers[:-1])


class Agent(nn.Module):
    """The actor, which takes observations, and the critic, which takes states: observations with what is hidden behind."""

    def __init__(self) -> None:
        super().__init__()
        self.actor = network(GAME.observation_size, GAME.num_actions, 0.01)
        self.critic = network(GAME.state_size, 1, 1.0)

    def distribution(self, states: Tensor, masks: Tensor) -> Categorical:
        """The probabilities of the actions; 0 for those that are illegal."""
        logits = self.actor(states[:, : GAME.observation_size])
        return Categorical(logits=torch.where(masks, logits, -1e8), validate_args=False)

    def value(self, states: Tensor) -> Tensor:
        """What the seat to act can expect."""
        return self.critic(states).squeeze(-1)


class Rollouts:
    """Plays the games with an agent and keeps what it is to learn from."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        # Moves without a choice teach nothing: the simulator plays them.
        self.batch = Batch(GAME, settings.games, seed=settings.seed, skip_forced=True, bidding=settings.bidding)
        steps, n = settings.rollout, settings.games
        self.states = np.zeros((steps + 1, n, GAME.state_size), np.int8)
        self.masks = np.zeros((steps, n, GAME.num_actions), np.bool_)
        self.actions = np.zeros((steps, n), np.int64)
        self.log_probs = np.zeros((steps, n), np.float32)
        self.values = np.zeros((steps + 1, n), np.float32)
        self.rewards = np.zeros((steps, n, GAME.seats), np.float32)
        self.ended = np.zeros((steps, n), np.int64)
        self.to_act = np.zeros((steps + 1, n), np.int64)
        self.deals = 0

    @torch.no_grad()
    def play(self, agent: Agent) -> list[Tensor]:
        """Plays a rollout; returns states, masks, actions, log-probabilities, advantages and returns, a row a decision."""
        batch, steps = self.batch, self.settings.rollout
        for t in range(steps + 1):
            self.to_act[t], self.states[t] = batch.to_act, batch.states()
            states = torch.from_numpy(self.states[t]).float()
            self.values[t] = agent.value(states).numpy()
            if t < steps:
                self.masks[t] = batch.action_masks
                distribution = agent.distribution(states, torch.from_numpy(self.masks[t]))
                actions = distribution.sample()
                self.actions[t], self.log_probs[t] = actions.numpy(), distribution.log_prob(actions).numpy()
                batch.step(self.actions[t])  # an illegal action would be a ValueError
                self.rewards[t], self.ended[t] = batch.rewards, batch.ended
        self.deals += int((self.ended >= Ended.DEAL_OVER).sum())
        advantages, returns = per_seat_gae(
            self.rewards,
            self.values,
            self.ended,
            self.to_act,
            gamma=self.settings.gamma,
            gae_lambda=self.settings.gae_lambda,
        )
        kept = (self.states[:-1], self.masks, self.actions, self.log_probs, advantages, returns)
        return [torch.from_numpy(array).flatten(0, 1) for array in kept]


def minibatches(rows: list[Tensor], settings: Settings) -> Iterator[list[Tensor]]:
    """The decisions of a rollout in random order, several times over."""
    for _ in range(settings.epochs):
        for chosen in torch.randperm(len(rows[0])).split(settings.minibatch):
            yield [one[chosen] for one in rows]


def update(agent: Agent, optimizer: torch.optim.Optimizer, rows: list[Tensor], settings: Settings) -> dict[str, float]:
    """Learns from a rollout by clipped PPO; returns figures of the last minibatch."""
    told: dict[str, float] = {}
    for states, masks, actions, old_log_probs, advantages, returns in minibatches(rows, settings):
        seen = states.float()
        distribution = agent.distribution(seen, masks)
        log_ratio = distribution.log_prob(actions) - old_log_probs
        ratio = log_ratio.exp()
        advantages = (advantages - advantages.mean()) / (advantages.std(correction=0) + 1e-8)
        clipped = ratio.clamp(1 - settings.clip, 1 + settings.clip)
        policy_loss = -torch.min(advantages * ratio, advantages * clipped).mean()
        value_loss = nn.functional.mse_loss(agent.value(seen), returns)
        entropy = distribution.entropy().mean()
        loss = policy_loss + settings.vf_coef * value_loss - settings.ent_coef * entropy
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(agent.parameters(), settings.max_grad_norm)
        optimizer.step()
        with torch.no_grad():
            told = {
                "entropy": float(entropy),
                "value loss": float(value_loss),
                "KL divergence": float((ratio - 1 - log_ratio).mean()),
            }
    return told


def train(agent: Agent, settings: Settings) -> None:
    """Plays and learns in turn until the time or the decisions are up."""
    optimizer = torch.optim.Adam(agent.parameters(), lr=settings.lr, eps=1e-5)
    rollouts = Rollouts(settings)
    start, decisions, iteration, done = time.monotonic(), 0, 0, 0.0
    while done < 1:
        optimizer.param_groups[0]["lr"] = settings.lr * (1 - done)
        rows = rollouts.play(agent)
        told = update(agent, optimizer, rows, settings)
        decisions, iteration = decisions + len(rows[0]), iteration + 1
        seconds = time.monotonic() - start
        done = max(decisions / settings.steps, seconds / (60 * settings.minutes))
        if iteration % 10 == 0 or done >= 1:
            figures = ", ".join(f"{name} {value:.3f}" for name, value in told.items())
            print(f"{seconds:4.0f} s, {decisions} decisions, {decisions / seconds:.0f}/s, {figures}", flush=True)
    print(f"trained on {rollouts.deals} deals; {decisions} decisions, 0 illegal")


class Learned(Policy):
    """The actor as a policy of the project's own kind: the legal action with the highest logit."""

    def __init__(self, agent: Agent) -> None:
        super().__init__(GAME)
        self.agent = agent

    @torch.no_grad()
    def choose(self, observations, action_masks, streams):
        logits = self.agent.actor(torch.from_numpy(observations).float()).numpy()
        return np.where(action_masks, logits, -np.inf).argmax(1)


def report(when: str, agent: Agent, settings: Settings) -> None:
    """Plays the agent against a named policy on duplicate deals and prints the difference in points a deal."""
    rules = {"deals": settings.deals, "bidding": settings.bidding}
    margin = play_match(GAME, Learned(agent), settings.against, seed=1, **rules).points_margin
    low, high = margin.ci95
    told = f"{margin.mean:+z.3f} points a deal against {settings.against} (95%: {low:+z.3f} to {high:+z.3f})"
    print(f"{when} training: {told}", flush=True)


def main() -> None:
    """Reads the command line, measures, trains and measures again."""
    settings = read_settings()
    torch.set_num_threads(settings.threads)
    torch.manual_seed(settings.seed)
    agent = Agent()
    report("before", agent, settings)
    train(agent, settings)
    report("after", agent, settings)


if __name__ == "__main__":
    main()

"""Euchre self-play with Tianshou: one masked Q-network in all four seats, on hundreds of games at once.

    python examples/tianshou_euchre.py --steps 160000 --seed 0

`CardVectorEnv` stands where a `DummyVectorEnv` would. Its observations have ``obs``, ``mask`` and ``agent_id``, and a
step's reward is a vector with a number for each of ``player_0`` ... ``player_3``. `MultiAgentOffPolicyAlgorithm` gives
every seat its own turns and its own column of rewards. The next row in Tianshou's buffer is another seat's view, so nothing
may be bootstrapped from it: the return horizon is longer than a deal, and a Q-value is learnt from what the deal really
brought that seat (Monte Carlo).
"""

import argparse
import logging

import numpy as np
import torch
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

from cardenvs import get_game, policy
from cardenvs.baselines.match import play_match
from cardenvs.frameworks.tianshou import CardVectorEnv

GAMES = 256  # played side by side
DEALS = 256  # collected between two updates
DEAL = 20  # steps in a deal: with forced bids there are only the cards to play
HORIZON = 24  # steps that a return looks ahead: more than a deal has
EXPLORATION = 0.1
GAME = get_game("euchre")


def make_env(seed: int, games: int = GAMES) -> CardVectorEnv:
    """Games in self-play; an illegal action is a ValueError."""
    return CardVectorEnv("euchre", games, seed=seed, illegal="raise", bidding="forced-spades")


def make_network() -> Net:
    """A network that gives a Q-value for every action."""
    return Net(state_shape=(GAME.observation_size,), action_shape=GAME.num_actions, hidden_sizes=[128])


def make_algorithm(values: Net, env: CardVectorEnv) -> MultiAgentOffPolicyAlgorithm:
    """One DQN learner, shared by all seats."""
    # The multi-agent policy does not tell its parts when it is training, so each part explores as at inference time.
    player = DiscreteQLearningPolicy(model=values, action_space=env.action_space[0], eps_inference=EXPLORATION)
    learner = DQN(
        policy=player,
        optim=AdamOptimizerFactory(lr=1e-3),
        gamma=1.0,
        n_step_return_horizon=HORIZON,
        is_double=False,
    )
    return MultiAgentOffPolicyAlgorithm(algorithms=[learner] * len(env.agents), env=env)


class Learned(policy.Policy):
    """The network as a policy of the project's own kind: the legal action with the highest value."""

    def __init__(self, values: Net) -> None:
        super().__init__("euchre")
        self.values = values

    def choose(self, observations, action_masks, streams):
        with torch.no_grad():
            values = self.values(observations)[0].numpy()
        return np.where(action_masks, values, -np.inf).argmax(1)


def report(when: str, values: Net, opponent: str, deals: int) -> None:
    """Plays the network against a named policy on duplicate deals and prints the difference in points a deal."""
    result = play_match("euchre", Learned(values), opponent, deals=deals, seed=1, bidding="forced-spades")
    margin = result.points_margin
    low, high = margin.ci95
    print(f"{when} training: {margin.mean:+z.3f} points a deal against {opponent} (95%: {low:+z.3f} to {high:+z.3f})")


def train(values: Net, steps: int, seed: int) -> None:
    """Deep Monte Carlo in all seats; raises an AssertionError should an illegal action be sampled."""
    games = make_env(seed)
    algorithm = make_algorithm(values, games)
    buffer = VectorReplayBuffer(max(steps, GAMES * DEALS * DEAL), GAMES)
    collector = Collector(algorithm, games, buffer, exploration_noise=True)
    algorithm.run_training(
        OffPolicyTrainerParams(
            training_collector=collector,
            max_epochs=1,
            epoch_num_steps=steps,
            collection_step_num_env_steps=None,
            collection_step_num_episodes=DEALS,
            update_step_num_gradient_steps_per_sample=1 / 128,
            batch_size=1024,
            multi_agent_return_reduction=lambda returns: returns[:, 0],
            verbose=False,
            show_progress=False,
        )
    )
    check(buffer)


def check(buffer: VectorReplayBuffer) -> None:
    """Checks that every action in the buffer was legal and that rewards are zero-sum between sides; prints figures."""
    played = buffer[:]
    rewards = played.rew[played.done]
    assert played.obs.mask[np.arange(len(played)), played.act].all(), "an illegal action was sampled"
    assert (rewards[:, :2] == rewards[:, 2:]).all(), "partners are paid the same"
    assert (rewards[:, 0] == -rewards[:, 1]).all(), "what one side wins the other loses"
    points = np.abs(rewards[:, 0]).mean()
    print(f"trained on {len(rewards)} deals; {len(played)} actions sampled, 0 illegal; {points:z.2f} points a deal won")


def main() -> None:
    """Reads the command line, measures, trains and measures again."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=160_000, help="environment steps, one action each")
    parser.add_argument("--seed", type=int, default=0, help="random seed")
    parser.add_argument("--against", default="high-low", help="policy by name: the other side of the test match")
    parser.add_argument("--opponent", dest="against", default=argparse.SUPPRESS, help=argparse.SUPPRESS)  # the old name
    parser.add_argument("--deals", type=int, default=2000, help="deals of the test match, each played twice")
    arguments = parser.parse_args()
    logging.getLogger("tianshou.data.stats").setLevel(logging.ERROR)  # the statistics warn of rewards that are vectors
    torch.set_num_threads(1)
    torch.manual_seed(arguments.seed)
    np.random.seed(arguments.seed)  # noqa: NPY002  Tianshou explores with NumPy's global generator
    values = make_network()
    report("before", values, arguments.against, arguments.deals)
    train(values, arguments.steps, arguments.seed)
    report("after", values, arguments.against, arguments.deals)


if __name__ == "__main__":
    main()

"""A module of an AEC environment with faults: an observation of no seed, and a mask that does not hold what it says."""

import itertools

import gymnasium
import numpy as np
from pettingzoo import AECEnv

_COUNTER = itertools.count()


def env():
    return FaultyEnv()


class FaultyEnv(AECEnv):
    metadata = {"name": "faulty"}  # noqa: RUF012

    def __init__(self):
        self.possible_agents = ["a", "b"]

    def observation_space(self, agent):
        return gymnasium.spaces.Dict(observation=gymnasium.spaces.Box(0, 3, (1,), np.int64),
                                     action_mask=gymnasium.spaces.MultiBinary(3))  # fmt: skip

    def action_space(self, agent):
        return gymnasium.spaces.Discrete(3)

    def reset(self, seed=None, options=None):
        self.agents, self.moves = self.possible_agents[:], 0
        self.agent_selection = "a"
        self.rewards, self._cumulative_rewards = dict.fromkeys(self.agents, 0), dict.fromkeys(self.agents, 0)
        self.terminations, self.truncations = dict.fromkeys(self.agents, False), dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self.noise = next(_COUNTER) % 3  # of no seed

    def observe(self, agent):
        return {"observation": np.array([self.noise]), "action_mask": np.array([1, 1, 0], np.int8)}

    def step(self, action):
        if (self.moves, action) == (3, 1):
            raise ValueError("no")
        self.moves += 1
        self.agent_selection = "ba"[self.moves % 2 == 0]
        self.terminations = dict.fromkeys(self.agents, self.moves == 6)

"""The PettingZoo environment in parallel form, for libraries that need an action of every agent at every step."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from pettingzoo import AECEnv
from pettingzoo.utils.conversions import turn_based_aec_to_parallel_wrapper

from cardenvs.checks import check_choice, check_mapping, short
from cardenvs.envs.arguments import ResetNeeded
from cardenvs.envs.states import CardState

WAITING = ("zeros", "noop")  # contents of the action mask of an agent that waits: nothing, or an action that does nothing


class CardParallelEnv(turn_based_aec_to_parallel_wrapper[str, Any, Any]):
    """A game as a PettingZoo parallel environment: all agents give an action at each step, only the acting one's counts.

    Args:
        env: the AEC environment.
        waiting: the action mask of an agent that is not to act. ``"zeros"``: zeros, as PettingZoo asks for. ``"noop"``:
            there is one more action, the last one, which does nothing; it is the only legal one of an agent that waits, and
            illegal for the one to act. Libraries that draw an action for every agent from its mask, such as TorchRL, need
            this. Once the episode is over, all masks are zeros.
    """

    def __init__(self, env: AECEnv[str, Any, Any], waiting: str = "zeros") -> None:
        check_choice("waiting", waiting, WAITING)
        super().__init__(env)
        self.waiting = waiting
        self.agents: list[str] = []
        self._begun = False
        self._spaces: dict[str, tuple[Any, Any]] = {}
        for agent in self.possible_agents:
            observed, actions = env.observation_space(agent), env.action_space(agent)
            if waiting == "noop":
                mask = Box(0, 1, (int(actions.n) + 1,), np.int8)
                observed = Dict({"observation": observed["observation"], "action_mask": mask})
                actions = Discrete(int(actions.n) + 1)
            self._spaces[agent] = observed, actions

    def observation_space(self, agent: str) -> Any:
        """Returns the observation space of ``agent``, the same object every time; ValueError for no such agent."""
        return self._spaces_of(agent)[0]

    def action_space(self, agent: str) -> Any:
        """Returns the action space of ``agent``, the same object every time; ValueError for no such agent."""
        return self._spaces_of(agent)[1]

    def _spaces_of(self, agent: Any) -> tuple[Any, Any]:
        if not isinstance(agent, str) or agent not in self._spaces:
            raise ValueError(f"agent must be one of {', '.join(self.possible_agents)}, not {short(agent)}")
        return self._spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Deals a new episode, see `cardenvs.envs.aec.CardEnv.reset`; returns all agents' observations and empty infos."""
        observations, infos = super().reset(seed=seed, options=options)
        self._begun = True
        return self._with_waiting_masks(observations), infos

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Plays the action of the agent to act.

        Args:
            actions: an action for each agent, by name; those of waiting agents are ignored and may be left out.

        Returns:
            Observation dicts, rewards, terminations, truncations (see ``max_decisions``) and infos of all agents, by name.

        Raises:
            ValueError: no dict, no action of the agent to act, or one that the AEC environment refuses.
            ResetNeeded: there is no episode, or it is over.
        """
        if not self.agents:
            state = "the episode is over" if self._begun else "there is no episode yet"
            raise ResetNeeded(f"{state}: call reset() first")
        acting = self.aec_env.agent_selection
        if acting not in check_mapping("actions", actions):
            raise ValueError(f"actions must have the action of {acting}, who is to act, not only {short(list(actions))}")
        observations, rewards, terminations, truncations, infos = super().step(actions)
        return self._with_waiting_masks(observations), rewards, terminations, truncations, infos

    def get_state(self) -> CardState:
        """Returns the current episode, see `cardenvs.envs.aec.CardEnv.get_state`."""
        state: CardState = self.aec_env.unwrapped.get_state()
        return state

    def set_state(self, state: CardState) -> None:
        """Restores an episode that `get_state` returned, see `cardenvs.envs.aec.CardEnv.set_state`."""
        self.aec_env.set_state(state)
        self.agents = list(self.aec_env.agents)
        self._begun = True

    def clone(self) -> CardParallelEnv:
        """Returns an independent copy that goes on as this environment does."""
        twin = CardParallelEnv(self.aec_env.clone(), self.waiting)
        twin.agents, twin._begun = list(self.agents), self._begun
        return twin

    def _with_waiting_masks(self, observations: dict[str, Any]) -> dict[str, Any]:
        if self.waiting == "zeros":
            return observations
        running = any(shown["action_mask"].any() for shown in observations.values())
        for shown in observations.values():
            mask = shown["action_mask"]
            shown["action_mask"] = np.append(mask, np.int8(running and not mask.any())).astype(np.int8)
        return observations

"""Audits of PettingZoo's AEC environments, as games of the judge: the seed of an episode is the outcome of chance."""

import importlib
import json
from collections.abc import Sequence
from typing import Any

from cardenvs.baselines.audit.judge import Judge

SEEDS = 100
"""Number of seeds of episodes."""
ENDLESS = 10**9


class AecGame:
    """An environment whose actions are discrete, by its module; ValueError if it is none."""

    def __init__(self, module: str) -> None:
        try:
            self.make = importlib.import_module(module).env
            env = self.make()
            self.agents = list(env.possible_agents)
            actions = [int(env.action_space(agent).n) for agent in self.agents]
        except Exception as error:
            what = f"{type(error).__name__}: {' '.join(str(error).split()):.200}"
            raise ValueError(f"{module!r} is no module of an AEC environment with discrete actions: {what}") from None

        self.num_players, self.num_distinct_actions = (lambda: len(self.agents)), (lambda: max(actions))
        self.max_game_length, self.min_utility, self.max_utility = (lambda: ENDLESS), (lambda: -ENDLESS), (lambda: ENDLESS)
        self.utility_sum = lambda: None

    def new_initial_state(self) -> "AecState":
        return AecState(self, [])

    def deserialize_state(self, text: str) -> "AecState":
        return AecState(self, json.loads(text))


class AecState:
    """A position: an environment of its own, reset with the first entry of its history and stepped with the others."""

    def __init__(self, game: AecGame, history: Sequence[int]) -> None:
        self.game, self.env, self._history = game, game.make(), list[int]()
        self._rewards, self._credited = [0.0] * len(game.agents), [0.0] * len(game.agents)
        for action in history:
            self.apply_action(action)

    def __str__(self) -> str:
        env = self.env
        return repr((self._history, self.rewards(), not self.is_chance_node() and (env.terminations, env.truncations)))

    def current_player(self) -> int:
        return (
            -1 if self.is_chance_node() else -4 if self.is_terminal() else self.game.agents.index(self.env.agent_selection)
        )

    def is_chance_node(self) -> bool:
        return not self._history

    def is_terminal(self) -> bool:
        return not self.is_chance_node() and all(map(self._is_dead, self.env.agents))

    def _is_dead(self, agent: str) -> bool:
        return bool(self.env.terminations[agent] or self.env.truncations[agent])

    def legal_actions(self, seat: int | None = None) -> list[int]:
        """The actions of the mask, in the observation or in the infos; all if there is none."""
        if self.is_chance_node():
            return list(range(SEEDS))
        if self.is_terminal() or seat not in (None, self.current_player()):
            return []
        agent = self.env.agent_selection
        observed, told = self.env.observe(agent), self.env.infos[agent]
        mask = next(
            (part["action_mask"] for part in (observed, told) if isinstance(part, dict) and "action_mask" in part), None
        )
        return [action for action in range(self.env.action_space(agent).n) if mask is None or mask[action]]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(seed, 1 / SEEDS) for seed in range(SEEDS)]

    def apply_action(self, action: int) -> None:
        """Resets or steps; agents that are out of the game take their last step at once, while others play on."""
        env, agents = self.env, self.game.agents
        if self.is_chance_node():
            env.reset(seed=action)
        else:
            self._rewards = [0.0] * len(agents)
            self._step(action)
            while env.agents and not self.is_terminal() and self._is_dead(env.agent_selection):
                self._step(None)
        self._history.append(action)

    def _step(self, action: int | None) -> None:
        env, agents = self.env, self.game.agents
        actor = agents.index(env.agent_selection)
        self._credited[actor] += env.last(observe=False)[1]
        env.step(action)
        if action is not None:
            self._rewards = [one + env.rewards.get(agent, 0.0) for one, agent in zip(self._rewards, agents, strict=True)]

    def apply_action_with_legality_check(self, action: int) -> None:
        """Steps; ValueError if that ends the episode, as PettingZoo's wrapper for illegal actions does."""
        self.apply_action(action)
        if self.is_terminal():
            raise ValueError("ended")

    def observe(self, seat: int) -> str:
        """An agent's observation; ValueError if it is outside its space."""
        agent = self.game.agents[seat]
        seen = self.env.observe(agent)
        if not self.env.observation_space(agent).contains(seen):
            raise ValueError("the observation is outside its space")
        parts = seen if isinstance(seen, dict) else {"": seen}
        return repr({name: part.tolist() if hasattr(part, "tolist") else part for name, part in parts.items()})

    def rewards(self) -> list[float]:
        return self._rewards

    def returns(self) -> list[float]:
        """The rewards that ``last`` gave agents so far, and would give now."""
        left = {} if self.is_chance_node() else self.env._cumulative_rewards
        return [one + left.get(agent, 0.0) for one, agent in zip(self._credited, self.game.agents, strict=True)]

    def history(self) -> list[int]:
        return self._history

    def clone(self) -> "AecState":
        return AecState(self.game, self._history)

    def serialize(self) -> str:
        return json.dumps(self._history)

    def resample_from_infostate(self, seat: int, rng: Any) -> Any:
        raise NotImplementedError("not implemented")


def audit_module(module: str, positions: int, seconds: float, seed: int) -> dict[str, Any]:
    """The figures of an environment's audit; ValueError if the module has none with discrete actions."""
    opening = ["from cardenvs.baselines.audit import AecGame", f"game = AecGame({module!r})"]
    return {"name": module} | Judge(AecGame(module), opening, seed).judge_positions(positions, seconds)

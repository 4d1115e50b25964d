"""Games in batches for RLlib's new API stack: `SeatVectorEnv` for one learner, `SelfPlayVectorEnv` for all seats.

RLlib makes its environments from a class and a dict of settings. It takes a class for one agent as it is:

    config.environment(SeatVectorEnv, env_config={"game": "euchre", "opponents": "high-low"})
    config.env_runners(num_envs_per_env_runner=256, gym_env_vectorize_mode="vector_entry_point")

For many agents RLlib itself only runs environments one by one, so `SelfPlayEnvRunner` makes the vector environment:

    config.environment(SelfPlayVectorEnv, env_config={"game": "euchre"})
    config.env_runners(num_envs_per_env_runner=256, env_runner_cls=SelfPlayEnvRunner)

Observations are dicts of ``"observations"`` and ``"action_mask"``, both float32, which RLlib's own
`ActionMaskingTorchRLModule` takes.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box, Dict, Discrete, Space
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from cardenvs.checks import short
from cardenvs.contract.spec import GameSpec
from cardenvs.envs import vector
from cardenvs.envs.arguments import ResetNeeded
from cardenvs.frameworks.games import SelfPlay, check_config
from cardenvs.plugins import MissingPackageError, installed

if not (installed("ray") and installed("tree")):  # Ray is here for clusters, too, without what RLlib needs
    raise MissingPackageError('games for RLlib: the package ray[rllib] is missing; pip install "ray[rllib]>=2.60"')

from ray.rllib.callbacks.utils import make_callback
from ray.rllib.env.env_context import EnvContext
from ray.rllib.env.multi_agent_env import MultiAgentEnv
from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner
from ray.rllib.env.vector.vector_multi_agent_env import VectorMultiAgentEnv

Shown = dict[str, npt.NDArray[np.float32]]  # observation of an agent with its mask

_BOTH = ("num_envs", "illegal", "reward", "team_share", "recall", "max_decisions", "encoding")
_SEAT = (*_BOTH, "seat", "opponents", "partner", "render_mode")
_SELF_PLAY = (*_BOTH, "seed", "skip_forced", "threads")


def _observation_space(spec: GameSpec, size: int) -> Dict:
    sizes = {"observations": size, "action_mask": spec.num_actions}
    return Dict({name: Box(0.0, 1.0, (size,), np.float32) for name, size in sizes.items()})


class SeatVectorEnv(VectorEnv[Shown, npt.NDArray[np.int64], npt.NDArray[Any]]):
    """`cardenvs.SeatVectorEnv` for RLlib: the mask is in the observation, and ended games are dealt anew in the next step.

    Args:
        config: ``"game"``, the game's name; ``"num_envs"``, the number of games, by default 1 (RLlib adds it); and all
            other arguments of `cardenvs.SeatVectorEnv` but ``autoreset_mode``.
    """

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}  # noqa: RUF012

    def __init__(self, config: Mapping[str, Any]) -> None:
        if isinstance(config, Mapping) and "autoreset_mode" in config:
            raise ValueError(
                "autoreset_mode cannot be chosen here: RLlib wants ended games to be dealt anew in the next step"
            )
        given = check_config(config, _SEAT)
        self.env = env = vector.SeatVectorEnv(**given, autoreset_mode=AutoresetMode.NEXT_STEP)
        self.num_envs, self.game = env.num_envs, env.game
        self.single_observation_space = _observation_space(env.game, env.seat_games.shown)
        self.single_action_space = env.single_action_space
        self.observation_space = batch_space(self.single_observation_space, env.num_envs)
        self.action_space = env.action_space

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Shown, dict[str, Any]]:
        """Deals a new episode in every game, see `cardenvs.SeatVectorEnv.reset`; infos are empty."""
        observations, infos = self.env.reset(seed=seed, options=options)
        return self._with_masks(observations, infos), {}

    def step(
        self, actions: npt.NDArray[np.int64]
    ) -> tuple[Shown, npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        """Plays the learner's actions, see `cardenvs.SeatVectorEnv.step`; infos have ``"illegal_action"`` alone."""
        observations, rewards, terminated, truncated, infos = self.env.step(np.asarray(actions))
        shown: dict[str, Any] = {name: infos[name] for name in ("illegal_action", "_illegal_action") if name in infos}
        return self._with_masks(observations, infos), rewards, terminated, truncated, shown

    def close_extras(self, **kwargs: Any) -> None:
        """Closes the policies made from names, such as programs; `close` calls it."""
        if hasattr(self, "env"):
            self.env.close()

    @staticmethod
    def _with_masks(observations: npt.NDArray[np.int8], infos: Mapping[str, Any]) -> Shown:
        return {"observations": observations.astype(np.float32), "action_mask": infos["action_mask"].astype(np.float32)}


class Agents(MultiAgentEnv):
    """The agents of a game, for RLlib, which asks a separate environment of each game for them."""

    def __init__(self, spec: GameSpec, size: int) -> None:
        super().__init__()
        self.possible_agents = [f"player_{seat}" for seat in range(spec.seats)]
        self.agents = list(self.possible_agents)
        shown, actions = _observation_space(spec, size), Discrete(spec.num_actions)
        self.observation_spaces: dict[str, Space[Any]] = dict.fromkeys(self.possible_agents, shown)
        self.action_spaces: dict[str, Space[Any]] = dict.fromkeys(self.possible_agents, actions)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Any]:
        """Raises NotImplementedError: games are played together."""
        raise NotImplementedError("games are played together: call reset() of the SelfPlayVectorEnv")

    def step(self, action_dict: Any) -> tuple[Any, Any, Any, Any, Any]:
        """Raises NotImplementedError: games are played together."""
        raise NotImplementedError("games are played together: call step() of the SelfPlayVectorEnv")


class SelfPlayVectorEnv(VectorMultiAgentEnv):
    """Games in compiled code, stepped together, in the form of RLlib's vector environments for several agents.

    A step is one decision in each game: of the agent that has an observation. At an episode's end all agents have their
    rewards and an observation, of zeros, or where it was truncated their current one. The next step deals that game anew
    and ignores its actions. The infos' ``"__common__"`` has the message on an illegal action.

    Args:
        config: ``"game"``, the game's name; ``"num_envs"``, the number of games, by default 1; and all other arguments of
            `cardenvs.frameworks.games.SelfPlay`.

    Attributes:
        envs: one `Agents` for all games.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        given = check_config(config, _SELF_PLAY)
        game, n = given.pop("game"), given.pop("num_envs", 1)
        self.games = SelfPlay(game, n, **given)
        self.game, self.num_envs = self.games.spec, self.games.n
        self.metadata = {"autoreset_mode": "next_step", "render_modes": []}
        agents = Agents(self.game, self.games.observations.shape[1])
        self.envs = [agents] * self.num_envs
        self.agents = agents.possible_agents
        self.single_observation_spaces, self.single_action_spaces = agents.observation_spaces, agents.action_spaces
        self.single_observation_space = Dict(agents.observation_spaces)
        self.single_action_space = Dict(agents.action_spaces)
        self._started = False

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[list[dict[str, Shown]], list[dict[str, Any]]]:
        """Deals a new episode in every game; ``seed`` as of `SelfPlay.reset`, and there are no ``options``.

        Returns:
            By game, the observation of the agent to act, by its name; and by game an empty dict.
        """
        if options:
            raise ValueError(f"reset has no options here, not {', '.join(map(str, options))}")
        super().reset()
        self.games.reset(seed)
        self._started = True
        observations: list[dict[str, Shown]] = [{} for _ in range(self.num_envs)]
        self._write_observations(range(self.num_envs), observations)
        return observations, [{} for _ in range(self.num_envs)]

    def step(self, actions: Sequence[Mapping[str, Any]]) -> tuple[Any, Any, Any, Any, Any]:
        """Plays an action in each game; games whose episode has ended are dealt anew instead.

        Args:
            actions: by game, the action of the agent to act, by its name.

        Returns:
            By game: the observation of the agent to act, by its name; the reward of the agent that has acted, and of all
            where something was paid; terminations and truncations with ``"__all__"``; and infos.

        Raises:
            ValueError: another number of games, or another agent than the one to act; with ``illegal="raise"``, an illegal
                action. Nothing has been played then.
            ResetNeeded: there is no episode yet.
        """
        if not self._started:
            raise ResetNeeded("there is no episode yet: call reset() first")
        played, n = self.games, self.num_envs
        if len(actions) != n:
            raise ValueError(f"actions must be a list of {n}, one for each game, not of {len(actions)}")
        over = played.terminated | played.truncated
        running = np.flatnonzero(~over)
        names, seats = self.agents, played.seats.tolist()
        chosen = np.zeros(len(running), np.int64)
        for k, i in enumerate(running.tolist()):
            own, agent = actions[i], names[seats[i]]
            if len(own) != 1 or agent not in own:
                raise ValueError(f"game {i}: {agent} is to act alone, not {', '.join(own) or 'nobody'}")
            chosen[k] = own[agent]
        played.step(chosen, running)
        messages = played.messages
        if over.any():
            played.reset(rows=np.flatnonzero(over))
        observations: list[dict[str, Shown]] = [{} for _ in range(n)]
        rewards: list[dict[str, float]] = [{} if over[i] else {names[seats[i]]: 0.0} for i in range(n)]
        terminated: list[dict[str, bool]] = [{"__all__": bool(flag)} for flag in played.terminated]
        truncated: list[dict[str, bool]] = [{"__all__": bool(flag)} for flag in played.truncated]
        infos: list[dict[str, Any]] = [{} for _ in range(n)]
        ended = played.terminated | played.truncated
        self._write_observations(np.flatnonzero(~ended).tolist(), observations)
        for i in np.flatnonzero(played.rewards.any(1) | ended).tolist():
            rewards[i] = dict(zip(names, played.rewards[i].tolist(), strict=True))
        for i in np.flatnonzero(ended).tolist():
            observations[i] = {agent: self._final_observation(i, seat) for seat, agent in enumerate(names)}
        for i, message in messages.items():
            infos[i]["__common__"] = {"illegal_action": message}
        return observations, rewards, terminated, truncated, infos

    def _write_observations(self, rows: Sequence[int], observations: list[dict[str, Shown]]) -> None:
        """Writes the observations of the agents to act in some games, by their names."""
        seen = self.games.observations.astype(np.float32)
        masks = self.games.action_masks.astype(np.float32)
        seats = self.games.seats.tolist()
        for i in rows:
            observations[i] = {self.agents[seats[i]]: {"observations": seen[i], "action_mask": masks[i]}}

    def _final_observation(self, i: int, seat: int) -> Shown:
        mask = np.zeros(self.game.num_actions, np.float32)
        if self.games.truncated[i]:
            return {"observations": self.games.batch.observe(i, seat).astype(np.float32), "action_mask": mask}
        return {"observations": np.zeros(self.games.observations.shape[1], np.float32), "action_mask": mask}


class SelfPlayEnvRunner(MultiAgentEnvRunner):
    """RLlib's runner for several agents, with a `SelfPlayVectorEnv` in place of environments one by one."""

    def make_env(self) -> None:
        """Makes the configured environment, a class that takes a dict of settings with ``"num_envs"``; else ValueError."""
        if not callable(self.config.env):
            raise ValueError(
                f"environment() must be given a class, such as SelfPlayVectorEnv, not {short(self.config.env)}"
            )
        n = self.config.num_envs_per_env_runner
        settings = {**self.config.env_config, "num_envs": n}
        context = EnvContext(settings, worker_index=self.worker_index, num_workers=self.config.num_env_runners)
        self.env = self.config.env(context)
        self.num_envs = self.env.num_envs
        self._needs_initial_reset = True
        make_callback(
            "on_environment_created",
            callbacks_objects=self._callbacks,
            callbacks_functions=self.config.callbacks_on_environment_created,
            kwargs={"env_runner": self, "metrics_logger": self.metrics, "env": self.env, "env_context": context},
        )

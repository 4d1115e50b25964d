"""The PettingZoo environment for any game: one agent acts at a time (AEC)."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box, Dict, Discrete
from pettingzoo import AECEnv, ParallelEnv

from cardenvs.checks import call_text, check_bool, check_seed, short
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import DEAL_OVER, DECISIONS, RUNNING, TRUNCATED, batch_settings, new_arrays, split_ints
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.arguments import (
    ResetNeeded,
    action_number,
    apply_deal_options,
    check_illegal,
    check_limit,
    check_reset_options,
    check_reward,
    deal_options,
    form_of,
    illegal_rewards,
)
from cardenvs.envs.states import CardState, checked_games, games_of
from cardenvs.envs.wrappers import Ordered
from cardenvs.randomness import drawn_seed

if TYPE_CHECKING:  # pictures are loaded where some are drawn
    from cardenvs.render.renderer import Renderer

RENDER_MODES = ("human", "rgb_array", "ansi")
RENDER_FPS = 2


def observation_box(size: int) -> Box:
    """Returns the space of observations: int8 zeros and ones of shape (size,)."""
    return Box(0, 1, (size,), np.int8)


def new_renderer(spec: GameSpec, mode: str | None) -> Renderer | None:
    """Returns the renderer of a render mode, None for a mode without pictures; the first picture imports pygame.

    Raises:
        ValueError: an unknown render mode.
        MissingRendererError: the render mode needs pygame-ce, which is not installed.
    """
    if mode is not None and (not isinstance(mode, str) or mode not in RENDER_MODES):
        raise ValueError(f"render_mode must be None or one of {', '.join(map(repr, RENDER_MODES))}, not {short(mode)}")
    if mode is None or mode == "ansi":
        return None
    from cardenvs.render.renderer import Renderer, check_renderer

    check_renderer(mode)
    return Renderer(spec.title, mode, RENDER_FPS)


def draw(spec: GameSpec, renderer: Renderer | None, games: Games, seat: int | None = None) -> Any:
    """Returns what an environment's ``render`` does: without a renderer, the position of game 0 in text."""
    if renderer is None:
        return spec.drawing(games[0], seat)
    from cardenvs.render.scene import scene

    return renderer.render(scene(spec, games, seat))


_PETTINGZOO_TESTS = {"options": 1}  # options that PettingZoo's own tests pass to `reset` of any environment


class CardEnv(AECEnv[str, dict[str, Any], Any]):
    """A game as a PettingZoo AEC environment; agents are ``player_0`` ... in seating order, to the left.

    Observations are dicts of int8 arrays, ``"observation"`` (observation_size,) and ``"action_mask"`` (num_actions,); the
    mask is all zeros for an agent that is not to act. Every agent can be observed at any time. The environment can be
    copied and pickled in every state, except for an open window. ``reward``, ``team_share``, ``recall``, ``max_decisions``,
    ``encoding`` and rule options are those of `cardenvs.Batch`. Methods that need an episode raise ResetNeeded, a
    ValueError, without one.

    Args:
        render_mode: None, ``"ansi"`` (`render` draws the position in text), ``"rgb_array"`` (`render` returns a picture,
            uint8 (600, 800, 3)) or ``"human"`` (the picture is shown in a window at every step). All hands are open.
            Pictures need the extra ``render``.
        illegal: ``"raise"``: an illegal action is a ValueError, and nothing has been played; ``"terminate"``: it ends the
            episode with the greatest loss that the options and the reward know for the agent's side and as great a gain for
            the others, and the agent's info has the reason as ``"illegal_action"``.

    Raises:
        ValueError: an unknown game, option or value.
        MissingRendererError: the render mode needs pygame-ce, which is not installed.
    """

    def __init__(
        self,
        game: str | GameSpec,
        render_mode: str | None = None,
        reward: str | None = None,
        team_share: float = 1.0,
        illegal: str = "raise",
        recall: bool = False,
        max_decisions: int | None = None,
        encoding: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        game, options = form_of(game, options, type(self))
        self.spec = spec = game.with_recall(check_bool("recall", recall))
        self._limit = check_limit(spec, max_decisions)
        self._shown = spec.shown_size(encoding)
        self._illegal = check_illegal(illegal)
        self._reward = reward
        self._renderer = new_renderer(spec, render_mode)
        self.metadata = {
            "name": spec.module,
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
            "render_fps": RENDER_FPS,
        }
        self.render_mode = render_mode
        self._kind, self._share = check_reward(spec, reward, team_share)
        self._gains = spec.pays_gains(self._kind)
        self._options = options
        self._games = spec.new_games(1, **options)
        self.possible_agents = [f"player_{seat}" for seat in range(spec.seats)]
        self.agents: list[str] = []
        self._observation_spaces = {
            agent: Dict(
                {"observation": observation_box(self._shown), "action_mask": Box(0, 1, (spec.num_actions,), np.int8)}
            )
            for agent in self.possible_agents
        }
        self._action_spaces = {agent: Discrete(spec.num_actions) for agent in self.possible_agents}
        self.state_space = Box(0, 1, (spec.state_size,), np.int8)
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._streams: npt.NDArray[np.uint64] | None = None
        self._scratch = spec.new_games(1)
        self._action = np.zeros(1, np.int64)
        self._settings = batch_settings(0, 1, self._kind, self._share, False, False, self._limit)
        self._take_arrays(new_arrays(spec, 1))
        self._to_act[0] = -1

    def _take_arrays(self, arrays: Any) -> None:
        self._arrays = arrays
        self._observation, self._mask, self._payoff, ints = arrays
        self._to_act, self._ended, _, _, self._kept = split_ints(ints, self._payoff, self.spec.mask_words)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._take_arrays(self._arrays)  # of which others are views

    def __repr__(self) -> str:
        return call_text("CardEnv", self.spec.name, illegal=self._illegal, **self._options)

    def observation_space(self, agent: str) -> Any:
        """Returns the observation space of ``agent``, the same object every time; ValueError for no such agent."""
        return self._observation_spaces[self._check_agent(agent)]

    def action_space(self, agent: str) -> Any:
        """Returns the action space of ``agent``, the same object every time; ValueError for no such agent."""
        return self._action_spaces[self._check_agent(agent)]

    def _check_agent(self, agent: Any) -> str:
        if not isinstance(agent, str) or agent not in self._seat_of:
            raise ValueError(f"agent must be one of {', '.join(self.possible_agents)}, not {short(agent)}")
        return agent

    def _check_started(self) -> None:
        if self._streams is None:
            raise ResetNeeded("there is no episode yet: call reset() first")

    def _check_agents(self) -> None:
        self._check_started()
        if not self.agents:
            raise ResetNeeded("the episode is over and all agents have left: call reset() first")

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deals a new episode.

        Args:
            seed: an int from 0 to 2**256 - 1 that starts the random stream anew; None goes on with the stream.
            options: may have ``"deal"``, ``"dealer"`` and ``"deck"``, see `cardenvs.envs.arguments.apply_deal_options`.

        Raises:
            ValueError: a wrong seed, an unknown key of the options, a deal that is not of this game or is over already, or
                a dealer that is no seat. The previous episode goes on then.
        """
        spec, tested = self.spec, isinstance(options, dict) and options == _PETTINGZOO_TESTS
        given = check_reset_options(None if tested else options, deal_options(spec))
        games = spec.new_games(1, **self._options)
        if seed is not None or self._streams is None:
            streams = seed_streams(drawn_seed() if seed is None else check_seed(seed), 1)
        else:
            streams = self._streams.copy()
        spec.kernels.deal(games, 0, streams, 0)
        apply_deal_options(spec, games, given, self._options, self._limit)
        self._games, self._streams = games, streams
        self._kept[0, DECISIONS] = games[0]["moves"] if given else 0
        self._write_row()
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self.agent_selection = self.possible_agents[int(self._to_act[0])]
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> dict[str, npt.NDArray[np.int8]]:
        """Returns the observation dict of ``agent`` in new arrays at any time; ValueError for no such agent."""
        try:
            seat = self._seat_of[agent]
        except (KeyError, TypeError):
            seat = self._seat_of[self._check_agent(agent)]
        if self._streams is None:
            self._check_started()
        if seat == self._to_act.item():
            return {"observation": self._observation[0, : self._shown].copy(), "action_mask": self._mask.flatten()}
        observation = np.empty((1, self.spec.observation_size), np.int8)
        mask = np.empty((1, self.spec.num_actions), np.int8)
        self.spec.kernels.observe_seat(self._games, 0, seat, self._scratch, observation, mask)
        if self._to_act[0] < 0:
            mask[:] = 0  # an illegal action has ended the episode before the deal was over
        return {"observation": observation[0, : self._shown], "action_mask": mask[0]}

    def step(self, action: Any) -> None:
        """Plays ``action`` for the agent to act (None for one whose episode is over).

        Raises:
            ValueError: the action is no int; it is illegal, with ``illegal="raise"``, and the message names the legal ones;
                or the episode is over for the agent, and the action is not None. Nothing has been played then.
        """
        if self._streams is None or not self.agents:
            self._check_agents()
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            if action is not None:
                raise ValueError(f"the episode is over for {agent}: its only action is None, not {short(action)}")
            self._was_dead_step(action)
            return
        spec = self.spec
        number = action if type(action) is int else action_number(spec, action)
        if not 0 <= number < spec.num_actions or not self._mask.item(number):
            message = spec.illegal_message(self._games, 0, number)
            if self._illegal == "raise":
                raise ValueError(message)
            self._end_illegally(agent, message)
            return
        self._action[0] = number
        spec.kernels.batch_step(self._games, self._streams, self._action, *self._arrays, self._settings, self._scratch)
        self._cumulative_rewards[agent] = 0.0
        ended = self._ended.item()
        if self._gains or (ended != RUNNING and ended != TRUNCATED):
            self.rewards = dict(zip(self.possible_agents, self._payoff[0].tolist(), strict=True))
            self._accumulate_rewards()
        else:
            self.rewards = dict.fromkeys(self.agents, 0.0)
        if ended == RUNNING or ended == DEAL_OVER:
            self.agent_selection = self.possible_agents[self._to_act.item()]
        else:
            if ended == TRUNCATED:
                self.truncations = dict.fromkeys(self.agents, True)
            else:
                self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
        if self.render_mode == "human":
            self.render()

    def _write_row(self) -> None:
        self.spec.kernels.batch_deal(self._games, self._streams, 0, 1, *self._arrays, self._scratch, False)

    def get_state(self) -> CardState:
        """Returns the current episode with its random stream, in microseconds; `set_state` restores it."""
        self._check_started()
        assert self._streams is not None
        return CardState(
            self.spec.name,
            self._games.tobytes(),
            int(self._streams[0]),
            int(self._kept[0, DECISIONS]),
            int(self._to_act[0]),
            tuple(self.agents),
            self.agent_selection,
            self._skip_agent_selection,
            tuple(self.rewards.values()),
            tuple(self._cumulative_rewards.values()),
            tuple(self.terminations.values()),
            tuple(self.truncations.values()),
            tuple(info.get("illegal_action") for info in self.infos.values()),
        )

    def set_state(self, state: CardState) -> None:
        """Restores an episode that `get_state` returned, here or in another environment of the game; else ValueError."""
        self._games = checked_games(self.spec, self.possible_agents, state)
        self._streams = np.array([state.stream], np.uint64)
        self._kept[0, DECISIONS] = state.decisions
        self._write_row()
        self._to_act[0] = state.to_act
        self.agents = list(state.agents)
        self.agent_selection = state.agent_selection
        self._skip_agent_selection = state.skipped  # type: ignore[assignment]
        self.rewards = dict(zip(state.agents, state.rewards, strict=False))
        self._cumulative_rewards = dict(zip(state.agents, state.cumulative, strict=False))
        self.terminations = dict(zip(state.agents, state.terminations, strict=False))
        self.truncations = dict(zip(state.agents, state.truncations, strict=False))
        self.infos = {
            agent: {} if message is None else {"illegal_action": message}
            for agent, message in zip(state.agents, state.illegal, strict=False)
        }

    def clone(self) -> CardEnv:
        """Returns an independent copy that goes on as this environment does, in microseconds; it has no window.

        Spaces and settings, which never change, are shared.
        """
        twin = object.__new__(type(self))
        own = twin.__dict__
        own.update(self.__dict__)
        own["_renderer"] = copy.copy(self._renderer)
        own["_games"] = games_of(self.spec, self._games.tobytes())
        own["_scratch"] = np.empty_like(self._scratch)
        own["_action"] = self._action.copy()
        twin._take_arrays(tuple(array.copy() for array in self._arrays))
        if self._streams is not None:
            own["_streams"] = self._streams.copy()
            for name in ("rewards", "_cumulative_rewards", "terminations", "truncations"):
                own[name] = own[name].copy()
            own["infos"] = {agent: info.copy() for agent, info in self.infos.items()}
        own["agents"] = self.agents.copy()
        return twin

    def _end_illegally(self, agent: str, message: str) -> None:
        seats = np.array([self._seat_of[agent]])
        paid = illegal_rewards(self.spec, self._options, self._reward, self._games, seats, self._share)[0].tolist()
        self._to_act[0] = -1
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict(zip(self.possible_agents, paid, strict=True))
        self._accumulate_rewards()
        self.terminations = dict.fromkeys(self.agents, True)
        self.infos[agent]["illegal_action"] = message
        self.agent_selection = self.agents[0]

    def last(self, observe: bool = True) -> tuple[dict[str, Any] | None, float, bool, bool, dict[str, Any]]:
        """Returns the acting agent's observation, its reward since its last action, terminated, truncated, and its info."""
        if self._streams is None or not self.agents:
            self._check_agents()
        agent = self.agent_selection
        shown = self.observe(agent) if observe else None
        return shown, self._cumulative_rewards[agent], self.terminations[agent], self.truncations[agent], self.infos[agent]

    def state(self) -> npt.NDArray[np.int8]:
        """Returns the full deal for centralised critics, from seat 0 (see `GameSpec.full_state`): int8 (state_size,)."""
        self._check_started()
        return self.spec.full_state(self._games)

    def deal_text(self, actions: bool = True) -> str:
        """Returns the deal as one line of text, which ``reset(options={"deal": ...})`` accepts."""
        self._check_started()
        return self.spec.text(self._games[0], actions)

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """Draws the position: ``"ansi"`` returns text, ``"rgb_array"`` uint8 (600, 800, 3), ``"human"`` shows the image."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() does nothing without a render_mode")
            return None
        self._check_started()
        drawn: str | npt.NDArray[np.uint8] | None = draw(self.spec, self._renderer, self._games)
        return drawn

    def close(self) -> None:
        """Closes the window, if one is open."""
        if self._renderer is not None:
            self._renderer.close()


class Constructors:
    """The three functions of a game's PettingZoo module, whose keyword arguments are those of `CardEnv`."""

    def __init__(self, game: str | GameSpec) -> None:
        self.game = game

    def raw_env(
        self,
        *,
        render_mode: str | None = None,
        reward: str | None = None,
        team_share: float = 1.0,
        illegal: str = "raise",
        recall: bool = False,
        max_decisions: int | None = None,
        encoding: str | None = None,
        **options: Any,
    ) -> CardEnv:
        """Returns the environment without wrappers: an illegal action is a ValueError. Arguments as of `CardEnv`."""
        return CardEnv(self.game, render_mode, reward, team_share, illegal, recall, max_decisions, encoding, **options)

    def env(
        self,
        *,
        render_mode: str | None = None,
        reward: str | None = None,
        team_share: float = 1.0,
        illegal: str = "terminate",
        recall: bool = False,
        max_decisions: int | None = None,
        encoding: str | None = None,
        **options: Any,
    ) -> AECEnv[str, Any, Any]:
        """Returns the environment in PettingZoo's order-enforcing wrapper. Arguments as of `CardEnv`."""
        return Ordered(
            CardEnv(self.game, render_mode, reward, team_share, illegal, recall, max_decisions, encoding, **options)
        )

    def parallel_env(
        self,
        waiting: str = "zeros",
        *,
        render_mode: str | None = None,
        reward: str | None = None,
        team_share: float = 1.0,
        illegal: str = "terminate",
        recall: bool = False,
        max_decisions: int | None = None,
        encoding: str | None = None,
        **options: Any,
    ) -> ParallelEnv[str, Any, Any]:
        """Returns the wrapped environment in PettingZoo's parallel form, which plays the acting agent's action only.

        Arguments as of `CardEnv`, and ``waiting`` as of `cardenvs.envs.parallel.CardParallelEnv`.
        """
        from cardenvs.envs.parallel import CardParallelEnv

        game, options = form_of(self.game, options, self.parallel_env)
        made = CardEnv(game, render_mode, reward, team_share, illegal, recall, max_decisions, encoding, **options)
        return CardParallelEnv(Ordered(made), waiting)

"""The PettingZoo environment for any game: one agent acts at a time (AEC)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box, Dict, Discrete
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils import wrappers
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from cardenvs.cards import seed_streams
from cardenvs.checks import is_int
from cardenvs.drivers import EPISODE_OVER, RUNNING
from cardenvs.envs.batch import check_reward, illegal_message
from cardenvs.render.renderer import PICTURES, Renderer, check_renderer
from cardenvs.render.scene import scene
from cardenvs.spec import Games, GameSpec, get_game

RENDER_MODES = ("human", "rgb_array", "ansi")
RENDER_FPS = 2
ILLEGAL_REWARD = -1.0
"""What the wrapped environment pays an agent for an illegal action, which ends its episode."""


def observation_box(spec: GameSpec) -> Box:
    """The space of a game's observations: int8 zeros and ones of shape (observation_size,)."""
    return Box(0, 1, (spec.observation_size,), np.int8)


def new_renderer(spec: GameSpec, mode: str | None) -> Renderer | None:
    """The renderer of a render mode; None for a mode without pictures. pygame is imported with the first picture.

    Args:
        spec: the game that is drawn.
        mode: the render mode, one of `RENDER_MODES`; None for none.

    Raises:
        ValueError: an unknown render mode.
        MissingRendererError: the render mode needs pygame, which is not installed; names the extra.
    """
    if mode is not None and mode not in RENDER_MODES:
        raise ValueError(f"render_mode must be None or one of {', '.join(map(repr, RENDER_MODES))}, not {mode!r}")
    check_renderer(mode)
    return Renderer(spec.title, mode, RENDER_FPS) if mode is not None and mode in PICTURES else None


def apply_deal_options(spec: GameSpec, games: Games, options: dict[str, Any] | None, rules: dict[str, Any]) -> None:
    """Gives game 0 the deal and the dealer that the ``options`` of an environment's ``reset`` ask for.

    Args:
        spec: the game that is played.
        games: a structured array of shape (1,), already dealt; it is changed.
        options: ``"deal"``: a line of text as `GameSpec.text` writes it, whose actions are played, or a state of shape
            (1,). ``"dealer"``: a seat. Other keys are ignored.
        rules: rule options by name, for those that the line does not name.

    Raises:
        ValueError: the deal is not one of this game or is over already, or the dealer is no seat.
    """
    if not options:
        return
    deal = options.get("deal")
    if deal is not None:
        if isinstance(deal, str):
            games[:] = spec.parse(deal, **rules)
        elif isinstance(deal, np.ndarray) and deal.dtype == spec.dtype and deal.shape == (1,):
            games[:] = deal
        else:
            raise ValueError(f"deal must be a text line or a state of {spec.name} of shape (1,), not {deal!r}")
        if games[0]["over"] != RUNNING:
            raise ValueError("deal is over already: leave its last actions out")
    dealer = options.get("dealer")
    if dealer is not None:
        if spec.set_dealer is None:
            raise ValueError(f"dealer cannot be chosen in {spec.name}, which has none")
        if not is_int(dealer) or not 0 <= dealer < spec.seats:
            raise ValueError(f"dealer must be a seat from 0 to {spec.seats - 1}, not {dealer!r}")
        if games[0]["moves"]:
            raise ValueError("dealer cannot be chosen for a deal that has begun")
        spec.set_dealer(games, 0, int(dealer))


class CardEnv(AECEnv[str, dict[str, Any], Any]):
    """A game as a PettingZoo AEC environment; agents are ``player_0`` ... in seating order, to the left.

    Observations are dicts of int8 arrays, ``"observation"`` (observation_size,) and ``"action_mask"`` (num_actions,); the
    mask is all zeros for an agent that is not to act. Every agent can be observed at any time.

    Args:
        game: the game's name or spec.
        render_mode: None, ``"ansi"`` (`render` draws the position in text), ``"rgb_array"`` (`render` returns a picture,
            uint8 (600, 800, 3)) or ``"human"`` (the picture is shown in a window at every step). All hands are open.
            Pictures need the extra ``render``.
        reward: the kind of reward, such as ``"points"``; None takes the game's first.
        team_share: 0 to 1. 1 pays both partners their side's reward, 0 pays each partner its own part of that reward; see
            `cardenvs.drivers.pay`.
        options: rule options, by name.

    Raises:
        ValueError: an unknown game, option or value; from `step`, an illegal action.
        MissingRendererError: the render mode needs pygame, which is not installed.
    """

    def __init__(
        self,
        game: str | GameSpec,
        render_mode: str | None = None,
        reward: str | None = None,
        team_share: float = 1.0,
        **options: Any,
    ) -> None:
        super().__init__()
        self.spec = spec = get_game(game)
        self._renderer = new_renderer(spec, render_mode)
        self.metadata = {
            "name": spec.module,
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
            "render_fps": RENDER_FPS,
        }
        self.render_mode = render_mode
        self._kind, self._share = check_reward(spec, reward, team_share)
        self._options = options
        self._games = spec.new_games(1, **options)
        self.possible_agents = [f"player_{seat}" for seat in range(spec.seats)]
        self.agents: list[str] = []
        self._observation_spaces = {
            agent: Dict({"observation": observation_box(spec), "action_mask": Box(0, 1, (spec.num_actions,), np.int8)})
            for agent in self.possible_agents
        }
        self._action_spaces = {agent: Discrete(spec.num_actions) for agent in self.possible_agents}
        self.state_space = Box(0, 1, (spec.state_size,), np.int8)
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._streams: npt.NDArray[np.uint64] | None = None
        self._scratch = spec.new_games(1)
        self._action = np.zeros(1, np.int64)
        self._observation = np.zeros((1, spec.observation_size), np.int8)
        self._mask = np.zeros((1, spec.num_actions), np.int8)
        self._to_act = np.full(1, -1, np.int64)
        self._payoff = np.zeros((1, spec.seats), np.float32)
        self._ended = np.zeros(1, np.int64)
        self._points = np.zeros((1, 2), np.int64)
        self._tricks = np.zeros((1, spec.seats), np.int64)

    def observation_space(self, agent: str) -> Any:
        """The observation space of ``agent``, the same object every time."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The action space of ``agent``, the same object every time."""
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deals a new episode.

        Args:
            seed: an int of at least 0 that starts the random stream anew; None goes on with the stream.
            options: may have ``"deal"`` and ``"dealer"``, see `apply_deal_options`; other keys are ignored.

        Raises:
            ValueError: the deal is not one of this game or is over already, or the dealer is no seat.
        """
        if seed is not None or self._streams is None:
            if seed is None:
                seed = int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
            self._streams = seed_streams(seed, 1)
        spec = self.spec
        games = spec.new_games(1, **self._options)
        spec.kernels.deal(games, 0, self._streams, 0)
        apply_deal_options(spec, games, options, self._options)
        self._games = games
        spec.kernels.batch_deal(
            games, self._streams, 0, 1, self._observation, self._mask, self._to_act, self._scratch, False
        )
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
        """The observation dict of ``agent`` at this moment, in new arrays, whoever is to act."""
        seat = self._seat_of[agent]
        if seat == self._to_act[0]:
            return {"observation": self._observation[0].copy(), "action_mask": self._mask[0].copy()}
        observation = np.empty((1, self.spec.observation_size), np.int8)
        mask = np.empty((1, self.spec.num_actions), np.int8)
        self.spec.kernels.observe_seat(self._games, 0, seat, self._scratch, observation, mask)
        return {"observation": observation[0], "action_mask": mask[0]}

    def step(self, action: Any) -> None:
        """Plays ``action`` for the agent to act (None for one whose episode is over).

        Raises:
            ValueError: an illegal action; the message says what is legal. Nothing has been played then.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        spec = self.spec
        try:
            legal = 0 <= action < spec.num_actions and action == int(action) and self._mask[0, int(action)]
        except (TypeError, ValueError):
            raise ValueError(f"an action of {spec.name} is an int, not {action!r}") from None
        if not legal:
            raise ValueError(illegal_message(spec, self._games, 0, int(action)))
        self._action[0] = action
        spec.kernels.batch_step(
            self._games, self._streams, 0, 1, self._action, self._observation, self._mask, self._to_act, self._payoff,
            self._ended, self._points, self._tricks, self._scratch, self._kind, self._share, False, False,
        )  # fmt: skip
        self._cumulative_rewards[agent] = 0.0
        ended = self._ended[0]
        if ended == RUNNING:
            self.rewards = dict.fromkeys(self.agents, 0.0)
            self.agent_selection = self.possible_agents[self._to_act[0]]
        else:
            self.rewards = dict(zip(self.possible_agents, self._payoff[0].tolist(), strict=True))
            self._accumulate_rewards()
            if ended == EPISODE_OVER:
                self.terminations = dict.fromkeys(self.agents, True)
                self.agent_selection = self.agents[0]
            else:
                self.agent_selection = self.possible_agents[self._to_act[0]]
        if self.render_mode == "human":
            self.render()

    def state(self) -> npt.NDArray[np.int8]:
        """The full deal for centralised critics, from seat 0 (see `GameSpec.full_state`): int8 (state_size,)."""
        return self.spec.full_state(self._games)

    def deal_text(self, actions: bool = True) -> str:
        """The deal as one line of text, which ``reset(options={"deal": ...})`` takes back."""
        return self.spec.text(self._games[0], actions)

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """Draws the position: in text in mode ``"ansi"``, as uint8 (600, 800, 3) in ``"rgb_array"``; mode ``"human"`` shows
        the picture."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() does nothing without a render_mode")
            return None
        if self._renderer is None:
            return self.spec.drawing(self._games[0], None)
        return self._renderer.render(scene(self.spec, self._games))

    def close(self) -> None:
        """Closes the window, if one is open."""
        if self._renderer is not None:
            self._renderer.close()


def _direct(name: str) -> Any:
    """A property of a wrapper that reads the raw environment's attribute directly, not from wrapper to wrapper."""
    return property(lambda wrapper: getattr(wrapper._raw, name))


class _Direct:
    """Mixed into PettingZoo's wrappers, which else spend most of their time on passing these attributes on."""

    agents = _direct("agents")
    agent_selection = _direct("agent_selection")
    rewards = _direct("rewards")
    terminations = _direct("terminations")
    truncations = _direct("truncations")
    infos = _direct("infos")
    _cumulative_rewards = _direct("_cumulative_rewards")

    def __init__(self, env: Any, *args: Any, **kwargs: Any) -> None:
        self._raw = env.unwrapped
        super().__init__(env, *args, **kwargs)  # type: ignore[call-arg]


class _TerminateIllegal(_Direct, wrappers.TerminateIllegalWrapper):
    pass


class _AssertOutOfBounds(_Direct, wrappers.AssertOutOfBoundsWrapper):
    pass


class Constructors:
    """The three functions of a game's PettingZoo module, whose keyword arguments are those of `CardEnv`.

    Args:
        game: the game's name.

    Attributes:
        game: the game's name.
        raw_env: makes the environment without wrappers; an illegal action is a ValueError.
        env: makes the environment in PettingZoo's usual wrappers; an illegal action ends the episode at a loss.
        parallel_env: makes the wrapped environment in PettingZoo's parallel form; only the acting agent's action counts.
    """

    def __init__(self, game: str) -> None:
        self.game = game
        self.raw_env: Callable[..., CardEnv] = self._raw
        self.env: Callable[..., AECEnv[str, Any, Any]] = self._wrapped
        self.parallel_env: Callable[..., ParallelEnv[str, Any, Any]] = self._parallel

    def _raw(self, **kwargs: Any) -> CardEnv:
        """The environment without wrappers: an illegal action is a ValueError."""
        return CardEnv(self.game, **kwargs)

    def _wrapped(self, **kwargs: Any) -> AECEnv[str, Any, Any]:
        """The environment in PettingZoo's usual wrappers: an illegal action ends the episode at a loss."""
        env: Any = CardEnv(self.game, **kwargs)
        env = _TerminateIllegal(env, illegal_reward=ILLEGAL_REWARD)
        env = _AssertOutOfBounds(env)
        return wrappers.OrderEnforcingWrapper(env)

    def _parallel(self, **kwargs: Any) -> ParallelEnv[str, Any, Any]:
        """The wrapped environment in PettingZoo's parallel form: only the acting agent's action counts."""
        return turn_based_aec_to_parallel(self._wrapped(**kwargs))

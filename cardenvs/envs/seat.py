"""The one-seat Gymnasium environment: the learner holds a seat, named policies hold the others."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from cardenvs.checks import check_seed
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.aec import RENDER_FPS, RENDER_MODES, draw, new_renderer
from cardenvs.envs.arguments import ResetNeeded, action_number, check_illegal, check_reset_options, deal_options, form_of
from cardenvs.envs.lineups import Pool
from cardenvs.envs.seat_games import SeatGames as SeatGames
from cardenvs.envs.vector import SeatVectorEnv


class SeatEnv(gymnasium.Env[npt.NDArray[np.int8], np.int64]):
    """One seat of a game as a Gymnasium environment; named policies hold the other seats.

    It is `cardenvs.SeatVectorEnv` with one game, which is dealt anew only by `reset`.

    The action mask is in ``info["action_mask"]`` and from `action_masks`; ``info["opponents"]`` has the names of the
    policies at the other seats in this episode, by agent (``{"player_1": "hybrid", ...}``). A reward runs from one own
    decision to the next. Deals in which the learner has nothing to decide are skipped. Methods that need an episode raise
    ResetNeeded, a ValueError, without one.

    Args:
        render_mode: None, ``"ansi"`` (`render` draws the position in text), ``"rgb_array"`` (`render` returns a picture,
            uint8 (600, 800, 3)) or ``"human"`` (the picture is shown in a window at every move). The learner's view is
            drawn. Pictures need the extra ``render``.
        illegal: ``"terminate"``: an illegal action ends the episode with the greatest loss that the options and the reward
            know, and the reason is in ``info["illegal_action"]``; ``"raise"``: it is a ValueError, and nothing has been
            played.
        seat: this and what follows, rule options included, as of `SeatGames`.

    Raises:
        ValueError: an unknown game, seat, policy, option or value.
        MissingRendererError: the render mode needs pygame-ce, which is not installed.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}  # noqa: RUF012  Gymnasium's own convention

    def __init__(
        self,
        game: str | GameSpec,
        render_mode: str | None = None,
        illegal: str = "terminate",
        *,
        seat: int | str = 0,
        opponents: Pool | Mapping[str, Pool] = "random",
        partner: Pool | None = None,
        reward: str | None = None,
        team_share: float = 1.0,
        recall: bool = False,
        max_decisions: int | None = None,
        encoding: str | None = None,
        **options: Any,
    ) -> None:
        game, options = form_of(game, options, type(self))
        self._renderer = new_renderer(game, render_mode)
        self.render_mode = render_mode
        self._illegal = check_illegal(illegal)
        self.vector = SeatVectorEnv(
            game, autoreset_mode=AutoresetMode.DISABLED,
            seat=seat, opponents=opponents, partner=partner, reward=reward, team_share=team_share, recall=recall,
            max_decisions=max_decisions, encoding=encoding, **options,
        )  # fmt: skip
        self.game = self.vector.game
        if render_mode == "human":
            self.seat_games.watcher = self.render
        self.observation_space: Any = self.vector.single_observation_space
        self.action_space: Any = self.vector.single_action_space

    @property
    def seat_games(self) -> SeatGames:
        """The one game beneath."""
        return self.vector.seat_games

    def __repr__(self) -> str:
        return self.seat_games.describe_call("SeatEnv")

    __str__ = __repr__

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.int8], dict[str, Any]]:
        """Deals a new episode and plays on to the learner's first decision; arguments and errors as of `CardEnv.reset`.

        Returns:
            The learner's observation, int8 (observation_size,), and an info with ``"action_mask"`` and ``"opponents"``.
        """
        given = check_reset_options(options, deal_options(self.game))
        observations, infos = self.vector.reset(seed=None if seed is None else check_seed(seed), options=given)
        self._np_random, self._np_random_seed = self.vector.np_random, self.vector.np_random_seed
        if self.render_mode == "human":
            self.render()
        return observations[0], self._info(infos)

    def step(self, action: Any) -> tuple[npt.NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        """Plays ``action``, then the other seats' actions up to the learner's next decision or the end of the episode.

        Returns:
            The learner's observation, int8 (observation_size,); its reward since its last decision; whether the episode is
            over; whether it was truncated (``max_decisions``); and an info with ``"action_mask"`` and ``"opponents"``.

        Raises:
            ValueError: the action is no int, or illegal with ``illegal="raise"``; or a policy returned an illegal action.
        """
        if not self.seat_games.ready or self.vector.over[0]:
            raise ResetNeeded(
                f"{'the episode is over' if self.vector.dealt else 'there is no episode yet'}: call reset() first"
            )
        number = action_number(self.game, action)
        if self._illegal == "raise":
            if not 0 <= number < self.game.num_actions or not self.seat_games.batch.action_masks[0, number]:
                raise ValueError(self.seat_games.illegal_message(0, number))
        observations, rewards, terminated, truncated, infos = self.vector.step(np.array([number]))
        if self.render_mode == "human":
            self.render()
        return observations[0], float(rewards[0]), bool(terminated[0]), bool(truncated[0]), self._info(infos)

    def _info(self, infos: dict[str, Any]) -> dict[str, Any]:
        """Returns the info of the one game from those of the vector environment."""
        opponents = {agent: names[0] for agent, names in infos["opponents"].items() if names[0] is not None}
        info = {"action_mask": infos["action_mask"][0], "opponents": opponents}
        return info | ({"illegal_action": infos["illegal_action"][0]} if "illegal_action" in infos else {})

    def get_state(self) -> dict[str, Any]:
        """Returns the current episode with all random streams; `set_state` restores it."""
        self._check_dealt()
        return self.vector.get_state()

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restores an episode that `get_state` returned, here or in an environment of these settings; else ValueError."""
        self.vector.set_state(state)

    def clone(self) -> SeatEnv:
        """Returns an independent copy that goes on as this environment does, in microseconds; it has no window.

        Spaces, settings and the other seats' policies are shared.
        """
        twin = copy.copy(self)
        twin.vector = self.vector.clone()
        twin._renderer = copy.copy(self._renderer)
        if self.render_mode == "human":
            twin.seat_games.watcher = twin.render
        return twin

    def action_masks(self) -> npt.NDArray[np.int8]:
        """Returns the learner's legal actions: int8 (num_actions,), all zeros when the episode is over."""
        self._check_dealt()
        return self.seat_games.batch.action_masks[0].copy()

    def _check_dealt(self) -> None:
        if not self.vector.dealt:
            raise ResetNeeded("there is no episode yet: call reset() first")

    def render(self) -> Any:
        """Draws the learner's view: ``"ansi"`` returns text, ``"rgb_array"`` uint8 (600, 800, 3), ``"human"`` shows it."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() does nothing without a render_mode")
            return None
        self._check_dealt()
        return draw(self.game, self._renderer, self.seat_games.batch.games, int(self.seat_games.learner[0]))

    def close(self) -> None:
        """Closes the window, if one is open, and the policies made from names, such as programs."""
        self.vector.close()
        if self._renderer is not None:
            self._renderer.close()

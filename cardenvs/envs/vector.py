"""The one-seat environment many times over, as a native Gymnasium vector environment."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from cardenvs.envs.aec import observation_box
from cardenvs.envs.batch import illegal_message
from cardenvs.envs.seat import SeatGames
from cardenvs.spec import GameSpec

Observations = npt.NDArray[np.int8]


class SeatVectorEnv(VectorEnv[Observations, npt.NDArray[np.int64], npt.NDArray[Any]]):
    """``num_envs`` one-seat games stepped together.

    Observations are int8 (num_envs, observation_size); masks are in ``infos["action_mask"]``, int8 (num_envs, num_actions),
    and from `action_masks`. An ended game is dealt anew in the same step; what the learner saw at its end is in
    ``infos["final_obs"]`` (an object array, marked by ``infos["_final_obs"]``).

    Args:
        game: the game's name or spec.
        num_envs: the number of games, at least 1.
        render_mode: must be None, as many games at once are not drawn.
        kwargs: ``seat``, ``opponents``, ``partner``, ``reward``, ``team_share`` and rule options, which
            `cardenvs.envs.seat.SeatGames` takes.

    Raises:
        ValueError: an unknown game, seat, policy, option or value; from `step`, an illegal action, with nothing played.
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}  # noqa: RUF012

    def __init__(self, game: str | GameSpec, num_envs: int = 1, render_mode: None = None, **kwargs: Any) -> None:
        if num_envs < 1:
            raise ValueError(f"num_envs must be at least 1, not {num_envs}")
        if render_mode is not None:
            raise ValueError(f"render_mode must be None for many games at once, not {render_mode!r}")
        self.num_envs = num_envs
        self.seat_games = SeatGames(game, num_envs, **kwargs)
        self.game = self.seat_games.spec
        self.single_observation_space = observation_box(self.game)
        self.single_action_space = Discrete(self.game.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._started = False

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Deals a new episode in every game.

        Args:
            seed: one int of at least 0, whose random stream number ``i`` game ``i`` gets; None goes on with the streams.
            options: may have ``"deal"`` and ``"dealer"``, as in `cardenvs.envs.seat.SeatEnv.reset`, for all games.

        Raises:
            ValueError: a list of seeds; the deal is not one of this game or is over already; the dealer is no seat.
        """
        if isinstance(seed, (list, tuple)):
            raise ValueError("seed must be one int: the games get different streams of it")
        super().reset(seed=seed)
        if seed is None and not self._started:
            seed = int(self.np_random.integers(0, 2**63))
        self._started = True
        self.seat_games.reset(seed, options)
        return self.seat_games.batch.observations.copy(), {"action_mask": self.action_masks()}

    def step(
        self, actions: npt.NDArray[np.int64]
    ) -> tuple[Observations, npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        """Plays the learner's actions, then the other seats' up to the learner's next decisions.

        Args:
            actions: ints of shape (num_envs,).

        Returns:
            The learner's observations, int8 (num_envs, observation_size); its rewards since its last decisions, float64
            (num_envs,); which episodes have ended, bool (num_envs,); as many False, as no episode is truncated; and infos.

        Raises:
            ValueError: a wrong shape, or an illegal action; names the game and what is legal there.
        """
        chosen = np.asarray(actions).astype(np.int64)
        if chosen.shape != (self.num_envs,):
            raise ValueError(f"actions must have the shape ({self.num_envs},), not {chosen.shape}")
        legal = self.seat_games.legal(chosen)
        if not legal.all():
            bad = int(np.flatnonzero(~legal)[0])
            message = illegal_message(self.game, self.seat_games.batch.games, bad, int(chosen[bad]))
            raise ValueError(f"game {bad}: {message}")
        rewards, done, final = self.seat_games.step(chosen, restart=True)
        infos: dict[str, Any] = {"action_mask": self.action_masks()}
        if final:
            observations = np.full(self.num_envs, None, object)
            for i, observation in final.items():
                observations[i] = observation
            masks = np.zeros_like(infos["action_mask"])
            infos["final_obs"], infos["_final_obs"] = observations, done.copy()
            infos["final_info"], infos["_final_info"] = {"action_mask": masks, "_action_mask": done.copy()}, done.copy()
        return (
            self.seat_games.batch.observations.copy(),
            rewards.astype(np.float64),
            done,
            np.zeros(self.num_envs, np.bool_),
            infos,
        )

    def action_masks(self) -> npt.NDArray[np.int8]:
        """The learner's legal actions: int8 (num_envs, num_actions)."""
        return self.seat_games.batch.action_masks.copy()

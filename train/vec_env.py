"""Self-play for Stable-Baselines3: its `VecEnv` over the batched simulator, one slot a game, every seat the learner's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from cardenvs.drivers import EPISODE_OVER
from cardenvs.envs.batch import Batch
from cardenvs.spec import GameSpec
from train.symmetry import SuitSymmetry


class SelfPlayVecEnv(VecEnv):
    """``n`` games stepped together; the observation, mask and action of a slot are those of the seat to act there.

    A slot's consecutive steps belong to different seats, so its rewards are no one's return: `SeatRolloutBuffer` takes
    the payoffs of all seats from here instead. Wrappers that sum a slot's rewards (VecMonitor, VecNormalize) mix the
    seats. ``infos`` are empty: an episode's end has no seat to act, and so no ``terminal_observation``.

    Attributes:
        batch: the games as the simulator has them.
        game: what is played.
        acting: int64 (n,), the seat that acted in the latest step (before any: the seat to act).
        payoffs: float32 (n, seats), what the latest step paid every seat.
        ended: bool (n,), where it ended the episode.

    Args:
        game: name or spec.
        n: number of games, at least 1.
        seed: int >= 0; None draws one.
        reward: kind of reward, default the game's first.
        team_share: 1 pays both partners their side's reward, 0 each its own part.
        canonical_suits: show positions, masks and actions under canonical suit names (`SuitSymmetry`).
        options: rule options.

    Raises:
        ValueError: unknown game, option or value. `step` raises it for an illegal action.
    """

    def __init__(
        self,
        game: str | GameSpec,
        n: int,
        *,
        seed: int | None = None,
        reward: str | None = None,
        team_share: float = 1.0,
        canonical_suits: bool = False,
        **options: Any,
    ) -> None:
        self.batch = Batch(game, n, seed=seed, reward=reward, team_share=team_share, validate=True, **options)
        self.game = self.batch.spec
        self.symmetry = SuitSymmetry(self.game) if canonical_suits else None
        self._rows = np.arange(n)
        self._actions = np.zeros(n, np.int64)
        self._dealt = True
        self._clear()
        super().__init__(
            n,
            gymnasium.spaces.Box(0, 1, (self.game.observation_size,), np.int8),
            gymnasium.spaces.Discrete(self.game.num_actions),
        )

    def _clear(self) -> None:
        self.acting = self.batch.to_act.copy()
        self.payoffs = np.zeros((self.batch.n, self.game.seats), np.float32)
        self.ended = np.zeros(self.batch.n, np.bool_)

        self._observe()

    def _observe(self) -> npt.NDArray[np.int8]:
        """What the seats to act see, a fresh array; takes note of their masks."""
        batch = self.batch
        if self.symmetry is None:
            self._masks = batch.action_masks
            return batch.observations.copy()
        observations, self._masks, self._names = self.symmetry.apply(batch.observations, batch.action_masks)
        return observations

    # --- what Stable-Baselines3 calls ---

    def reset(self) -> npt.NDArray[np.int8]:
        """Deals every game anew, by the seed of `seed` if one was given; returns observations, int8 (n, d)."""
        if self._seeds[0] is not None:
            self.batch.reset(self._seeds[0])
        elif not self._dealt:
            self.batch.reset(int(self.batch.streams[0]))
        self._dealt = True
        self._clear()
        self._reset_seeds()
        self._reset_options()
        return self._observe()

    def step_async(self, actions: npt.NDArray[np.integer[Any]]) -> None:
        """Takes the actions, ints (n,), of the seats to act."""
        self._actions = np.asarray(actions, np.int64)
        if self.symmetry is not None:
            self._actions = self.symmetry.restore(self._actions, self._names)

    def step_wait(self) -> VecEnvStepReturn:
        """Plays the actions.

        Returns:
            Observations int8 (n, d) of the seats now to act; rewards float32 (n,) of the seats that acted; bool (n,),
            where the episode ended (and the next one was dealt); an empty dict for each game. All are fresh.

        Raises:
            ValueError: an illegal action; nothing is played then.
        """
        acting = self.batch.to_act.copy()
        self.batch.step(self._actions)
        self._dealt = False
        self.acting = acting
        self.payoffs = self.batch.rewards.copy()
        self.ended = self.batch.ended == EPISODE_OVER
        rewards = self.payoffs[self._rows, acting]
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        return self._observe(), rewards, self.ended.copy(), infos

    def close(self) -> None:
        """Does nothing: there is nothing to close."""

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The legal actions of the seats to act: bool (n, num_actions), a fresh array."""
        return self._masks.astype(np.bool_)

    def env_method(self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any) -> list[Any]:
        """Answers ``action_masks``, the one method of a slot.

        For all games it returns one array (n, num_actions) in a list, which is what sb3_contrib stacks and reshapes
        most quickly; with ``indices`` a list of one mask a game.

        Raises:
            AttributeError: any other method.
        """
        if method_name != "action_masks":
            raise AttributeError(f"a game of {type(self).__name__} has no method {method_name!r}")
        masks = self.action_masks()
        return [masks] if indices is None else [masks[i] for i in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """The attribute of this object, once for each game asked for.

        Raises:
            AttributeError: there is none of that name.
        """
        value = None if attr_name == "render_mode" else getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Not possible: games have no attributes of their own.

        Raises:
            AttributeError: always.
        """
        raise AttributeError(f"{attr_name!r} cannot be set: the games of {type(self).__name__} share everything")

    def env_is_wrapped(self, wrapper_class: type[gymnasium.Wrapper], indices: VecEnvIndices = None) -> list[bool]:
        """False for each game asked for."""
        return [False for _ in self._get_indices(indices)]

    # --- saving and restoring ---

    def get_state(self) -> dict[str, npt.NDArray[Any]]:
        """The games as they stand and their random streams: a copy, for `set_state`."""
        return {"games": np.array(self.batch.games), "streams": self.batch.streams.copy(), "ended": self.ended.copy()}

    def set_state(self, state: Mapping[str, npt.NDArray[Any]]) -> npt.NDArray[np.int8]:
        """Continues where `get_state` was called.

        Returns:
            Observations, int8 (n, d).

        Raises:
            ValueError: a state of another game or number of games.
        """
        games = np.zeros_like(self.batch.games)
        if state["games"].dtype.names != games.dtype.names or state["games"].shape != games.shape:
            raise ValueError(f"these are not {self.num_envs} states of {self.game.name}")
        for name in self.game.dtype.names or ():
            games[name] = state["games"][name]
        self.batch.set_games(games)
        self.batch.streams[:] = state["streams"]
        self._dealt = False
        self._clear()
        self.ended[:] = state["ended"]
        return self._observe()

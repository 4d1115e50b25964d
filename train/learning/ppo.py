"""MaskablePPO for self-play: Stable-Baselines3's algorithm with this package's rollout buffer in it."""

from __future__ import annotations

import numpy as np
from sb3_contrib import MaskablePPO
from stable_baselines3.common.type_aliases import GymEnv

from cardenvs.train.checkpoint import as_arrays
from cardenvs.train.inference.actor import ACTOR_PARTS, Weights
from cardenvs.train.learning.buffer import SeatRolloutBuffer
from cardenvs.train.learning.vec_env import SelfPlayVecEnv


class SelfPlayPPO(MaskablePPO):
    """MaskablePPO over a `SelfPlayVecEnv`, with returns and advantages for each seat apart (`SeatRolloutBuffer`).

    The arguments are those of MaskablePPO.

    Attributes:
        remaining: share of the run that is left, 1 to 0, for schedules; None leaves this to SB3, which counts steps.
        generator: the random generator that orders the minibatches.

    Raises:
        ValueError: an environment that is no `SelfPlayVecEnv`, wrapped or not.
    """

    remaining: float | None = None

    def _setup_model(self) -> None:
        if self.rollout_buffer_class is None:
            self.rollout_buffer_class = SeatRolloutBuffer
        super()._setup_model()
        self.generator = np.random.default_rng(self.seed)
        self._bind()

    def set_env(self, env: GymEnv, force_reset: bool = True) -> None:
        """Takes another environment.

        Args:
            env: a `SelfPlayVecEnv`, wrapped or not.
            force_reset: whether to reset the environment before the next rollout, as in SB3.
        """
        super().set_env(env, force_reset)
        self._bind()

    def _bind(self) -> None:
        """Tells the rollout buffer which environment to ask who acted and what all seats were paid."""
        if self.env is None or not isinstance(self.rollout_buffer, SeatRolloutBuffer):
            return
        env = self.env.unwrapped
        if not isinstance(env, SelfPlayVecEnv):
            raise ValueError(f"SelfPlayPPO learns from a SelfPlayVecEnv, not from a {type(env).__name__}")
        self.rollout_buffer.bind(env, self.generator)

    def _update_current_progress_remaining(self, num_timesteps: int, total_timesteps: int) -> None:
        super()._update_current_progress_remaining(num_timesteps, total_timesteps)
        if self.remaining is not None:
            self._current_progress_remaining = self.remaining

    def _excluded_save_params(self) -> list[str]:
        # Without these the file needs nothing but SB3 to be loaded.
        ours = ["rollout_buffer_class", "remaining", "generator"]
        return [*super()._excluded_save_params(), *ours, "_last_obs", "_last_episode_starts"]


def actor_weights(model: MaskablePPO) -> Weights:
    """Copies of the weights of a model's actor, float32, by their names in the policy's state dict."""
    weights = model.policy.state_dict()
    return as_arrays({name: weights[name] for name in weights if name.startswith(ACTOR_PARTS)})

"""MaskablePPO for self-play: it plays in compiled networks and learns from what they saw, each row prepared once.

The algorithm, its settings and what it logs are Stable-Baselines3's; its loops over steps and minibatches are written anew.
Most of the time went into them: into zeros that first layers multiplied, and into threads that waited for each other.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.type_aliases import GymEnv
from stable_baselines3.common.utils import explained_variance
from stable_baselines3.common.vec_env import VecEnv
from torch import Tensor

from cardenvs.compiled.bits import Ints
from cardenvs.train.learning.buffer import SeatRolloutBuffer
from cardenvs.train.learning.descent import Workers, descend, reduced, workers
from cardenvs.train.learning.loss import FIGURES, Decisions, draw_actions, ppo_loss
from cardenvs.train.learning.network import LearningPolicy
from cardenvs.train.learning.rows import Rows
from cardenvs.train.learning.vec_env import SelfPlayVecEnv

_CHUNK = 1024
"""Rows that a thread evaluates at a time, few enough for the processor's cache."""


class SelfPlayPPO(MaskablePPO):
    """MaskablePPO over a `SelfPlayVecEnv`, with returns and advantages for each seat apart (`SeatRolloutBuffer`).

    The arguments are those of MaskablePPO. A `LearningPolicy` plays in compiled code and learns without SB3's loops; any
    other policy is left to SB3, and so is learning with ``target_kl`` or ``clip_range_vf``.

    Attributes:
        remaining: share of the run that is left, 1 to 0, for schedules; None leaves this to SB3, which counts steps.
        generator: the random generator that draws the actions and orders the minibatches.
        bfloat16: whether layers multiply in bfloat16 while learning.

    Raises:
        ValueError: an environment that is no `SelfPlayVecEnv`, wrapped or not.
    """

    remaining: float | None = None
    bfloat16: bool = False

    def _setup_model(self) -> None:
        if self.rollout_buffer_class is None:
            self.rollout_buffer_class = SeatRolloutBuffer
        super()._setup_model()
        self.generator = np.random.default_rng(self.seed)
        self._bind_buffer()

    def set_env(self, env: GymEnv, force_reset: bool = True) -> None:
        """Takes another environment.

        Args:
            env: a `SelfPlayVecEnv`, wrapped or not.
            force_reset: whether to reset the environment before the next rollout, as in SB3.
        """
        super().set_env(env, force_reset)
        self._bind_buffer()

    def _bind_buffer(self) -> None:
        """Binds the rollout buffer to the environment, which it asks for acting seats and the rewards of all seats."""
        if self.env is None or not isinstance(self.rollout_buffer, SeatRolloutBuffer):
            return
        env = self.env.unwrapped
        if not isinstance(env, SelfPlayVecEnv):
            raise ValueError(f"SelfPlayPPO learns from a SelfPlayVecEnv, not from a {type(env).__name__}")
        self.rollout_buffer.bind(env, self.generator)

    # --- playing ---

    def collect_rollouts(
        self,
        env: VecEnv,
        callback: BaseCallback,
        rollout_buffer: RolloutBuffer,
        n_rollout_steps: int,
        use_masking: bool = True,
    ) -> bool:
        """Plays a rollout, as SB3's method of the same name does.

        Args:
            env: the environment to play in.
            callback: called before the rollout, at every step, and after the rollout.
            rollout_buffer: filled with the rollout.
            n_rollout_steps: steps to play.
            use_masking: must be True for a `LearningPolicy`, which knows nothing of illegal actions.

        Returns:
            False if the callback has ended the rollout early.
        """
        policy = self.policy
        if not isinstance(policy, LearningPolicy) or not isinstance(rollout_buffer, SeatRolloutBuffer) or not use_masking:
            return super().collect_rollouts(env, callback, rollout_buffer, n_rollout_steps, use_masking)
        assert self._last_obs is not None, "the environment has not been reset"
        policy.set_training_mode(False)
        rollout_buffer.reset()
        callback.on_rollout_start()
        logits = policy.player()
        with workers(torch.device("cpu")) as threads:
            for _ in range(n_rollout_steps):
                rows: Any = self._last_obs
                masks = get_action_masks(env)
                legal = masks.reshape(env.num_envs, -1)
                draws = self.generator.random(env.num_envs)
                parts = threads.run(
                    lambda part, rows=rows, legal=legal, draws=draws: draw_actions(  # type: ignore[misc]
                        logits(rows[part]), legal[part], draws[part]
                    ),
                    env.num_envs,
                )
                actions, log_probs = (np.concatenate(column) for column in zip(*parts, strict=True))
                following, rewards, dones, infos = env.step(actions)
                self.num_timesteps += env.num_envs
                callback.update_locals(locals())
                if not callback.on_step():
                    return False
                begun, unknown = self._last_episode_starts, torch.zeros(env.num_envs)  # values come for the whole rollout
                rollout_buffer.add(rows, actions, rewards, begun, unknown, torch.from_numpy(log_probs), action_masks=masks)
                self._last_obs, self._last_episode_starts = following, dones  # type: ignore[assignment]
            played = rollout_buffer.observations
            rollout_buffer.rows = policy.rows(played.reshape(-1, played.shape[-1]), threads)
            rollout_buffer.values[:] = self._critic_values(rollout_buffer.rows, threads).reshape(rollout_buffer.values.shape)
            last = self._critic_values(policy.rows(np.asarray(self._last_obs), threads), threads)
        rollout_buffer.compute_returns_and_advantage(torch.from_numpy(last), np.asarray(self._last_episode_starts))
        callback.on_rollout_end()
        return True

    def _critic_values(self, rows: Rows, threads: Workers) -> Any:
        """The critic's values of rows, float32 (n,)."""
        policy = self.policy
        assert isinstance(policy, LearningPolicy)

        def values(part: slice) -> list[Tensor]:
            """The values of a share of the rows, in pieces."""
            size = _CHUNK if self.device.type == "cpu" else len(rows)
            with torch.inference_mode(), reduced(self.device, self.bfloat16):
                pieces = range(part.start, part.stop, size)
                return [policy.values(rows.take(np.arange(k, min(k + size, part.stop)))) for k in pieces]

        return torch.cat([piece for share in threads.run(values, len(rows)) for piece in share]).cpu().numpy()

    # --- learning ---

    def train(self) -> None:
        """Learns from the rollout: some epochs of minibatches, with SB3's loss."""
        policy, buffer = self.policy, self.rollout_buffer
        rows = buffer.rows if isinstance(buffer, SeatRolloutBuffer) else None
        more = self.target_kl is not None or self.clip_range_vf is not None
        if rows is None or more or not isinstance(policy, LearningPolicy) or not isinstance(buffer, SeatRolloutBuffer):
            super().train()
            return
        policy.set_training_mode(True)
        self._update_learning_rate(policy.optimizer)
        clip = self.clip_range(self._current_progress_remaining)  # type: ignore[operator]
        parameters = list(policy.parameters())
        moves, decisions = buffer.decisions(), Decisions.of(buffer, self.device)
        told = []
        with workers(self.device) as threads:
            for _ in range(self.n_epochs):
                for chosen in buffer.minibatches(self.batch_size):
                    scale = self._advantage_scale(decisions.advantages, chosen)
                    loss = partial(self._share_loss, policy, rows, moves, decisions, chosen, scale, clip)
                    told.append(descend(parameters, policy.optimizer, loss, len(chosen), threads, self.max_grad_norm))
                self._n_updates += 1
        figures = torch.stack(told).cpu().double().numpy()
        latest = figures[-(len(figures) // self.n_epochs) :]  # as in SB3 the last epoch's divergence, the last loss
        means = dict(zip(FIGURES, figures.mean(0), strict=True))
        means["approx_kl"], means["loss"] = latest[:, FIGURES.index("approx_kl")].mean(), latest[-1, FIGURES.index("loss")]
        for name, mean in means.items():
            self.logger.record(f"train/{name}", float(mean))
        values, returns = buffer.values.reshape(-1)[moves], buffer.returns.reshape(-1)[moves]
        self.logger.record("train/explained_variance", explained_variance(values, returns))
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")
        self.logger.record("train/clip_range", clip)

    def _advantage_scale(self, advantages: Tensor, chosen: Ints) -> tuple[Tensor, Tensor] | None:
        """Mean and spread of the advantages of a minibatch, by which they are to be normalised; None if they are not."""
        if not self.normalize_advantage:
            return None
        spread, mean = torch.std_mean(advantages[torch.from_numpy(chosen).to(self.device)])
        return mean, spread + 1e-8

    def _share_loss(
        self,
        policy: LearningPolicy,
        rows: Rows,
        moves: Ints,
        decisions: Decisions,
        chosen: Ints,
        scale: tuple[Tensor, Tensor] | None,
        clip: float,
        part: slice,
    ) -> tuple[Tensor, Tensor]:
        """The loss and the figures of a share of a minibatch, as `ppo_loss` returns them."""
        mine = chosen[part]
        seen, share = rows.take(moves[mine]), decisions.take(mine)
        if scale is not None:
            mean, spread = scale
            share.advantages.sub_(mean).div_(spread)
        with reduced(self.device, self.bfloat16):
            logits, values = policy.logits(seen), policy.values(seen)
        return ppo_loss(logits, values, share, len(chosen), clip, self.ent_coef, self.vf_coef)

    # --- what SB3 calls ---

    def _update_current_progress_remaining(self, num_timesteps: int, total_timesteps: int) -> None:
        super()._update_current_progress_remaining(num_timesteps, total_timesteps)
        if self.remaining is not None:
            self._current_progress_remaining = self.remaining

    def _excluded_save_params(self) -> list[str]:
        # Without these the file needs nothing but SB3 to be loaded.
        ours = ["rollout_buffer_class", "remaining", "generator", "bfloat16"]
        return [*super()._excluded_save_params(), *ours, "_last_obs", "_last_episode_starts"]

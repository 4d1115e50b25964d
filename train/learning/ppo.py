"""MaskablePPO for self-play: it plays in compiled networks and learns from rows that are prepared once for all epochs.

Algorithm, settings and logs are Stable-Baselines3's; its loops over steps and minibatches, where most time went, are ours.
"""

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
from cardenvs.train.learning.descent import Workers, reduced_precision, take_gradient_step, use_workers
from cardenvs.train.learning.loss import FIGURES, Decisions, draw_actions, ppo_loss
from cardenvs.train.learning.network import LearningPolicy
from cardenvs.train.learning.rows import Rows
from cardenvs.train.learning.vec_env import SelfPlayVecEnv

_CHUNK = 1024  # rows that a thread evaluates at a time, few enough for the processor's cache


class SelfPlayPPO(MaskablePPO):
    """MaskablePPO over a `SelfPlayVecEnv`, with returns and advantages for each seat separately (`SeatRolloutBuffer`).

    The arguments are those of MaskablePPO, with a `LearningPolicy`, which plays in compiled code and learns without SB3's
    loops: advantages are normalised, ``target_kl`` and ``clip_range_vf`` not used. ``generator`` draws the actions and
    orders the minibatches. Raises ValueError for an environment that is no `SelfPlayVecEnv`, wrapped or not.
    """

    remaining: float | None = None  # share of the run that is left, 1 to 0, for schedules; None: SB3 counts steps
    bfloat16: bool = False  # whether layers multiply in bfloat16 while learning

    def _setup_model(self) -> None:
        if self.rollout_buffer_class is None:
            self.rollout_buffer_class = SeatRolloutBuffer
        super()._setup_model()
        self.generator = np.random.default_rng(self.seed)
        self._bind_buffer()

    def set_env(self, env: GymEnv, force_reset: bool = True) -> None:
        """Takes another `SelfPlayVecEnv`, wrapped or not; ``force_reset`` as in SB3."""
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
        """Plays a rollout, as SB3's method; returns False if the callback has ended it early. Actions are masked."""
        policy = self.policy
        assert isinstance(policy, LearningPolicy) and isinstance(rollout_buffer, SeatRolloutBuffer)
        assert self._last_obs is not None, "the environment has not been reset"
        policy.set_training_mode(False)
        rollout_buffer.reset()
        callback.on_rollout_start()
        logits = policy.compiled_actor()
        with use_workers(torch.device("cpu")) as threads:
            for _ in range(n_rollout_steps):
                rows: Any = self._last_obs
                masks = get_action_masks(env)
                legal = masks.reshape(env.num_envs, -1)
                draws = self.generator.random(env.num_envs)
                parts = threads.run_shares(
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
            rollout_buffer.rows = policy.prepare_rows(played.reshape(-1, played.shape[-1]), threads)
            values = self._critic_values(rollout_buffer.rows, threads)
            rollout_buffer.values[:] = values.reshape(rollout_buffer.values.shape)
            last = self._critic_values(policy.prepare_rows(np.asarray(self._last_obs), threads), threads)
        rollout_buffer.compute_returns_and_advantage(torch.from_numpy(last), np.asarray(self._last_episode_starts))
        callback.on_rollout_end()
        return True

    def _critic_values(self, rows: Rows, threads: Workers) -> Any:
        """Returns the critic's values of rows, float32 (n,)."""
        policy = self.policy
        assert isinstance(policy, LearningPolicy)

        def share_values(part: slice) -> list[Tensor]:
            size = _CHUNK if self.device.type == "cpu" else len(rows)
            with torch.inference_mode(), reduced_precision(self.device, self.bfloat16):
                pieces = range(part.start, part.stop, size)
                return [policy.critic_values(rows.select_rows(np.arange(k, min(k + size, part.stop)))) for k in pieces]

        return torch.cat([piece for share in threads.run_shares(share_values, len(rows)) for piece in share]).cpu().numpy()

    # --- learning ---

    def train(self) -> None:
        """Learns from the rollout: some epochs of minibatches, with SB3's loss."""
        policy, buffer = self.policy, self.rollout_buffer
        assert isinstance(policy, LearningPolicy) and isinstance(buffer, SeatRolloutBuffer) and buffer.rows is not None
        rows = buffer.rows
        policy.set_training_mode(True)
        self._update_learning_rate(policy.optimizer)
        clip = self.clip_range(self._current_progress_remaining)  # type: ignore[operator]
        parameters = list(policy.parameters())
        moves, decisions = buffer.decision_moves(), Decisions.from_buffer(buffer, self.device)
        steps = []
        with use_workers(self.device) as threads:
            for _ in range(self.n_epochs):
                for chosen in buffer.minibatches(self.batch_size):
                    there = torch.from_numpy(chosen).to(self.device)
                    spread, mean = torch.std_mean(decisions.advantages[there])  # by which they are normalised
                    loss = partial(self._share_loss, policy, rows, moves, decisions, chosen, mean, spread + 1e-8, clip)
                    longest = self.max_grad_norm
                    steps.append(take_gradient_step(parameters, policy.optimizer, loss, len(chosen), threads, longest))
                self._n_updates += 1
        figures = torch.stack(steps).cpu().double().numpy()
        latest = figures[-(len(figures) // self.n_epochs) :]  # as in SB3 the last epoch's divergence, the last loss
        means = dict(zip(FIGURES, figures.mean(0), strict=True))
        means["approx_kl"], means["loss"] = latest[:, FIGURES.index("approx_kl")].mean(), latest[-1, FIGURES.index("loss")]
        for name, mean in means.items():
            self.logger.record(f"train/{name}", float(mean))
        values, returns = buffer.values.reshape(-1)[moves], buffer.returns.reshape(-1)[moves]
        self.logger.record("train/explained_variance", explained_variance(values, returns))
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")
        self.logger.record("train/clip_range", clip)

    def _share_loss(
        self,
        policy: LearningPolicy,
        rows: Rows,
        moves: Ints,
        decisions: Decisions,
        chosen: Ints,
        mean: Tensor,
        spread: Tensor,
        clip: float,
        part: slice,
    ) -> tuple[Tensor, Tensor]:
        """Returns the loss and the figures of a share of a minibatch, as `ppo_loss`."""
        mine = chosen[part]
        seen, share = rows.select_rows(moves[mine]), decisions.select_decisions(mine)
        share.advantages.sub_(mean).div_(spread)
        logits, values = policy.evaluate_rows(seen, self.bfloat16)
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

"""A rollout buffer that learns for every seat of a game: returns and advantages along each seat's own decisions."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer

from cardenvs.compiled.bits import Ints
from cardenvs.train.advantages import per_seat_gae
from cardenvs.train.learning.rows import Rows
from cardenvs.train.learning.vec_env import SelfPlayVecEnv

Array = npt.NDArray[Any]


class SeatRolloutBuffer(MaskableRolloutBuffer):
    """Rollouts of `SelfPlayVecEnv`, with generalised advantage estimates for each seat separately (`per_seat_gae`).

    A move without a choice, in trick-taking a third of all moves, is left out of the streams and of the minibatches.
    Arguments are SB3's. A buffer must be bound to its environment (`bind`) before use.
    """

    _env: SelfPlayVecEnv | None = None
    _generator: np.random.Generator

    def bind(self, env: SelfPlayVecEnv, generator: np.random.Generator) -> None:
        """Binds the buffer to the environment that is stepped before every `add`; ``generator`` orders the minibatches."""
        self._env, self._generator = env, generator

    @property
    def env(self) -> SelfPlayVecEnv:
        """The environment that `bind` was called with; RuntimeError before."""
        if self._env is None:
            raise RuntimeError("a SeatRolloutBuffer must be bound to its SelfPlayVecEnv first: buffer.bind(env)")
        return self._env

    def reset(self) -> None:
        super().reset()
        self.rows: Rows | None = None  # the observations as networks take them, step by step, in each step game by game
        shape = (self.buffer_size, self.n_envs)
        self.action_masks = np.zeros((*shape, self.mask_dims), np.bool_)
        self.seats = np.zeros(shape, np.int64)
        self.ended = np.zeros(shape, np.bool_)
        seats = 0 if self._env is None else self._env.game.seats
        self.payoffs = np.zeros((*shape, seats), np.float32)

    def add(self, *args: Any, action_masks: Array | None = None, **kwargs: Any) -> None:
        """Stores a step: SB3's arguments, and from the environment who acted and what every seat was paid."""
        env, k = self.env, self.pos
        self.seats[k], self.ended[k], self.payoffs[k] = env.acting, env.ended, env.payoffs
        super().add(*args, action_masks=action_masks, **kwargs)

    def compute_returns_and_advantage(self, last_values: torch.Tensor, dones: Array) -> None:
        """Fills ``returns`` and ``advantages``, float32 (buffer_size, n_envs); zero for moves without a choice.
        ``last_values``, float32 (n_envs,), are those of the seats now to act. ``dones`` are not used: the environment
        knows after which steps episodes ended."""
        env = self.env
        decided = self.action_masks.sum(-1) > 1
        self.advantages, self.returns = per_seat_gae(
            self.payoffs,
            np.vstack([self.values, last_values.detach().cpu().numpy().reshape(1, -1)]),
            self.ended,
            np.vstack([self.seats, env.batch.to_act]),
            gamma=self.gamma,
            gae_lambda=self.gae_lambda,
            decided=np.vstack([decided, env.batch.action_masks.sum(1) > 1]),
        )
        self._decided = decided

    def decision_moves(self) -> Ints:
        """Returns the moves that were decisions, int64 (k,), game by game: a move's step times all games, plus its game."""
        games, steps = np.nonzero(self._decided.T)
        return steps * self.n_envs + games

    def minibatches(self, batch_size: int | None) -> Iterator[Ints]:
        """Yields numbers of decisions, int64 (k,), in random order, about ``batch_size`` at a time; None: all at once."""
        n = int(self._decided.sum())
        yield from np.array_split(self._generator.permutation(n), max(1, round(n / (batch_size or n))))

    def get(self, batch_size: int | None = None) -> Any:
        """Refuses what SB3's loops ask for: `SelfPlayPPO` learns by `minibatches`."""
        raise NotImplementedError("a SeatRolloutBuffer is learned from by SelfPlayPPO")

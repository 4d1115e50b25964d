"""Batches of positions as a network sees them, and self-play environments stepped at random."""

from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs import Batch, policy
from cardenvs.compiled.streams import seed_streams
from cardenvs.policy.contract import wanted_columns
from cardenvs.train.learning.vec_env import SelfPlayVecEnv


def played_on(
    game: str, n: int, moves: int, *, player: str = "random", seed: int = 1, recall: bool = False, **options: Any
) -> Batch:
    """So many games after so many moves, in which a named policy holds every seat; the deals are those of ``seed``."""
    batch, streams = Batch(game, n, seed=seed, recall=recall, **options), seed_streams(0, n)
    who = policy.make(game, player)
    for _ in range(moves):
        batch.step(who.choose(wanted_columns(who, batch.observations), batch.action_masks, streams))
    return batch


def positions_along(
    game: str, n: int, moves: int, *, every: int = 1, seed: int = 0, **options: Any
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    """Observations and masks of ``n`` games before the first and each ``every``-th of so many random moves."""
    batch, streams, player = Batch(game, n, seed=seed, **options), seed_streams(seed, n), policy.make(game, "random")
    rows, masks = [], []
    for move in range(moves):
        if move % every == 0:
            rows.append(batch.observations.copy())
            masks.append(batch.action_masks.copy())
        batch.step(player.choose(batch.observations, batch.action_masks, streams))
    return np.concatenate(rows), np.concatenate(masks)


def step_at_random(env: SelfPlayVecEnv, steps: int, seed: int = 0) -> list[npt.NDArray[Any]]:
    """Steps an environment with random legal actions; the observations, rewards and ends of each step, one by one."""
    rng = np.random.default_rng(seed)
    arrays: list[npt.NDArray[Any]] = []
    for _ in range(steps):
        masks = env.action_masks()
        arrays += env.step((rng.random(masks.shape) * masks).argmax(1))[:3]
    return arrays

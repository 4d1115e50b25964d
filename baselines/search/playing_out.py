"""The compiled search that tries each legal action in worlds and plays the deals out, for every game."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from cardenvs.compiled.bits import Bytes, Floats, Ints, Streams
from cardenvs.contract import loops
from cardenvs.contract.kernels import Kernel, Kernels
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.explanation import Scores


@functools.cache
def play_out_kernel(kernels: Kernels, style: str, pick: Callable[..., Any]) -> Kernel:
    """The kernel that plays an action, and then the deal to its end by `Decider.pick`, of the `Decider.style`."""
    step = kernels.step

    @kernels.loop(f"play-out.{style}")
    def play_out(games: Any, i: int, action: int, agent: int, calling: int, streams: Streams, s: int, limit: int) -> None:
        """Plays game ``i`` until it is over or has ``limit`` moves."""
        step(games, i, action)
        while games[i].over == loops.RUNNING and games[i].moves < limit:
            step(games, i, pick(games, i, agent, calling, streams, s))

    return play_out


@functools.cache
def reward_kernel(kernels: Kernels) -> Kernel:
    """The value of a deal in `search_kernel`: seat 0's reward, of a kind of `cardenvs.contract.loops`."""
    pay_so_far = kernels.pay_so_far

    @kernels.loop("play-out.reward")
    def side_reward(kind: int, games: Any, i: int, points: Ints, tricks: Ints, rewards: Floats) -> float:
        pay_so_far(kind, 1.0, games, i, points, tricks, rewards)
        return rewards[i, 0]

    return side_reward


def new_scratch(spec: GameSpec) -> tuple[Any, ...]:
    """Two states of a game, and arrays for their points, tricks and rewards."""
    points, tricks = np.zeros((2, spec.num_sides), np.int64), np.zeros((2, spec.seats), np.int64)
    return spec.new_games(2), points, tricks, np.zeros((2, spec.seats), np.float32)


@functools.cache
def search_kernel(kernels: Kernels, style: str, pick: Callable[..., Any], value: Kernel) -> Kernel:
    """The kernel that adds what deals are worth after each action, played out by `Decider.pick`.

    ``value(kind, games, i, points, tricks, rewards)`` is what the deal of game ``i`` is worth to seat 0.
    """
    decode, redeal, play_out = kernels.decode, kernels.redealing, play_out_kernel(kernels, style, pick)

    @kernels.loop(f"flat.{style}.{value.__name__}")
    def search(
        rows: Ints, worlds: int, agent: int, calling: int, kind: int, limit: int, observations: Bytes, masks: Bytes,
        streams: Streams, views: Any, games: Any, points: Ints, tricks: Ints, rewards: Floats, sums: Scores,
    ) -> None:  # fmt: skip
        """Adds to ``sums``, float64 (n, num_actions), what each legal action brings in ``worlds`` worlds of some rows.

        ``views`` (1,) and ``games`` to ``rewards``, of `new_scratch`, are overwritten; ``agent`` and ``calling`` are those
        of the `Decider`, ``limit`` is the most moves of a deal.
        """
        for row in rows:
            decode(observations, row, views, 0)
            for _ in range(worlds):
                redeal(views, 0, streams, row, games, 0)
                for action in range(masks.shape[1]):
                    if masks[row, action] != 0:
                        games[1] = games[0]
                        play_out(games, 1, action, agent, calling, streams, row, limit)
                        sums[row, action] += value(kind, games, 1, points, tricks, rewards)

    return search

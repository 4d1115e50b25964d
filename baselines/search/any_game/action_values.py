"""Values of actions in worlds: each action is played in all of them, and a policy plays the deals to their end."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from cardenvs.baselines.search.playing_out import new_scratch, play_out_kernel, reward_kernel
from cardenvs.baselines.search.tree.deciders import Decider
from cardenvs.compiled.bits import Floats, Ints, Streams
from cardenvs.compiled.jit import as_records
from cardenvs.contract.fields import Games
from cardenvs.contract.kernels import Kernels
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.contract import Policy
from cardenvs.policy.explanation import Scores
from cardenvs.worlds import play_on, rewards_of


@functools.cache
def _trial_kernel(kernels: Kernels, style: str, pick: Callable[..., Any]) -> Callable[..., None]:
    """The compiled trial of actions in a game, in which `Decider.pick` plays on."""
    play_out, value = play_out_kernel(kernels, style, pick), reward_kernel(kernels)

    @kernels.loop(f"action-values.{style}")
    def try_actions(
        worlds: Any, actions: Ints, streams: Streams, games: Any, points: Ints, tricks: Ints, rewards: Floats, agent: int,
        calling: int, kind: int, limit: int, out: Scores,
    ) -> None:  # fmt: skip
        """Writes seat 0's rewards to ``out``, float64 (n * k,); all but ``worlds`` and ``actions`` is overwritten."""
        for n in range(len(out)):
            games[0] = worlds[n // len(actions)]
            play_out(games, 0, actions[n % len(actions)], agent, calling, streams, n, limit)
            out[n] = value(kind, games, 0, points, tricks, rewards)

    return try_actions


def evaluate_actions(
    game: GameSpec, worlds: Games, actions: Ints, player: Policy, decider: Decider | None, streams: Streams, kind: int
) -> Scores:
    """Rewards of seat 0 for each of k actions in each of n worlds when a policy then plays all seats: float64 (n, k).

    ``decider`` is the policy compiled; None where it is not, and then the policy plays many deals at a time. ``streams``,
    uint64 (n * k,), are advanced in place; ``kind`` is a kind of reward of `cardenvs.contract.loops`.
    """
    if decider is None:
        games = as_records(np.repeat(worlds, len(actions)))
        for n in range(len(games)):
            game.kernels.step(games, n, actions[n % len(actions)])
        play_on(game, games, [player] * game.seats, streams, game.max_decisions)
        return rewards_of(game, games, kind)[:, 0].reshape(len(worlds), len(actions))
    out = np.empty(len(worlds) * len(actions))
    _trial_kernel(game.kernels, decider.style, decider.pick)(
        as_records(worlds), actions, streams, *new_scratch(game), decider.agent, decider.calling, kind,
        game.max_decisions or game.max_steps, out,
    )  # fmt: skip
    return out.reshape(len(worlds), len(actions))
